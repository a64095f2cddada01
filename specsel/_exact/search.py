"""The driver of the exact search: for one size, and for several in turn.

Moghaddam, Weiss and Avidan (2006), Sec. 2.2 and 2.3. A node stands for all supports that hold some
features and choose the rest from others. It is pruned once `bounds` shows that none of them is
worth more than the best support known, the incumbent. The paper computes eigenvalues at every
node; here nodes carry an inverse or a Schur complement, which a child derives from its parent's by
one update of rank one, and which prune by more than the paper's Eq. (8).

Three trees search side by side, and each alone would prove the optimum: `exclude` starts with all
features and drops some, `include` starts with none and adds some, `best_first` decides about any
feature. The second gets a small part of the work, and wins where k is small. The third takes
criteria that are sums: two classes, or trace and log-det, which it searches alone. All proceed in
rounds of a fixed amount of work and exchange what they found in between, so that the outcome does
not depend on the number of threads.

Values within rounding of each other are ties, and of ties the lexicographically smallest support
wins, so that the outcome does not depend on the order in which supports are found. Nodes that may
hold one smaller than the incumbent are pruned just below its value, the others just above it.
"""

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numba import get_num_threads
from scipy.linalg import eigh

from specsel._exact import bounds
from specsel._exact.best_first import BestFirst, FactoredTask
from specsel._exact.exclude import STACKS, Exclude, Rules
from specsel._exact.include import Include
from specsel._pencil import Pencil
from specsel._runtime import one_thread
from specsel._validate import Bools, Bounds, Floats, Integers, Worth
from specsel.linalg import eigen, last_eigenpairs, solve_upper, worth
from specsel.results.subsets import SizeRow

# Called after every round with the value of the best support, a bound on all, the number of nodes
# and the seconds; true stops the search.
Report = Callable[[float, float, int, float], object]

# A support, in the numbering of A and B, ascending.
Support = tuple[int, ...]

# Values nearer than this share of the larger one are ties.
TIE = 1e-9

# Rounding of values, for every feature, as a share of the largest entry of A.
ROUNDING = 1e-15

# Eigenvalues of A below this share of the largest, for every feature, are rounding.
RANK = 1e-14

# Entries of A and B nearer than this share of their diagonal are equal.
EQUAL = 1e-14

# Multiplications of every stack in the first round. They double from round to round up to the
# second number, at which a round takes about 50 ms on two cores.
FIRST_CHUNK = 1e5
CHUNK = 1e7

# The tree that includes features gets this part of a round's work on top. It gets more in the
# first rounds if there are many times more features than are chosen.
INCLUDE_PART = 0.05
EARLY_PART, EARLY_ROUNDS, MANY_TIMES = 0.4, 20, 3

# The tree that decides best first begins once the first rounds have not sufficed. Where a moderate
# part of the features is chosen, it gets most of the work, and otherwise as much as the others.
BEST_FIRST_ROUND = 7
FEW, LARGE_PART, SMALL_PART = 5, 0.4, 0.1

# An unfinished search is bounded by its open nodes if that takes no more multiplications than
# this, and otherwise by what holds for all supports.
BOUND_WORK = 1e7

# After this many rounds, when all rounds are long, the bound on all supports is computed, so that
# an end by a limit does not wait for it.
CEILING_ROUND = 8

# For each support wanted, so many neighbours of the start are looked at, at most.
NEIGHBOURS = 4

# The widest gap that makes a difference.
WIDEST = 1e6

# A search that its time limit may end takes this share of the time first. Then it proves these
# gaps in turn, which takes a small part of the time of a proof, and goes on.
FIRST_SHARE = 1 / 3
COARSER = (0.1, 0.05, 0.02)

# A gap of at most this share, which is twice that of ties, counts as proof.
PROVED = 2e-9

# An error of more than this share of the value is no proof.
TRUSTED = 1e-3

# So many sets of features, at most, are solved for where only the samples have the digits.
MOST_SOLVED = 2000

# A size whose search may go on if there is time left. After safe elimination more features may go
# once the sizes below are proved.
OPEN = ("time", "features")


