"""Sparse matrices, measured and wrapped: dense arrays tell what is right."""

import numpy as np
import pytest
from scipy import sparse

from specsel import _data, _validate
from specsel._data import sparse_reading

FORMS = [sparse.csc_array, sparse.csr_array]


def counts(rng):
    return rng.poisson(0.7, (25, 12)) * 1.0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("representation", _validate.REPRESENTATIONS)
def test_features_are_those_of_the_dense_array(form, representation, rng):
    X = counts(rng)
    found = sparse_reading.wrap(form(X), None, representation)
    wanted = _data.represent(X, representation=representation)
    np.testing.assert_allclose(found.rows(0, 25), wanted.rows(0, 25), atol=1e-12)
    assert found.passes == wanted.passes


@pytest.mark.parametrize("form", FORMS)
def test_the_matrix_is_not_written_to(form, rng):
    X = form(counts(rng))
    before = X.data.copy()
    X.data.flags.writeable = X.indices.flags.writeable = False
    sparse_reading.wrap(X, None, "parts")
    np.testing.assert_array_equal(X.data, before)


@pytest.mark.parametrize("form", FORMS)
def test_extreme_columns_are_divided(form, rng):
    X, scale = counts(rng), np.where(np.arange(12) % 4, 1.0, 1e220)
    found = sparse_reading.wrap(form(X * scale), None, "centered")
    wanted = sparse_reading.wrap(form(X), None, "centered")
    np.testing.assert_allclose(found.rows(0, 25), wanted.rows(0, 25), atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_sums_of_float32_are_float64(form, rng):
    X = counts(rng).astype(np.float32)
    data, exact = (
        sparse_reading.wrap(form(one), None, "centered") for one in (X, X.astype(float))
    )
    assert data.floor == exact.floor
    Q = rng.standard_normal((25, 2))
    np.testing.assert_allclose(data.fused(Q, Q)[1], exact.fused(Q, Q)[1], rtol=1e-12)
