"""Means, norms, medians and ranks of sparse columns, whatever their band."""

import numpy as np
import pytest
from oracles import weighing as oracle
from scipy import sparse

from specsel import _data
from specsel._data import sparse_measures, stored
from specsel._data.stored import Stored


@pytest.fixture(params=[sparse.csc_array, sparse.csr_array])
def form(request, monkeypatch):
    monkeypatch.setattr(stored, "BAND", 20)
    return request.param


def ties(rng):
    X = np.where(rng.random((31, 14)) < 0.5, np.round(2 * rng.standard_normal((31, 14))), 0.0)
    X[:, 3], X[:, 4], X[:, 5] = 2.0, np.abs(X[:, 4]) + 1, -np.abs(X[:, 5])
    return X


@pytest.mark.parametrize("center", [True, False])
def test_means_and_norms(form, center, rng):
    X = ties(rng)
    found = sparse_measures.measure(Stored(form(X)), center=center)
    np.testing.assert_allclose(found, _data.moments(X, center=center), atol=1e-12)


@pytest.mark.parametrize("fraction", [0.0, 0.5])
def test_minima_and_medians(form, fraction, rng):
    X = ties(rng)[:30]
    found = sparse_measures.middles(Stored(form(X)), fraction)
    np.testing.assert_array_equal(found, np.quantile(X, fraction, axis=0))
    norms = sparse_measures.part_norms(Stored(form(X)), found, 1)
    np.testing.assert_allclose(norms[0], np.linalg.norm(X - found, axis=0))


def test_ranks(form, rng):
    from scipy.stats import rankdata

    X = ties(rng)
    ranked, absent = sparse_measures.ranked(Stored(form(X)))
    np.testing.assert_array_equal(ranked.matrix.toarray() + absent, rankdata(X, axis=0))
    M = oracle.represent(X, "ranks")
    assert M.shape == (14, 31)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_full_columns_far_from_zero_are_shifted(form, kind, rng):
    X = rng.standard_normal((50, 6)).astype(kind)
    X[:, 1] += 2.0**20
    X[:, 2] = 2.0**20  # constant
    X[:, 3] = np.where(rng.random(50) < 0.5, 2.0**20, 0)  # not full
    X[:, 4] += 10  # not far
    given = Stored.of(form(X))
    before = given.matrix.data.copy()
    middle, norm = sparse_measures.measure(given, center=True)
    stored, rest = sparse_measures.near_zero(given, middle, norm[None])
    assert np.flatnonzero(stored.offsets).tolist() == [1]
    np.testing.assert_array_equal(stored.offsets + rest, middle)
    np.testing.assert_array_equal(
        stored.matrix.toarray(), X.astype(float) - np.where(np.arange(6) == 1, middle, 0.0)
    )
    np.testing.assert_array_equal(given.matrix.data, before)
    assert np.shares_memory(stored.matrix.indices, given.matrix.indices)
    near = Stored.of(form(X[:, [0, 2, 3, 4]]))
    middle, norm = sparse_measures.measure(near, center=True)
    assert sparse_measures.near_zero(near, middle, norm[None])[0] is near


def test_means_of_full_columns_lose_no_digits(rng):
    X = 1e8 + rng.random((100_000, 1))
    mean, norm = sparse_measures.measure(Stored.of(sparse.csc_array(X)), center=True)
    assert mean[0] - 1e8 == pytest.approx((X - 1e8).mean(), abs=3e-8)
    assert norm[0] == pytest.approx(np.linalg.norm(X - X.mean()), rel=1e-12)
