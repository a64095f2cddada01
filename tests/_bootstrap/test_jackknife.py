"""Accelerations against leaving out one sample after the other."""

import numpy as np
import pytest
import scipy.sparse
from oracles import bootstrap as oracle

from specsel import _validate
from specsel._bootstrap.features import read_features

PAIRS = np.triu_indices(6)
DIFFERENT = PAIRS[0] != PAIRS[1]


def accelerations(X, matrix):
    """The definition; not a number where no sample makes a difference."""
    keep, found = ~np.eye(len(X), dtype=bool), []
    for i, j in zip(*PAIRS, strict=True):
        u = np.array([oracle.similarity(X[rest, i], X[rest, j], matrix) for rest in keep])
        u = u.mean() - u
        found.append((u**3).sum() / (6 * (u**2).sum() ** 1.5) if np.ptp(u) > 1e-14 else np.nan)
    return np.array(found)


def both(X, matrix):
    for given in (X, scipy.sparse.csr_array(X)):
        yield read_features(given, matrix).accelerations(PAIRS)


@pytest.mark.parametrize("far", [0, 1e4])
@pytest.mark.parametrize("matrix", _validate.SIMILARITIES)
def test_accelerations_are_those_of_the_definition(matrix, far, rng):
    X = rng.poisson(1.0, (50, 6)) * rng.gamma(1.0, size=(50, 6))
    X[:, 3:] += far
    expected = accelerations(X, matrix)
    differs = np.isfinite(expected)
    assert differs[DIFFERENT & (PAIRS[0] < 3)].all()
    for found in both(X, matrix):
        np.testing.assert_allclose(found[differs], expected[differs], rtol=1e-6)
        assert not found[~differs].any()


@pytest.mark.parametrize("matrix", _validate.SIMILARITIES)
def test_what_varies_by_rounding_only_is_not_skew(matrix, rng):
    """A feature with itself and with a multiple; plus and minus one as often."""
    X = np.empty((60, 6))
    X[:, :2] = rng.random((60, 1)) * [1, 0.3]
    X[:, 2:4] = rng.permutation(np.repeat([-1.0, 1.0], 30))[:, None] * [1, 0.3]
    X[:, 4:] = np.isin(np.arange(60), [4, 30, 59])[:, None] * [1, 0.3]
    for found in both(X, matrix):
        alike = PAIRS[0] // 2 == PAIRS[1] // 2
        if matrix in ("covariance", "inner"):
            alike &= PAIRS[0] // 2 == 1
        np.testing.assert_array_equal(found[alike], 0)
        assert (found[~alike] != 0).any()


def test_an_outlier_does_not_pass_for_rounding(rng):
    """Without it the correlation is another one."""
    X = rng.standard_normal((60, 6))
    X[7] *= 1e6
    expected = accelerations(X, "correlation")
    for found in both(X, "correlation"):
        np.testing.assert_allclose(found[DIFFERENT], expected[DIFFERENT], rtol=1e-3)
        assert not found[~DIFFERENT].any()
