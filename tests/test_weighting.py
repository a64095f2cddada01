"""The parameter-free weighting against its definition."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsel import datasets, qalpha, weighting


@pytest.mark.parametrize("shape", [(8, 20), (20, 20), (30, 9), (12, 1), (5, 300), (2, 3)])
def test_weights_lead_the_matrix_of_squares(shape, rng):
    X = rng.standard_normal(shape) * rng.uniform(0.1, 10, shape[1]) + 3
    M = naive.standardise(X)
    expected, largest = naive.leading(naive.squared(M))
    got = weighting.solve(X)
    np.testing.assert_allclose(got.alpha, np.abs(expected), atol=1e-9)
    assert got.objective == pytest.approx(largest, rel=1e-10)
    A = naive.affinity(M, got.alpha)
    assert got.objective == pytest.approx(np.trace(A @ A), rel=1e-10)
    np.testing.assert_allclose(got.basis * got.eigenvalues @ got.basis.T, A, atol=1e-9)


@given(seed=st.integers(0, 2**20), n=st.integers(1, 40), q=st.integers(2, 20))
def test_weights_are_never_negative(seed, n, q):
    X = np.random.default_rng(seed).standard_normal((q, n))
    got = weighting.solve(X)
    assert (got.alpha >= 0).all()
    assert got.negative_share == 0
    H = naive.squared(naive.standardise(X))
    residual = H @ got.alpha - got.objective * got.alpha
    assert np.linalg.norm(residual) <= 1e-8 * got.objective


def test_two_uncorrelated_groups_do_not_mix_signs():
    """H is block diagonal with equal blocks: any combination leads, but |α| does too."""
    signal = np.kron(np.array([[1, 1], [1, -1], [-1, 1], [-1, -1.0]]), np.ones((1, 3)))
    got = weighting.solve(signal)
    assert (got.alpha >= 0).all()
    assert got.objective == pytest.approx(3)


def test_float32_takes_no_more_passes(rng):
    X = rng.standard_normal((20, 600))
    single, double = weighting.solve(X.astype(np.float32)), weighting.solve(X)
    assert single.n_passes <= double.n_passes
    np.testing.assert_allclose(single.alpha, double.alpha, atol=1e-5)


def test_basis_has_no_more_columns_than_the_rank(rng):
    got = weighting.solve(np.repeat(rng.standard_normal((300, 5)), 3, axis=1))
    assert got.basis.shape == (300, 5)
    np.testing.assert_allclose(got.basis.T @ got.basis, np.eye(5), atol=1e-12)


def test_trace_of_the_affinity_is_the_sum_of_the_weights(rng):
    got = weighting.solve(rng.standard_normal((10, 30)))
    assert got.eigenvalues.sum() == pytest.approx(got.alpha.sum())


def test_relevant_features_stand_out_but_less_than_in_qalpha():
    def contrast(alpha, relevant):
        return alpha[relevant].mean() / np.delete(alpha, relevant).mean()

    for seed in range(3):
        data = datasets.four_gaussians(spread=8.0, random_state=seed)
        plain = contrast(weighting.solve(data.X).alpha, data.relevant)
        sharp = contrast(qalpha.solve(data.X, 3, method="basic").alpha, data.relevant)
        assert 1.1 < plain < sharp
