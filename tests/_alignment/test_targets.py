"""The relevance of every feature to a target, by its definition."""

import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

from specsel import _data
from specsel._alignment import targets


def relevance(X, kind, matrix):
    data = _data.read(X)
    return data.rows(0, len(X)), targets.relevance_to(data, kind, matrix, np.ones(X.shape[1]))


@pytest.mark.parametrize("wrap", [np.asarray, aslinearoperator])
def test_a_target_of_the_user_is_taken_as_it_is(rng, wrap, monkeypatch):
    monkeypatch.setattr(targets, "BLOCK_NUMBERS", 100)  # several blocks
    X, T = rng.standard_normal((20, 30)), rng.standard_normal((20, 20))
    T = T + T.T
    M, found = relevance(X, "given", wrap(T))
    np.testing.assert_allclose(found, np.diag(M.T @ T @ M), atol=1e-12)


def test_of_neighbours_the_median_is_subtracted(rng):
    X, T = rng.standard_normal((20, 30)), np.eye(20, k=1) + np.eye(20, k=-1)
    M, found = relevance(X, "neighbours", T)
    t = np.diag(M.T @ T @ M)
    np.testing.assert_allclose(found, t - np.median(t), atol=1e-12)


def test_of_classes_the_mean_for_noise_is_subtracted(rng):
    X, y = rng.standard_normal((21, 400)), np.arange(21) % 3
    M, found = relevance(X, "classes", y)
    P = (y[:, None] == y) / 7
    np.testing.assert_allclose(found, np.diag(M.T @ P @ M) - 2 / 20, atol=1e-12)
    assert abs(found.mean()) < 0.02
