"""Greedy selection: supports of every size by adding, removing and swapping one feature at a time.

Forward selection starts with no feature and adds the one that raises the value most; backward
elimination starts with all of them and removes the one that lowers it least. Swaps then improve
the better of the two at every size. Between steps all of this looks whether it has to stop; what
was found until then is returned.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

import numpy as np

from specsel import linalg
from specsel._pencil import tableau
from specsel._pencil.build import from_pair
from specsel._pencil.criteria import value_of
from specsel._pencil.pencil import Pencil
from specsel._validate import WORTHS, Bools, Direction, Floats, Integers

# The inverse is computed anew when its largest diagonal entry has fallen below this share of what
# it was, for it has then lost digits.
REFRESH = 1e-2

# From so many features on, B is inverted in blocks: a single call would not stop for seconds.
BLOCKS_FROM = 1000
BLOCK = 256

# Sizes with the value and the support of the best one found.
Best = dict[int, tuple[float, Integers]]

# Tells whether to stop now.
Stop = Callable[[], bool]


def never() -> bool:
    """Go on to the end."""
    return False


class Limit:
    """When to stop. The status tells whether it was reached, and by what."""

    def __init__(self, time_limit: float | None, caught: list[int]) -> None:
        self._time_limit, self._caught = time_limit, caught
        self._began = perf_counter()
        self.status = "greedy"

    def reached(self) -> bool:
        """Tell whether to stop now."""
        if self._caught:
            self.status = "interrupted"
        elif self._time_limit is not None and perf_counter() - self._began >= self._time_limit:
            self.status = "time"
        return self.status != "greedy"


def search(
    pencil: Pencil,
    sizes: Sequence[int],
    direction: Direction,
    refined: Sequence[int],
    always: Integers,
    banned: Integers,
    stop: Stop = never,
) -> Best:
    """Find a value and a support for every size, with swaps for the sizes in `refined`.

    If told to stop, return the sizes that were reached. See `filled`.
    """
    allowed = np.ones(pencil.n_features, dtype=bool)
    allowed[banned] = False
    best: Best = {size: (-np.inf, np.empty(0, np.intp)) for size in sizes}
    if direction != "backward":
        _keep_better(best, _forward(pencil, max(sizes), always, allowed, stop), pencil.shift)
    if direction != "forward" and not stop():
        _keep_better(best, _backward(pencil, min(sizes), always, allowed, stop), pencil.shift)
    best = {size: found for size, found in best.items() if len(found[1])}
    reached = [size for size in refined if size in best]
    if reached and not stop():
        _refine(pencil, best, reached, always, allowed, stop)
    return best


def filled(
    pencil: Pencil, best: Best, sizes: Sequence[int], always: Integers, banned: Integers
) -> Best:
    """Return a support for each of some sizes, also for those that were not reached in time.

    Where there is none, the first features join the support of the size before.
    """
    members = np.setdiff1d(np.arange(pencil.n_features), banned)
    whole, before = dict(best), always
    for size in sizes:
        if size not in whole:
            others = np.setdiff1d(members, before)
            support = np.union1d(before, others[: size - len(before)])
            whole[size] = pencil.solve(support)[0], support
        before = whole[size][1]
    return whole


def _keep_better(best: Best, supports: Iterator[tuple[float, Integers]], shift: float) -> None:
    """Put the supports into `best` that have a larger value than those there."""
    for value, support in supports:
        if len(support) in best and value - shift > best[len(support)][0]:
            best[len(support)] = value - shift, np.sort(support)


def _forward(
    pencil: Pencil, last: int, always: Integers, allowed: Bools, stop: Stop
) -> Iterator[tuple[float, Integers]]:
    """Add one feature at a time, up to `last`; yield every value and support.

    The rows are those of the Cholesky factor of B, extended to all features.
    """
    rows = np.empty((last, pencil.n_features))
    allowed, gains, rest = allowed.copy(), pencil.factor.copy(), pencil.diagonal
    floor = tableau.NOTHING_LEFT * rest
    inner = np.zeros((gains.shape[1],) * 2)
    criterion = WORTHS.index(pencil.criterion)
    chosen: list[int] = []
    for step in range(last):
        values, axes = linalg.eigen(inner)
        if step < len(always):
            j = always[step]
        else:
            j, _ = tableau.best_addition(values, gains @ axes, rest, floor, allowed, criterion)
        chosen.append(j)
        allowed[j] = False
        root = np.sqrt(max(rest[j], floor[j]))
        row = (pencil.row(j) - rows[:step, j] @ rows[:step]) / root
        share = gains[j] / root
        rows[step] = row
        inner += np.outer(share, share)
        gains -= row[:, None] * share
        rest -= row**2
        if step + 1 >= len(always):
            yield value_of(inner, criterion), np.array(chosen)
            if stop():
                return


def _backward(
    pencil: Pencil, first: int, always: Integers, allowed: Bools, stop: Stop
) -> Iterator[tuple[float, Integers]]:
    """Remove one feature at a time, down to `first`; yield every value and support.

    The last member takes the place of the one removed, so that members, weights and inverse stay
    in the leading rows.
    """
    members = np.flatnonzero(allowed)
    inverse = _inverse(pencil, members, stop)
    if inverse is None:
        return
    weights, inner = _weights(pencil, members, inverse)
    highest = inverse.diagonal().max()
    criterion = WORTHS.index(pencil.criterion)
    free = ~np.isin(members, always)
    for size in range(len(members), first - 1, -1):
        values, axes = linalg.eigen(inner)
        yield value_of(inner, criterion), members[:size]
        if size == first or stop():
            return
        rotated = weights[:size] @ axes
        i, _ = tableau.best_deletion(values, rotated, inverse, size, free, criterion)
        column, power, weight = inverse[i, :size].copy(), inverse[i, i], weights[i].copy()
        inner -= np.outer(weight, weight / power)
        weights[:size] -= np.outer(column / power, weight)
        tableau.rank_one(inverse[:size, :size], column / power, column)
        for array in (members, weights, free, inverse, inverse.T):
            array[i] = array[size - 1]
        if inverse.diagonal()[: size - 1].max() < REFRESH * highest:
            inverse = _inverse(pencil, members[: size - 1], stop)
            if inverse is None:
                return
            weights, inner = _weights(pencil, members[: size - 1], inverse)
            highest = inverse.diagonal().max()


def _weights(pencil: Pencil, members: Integers, inverse: Floats) -> tuple[Floats, Floats]:
    """Return ``B_S⁻¹ U_S`` and H, see `tableau`."""
    factor = pencil.factor[members]
    weights = inverse @ factor
    return weights, factor.T @ weights


def _inverse(pencil: Pencil, members: Integers, stop: Stop) -> Floats | None:
    """Return ``B_S⁻¹``, or None if told to stop."""
    if len(members) < BLOCKS_FROM:
        return linalg.inverse(pencil.block_of_b(members))
    inverse = np.empty((len(members), len(members)))
    for rows in _blocks(len(members)):
        if stop():
            return None
        inverse[rows] = pencil.within.cross(members[rows], members)
    inverse[np.diag_indices(len(members))] += pencil.ridge[members]
    return inverse if _invert_in_blocks(inverse, stop) else None


def _blocks(count: int) -> Iterator[slice]:
    """Yield the rows of every block."""
    return (slice(first, min(first + BLOCK, count)) for first in range(0, count, BLOCK))


def _invert_in_blocks(matrix: Floats, stop: Stop) -> bool:
    """Invert a positive definite matrix in place by sweeping it, block by block.

    Return whether it was done: if told to stop, the matrix is left half inverted. To sweep a
    block P turns P into -P⁻¹, the rest R of its rows into P⁻¹ R, and the part of the matrix
    outside of its rows and columns into what P does not explain.
    """
    for pivots in _blocks(len(matrix)):
        inverse = linalg.inverse(matrix[pivots, pivots])
        panel = matrix[pivots].copy()
        share = inverse @ panel
        for rows in _blocks(len(matrix)):
            if stop():
                return False
            matrix[rows] -= panel[:, rows].T @ share
        matrix[pivots], matrix[:, pivots] = share, share.T
        matrix[pivots, pivots] = -inverse
    np.negative(matrix, out=matrix)
    return True


def _refine(
    pencil: Pencil,
    best: Best,
    sizes: Sequence[int],
    always: Integers,
    allowed: Bools,
    stop: Stop,
) -> None:
    """Swap at every size, starting from the better of two supports.

    One is the best support known of that size, the other the refined support of the size before
    with the best feature added.
    """
    state = tableau.Tableau(pencil, always, allowed, max(sizes))
    for size in sizes:
        if stop():
            return
        value, support = best[size]
        j, raised = state.best_addition()
        follows = len(state.members) == size - 1 >= len(always)
        if follows and raised - pencil.shift > value:
            state.add(j)
        else:
            state.move_to(support)
        state.swap(stop)
        if state.value - pencil.shift > value:
            best[size] = state.value - pencil.shift, np.sort(state.members)


@functools.cache
def compile_search() -> None:
    """Select in a small problem, once, so that compiling counts in no limit."""
    factor = np.random.default_rng(0).standard_normal((6, 6))
    pencil = from_pair(factor @ factor.T, np.eye(6))
    nothing = np.empty(0, np.intp)
    search(pencil, range(1, 4), "both", range(1, 4), nothing, nothing)
