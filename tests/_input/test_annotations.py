"""Types that signatures share."""

import numpy as np
import pytest
from scipy import sparse

from specsel import _validate


def test_all_are_listed():
    assert all(hasattr(_validate, name) for name in _validate.__all__)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_matrices_have_what_the_protocol_names(make):
    matrix = make(np.eye(3))
    names = [*_validate.Sparse.__annotations__, "tocsc", "tocsr"]
    assert all(hasattr(matrix, name) for name in names)
