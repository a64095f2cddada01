"""A, B and k in the order and scale of the trees."""

import itertools

import mpmath
import numpy as np
import pytest
from instances import value, wishart
from scipy.linalg import eigh

from specsel import eslda, gslda
from specsel._exact import problem


def test_features_that_all_supports_hold_come_last(rng):
    A, B = wishart(rng, 6), wishart(rng, 6)
    task = problem.Problem(A, B, 4, always=[4, 1])
    assert task.features.tolist() == [0, 2, 3, 5, 1, 4]
    assert (task.n, task.choose) == (4, 2)
    np.testing.assert_allclose(task.b.diagonal(), 1)
    mask = task.mask((1, 2, 4, 5))
    assert mask.tolist() == [False, True, False, True]
    assert task.support(mask) == (1, 2, 4, 5)


def test_neither_order_nor_scale_changes_values(rng):
    A, B = wishart(rng, 6), wishart(rng, 6)
    task = problem.Problem(A, B, 3, always=[2])
    for support in ((0, 2, 4), (1, 2, 5)):
        places = [task.features.tolist().index(feature) for feature in support]
        assert task.value(support) == pytest.approx(value(A, B, support))
        assert task.value(support) == pytest.approx(value(task.a, task.b, places))


def test_a_support_worth_more_has_a_negative_eigenvalue(rng):
    A, B = wishart(rng, 6), wishart(rng, 6)
    task = problem.Problem(A, B, 3)
    worth = task.value((0, 2, 4))
    for factor in (0.9, 1.1):
        part = task.matrix(worth * factor)[np.ix_([0, 2, 4], [0, 2, 4])]
        assert (np.linalg.eigvalsh(part)[0] < 0) == (factor < 1)


def test_features_that_are_alike_have_one_group(rng):
    pick = [0, 1, 0, 2, 1]
    A = wishart(rng, 3)[np.ix_(pick, pick)]
    B = wishart(rng, 3)[np.ix_(pick, pick)] + np.eye(5)
    assert problem.Problem(A, B, 2).groups.tolist() == [0, 1, 0, -1, 1]
    assert problem.Problem(A, B, 2, several=True).groups.tolist() == [-1] * 5


def test_no_value_exceeds_the_highest(rng):
    A, B = wishart(rng, 6), wishart(rng, 6)
    largest = eigh(A, B, eigvals_only=True)[-1]
    assert largest <= problem.highest(A, B, 3) <= largest * (1 + 1e-8)


def exact_value(A, B, support):
    """``λ_max(A_S, B_S)`` to 60 digits."""
    part = np.ix_(support, support)
    with mpmath.workdps(60):
        a, b = (mpmath.matrix(matrix[part].tolist()) for matrix in (A, B))
        inverse = mpmath.cholesky(b) ** -1
        reduced = inverse * a * inverse.T
        return max(mpmath.eigsy((reduced + reduced.T) / 2, eigvals_only=True))


@pytest.mark.parametrize("e", [1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("width", [3, 6])
@pytest.mark.parametrize("sign", [-1, 1])
def test_optimal_means_within_the_stated_error(sign, width, e):
    """The worse the condition of B, the less can be promised; the promise must say so."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        F, H = rng.standard_normal((6, 3)), rng.standard_normal((6, width))
        A, B = sign * H @ H.T, F @ F.T + e * np.eye(6)
        for k in (6, 2 + seed % 4):
            try:
                found = eslda.solve_pair(A, B, k)
            except ValueError as error:
                assert "not positive definite" in str(error)  # noqa: PT017
                continue
            best = max(exact_value(A, B, S) for S in itertools.combinations(range(6), k))
            assert found.status == "optimal"
            assert found.bound + found.error >= best
            assert abs(found.value - exact_value(A, B, found.support)) <= found.error


def test_the_stated_error_is_small_where_b_is_well_conditioned(rng):
    A, B = wishart(rng, 12), wishart(rng, 12) + np.eye(12)
    found = eslda.solve_pair(A, B, 4)
    assert found.error <= 1e-8 * found.value
    assert np.isinf(gslda.solve_pair(A, B)[4].error)
