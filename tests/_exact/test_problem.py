"""A, B and k in the order and scale of the trees."""

import numpy as np
import pytest
from instances import value, wishart
from scipy.linalg import eigh

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
    assert largest <= problem.highest(A, B) <= largest * (1 + 1e-8)
