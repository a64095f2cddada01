"""The compiled descent by itself: what it leaves open, what it finds, and ties."""

import itertools

import numpy as np
import pytest
from instances import KINDS, enumerate_all, pencil, tolerance, value, wishart

from specsel._exact import descent, exclude, problem, search


def open_supports(tree):
    """The supports of all open nodes."""
    for base, free, choose in tree.exclude.remaining():
        for rest in itertools.combinations(free.tolist(), choose):
            yield tuple(sorted((*base.tolist(), *rest)))


def started(A, B, k, support, **options):
    tree = search.Search(problem.Problem(A, B, k), support, **options)
    tree.plant()
    return tree


def comes_first(support, groups):
    """Whether it holds the first features of every group of those that are alike."""
    for group in {*groups[groups >= 0].tolist()}:
        held = np.isin(np.flatnonzero(groups == group), support)
        if (np.diff(held.astype(int)) > 0).any():
            return False
    return True


def walk(tree):
    """Descend a node at a time; yield what was found so far."""
    stack, known = tree.exclude.stacks[0], []
    while stack.state[descent.DEPTH] >= 0:
        descent.descend(stack, tree.rules, 1.0)
        if stack.state[descent.FOUND]:
            known.append(tree.problem.support(stack.found))
            stack.state[descent.FOUND] = 0
        yield known


@pytest.mark.parametrize("kind", KINDS)
def test_every_better_support_is_found_or_open(kind):
    better, ties = 0, 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        A, B = pencil(rng, kind, 8)
        k = int(rng.integers(2, 7))
        supports, values = enumerate_all(A, B, k)
        error = tolerance(A, B, values.max())
        last_of_best = max(supports[i] for i in np.flatnonzero(values > values.max() - error))
        like_median = np.abs(values - np.sort(values)[len(values) // 2]) < error
        first_of_middle = min(supports[i] for i in np.flatnonzero(like_median))
        for start in (supports[int(values.argmin())], last_of_best, first_of_middle):
            tree = started(A, B, k, start)
            tree.rules = tree.rules._replace(incumbent=np.isin(np.arange(8), start))
            wanted = {
                support
                for support, worth in zip(supports, values, strict=True)
                if comes_first(support, tree.problem.groups)
                and (
                    worth > tree.level + 2 * error
                    or (worth > tree.level - error / 8 and support < start)
                )
            }
            known = []
            for known in walk(tree):
                assert wanted <= {*known, *open_supports(tree)}
            assert all(value(A, B, support) >= tree.level - error for support in known)
            better += len(wanted)
            ties += len([s for s in wanted if value(A, B, s) < tree.level + error])
    assert better > 50
    assert ties > 0 or kind not in ("duplicates", "zero", "block")


def test_nothing_is_lost_where_parts_are_singular():
    """Dropping feature 0 leaves a singular matrix: its diagonal in the inverse is rounding."""
    negative = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        axes = np.linalg.qr(rng.standard_normal((7, 7)))[0]
        matrix = np.eye(8)
        matrix[1:, 1:] = axes * [-2, -1, 0, 1, 1, 2, 2] @ axes.T
        matrix[0, 1:] = matrix[1:, 0] = rng.standard_normal(7)
        tree = started(np.zeros((8, 8)), np.eye(8), 4, range(4))
        tree.rules = tree.rules._replace(
            above=matrix, below=matrix, groups=np.full(8, -1), incumbent=np.zeros(8, bool)
        )
        wanted = {
            support
            for support in itertools.combinations(range(8), 4)
            if np.linalg.eigvalsh(matrix[np.ix_(support, support)])[0] < -1e-6
        }
        for known in walk(tree):
            assert wanted <= {*known, *open_supports(tree)}
        negative += len(wanted)
    assert negative > 1000


def test_children_carry_the_inverse_of_what_is_left(rng):
    A, B = wishart(rng, 12), wishart(rng, 12)
    tree = started(A, B, 5, range(5))
    stack, table = tree.exclude.stacks[0], tree.exclude.stacks[0].table
    compared = 0
    for _ in range(60):
        descent.descend(stack, tree.rules, 1.0)
        stack.state[descent.FOUND] = 0
        depth = stack.state[descent.DEPTH]
        if depth < 1 or table[depth, descent.VERSION] < 0 or table[depth, descent.CLOSED]:
            continue
        kept, free, _ = exclude.open_part(stack, depth)
        first = table[depth, descent.KEPT] - table[depth, descent.FIRST]
        size = len(free) + first
        matrix = tree.rules.above if table[depth, descent.STRICT] else tree.rules.below
        members = np.concatenate((free, kept)).astype(int)
        inverse = np.linalg.inv(matrix[np.ix_(members, members)])[: len(free), : len(free)]
        carried = descent._inverse(stack, depth).reshape(size, size)[first:, first:]
        upper = np.triu_indices(len(free))
        size_of_entries = np.abs(inverse).max()
        np.testing.assert_allclose(carried[upper], inverse[upper], atol=1e-6 * size_of_entries)
        compared += 1
    assert compared > 20
