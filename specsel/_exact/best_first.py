"""The tree that decides about any feature, the node with the largest bound first.

It serves criteria that add up: trace and log-det, and the largest eigenvalue where A has rank one,
which is its trace. Two children of a node include a feature and exclude it; `decisions` bounds
each of them. Nodes are taken in batches of a fixed number, and what they find is used only after
the batch, so the outcome does not depend on the number of threads.

The children share the arrays of their parent. If these outgrow the room there is, the nodes with
the smallest bounds go first, which end soonest.
"""

import heapq
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from specsel import linalg
from specsel._exact.decisions import Node, Task, Verdict, examine
from specsel._exact.perspective import Effort
from specsel._exact.problem import Problem
from specsel._validate import Bools, Integers

# Nodes examined at a time, and the least number; their work, in multiplications, so that a batch
# of large nodes does not take long.
BATCH, LEAST_BATCH, BATCH_WORK = 8, 2, 3e8

# The part of the smallest eigenvalue of B that is split off at first, the same for every feature.
SPLIT = 0.9

# How much work a bound is worth at the root, and elsewhere. The root is bounded again and again,
# in portions of so many multiplications, as long as that closes this share of what is missing.
ROOT = Effort(rounds=100, sweeps=60, step=0.3, stop=0.0)
INNER = Effort(rounds=4, sweeps=24, step=0.4, stop=0.05)
ROOT_WORK, ROOT_GAIN = 1e9, 0.01

# A node is pruned only below the threshold by so many roundings for every feature, times the
# condition number of B, and by no more than this share.
ROUNDINGS, MOST = 8, 1e-4

# Doubles that all open nodes may take.
ROOM = 2.5e7


class Open(NamedTuple):
    """An open node, in the order in which nodes are taken."""

    key: float  # minus the bound
    number: int
    node: Node
    branch: int  # place of the feature to decide about
    include: bool  # which child this is


