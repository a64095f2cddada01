"""The tree that decides about any feature, the node with the largest bound first.

It serves criteria that add up: trace and log-det, and the largest eigenvalue where A has rank one,
which is its trace. A node includes some features F and takes k more of its free ones R; its two
children include a feature and exclude it. Eliminating F leaves the same problem over R: the Schur
complement of B, and what F leaves unexplained of U. There `examine` bounds all supports of the
node, and decides about as many features as follow from the bounds:

perspective  Let a feature among the k largest a_i give way to the next one, or another one replace
             the k-th: where the bound falls to the threshold, the feature is in all better
             supports, or in none. See `bounds`.
deletion     No support is worth more than all of F and R, nor more than that without a feature
             which it lacks. So it has to hold each feature without which the rest is worth too
             little. This helps where few are left out.
pairs        If one or two are left to choose, the best choice with every feature is computed.

Nodes are taken in batches of a fixed number, and what they find is used only after the batch, so
the outcome does not depend on the number of threads. The children share the arrays of their
parent. If these outgrow the buffer, the nodes with the smallest bounds are taken first, which end
soonest.
"""

import heapq
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from specsel import linalg
from specsel._exact.bounds import EPS, bound
from specsel._exact.exclude import may_precede
from specsel._validate import Bools, Floats, Integers, NDArray

# Nodes examined at a time, and the least number; their work, in multiplications, so that a batch
# of large nodes does not take long.
BATCH, LEAST_BATCH, BATCH_WORK = 8, 2, 3e8

# The part of the smallest eigenvalue of B that is split off at first, the same for every feature.
SPLIT = 0.9

# How much work a bound is worth: steps over e, sweeps over W for each of them, how much of a step
# over e is taken, and the end, when four rounds close less than this share of what is missing.
ROUNDS, SWEEPS, STEP, STOP = 4, 24, 0.4, 0.05

# A node is pruned only below the threshold by so many roundings for every feature, times the
# condition number of B, and by no more than this share.
ROUNDINGS, MOST = 8, 1e-4

# Doubles that all open nodes may take.
BUFFER = 2.5e7

# Deletion is tried where at least this share of the free features is to be chosen.
DELETION_SHARE = 1 / 3

# The node is bounded again if at least this share of its features was excluded.
WORTHWHILE = 0.1

# A feature whose share is larger counts as chosen by the relaxation.
CHOSEN = 1 - 1e-6

# What is left unexplained of a feature must be this much of it, or B is taken to be singular.
SINGULAR = 1e-15


class FactoredTask(NamedTuple):
    """What all nodes have in common. Features are scaled so that the diagonal of B is 1."""

    matrix: np.ndarray  # B
    targets: np.ndarray  # U, with ``A = Uᵀ U``
    choose: int  # how many features a support holds
    concave: bool  # whether log-det is sought, not the trace
    plain: bool  # whether only the value of all that is left bounds a node (Eq. 8)


class OpenNode(NamedTuple):
    """What a node includes and what is free, with the e and the W of its parent."""

    included: np.ndarray
    free: np.ndarray
    split: np.ndarray  # e, for the free features
    weights: np.ndarray  # W, for the free features