class SearchTask:
    """A and B in the form in which the trees use them.

    The trees only decide about features that are not always chosen. So these come first, in their
    order, and those that every support holds come last. Features are scaled so that the diagonal
    of B is 1, which changes no value and makes the sizes of numbers comparable. Of features that
    are exactly alike, the trees choose the earlier ones first, so that duplicates cost nothing.

    Attributes
    ----------
    features : ndarray of int
        The features in the order of `a` and `b`.
    n : int
        How many of them are free; masks of supports have this length.
    a, b : ndarray
        A and B in that order, scaled.
    groups : ndarray of int
        Free features that can change places without changing A and B have the same number here;
        all others have -1. Where several supports are requested, -1 everywhere.
    """

    def __init__(
        self,
        A: Floats,
        B: Floats,
        criterion: Worth = "leading",
        always: Sequence[int] | Integers = (),
        *,
        several: bool = False,
    ) -> None:
        self.A, self.B, self.criterion = A, B, criterion
        last = np.sort(np.asarray(always, np.intp))
        free = np.setdiff1d(np.arange(len(A)), last)
        self.features, self.n = np.concatenate((free, last)), len(free)
        scale = 1.0 / np.sqrt(np.diag(B)[self.features])
        pair = np.ix_(self.features, self.features)
        self.a, self.b = (
            np.ascontiguousarray(matrix[pair] * scale * scale[:, None]) for matrix in (A, B)
        )
        self.largest_entry = float(np.abs(self.a).max()) or 1.0
        self.groups = np.full(self.n, -1)
        if not several:
            self.groups = _groups_of(self.a, self.b, self.n, EQUAL * self.largest_entry)

    @cached_property
    def factor(self) -> Floats:
        """U with ``a = Uᵀ U``: a row for every eigenvalue of `a` that is more than rounding."""
        values, vectors = eigen(self.a)
        sizes = np.abs(values)
        kept = sizes > RANK * len(values) * sizes.max()
        return np.ascontiguousarray((vectors[:, kept] * np.sqrt(sizes[kept])).T)

    @property
    def is_sum(self) -> bool:
        """Whether the value is a sum over eigenvalues: also the largest if A has rank one."""
        return self.criterion != "leading" or (len(self.factor) == 1 and self.a.trace() > 0)

    @cached_property
    def _eigenvalues(self) -> Floats:
        return eigh(self.a, self.b, eigvals_only=True)

    def highest(self, k: int) -> float:
        """Bound the values of all supports of up to k features by Eq. (8), and rounding.

        No eigenvalue of a support is larger than that of the same place among those of all.
        """
        value = worth(self._eigenvalues[-k:], self.criterion)
        return value + self.slack(value, TIE)

    def value(self, support: Support) -> float:
        """Solve for the value of a support."""
        if self.criterion == "leading":
            pair = np.ix_(support, support)
            return float(last_eigenpairs(self.A[pair], self.B[pair])[0][0])
        # By factors: errors are a share of each eigenvalue, and of A's rank no more are counted.
        chosen = np.flatnonzero(np.isin(self.features, support))
        upper = np.asarray(np.linalg.cholesky(self.b[np.ix_(chosen, chosen)]).T, dtype=float)
        factor = solve_upper(upper, self.factor[:, chosen].T, transposed=True)
        return worth(np.square(np.linalg.svdvals(factor)[::-1], dtype=float), self.criterion)

    def support(self, mask: Bools) -> Support:
        """Return the support that a mask of free features stands for."""
        chosen = np.concatenate((self.features[: self.n][mask], self.features[self.n :]))
        return tuple(np.sort(chosen).tolist())

    def mask(self, support: Sequence[int] | Integers) -> Bools:
        """Return the mask of the free features of a support."""
        return np.isin(self.features[: self.n], support)

    def slack(self, value: float, share: float) -> float:
        """Return a share of a value, and what rounding can make of the value."""
        return slack(value, share, len(self.a), self.largest_entry)

    def matrix(self, threshold: float) -> Floats:
        """Return ``M = t B - A``: a support worth more than t has a negative eigenvalue in it."""
        return threshold * self.b - self.a

    @cached_property
    def _condition(self) -> tuple[float, float]:
        """Roundings of all features over the smallest eigenvalue of B, and that times ‖B‖."""
        values = np.linalg.eigvalsh(self.b)
        epsilon = len(self.a) * np.finfo(float).eps / max(values[0], np.finfo(float).tiny)
        return float(epsilon), float(epsilon * values[-1])

    def rounding(self, value: float) -> float:
        """Bound the rounding of values up to one, and of what the trees conclude, in float64.

        Rounding changes A and B by some ε of their norms. This moves the value v of a support by
        up to ``ε (‖A‖ + |v| ‖B‖) / λ_min(B)``, and a part of B is no worse than B itself. Here ε
        is n roundings, for n features. A sum over eigenvalues errs by the sum of their errors. For
        log-det the trees form H, whose rounding counts as much as the error of its largest
        eigenvalue.
        """
        epsilon, share = self._condition
        size = self.largest_entry  # squares of entries may be no numbers
        least = float(epsilon * size * np.linalg.norm(self.a / size))
        if self.criterion == "leading":
            return least + share * abs(value)
        if self.criterion == "trace":
            return len(self.factor) * least + share * value
        largest = min(self._eigenvalues[-1], np.expm1(min(value, 700.0)))  # no overflow
        return float(len(self.factor) * (least + share * (1 + largest)))


