"""Pencils of data and of matrices: their factors, and what is refused."""

import numpy as np
import pytest
from oracles import pencil as oracle

from specsel import _pencil, datasets


def rebuilt(pencil):
    """A and B from the factors and the rows alone."""
    n = pencil.n_features
    B = np.array([pencil.row(i) for i in range(n)])
    return pencil.factor @ pencil.factor.T - pencil.shift * B, B


@pytest.mark.parametrize("sign", [1, -1, 0])
@pytest.mark.parametrize("rank", [1, 3, None])
def test_factors_of_a_pair(rank, sign, rng):
    A, B = datasets.wishart_pair(8, rank=rank, random_state=1)
    A = sign * A if sign else A - np.diag(rng.random(8))
    pencil = _pencil.from_pair(A, B)
    scale = 1 / np.sqrt(np.diag(B))
    for got, matrix in zip(rebuilt(pencil), (A, B), strict=True):
        expected = matrix * scale * scale[:, None]
        np.testing.assert_allclose(got, expected, atol=1e-12 * np.abs(A).max())
    assert (pencil.shift == 0) == (sign == 1)
    if sign == 1:
        assert pencil.factor.shape[1] == (rank or 8)
    np.testing.assert_allclose(pencil.diagonal, 1)
    np.testing.assert_array_equal(pencil.matrices[0], A)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_factors_of_data(n_classes, rng):
    X, y = rng.standard_normal((20, 6)), np.arange(20) % n_classes
    X[:, 2] += y
    pencil = _pencil.from_data(X, y, criterion="leading")
    assert pencil.factor.shape == (6, n_classes - 1)
    for got, expected in zip(rebuilt(pencil), oracle.class_scatter(X, y), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-12)
    for got, expected in zip(pencil.matrices, oracle.class_scatter(X, y), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-12)
    support = np.array([1, 2, 5])
    value, direction = pencil.solve(support)
    assert value == pytest.approx(oracle.pencil_value(*pencil.matrices, support))
    matrix = rng.standard_normal((3, 2))
    assert direction[support] @ pencil.block_of_b(support) @ direction[support] == pytest.approx(1)
    np.testing.assert_allclose(
        pencil.times_b(support, matrix), pencil.block_of_b(support) @ matrix
    )


def test_the_array_is_left_as_it_was(rng):
    for dtype in (np.float32, np.float64):
        X = rng.standard_normal((20, 6)).astype(dtype)
        before = X.copy()
        X.flags.writeable = False
        _pencil.from_data(X, np.arange(20) % 2)
        _pencil.from_data(X)
        np.testing.assert_array_equal(X, before)


def test_constant_features_have_a_unit_diagonal(rng):
    X, y = rng.standard_normal((20, 4)), np.arange(20) % 2
    X[:, 1] = 3.0
    with pytest.warns(UserWarning, match="constant"):
        A, B = _pencil.from_data(X, y).matrices
    assert B[1, 1] == 1
    assert not A[1].any()
    assert not B[1, [0, 2, 3]].any()


REFUSED = {
    "B: has shape (3, 3); that of A, (4, 4), is needed": (np.eye(4), np.eye(3)),
    "A: has shape (2, 3); a square matrix is needed": (np.ones((2, 3)), np.eye(2)),
    "A: is not symmetric, entries differ by 1": (np.array([[1.0, 1], [0, 1]]), np.eye(2)),
    "B: is not symmetric, entries differ by 0.5": (np.eye(2), np.array([[1, 0.5], [0, 1]])),
    "A: holds NaN or infinite values; finite numbers are needed": (
        np.diag([np.nan, 1]),
        np.eye(2),
    ),
    "B: is not positive definite, with a diagonal of 1 its smallest eigenvalue is -1; "
    "2 added to that diagonal would do": (
        np.eye(2),
        np.diag([1.0, -1.0]),
    ),
    "B: is not positive definite, with a diagonal of 1 its smallest eigenvalue is 0; "
    "0.001 added to that diagonal would do": (
        np.eye(2),
        np.diag([1.0, 0.0]),
    ),
    "A: has 1 dimension; 2 are needed, samples x features": (np.ones(2), np.eye(2)),
}


@pytest.mark.parametrize("message", REFUSED)
def test_bad_matrices_are_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        _pencil.from_pair(*REFUSED[message])
    assert str(caught.value) == message


def test_units_of_the_features_do_not_matter(rng):
    A, B = datasets.wishart_pair(8, random_state=1)
    units = 10.0 ** rng.uniform(-6, 6, 8)
    one, other = (
        _pencil.from_pair(A, B),
        _pencil.from_pair(A * units * units[:, None], B * units * units[:, None]),
    )
    support = np.array([1, 3, 6])
    assert one.solve(support)[0] == pytest.approx(other.solve(support)[0])
    np.testing.assert_allclose(one.factor @ one.factor.T, other.factor @ other.factor.T, atol=1e-9)


def test_a_shrinkage_that_is_too_small_names_one_that_would_do(rng):
    X, y = rng.standard_normal((8, 20)), np.arange(8) % 2
    with pytest.raises(ValueError, match=r"shrinkage = 0: leaves B with .* would do$") as caught:
        _pencil.from_data(X, y, shrinkage=0)
    enough = float(str(caught.value).split(";")[1].split()[0])
    _pencil.from_data(X, y, shrinkage=enough)
    with pytest.raises(ValueError, match="all 2 features are constant"):
        _pencil.from_data(np.ones((8, 2)), y)
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="X: 1 value is NaN or infinite"):
        _pencil.from_data(X, y)


def test_entries_beyond_what_can_be_squared_are_refused():
    with pytest.raises(ValueError, match=r"^A: is 1e\+200 times B; at most 1e\+150 is possible$"):
        _pencil.from_pair(1e200 * np.eye(3), np.eye(3))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_variances_that_are_no_numbers_are_refused(rng, scale):
    X = rng.standard_normal((20, 4))
    with pytest.raises(ValueError, match=r"^X: values are too large or too small"):
        _pencil.from_data(X * scale)
    expected = _pencil.from_data(X, matrix="correlation").solve([0, 1])[0]
    assert _pencil.from_data(X * scale, matrix="correlation").solve([0, 1])[0] == pytest.approx(
        expected
    )
