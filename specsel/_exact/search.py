"""Exact search for the k features of largest ``λ_max(A_S, B_S)``, compiled.

Moghaddam, Weiss and Avidan (2006), Sec. 3.2. With ``M = t B - A`` a support S is worth more than
t exactly if ``M_S`` has a negative eigenvalue, and by the inclusion principle, Eq. (8), no
support within T is if ``M_T`` has none. The paper computes eigenvalues; here the search goes down
from all features by dropping some, and carries ``P = M_T⁻¹`` and the number of its negative
eigenvalues from a set to its subsets by rank-one updates. With one negative eigenvalue left, the
diagonal of P and its 2 x 2 minors tell which features must stay: see `bounds`, and `descent` for
the tree.

Subtrees are searched in parallel, a fixed number of them at a time, and exchange what they found
between chunks of a fixed amount of work, so that the outcome does not depend on the threads.
Ties go to the lexicographically smallest support: subtrees that may hold one smaller than the
incumbent are pruned just below its value, the others just above it.
"""

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import get_num_threads
from scipy.linalg import eigh

from specsel import _input
from specsel._exact.exclude import (
    BASE,
    CHOOSE,
    CLOSED,
    DEPTH,
    FOUND,
    KEPT,
    NODES,
    SIZE,
    VERSION,
    Rules,
    Stack,
    descend,
    lowest,
)
from specsel._exact.include import Include, is_dominated
from specsel._exact.inertia import is_empty
from specsel._exact.relaxation import ceiling, is_empty_relaxed
from specsel.linalg import jit

# Values nearer than this share of the larger one are ties.
TIE = 1e-9

# The widest gap that makes a difference.
WIDEST = 1e6

# Rounding of values, for every feature, as a share of the largest entry of A.
ROUNDING = 1e-15

# Entries of A and B nearer than this share of their diagonal are equal.
EQUAL = 1e-14

# Subtrees searched at a time, and multiplications in the first chunk of each and in later ones:
# the chunks of all take about 50 ms on two cores.
STACKS = 8
FIRST_CHUNK = 1e5
CHUNK = 1e7

# The part of a round's work that the tree that includes features gets on top; more of it in the
# first rounds if there are so many times more features than are chosen.
SHARE = 0.05
EARLY_SHARE, EARLY_ROUNDS, SMALL = 0.4, 20, 3

# Multiplications up to which an unfinished search is bounded by all its open nodes, and ties are
# sought among the neighbours of the incumbent.
BOUND_WORK = 1e7
TIE_WORK = 1e9


def highest(A, B) -> float:
    """What no value exceeds, rounding included."""
    scale = 1.0 / np.sqrt(np.diag(B))
    scaled = A * scale * scale[:, None]
    value = eigh(scaled, B * scale * scale[:, None], eigvals_only=True)[-1]
    return value + TIE * abs(value) + ROUNDING * len(A) * np.abs(scaled).max()


@jit
def _are_alike(a, b, i, j, tolerance):
    """Whether two features can change places."""
    if abs(a[i, i] - a[j, j]) > tolerance:
        return False
    for other in range(len(a)):
        if other in (i, j):
            continue
        if abs(a[i, other] - a[j, other]) > tolerance or abs(b[i, other] - b[j, other]) > EQUAL:
            return False
    return True


class Outcome(NamedTuple):
    """What a search found: the best supports, best first, and a bound on all there are."""

    supports: list
    values: list
    bound: float
    nodes: int
    status: str