class Limits(NamedTuple):
    """When to stop and how much to prove: the options of a search over several sizes."""

    caught: list[int]  # not empty after Ctrl-C, or once the callback has returned true
    time_limit: float | None = None
    gap: float = 0.0
    node_limit: int | None = None
    top: int = 1
    bound: Bounds = "best"
    callback: Report | None = None
    clock: Callable[[], float] = time.perf_counter
    began: float = 0.0

    @property
    def left(self) -> float:
        """How many seconds are left."""
        limit = np.inf if self.time_limit is None else self.time_limit
        return max(limit - (self.clock() - self.began), 0.0)

    def reached(self) -> bool:
        """Return whether to stop now."""
        return bool(self.caught) or self.left == 0


def search_in_turn(
    sizes: Sequence[int],
    limits: Limits,
    search_one: Callable[[int, dict[int, SizeRow], float], SizeRow],
) -> dict[int, SizeRow]:
    """Search sizes one after the other, each for its share of the time; return a row for each.

    The first half of the time is divided among all sizes, and the rest among those still open, so
    that sizes which are easy to prove leave their time to the others. A second search begins anew,
    so a single size gets but one.
    """
    rows: dict[int, SizeRow] = {}
    for part in (1.0,) if limits.time_limit is None or len(sizes) == 1 else (0.5, 1.0):
        left = [k for k in sizes if k not in rows or rows[k].status in OPEN]
        for i, k in enumerate(left):
            later = (1 - part) * (limits.time_limit or 0.0)
            before = rows.get(k)
            row = search_one(k, rows, max(limits.left - later, 0.0) / (len(left) - i))
            if before is not None:  # this search set out from what the first one found
                row = row._replace(
                    start=before.start,
                    bound=min(before.bound, row.bound),
                    nodes=before.nodes + row.nodes,
                    seconds=before.seconds + row.seconds,
                )
            rows[k] = row
    return rows


def search_sizes(
    pencil: Pencil,
    members: Integers,
    always: Integers,
    sizes: Sequence[int],
    starts: Mapping[int, tuple[float, Integers]],
    limits: Limits,
) -> list[SizeRow]:
    """Search every size from a start, among the members, within the time limit."""
    several = limits.top > 1
    task = SearchTask(
        *pencil.block(members), pencil.criterion, np.searchsorted(members, always), several=several
    )
    highest = task.highest(sizes[-1])

    def search_one(k: int, rows: dict[int, SizeRow], seconds: float) -> SizeRow:
        if limits.caught or seconds == 0:
            if k in rows:
                return rows[k]._replace(nodes=0, seconds=0.0)
            start = starts[k][1]
            value = pencil.solve(start)[0]
            status = "interrupted" if limits.caught else "time"
            return SizeRow(k, start, value, value, max(highest, value), status)
        start = rows[k].support if k in rows else starts[k][1]
        return search_size(pencil, task, members, k, start, limits, seconds, limits.gap)

    rows = search_in_turn(sizes, limits, search_one)
    found = [with_error(rows[k], task.rounding) for k in sizes]
    if pencil.pair is None:
        rounding = pencil.rounding(members)
        found = [_from_samples(pencil, row, always, members, limits, rounding) for row in found]
    return [_judged(row) for row in close(found, several=several)]


