"""The Krylov method whose weights come with their affinity."""

import numpy as np
import pytest
from oracles import weighing as oracle

from specsel import _data
from specsel._qalpha import whole


def grouped(q, n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((q, n))
    X[:, : n // 10] += 3 * rng.standard_normal(q)[:, None]
    return X


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("seed", range(3))
def test_the_tolerance_is_kept(tol, seed):
    X = grouped(20, 300, seed)
    largest = oracle.leading(oracle.squared(oracle.standardise(X)))[1]
    found = whole.lead(_data.read(X), tol=tol)
    assert found.converged
    assert largest * (1 - tol) <= found.history[-1] <= largest * (1 + 1e-12)
    assert (np.diff(found.history) >= -1e-12 * largest).all()


def test_a_pass_a_value_and_few_of_them():
    data = _data.read(grouped(50, 2000))
    before = data.passes
    found = whole.lead(data, tol=1e-6)
    assert data.passes - before == len(found.history) <= 5


@pytest.mark.parametrize("most", [6, 60])
def test_weights_are_exact_however_few_are_kept(most, monkeypatch):
    """A form with eigenvalues of both signs, near each other: many passes and restarts."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 60))
    M, J = oracle.standardise(X), rng.standard_normal((12, 12))
    J = J + J.T

    def form(affinity):
        product = J @ affinity
        return product + product.T

    monkeypatch.setattr(whole, "MOST_KEPT", most)
    found = whole.lead(_data.read(X), form, tol=0)
    affinities = np.einsum("is,it->ist", M, M)
    matrix = np.einsum("ist,jst->ij", affinities, [form(one) for one in affinities])
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    assert found.converged
    assert found.history[-1] == pytest.approx(values[-1], rel=1e-11)
    assert abs(found.alpha @ vectors[:, -1]) == pytest.approx(1, abs=1e-10)
    np.testing.assert_allclose(found.affinity, oracle.affinity(M, found.alpha), atol=1e-9)


def test_a_loose_tolerance_is_kept_where_values_far_below_are_found_first():
    """Most of what the form takes away is found in the first step."""
    X = np.random.default_rng(0).standard_normal((12, 60))

    def form(affinity):
        return affinity - 10 * np.trace(affinity) * np.eye(12)

    exact = whole.lead(_data.read(X), form, tol=0).history[-1]
    found = whole.lead(_data.read(X), form, tol=1e-3).history[-1]
    assert found == pytest.approx(exact, rel=1e-3)


def test_values_below_0_are_not_taken_for_the_leading_one(rng):
    """Equal weights are next to a vector of the least eigenvalue, which is large."""
    X = rng.standard_normal((20, 60))
    M = oracle.standardise(X)
    found = whole.lead(_data.read(X), lambda A: A - 100 * A.trace() * np.eye(20), tol=1e-6)
    largest = np.linalg.eigvalsh(oracle.squared(M) - 100)[-1]
    assert found.history[-1] == pytest.approx(largest, rel=1e-6)


def test_weights_are_found_though_equal_ones_have_no_part_in_them():
    X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    entry = np.outer([1.0, 0, 0, 0], [0, 1.0, 0, 0])
    found = whole.lead(_data.read(X), (entry + entry.T).__mul__, tol=1e-6)
    assert found.history[-1] == pytest.approx(1 / 4)
    np.testing.assert_allclose(np.abs(found.alpha), 0.5**0.5)


def test_affinities_are_those_of_their_weights_after_many_steps():
    """Differences of affinities lose digits from step to step; they are computed again then."""
    X = np.random.default_rng(0).standard_normal((60, 12))
    data = _data.read(X)
    shift = 5 * np.eye(60)
    space = whole.Krylov(data, lambda affinity: affinity - shift * affinity.trace(), np.ones(12))
    while space.extend():
        pass
    alphas = np.array(space.alphas)
    np.testing.assert_allclose(alphas @ alphas.T, np.eye(len(alphas)), atol=1e-12)
    M = oracle.standardise(X)
    for alpha, affinity in zip(alphas, space.affinities, strict=True):
        np.testing.assert_allclose(affinity, oracle.affinity(M, alpha), atol=1e-11)
