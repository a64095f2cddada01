"""What `select` says last: the evidence, by the definition, or how to ask for it."""

import json

import numpy as np
import pytest
from commands import run

from specsel import datasets, evidence


def told(capsys, *arguments):
    code, out, _ = run(capsys, "select", *arguments, "--json")
    assert code in (0, 1)
    return json.loads(out)["evidence"]


def last_line(capsys, *arguments):
    _, out, _ = run(capsys, "select", *arguments)
    return out.splitlines()[-1]


def test_the_example_has_more_in_common_than_chance(capsys):
    line = last_line(capsys, "-k", "3")
    assert line.startswith("more in common than chance: p = 0.05; objective 3.15")
    assert line.endswith("in 19 shuffles of the columns")


def test_what_is_told_is_what_python_gives(capsys):
    found = evidence.solve(datasets.example().X, 3, n=25, random_state=4)
    shown = told(capsys, "-k", "3", "--permutations", "25", "--seed", "4")
    assert shown["p_value"] == found.p_value
    assert shown["null"] == found.null.tolist()
    assert shown["beyond_chance"] == found.beyond_chance.tolist()


def test_noise_has_no_more_than_chance(capsys, tmp_path):
    path = tmp_path / "noise.npy"
    np.save(path, np.random.default_rng(3).standard_normal((40, 30)))
    assert last_line(capsys, path, "-k", "2").startswith("no more in common than chance")


@pytest.mark.parametrize("method", ["supervised", "weighting", "kernel"])
def test_methods_that_can_be_compared(capsys, method):
    k = ["-k", "2"] if method == "kernel" else []
    shown = told(capsys, "--method", method, *k, "--permutations", "3")
    assert len(shown["null"]) == 3
    assert shown["shuffled"] == ("labels" if method == "supervised" else "columns")


def test_others_say_how_to_see_what_chance_finds(capsys):
    line = last_line(capsys, "--method", "topography")
    assert line == "is this more than chance? compare the objective with that of --shuffle"
    assert told(capsys, "--method", "topography") is None


def test_none_if_nobody_wants_it(capsys):
    assert told(capsys, "--permutations", "0") is None
    assert last_line(capsys, "--permutations", "0").endswith("--permutations 99 tells")


def test_large_data_wait_until_they_are_asked(capsys, monkeypatch):
    monkeypatch.setattr("specsel.cli.select.QUICK_WORK", 100)
    assert told(capsys, "-k", "3") is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--permutations", "-1"], "--permutations -1: must be at least 0"),
        (
            ["--permutations", "9", "--method", "topography"],
            "--permutations: is for --method",
        ),
        (["--permutations", "9", "--shuffle"], "leave --shuffle out"),
        (["--permutations", "9", "--method", "kernel"], "needs a number for -k"),
    ],
)
def test_what_cannot_be_is_refused(capsys, arguments, message):
    code, _, err = run(capsys, "select", *arguments)
    assert code == 2
    assert message in err