class BestFirst:
    """The tree over the features of a problem.

    Attributes
    ----------
    nodes : int
        How many nodes were examined.
    """

    def __init__(self, problem: Problem, *, plain: bool = False) -> None:
        """Put the root into the queue."""
        self._problem = problem
        least, factor = float(linalg.eigen(problem.b)[0][0]), problem.factor
        matrix = np.ascontiguousarray(problem.b)
        self._task = Task(matrix, factor, problem.k, problem.criterion == "logdet", plain)
        self._margin = min(
            ROUNDINGS * len(problem.b) * np.finfo(float).eps / max(least, 1e-300), MOST
        )
        n, size = problem.n, len(problem.b)
        root = Node(
            np.arange(n, size), np.arange(n), np.full(n, SPLIT * least), np.zeros((len(factor), n))
        )
        self._queue = [Open(-np.inf, 0, root, -1, True)]
        self._count = self.nodes = self._held = 0
        cube = 3.0 * max(n, 1) ** 3
        self._batch = int(np.clip(BATCH_WORK / (INNER.rounds * cube), LEAST_BATCH, BATCH))
        rounds = int(np.clip(ROOT_WORK / cube, INNER.rounds, ROOT.rounds))
        self._root = ROOT._replace(rounds=rounds)
        self._root_rounds = 0

    @property
    def done(self) -> bool:
        """Whether no node is left."""
        return not self._queue

    @property
    def bound(self) -> float:
        """A bound on all that is open."""
        bound = max((-one.key for one in self._queue), default=-np.inf)
        return bound + self._margin * abs(bound) if np.isfinite(bound) else bound

    def advance(
        self,
        threads: ThreadPoolExecutor,
        above: float,
        below: float,
        incumbent: Bools,
        budget: float,
    ) -> list[Bools]:
        """Examine nodes until so many multiplications are done or a support is found.

        Nodes are pruned `below` the value to beat if they hold a support that precedes the
        incumbent, and `above` it if not. List masks of supports that may be better.
        """
        found: list[Bools] = []
        while self._queue and budget > 0 and not found:
            batch: list[tuple[float, float, Future[Any]]] = []
            while self._queue and len(batch) < self._batch:
                node, bound, effort = self._take()
                threshold = below if self._may_precede(node, incumbent) else above
                threshold -= self._margin * abs(threshold)
                if bound > threshold and len(node.free) >= self._task.choose - len(node.included):
                    job = threads.submit(examine, self._task, node, threshold, effort)
                    batch.append((bound, threshold, job))
            for bound, threshold, job in batch:
                verdict = job.result()
                self.nodes += 1
                budget -= verdict.work
                support = verdict.found
                if len(support) and self._value(support) > threshold:
                    mask = np.zeros(len(self._task.matrix), bool)
                    mask[support] = True
                    found.append(mask[: self._problem.n])
                if verdict.bound > threshold:
                    self._put(verdict, bound, threshold)
        return found

    def _value(self, members: Integers) -> float:
        """Compute the value of a support, to see whether it is worth a closer look."""
        B, U = self._task.matrix[np.ix_(members, members)], self._task.targets[:, members]
        inner = U @ np.linalg.solve(B, U.T)
        if not self._task.concave:
            return float(np.trace(inner))
        return float(np.linalg.slogdet(inner + np.eye(len(inner)))[1])

    def _put(self, verdict: Verdict, before: float, threshold: float) -> None:
        """Put both children of a node into the queue, or the root again."""
        node, bound = verdict.node, min(before, verdict.bound)
        if self._root_rounds < ROOT.rounds:
            self._root_rounds += self._root.rounds
            if before - bound > ROOT_GAIN * (bound - threshold):
                self._queue.append(Open(-bound, 0, node, -1, True))
                return
            self._root_rounds = ROOT.rounds
        branch = self._first_alike(node.free, verdict.branch)
        for include in (True, False):
            self._count += 1
            heapq.heappush(self._queue, Open(-bound, self._count, node, branch, include))
            self._held += _room(node)

    def _take(self) -> tuple[Node, float, Effort]:
        """Take the child of the largest bound, make it, and say how much work it is worth."""
        if self._held > ROOM:
            self._queue.sort(reverse=True)
            taken = self._queue.pop(0)
            self._queue.reverse()
        else:
            taken = heapq.heappop(self._queue)
        if taken.branch < 0:
            return taken.node, -taken.key, self._root
        self._held -= _room(taken.node)
        included, free, split, weights = taken.node
        left = np.arange(len(free)) != taken.branch
        if taken.include:
            included = np.append(included, free[taken.branch])
        else:
            left &= ~self._followers(free, taken.branch)
        node = Node(included, free[left], split[left], np.ascontiguousarray(weights[:, left]))
        return node, -taken.key, INNER

    def _followers(self, free: Integers, place: int) -> Bools:
        """Mark the later features that are exactly like one: they need not go on without it."""
        groups = self._problem.groups[free]
        return (groups == groups[place]) & (groups >= 0) & (free > free[place])

    def _first_alike(self, free: Integers, place: int) -> int:
        """Return the place of the first of the features that are exactly like one."""
        groups = self._problem.groups[free]
        if groups[place] < 0:
            return place
        alike = np.flatnonzero(groups == groups[place])
        return int(alike[np.argmin(free[alike])])

    def _may_precede(self, node: Node, incumbent: Bools) -> bool:
        """Tell if a node holds a support that is lexicographically smaller than the incumbent."""
        mask = np.zeros(len(self._task.matrix), bool)
        mask[node.included] = True
        lacking = self._task.choose - len(node.included)
        mask[np.sort(node.free)[: max(lacking, 0)]] = True
        differs = np.flatnonzero(mask[: len(incumbent)] != incumbent)
        return bool(len(differs) and mask[differs[0]])


def _room(node: Node) -> int:
    """Count half the doubles of a node, which its two children share."""
    return (len(node.free) * (len(node.weights) + 2) + len(node.included)) // 2
