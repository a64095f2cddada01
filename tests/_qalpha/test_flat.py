"""Weights with a flat remainder, against the same steps with all matrices written out."""

import numpy as np
import pytest
from oracles import weighing as oracle

from specsel import _data
from specsel._qalpha import flat


def clustered(shape, strength=4.0):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape)
    return X + strength * rng.standard_normal((3, shape[1]))[np.arange(shape[0]) % 3]


def literal(M, k, size, steps):
    """Weights, the image of the basis and what every step comes to; `size` is a bound of rank."""
    squares = (M**2).sum(axis=1)
    alpha = np.sqrt(squares) / np.linalg.norm(np.sqrt(squares))
    basis, history = oracle.by_modulus(oracle.affinity(M, alpha), k)[1], []
    while True:
        A = oracle.affinity(M, alpha)
        values, rotation = oracle.by_modulus(basis.T @ A @ basis, k)
        basis = basis @ rotation
        rest = max((np.trace(A) - values.sum()) / (size - k), 0) if size > k else 0.0
        history.append((values**2).sum() + (size - k) * rest**2)
        R = A - basis * (values - rest) @ basis.T - rest * np.eye(len(A))
        found = (M @ basis) ** 2 @ (values - rest) + rest * squares
        errors = np.einsum("is,st,it->i", M, R, M) / found.max()
        if len(history) == steps:
            return alpha, basis, A @ basis, history, np.abs(errors).max()
        alpha, basis = found / np.linalg.norm(found), np.linalg.qr(A @ basis)[0]


@pytest.mark.parametrize("shape", [(30, 50), (50, 12)])
@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.filterwarnings("ignore:.* constant")
def test_steps_are_those_of_the_definition(shape, steps, constant, monkeypatch):
    monkeypatch.setattr(flat, "MOST_STEPS", steps)
    X = clustered(shape)
    X[:, 4] = 1.0 if constant else X[:, 4]
    data = _data.read(X)
    found = flat.lead_roughly(data, 3, tol=0)
    M = oracle.standardise(X)
    alpha, basis, image, history, _ = literal(M, 3, data.rank_bound, steps)
    np.testing.assert_allclose(found.alpha, alpha, atol=1e-12)
    np.testing.assert_allclose(found.history, history, rtol=1e-12)
    signs = np.sign((found.basis * basis).sum(axis=0))
    np.testing.assert_allclose(found.basis * signs, basis, atol=1e-9)
    np.testing.assert_allclose(found.image * signs, image, atol=1e-9)
    assert not found.converged
    assert found.alpha[4] == 0 or not constant


@pytest.mark.parametrize("shape", [(30, 50), (50, 12)])
def test_the_end_is_a_fixed_point(shape):
    X = clustered(shape)
    data, M = _data.read(X), oracle.standardise(X)
    found = flat.lead_roughly(data, 3, tol=1e-12)
    assert found.converged
    assert len(found.history) < flat.MOST_STEPS
    A = oracle.affinity(M, found.alpha)
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(found.image, A @ found.basis, atol=1e-11)
    values = np.einsum("sc,sc->c", found.basis, found.image)
    np.testing.assert_allclose(values, oracle.by_modulus(A, 3)[0], rtol=1e-4)
    rest = (np.trace(A) - values.sum()) / (data.rank_bound - 3)
    weights = (M @ found.basis) ** 2 @ (values - rest) + rest
    np.testing.assert_allclose(found.alpha, weights / np.linalg.norm(weights), atol=1e-5)
    assert found.alpha.min() > 0


@pytest.mark.parametrize("k", [2, 3])
def test_what_is_alike_but_for_the_leading_direction_is_exact(k, monkeypatch):
    """Three features that are one, and five that are orthogonal to it and to each other.

    Two of three directions lead by chance among equals, and the remainder is flat all the same.
    """
    monkeypatch.setattr(flat, "MOST_STEPS", 3)
    X = np.eye(6)[:, [0, 0, 0, 1, 2, 3, 4, 5]]
    found = flat.lead_roughly(_data.read(X, center=False), k, tol=0)
    alpha = np.ones(8)
    for _ in range(2):
        alpha = np.diag(X.T @ (X * alpha) @ X.T @ X)
    np.testing.assert_allclose(found.alpha, alpha / np.linalg.norm(alpha), atol=1e-12)
    assert found.error < 1e-12


def test_with_all_directions_the_weights_are_the_leading_ones():
    X = clustered((40, 8))
    M = oracle.standardise(X)
    found = flat.lead_roughly(_data.read(X), 8, tol=1e-14)
    wanted, value = oracle.leading(oracle.squared(M))
    np.testing.assert_allclose(found.alpha, wanted, atol=1e-6)
    assert found.history[-1] == pytest.approx(value, rel=1e-10)
    assert found.error < 1e-12


@pytest.mark.parametrize("strength", [0.0, 1.0, 4.0])
def test_the_error_is_at_least_that_of_the_definition(strength, monkeypatch):
    monkeypatch.setattr(flat, "MOST_STEPS", 4)
    X = clustered((60, 200), strength)
    data = _data.read(X)
    error = literal(oracle.standardise(X), 5, data.rank_bound, 4)[-1]
    found = flat.lead_roughly(data, 5, tol=0).error
    assert error <= found <= 5 * error
    monkeypatch.setattr(flat, "PROBES", 5000)
    assert flat.lead_roughly(data, 5, tol=0).error == pytest.approx(error, rel=0.1)


def test_steps_end_at_the_tolerance_or_the_rounding_and_are_the_same_again():
    X = clustered((30, 50))
    rough, fine = (flat.lead_roughly(_data.read(X), 3, tol=tol) for tol in (1e-2, 0))
    assert rough.converged
    assert fine.converged
    assert len(rough.history) < len(fine.history)
    assert fine.history[: len(rough.history)] == rough.history
    assert abs(fine.history[-1] - rough.history[-1]) <= 1e-2 * fine.history[-1]
    single = flat.lead_roughly(_data.read(X.astype(np.float32)), 3, tol=0)
    assert single.converged
    assert len(single.history) < len(fine.history)
    np.testing.assert_allclose(single.alpha, fine.alpha, atol=1e-3)
