"""Other samples beside the data: scaled as these are, and pairs among them."""

import numpy as np
import pytest
from scipy import sparse

from specsel import _data

FORMS = [np.asarray, sparse.csc_array, sparse.csr_array]


def standardised(X, others):
    """The other samples, shifted by the means of X and divided by its norms, literally."""
    mean = X.mean(axis=0)
    return (others - mean) / np.linalg.norm(X - mean, axis=0)


@pytest.fixture
def samples(rng):
    return np.round(rng.standard_normal((9, 7)) * 3), np.round(rng.standard_normal((5, 7)) * 3)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other_form", FORMS)
def test_others_are_scaled_as_the_data(form, other_form, samples):
    X, others = samples
    beside = _data.alike(_data.read(form(X)), other_form(others))
    np.testing.assert_allclose(beside.rows(0, 5), standardised(X, others), atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_extreme_columns_of_others_are_divided_as_those_of_the_data(form, samples):
    X, others = samples
    scale = np.array([1e200, 1, 1, 1e-200, 1, 1, 1])
    beside = _data.alike(_data.read(form(X * scale)), form(others * scale))
    np.testing.assert_allclose(beside.rows(0, 5), standardised(X, others), atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_pairs_are_of_the_others_and_products_of_the_data(form, samples, rng):
    X, others = samples
    data = _data.read(form(X))
    both = _data.Beside(data, form(others))
    pairs = _data.Pairs.sort(np.array([(0, 4), (2, 2), (3, 1)]), 5)
    dual, basis, values = rng.standard_normal((9, 2)), rng.standard_normal((9, 2)), rng.random(3)
    M, N = standardised(X, X), standardised(X, others)
    alpha, image, entries = both.fused_pairs(dual, basis, pairs, values)
    wanted = ((M.T @ dual) * (M.T @ basis)).sum(axis=1)
    wanted += values[0] * N[0] * N[4] + values[1] * N[2] ** 2 + values[2] * N[3] * N[1]
    np.testing.assert_allclose(alpha, wanted, atol=1e-11)
    np.testing.assert_allclose(image, (M * wanted) @ (M.T @ basis), atol=1e-10)
    products = [(wanted * N[s] * N[t]).sum() for s, t in ((0, 4), (2, 2), (3, 1))]
    np.testing.assert_allclose(entries, products, atol=1e-10)
