"""Exact search for the supports of k features that are worth most.

Moghaddam, Weiss and Avidan (2006), Sec. 2.2 and 2.3. With ``M = t B - A``, a support S is worth
more than t exactly if ``M_S`` has a negative eigenvalue. By the inclusion principle, Eq. (8), no
support within a set T is worth more than t if ``M_T`` has none. So a node, which stands for all
supports within some T that hold some features, is pruned once that is shown for t the value of the
best support known, the incumbent. The paper computes eigenvalues at every node; here nodes carry
an inverse or a Schur complement, which a child derives from its parent's by one update of rank
one, and which prune by more than Eq. (8).

Three trees search side by side, and each alone would prove the optimum: `exclude` starts with all
features and drops some, `include` starts with none and adds some, `best_first` decides about any
feature. The second gets a small part of the work, and wins where k is small. The third takes
criteria that add up: two classes, or trace and log-det, which it searches alone. All proceed in
rounds of a fixed amount of work and exchange what they found in between, so that the outcome does
not depend on the number of threads.

Of ties, the lexicographically smallest support wins. Nodes that may hold one smaller than the
incumbent are pruned just below its value, the others just above it.
"""

import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import get_num_threads

from specsel import _runtime
from specsel._exact.best_first import BestFirst
from specsel._exact.descent import Rules
from specsel._exact.dominance import is_dominated
from specsel._exact.exclude import STACKS, Exclude, Node
from specsel._exact.include import Include
from specsel._exact.incumbent import Incumbents, lowest
from specsel._exact.inverses import is_empty
from specsel._exact.problem import TIE, Members, Problem, Support, highest
from specsel._exact.relaxation import Test, ceiling, is_empty_relaxed
from specsel._validate import Bools, Floats

# Called after every round with the value of the best support, a bound on all, the number of nodes
# and the seconds; true stops the search.
Report = Callable[[float, float, int, float], object]

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

# Smaller ties are sought among the neighbours of the incumbent if that takes no more
# multiplications than this, a fraction of a second.
TIE_WORK = 2e8


class Outcome(NamedTuple):
    """What a search found: the best supports, best first, and a bound on all there are."""

    supports: list[Support]
    values: list[float]
    bound: float
    nodes: int
    status: str


