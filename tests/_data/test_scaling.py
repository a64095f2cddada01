"""Samples shifted and scaled, dense or sparse."""

import numpy as np
import pytest
from scipy import sparse

from specsel import _data


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array, sparse.csr_array])
@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_samples_of_any_form(form, mean, rng):
    X = np.where(rng.random((9, 5)) < 0.3, rng.standard_normal((9, 5)), 0.0)
    scale = np.array([1.0, 2.0, 0.0, 3.0, 1.0])
    found = _data.scaled(form(X), np.full(5, mean), scale)
    assert sparse.issparse(found) == (form is not np.asarray and mean == 0)
    dense = found.toarray() if sparse.issparse(found) else found
    np.testing.assert_allclose(dense, (X - mean) * scale)
