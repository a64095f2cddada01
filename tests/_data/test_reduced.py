"""Tall data and what replaces them."""

import numpy as np
from oracles import weighing as oracle

from specsel import _data


def test_tall_data_keep_their_inner_products(rng):
    X = rng.standard_normal((9000, 6)) @ rng.standard_normal((6, 6)) + 3
    X[:, 5] = X[:, 4]  # a duplicate: no Cholesky factor
    data = _data.read(X)
    small, restrict, lift = data.reduced()
    M = oracle.standardise(X)
    assert (small.n_samples, small.n_features) == (6, 6)
    np.testing.assert_allclose(small.features @ small.features.T, M @ M.T, atol=1e-12)
    Q = np.linalg.qr(rng.standard_normal((9000, 2)))[0]
    np.testing.assert_allclose(small.features @ restrict(Q), M @ Q, atol=1e-12)
    inside = np.linalg.qr(M.T @ rng.standard_normal((6, 2)))[0]
    np.testing.assert_allclose(lift(restrict(inside)), inside, atol=1e-11)
    assert data.passes == 5


def test_lifted_bases_are_orthonormal_without_full_rank(rng):
    X = np.repeat(rng.standard_normal((500, 8)), 2, axis=1)
    _, _, lift = _data.read(X).reduced()
    basis = lift(np.linalg.qr(rng.standard_normal((16, 10)))[0])
    np.testing.assert_allclose(basis.T @ basis, np.eye(10), atol=1e-12)


def test_triangular_factor_of_stacked_rows(rng):
    rows = rng.standard_normal((50, 7))
    factor = _data.triangular_factor(rows[i : i + 9] for i in range(0, 50, 9))
    assert factor.shape == (7, 7)
    np.testing.assert_allclose(factor.T @ factor, rows.T @ rows, atol=1e-12)


def test_marked_samples_alone_are_reduced(rng):
    X = rng.standard_normal((60, 4))
    members = np.arange(60) % 3 == 0
    small, restrict, _ = _data.read(X).reduced(members)
    M = oracle.standardise(X)[:, members]
    np.testing.assert_allclose(small.features @ small.features.T, M @ M.T, atol=1e-12)
    Q = rng.standard_normal((20, 2))
    np.testing.assert_allclose(small.features @ restrict(Q), M @ Q, atol=1e-12)
