"""Published numbers: each has its place in a paper, and the experiments quote no others."""

import ast
from pathlib import Path

import pytest

from specsel import papers
from specsel.papers import facts, report

ROOM = Path(papers.__file__).parent
TABLES = {
    name: table
    for name, table in vars(facts).items()
    if isinstance(table, dict) and name.isupper()
}


def every_fact():
    found = [fact for table in TABLES.values() for fact in table.values()]
    found += [value for value in vars(facts).values() if isinstance(value, facts.Fact)]
    return found + [fact for case in facts.STABLE for fact in (case.removed, case.dimension)]


def test_every_fact_has_its_place_in_a_paper():
    known = (facts.QALPHA, facts.SIDE, facts.WEIGHTING, facts.LDA, facts.STABILITY)
    for fact in every_fact():
        if fact is not facts.NONE:
            assert fact.value
            assert fact.where.startswith(known), fact
            assert any(word in fact.where for word in ("Table", "Fig.", "Sec.", "Theorem")), fact


# The tables of the papers, by their sums: a number that is changed by mistake is seen.
SUMS = {"GENES": 1849, "FACES": 620.1}


@pytest.mark.parametrize("name", SUMS)
def test_the_tables_are_those_of_the_papers(name):
    total = sum(float(fact.value) for fact in TABLES[name].values())
    assert total == pytest.approx(SUMS[name])


def test_no_experiment_makes_up_a_published_number():
    """The third argument of `report.row` is a fact, never a number or a text."""
    for path in ROOM.glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "report.row":
                given = [*call.args[2:3], *[k.value for k in call.keywords if k.arg == "fact"]]
                assert not any(isinstance(one, ast.Constant) for one in given), path


def test_a_row_tells_where_its_published_number_stands():
    row = report.row("errors", [1, 2, 3], facts.TOPOGRAPHY)
    assert (row.published, row.where) == facts.TOPOGRAPHY
    assert report.row("errors", [1, 2, 3]).where == ""
