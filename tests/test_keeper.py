"""The keeper itself: every rule of `test_architecture` is shown small trees that break it."""

import pytest
from test_architecture import (
    RULES,
    gaps_in_maps,
    hidden_exports,
    interface,
    kernels,
    long_files,
    optional_packages,
    private_names_of_others,
    strangers_in_rooms,
    unsafe_kernels,
    upward_imports,
    without_a_layer,
)

BROKEN = {
    without_a_layer: {"elsewhere.py": ""},
    upward_imports: {"_data/dense.py": "from specsel import _loop", "_loop/loop.py": ""},
    strangers_in_rooms: {"sbs.py": "from specsel import _loop", "_loop/__init__.py": ""},
    private_names_of_others: {
        "qalpha.py": "from specsel import linalg\nlinalg._krylov()",
        "linalg.py": "",
    },
    hidden_exports: {"sbs.py": '__all__ = ["solve"]\n__all__ += ["search"]'},
    optional_packages: {"sbs.py": "import pandas as pd"},
    long_files: {"sbs.py": "\n" * 401},
    gaps_in_maps: {
        "_data/__init__.py": '"""Data.\n\ndense  an array\n"""',
        "_data/dense.py": "",
        "_data/new.py": "",
    },
    unsafe_kernels: {"linalg.py": "@jit(parallel=True)\ndef f():\n    raise ValueError\n"},
}


def write(root, tree):
    """Write the files of a small tree."""
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_rule_sees_what_breaks_it(rule, tmp_path):
    write(tmp_path, BROKEN[rule])
    assert len(rule(tmp_path)) == 1


DOOR = "if TYPE_CHECKING:\n    from specsel.estimators import QAlpha as QAlpha"
PANDAS = "try:\n    import pandas\nexcept ImportError:\n    pandas = None"
# Other ways to break a rule, and what the rule says.
HIDDEN = [
    (upward_imports, {"qalpha.py": "import specsel\nspecsel.cli.main()"}, "imports cli"),
    (upward_imports, {"qalpha.py": "import specsel as s\ns.cli.main.main()"}, "imports cli"),
    (upward_imports, {"qalpha.py": "import specsel.linalg\nspecsel.cli.main()"}, "imports cli"),
    (upward_imports, {"qalpha.py": "import specsel\nspecsel.QAlpha(k=2)"}, "imports QAlpha"),
    (upward_imports, {"qalpha.py": "from specsel import QAlpha"}, "imports QAlpha"),
    (
        upward_imports,
        {"qalpha.py": "from specsel import QAlpha", "__init__.py": DOOR},
        "imports estimators",
    ),
    (
        strangers_in_rooms,
        {"sbs.py": "import specsel\nspecsel._loop.loop.solve()", "_loop/loop.py": ""},
        "_loop belongs to",
    ),
    (
        private_names_of_others,
        {
            "eslda.py": "from specsel import _exact\n_exact.search._run()",
            "_exact/__init__.py": "",
            "_exact/search.py": "",
        },
        "uses _run of _exact.search",
    ),
    (
        private_names_of_others,
        {"eslda.py": "import specsel\nspecsel.gslda._best()", "gslda.py": ""},
        "uses _best of gslda",
    ),
    (
        private_names_of_others,
        {"eslda.py": "from specsel import gslda\ngslda.Path._cut(1)", "gslda.py": ""},
        "uses _cut of gslda",
    ),
    (
        private_names_of_others,
        {
            "eslda.py": "def f(node):\n    return node.parent._depth",
            "gslda.py": "class Node:\n    def __init__(self):\n        self._depth = 0",
        },
        "uses _depth of gslda",
    ),
    (optional_packages, {"sbs.py": PANDAS}, "pandas may be missing"),
    (optional_packages, {"sbs.py": "class A:\n    import pandas"}, "pandas may be missing"),
    (
        optional_packages,
        {"sbs.py": "if TYPE_CHECKING:\n    pass\nelse:\n    import pandas"},
        "pandas may be missing",
    ),
    (hidden_exports, {"sbs.py": '__all__ = ["solve"]\n__all__.append("search")'}, "__all__ once"),
    (hidden_exports, {"sbs.py": '__all__ = []\n__all__ = ["search"]'}, "__all__ once"),
    (hidden_exports, {"sbs.py": '__all__: list[str] = ["search"]'}, "__all__ once"),
    (gaps_in_maps, {"_data/__init__.py": '"""Data.\n\ndense  an array\n"""'}, "line for dense"),
]


@pytest.mark.parametrize(("rule", "tree", "said"), HIDDEN)
def test_a_rule_sees_what_breaks_it_in_another_way(rule, tree, said, tmp_path):
    write(tmp_path, tree)
    (line,) = rule(tmp_path)
    assert said in line


ALLOWED_TREES = [
    (upward_imports, {"qalpha.py": "import specsel\nspecsel.__version__"}),
    (upward_imports, {"qalpha.py": "import specsel\nspecsel._runtime.jit", "linalg.py": ""}),
    (upward_imports, {"qalpha.py": "from specsel import __version__"}),
    (private_names_of_others, {"qalpha.py": "self._own()\ncls._own", "sbs.py": "_own = 1"}),
    (private_names_of_others, {"qalpha.py": "found._repr_html_()", "sbs.py": "_repr_html_ = 1"}),
    (optional_packages, {"sbs.py": "if TYPE_CHECKING:\n    import pandas"}),
    (optional_packages, {"sbs.py": "def f():\n    try:\n        import pandas\n    finally: ..."}),
    (hidden_exports, {"sbs.py": '__all__ = ["solve"]\nsorted(__all__)'}),
]


@pytest.mark.parametrize(("rule", "tree"), ALLOWED_TREES)
def test_a_rule_lets_pass_what_keeps_it(rule, tree, tmp_path):
    write(tmp_path, tree)
    assert rule(tmp_path) == []


def test_relative_imports_are_refused(tmp_path):
    (tmp_path / "qalpha.py").write_text("from . import cli", encoding="utf-8")
    with pytest.raises(ValueError, match="relative import"):
        upward_imports(tmp_path)


@pytest.mark.parametrize("mark", ["jit", "_runtime.jit", "numba.njit"])
def test_kernels_are_found_however_they_are_marked(mark, tmp_path):
    text = f"@{mark}(parallel=True)\ndef f():\n    pass\n"
    (tmp_path / "linalg.py").write_text(text, encoding="utf-8")
    assert [name for name, _ in kernels(tmp_path, parallel=True)] == ["linalg.f"]


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    from specsel import cli",
        "from specsel.cli import main",
        "import specsel.cli.main",
        "from importlib import import_module\nimport_module('specsel.cli.main')",
    ],
)
def test_lazy_imports_go_down_too(text, tmp_path):
    (tmp_path / "qalpha.py").write_text(text, encoding="utf-8")
    assert len(upward_imports(tmp_path)) == 1


def test_algorithms_import_those_alone_that_they_build_on(tmp_path):
    (tmp_path / "side_info.py").write_text("from specsel import qalpha", encoding="utf-8")
    (tmp_path / "qalpha.py").write_text("from specsel import side_info", encoding="utf-8")
    assert [line.split(": ")[1] for line in upward_imports(tmp_path)] == [
        "imports side_info, which is not below qalpha"
    ]


def test_a_changed_signature_is_a_changed_interface(tmp_path):
    text = '__all__ = ["solve"]\ndef solve(X: int, k=1) -> int: ...'
    (tmp_path / "qalpha.py").write_text(text, encoding="utf-8")
    assert interface(tmp_path) == ["specsel.qalpha.solve(X, k=1)"]
