"""Scaled features, dense and sparse: what is stored, what is centred, what it takes of memory."""

import tracemalloc

import numpy as np
import scipy.sparse

from specsel import _data
from specsel._bootstrap import features


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
