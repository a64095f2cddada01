"""The package as a whole: what it exports, and what it costs to import."""

import ast
import importlib
import importlib.metadata
import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import specsel
from specsel import _methods, results

ROOT = Path(__file__).parents[1]


def test_every_exported_name_exists():
    for name in specsel.__all__:
        assert getattr(specsel, name) is not None
        assert name in dir(specsel)
    assert specsel.Weights is results.Weights
    for name, module in specsel.ESTIMATORS.items():
        assert name in specsel.__all__
        assert getattr(specsel, name).__module__ == f"specsel.estimators.{module}"
        assert getattr(specsel.estimators, name) is getattr(specsel, name)
    with pytest.raises(AttributeError, match="module 'specsel' has no attribute 'nothing'"):
        _ = specsel.nothing


def test_type_checkers_see_every_public_name():
    seen = set()
    for module in (specsel, _methods):
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                imports = [one for one in node.body if isinstance(one, ast.ImportFrom)]
                seen |= {alias.asname or alias.name for one in imports for alias in one.names}
    # Estimators are imported by a star.
    assert seen - {"*"} == {*specsel.__all__} - {*specsel.ESTIMATORS}


def test_help_opens_with_the_methods():
    text = pydoc.plain(pydoc.render_doc(specsel))
    places = [text.index(f"    {name}") for name in ("qalpha", "supervised", "alignment", "sbs")]
    assert places == sorted(places)
    assert places[-1] < text.index("PACKAGE CONTENTS")


def test_version_is_that_of_the_installed_package():
    assert specsel.__version__ == importlib.metadata.version("specsel")


WITHOUT_SKLEARN = """
import pydoc
import sys
sys.modules["sklearn"] = None
import specsel
from specsel import *
assert "QAlpha" not in dir(specsel) and "qalpha" in pydoc.render_doc(specsel)
print(qalpha.solve(datasets.example().X, 3).converged)
for name in specsel.ESTIMATORS:
    try:
        getattr(specsel, name)
    except ImportError as error:
        print(error)
"""


def test_without_sklearn_one_line_says_what_to_install_and_the_rest_works():
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_SKLEARN], capture_output=True, text=True, check=True
    )
    message = "{} needs scikit-learn: pip install 'specsel[sklearn]'"
    assert run.stdout.splitlines() == ["True", *map(message.format, specsel.ESTIMATORS)]
    assert run.stderr == ""


def test_an_import_that_fails_for_another_reason_is_not_blamed_on_sklearn(monkeypatch):
    monkeypatch.delitem(sys.modules, "specsel.estimators.selectors", raising=False)
    monkeypatch.setitem(sys.modules, "specsel.laplacian", None)
    monkeypatch.delattr(specsel, "laplacian")
    with pytest.raises(ImportError, match="laplacian"):
        _ = specsel.QAlpha
