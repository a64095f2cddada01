"""Packed matrices against numpy: products, eigenvectors, counts of eigenvalues."""

import numpy as np
import pytest
from oracles import simulation as oracle

from specsel._simulation import packed


def packed_of(G):
    return G[np.tril_indices(len(G))]


def with_spectrum(rng, values):
    axes = np.linalg.qr(rng.standard_normal((len(values), len(values))))[0]
    return axes * values @ axes.T, axes


@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_products_are_those_of_the_matrix(n, rng):
    G = oracle.unpacked(rng.standard_normal(n * (n + 1) // 2), n)
    vector, out = rng.standard_normal(n), np.full(n, np.nan)
    packed.product(packed_of(G), vector, out)
    np.testing.assert_allclose(out, G @ vector, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 30, 150])
def test_leading_vectors_are_those_of_a_full_eigen_solve(n, rng):
    for _ in range(5):
        G = oracle.unpacked(rng.standard_normal(n * (n + 1) // 2) + 0.1, n)
        vector = rng.standard_normal(n)
        value, error = packed.leading(packed_of(G), vector, False)
        values, axes = np.linalg.eigh(G)
        assert value == pytest.approx(values[-1], abs=1e-11 * n)
        assert np.linalg.norm(vector) == pytest.approx(1)
        away = np.linalg.norm(vector - axes[:, -1] * np.sign(axes[:, -1] @ vector))
        assert away < 1e-9
        assert error <= packed.ERROR_FLOOR


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-5])
def test_a_narrow_gap_takes_restarts_and_is_found(gap, rng):
    G, axes = with_spectrum(rng, np.append(np.linspace(-1, 1, 139), 1 + gap))
    vector = rng.standard_normal(140)
    value, _ = packed.leading(packed_of(G), vector, False)
    assert value == pytest.approx(1 + gap, abs=1e-12)
    assert abs(vector @ axes[:, -1]) == pytest.approx(1, abs=1e-10)


def test_the_error_is_not_underestimated_when_only_signs_matter(rng):
    for _ in range(200):
        G = oracle.unpacked(rng.standard_normal(25 * 26 // 2) + 0.8, 25)
        vector = rng.standard_normal(25)
        _, error = packed.leading(packed_of(G), vector, True)
        exact = np.linalg.eigh(G)[1][:, -1]
        assert np.linalg.norm(vector - exact * np.sign(exact @ vector)) <= error + 1e-12


def test_a_repeated_eigenvalue_does_not_end_the_tridiagonal_form():
    entries = np.zeros(10)
    entries[[0, 2, 5, 9]] = 2.0, 2.0, 2.0, 1.0  # diag(2, 2, 2, 1)
    diagonal, beside = np.empty((2, 4))
    packed.tridiagonal(entries, np.array([1.0, 2.0, 3.0, 5.0]), diagonal, beside)
    assert [packed.count_above(diagonal, beside, bound) for bound in (0.5, 1.5, 2.5)] == [4, 3, 0]


def test_the_tridiagonal_form_has_the_same_eigenvalues(rng):
    G = oracle.unpacked(rng.standard_normal(30 * 31 // 2), 30)
    diagonal, beside = np.empty((2, 30))
    packed.tridiagonal(packed_of(G), rng.standard_normal(30), diagonal, beside)
    T = np.diag(diagonal) + np.diag(beside[:29], 1) + np.diag(beside[:29], -1)
    values = np.linalg.eigvalsh(G)
    np.testing.assert_allclose(np.linalg.eigvalsh(T), values, atol=1e-10)
    for count in range(29):
        between = (values[count] + values[count + 1]) / 2
        assert packed.count_above(diagonal, beside, between) == 29 - count


def test_positive_is_of_one_sign_beyond_the_error():
    assert packed.positive(np.array([0.1, 0.2]), 0.05)
    assert packed.positive(np.array([-0.1, -0.2]), 0.05)
    assert not packed.positive(np.array([0.1, 0.2]), 0.1)
    assert not packed.positive(np.array([0.1, -0.2]), 0.0)


def test_signs_are_certain_where_the_error_cannot_change_them():
    assert packed._certain(np.array([0.3, -0.2]), 0.1)
    assert packed._certain(np.array([0.3, 0.2]), 0.1)
    assert not packed._certain(np.array([0.3, 0.05]), 0.1)
    assert not packed._certain(np.array([0.3, -0.05]), 0.1)
