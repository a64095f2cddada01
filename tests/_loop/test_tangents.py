"""Rows of tangents, in plain and in bent spaces."""

import numpy as np
import pytest
from tangent_spaces import BESIDE, SIZE, D, K, matrices, rows_at, space_of

from specsel._loop import tangents


@pytest.fixture(params=["plain", "bent"])
def space(request, rng):
    return space_of(request.param, rng)


def test_parts_are_those_of_the_row(space, rng):
    basis = space.basis(rng)
    given = rng.standard_normal((4, K, K)), rng.standard_normal((4, D, K)), rng.random((4, BESIDE))
    rows = tangents.row(*given)
    assert rows.shape == (4, SIZE)
    for found, one, wanted in zip(
        tangents.parts(rows, basis), tangents.parts(rows[2], basis), given, strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-15)
        np.testing.assert_array_equal(one, found[2])


def test_duals_give_inner_products(space, rng):
    basis = space.basis(rng)
    rows = rows_at(space, basis, rng, 4)
    given, beside = matrices(space, rows, basis)
    wanted = np.einsum("aij,bij->ab", given, given) + beside @ beside.T
    np.testing.assert_allclose(rows @ tangents.dual(space, rows, basis).T, wanted, atol=1e-10)
    squares = tangents.squared(space, rows, basis)
    np.testing.assert_allclose(squares, wanted.diagonal())
    assert tangents.squared(space, rows[1], basis) == pytest.approx(squares[1])


def test_moves_are_projections(space, rng):
    here, there = space.basis(rng), space.basis(rng)
    rows = rows_at(space, here, rng, 4)
    moved = tangents.moved(space, rows, here, there)
    given, beside = matrices(space, rows, here)
    target = space.root @ there
    rest = np.eye(D) - target @ target.T
    found, beside_found = matrices(space, moved, there)
    np.testing.assert_allclose(found, given - rest @ given @ rest, atol=1e-11)
    np.testing.assert_array_equal(beside_found, beside)
    inside, outside, _ = tangents.parts(moved, there)
    np.testing.assert_allclose(inside, inside.swapaxes(1, 2), atol=1e-12)
    np.testing.assert_allclose(there.T @ space.dual(outside), 0.0 * inside, atol=1e-12)
    np.testing.assert_allclose(tangents.moved(space, moved, there, there), moved, atol=1e-12)


def test_another_basis_of_the_same_directions_changes_no_tangent(space, rng):
    basis, turn = space.basis(rng), np.linalg.qr(rng.standard_normal((K, K)))[0]
    rows = rows_at(space, basis, rng, 2)
    moved = tangents.moved(space, rows, basis, basis @ turn)
    for found, wanted in zip(
        matrices(space, moved, basis @ turn), matrices(space, rows, basis), strict=True
    ):
        np.testing.assert_allclose(found, wanted, atol=1e-11)
