"""What a cell holds: a number, nothing, or other text."""

import math

import pytest

from specsel.cli import cells


@pytest.mark.parametrize(
    ("cell", "decimal", "value"),
    [
        ("1.5", ".", 1.5),
        (" -1e3 ", ".", -1000.0),
        ("1,5", ",", 1.5),
        ("1.5", ",", None),
        ("1,5", ".", None),
        ("1_000", ".", None),
        ("TRUE", ".", 1.0),
        ("x", ".", None),
    ],
)
def test_numbers(cell, decimal, value):
    assert cells.number(cell, decimal) == value
    assert cells.numbers([cell, "2"], decimal) == [value, 2.0]


@pytest.mark.parametrize("cell", ["", " ", "NA", "n/a", "?", "-", "nan", "None"])
def test_nothing(cell):
    assert math.isnan(cells.number(cell))
    assert cells.fault(cell, ".") is None


def test_faults_say_what_to_do():
    assert cells.fault("1,5", ".") == "'1,5' is not a number; --decimal , reads it as one"
    assert cells.fault("1.5", ",") == "'1.5' is not a number; --decimal . reads it as one"
    assert cells.fault("1.234,5", ",").endswith("; write numbers without a mark between thousands")
    assert cells.fault("1e999", ".") == "'1e999' is not finite"
    assert cells.fault("7 kg", ".") == "'7 kg' is not a number"
    assert cells.fault("7", ".") is None
