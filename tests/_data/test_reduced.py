"""Tall data and what replaces them."""

import tracemalloc

import numpy as np
import pytest
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


@pytest.mark.parametrize("shape", [(50, 3), (5, 5), (5, 8), (1, 1)])
def test_signed_qr(shape, rng):
    columns = rng.standard_normal(shape)
    given = columns.copy()
    frame, triangle = _data.signed_qr(columns)
    np.testing.assert_array_equal(columns, given)
    np.testing.assert_allclose(frame @ triangle, columns, atol=1e-13)
    np.testing.assert_allclose(frame.T @ frame, np.eye(frame.shape[1]), atol=1e-13)
    assert (triangle.diagonal() >= 0).all()
    np.testing.assert_array_equal(np.tril(triangle, -1), 0)


def test_qr_takes_the_place_of_columns_that_may_be_overwritten(rng):
    columns = np.asfortranarray(rng.standard_normal((50, 3)))
    wanted = _data.signed_qr(columns)[0]
    frame = _data.signed_qr(columns, overwrite=True)[0]
    assert np.shares_memory(frame, columns)
    np.testing.assert_array_equal(frame, wanted)


@pytest.mark.parametrize("n_samples", [100_000, 200_000])
def test_a_basis_of_all_samples_is_lifted_without_copies(n_samples, rng):
    """It may be larger than the blocks, of which the second one has several."""
    small, _, lift = _data.read(rng.standard_normal((n_samples, 8))).reduced()
    basis = np.linalg.qr(rng.standard_normal((small.n_samples, 8)))[0]
    lift(basis)
    tracemalloc.start()
    lifted = lift(basis)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(lifted.T @ lifted, np.eye(8), atol=1e-12)
    assert peak < 1.7 * lifted.nbytes


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
