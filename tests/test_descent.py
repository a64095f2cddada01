"""The compiled descent by itself: what it leaves open, what it finds, and ties."""

import itertools

import numpy as np
import pytest
from instances import KINDS, enumerate_all, pencil, tolerance, value, wishart

from specsel import bounds, descent, trees


def open_supports(search):
    """The supports of all open nodes."""
    for base, free, choose in search.remaining():
        for rest in itertools.combinations(free.tolist(), choose):
            yield tuple(sorted((*base.tolist(), *rest)))


def started(A, B, k, support, **options):
    search = trees.Search(A, B, k, **options)
    search.begin(support)
    search._set_up()
    return search


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_at_a_time_every_better_support_is_found_or_open(kind):
    found = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        A, B = pencil(rng, kind, 8)
        k = int(rng.integers(2, 7))
        supports, values = enumerate_all(A, B, k)
        start = supports[int(values.argmin())]
        search = started(A, B, k, start)
        stack, rules = search.stacks[0], search.rules
        known = []
        error = tolerance(A, B, values.max())
        while stack.state[descent.DEPTH] >= 0:
            descent.descend(stack, rules, 1.0)
            if stack.state[descent.FOUND]:
                known.append(search._support(stack.found))
                stack.state[descent.FOUND] = 0
            left = {*open_supports(search)}
            for support, worth in zip(supports, values, strict=True):
                if worth > search.level + 2 * error:
                    group_of_ties = (search.groups >= 0).any()
                    assert group_of_ties or support in left or support in known
        assert all(value(A, B, support) >= search.level - error for support in known)
        found += len(known)
    assert found > 0 or kind == "zero"


def test_children_carry_the_inverse_of_what_is_left(rng):
    A, B = wishart(rng, 12), wishart(rng, 12)
    search = started(A, B, 5, range(5))
    stack, table = search.stacks[0], search.stacks[0].table
    compared = 0
    for _ in range(60):
        descent.descend(stack, search.rules, 1.0)
        stack.state[descent.FOUND] = 0
        depth = stack.state[descent.DEPTH]
        if depth < 1 or table[depth, descent.VERSION] < 0 or table[depth, descent.CLOSED]:
            continue
        kept, free, _ = search._open(stack, depth)
        first = table[depth, descent.KEPT] - table[depth, descent.FIRST]
        size = len(free) + first
        matrix = search.rules.tight if table[depth, descent.STRICT] else search.rules.loose
        members = np.concatenate((free, kept)).astype(int)
        inverse = np.linalg.inv(matrix[np.ix_(members, members)])[: len(free), : len(free)]
        carried = descent._inverse(stack, depth).reshape(size, size)[first:, first:]
        upper = np.triu_indices(len(free))
        size_of_entries = np.abs(inverse).max()
        np.testing.assert_allclose(carried[upper], inverse[upper], atol=1e-6 * size_of_entries)
        compared += 1
    assert compared > 20


def test_the_lowest_of_ties_is_found():
    matrix = np.eye(6)
    matrix[3:, 3:] = -1.0
    support = np.array([0, 0, 0, 0, 1, 1], bool)
    lowest = descent.lowest(matrix, support)
    assert np.flatnonzero(lowest).tolist() == [0, 3]
    assert bounds.is_negative(matrix[np.ix_([0, 3], [0, 3])].copy())
