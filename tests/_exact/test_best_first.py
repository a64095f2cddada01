"""The best-first tree alone, against enumeration."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from instances import pencil
from oracles import pencil as oracle

from specsel import _pencil
from specsel._exact import best_first
from specsel._exact.best_first import BestFirst
from specsel._exact.incumbent import Incumbents
from specsel._exact.problem import TIE, Problem
from specsel.datasets import lda_problem, wishart_pair


def searched(problem, start, threads=2, limit=10**6):
    incumbents = Incumbents(problem, 1)
    incumbents.begin(start)
    tree = BestFirst(problem)
    with ThreadPoolExecutor(threads) as pool:
        while not tree.done and tree.nodes < limit:
            value = incumbents.value
            slack = problem.slack(value, TIE)
            mask = incumbents.mask
            for found in tree.advance(pool, value + slack, value - slack, mask, 1e5):
                incumbents.admit(found)
    return incumbents.best[0], tree


KINDS = ["rank one", "rank three", "near singular", "duplicates", "integers", "identity", "zero"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_optimum_is_the_enumerated_one(kind):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 10))
        A, B = pencil(rng, kind, n)
        if np.linalg.eigvalsh(A)[0] < -1e-9:
            A = A @ A
        k = int(rng.integers(1, n + 1))
        always = [0] if seed % 3 == 0 and k > 1 else []
        criterion = ("trace", "logdet")[seed % 2]
        problem = Problem(A, B, k, always, criterion=criterion)
        (value, support), _ = searched(problem, range(k))
        [(expected, best)] = oracle.best_subsets(A, B, k, always=always, criterion=criterion)
        cond = 1 / np.linalg.eigvalsh(problem.b)[0]
        assert value == pytest.approx(best, rel=1e-9 + 1e-14 * cond, abs=1e-14)
        if cond < 1e5:
            assert list(support) == expected


def test_a_bound_holds_at_every_moment():
    for seed in range(10):
        A, B = wishart_pair(12, rank=1 + seed % 3, random_state=seed)
        criterion = ("trace", "logdet")[seed % 2]
        problem = Problem(A, B, 5, criterion=criterion)
        best = oracle.best_subsets(A, B, 5, criterion=criterion)[0][1]
        tree, mask = BestFirst(problem), problem.mask(range(5))
        low, before = problem.value((0, 1, 2, 3, 4)), np.inf
        with ThreadPoolExecutor(1) as pool:
            while not tree.done:
                found = tree.advance(pool, low, low, mask, 1.0)
                low = max([low, *(problem.value(problem.support(one)) for one in found)])
                assert max(tree.bound, low) >= best * (1 - 1e-9)
                assert tree.bound <= before
                before = tree.bound
        assert low == pytest.approx(best)


def test_the_outcome_does_not_depend_on_threads_and_room_only_changes_the_order(monkeypatch):
    data = lda_problem(40, n_samples=200, correlation=0.8, random_state=3)
    A, B = _pencil.from_data(data.X, data.y).matrices
    problem = Problem(A, B, 7)
    runs = [searched(problem, range(7), threads) for threads in (1, 2, 5)]
    assert len({(value, support, tree.nodes) for (value, support), tree in runs}) == 1
    assert runs[0][1].nodes > 20
    monkeypatch.setattr(best_first, "ROOM", 500.0)
    (value, support), _ = searched(problem, range(7))
    assert (value, support) == runs[0][0]