def search_size(
    pencil: Pencil,
    task: SearchTask,
    members: Integers,
    k: int,
    start: Integers,
    limits: Limits,
    seconds: float,
    gap: float,
) -> SizeRow:
    """Search one size for so many seconds; `members` are the features of the task."""
    began = limits.clock()
    search = Search(task, k, np.searchsorted(members, start), limits, gap)
    status = search.run_until(began + seconds)
    found = [(members[list(support)], value) for value, support in search.best]
    value, before = pencil.solve(found[0][0])[0], pencil.solve(start)[0]
    if before > value + 2 * TIE * abs(before):  # rounding in A and B hid it
        others = [pair for pair in found if not np.array_equal(pair[0], start)]
        found, value = [(start, before), *others][: len(found)], before
    return SizeRow(
        size=k,
        support=found[0][0],
        value=value,
        start=before,
        bound=max(search.bound(status), value),
        status=status,
        nodes=search.nodes,
        seconds=limits.clock() - began,
        others=tuple(found[1:]),
    )


def with_error(row: SizeRow, rounding: Callable[[float], float]) -> SizeRow:
    """Add the error of the value and of the bound on it, twice that of ties included."""
    size = max(abs(row.value), abs(row.bound))
    return row._replace(error=rounding(size) + 2 * TIE * size)


def _judged(row: SizeRow) -> SizeRow:
    """Take a proof back where rounding leaves too few digits."""
    least = np.finfo(float).eps  # of a value that is 0
    if row.status == "optimal" and row.error > TRUSTED * max(abs(row.value), least):
        return row._replace(status="ill-conditioned")
    return row


def _from_samples(
    pencil: Pencil,
    row: SizeRow,
    always: Integers,
    members: Integers,
    limits: Limits,
    rounding: Callable[[float], float],
) -> SizeRow:
    """Add the rounding of samples to an error; where B leaves too few digits, search without it.

    All values then come from the samples, of which half as many digits are lost. A node is a set
    of features of which those before a place stay; no part of the set is worth more (Eq. 8).
    """
    error = rounding(row.value)
    rounded = row._replace(error=row.error + error)
    if _judged(rounded).status != "ill-conditioned" or error > TRUSTED * max(row.value, row.start):
        return rounded
    rank = partial(ranked, top=limits.top, rounding=lambda value: TIE * value)
    known = [row.support, *(support for support, _ in row.others)]
    best = rank([(pencil.solve(S)[0], tuple(S.tolist())) for S in known])
    nodes, count = [(members, 0)], 0
    while nodes:
        (features, place), level, last = nodes.pop(), *best[-1]
        if count == MOST_SOLVED or limits.reached():
            return rounded
        count += 1
        value, first = pencil.solve(features)[0], tuple(features[: row.size].tolist())
        if value < level + TIE * level * (-1 if first < last else 1):
            continue
        if len(features) > row.size:
            places = range(place, row.size + 1)
            nodes += [(np.delete(features, i), i) for i in places if features[i] not in always]
        elif all(first != support for _, support in best):
            best = rank([*best, (value, first)])
    (value, support), *others = best
    return row._replace(
        support=np.array(support),
        value=value,
        bound=value,
        nodes=row.nodes + count,
        others=tuple((np.array(support), value) for value, support in others),
        error=2 * TIE * value + rounding(value),
    )


def ranked(
    known: list[tuple[float, Support]], top: int, rounding: Callable[[float], float]
) -> list[tuple[float, Support]]:
    """Return the best supports, best first; of ties, the lexicographically smallest first."""
    known = sorted(known, key=lambda pair: (-pair[0], pair[1]))
    placed, tie = [], 0
    for (before, _), (value, support) in zip([known[0], *known], known, strict=False):
        tie += before - value > rounding(before)
        placed.append((tie, support, value))
    return [(value, support) for _, support, value in sorted(placed)[:top]]


