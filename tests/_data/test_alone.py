"""Passes by one thread alone: none is woken, and the bits are those of all threads."""

import threading

import numpy as np
import pytest

from specsel import _data
from specsel._data import passes, row_passes
from specsel._runtime import is_serial, serial


def test_it_holds_for_one_thread_and_ends():
    seen = []
    with serial():
        with serial():
            assert is_serial()
        other = threading.Thread(target=lambda: seen.append(is_serial()))
        other.start()
        other.join()
        assert is_serial()
    assert not is_serial()
    assert seen == [False]


@pytest.mark.parametrize("order", ["C", "F"])
def test_passes_alone_give_the_same_numbers(order, rng, monkeypatch):
    X = np.array(rng.standard_normal((20, 900)), order=order)
    data, Q = _data.read(X), rng.standard_normal((20, 3))
    wanted = [*data.fused(Q, Q), data.norm]
    monkeypatch.setattr(passes, "_sweep", None)
    with serial():
        alike = _data.read(X)
        found = [*alike.fused(Q, Q), alike.norm]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-14 * np.abs(other).max())


def test_passes_over_samples_alone_give_the_same_bits(rng, monkeypatch):
    block, middle = rng.standard_normal((50, 9)), rng.standard_normal(9)
    frame, coefficients = rng.standard_normal((50, 3)), rng.standard_normal((2, 3, 9))

    def run():
        out, image = np.zeros((4, 2, 3, 9)), np.empty((50, 3))
        row_passes.score(block, middle, 2, frame, out)
        row_passes.combine(block, middle, coefficients, image)
        return out, image

    wanted = run()
    monkeypatch.setattr(row_passes, "scores", None)
    monkeypatch.setattr(row_passes, "images", None)
    with serial():
        found = run()
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
