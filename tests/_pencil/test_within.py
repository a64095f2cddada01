"""A factor of the scatter within the classes: sparse against dense."""

import numpy as np
import pytest
from scipy import sparse

from specsel import _pencil
from specsel._pencil import within

pytestmark = pytest.mark.filterwarnings("ignore:.* constant")

SHAPES = [(40, 21), (21, 40)]


def pencils(shape, form, dtype=float):
    """Pencils of the same counts, dense and sparse; some columns are full, or empty."""
    rng, y = np.random.default_rng(3), np.arange(shape[0]) % 3
    X = rng.poisson(0.4, shape).astype(dtype)
    X[:, :5] += rng.poisson(0.5 * y[:, None], (shape[0], 5))
    X[:, 7], X[:, 8] = 0, 2
    X[:, 9] += 5
    X[4] = 0
    return [_pencil.from_data(one, y) for one in (X, form(X))]


def in_halves(X):
    """Every number stored as two halves, in disorder."""
    halves = sparse.coo_array(X / 2)
    places = [np.tile(index, 2)[::-1] for index in halves.coords]
    matrix = sparse.csr_array(np.empty((0, X.shape[1])))
    order = np.argsort(places[0], kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(places[0], minlength=len(X)))))
    values = np.tile(halves.data, 2)[::-1][order]
    matrix = sparse.csr_array((values, places[1][order], starts), X.shape)
    assert not matrix.has_canonical_format
    return matrix


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "form", [sparse.csc_array, sparse.csr_array, sparse.csr_matrix, in_halves]
)
def test_sparse_factors_do_as_dense_ones(form, shape, small, monkeypatch, rng):
    if small:
        monkeypatch.setattr(within, "NUMBERS", 50)
        monkeypatch.setattr(within, "COLUMNS", 3)
    dense, found = pencils(shape, form)
    assert isinstance(found.within, within.SparseWithin)
    W, S = dense.within, found.within
    features = np.array([7, 2, 9, 8, 0])
    tall, wide = rng.standard_normal((shape[1], 2)), rng.standard_normal((shape[0], 2))
    for one, other in [
        (S.squares, W.squares),
        (S.columns(3), W.columns(3)),
        (S.columns(features), W.columns(features)),
        (S.inner(features), W.inner(features)),
        (S.times(tall), W.times(tall)),
        (S.back(wide), W.back(wide)),
        (S.back(wide[:, 0]), W.back(wide[:, 0])),
        (S.outer(), W.outer()),
        (S.outer(abs(tall[:, 0])), W.outer(abs(tall[:, 0]))),
        (found.factor, dense.factor),
        (found.diagonal, dense.diagonal),
        (found.row(9), dense.row(9)),
        (found.matrices[1], dense.matrices[1]),
        (found.spectrum, dense.spectrum),
        (abs(found.leading_axis), abs(dense.leading_axis)),
        (found.ridge, dense.ridge),
    ]:
        np.testing.assert_allclose(one, other, atol=1e-10)
    assert len(S) == len(W) == shape[0]


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_other_numbers(dtype):
    dense, found = pencils(SHAPES[0], sparse.csr_array, dtype)
    np.testing.assert_allclose(found.matrices[1], dense.matrices[1], atol=1e-6)


@pytest.mark.parametrize("form", [sparse.csc_array, sparse.csr_array])
def test_products_of_columns_far_from_zero_keep_their_digits(form, rng):
    X, y = rng.poisson(0.4, (30, 60)).astype(float), np.arange(30) % 3
    X[:, 4] = 1e4 + rng.standard_normal(30)
    X[y == 1, 9] = 1e4 + rng.standard_normal(10)
    X[y != 1, 9] = 0
    dense, found = (_pencil.from_data(one, y).within for one in (X, form(X)))
    weights = np.where(np.isin(np.arange(60), [4, 9]), 0.5, 1e-4)
    for one, other in [
        (found.outer(), dense.outer()),
        (found.outer(weights), dense.outer(weights)),
        (found.inner([4, 9, 2]), dense.inner([4, 9, 2])),
    ]:
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-10 * np.abs(other).max())
