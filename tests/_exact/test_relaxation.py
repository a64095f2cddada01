"""Bounds of unfinished searches, against enumeration."""

import itertools

import numpy as np
import pytest
from instances import KINDS, pencil, tolerance, value
from scipy.linalg import eigh
from scipy.optimize import minimize

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


def test_the_threshold_makes_the_shares_add_up():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 12))
        choose = int(rng.integers(1, n))
        lengths = np.where(rng.random(n) < 0.7, rng.exponential(1, n), 0.0)
        if seed % 3 == 0:
            lengths = lengths.round(1)
        found = relaxation.threshold_of(lengths, choose, 8.0)
        if (lengths > 0).sum() <= choose:
            assert found == 4.0
        else:
            assert np.minimum(1, lengths / found).sum() == pytest.approx(choose)


def test_the_relaxation_is_minimised():
    """Compare with a general solver."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n, choose = 12, 3
        rows = rng.standard_normal((20, n)) / 4
        split, share, target = rows.T @ rows, 0.3, rng.standard_normal(n)

        def value(x, split=split, share=share, target=target, choose=choose):
            rest = np.sort((target - split @ x) ** 2)
            return x @ split @ x + rest[-choose:].sum() / share

        found = relaxation._relax(split, target, share, choose, 0.0)
        begins = [np.zeros(n), np.linalg.solve(split + share * np.eye(n), target)]
        options = {"maxiter": 40_000, "maxfev": 40_000, "adaptive": True, "xatol": 1e-9}
        best = min(
            minimize(value, begin, method="Nelder-Mead", options=options).fun for begin in begins
        )
        assert found <= best * 1.01
        early = relaxation._relax(split, target, share, choose, 1.2 * found)
        assert found <= early <= 1.2 * found
