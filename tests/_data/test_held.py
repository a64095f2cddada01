"""Tall arrays in memory: blocks of samples, which all threads share."""

from dataclasses import replace

import numpy as np
import pytest

from specsel import _data, qalpha
from specsel._data import held
from specsel._data.samples import BySample


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(held, "SAMPLES", 100)
    monkeypatch.setattr(held, "STEP", 32)


def clusters(rng, dtype=float):
    X = rng.standard_normal((150, 9)).astype(dtype)
    X[:75, :3] += 4
    return X


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.usefixtures("small")
def test_the_number_of_threads_changes_no_bit(dtype, rng, set_threads):
    X, Q, found = clusters(rng, dtype), rng.standard_normal((150, 3)), []
    for threads in (1, 2):
        set_threads(threads)
        data = _data.read(X)
        assert type(data) is BySample
        small = data.reduced()
        found.append([data.norm, *data.fused(Q, Q), small.data.rows(0, 9), small.lift(np.eye(9))])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("small")
def test_blocks_are_views(rng):
    X = clusters(rng)
    data = _data.read(X)
    assert np.shares_memory(data.source.block(slice(0, 32)), X)
    assert X.flags.writeable


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("copies", [0, 1e-9, 1e-2])
def test_features_that_are_nearly_copies_are_reduced_by_triangular_factors(
    copies, rng, monkeypatch
):
    X = clusters(rng)
    X[:, 8] = X[:, 7] + copies * X[:, 8]
    data = _data.read(X)
    before = data.passes
    data.reduced()
    assert data.passes - before == (2 if copies < 1e-3 else 1)
    found = qalpha.solve(X, 2)
    monkeypatch.setattr(held, "SAMPLES", 10**9)
    np.testing.assert_allclose(found.alpha, qalpha.solve(X, 2).alpha, atol=1e-9)


def test_features_are_divided_by_powers_of_their_own(rng):
    X, powers = rng.standard_normal((12, 10)), np.arange(10) - 4
    source = replace(held.Held.of_rows(X), exponents=powers)
    np.testing.assert_array_equal(
        source.read(slice(2, 7), slice(3, 9)), (X / 2.0**powers)[2:7, 3:9]
    )


def test_what_is_tall():
    assert held.is_blockwise(np.empty((2**17, 2)))
    assert not held.is_blockwise(np.empty((2**17 - 1, 2)))
    assert not held.is_blockwise(np.broadcast_to(0.0, (2**17, 2**10)))
