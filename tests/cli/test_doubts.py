"""Columns that may be no measurements are named in a warning."""

import numpy as np
import pytest
from commands import X, run, table

from specsel.cli import doubts

NOISE = np.random.default_rng(0).normal(size=(40, 12))
NAMES = [f"f{i}" for i in range(13)]


@pytest.mark.parametrize(
    "column", [np.arange(40), 1000 - np.arange(40), np.cumsum(1 + np.arange(40) % 3)]
)
def test_identifiers(column):
    (told,) = doubts.warnings(np.column_stack([NOISE, column]), NAMES)
    assert told.startswith("column 'f12': distinct whole numbers in order")


@pytest.mark.parametrize("levels", [3, 7, 12])
def test_categories_among_measurements(levels):
    (told,) = doubts.warnings(np.column_stack([NOISE, np.arange(40) % levels]), None)
    assert told.startswith("column 12: few whole numbers")


@pytest.mark.parametrize(
    "column",
    [
        np.arange(40) + 0.5,
        np.arange(40) % 2,  # a flag
        np.arange(40) * 7 % 40,
        np.r_[np.arange(39), 3],
        np.linspace(0, 1, 40),
    ],
)
def test_other_columns_are_not_named(column):
    assert doubts.warnings(np.column_stack([NOISE, column]), NAMES) == []


def test_counts_are_not_named_nor_small_tables():
    counts = np.random.default_rng(0).poisson(2.0, (40, 9)).astype(float)
    assert doubts.warnings(counts, None) == []
    assert doubts.warnings(np.arange(8.0).reshape(8, 1), None) == []
    assert doubts.warnings(NOISE[0], None) == []


def test_the_command_warns_in_one_line(capsys, write):
    data = np.column_stack([np.arange(len(X)), X])
    header = ["id", *[f"gene {i}" for i in range(X.shape[1])]]
    path = write("data.csv", table(data, header))
    for command in (["select"], ["path", "--max-size", "2"], ["stable", "--n-boot", "100"]):
        _, out, err = run(capsys, *command, path)
        assert out
        assert err.startswith(f"specsel: warning: {path}: column 'id': distinct whole numbers")
        assert err.count("\n") == 1
    assert run(capsys, "select", path, "--index", "id")[2] == ""
