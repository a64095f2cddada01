"""The table of speeds, and its place in the README."""

import re
from importlib import import_module

import pytest


def test_the_table_says_where_it_was_measured():
    speeds = import_module("speeds")
    text = speeds.table([("qalpha.solve(X, k=2)", speeds.noise, (20, 30))], repeats=1)
    *explanation, first, _, head, _, line = text.splitlines()
    assert explanation == speeds.EXPLANATION.splitlines()
    assert re.match(r"Measured on \d{4}-\d\d-\d\d: .+ threads, Python .+, specsel .+ numpy", first)
    assert head == "| call | data | best time | reads of X |"
    assert re.fullmatch(r"\| `qalpha.solve\(X, k=2\)` \| noise 20 × 30 \| .+ s \| \d+ \|", line)


@pytest.mark.parametrize("make", ["genes", "noise"])
def test_calls_find_what_they_name(make):
    speeds = import_module("speeds")
    names = getattr(speeds, make)(20, 30)
    assert names["X"].shape == (20, 30)
    assert len(names["y"]) == 20


def test_the_readme_has_a_place_for_the_table():
    speeds = import_module("speeds")
    text = speeds.README.read_text("utf-8")
    once = speeds.inserted(text, "| a |")
    assert speeds.inserted(once, "| a |") == once
    assert once.count("| a |") == 1
    assert speeds.inserted(once, "| b |") == once.replace("| a |", "| b |")


def test_a_text_without_markers_is_refused():
    with pytest.raises(ValueError, match="to write between"):
        import_module("speeds").inserted("text", "| a |")


def test_every_public_algorithm_is_in_the_table():
    speeds = import_module("speeds")
    called = {call.split(".")[0] for call, _, _ in speeds.ROWS}
    algorithms = {path.stem for path in speeds.README.parent.glob("specsel/[a-z]*.py")}
    assert algorithms - called == {"evidence", "linalg", "positivity"}
