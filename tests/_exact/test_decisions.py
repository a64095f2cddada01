"""Nodes of the best-first tree: bounds and decisions against enumeration of their supports."""

import itertools

import numpy as np
import pytest
from instances import wishart
from oracles import pencil as oracle

from specsel._exact.decisions import Node, Task, condense, examine
from specsel._exact.perspective import Effort

EFFORT = Effort(rounds=2, sweeps=10, step=0.4, stop=0.0)


def problem(seed):
    rng = np.random.default_rng(seed)
    n, rank = int(rng.integers(4, 10)), int(rng.integers(1, 4))
    U, B = rng.standard_normal((rank, n)), wishart(rng, n)
    if seed % 4 == 1:
        B = wishart(rng, n, max(n // 2, 1)) + 10.0 ** -rng.integers(2, 8) * np.eye(n)
    if seed % 4 == 2:
        copies = rng.integers(0, n, n)
        U, B = U[:, copies], B[np.ix_(copies, copies)] + 0.01 * np.eye(n)
    if seed % 4 == 3:
        U, B = rng.integers(-1, 2, (rank, n)).astype(float), np.eye(n)
    scale = 1 / np.sqrt(np.diag(B))
    return rng, n, np.ascontiguousarray(U * scale), B * scale * scale[:, None]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("concave", [False, True])
def test_no_better_support_of_a_node_is_lost(concave, plain):
    criterion = "logdet" if concave else "trace"
    pruned = decided = 0
    for seed in range(150):
        rng, n, U, B = problem(seed)
        k = int(rng.integers(1, n + 1))
        order = rng.permutation(n)
        included = order[: rng.integers(0, min(k, n - 1) + 1)]
        free = order[len(included) : n - rng.integers(0, 2)]
        split = np.full(len(free), 0.9 * np.linalg.eigvalsh(B)[0])
        node = Node(included, free, split, np.zeros((len(U), len(free))))
        rest = itertools.combinations(free.tolist(), k - len(included))
        values = {
            frozenset((*included.tolist(), *more)): oracle.pencil_value(
                U.T @ U, B, sorted((*included.tolist(), *more)), criterion
            )
            for more in rest
        }
        best = max(values.values(), default=0.0)
        for share in (0.0, 0.5, 0.9, 0.999, 1.0):
            threshold = share * best
            found = examine(Task(B, U, k, concave, plain), node, threshold, EFFORT)
            better = {S for S, value in values.items() if value > threshold + 1e-7 * best}
            if found.bound == -np.inf:
                left = {frozenset(found.found.tolist())} if len(found.found) == k else set()
                assert better <= left
                pruned += 1
                continue
            for S in better:
                assert {*found.node.included.tolist()} <= S
                assert {*found.node.included.tolist(), *found.node.free.tolist()} >= S
                assert values[S] <= found.bound * (1 + 1e-9)
            decided += len(found.node.free) < len(free)
            assert 0 <= found.branch < len(found.node.free)
            if len(found.found):
                assert frozenset(found.found.tolist()) in values
    assert pruned > 50
    assert plain or decided > 30


def test_what_is_included_is_eliminated(rng):
    for seed in range(20):
        _, n, U, B = problem(seed)
        free, included = np.arange(2, n), np.array([1, 0])
        matrix, targets, inner, definite = condense(Task(B, U, 3, False, False), included, free)
        F, R = np.ix_(included, included), np.ix_(included, free)
        share = np.linalg.solve(B[F], B[R])
        assert definite
        np.testing.assert_allclose(matrix, B[np.ix_(free, free)] - B[R].T @ share, atol=1e-9)
        np.testing.assert_allclose(targets, U[:, free] - U[:, included] @ share, atol=1e-8)
        expected = U[:, included] @ np.linalg.solve(B[F], U[:, included].T)
        np.testing.assert_allclose(inner, expected, rtol=1e-6, atol=1e-9)
