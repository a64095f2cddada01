"""The tables of selection, and their places in the README."""

from importlib import import_module

import pytest

from specsel.papers import classification, selection


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(selection, "planted", lambda: {"a": PLANTED, "b": PLANTED})
    monkeypatch.setattr(classification, "METHODS", dict(classification.METHODS))


PLANTED = {"alignment": [50.0, 51.0], "qalpha": [100.0], "variance": [3.0], "random": [4.0]}


@pytest.mark.usefixtures("few")
def test_scores_without_labels():
    selections = import_module("selections")
    head, _, *lines = selections.without_labels(["iris"], resamples=1, draws=1)
    assert head.startswith("| selected by | mean of 1 sets | better than random on | relevant, ")
    found = selection.scores_on(*selection.load("iris"), 1, 1)
    names = ["`alignment`", "Q-α (largest weights)", "variance", "random", "all features"]
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines] == names
    mean = sum(found["alignment"]) / len(found["alignment"])
    assert lines[0].split(" | ")[1] == f"{mean:.1f}"
    assert lines[0].endswith("| 50 % | 50 % |")
    assert all(line.endswith("| | 4 % | 4 % |") for line in lines[3:])


@pytest.mark.usefixtures("few")
def test_gains_with_labels(monkeypatch):
    selections = import_module("selections")
    monkeypatch.setattr(selections.peers, "installed", lambda name: False)
    old = ["| fastcan | 12–2 | +1.6 |", "| F test | 0–99 | -1.0 |"]
    _, _, *lines = selections.with_labels(["wine"], old, seeds=1)
    assert [line.split(" | ")[0] for line in lines] == [
        "| F test",
        "| recursive elimination (RFE)",
        "| `supervised`",
        "| random",
        "| fastcan",
    ]
    assert lines[-1] == old[0]
    assert "99" not in lines[0]


@pytest.mark.parametrize("which", ["without labels", "with labels"])
def test_the_readme_has_a_place_for_each(which):
    selections = import_module("selections")
    text = selections.README.read_text("utf-8")
    once = selections.inserted(text, "| a |", *selections.markers(which))
    assert once.count("| a |") == 1
    assert once.count("selections.py wrote this") == 2
