"""Directions that are known by coefficients and scores, against vectors with the same kernel."""

import numpy as np
import pytest

from specsel import _kernel


@pytest.fixture
def mapped(rng):
    """Eight features in five dimensions, one of them twice and one of them 0."""
    features = rng.standard_normal((8, 5))
    features[3], features[6] = features[1], 0.0
    return features, _kernel.Directions(_kernel.Matrix.given(features @ features.T))


def directions(features, coefficients):
    return np.vstack((coefficients, features @ features.T @ coefficients))


def test_inner_products_are_those_of_the_vectors(mapped, rng):
    features, space = mapped
    one, other = rng.standard_normal((2, 8, 3))
    expected = (features.T @ one).T @ (features.T @ other)
    found = directions(features, one).T @ space.dual(directions(features, other))
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_orthonormal_directions_span_the_same(mapped, rng, scale):
    features, space = mapped
    given = directions(features, rng.standard_normal((8, 4)) * [1, scale, 1, 1])
    basis, triangle = space.orthonormal(given)
    np.testing.assert_allclose(basis.T @ space.dual(basis), np.eye(4), atol=1e-9)
    np.testing.assert_allclose((basis @ triangle)[8:], given[8:], atol=1e-9)
    again = space.orthonormal(basis)[0]
    np.testing.assert_allclose(again[8:], basis[8:], atol=1e-9)


def test_directions_beyond_the_rank_are_null(mapped, rng):
    features, space = mapped
    given = directions(features, rng.standard_normal((8, 7)))
    basis, triangle = space.orthonormal(given)
    values = np.linalg.eigvalsh(basis.T @ space.dual(basis))
    np.testing.assert_allclose(values, [0, 0, 1, 1, 1, 1, 1], atol=1e-8)
    np.testing.assert_allclose((basis @ triangle)[8:], given[8:], atol=1e-8)
    assert not space.orthonormal(np.zeros((16, 2)))[0].any()


def test_a_look_and_a_trace_are_those_of_the_definition(mapped, rng):
    features, space = mapped
    basis = space.orthonormal(directions(features, rng.standard_normal((8, 3))))[0]
    vectors, lengths = features.T @ basis[:8], rng.random(3)
    W = vectors * lengths @ vectors.T
    alpha, image, _ = space.look(basis, lengths, np.zeros(0))
    expected = np.einsum("ns,st,nt->n", features, W, features)
    np.testing.assert_allclose(alpha, expected, atol=1e-12)
    affinity = (features.T * alpha) @ features
    np.testing.assert_allclose(features.T @ image[:8], affinity @ vectors, atol=1e-11)
    np.testing.assert_allclose(image[8:], features @ affinity @ vectors, atol=1e-11)
    assert space.trace(alpha) == pytest.approx(np.trace(affinity))
