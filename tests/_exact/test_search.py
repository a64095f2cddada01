"""The whole search: against enumeration, with limits, and ended early."""

import itertools
import os
import signal
import threading

import numpy as np
import pytest
from instances import KINDS, Clock, enumerate_all, pencil, tolerance, value, wishart
from scipy.linalg import eigh

from specsel._exact import search
from specsel._exact.problem import TIE, Problem


def swapped(A, B, k):
    """A support that no exchange of two features improves."""
    support = tuple(range(k))
    while True:
        near = [
            tuple(sorted({*support} - {late} | {early}))
            for late in support
            for early in set(range(len(A))) - {*support}
        ]
        best = max(near, key=lambda other: value(A, B, other))
        if value(A, B, best) <= value(A, B, support):
            return support
        support = best


@pytest.mark.parametrize("kind", KINDS)
def test_agrees_with_enumeration(kind):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 11))
        A, B = pencil(rng, kind, n)
        for k in {1, int(rng.integers(1, n + 1)), max(n // 2, 1), n}:
            supports, values = enumerate_all(A, B, k)
            best = values.max()
            error = tolerance(A, B, best)
            found = search.best_supports(A, B, k, supports[int(rng.integers(len(supports)))])
            assert found.status == "optimal"
            assert found.values[0] == pytest.approx(best, rel=0, abs=error)
            assert found.bound == found.values[0]
            assert abs(found.values[0] - value(A, B, found.supports[0])) <= error
            if kind != "near singular":
                ties = [s for s, v in zip(supports, values, strict=True) if v > best - error / 4]
                assert found.supports[0] == min(ties)


@pytest.mark.parametrize("kind", KINDS)
def test_always_and_several(kind):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 10))
        A, B = pencil(rng, kind, n)
        k = int(rng.integers(2, n - 1))
        order = rng.permutation(n).tolist()
        always = order[:1]
        supports, values = enumerate_all(A, B, k, always)
        error = tolerance(A, B, values.max())
        found = search.best_supports(A, B, k, supports[-1], always=always, top=3)
        best = np.sort(values)[::-1][:3]
        assert len(set(found.supports)) == len(best)
        assert set(found.supports) <= set(supports)
        np.testing.assert_allclose(found.values, best, rtol=0, atol=error)


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


def test_ties_do_not_multiply():
    rng = np.random.default_rng(0)
    block = np.zeros((40, 40))
    block[20:25, 20:25] = wishart(rng, 5) + 5
    copies = np.kron(wishart(rng, 5), np.ones((8, 8)))
    for A, B in (
        (block, np.eye(40)),
        (block, np.diag(rng.uniform(1, 2, 40))),
        (np.zeros((40, 40)), wishart(rng, 40)),
        (np.eye(40), np.eye(40)),
        (copies, np.eye(40)),
        (copies, copies + 0.1 * np.eye(40)),
    ):
        for top, most in ((1, 3000), (3, 6000)):
            found = search.best_supports(A, B, 10, range(30, 40), node_limit=100_000, top=top)
            assert found.status == "optimal"
            assert found.nodes < most
    found = search.best_supports(np.eye(40), np.eye(40), 10, range(30, 40))
    assert found.supports[0] == tuple(range(10))


def test_threads_do_not_matter(monkeypatch):
    for kind in ("indefinite", "rank one", "duplicates"):
        A, B = pencil(np.random.default_rng(3), kind, 30)
        start = swapped(A, B, 12)
        answers = []
        for count in (1, 3):
            monkeypatch.setattr(search, "get_num_threads", lambda count=count: count)
            answers.append(search.best_supports(A, B, 12, start, node_limit=20_000))
        assert answers[0] == answers[1]


