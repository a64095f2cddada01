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
