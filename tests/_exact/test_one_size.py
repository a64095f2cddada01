"""The whole search: against enumeration, with limits, and ended early."""

import os
import signal
import threading

import numpy as np
import pytest
from instances import KINDS, Clock, enumerate_all, pencil, tolerance, value, wishart
from scipy.linalg import eigh

from specsel._exact import one_size, search
from specsel._exact.problem import TIE


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
            found = one_size.best_supports(A, B, k, supports[int(rng.integers(len(supports)))])
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
        found = one_size.best_supports(A, B, k, supports[-1], always=always, top=3)
        best = np.sort(values)[::-1][:3]
        assert len(set(found.supports)) == len(best)
        assert set(found.supports) <= set(supports)
        np.testing.assert_allclose(found.values, best, rtol=0, atol=error)


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
            found = one_size.best_supports(A, B, 10, range(30, 40), node_limit=100_000, top=top)
            assert found.status == "optimal"
            assert found.nodes < most
    found = one_size.best_supports(np.eye(40), np.eye(40), 10, range(30, 40))
    assert found.supports[0] == tuple(range(10))


def test_threads_do_not_matter(monkeypatch):
    for kind in ("indefinite", "rank one", "duplicates"):
        A, B = pencil(np.random.default_rng(3), kind, 30)
        start = swapped(A, B, 12)
        answers = []
        for count in (1, 3):
            monkeypatch.setattr(search, "get_num_threads", lambda count=count: count)
            answers.append(one_size.best_supports(A, B, 12, start, node_limit=20_000))
        assert answers[0] == answers[1]


def test_stopping_early_gives_a_valid_bound():
    A, B = pencil(np.random.default_rng(1), "identity", 40)
    start = swapped(A, B, 12)
    whole = one_size.best_supports(A, B, 12, start)
    assert whole.status == "optimal"
    for limits, status in (
        ({"node_limit": 1}, "nodes"),
        ({"time_limit": 0.0}, "time"),
        ({"report": lambda *state: True}, "interrupted"),
    ):
        part = one_size.best_supports(A, B, 12, start, **limits)
        assert part.status == status
        assert part.nodes < whole.nodes
        assert part.values[0] <= whole.values[0] * (1 + TIE) <= part.bound * (1 + 1e-8)
        assert part.bound < 1.5 * whole.values[0]


def test_gap_allows_to_stop():
    A, B = pencil(np.random.default_rng(1), "identity", 40)
    start = swapped(A, B, 12)
    whole = one_size.best_supports(A, B, 12, start)
    part = one_size.best_supports(A, B, 12, start, gap=0.02)
    assert part.status == "gap"
    assert part.nodes < whole.nodes
    assert part.values[0] <= whole.values[0] <= part.bound
    assert part.bound <= part.values[0] * 1.0200001


def test_interlacing_alone_agrees_and_sees_more_nodes():
    A, B = pencil(np.random.default_rng(2), "identity", 24)
    start = swapped(A, B, 10)
    best = one_size.best_supports(A, B, 10, start)
    plain = one_size.best_supports(A, B, 10, start, bound="interlacing")
    assert plain.supports == best.supports
    assert plain.nodes > 3 * best.nodes


@pytest.fixture
def hard():
    """A problem that takes many rounds, and a start."""
    A, B = pencil(np.random.default_rng(0), "rank one", 100)
    return A, B, 30, np.argsort(-np.abs(np.linalg.solve(B, eigh(A)[1][:, -1])))[:30]


def test_the_round_in_which_the_time_is_over_is_the_last(hard):
    seen = []
    found = one_size.best_supports(
        *hard, time_limit=0.5, report=lambda *state: seen.append(state), clock=Clock(0.125)
    )
    assert found.status == "time"
    assert [seconds for *_, seconds in seen] == [0.125, 0.25, 0.375]


def test_the_report_tells_the_progress(hard):
    seen = []
    found = one_size.best_supports(
        *hard, time_limit=4.0, report=lambda *state: seen.append(state), clock=Clock(1.0)
    )
    assert len(seen) == 3
    assert all(incumbent <= bound for incumbent, bound, _, _ in seen)
    nodes = [state[2] for state in seen]
    assert nodes == sorted(nodes)
    assert nodes[-1] <= found.nodes


def test_time_that_is_over_is_told_before_nodes_that_are(hard):
    limits = {"node_limit": 1, "clock": Clock(1.0)}
    assert one_size.best_supports(*hard, time_limit=1.0, **limits).status == "time"
    assert one_size.best_supports(*hard, time_limit=1.5, **limits).status == "nodes"


def test_interrupt():
    A, B = pencil(np.random.default_rng(0), "rank one", 100)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        found = one_size.best_supports(A, B, 30, range(30), time_limit=60)
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
    whole = one_size.best_supports(A, B, 5, range(5), report=lambda *state: seen.append(state[2]))
    assert whole.status == "optimal"
    assert {"ties": True} in started
    assert seen == sorted(seen)
    assert whole.nodes >= seen[-1]


def slow_search(monkeypatch, seconds):
    """A search whose every round takes a second of its clock, and what an endless one finds."""
    rng = np.random.default_rng(0)
    A, B = wishart(rng, 50), wishart(rng, 50)
    whole = one_size.best_supports(A, B, 25, range(25))
    monkeypatch.setattr(search, "CHUNK", search.FIRST_CHUNK)
    seen = []
    limits = {"time_limit": seconds, "report": lambda *state: seen.append(state)}
    found = one_size.best_supports(A, B, 25, range(25), **limits, clock=Clock(1.0))
    return whole, found, seen


def test_larger_gaps_are_proved_where_time_runs_out(monkeypatch):
    whole, found, seen = slow_search(monkeypatch, 300.0)
    assert (whole.status, found.status) == ("optimal", "time")
    bounds = np.array([bound for _, bound, *_ in seen])
    assert found.bound <= 1.1 * found.values[0] * (1 + 1e-9)
    assert found.bound <= bounds[-1] < 0.9 * bounds[0]
    assert min(found.bound, bounds.min()) >= whole.values[0]


def test_a_gap_that_was_not_proved_to_its_end_bounds_nothing(monkeypatch):
    whole, found, seen = slow_search(monkeypatch, 60.0)
    assert 1.1 * found.values[0] < whole.values[0]  # the first of these gaps would be a lie
    assert found.status == "time"
    assert min(found.bound, *(bound for _, bound, *_ in seen)) >= whole.values[0]


def test_after_larger_gaps_the_search_goes_on_to_its_end(monkeypatch):
    whole, found, _ = slow_search(monkeypatch, 600.0)
    assert found.status == "optimal"
    assert found.supports == whole.supports