def best_supports(
    A,
    B,
    k,
    start,
    *,
    always=(),
    time_limit=None,
    gap=0.0,
    node_limit=None,
    top=1,
    bound="best",
    report=None,
):
    """Find the `top` supports of k features with the largest ``λ_max(A_S, B_S)``.

    Parameters
    ----------
    A, B : ndarray
        Symmetric, B positive definite.
    start : sequence of int
        A good support, which holds `always`.
    always : sequence of int
        Features that every support holds.
    time_limit, node_limit : float, int, optional
        Stop after so many seconds or nodes.
    gap : float
        Stop when no support can be better by more than this share.
    bound : {"best", "interlacing"}
        Eq. (8) alone prunes with "interlacing".
    report : callable, optional
        ``report(incumbent, bound, nodes, seconds)`` after every chunk; true stops.
    """
    problem = Search(A, B, k, always, top, max(min(gap, WIDEST), TIE), bound == "interlacing")
    problem.begin(start)
    status = problem.run(time_limit, node_limit, report)
    return problem.outcome("gap" if status == "optimal" and gap > TIE else status)


class Search:
    """The search over the features that are not always chosen."""

    def __init__(self, A, B, k, always=(), top=1, gap=TIE, plain=False):
        self.A, self.B = A, B
        self.top, self.gap, self.plain = top, gap, plain
        always = np.sort(np.asarray(always, np.intp))
        free = np.setdiff1d(np.arange(len(A)), always)
        # The kernels see the free features first, in their order.
        self.features = np.concatenate((free, always))
        self.n = len(free)
        self.choose = k - len(always)
        scale = 1.0 / np.sqrt(np.diag(B)[self.features])
        pair = np.ix_(self.features, self.features)
        self.a, self.b = (matrix[pair] * scale * scale[:, None] for matrix in (A, B))
        self.size = np.abs(self.a).max() or 1.0
        self.groups = self._exchangeable() if top == 1 else np.full(self.n, -1)
        self.best = []
        self.level = -np.inf
        self.version = 0

    def value(self, support):
        """Solve for the value of a support."""
        pair = np.ix_(support, support)
        last = [len(support) - 1] * 2
        return eigh(self.A[pair], self.B[pair], eigvals_only=True, subset_by_index=last)[0]

    def _exchangeable(self):
        """Number the groups of features that can change places without changing A and B.

        Of such features the earlier are chosen first, so that duplicates cost nothing.
        """
        groups = np.full(self.n, -1)
        for i in range(self.n):
            if groups[i] >= 0:
                continue
            for j in range(i + 1, self.n):
                if _are_alike(self.a, self.b, i, j, EQUAL * self.size):
                    groups[[i, j]] = i
        return groups

    def begin(self, start):
        """Set out from a support, and from its neighbours if several are wanted."""
        mask = np.isin(self.features[: self.n], start)
        self._admit(mask)
        seen = {mask.tobytes()}
        queue = [mask]
        while len(self.best) < self.top and queue:
            mask = queue.pop(0)
            for late in np.flatnonzero(mask):
                for early in np.flatnonzero(~mask):
                    near = mask.copy()
                    near[[late, early]] = False, True
                    if near.tobytes() not in seen and len(seen) < 4 * self.top:
                        seen.add(near.tobytes())
                        queue.append(near)
                        self._admit(near)

    def _admit(self, mask):
        """Let a support join the best, unless others are better or as good and smaller."""
        support = self._support(mask)
        if any(support == other for _, other in self.best):
            return
        known = [*self.best, (self.value(support), support)]
        known.sort(key=lambda pair: (-pair[0], pair[1]))
        ties = [0]
        for (before, _), (after, _) in itertools.pairwise(known):
            ties.append(ties[-1] + (before - after > self._slack(before, TIE)))
        keys = [(tie, support) for tie, (_, support) in zip(ties, known, strict=True)]
        order = sorted(range(len(keys)), key=keys.__getitem__)[: self.top]
        known = [known[i] for i in order]
        self.version += known != self.best
        self.best = known

    def _support(self, mask):
        chosen = np.concatenate((self.features[: self.n][mask], self.features[self.n :]))
        return tuple(int(feature) for feature in np.sort(chosen))

    def _slack(self, value, share):
        """A share of a value, and what rounding can make of it."""
        return share * abs(value) + ROUNDING * len(self.a) * self.size

    def run(self, time_limit, node_limit, report):
        """Search until nothing is left, or until told to stop."""
        began = time.perf_counter()
        budget = FIRST_CHUNK
        with _input.catch_interrupts() as caught, ThreadPoolExecutor(get_num_threads()) as threads:
            self._set_up()
            for number in itertools.count():
                if not any(stack.state[DEPTH] >= 0 for stack in self.stacks):
                    return "optimal"
                self._round(threads, budget)
                if self.include and self._include(threads, budget * self._share_at(number)):
                    return "optimal"
                budget = min(2 * budget, CHUNK)
                seconds = time.perf_counter() - began
                if caught:
                    return "interrupted"
                if time_limit is not None and seconds >= time_limit:
                    return "time"
                if node_limit is not None and self.nodes >= node_limit:
                    return "nodes"
                if report and self._told_to_stop(report, seconds):
                    return "interrupted"

    def _told_to_stop(self, report, seconds):
        try:
            return report(self.best[0][0], self.ceiling, self.nodes, seconds)
        except KeyboardInterrupt:
            return True

    def _set_up(self):
        """Make the slots, with all there is to do in the first."""
        n = self.n
        levels = n - self.choose + 2
        room = sum((n - level) ** 2 for level in range(min(levels, n)))
        self.stacks = tuple(
            Stack(
                np.array([-1, 0, 0, 0]),
                np.zeros(n, np.int64),
                np.zeros((levels, 9), np.int64),
                np.zeros((levels, n), np.int64),
                np.zeros((levels, 3, n)),
                np.empty(room),
                np.zeros(n, np.bool_),
            )
            for _ in range(STACKS)
        )
        self._place(self.stacks[0], (np.empty(0, np.int64), np.arange(n), self.choose))
        self.include, self.included = None, 0
        self._level()
        if not self.plain and self.top == 1 and Include.suits(self.b, n, self.choose):
            self.include = Include(n, self.choose, self.groups)
            self.include.begin(self.rules.tight, self.rules.rival)

    def _place(self, stack, node):
        """Give an idle stack a node: what it keeps, its free features, and how many of them."""
        base, free, choose = node
        stack.base[: len(base)] = base
        stack.table[0] = 0
        stack.table[0, [SIZE, CHOOSE, VERSION]] = len(free), choose, -1
        stack.features[0, : len(free)] = free
        stack.state[[DEPTH, BASE]] = 0, len(base)

    def _open(self, stack, depth):
        """What is left of a node."""
        kept = [stack.base[: stack.state[BASE]]]
        kept += [stack.features[level, : stack.table[level, KEPT] - 1] for level in range(depth)]
        own, (size, count, choose) = (
            stack.features[depth],
            stack.table[depth, [SIZE, KEPT, CHOOSE]],
        )
        return np.concatenate((*kept, own[:count])), own[count:size].copy(), choose - count

    def _level(self):
        """Set the thresholds by the worst of the best, and take the smallest of its neighbours."""
        self.level = max(self.level, self.best[-1][0])
        above, below = (self._slack(self.level, share) for share in (self.gap, TIE))
        tight = (self.level + above) * self.b - self.a
        loose = (self.level - below) * self.b - self.a if self.gap <= TIE else tight
        rival = np.isin(self.features[: self.n], self.best[-1][1])
        few = self.n**2 * self.choose**3 <= TIE_WORK
        if self.top == 1 and self.gap <= TIE and few:
            smallest = lowest(loose, rival)
            if (smallest != rival).any():
                self._admit(smallest)
                rival = np.isin(self.features[: self.n], self.best[-1][1])
        self.rules = Rules(tight, loose, rival, self.groups, self.version, self.plain)
        if self.include:
            self.include.renew(loose if self.include.ties else tight, rival)

    def _round(self, threads, budget):
        self._share()
        busy = [stack for stack in self.stacks if stack.state[DEPTH] >= 0]
        chunks = [threads.submit(descend, stack, self.rules, budget) for stack in busy]
        for chunk in chunks:
            chunk.result()
        before = self.version
        self._gather()
        if self.version > before:
            self._level()

    def _gather(self):
        """Admit what the stacks found."""
        for stack in self.stacks:
            if stack.state[FOUND]:
                self._admit(stack.found.copy())
                stack.state[FOUND] = 0

    def _share_at(self, number):
        """The part of a round's work that the other tree gets."""
        early = number < EARLY_ROUNDS and self.n >= SMALL * self.choose
        return EARLY_SHARE if early else SHARE

    def _include(self, threads, budget):
        """Go on with the other tree; whether it has proved that nothing is better.

        It proves so first, and then looks for ties with a smaller support.
        """
        before = self.version
        for mask in self.include.advance(threads, budget):
            self._admit(self._filled(mask))
        if self.version > before:
            self._level()
        if self.include.doubtful:
            self.included += self.include.nodes
            self.include = None
        elif self.include.done:
            if self.include.ties or self.gap > TIE:
                return True
            self.included += self.include.nodes
            self.include.begin(self.rules.loose, self.rules.rival, ties=True)
        return False

    def _filled(self, mask):
        """Fill up a support with features of the incumbent or, among ties, with the first."""
        filled = mask.copy()
        others = np.flatnonzero(~mask)
        if not self.include.ties:
            others = others[np.argsort(~self.rules.rival[others], kind="stable")]
        filled[others[: self.choose - mask.sum()]] = True
        return filled

    def _share(self):
        """Give idle slots the highest nodes of the others."""
        for stack in self.stacks:
            if stack.state[DEPTH] >= 0:
                continue
            donors = [
                (donor.table[depth, SIZE] - donor.table[depth, KEPT], -number, depth)
                for number, donor in enumerate(self.stacks)
                for depth in range(donor.state[DEPTH])
                if not donor.table[depth, CLOSED]
            ]
            if not donors:
                return
            _, number, depth = max(donors)
            donor = self.stacks[-number]
            self._place(stack, self._open(donor, depth))
            donor.table[depth, CLOSED] = 1

    @property
    def nodes(self):
        included = self.included + (self.include.nodes if self.include else 0)
        return included + int(sum(stack.state[NODES] for stack in self.stacks))

    def remaining(self):
        """List the open nodes."""
        return [
            self._open(stack, depth)
            for stack in self.stacks
            for depth in range(stack.state[DEPTH] + 1)
            if not stack.table[depth, CLOSED]
        ]

    @cached_property
    def ceiling(self):
        """Bound the values of all supports."""
        tests = [self._is_empty]
        if self.include:
            tests.append(is_dominated)
        if not self.plain:
            tests.append(is_empty_relaxed)
        return self._ceiling([(np.empty(0, np.int64), np.arange(self.n), self.choose)], tests)

    def upper(self, nodes):
        """Bound the values of all supports in some nodes."""
        return self._ceiling(nodes, [self._is_empty])

    def _ceiling(self, nodes, tests):
        high = highest(self.a, self.b)
        return ceiling(self.a, self.b, self.n, nodes, self.level, high, tests)

    def _is_empty(self, matrix, n_free, choose):
        return is_empty(matrix, n_free, choose, self.plain)

    def _bound(self):
        """Bound what is open, and what was left out for being within the gap.

        Each of the trees alone holds all that may be better; the one with fewer nodes is taken.
        """
        pruned = self.level + self._slack(self.level, self.gap)
        if self.include and self.include.ties:
            return pruned
        trees = [self.remaining()]
        if self.include and not self.include.doubtful:
            trees.append(self.include.remaining())
        nodes = min(trees, key=len)
        if len(nodes) * len(self.a) ** 3 > BOUND_WORK:
            return self.ceiling
        return max(pruned, min(self.ceiling, self.upper(nodes)))

    def outcome(self, status):
        values, supports = zip(*self.best, strict=True)
        bound = values[0]
        if status == "gap":
            bound = max(bound, self.level + self._slack(self.level, self.gap))
        elif status != "optimal":
            bound = max(bound, self._bound())
        return Outcome(list(supports), list(values), bound, self.nodes, status)
