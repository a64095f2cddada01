"""The inner loops over stored numbers against their definitions."""

import numpy as np
import pytest
from numba import TypingError

from specsel._data import lanes
from specsel._data.lanes import LANES, rows_of_lanes
from specsel._runtime import jit


@jit
def gathered(values, places, first, last, table, row, out):
    lanes.store(out, 2, lanes.gather(values, places, first, last, table, row))


@jit
def scattered(values, places, first, last, factors, table, row):
    lanes.scatter(values, places, first, last, lanes.load(factors, 1), table, row)


@jit
def combined(one, other, number, out):
    """``number one + one other`` goes to `out`, and the sum of all its lanes is returned."""
    row = lanes.load(one, 3)
    both = lanes.plus(lanes.times(number, row), lanes.times(row, lanes.load(other, 0)))
    lanes.store(out, 1, both)
    return lanes.total(both)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_inner_loops(kind, index, rng):
    values, places = rng.standard_normal(9).astype(kind), rng.integers(0, 5, 9).astype(index)
    table, out, factors = rng.random((3, 5, LANES)), np.zeros(11), rng.random(10)
    before = table.copy()
    gathered(values, places, 2, 7, table, 5, out)
    np.testing.assert_allclose(out[2:10], values[2:7] @ table[1, places[2:7]], rtol=1e-13)
    assert out[[0, 1, 10]].tolist() == [0, 0, 0]
    scattered(values, places, 3, 9, factors, table, 10)
    np.add.at(before[2], places[3:9], values[3:9, None] * factors[1:9])
    np.testing.assert_allclose(table, before, rtol=1e-13)
    gathered(values, places, 4, 4, table, 0, out)
    assert not out.any()


def test_lanes_are_added_and_multiplied_one_by_one(rng):
    one, other, out = rng.random(11), rng.random(8), np.zeros(10)
    found = combined(one, other, 1.5, out)
    wanted = (1.5 + other) * one[3:]
    np.testing.assert_allclose(out, [0, *wanted, 0], rtol=1e-14)
    assert found == pytest.approx(wanted.sum(), rel=1e-14)


def test_no_row_of_lanes_straddles_two_lines_of_memory():
    assert rows_of_lanes(2, 0).shape == (2, 0, LANES)
    for shape in [(3,), (2, 5), (1, 3, 4)] * 3:
        rows = rows_of_lanes(*shape)
        assert rows.shape == (*shape, LANES)
        assert rows.ctypes.data % 64 == 0
        assert rows.flags["C_CONTIGUOUS"]
        assert not rows.any()


def test_numbers_that_do_not_lie_together_are_refused():
    with pytest.raises(TypingError):
        combined(np.zeros(22)[::2], np.zeros(8), 1.0, np.zeros(10))
    table, out = rows_of_lanes(4), np.zeros(12)
    for values, places in ((np.zeros(6)[::2], np.arange(3)), (np.zeros(3), np.arange(6)[::2])):
        with pytest.raises(TypingError):
            gathered(values, places, 0, 3, table, 0, out)
        with pytest.raises(TypingError):
            scattered(values, places, 0, 3, out, table, 0)