class BestFirst:
    """The tree over all supports of k features; `nodes` counts those examined."""

    def __init__(self, task: FactoredTask, groups: Integers) -> None:
        """Put the root into the queue. All supports hold the features beyond those in `groups`."""
        self._task, self._groups = task, groups
        n, size = len(groups), len(task.matrix)
        least = float(linalg.eigen(task.matrix)[0][0])
        self._margin = min(ROUNDINGS * size * np.finfo(float).eps / max(least, 1e-300), MOST)
        split, weights = np.full(n, SPLIT * least), np.zeros((len(task.targets), n))
        root = OpenNode(np.arange(n, size), np.arange(n), split, weights)
        # Open children: minus the bound, a number that breaks ties, the parent, the position
        # of the feature to decide about or -1 for the root, and whether it is included.
        self._queue = [(-np.inf, 0, root, -1, True)]
        self._count = self.nodes = self._stored = 0
        work = 3.0 * ROUNDS * max(n, 1) ** 3
        self._batch = int(np.clip(BATCH_WORK / work, LEAST_BATCH, BATCH))

    @property
    def done(self) -> bool:
        """Whether no node is left."""
        return not self._queue

    @property
    def bound(self) -> float:
        """A bound on all that is open."""
        bound = max((-key for key, *_ in self._queue), default=-np.inf)
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
        masks: list[Bools] = []
        while self._queue and budget > 0 and not masks:
            batch: list[tuple[float, float, Future[Any]]] = []
            while self._queue and len(batch) < self._batch:
                node, bound = self._take()
                lacking = self._task.choose - len(node.included)
                earlier = may_precede(node.included, node.free, lacking, incumbent)
                threshold = below if earlier else above
                threshold -= self._margin * abs(threshold)
                if bound > threshold and len(node.free) >= lacking:
                    job = threads.submit(examine, self._task, node, threshold)
                    batch.append((bound, threshold, job))
            for before, threshold, job in batch:
                bound, node, branch, support, work = job.result()
                self.nodes += 1
                budget -= work
                if len(support) and self._value(support) > threshold:
                    masks.append(np.isin(np.arange(len(incumbent)), support))
                if bound > threshold:
                    self._put(node, branch, min(before, bound))
        return masks

    def _value(self, members: Integers) -> float:
        """Compute the value of a support, to see whether it is worth a closer look."""
        B, U = self._task.matrix[np.ix_(members, members)], self._task.targets[:, members]
        inner = U @ np.linalg.solve(B, U.T)
        if not self._task.concave:
            return float(np.trace(inner))
        return float(np.linalg.slogdet(inner + np.eye(len(inner)))[1])

    def _put(self, node: OpenNode, branch: int, bound: float) -> None:
        """Put both children of a node into the queue."""
        groups = self._groups[node.free]
        if groups[branch] >= 0:  # of features that are exactly alike, the first
            alike = np.flatnonzero(groups == groups[branch])
            branch = int(alike[np.argmin(node.free[alike])])
        for include in (True, False):
            self._count += 1
            heapq.heappush(self._queue, (-bound, self._count, node, branch, include))
            self._stored += _doubles(node)

    def _take(self) -> tuple[OpenNode, float]:
        """Take the child of the largest bound and make it; return it with that bound."""
        if self._stored > BUFFER:
            self._queue.sort()  # a sorted list is a heap
            key, _, parent, branch, include = self._queue.pop()
        else:
            key, _, parent, branch, include = heapq.heappop(self._queue)
        if branch < 0:
            return parent, -key
        self._stored -= _doubles(parent)
        included, free, split, weights = parent
        left = np.arange(len(free)) != branch
        if include:
            included = np.append(included, free[branch])
        else:  # later features that are exactly like it need not go on without it
            groups = self._groups[free]
            left &= ~((groups == groups[branch]) & (groups >= 0) & (free > free[branch]))
        weights = np.ascontiguousarray(weights[:, left])
        return OpenNode(included, free[left], split[left], weights), -key


def _doubles(node: OpenNode) -> int:
    """Count half the doubles of a node, which its two children share."""
    return (len(node.free) * (len(node.weights) + 2) + len(node.included)) // 2


def examine(
    task: FactoredTask, node: OpenNode, threshold: float
) -> tuple[float, OpenNode, int, Integers, float]:
    """Bound the supports of a node and decide about its features.

    Return a bound, which is -inf if none is better than the threshold; the node with all that was
    decided; the position in `node.free` of the feature to decide about next, or -1; a support, or
    nothing; and the work in multiplications, about.
    """
    work, ceiling, candidate = 0.0, np.inf, np.empty(0, np.intp)
    while True:
        included, free, split, weights = node
        choose, size = task.choose - len(included), len(free)
        pruned = -np.inf, node, -1, candidate, work
        if choose < 0 or size < choose:
            return pruned
        if choose in (0, size):
            chosen = included if choose == 0 else np.concatenate((included, free))
            return -np.inf, node, -1, chosen, work
        work += (len(included) + 1.0) * len(task.matrix) ** 2
        left = condense(task, included, free)
        if left is None:
            return ceiling, node, 0, candidate, work
        matrix, targets, base, factor = left
        goal = threshold - base
        drop, keep = np.zeros((2, size), bool)
        if choose <= 2 and not task.plain:
            best, partner = _pairs(matrix, targets, choose, task.concave)
            work += float(size) ** choose * len(targets)
            first = int(np.argmax(best))
            if best[first] <= goal:
                return pruned
            candidate = np.append(included, free[[first, partner[first]][:choose]])
            drop = best <= goal
            node = _decide(node, keep, drop)
            return base + best[first], node, first - int(drop[:first].sum()), candidate, work
        if task.plain or choose >= DELETION_SHARE * size:
            work += 2.0 * size**3
            total, losses = _deletions(matrix, targets, task.concave)
            ceiling = min(ceiling, base + total)
            if ceiling <= threshold:
                return pruned
            if task.plain:
                return ceiling, node, int(np.argmax(losses)), candidate, work
            keep = total - losses <= goal
            if keep.any():
                if keep.sum() > choose:
                    return pruned
                node = _decide(node, keep, drop)
                continue
            if np.isfinite(total):
                ceiling = min(ceiling, base + total - np.sort(losses)[size - choose - 1])
        loads = np.linalg.solve(factor, weights) if task.concave else weights
        least, split, weights, scores, shares, taken = bound(
            matrix, targets, task.concave, split, loads, choose, goal, ROUNDS, SWEEPS, STEP, STOP
        )
        work += (taken + 1.0) * (2.0 * size**3 + SWEEPS * len(targets) * size**2 / 4)
        if least <= goal:
            return -np.inf, node, -1, candidate, work
        if np.isinf(least):
            return ceiling, node, 0, candidate, work
        ceiling = min(ceiling, base + least)
        if task.concave:
            weights = factor @ weights
        node = OpenNode(included, free, split, weights)
        order = np.argsort(-scores, kind="stable")
        last, following = scores[order[choose - 1 : choose + 1]]
        inside = scores >= last
        keep = inside & (least - scores + following <= goal)
        drop = ~inside & (least - last + scores <= goal)
        left_over = size - drop.sum()
        again = left_over <= max((1 - WORTHWHILE) * size, choose + 1) and left_over < size
        if keep.any() or again:
            node = _decide(node, keep, drop)
            continue
        candidate = np.concatenate((included, free[order[:choose]]))
        unsure = np.where(drop | (shares >= CHOSEN), 0.0, shares)
        position = int(unsure.argmax() if unsure.any() else order[0])
        node = _decide(node, keep, drop)
        return ceiling, node, position - int(drop[:position].sum()), candidate, work