def test_stopping_early_gives_a_valid_bound():
    A, B = pencil(np.random.default_rng(1), "identity", 40)
    start = swapped(A, B, 12)
    whole = search.best_supports(A, B, 12, start)
    assert whole.status == "optimal"
    for limits, status in (
        ({"node_limit": 1}, "nodes"),
        ({"time_limit": 0.0}, "time"),
        ({"report": lambda *state: True}, "interrupted"),
    ):
        part = search.best_supports(A, B, 12, start, **limits)
        assert part.status == status
        assert part.nodes < whole.nodes
        assert part.values[0] <= whole.values[0] * (1 + TIE) <= part.bound * (1 + 1e-8)
        assert part.bound < 1.5 * whole.values[0]


def test_gap_allows_to_stop():
    A, B = pencil(np.random.default_rng(1), "identity", 40)
    start = swapped(A, B, 12)
    whole = search.best_supports(A, B, 12, start)
    part = search.best_supports(A, B, 12, start, gap=0.02)
    assert part.status == "gap"
    assert part.nodes < whole.nodes
    assert part.values[0] <= whole.values[0] <= part.bound
    assert part.bound <= part.values[0] * 1.0200001


def test_interlacing_alone_agrees_and_sees_more_nodes():
    A, B = pencil(np.random.default_rng(2), "identity", 24)
    start = swapped(A, B, 10)
    best = search.best_supports(A, B, 10, start)
    plain = search.best_supports(A, B, 10, start, bound="interlacing")
    assert plain.supports == best.supports
    assert plain.nodes > 3 * best.nodes


@pytest.fixture
def hard():
    """A problem that takes many rounds, and a start."""
    A, B = pencil(np.random.default_rng(0), "rank one", 100)
    return A, B, 30, np.argsort(-np.abs(np.linalg.solve(B, eigh(A)[1][:, -1])))[:30]


def test_the_round_in_which_the_time_is_over_is_the_last(hard):
    seen = []
    found = search.best_supports(
        *hard, time_limit=0.5, report=lambda *state: seen.append(state), clock=Clock(0.125)
    )
    assert found.status == "time"
    assert [seconds for *_, seconds in seen] == [0.125, 0.25, 0.375]


def test_the_report_tells_the_progress(hard):
    seen = []
    found = search.best_supports(
        *hard, time_limit=4.0, report=lambda *state: seen.append(state), clock=Clock(1.0)
    )
    assert len(seen) == 3
    assert all(incumbent <= bound for incumbent, bound, _, _ in seen)
    nodes = [state[2] for state in seen]
    assert nodes == sorted(nodes)
    assert nodes[-1] <= found.nodes


def test_time_that_is_over_is_told_before_nodes_that_are(hard):
    limits = {"node_limit": 1, "clock": Clock(1.0)}
    assert search.best_supports(*hard, time_limit=1.0, **limits).status == "time"
    assert search.best_supports(*hard, time_limit=1.5, **limits).status == "nodes"


def test_interrupt():
    A, B = pencil(np.random.default_rng(0), "rank one", 100)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        found = search.best_supports(A, B, 30, range(30), time_limit=60)
    finally:
        timer.cancel()
    assert found.status == "interrupted"
    assert found.values[0] < found.bound < np.inf


def test_nodes_never_fall(monkeypatch):
    monkeypatch.setattr(search, "FIRST_CHUNK", 1e3)
    monkeypatch.setattr(search, "CHUNK", 1e3)
    monkeypatch.setattr(search, "EARLY_PART", 5.0)  # the tree that includes is done first
    A, B = pencil(np.random.default_rng(1), "identity", 30)
    seen, started = [], []
    begin = search.Include.begin
    monkeypatch.setattr(
        search.Include, "begin", lambda *a, **more: (started.append(more), begin(*a, **more))
    )
    whole = search.best_supports(A, B, 5, range(5), report=lambda *state: seen.append(state[2]))
    assert whole.status == "optimal"
    assert {"ties": True} in started
    assert seen == sorted(seen)
    assert whole.nodes >= seen[-1]
