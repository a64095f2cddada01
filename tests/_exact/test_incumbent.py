"""Which of two supports is better, and how ties go to the smallest one."""

import itertools

import numpy as np
from instances import value, wishart

from specsel._exact import incumbent, inverses, problem


def masks(n, k):
    """All supports of k of n features, in lexicographic order."""
    for support in itertools.combinations(range(n), k):
        yield np.isin(np.arange(n), support)


def test_the_best_come_first(rng):
    A, B = wishart(rng, 7), wishart(rng, 7)
    best = incumbent.Incumbents(problem.Problem(A, B, 3), top=4)
    everything = list(masks(7, 3))
    for i in rng.permutation(len(everything)):
        best.admit(everything[i])
    values = sorted((value(A, B, np.flatnonzero(mask)) for mask in everything), reverse=True)
    np.testing.assert_allclose([found for found, _ in best.best], values[:4])
    assert best.value == best.best[-1][0]
    assert np.flatnonzero(best.mask).tolist() == list(best.best[-1][1])


def test_ties_go_to_the_smallest_support_in_whatever_order_they_come(rng):
    problem_of_ties = problem.Problem(np.eye(5), np.eye(5), 2)
    for top in (1, 3):
        best = incumbent.Incumbents(problem_of_ties, top)
        everything = list(masks(5, 2))
        for i in rng.permutation(len(everything)):
            best.admit(everything[i])
        assert [support for _, support in best.best] == [(0, 1), (0, 2), (0, 3)][:top]


def test_values_that_differ_by_rounding_are_ties(rng):
    nearly = problem.Problem(np.diag([0.5, 1, 1 + 1e-15, 1 - 1e-15]), np.eye(4), 1)
    for _ in range(10):
        best = incumbent.Incumbents(nearly, top=3)
        for feature in rng.permutation(4):
            best.admit(np.arange(4) == feature)
        assert [support for _, support in best.best] == [(1,), (2,), (3,)]


def test_none_is_there_twice():
    best = incumbent.Incumbents(problem.Problem(np.diag([1.0, 3, 2]), np.eye(3), 1), top=2)
    for feature in (1, 1, 0):
        best.admit(np.arange(3) == feature)
    assert [support for _, support in best.best] == [(1,), (0,)]


def test_the_version_counts_changes_alone():
    best = incumbent.Incumbents(problem.Problem(np.diag([1.0, 3, 2]), np.eye(3), 1), top=1)
    versions = []
    for feature in (0, 0, 1, 2):
        best.admit(np.arange(3) == feature)
        versions.append(best.version)
    assert versions == [1, 1, 2, 2]


def test_several_set_out_from_neighbours_of_the_start():
    A = np.diag([5.0, 4, 3, 2, 1])
    best = incumbent.Incumbents(problem.Problem(A, np.eye(5), 2, several=True), top=3)
    best.begin((3, 4))
    assert len(best.best) == 3
    assert all(len({*support} & {3, 4}) >= 1 for _, support in best.best)


def test_which_support_precedes():
    supports = list(masks(5, 3))
    for (i, one), (j, other) in itertools.product(enumerate(supports), repeat=2):
        assert incumbent.precedes(one, other) == (i < j)


def test_the_lowest_of_ties_is_found():
    matrix = np.eye(6)
    matrix[3:, 3:] = -1.0
    support = np.array([0, 0, 0, 0, 1, 1], bool)
    lowest = incumbent.lowest(matrix, support)
    assert np.flatnonzero(lowest).tolist() == [0, 3]
    assert inverses.is_negative(matrix[np.ix_([0, 3], [0, 3])].copy())
