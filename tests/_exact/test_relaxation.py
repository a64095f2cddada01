"""Bounds of unfinished searches, against enumeration."""

import itertools

import numpy as np
import pytest
from instances import KINDS, pencil, tolerance, value
from scipy.linalg import eigh

from specsel._exact import inverses, relaxation


def test_the_relaxation_holds():
    told = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 9))
        A, B = pencil(rng, KINDS[seed % 5], n)
        n_free = int(rng.integers(2, n + 1))
        choose = int(rng.integers(1, n_free))
        kept = tuple(range(n_free, n))
        best = max(
            value(A, B, (*rest, *kept)) for rest in itertools.combinations(range(n_free), choose)
        )
        error = tolerance(A, B, best)
        whole = eigh(A, B, eigvals_only=True)[-1]
        assert not relaxation.is_empty_relaxed((best - error) * B - A, n_free, choose)
        for share in (0.3, 0.6, 0.9):
            level = best + share * (whole - best)
            if level > best + 10 * error:
                told += relaxation.is_empty_relaxed(level * B - A, n_free, choose)
    assert told > 50


def plain(matrix, n_free, choose):
    return inverses.is_empty(matrix, n_free, choose, False)


@pytest.mark.parametrize("kind", KINDS)
def test_no_support_of_the_nodes_exceeds_the_ceiling(kind):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        A, B = pencil(rng, kind, 9)
        k = int(rng.integers(2, 7))
        order = rng.permutation(8)
        nodes = [
            (order[:1], order[1:6], k - 2),  # feature 8 is in every support
            (order[2:4], np.sort(order[4:]), k - 3) if k > 3 else (order[:0], order[3:], k - 1),
        ]
        supports = {
            (*kept.tolist(), *rest, 8)
            for kept, free, choose in nodes
            for rest in itertools.combinations(free.tolist(), choose)
        }
        values = [value(A, B, sorted(support)) for support in supports]
        error = tolerance(A, B, max(values))
        high = eigh(A, B, eigvals_only=True)[-1] + error
        for tests in ([plain], [plain, relaxation.is_empty_relaxed]):
            found = relaxation.ceiling(A, B, 8, nodes, min(values), high, tests)
            assert found >= max(values) - error
            assert found <= high


def test_the_relaxation_lowers_the_ceiling_where_few_are_chosen():
    lower = 0
    for seed in range(5):
        A, B = pencil(np.random.default_rng(seed), "rank one", 30)
        root = [(np.empty(0, int), np.arange(30), 3)]
        high = eigh(A, B, eigvals_only=True)[-1]
        low = max(value(A, B, [i, i + 1, i + 2]) for i in range(28))
        bare = relaxation.ceiling(A, B, 30, root, low, high, [plain])
        tests = [plain, relaxation.is_empty_relaxed]
        lower += relaxation.ceiling(A, B, 30, root, low, high, tests) < bare
    assert lower == 5
