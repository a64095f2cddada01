"""What to cite: the papers that the modules name, as BibTeX and as JSON."""

import json
import re
from importlib import import_module

import pytest

import specsel
from specsel.cli import citations
from specsel.cli import main as cli

METHODS = sorted({method for paper in citations.PAPERS for method in paper.methods})
# Modules whose method no paper describes.
OUR_OWN = {"evidence"}


def test_every_module_of_a_method_names_its_papers():
    for paper in citations.PAPERS:
        surnames = re.findall(r"(\w+), \w+", paper.fields["author"])
        for method in paper.methods:
            text = import_module(f"specsel.{method}").__doc__
            assert all(surname in text for surname in surnames), (method, paper.key)


def test_every_method_has_a_paper():
    public = {name for name in specsel.__all__ if name.islower()} - {"datasets", "plotting"}
    assert public - OUR_OWN == {*METHODS}


def test_bibtex_has_an_entry_for_the_package_and_for_every_paper(capsys):
    assert cli.main(["info", "--cite"]) == 0
    out = capsys.readouterr().out
    keys = re.findall(r"^@\w+\{(\w+),$", out, flags=re.MULTILINE)
    assert keys == ["specsel", *(paper.key for paper in citations.PAPERS)]
    assert f"version {specsel.__version__}" in out
    assert "% the package, alignment, evidence\n@misc{specsel," in out
    assert "sparse {LDA}}" in out
    assert out.count("{") == out.count("}")


@pytest.mark.parametrize("paper", citations.PAPERS, ids=lambda paper: paper.key)
def test_json_has_the_same_facts(capsys, paper):
    assert cli.main(["info", "--cite", "--json"]) == 0
    records = {one["key"]: one for one in json.loads(capsys.readouterr().out)["citations"]}
    found = records[paper.key]
    assert found["methods"] == [*paper.methods]
    assert {name: found[name] for name in paper.fields} == paper.fields
