"""The pair (A, B): its factors, what is refused, and bounds on the values of supports."""

import itertools

import numpy as np
import pytest
import scipy.linalg
from scipy import sparse

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


def test_data_and_matrices_of_the_user_stay_as_they_were(rng):
    for dtype in (np.float32, np.float64):
        X = rng.standard_normal((20, 6)).astype(dtype)
        before = X.copy()
        X.flags.writeable = False
        _pencil.from_data(X, np.arange(20) % 2)
        _pencil.from_data(X)
        np.testing.assert_array_equal(X, before)
    A, B = np.eye(3), np.eye(3)
    pencil = _pencil.from_pair(A, B)
    A[0, 0] = B[0, 0] = 2.0  # still writeable
    assert pencil.matrices[0][0, 0] == 1.0


def test_a_matrix_of_the_user_is_read_without_a_factorisation():
    A = np.array([[1.0, 0.5, 0.0], [0.5, -7.0, 0.1], [0.0, 0.1, 1.0]])
    pencil = _pencil.from_pair(A, np.eye(3))
    np.testing.assert_array_equal(pencil.block_of_a(np.arange(2), np.arange(3)), A[:2])
    assert pencil.is_pca
    assert not _pencil.from_pair(A, np.eye(3) + 0.1).is_pca


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
    "2 added to that diagonal would do": (np.eye(2), np.diag([1.0, -1.0])),
    "B: is not positive definite, with a diagonal of 1 its smallest eigenvalue is 0; "
    "0.001 added to that diagonal would do": (np.eye(2), np.diag([1.0, 0.0])),
    "A: has 1 dimension; 2 are needed, samples x features": (np.ones(2), np.eye(2)),
    "A: is 1e+200 times B; at most 1e+150 is possible": (1e200 * np.eye(3), np.eye(3)),
}


@pytest.mark.parametrize("message", REFUSED)
def test_bad_matrices_are_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        _pencil.from_pair(*REFUSED[message])
    assert str(caught.value) == message


def test_units_of_the_features_do_not_matter(rng):
    A, B = datasets.wishart_pair(8, random_state=1)
    units = 10.0 ** rng.uniform(-6, 6, 8)
    one = _pencil.from_pair(A, B)
    other = _pencil.from_pair(A * units * units[:, None], B * units * units[:, None])
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


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_variances_that_are_no_numbers_are_refused(rng, scale):
    X = rng.standard_normal((20, 4))
    with pytest.raises(ValueError, match=r"^X: values are too large or too small"):
        _pencil.from_data(X * scale)
    expected = _pencil.from_data(X, matrix="correlation").solve([0, 1])[0]
    scaled = _pencil.from_data(X * scale, matrix="correlation")
    assert scaled.solve([0, 1])[0] == pytest.approx(expected)


@pytest.mark.parametrize("criterion", ["leading", "trace", "logdet"])
@pytest.mark.parametrize("shape", [(40, 6), (12, 9), (6, 9)])
def test_bounds_hold_for_every_support(criterion, shape, rng):
    X, y = rng.standard_normal(shape), np.arange(shape[0]) % 3
    pencil = _pencil.from_data(X, y, criterion=criterion)
    n = shape[1]
    for k in range(1, n + 1):
        values = [pencil.solve(list(S))[0] for S in itertools.combinations(range(n), k)]
        lower, upper = pencil.bounds(k)
        assert lower <= min(values) * (1 + 1e-9)
        assert max(values) <= upper * (1 + 1e-9)
    assert upper == pytest.approx(values[0], rel=1e-6)
    assert lower == pytest.approx(values[0] if n > 2 else 0, rel=1e-6)


def test_bounds_where_a_has_negative_eigenvalues(rng):
    A = rng.standard_normal((6, 6))
    A, B = A + A.T, datasets.wishart_pair(6)[1]
    pencil, values = _pencil.from_pair(A, B), scipy.linalg.eigh(A, B, eigvals_only=True)
    for k in range(1, 7):
        assert pencil.bounds(k) == pytest.approx((values[k - 1], values[-1]))
    with pytest.raises(ValueError, match=r"A: has an eigenvalue of -.*criterion = 'trace'"):
        _pencil.from_pair(A, B, "trace")