def close(rows: list[SizeRow], *, several: bool = False) -> list[SizeRow]:
    """Let the bound of a size hold for all smaller ones (Theorem 1); no gap left is a proof.

    Where several supports are requested, a proof of the first says nothing about the others.
    """
    closed, ceiling, error = [], np.inf, 0.0
    for row in rows[::-1]:
        if row.bound < ceiling:
            ceiling, error = row.bound, row.error
        alone = not (several or row.others)
        proved = alone and ceiling - row.value <= PROVED * abs(row.value)
        if row.status == "optimal" or proved:
            row, ceiling = row._replace(status="optimal"), row.value
        error = max(error, row.error)
        closed.append(row._replace(bound=ceiling, error=error))
    return closed[::-1]


class Search:
    """The trees and the incumbents of one size.

    A node is pruned if it holds nothing better than the worst of the incumbents, the best supports
    found so far. Most searches want one support, and then there is one incumbent.

    Attributes
    ----------
    best : list of (value, support)
        The incumbents, best first; of ties, the lexicographically smallest first.
    version : int
        How often they changed.
    exclude : Exclude or None
        None by the criteria trace and log-det.
    include : Include or None
        None in the first round, and where the tree does not suit the task, or rounding grew in it.
    best_first : BestFirst or None
        None until the first rounds have not sufficed, and where the criterion is no sum.
    level : float
        The value to beat.
    rules : Rules
        What the nodes of `exclude` and `include` are pruned by.
    """

    def __init__(
        self,
        task: SearchTask,
        k: int,
        start: Sequence[int] | Integers,
        limits: Limits,
        gap: float = 0.0,
    ) -> None:
        self.task, self.choose, self._k, self._limits = task, k - len(task.A) + task.n, k, limits
        self._gap = max(min(gap, WIDEST), TIE)
        self._plain = limits.bound == "interlacing"
        self._began = limits.clock()
        self.best: list[tuple[float, Support]] = []
        self.version, self.level = 0, -np.inf
        self._earlier_nodes = 0  # of trees that were begun anew or left, and of coarser searches
        self._proved = np.inf  # the bound that coarser searches proved
        leading = task.criterion == "leading"
        self.exclude = Exclude(task.n, self.choose) if leading else None
        self.include: Include | None = None
        self.best_first: BestFirst | None = None
        self._takes_best_first = task.is_sum and not (leading and self._plain)
        self._start(task.mask(start))
        self._renew()
        one = leading and not self._plain and limits.top == 1
        self._takes_include = one and Include.suits(task.b, task.n, self.choose)

    def _start(self, mask: Bools) -> None:
        """Begin with a support, and with its neighbours if several are wanted."""
        top = self._limits.top
        self._join_best(mask)
        seen, queue = {mask.tobytes()}, [mask]
        while len(self.best) < top and queue:
            mask = queue.pop(0)
            for late, early in itertools.product(np.flatnonzero(mask), np.flatnonzero(~mask)):
                near = mask.copy()
                near[[late, early]] = False, True
                if near.tobytes() not in seen and len(seen) < NEIGHBOURS * top:
                    seen.add(near.tobytes())
                    queue.append(near)
                    self._join_best(near)

    def _join_best(self, mask: Bools) -> None:
        """Let a support join if it is better than one of the best, or if there are too few."""
        support = self.task.support(mask)
        if any(support == other for _, other in self.best):
            return
        known = [*self.best, (self.task.value(support), support)]
        best = ranked(known, self._limits.top, partial(self.task.slack, share=TIE))
        self.version += best != self.best
        self.best = best

    @property
    def incumbent(self) -> Bools:
        """Mask of the support to beat."""
        return self.task.mask(self.best[-1][1])

    def _renew(self) -> None:
        """Set the thresholds by the support to beat."""
        task = self.task
        self.level = max(self.level, self.best[-1][0])
        if not self.exclude:
            return
        above, below = (task.matrix(level) for level in self._thresholds())
        self.rules = Rules(above, below, self.incumbent, task.groups, self.version, self._plain)
        if self.include:
            self.include.renew(self.rules)

    def _thresholds(self) -> tuple[float, float]:
        """Return the values just above and, if ties count, just below the one to beat."""
        above = self.level + self.task.slack(self.level, self._gap)
        return above, above if self._gap > TIE else self.level - self.task.slack(self.level, TIE)

    def run_until(self, end: float) -> str:
        """Search until nothing is left or a limit is reached; return the status.

        Where the time may not suffice, prove larger gaps before the search goes on. The trees of
        general pencils bound nothing before they are done.
        """
        limits = self._limits
        coarse = np.isfinite(end) and limits.node_limit is None and not self.task.is_sum
        if not coarse or limits.top > 1 or self._plain:
            status = self._run(end)
        else:
            status = self._run(self._began + FIRST_SHARE * (end - self._began))
            for gap in COARSER:
                if status != "time" or gap <= self._gap:
                    break
                ended = self._prove_gap(gap, end)
                if ended != "optimal":
                    return ended
            if status == "time":
                status = self._run(end)
        return "gap" if status == "optimal" and self._gap > TIE else status

    def _prove_gap(self, gap: float, end: float) -> str:
        """Search for what is better by more than a gap, and take over what that proved."""
        other = Search(self.task, self._k, self.best[0][1], self._limits, gap)
        before = other._earlier_nodes = self.nodes
        other._began, other._proved = self._began, self._proved
        status = other._run(end)
        self._earlier_nodes += other.nodes - before
        self._admit([other.incumbent])
        if status == "optimal":
            self._proved = min(self._proved, other._pruned)
        return status

    def _run(self, end: float) -> str:
        """Search until nothing is left or a limit is reached; it may go on later."""
        budget = FIRST_CHUNK
        with one_thread(), ThreadPoolExecutor(get_num_threads()) as threads:
            for number in itertools.count():
                if self._round(threads, budget, number):
                    return "optimal"
                if number == CEILING_ROUND and not (self._limits.caught or self._takes_best_first):
                    _ = self.ceiling
                budget = min(2 * budget, CHUNK)
                status = self._limit_reached(end)
                if status:
                    return status
        raise AssertionError

    def _limit_reached(self, end: float) -> str:
        """Return which limit is reached, if any, after showing the progress."""
        limits, now = self._limits, self._limits.clock()
        if limits.caught:
            return "interrupted"
        if now >= end:
            return "time"
        if limits.node_limit is not None and self.nodes >= limits.node_limit:
            return "nodes"
        if limits.callback:
            state = self.best[0][0], self.ceiling, self.nodes, now - self._began
            try:
                stop = limits.callback(*state)
            except KeyboardInterrupt:
                stop = True
            if stop:
                limits.caught.append(0)
                return "interrupted"
        return ""

    def _round(self, threads: ThreadPoolExecutor, budget: float, number: int) -> bool:
        """Go on with all trees; return whether one of them has proved the optimum.

        A tree begins, and is compiled, once those before it have not sufficed.
        """
        if self._takes_best_first and (not self.exclude or number >= BEST_FIRST_ROUND):
            if self._advance_best_first(threads, STACKS * budget).done:
                return True
            if FEW < self.choose < LARGE_PART * self.task.n:
                budget *= SMALL_PART
        if not self.exclude:
            return False
        self._admit(self.exclude.advance(threads, self.rules, budget))
        if self.exclude.done or not self._takes_include:
            return self.exclude.done
        tree = self.include
        if tree is None:
            self.include = tree = Include(self.task.n, self.choose, self.rules)
        early = number < EARLY_ROUNDS and self.task.n >= MANY_TIMES * self.choose
        masks = tree.advance(threads, budget * (EARLY_PART if early else INCLUDE_PART))
        self._admit([self._filled(mask, tree.ties) for mask in masks])
        if tree.doubtful:
            self._earlier_nodes += tree.nodes
            self.include, self._takes_include = None, False
        elif tree.done:
            if tree.ties or self._gap > TIE:
                return True
            self._earlier_nodes += tree.nodes
            self.include = Include(self.task.n, self.choose, self.rules, ties=True)
        return False

    def _advance_best_first(self, threads: ThreadPoolExecutor, budget: float) -> BestFirst:
        """Go on with the tree for sums, which is made when it is first needed."""
        task, tree = self.task, self.best_first
        if tree is None:
            concave = task.criterion == "logdet"
            factored = FactoredTask(task.b, task.factor, self._k, concave, self._plain)
            self.best_first = tree = BestFirst(factored, task.groups)
        self._admit(tree.advance(threads, *self._thresholds(), self.incumbent, budget))
        return tree

    def _admit(self, masks: list[Bools]) -> None:
        """Let supports join the incumbents, and renew the thresholds if that changed them."""
        before = self.version
        for mask in masks:
            self._join_best(mask)
        if self.version > before:
            self._renew()

    def _filled(self, mask: Bools, ties: bool) -> Bools:
        """Fill up a support with features of the incumbent or, among ties, with the first."""
        filled = mask.copy()
        others = np.flatnonzero(~mask)
        if not ties:
            others = others[np.argsort(~self.rules.incumbent[others], kind="stable")]
        filled[others[: self.choose - mask.sum()]] = True
        return filled

    @property
    def nodes(self) -> int:
        """How many nodes were examined in all trees."""
        trees = (self.exclude, self.include, self.best_first)
        return self._earlier_nodes + sum(tree.nodes for tree in trees if tree)

    def bound(self, status: str) -> float:
        """Bound the values of all supports, as the status of the search allows."""
        value = self.best[0][0]
        if status == "optimal":
            return value
        return max(value, self._pruned if status == "gap" else self._open_bound())

    @property
    def ceiling(self) -> float:
        """A bound on the values of all supports while the search goes on."""
        if self._takes_best_first:
            open_bound = self.best_first.bound if self.best_first else np.inf
            return max(self._pruned, min(self._highest, open_bound))
        return min(self._proved, self._ceiling_of_all)

    @property
    def _pruned(self) -> float:
        """A bound on what was pruned."""
        return self._thresholds()[0]

    @cached_property
    def _highest(self) -> float:
        return self.task.highest(self._k)

    @cached_property
    def _ceiling_of_all(self) -> float:
        """A bound by what holds for all supports, computed once."""
        root = np.empty(0, np.int64), np.arange(self.task.n), self.choose
        tests = [bounds.is_dominated] * self._takes_include
        return self._ceiling([root], *tests, *[bounds.is_empty_relaxed] * (not self._plain))

    def _ceiling(self, nodes: list[bounds.Node], *more: bounds.Test) -> float:
        """Bound the values of all supports in some nodes, by no less than the value to beat."""
        task = self.task
        tests: list[bounds.Test] = [partial(bounds.is_empty, plain=self._plain), *more]
        return bounds.ceiling(task.a, task.b, task.n, nodes, self.level, self._highest, tests)

    def _open_bound(self) -> float:
        """Bound what is open, and what was pruned for being within the gap.

        The open nodes of either tree hold all that may be better; those of the tree with fewer are
        taken.
        """
        if self.include and self.include.ties:
            return self._pruned
        if self._takes_best_first:
            if not self.best_first:
                with ThreadPoolExecutor(1) as thread:
                    self._advance_best_first(thread, 1.0)
            return self.ceiling
        assert self.exclude
        trees = [self.exclude.remaining()]
        if self.include and not self.include.doubtful:
            trees.append(self.include.remaining())
        nodes = min(trees, key=len)
        if len(nodes) * len(self.task.a) ** 3 > BOUND_WORK:
            return self.ceiling
        return max(self._pruned, min(self.ceiling, self._ceiling(nodes)))


def slack(value: float, share: float, count: int, size: float) -> float:
    """Return a share of a value of `count` features, plus its rounding; `size` is max |A_ij|."""
    return share * abs(value) + ROUNDING * count * size


def _groups_of(a: Floats, b: Floats, n: int, tolerance: float) -> Integers:
    """Number the groups of features that can change places, by their first feature.

    `n` features are free. The sums of the rows of such features are equal.
    """
    groups, sums = np.full(n, -1), a.sum(axis=1)[:n]
    near = np.triu(np.abs(sums[:, None] - sums) <= 2 * len(a) * tolerance, 1)
    for i in np.flatnonzero(near.any(axis=1)):
        others = np.flatnonzero(near[i])
        differ = (np.abs(a[others] - a[i]) > tolerance) | (np.abs(b[others] - b[i]) > EQUAL)
        differ[:, i] = differ[np.arange(len(others)), others] = False
        alike = others[~differ.any(axis=1) & (np.abs(a[others, others] - a[i, i]) <= tolerance)]
        if groups[i] < 0 and len(alike):
            groups[alike] = groups[i] = i
    return groups