class Search:
    """The trees and the incumbents of one problem.

    Attributes
    ----------
    problem : Problem
    incumbents : Incumbents
    exclude : Exclude or None
        None where the largest eigenvalue is not what is sought.
    include : Include or None
        None where the tree does not suit the problem, or is finished, or rounding grew in it.
    best_first : BestFirst or None
        None where the criterion does not add up.
    level : float
        The value to beat.
    rules : Rules
        What the nodes of `exclude` are pruned by.
    """

    def __init__(
        self,
        problem: Problem,
        start: Members,
        *,
        top: int = 1,
        gap: float = TIE,
        plain: bool = False,
    ) -> None:
        """Set out from a support."""
        self.problem, self._top, self._gap, self._plain = problem, top, gap, plain
        self.incumbents = Incumbents(problem, top)
        self.incumbents.begin(start)
        self.level = -np.inf
        self.exclude: Exclude | None = None
        self.include: Include | None = None
        self.best_first: BestFirst | None = None
        self._include_nodes = 0  # of the tree as it was begun before
        self._earlier_nodes = 0  # of coarser searches
        self._proved = np.inf  # the bound that these proved

    def run(
        self,
        time_limit: float | None = None,
        node_limit: int | None = None,
        report: Report | None = None,
        clock: Callable[[], float] = time.perf_counter,
        began: float | None = None,
    ) -> str:
        """Search until nothing is left or a limit is reached; return the status.

        It may go on later. Seconds count from `began`, by default from now.
        """
        began = clock() if began is None else began
        status, budget, numbers = "", FIRST_CHUNK, itertools.count()
        with (
            _runtime.catch_interrupts() as caught,
            ThreadPoolExecutor(get_num_threads()) as threads,
        ):
            if self.nodes == 0:
                self.plant()
            while not status:
                number = next(numbers)
                done = self.exclude is not None and self.exclude.done
                if done or self._round(threads, budget, number):
                    return "optimal"
                if number == CEILING_ROUND and not caught and not self.best_first:
                    _ = self.ceiling
                budget = min(2 * budget, CHUNK)
                seconds = clock() - began
                if caught:
                    status = "interrupted"
                elif time_limit is not None and seconds >= time_limit:
                    status = "time"
                elif node_limit is not None and self.nodes >= node_limit:
                    status = "nodes"
                elif report and self._told_to_stop(report, seconds):
                    status = "interrupted"
        return status

    def coarser(self, gap: float) -> "Search":
        """A search for what is better by more than a gap, from the best support known."""
        other = Search(self.problem, self.incumbents.best[0][1], gap=gap)
        other._proved = self._proved
        return other

    def learn(self, other: "Search", *, done: bool) -> None:
        """Take over what a coarser search found and, if it was done, what it proved."""
        self._earlier_nodes += other.nodes
        self._admit([other.incumbents.mask])
        if done:
            self._proved = min(self._proved, other._pruned)

    def _told_to_stop(self, report: Report, seconds: float) -> bool:
        try:
            value, _ = self.incumbents.best[0]
            return bool(report(value, self.ceiling, self.nodes, seconds))
        except KeyboardInterrupt:
            return True

    def plant(self) -> None:
        """Make the trees, each with its root."""
        problem = self.problem
        if problem.adds_up and (problem.criterion != "leading" or not self._plain):
            self.best_first = BestFirst(problem, plain=self._plain)
        if problem.criterion == "leading":
            self.exclude = Exclude(problem.n, problem.choose)
        self._renew()
        if not self.exclude:
            return
        suits = Include.suits(problem.b, problem.n, problem.choose)
        if not self._plain and self._top == 1 and suits:
            self.include = Include(problem.n, problem.choose, problem.groups)
            self.include.begin(self.rules.above, self.rules.incumbent)

    def _renew(self) -> None:
        """Set the thresholds by the support to beat, after trying to find a smaller tie of it."""
        problem = self.problem
        self.level = max(self.level, self.incumbents.value)
        if not self.exclude:
            return
        above = problem.matrix(self.level + problem.slack(self.level, self._gap))
        below = above
        if self._gap <= TIE:
            below = problem.matrix(self.level - problem.slack(self.level, TIE))
        incumbent = self.incumbents.mask
        few = problem.n**2 * problem.choose**3 <= TIE_WORK
        if self._top == 1 and self._gap <= TIE and few:
            smallest = lowest(below, incumbent)
            if (smallest != incumbent).any():
                self.incumbents.admit(smallest)
                incumbent = self.incumbents.mask
        version = self.incumbents.version
        self.rules = Rules(above, below, incumbent, problem.groups, version, self._plain)
        if self.include:
            self.include.renew(below if self.include.ties else above, incumbent)

    def _round(self, threads: ThreadPoolExecutor, budget: float, number: int) -> bool:
        """Go on with all trees; tell if one of them has proved the optimum.

        That `exclude` has, the next round will see.
        """
        if self.best_first and (not self.exclude or number >= BEST_FIRST_ROUND):
            self._advance_best_first(threads, STACKS * budget)
            if self.best_first.done:
                return True
            if self._favours_best_first:
                budget *= SMALL_PART
        if not self.exclude:
            return False
        self._admit(self.exclude.advance(threads, self.rules, budget))
        tree = self.include
        if tree is None:
            return False
        found = tree.advance(threads, budget * self._include_part(number))
        self._admit([self._filled(mask, tree.ties) for mask in found])
        if tree.doubtful:
            self._include_nodes += tree.nodes
            self.include = None
        elif tree.done:
            if tree.ties or self._gap > TIE:
                return True
            self._include_nodes += tree.nodes
            tree.begin(self.rules.below, self.rules.incumbent, ties=True)
        return False

    def _advance_best_first(self, threads: ThreadPoolExecutor, budget: float) -> None:
        assert self.best_first
        slack = self.problem.slack
        above = below = self.level + slack(self.level, self._gap)
        if self._gap <= TIE:
            below = self.level - slack(self.level, TIE)
        mask = self.incumbents.mask
        self._admit(self.best_first.advance(threads, above, below, mask, budget))

    @property
    def _favours_best_first(self) -> bool:
        return FEW < self.problem.choose < LARGE_PART * self.problem.n

    def _admit(self, masks: list[Bools]) -> None:
        """Let supports join the incumbents, and renew the thresholds if that changed them."""
        before = self.incumbents.version
        for mask in masks:
            self.incumbents.admit(mask)
        if self.incumbents.version > before:
            self._renew()

    def _include_part(self, number: int) -> float:
        """Return the part of a round's work that the tree that includes features gets."""
        early = number < EARLY_ROUNDS and self.problem.n >= MANY_TIMES * self.problem.choose
        return EARLY_PART if early else INCLUDE_PART

    def _filled(self, mask: Bools, ties: bool) -> Bools:
        """Fill up a support with features of the incumbent or, among ties, with the first."""
        filled = mask.copy()
        others = np.flatnonzero(~mask)
        if not ties:
            others = others[np.argsort(~self.rules.incumbent[others], kind="stable")]
        filled[others[: self.problem.choose - mask.sum()]] = True
        return filled

    @property
    def nodes(self) -> int:
        """How many nodes were examined in both trees."""
        trees = (self.exclude, self.include, self.best_first)
        earlier = self._include_nodes + self._earlier_nodes
        return earlier + sum(tree.nodes for tree in trees if tree)

    @property
    def ceiling(self) -> float:
        """A bound on the values of all supports."""
        if self.best_first:
            return max(self._pruned, min(self._highest, self.best_first.bound))
        return min(self._proved, self._ceiling_of_all)

    @property
    def _pruned(self) -> float:
        """A bound on what was pruned."""
        return self.level + self.problem.slack(self.level, self._gap)

    @cached_property
    def _highest(self) -> float:
        problem = self.problem
        return highest(problem.a, problem.b, len(problem.a), problem.criterion)

    @cached_property
    def _ceiling_of_all(self) -> float:
        """A bound by what holds for all supports, computed once."""
        tests: list[Test] = [self._is_empty]
        if self.include:
            tests.append(is_dominated)
        if not self._plain:
            tests.append(is_empty_relaxed)
        root = np.empty(0, np.int64), np.arange(self.problem.n), self.problem.choose
        return self._ceiling([root], tests)

    def bound_of(self, nodes: list[Node]) -> float:
        """Bound the values of all supports in some nodes, by no less than the value to beat."""
        return self._ceiling(nodes, [self._is_empty])

    def _ceiling(self, nodes: list[Node], tests: list[Test]) -> float:
        a, b = self.problem.a, self.problem.b
        return ceiling(a, b, self.problem.n, nodes, self.level, self._highest, tests)

    def _is_empty(self, matrix: Floats, n_free: int, choose: int) -> bool:
        return bool(is_empty(matrix, n_free, choose, self._plain))

    def _bound(self) -> float:
        """Bound what is open, and what was pruned for being within the gap.

        The open nodes of either tree hold all that may be better; those of the tree with fewer are
        taken.
        """
        if self.include and self.include.ties:
            return self._pruned
        if self.best_first:
            if not self.best_first.nodes:
                with ThreadPoolExecutor(1) as thread:
                    self._advance_best_first(thread, 1.0)
            return self.ceiling
        assert self.exclude
        trees = [self.exclude.remaining()]
        if self.include and not self.include.doubtful:
            trees.append(self.include.remaining())
        nodes = min(trees, key=len)
        if len(nodes) * len(self.problem.a) ** 3 > BOUND_WORK:
            return self.ceiling
        return max(self._pruned, min(self.ceiling, self.bound_of(nodes)))

    def outcome(self, status: str) -> Outcome:
        """Pack what was found, with a bound that the status allows."""
        values, supports = zip(*self.incumbents.best, strict=True)
        bound = values[0]
        if status == "gap":
            bound = max(bound, self._pruned)
        elif status != "optimal":
            bound = max(bound, self._bound())
        return Outcome(list(supports), list(values), bound, self.nodes, status)
