"""The best supports of one size: one search, and coarser ones where its time may not suffice."""

import time
from collections.abc import Callable

from specsel._exact.problem import TIE, Members, Problem
from specsel._exact.search import Outcome, Report, Search
from specsel._validate import Bounds, Floats, Worth

# The widest gap that makes a difference.
WIDEST = 1e6

# A search that its time limit may end takes this share of the time first. Then it proves these
# gaps in turn, which takes a small part of the time of a proof, and goes on.
FIRST_SHARE = 1 / 3
COARSER = (0.1, 0.05, 0.02)


def best_supports(
    A: Floats,
    B: Floats,
    k: int,
    start: Members,
    *,
    always: Members = (),
    time_limit: float | None = None,
    gap: float = 0.0,
    node_limit: int | None = None,
    top: int = 1,
    bound: Bounds = "best",
    criterion: Worth = "leading",
    report: Report | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Outcome:
    """Find the `top` supports of k features that are worth most.

    Parameters
    ----------
    A, B : ndarray
        Symmetric, B positive definite.
    criterion : {"leading", "trace", "logdet"}
        What a support is worth. For the last two A has no negative eigenvalue.
    start : sequence of int
        A good support, which holds `always`.
    always : sequence of int
        Features that every support holds.
    time_limit, node_limit : float, int, optional
        Stop after the round in which this many seconds or nodes are reached.
    gap : float
        Stop when no support can be better by more than this share of the value.
    bound : {"best", "interlacing"}
        With "interlacing", Eq. (8) alone prunes.
    report : callable, optional
        ``report(value, bound, nodes, seconds)`` after every round; true stops.
    clock : callable
        Tells the time in seconds.
    """
    problem = Problem(A, B, k, always, several=top > 1, criterion=criterion)
    gap = max(min(gap, WIDEST), TIE)
    search = Search(problem, start, top=top, gap=gap, plain=bound == "interlacing")
    # The trees of general pencils bound nothing before they are done.
    gains = top == 1 and bound == "best" and not problem.adds_up
    if time_limit is None or node_limit is not None or not gains:
        status = search.run(time_limit, node_limit, report, clock)
    else:
        status = _with_coarser(search, gap, time_limit, report, clock)
    return search.outcome("gap" if status == "optimal" and gap > TIE else status)


def _with_coarser(
    search: Search,
    gap: float,
    time_limit: float,
    report: Report | None,
    clock: Callable[[], float],
) -> str:
    """Search; where that takes long, prove larger gaps before the search goes on."""
    began = clock()
    status = search.run(FIRST_SHARE * time_limit, None, report, clock, began)
    for larger in COARSER:
        if status != "time" or larger <= gap:
            break
        coarser = search.coarser(larger)
        ended = coarser.run(time_limit, None, report, clock, began)
        search.learn(coarser, done=ended == "optimal")
        if ended != "optimal":
            return ended
    return search.run(time_limit, None, report, clock, began) if status == "time" else status
