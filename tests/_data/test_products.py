"""Products that one pass keeps for the next."""

import numpy as np
import pytest

from specsel import _data
from specsel._data.products import Products


def kept(data, basis):
    """What the data have kept of the products with a basis."""
    (products,) = (part for part in vars(data).values() if isinstance(part, Products))
    return products.with_basis(basis)


@pytest.mark.parametrize("order", ["C", "F"])
def test_kept_products_change_no_bit(order, rng):
    X = np.array(rng.standard_normal((30, 700)), order=order)
    B, Q = rng.standard_normal((2, 30, 2))
    fresh, warm = _data.read(X), _data.read(X)
    warm.adjoint(np.ones(700), Q)
    assert kept(warm, Q) is not None
    for got, wanted in zip(warm.fused(B, Q), fresh.fused(B, Q), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_basis_changed_in_place_is_a_new_one(order, rng):
    X = np.array(rng.standard_normal((30, 700)), order=order)
    B, Q = rng.standard_normal((2, 30, 2))
    fresh, warm = _data.read(X), _data.read(X)
    warm.adjoint(np.ones(700), Q)
    Q[3, 1] += 1
    assert kept(warm, Q) is None
    for got, wanted in zip(warm.fused(B, Q), fresh.fused(B, Q), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_changed_data_start_without_products(rng):
    data = _data.read(rng.standard_normal((30, 50)))
    Q = rng.standard_normal((30, 2))
    data.adjoint(np.ones(50), Q)
    assert kept(data, Q) is not None
    assert kept(data.rescaled(np.full(50, 2.0)), Q) is None
    assert kept(data.centered(), Q) is None
    assert kept(_data.alike(data, rng.standard_normal((30, 50))), Q) is None


def test_products_are_kept_only_where_they_are_small(rng):
    data = _data.read(rng.standard_normal((25, 50)))
    narrow, wide = rng.standard_normal((25, 2)), rng.standard_normal((25, 3))
    data.adjoint(np.ones(50), narrow)
    assert kept(data, narrow).size == 100
    data.adjoint(np.ones(50), wide)
    assert kept(data, wide) is None
    assert kept(data, narrow).size == 100


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_new_basis_of_the_same_width_reuses_the_array(order, rng):
    X = np.array(rng.standard_normal((30, 700)), order=order)
    B, Q, R = rng.standard_normal((3, 30, 2))
    data = _data.read(X)
    data.adjoint(np.ones(700), Q)
    array = kept(data, Q)
    got = data.fused(B, Q, R)
    assert kept(data, R) is array
    assert kept(data, Q) is None
    for mine, wanted in zip(got, _data.read(X).fused(B, Q, R), strict=True):
        np.testing.assert_array_equal(mine, wanted)


def test_nothing_is_kept_of_a_pass_that_failed():
    products, basis = Products(), np.eye(3, 2)
    products.keep(basis, np.zeros((2, 1, 5)))
    room = products.room(2, like=np.empty((0, 1, 5)))
    assert products.with_basis(basis) is None
    products.keep(basis, room)
    assert products.with_basis(basis.copy()) is room