def counts(shape, dtype=float):
    """Counts of three classes; some columns are full, or empty."""
    rng, y = np.random.default_rng(3), np.arange(shape[0]) % 3
    X = rng.poisson(0.4, shape).astype(dtype)
    X[:, :5] += rng.poisson(0.5 * y[:, None], (shape[0], 5)).astype(dtype)
    X[:, 7], X[:, 8] = 0, 2
    X[:, 9] += 5
    X[4] = 0
    return X, y


def defined(X, y):
    """W by its definition: samples less the means of their classes, by the deviation of all."""
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    norm = np.linalg.norm(X - X.mean(axis=0), axis=0)
    return _pencil.DenseWithin((X - means[y]) / np.where(norm > 0, norm, 1.0))


def in_halves(X):
    """Every number stored as two halves, in disorder."""
    halves = sparse.coo_array(X / 2)
    rows, columns = (np.tile(index, 2)[::-1] for index in halves.coords)
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(X)))))
    values = np.tile(halves.data, 2)[::-1][order]
    matrix = sparse.csr_array((values, columns[order], starts), X.shape)
    assert not matrix.has_canonical_format
    return matrix


# The last one holds more columns, and more numbers, than are looked at together.
SHAPES = [(40, 21), (21, 90), (6000, 600)]


@pytest.mark.filterwarnings("ignore:.* constant")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", [sparse.csc_array, sparse.csr_matrix, in_halves])
def test_sparse_factors_do_as_dense_ones(form, shape, rng):
    X, y = counts(shape)
    dense, found = _pencil.from_data(X, y), _pencil.from_data(form(X), y)
    W, S = defined(X, y), found.within
    features = np.array([7, 2, 9, 8, 0])
    tall, wide = rng.standard_normal((shape[1], 2)), rng.standard_normal((shape[0], 2))
    for one, other in [
        (S.squares, W.squares),
        (S.columns(3), W.columns(3)),
        (S.columns(features), W.columns(features)),
        (S.inner(features), W.inner(features)),
        (S.times(tall), W.times(tall)),
        (S.adjoint(wide), W.adjoint(wide)),
        (S.adjoint(wide[:, 0]), W.adjoint(wide[:, 0])),
        (found.factor, dense.factor),
        (found.diagonal, dense.diagonal),
        (found.row(9), dense.row(9)),
        (found.matrices[1], dense.matrices[1]),
        (found.ridge, dense.ridge),
    ]:
        np.testing.assert_allclose(one, other, atol=1e-10)
    assert len(S) == len(W) == shape[0]
    if len(S) < 1000:
        for one, other in [
            (S.outer(), W.outer()),
            (S.outer(abs(tall[:, 0])), W.outer(abs(tall[:, 0]))),
            (found.spectrum, dense.spectrum),
            (abs(found.leading_axis), abs(dense.leading_axis)),
        ]:
            np.testing.assert_allclose(one, other, atol=1e-10)


@pytest.mark.filterwarnings("ignore:.* constant")
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_sparse_samples_of_other_types(dtype):
    X, y = counts(SHAPES[0], dtype)
    dense, found = _pencil.from_data(X, y), _pencil.from_data(sparse.csr_array(X), y)
    np.testing.assert_allclose(found.matrices[1], dense.matrices[1], atol=1e-6)


@pytest.mark.parametrize("form", [sparse.csc_array, sparse.csr_array])
def test_products_of_columns_far_from_zero_keep_their_digits(form, rng):
    X, y = rng.poisson(0.4, (30, 60)).astype(float), np.arange(30) % 3
    X[:, 4] = 1e5 + rng.standard_normal(30)
    X[y == 1, 9] = 1e5 + rng.standard_normal(10)
    X[y != 1, 9] = 0
    dense, found = (_pencil.from_data(one, y).within for one in (X, form(X)))
    weights = np.where(np.isin(np.arange(60), [9]), 1e8, 1e-4)
    for one, other in [
        (found.outer(), dense.outer()),
        (found.outer(weights), dense.outer(weights)),
        (found.inner([4, 9, 2]), dense.inner([4, 9, 2])),
    ]:
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-10 * np.abs(other).max())
