"""The tree that includes features: what it proves, finds, and leaves open."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from oracles import pencil as oracle

from specsel import datasets
from specsel._exact import include


def advance(tree, budget):
    with ThreadPoolExecutor(2) as threads:
        return tree.advance(threads, budget)


def pairs():
    for seed in range(30):
        n = 4 + seed % 5
        make = datasets.brownian_pair if seed % 2 else datasets.wishart_pair
        A, B = make(n, rank=(None, 1, 2)[seed % 3], random_state=seed)
        if seed % 7 == 3:
            A = A - 2 * np.diag(np.arange(n))
        yield A, B


def search(A, B, k, support, budget=1e4):
    """Search from a support, as its user does: what is found sets the next threshold."""
    n = len(A)
    support = np.isin(np.arange(n), support)
    value = oracle.pencil_value(A, B, np.flatnonzero(support))

    def threshold():
        return (value + 1e-9 * max(abs(value), 1e-3)) * B - A

    tree = include.Include(n, k, np.full(n, -1))
    tree.begin(threshold(), support)
    while not tree.done:
        assert not tree.doubtful
        known = value
        for mask in advance(tree, budget):
            more = [j for j in range(n) if not mask[j]]
            for rest in itertools.combinations(more, k - int(mask.sum())):
                members = np.sort([*np.flatnonzero(mask), *rest])
                if oracle.pencil_value(A, B, members) > value:
                    value = oracle.pencil_value(A, B, members)
                    support = np.isin(np.arange(n), members)
        if value > known:
            tree.renew(threshold(), support)
    return value


def test_it_ends_with_the_enumerated_optimum_from_any_start(rng):
    for A, B in pairs():
        for k in range(1, len(A) + 1):
            start = rng.permutation(len(A))[:k]
            best = oracle.best_subsets(A, B, k)[0][1]
            assert search(A, B, k, start) == pytest.approx(best, rel=1e-8)


def test_features_that_are_always_included():
    A, B = datasets.wishart_pair(8, random_state=4)
    order = [0, 1, 3, 4, 6, 7, 2, 5]  # the last two are in every support
    best, value = oracle.best_subsets(A, B, 4, always=[2, 5])[0]
    for factor, expected in ((1 + 1e-7, 0), (1 - 1e-7, 1)):
        matrix = (value * factor * B - A)[np.ix_(order, order)]
        tree = include.Include(6, 2, np.full(6, -1))
        tree.begin(matrix, np.zeros(6, bool))
        found = []
        while not tree.done and not found:
            found = advance(tree, 1e6)
        assert len(found) == expected
        for mask in found:
            assert {order[i] for i in np.flatnonzero(mask)} <= {*best}


def test_ties_are_searched_for_smaller_supports_alone():
    """All features are alike: any support ties, and those before the incumbent are found."""
    n, k = 6, 3
    A = np.full((n, n), 0.3) + 0.7 * np.eye(n)
    incumbent = np.array([0, 0, 0, 1, 1, 1], bool)
    tree = include.Include(n, k, np.full(n, -1))
    tree.begin((1.6 - 1e-9) * np.eye(n) - A, incumbent, ties=True)
    found = []
    while not tree.done:
        found.extend(advance(tree, 1e6))
    assert all(np.flatnonzero(mask).tolist() < [3, 4, 5] for mask in found)
    assert [0, 1, 2] in [np.flatnonzero(mask).tolist() for mask in found]
    tree.begin((1.6 - 1e-9) * np.eye(n) - A, np.array([1, 1, 1, 0, 0, 0], bool), ties=True)
    assert advance(tree, 1e6) == []
    assert tree.done


def test_open_nodes_cover_what_is_left():
    """Wherever it stops, the optimum lies in an open node, unless it is the incumbent."""
    A, B = datasets.brownian_pair(10, random_state=1)
    best, value = oracle.best_subsets(A, B, 5)[0]
    tree = include.Include(10, 5, np.full(10, -1))
    tree.begin(0.999 * value * B - A, np.zeros(10, bool))
    for _ in range(200):
        if tree.done or advance(tree, 50):
            break
        assert any(
            {*base} <= {*best} <= {*base, *free} and len(base) + take == 5
            for base, free, take in tree.remaining()
        )
    else:
        pytest.fail("nothing found")


def test_nearly_singular_pencils_are_left_to_the_other_tree():
    b = np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    assert include.Include.suits(b, 3, 2)
    assert not include.Include.suits(b, 3, 0)
    assert not include.Include.suits(b, 3000, 2)  # its stacks would not have room
    for least, suits in ((1e-4, True), (1e-6, False)):
        b[0, 1] = b[1, 0] = 1 - least
        assert include.Include.suits(b, 3, 2) is suits


@pytest.mark.parametrize(("pivot", "doubtful"), [(1e-2, False), (1e-7, True)])
def test_growth_makes_a_search_doubtful(pivot, doubtful):
    matrix = np.array([[pivot, 0.5, 0.5], [0.5, 1, 0], [0.5, 0, 1]])
    tree = include.Include(3, 2, np.full(3, -1))
    tree.begin(matrix, np.zeros(3, bool))
    advance(tree, 1e6)
    assert tree.doubtful is doubtful
