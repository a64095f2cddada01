"""The whole search: against enumeration, with limits, and ended early."""

import itertools

import numpy as np
import pytest
from instances import KINDS, enumerate_all, pencil, tolerance, value, wishart

from specsel._exact import search
from specsel._exact.problem import Problem


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_no_node_that_holds_the_optimum_is_pruned(kind, plain, monkeypatch):
    monkeypatch.setattr(search, "CHUNK", 1)
    monkeypatch.setattr(search, "FIRST_CHUNK", 1)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n = 8
        A, B = pencil(rng, kind, n)
        k = int(rng.integers(2, 7))
        supports, values = enumerate_all(A, B, k)
        worth = dict(zip(supports, values, strict=True))
        best = values.max()
        error = tolerance(A, B, best)
        tree = search.Search(Problem(A, B, k), supports[int(values.argmin())], plain=plain)

        def check(incumbent, bound, *_, tree=tree, best=best, error=error, values=worth):
            left = [-np.inf]
            for base, free, choose in tree.exclude.remaining():
                for rest in itertools.combinations(free.tolist(), choose):
                    left.append(values[tuple(sorted((*base.tolist(), *rest)))])
            assert max(incumbent, *left) >= best - error
            assert bound >= best - error
            assert tree.bound_of(tree.exclude.remaining()) >= max(left) - error

        assert tree.run(report=check) == "optimal"


@pytest.mark.parametrize("exponent", range(3, 11))
def test_no_false_proof_where_nearly_singular(exponent):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((10, 20))
        A, B = wishart(rng, 20, 1 if seed % 2 else None), rows.T @ rows / 10
        B += 10.0**-exponent * np.eye(20)
        k = (3, 17)[seed // 2 % 2]
        supports = list(itertools.combinations(range(20), k))
        index = np.array(supports)
        parts = [matrix[index[:, :, None], index[:, None]] for matrix in (A, B)]
        lower = np.linalg.inv(np.linalg.cholesky(parts[1]))
        values = np.linalg.eigvalsh(lower @ parts[0] @ lower.transpose(0, 2, 1))[:, -1]
        best = values.max()
        start = supports[int(values.argmin())]

        def deceive(support, A=A, B=B, start=start, best=best):
            return best * (1 - 1e-5) if support == start else value(A, B, support)

        problem = Problem(A, B, k)
        problem.value = deceive
        tree = search.Search(problem, start)
        assert tree.run() == "optimal"
        found = tree.outcome("optimal")
        assert found.values[0] > best * (1 - 1e-6)
