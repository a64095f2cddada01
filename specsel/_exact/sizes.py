"""Several sizes in turn, each searched by the trees over the same features.

The first half of the time is divided among all sizes, and what is left after that among those
still open, so that sizes which are easy to prove leave their time to the others.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from specsel._exact.limits import Limits
from specsel._exact.one_size import best_supports
from specsel._exact.problem import Rounding, highest
from specsel._exact.proofs import closed, joined
from specsel._validate import Floats, Integers
from specsel.results.subsets import Found, Pencil


class Problem(NamedTuple):
    """What the searches of all sizes have in common."""

    A: Floats  # over `members` alone, as B
    B: Floats
    members: Integers  # the features that supports may hold
    always: Integers  # places in `members` of those that every support holds


def search_sizes(
    pencil: Pencil,
    sizes: Sequence[int],
    starts: Mapping[int, tuple[float, Integers]],
    problem: Problem,
    limits: Limits,
) -> list[Found]:
    """Search every size from a start, within the time limit."""
    ceiling = highest(problem.A, problem.B, sizes[-1], limits.criterion)
    found: dict[int, Found] = {}
    open_sizes = sizes
    for part in limits.passes(len(sizes)):
        for i, size in enumerate(open_sizes):
            seconds = limits.share(part, len(open_sizes) - i)
            stopped = any(one.status == "interrupted" for one in found.values())
            halted = limits.caught or stopped
            if not halted and seconds != 0:
                start = found[size].support if size in found else starts[size][1]
                row = _search_size(pencil, problem, size, start, limits, seconds)
                found[size] = joined(found[size], row) if size in found else row
            elif size not in found:
                status = "interrupted" if halted else "time"
                found[size] = _unsearched(pencil, size, starts[size][1], ceiling, status)
        open_sizes = [size for size in sizes if found[size].status == "time"]
    rounding = Rounding.of_pair(problem.A, problem.B, limits.criterion)
    return closed([rounding.told(found[size]) for size in sizes], several=limits.top > 1)


def _unsearched(pencil: Pencil, size: int, start: Integers, ceiling: float, status: str) -> Found:
    """Return the start of a size for which no time was left."""
    value = pencil.solve(start)[0]
    return Found(size, start, value, value, max(ceiling, value), status)


def _search_size(
    pencil: Pencil, problem: Problem, size: int, start: Integers, limits: Limits, seconds: float
) -> Found:
    """Search one size for so many seconds."""
    members, began = problem.members, limits.clock()
    result = best_supports(
        problem.A,
        problem.B,
        size,
        np.searchsorted(members, start),
        always=problem.always,
        time_limit=None if limits.time_limit is None else seconds,
        gap=limits.gap,
        node_limit=limits.node_limit,
        top=limits.top,
        bound=limits.bound,
        criterion=limits.criterion,
        report=limits.report,
        clock=limits.clock,
    )
    supports = [members[list(support)] for support in result.supports]
    return Found(
        size=size,
        support=supports[0],
        value=pencil.solve(supports[0])[0],
        start=pencil.solve(start)[0],
        bound=result.bound,
        status=result.status,
        nodes=result.nodes,
        seconds=limits.clock() - began,
        others=tuple(zip(supports[1:], result.values[1:], strict=True)),
    )
