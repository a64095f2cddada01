"""Scaled features, dense and sparse: what is stored, what is centred, what it takes of memory."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from specsel import _data, _validate
from specsel._bootstrap import features


@pytest.fixture
def X(rng):
    """Counts of words: the second feature is constant and the last one far from zero."""
    X = rng.poisson(0.3, (30, 5)) * 1.0
    X[:, 1], X[:, 4] = 2.0, 100 + rng.random(30)
    return X


@pytest.mark.filterwarnings("ignore:1 of 5 features is constant")
@pytest.mark.parametrize("matrix", _validate.SIMILARITIES)
def test_dense_and_sparse_features_are_the_same(matrix, X):
    dense = features.read_features(X, matrix)
    sparse = features.read_features(scipy.sparse.csr_array(X), matrix)
    assert dense.kept.tolist() == [True, matrix in ("cosine", "inner"), True, True, True]
    for name in ("mean", "norm", "kept", "estimates"):
        np.testing.assert_allclose(getattr(sparse, name), getattr(dense, name), atol=1e-12)
    norm = np.linalg.norm(X - dense.mean, axis=0)[dense.kept]
    np.testing.assert_allclose(dense.norm[dense.kept], norm)
    expected = ((X - dense.mean) / dense.norm.clip(1e-300))[:, dense.kept]
    np.testing.assert_allclose(dense.estimates, expected.T @ expected, atol=1e-12)


def test_blocks_are_parts_of_the_scaled_features(X):
    some, samples = np.array([1, 2, 4]), np.array([3, 4, 9])
    expected = (X / np.linalg.norm(X, axis=0))[np.ix_(samples, some)].T
    for given in (X, scipy.sparse.csr_array(X)):
        found = features.read_features(given, "cosine")
        np.testing.assert_allclose(found.block(some, samples), expected, atol=1e-15)
        assert (
            found.used(np.array([0, 3])).tolist() == np.flatnonzero(X[:, [0, 3]].any(1)).tolist()
        )


def test_a_feature_that_is_constant_in_some_samples_has_factor_zero(X):
    found = features.read_features(X, "cosine")
    squares, whole = np.array([4.0, 1e-14, 0.0]), np.ones(3)
    assert found.factors(squares, np.zeros(3), 5, whole).tolist() == [0.5, 0.0, 0.0]
    found = features.read_features(X[:, [0, 2]], "covariance")
    assert found.factors(squares, np.zeros(3), 5, whole).tolist() == [1.0, 1.0, 1.0]


def test_neighbours_are_selected_by_a_slice():
    assert features.as_slice(np.array([3, 4, 5])) == slice(3, 6)
    assert features.as_slice(np.array([3, 5])).tolist() == [3, 5]


def test_a_feature_far_from_zero_is_mostly_stored(rng):
    """So storing the rest of it takes at most as much again."""
    far = 0
    for _ in range(200):
        x = rng.gamma(rng.choice([0.1, 1, 100]), size=50) * (rng.random(50) < rng.random())
        x -= rng.choice([0, 0, 1]) * (x != 0)
        mean, norm = np.array([x.mean()]), np.array([np.linalg.norm(x - x.mean())])
        if norm > 0 and _data.far_from_zero(mean, norm, 50):
            far += 1
            assert np.count_nonzero(x) > 25
    assert 50 < far < 150


def test_only_what_is_far_from_zero_is_centred(rng):
    X = rng.poisson(0.3, (50, 4)) * 1.0
    X[:, [1, 2]] += [100, 1000]
    X[4, 2] = 0
    found = features.read_features(scipy.sparse.csr_array(X), "covariance")
    assert np.diff(found.scaled.indptr).tolist() == [
        np.count_nonzero(X[:, 0]), 50, 50, np.count_nonzero(X[:, 3])
    ]  # fmt: skip
    deviation = np.linalg.norm(X - X.mean(axis=0), axis=0)
    expected = (X - [0, X[:, 1].mean(), X[:, 2].mean(), 0]) / deviation
    np.testing.assert_allclose(found.scaled.toarray(), expected, atol=1e-12)


def test_data_are_neither_changed_nor_copied_twice(rng):
    X = rng.random((4000, 200))
    for given in (X, scipy.sparse.csc_array(X), scipy.sparse.csr_array(X)):
        before = given.copy()
        features.read_features(given, "correlation")
        tracemalloc.start()
        found = features.read_features(given, "correlation")
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert abs(given - before).max() == 0
        if isinstance(found, features.DenseFeatures):
            assert kept < 1.2 * X.nbytes
            assert peak < 1.5 * X.nbytes
