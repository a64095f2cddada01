"""Types that signatures share."""

import numpy as np
import pytest
from scipy import sparse

from specsel._input import annotations


def test_all_are_listed():
    assert all(hasattr(annotations, name) for name in annotations.__all__)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_matrices_have_what_the_protocol_names(make):
    matrix = make(np.eye(3))
    names = [*annotations.Sparse.__annotations__, "tocsc", "tocsr"]
    assert all(hasattr(matrix, name) for name in names)