def _decide(node: OpenNode, keep: Bools, drop: Bools) -> OpenNode:
    """Include and exclude features of a node."""
    left = ~(keep | drop)
    included, free, split, weights = node
    weights = np.ascontiguousarray(weights[:, left])
    return OpenNode(np.concatenate((included, free[keep])), free[left], split[left], weights)


def condense(
    task: FactoredTask, included: Integers, free: Integers
) -> tuple[Floats, Floats, float, NDArray[Any]] | None:
    """Eliminate what is included; return None unless the rest of B is positive definite.

    Return the rest of B and of U, the value of what is included, and a factor: for log-det U is
    divided by it, which makes ``I + H`` the identity.
    """
    order, count, rank = np.concatenate((included, free)), len(included), len(task.targets)
    matrix = task.matrix.take(order, 0).take(order, 1)  # in C order, for which `bound` is compiled
    targets = task.targets.take(order, 1)
    inner = np.zeros((rank, rank))
    if count:
        lower = _cholesky(matrix[:count, :count])
        if lower is None or lower.diagonal().min() ** 2 <= SINGULAR:
            return None
        panels = np.concatenate((matrix[:count, count:], targets[:, :count].T), axis=1)
        panels = np.linalg.solve(lower, panels)
        across, known = panels[:, : len(free)], panels[:, len(free) :]
        matrix = matrix[count:, count:] - across.T @ across
        targets = targets[:, count:] - known.T @ across
        inner = known.T @ known
    if matrix.diagonal().min() <= SINGULAR:
        return None
    if not task.concave:
        return matrix, targets, float(np.trace(inner)), np.eye(rank)
    factor = _cholesky(inner + np.eye(rank))
    if factor is None:
        return None
    base = 2 * float(np.log(factor.diagonal()).sum())
    return matrix, np.linalg.solve(factor, targets), base, factor


def _cholesky(matrix: Floats) -> NDArray[Any] | None:
    """Return the lower Cholesky factor, or None unless the matrix is positive definite."""
    try:
        return np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return None


def _pairs(matrix: Floats, targets: Floats, choose: int, concave: bool) -> tuple[Floats, Integers]:
    """Compute for every feature the best value with it, and with which other if two are chosen."""
    inner, diagonal = np.einsum("ci,cj->ij", targets, targets), matrix.diagonal()
    own = inner.diagonal()
    if choose == 1:
        value = own / diagonal
        return np.log1p(value) if concave else value, np.zeros(len(own), np.intp)
    determinant = np.outer(diagonal, diagonal) - matrix**2
    value = np.outer(own, diagonal)
    value = value + value.T - 2 * inner * matrix
    if concave:
        value += np.outer(own, own) - inner**2
    positive = determinant > 0
    value = np.divide(value, determinant, out=np.full(matrix.shape, np.inf), where=positive)
    if concave:
        value = np.log1p(value)
    np.fill_diagonal(value, -np.inf)
    partner = value.argmax(axis=1)
    return value[np.arange(len(own)), partner], partner


def _deletions(matrix: Floats, targets: Floats, concave: bool) -> tuple[float, Floats]:
    """Return the value of all features, and by how much it falls without each of them."""
    unknown = np.inf, np.zeros(len(matrix))
    lower = _cholesky(matrix)
    if lower is None:
        return unknown
    half = np.linalg.inv(lower)
    weights = (targets @ half.T) @ half
    inner = weights @ targets.T
    value = float(np.trace(inner))
    if concave:
        factor = _cholesky((inner + inner.T) / 2 + np.eye(len(inner)))
        if factor is None:
            return unknown
        weights = np.linalg.solve(factor, weights)
        value = 2 * float(np.log(factor.diagonal()).sum())
    powers = np.square(half).sum(axis=0)
    rounding = len(matrix) * EPS * powers.sum() * (float(np.trace(inner)) + concave)
    losses = np.square(weights).sum(axis=0) / powers - rounding
    if concave:
        losses = -np.log1p(-np.minimum(losses, 1 - rounding))
    return value + rounding, losses
