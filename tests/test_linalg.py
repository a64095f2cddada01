"""The shared helpers against dense linear algebra."""

import numpy as np
import pytest

from specsel import linalg


def planted(rng, n, values):
    vectors = np.linalg.qr(rng.standard_normal((n, n)))[0]
    return vectors[:, : len(values)] @ np.diag(values) @ vectors[:, : len(values)].T


@pytest.mark.parametrize("shape", [(30, 6), (6, 6), (5, 20)])
def test_leading_pair_of_a_positive_form(shape, rng):
    phi = rng.standard_normal(shape)
    gram, start = phi.T @ phi, phi.T @ rng.standard_normal(shape[0])
    pair = linalg.leading_pair(lambda b: gram @ b, start, tol=1e-30)
    values, vectors = np.linalg.eigh(phi @ phi.T)
    assert pair.value == pytest.approx(values[-1], rel=1e-12)
    alpha = phi @ pair.dual
    assert np.linalg.norm(alpha) == pytest.approx(1)
    assert abs(alpha @ vectors[:, -1]) == pytest.approx(1, abs=1e-10)
    np.testing.assert_allclose(pair.image, gram @ pair.dual, atol=1e-11)
    assert pair.residual < 1e-10


def test_leading_pair_of_a_signed_form_is_the_largest_algebraic_one(rng):
    phi = rng.standard_normal((50, 8))
    gram, signs = phi.T @ phi, np.diag([1.0, 1.0, 0.5, -1.0, -2.0, -3.0, -9.0, -9.0])
    pair = linalg.leading_pair(
        lambda b: gram @ b, signs @ phi.T @ np.ones(50), tol=1e-30, apply_form=lambda p: signs @ p
    )
    assert pair.value == pytest.approx(np.linalg.eigvalsh(phi @ signs @ phi.T)[-1], rel=1e-10)


def test_inexact_leading_pair_is_as_exact_as_asked(rng):
    A = planted(rng, 200, [10.0, *np.linspace(9, 1, 150)])
    for tol in (1e-2, 1e-4, 1e-6):
        pair = linalg.leading_pair(lambda b: A @ b, np.ones(200), tol=tol)
        assert 10 * (1 - 3 * tol) <= pair.value <= 10 * (1 + 1e-12)


def test_a_long_krylov_space_restarts(rng):
    A = planted(rng, 400, [1.0, *np.linspace(0.999, 0.5, 300)])
    calls = []
    pair = linalg.leading_pair(lambda b: (calls.append(1), A @ b)[1], A @ np.ones(400), tol=1e-16)
    assert len(calls) > linalg.KRYLOV_STEPS
    assert pair.value == pytest.approx(1.0, rel=1e-6)


def test_a_start_of_zeros_does_no_harm():
    pair = linalg.leading_pair(lambda b: 0 * b, np.zeros((3, 2)), tol=1e-8)
    assert pair.value == 0
    assert np.isfinite(pair.dual).all()


@pytest.mark.parametrize("n", [1, 2, 25, 26, 100])
@pytest.mark.parametrize("kind", ["general", "low rank", "repeated", "identity", "zero"])
def test_largest_modulus_is_an_eigendecomposition(n, kind, rng):
    noise = rng.standard_normal((n, n))
    basis = np.linalg.qr(noise)[0]
    A = {
        "general": noise,
        "low rank": noise[:, :2] @ noise[:, :2].T,
        "repeated": basis @ np.diag(np.repeat([3.0, -3.0, 1.0], n)[::3]) @ basis.T,
        "identity": np.eye(n),
        "zero": np.zeros((n, n)),
    }[kind]
    values, vectors = linalg.largest_modulus(A, n)
    A = (A + A.T) / 2
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(vectors * values @ vectors.T, A, atol=1e-12 * n)
    expected = np.linalg.eigvalsh(A)
    np.testing.assert_allclose(np.sort(values), expected, atol=1e-12 * n)
    assert (np.diff(np.abs(values)) <= 1e-12 * n).all()


def test_largest_modulus_takes_negative_eigenvalues_too(rng):
    A = planted(rng, 10, [3.0, -5.0, 1.0])
    values, vectors = linalg.largest_modulus(A, 2)
    np.testing.assert_allclose(values, [-5, 3], atol=1e-12)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-12)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_later_pairs_and_those_before(place, rng):
    M = rng.standard_normal((40, 9)) * np.geomspace(5, 0.1, 9)
    values, vectors = np.linalg.eigh(M @ M.T)
    pair = linalg.leading_pair(lambda b: M.T @ (M @ b), rng.standard_normal(9), tol=0, index=place)
    assert pair.value == pytest.approx(values[-place], rel=1e-9)
    assert len(pair.before) == place - 1
    for i, dual in enumerate([*pair.before, pair.dual], 1):
        assert abs(vectors[:, -i] @ (M @ dual)) == pytest.approx(1, abs=1e-8)


def test_subspace_above_the_dense_limit_does_not_depend_on_a_shift(rng):
    """Rayleigh-Ritz in a Krylov space: where all eigenvalues are near each other too."""
    size = linalg.DENSE_LIMIT + 1
    values = np.append([30.0, 25.0], rng.uniform(0, 1, size - 2)) + 100
    axis = linalg.orthonormal(rng.standard_normal((size, 1)))

    def reflect(Q):
        return Q - 2 * axis * (axis.T @ Q)

    got = linalg.top_eigenpairs(lambda Q: reflect(values[:, None] * reflect(Q)), size, 2)[1]
    assert np.linalg.norm(got.T @ reflect(np.eye(size, 2))) == pytest.approx(2**0.5, abs=0.02)


def test_a_wide_subspace_above_the_dense_limit_is_exact():
    """The blocks of a Krylov space would be more vectors than there are dimensions."""
    size = linalg.DENSE_LIMIT + 1
    k = size // linalg.SUBSPACE_PASSES + 1
    values, vectors = linalg.top_eigenpairs(lambda _: np.diag(np.arange(1.0, size + 1)), size, k)
    np.testing.assert_allclose(values, np.arange(size, size - k, -1))
    np.testing.assert_allclose(abs(vectors[::-1][:k]), np.eye(k), atol=1e-12)


@pytest.mark.parametrize("size", [9, linalg.INVERSE_LIMIT + 1])
def test_inverse_and_eigenvalues_of_a_positive_definite_matrix(size, rng):
    G = rng.standard_normal((size, 3 * size))
    matrix = G @ G.T / size
    inverse = linalg.inverse(matrix)
    np.testing.assert_allclose(inverse @ matrix, np.eye(size), atol=1e-12)
    np.testing.assert_array_equal(inverse, inverse.T)
    values, vectors = linalg.eigen(matrix)
    np.testing.assert_allclose(vectors * values @ vectors.T, matrix, atol=1e-12)


@pytest.mark.parametrize("size", [3, 11, 40])
def test_last_eigenpairs_of_a_degenerate_matrix(size, rng):
    matrix = np.eye(size) - 1 / size
    values, vectors = linalg.last_eigenpairs(matrix, np.eye(size), count=2)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(2), atol=1e-12)
    assert values == pytest.approx(1)


@pytest.mark.parametrize("n", [1, 5, 30, 100])
def test_what_is_not_finite_has_no_eigenvalues_and_does_not_stop(n):
    """The check of the result reports it. LAPACK fails at the matrix of 5 rows."""
    assert np.isnan(linalg.largest_modulus(np.full((n, n), np.nan), n)[0]).all()
