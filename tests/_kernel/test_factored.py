"""Directions as vectors, by a factor of V, against the features that V was made of."""

import numpy as np
import pytest

from specsel import _kernel, kernel, qalpha


@pytest.fixture
def mapped(rng):
    """Eight features in five dimensions, one of them twice and one of them 0."""
    features = rng.standard_normal((8, 5))
    features[3], features[6] = features[1], 0.0
    return features, _kernel.Matrix.given(features @ features.T)


@pytest.mark.parametrize(("least", "width"), [(1, 5), (7, 7)])
def test_a_factor_has_as_many_columns_as_rank_or_as_asked_for(mapped, least, width):
    features, matrix = mapped
    before = matrix.entries.copy()
    factor = _kernel.factor(matrix, least)
    assert factor.shape == (8, width)
    np.testing.assert_allclose(factor @ factor.T, features @ features.T, atol=1e-13)
    np.testing.assert_array_equal(matrix.entries, before)
    assert (matrix.rank_bound, matrix.passes) == (5, 1)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_what_has_no_null_space_is_not_factorised(rng, scale):
    features = rng.standard_normal((8, 12))
    features[6] = features[5] + 1e-4 * rng.standard_normal(12)
    assert _kernel.factor(_kernel.Matrix.given(scale * features @ features.T), 1) is None
    features[6] = features[5]
    assert _kernel.factor(_kernel.Matrix.given(scale * features @ features.T), 1).shape == (8, 7)


def test_looks_and_traces_are_those_of_the_definition(mapped, rng):
    features, matrix = mapped
    factor = _kernel.factor(matrix, 1)
    space, lengths = _kernel.Factored(matrix, factor), rng.random(3)
    basis, alpha = np.linalg.qr(rng.standard_normal((5, 3)))[0], rng.random(8)
    vectors = np.linalg.lstsq(factor, features, rcond=None)[0].T @ basis  # in the features' space
    found, image, beside = space.look(basis, lengths, np.zeros(0))
    expected = np.einsum("ns,st,nt->n", features, vectors * lengths @ vectors.T, features)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(
        factor @ image, matrix.entries @ (found[:, None] * (features @ vectors))
    )
    assert beside.shape == (0,)
    affinity = (features.T * alpha) @ features
    assert space.trace(alpha) == pytest.approx(np.trace(affinity))
    scores, coefficients = space.leave(alpha, basis, image)
    np.testing.assert_allclose(scores, features @ vectors, atol=1e-12)
    np.testing.assert_allclose(features.T @ coefficients, affinity @ vectors, atol=1e-12)
    entered, image, _ = space.enter(alpha, scores)
    np.testing.assert_allclose(entered.T @ entered, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(image, factor.T @ (alpha[:, None] * (factor @ entered)), atol=1e-12)
    spanned = np.linalg.qr(factor.T @ coefficients)[0]
    np.testing.assert_allclose(entered @ entered.T, spanned @ spanned.T, atol=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_the_linear_kernel_of_more_features_than_samples_is_qalpha(seed):
    """Coefficients of directions are not unique there, and were once lost in the null space."""
    rng = np.random.default_rng([31, seed])
    X = rng.standard_normal((18, 354))
    X[:, :35] += 2 * rng.standard_normal((3, 35))[rng.integers(0, 3, 18)]
    wanted = qalpha.solve(X, 4, tol=1e-12, max_iter=1000)
    M = (X - X.mean(axis=0)) / np.linalg.norm(X - X.mean(axis=0), axis=0)
    for found in (
        kernel.solve(X, 4, kernel="linear", tol=1e-12, max_iter=1000),
        kernel.solve(M.T @ M, 4, kernel="precomputed", tol=1e-12, max_iter=1000),
    ):
        assert found.objective == pytest.approx(wanted.objective, rel=1e-10)
        np.testing.assert_allclose(found.alpha, wanted.alpha, atol=1e-5)
        scores = M.T @ wanted.basis
        np.testing.assert_allclose(
            found.basis @ found.basis.T, scores @ scores.T, atol=1e-4 * np.abs(scores).max() ** 2
        )


def test_more_directions_than_rank(rng):
    features = rng.standard_normal((10, 3))
    found = kernel.solve(features @ features.T, 5, kernel="precomputed")
    assert found.basis.shape == (10, 5)
    assert found.converged
    np.testing.assert_allclose(found.basis[:, 3:], 0, atol=1e-10)
