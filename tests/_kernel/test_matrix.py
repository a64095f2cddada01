"""The products with V, and what it knows of its features."""

import numpy as np
import pytest

from specsel import _data, _kernel


def test_short_directions_keep_their_digits():
    """A feature of tiny weight leads a direction of its own; see `Matrix.orthonormal`."""
    V = np.diag([1.0, 1.0, 1.0]) + 0.1
    matrix = _kernel.Matrix.given(V)
    coefficients = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1e-9]])
    W = matrix.orthonormal(coefficients)
    E = np.linalg.solve(V, W)
    np.testing.assert_allclose(E.T @ V @ E, np.eye(2), atol=1e-12)


def test_null_directions_have_no_scores():
    V = np.ones((4, 4))  # all features are mapped to one vector
    W = _kernel.Matrix.given(V).orthonormal(np.eye(4)[:, :3])
    assert np.count_nonzero(np.abs(W).max(axis=0) > 1e-9) == 1
    np.testing.assert_allclose((W**2).sum(axis=1), 1, atol=1e-9)


def test_products_are_counted_as_reads(rng):
    M = rng.standard_normal((5, 7))
    V = M.T @ M
    matrix = _kernel.Matrix.given(V)
    columns = rng.standard_normal((7, 2))
    np.testing.assert_allclose(matrix.product(columns), V @ columns)
    np.testing.assert_allclose(matrix.squared_product(columns[:, 0]), V**2 @ columns[:, 0])
    assert matrix.passes == 2


@pytest.mark.parametrize(("sign", "mean_free"), [(1, False), (-1, True)])
def test_a_direction_is_common_to_all_where_no_entry_is_negative(sign, mean_free):
    V = np.eye(3) + sign * 0.1 * (1 - np.eye(3))
    assert _kernel.Matrix.given(V).mean_free is mean_free
    data = _data.read(np.random.default_rng(0).standard_normal((6, 3)))
    of_data = _kernel.Matrix.of_data(data, V, rank_bound=3, mean_free=None)
    assert of_data.mean_free is mean_free
    for said in (True, False):
        assert _kernel.Matrix.of_data(data, V, rank_bound=3, mean_free=said).mean_free is said


def test_a_matrix_of_data_knows_their_features():
    data = _data.read(np.random.default_rng(0).standard_normal((6, 3)) + 5)
    matrix = _kernel.Matrix.of_data(data, np.eye(3), rank_bound=2, mean_free=True)
    np.testing.assert_array_equal(matrix.mean, data.mean)
    np.testing.assert_array_equal(matrix.norm, data.norm)
    assert (matrix.passes, matrix.rank_bound) == (data.passes, 2)
