"""Resamples and the similarities in them, dense and sparse; what they take of memory."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from oracles import bootstrap as oracle

from specsel import _validate, sbs
from specsel._bootstrap import resamples
from specsel._bootstrap.features import read_features


def test_the_example_of_the_paper():
    """Its third and fifth cosines are .907 and .944; printed are .96 and 1."""
    X = np.array([(0, 1), (2, 3), (4, 3), (3, 0), (1, 0)], float)
    rows = [[0, 0, 2, 3, 4], [0, 1, 3, 3, 4], [0, 1, 2, 1, 4], [0, 3, 4, 3, 4], [1, 1, 2, 1, 2]]
    counts = np.array([np.bincount(row, minlength=5) for row in rows], np.uint8).T
    drawn = resamples.Resamples(read_features(X, "cosine"), counts)
    pairs, values, below = next(drawn.blocks())
    assert drawn.features.estimates[0, 1] == pytest.approx(0.75, abs=5e-3)
    np.testing.assert_allclose(values[1], [0.710, 0.396, 0.907, 0.0, 0.944], atol=1e-3)
    assert (pairs[0].tolist(), pairs[1].tolist()) == ([0, 0, 1], [0, 1, 1])
    assert below.tolist() == [2.5, 3.0, 2.5]


def test_resamples_are_those_that_scipy_draws():
    expected = np.random.default_rng(3).integers(0, 70, (100, 70))
    counts = resamples.draw(np.random.default_rng(3), 70, 100)
    for b in range(100):
        assert counts[:, b].tolist() == np.bincount(expected[b], minlength=70).tolist()


def test_more_resamples_go_on_where_the_first_ended():
    whole = resamples.draw(np.random.default_rng(3), 70, 300)
    rng = np.random.default_rng(3)
    first = resamples.draw(rng, 70, 105)
    np.testing.assert_array_equal(resamples.draw(rng, 70, 300, first), whole)


def gathered(X, matrix, counts):
    """Similarities in every resample, by pairs of features, and how many are low."""
    found = {}
    for pairs, values, below in resamples.Resamples(read_features(X, matrix), counts).blocks():
        found |= dict(zip(zip(*pairs, strict=True), zip(values, below, strict=True), strict=True))
    return found


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("matrix", _validate.SIMILARITIES)
def test_all_pairs_are_compared_in_all_resamples(matrix, sparse, rng, monkeypatch):
    monkeypatch.setattr(resamples, "PAIRS", 10)
    X = rng.poisson(1.0, (30, 7)) * rng.random(7)
    rows = np.random.default_rng(5).integers(0, 30, (40, 30))
    given = scipy.sparse.csr_array(X) if sparse else X
    found = gathered(given, matrix, resamples.draw(np.random.default_rng(5), 30, 40))
    assert set(found) == {(i, j) for i in range(7) for j in range(i, 7)}
    centred = X - X.mean(axis=0) * (matrix in ("covariance", "correlation"))
    norm = np.linalg.norm(centred, axis=0)
    for (i, j), (values, below) in found.items():
        x, y = X[:, i], X[:, j]
        if matrix == "covariance":
            x, y = x / norm[i] * np.sqrt(29), y / norm[j] * np.sqrt(29)
        if matrix == "inner":
            x, y = x / norm[i], y / norm[j]
        expected = np.array([oracle.similarity(x[row], y[row], matrix) for row in rows])
        np.testing.assert_allclose(values, expected, atol=1e-12)
        estimate = oracle.similarity(x, y, matrix)
        tied = np.abs(expected - estimate) < 1e-12
        assert below == (expected[~tied] < estimate).sum() + tied.sum() / 2


def test_quantiles_are_those_of_numpy(rng):
    values = rng.standard_normal((60, 41)).round(1)
    shares = np.sort(rng.random((60, 3)), axis=1)
    shares[:5, 0], shares[5:10, 2] = 0.0, 1.0
    shares[10:15, 1] = shares[10:15, 0]
    expected = [np.quantile(row, share) for row, share in zip(values, shares, strict=True)]
    found = np.empty(shares.shape)
    resamples.quantiles(values.copy(), shares * 40, found)
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_quantiles_stay_within_the_values(rng):
    """Places that decrease by rounding, and some outside, are the nearest ones allowed."""
    values = np.tile(rng.permutation(50) * 1.0, (4, 1))
    places = np.array([[20.0, 20 - 1e-14], [-1.0, 49.0], [0.0, 60.0], [7.5, 30.0]])
    found = np.empty((4, 2))
    resamples.quantiles(values, places, found)
    np.testing.assert_allclose(found, [[20, 20], [0, 49], [0, 49], [7.5, 30]], atol=1e-12)


def test_sparse_data_stay_sparse():
    X = scipy.sparse.random_array((50_000, 100), density=0.002, random_state=0)
    sbs.intervals(X.tocsr()[:, :3], n_boot=100, random_state=0)
    tracemalloc.start()
    sbs.intervals(X, n_boot=100, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.75 * 8 * 50_000 * 100


def test_memory_is_that_of_the_matrices_and_a_block():
    X = np.random.default_rng(0).standard_normal((50, 400))
    tracemalloc.start()
    sbs.intervals(X, matrix="correlation", n_boot=400, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    values = 400 * 401 // 2 * 400 * 8
    assert peak < 0.1 * values
