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
from specsel._exact.bounds import (
    EPS,
    bound,
    invert_definite,
    lower_factor,
    lower_inverse,
    submatrix,
    triangular,
)
from specsel._exact.exclude import precedes
from specsel._runtime import jit
from specsel._validate import Bools, Integers

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
                threshold = below if self._may_precede(node, incumbent) else above
                threshold -= self._margin * abs(threshold)
                if bound > threshold and len(node.free) >= self._task.choose - len(node.included):
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

    def _may_precede(self, node: OpenNode, incumbent: Bools) -> bool:
        """Return whether a node holds a support that lexicographically precedes the incumbent."""
        lacking = max(self._task.choose - len(node.included), 0)
        chosen = np.concatenate((node.included, np.sort(node.free)[:lacking]))
        return bool(precedes(np.isin(np.arange(len(incumbent)), chosen), incumbent))


def _doubles(node: OpenNode) -> int:
    """Count half the doubles of a node, which its two children share."""
    return (len(node.free) * (len(node.weights) + 2) + len(node.included)) // 2


@jit
def examine(task, node, threshold):
    """Bound the supports of a node and decide about its features.

    Return a bound, which is -inf if none is better than the threshold; the node with all that was
    decided; the position in `node.free` of the feature to decide about next, or -1; a support, or
    nothing; and the work in multiplications, about.
    """
    work, ceiling = 0.0, np.inf
    candidate = np.empty(0, np.int64)
    while True:
        included, free, split, weights = node
        choose, size = task.choose - len(included), len(free)
        if choose < 0 or size < choose:
            return -np.inf, node, -1, candidate, work
        if choose in (0, size):
            chosen = included if choose == 0 else np.concatenate((included, free))
            return -np.inf, node, -1, chosen, work
        matrix, targets, inner, definite = condense(task, included, free)
        work += (len(included) + 1.0) * len(task.matrix) ** 2
        if not definite:
            return ceiling, node, 0, candidate, work
        base, factor = _whiten(targets, inner, task.concave)
        goal = threshold - base
        drop, keep = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        if choose <= 2 and not task.plain:
            best, partner = _pairs(matrix, targets, choose, task.concave)
            work += float(size) ** choose * len(targets)
            first = int(np.argmax(best))
            if best[first] <= goal:
                return -np.inf, node, -1, candidate, work
            candidate = np.append(included, free[first])
            if choose == 2:
                candidate = np.append(candidate, free[partner[first]])
            drop = best <= goal
            node = _decide(node, keep, drop)
            return base + best[first], node, first - drop[:first].sum(), candidate, work
        if task.plain or choose >= DELETION_SHARE * size:
            work += 2.0 * size**3
            total, losses = _deletions(matrix, targets, task.concave)
            ceiling = min(ceiling, base + total)
            if ceiling <= threshold:
                return -np.inf, node, -1, candidate, work
            if task.plain:
                return ceiling, node, int(np.argmax(losses)), candidate, work
            keep = total - losses <= goal
            if keep.any():
                if keep.sum() > choose:
                    return -np.inf, node, -1, candidate, work
                node = _decide(node, keep, drop)
                continue
            if np.isfinite(total):
                ceiling = min(ceiling, base + total - np.sort(losses)[size - choose - 1])
        loads = weights
        if task.concave:
            loads = triangular(lower_inverse(factor), weights)
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
            weights = triangular(factor, weights)
        node = OpenNode(included, free, split, weights)
        ordered = np.sort(scores)
        last, following = ordered[size - choose], ordered[size - choose - 1]
        for i in range(size):
            if scores[i] >= last:
                keep[i] = least - scores[i] + following <= goal
            else:
                drop[i] = least - last + scores[i] <= goal
        left = size - drop.sum()
        if keep.any() or (left < size and (left <= (1 - WORTHWHILE) * size or left <= choose + 1)):
            node = _decide(node, keep, drop)
            continue
        candidate, position = _rounded(node, scores, np.where(drop, 0.0, shares), choose)
        node = _decide(node, keep, drop)
        return ceiling, node, position - drop[:position].sum(), candidate, work


@jit
def _rounded(node, scores, shares, choose):
    """Round the relaxation to a support, and name the feature that it is least decided about."""
    order = np.argsort(-scores)
    candidate = np.concatenate((node.included, node.free[order[:choose]]))
    position, largest = order[0], 0.0
    for i in range(len(shares)):
        if largest < shares[i] < CHOSEN:
            position, largest = i, shares[i]
    return candidate, position


@jit
def _decide(node, keep, drop):
    """Include and exclude features of a node."""
    left = ~(keep | drop)
    weights = np.empty((len(node.weights), left.sum()))
    for c in range(len(weights)):
        weights[c] = node.weights[c][left]
    included = np.concatenate((node.included, node.free[keep]))
    return OpenNode(included, node.free[left], node.split[left], weights)


@jit
def condense(task, included, free):
    """Eliminate what is included: return the rest of B and of U, H, and whether B is definite."""
    size, rank = len(free), len(task.targets)
    order = np.concatenate((free, included))
    count = len(order)
    matrix, targets = submatrix(task.matrix, order), np.empty((rank, count))
    inner = np.zeros((rank, rank))
    for c in range(rank):
        for i in range(count):
            targets[c, i] = task.targets[c, order[i]]
    for p in range(count - 1, size - 1, -1):
        pivot = matrix[p, p]
        if not pivot > SINGULAR:
            return matrix, targets, inner, False
        for c in range(rank):
            for d in range(rank):
                inner[c, d] += targets[c, p] * targets[d, p] / pivot
        for i in range(p):
            factor = matrix[i, p] / pivot
            if factor != 0:
                for j in range(p):
                    matrix[i, j] -= factor * matrix[p, j]
        for c in range(rank):
            factor = targets[c, p] / pivot
            if factor != 0:
                for j in range(p):
                    targets[c, j] -= factor * matrix[p, j]
    for i in range(size):
        if not matrix[i, i] > SINGULAR:
            return matrix, targets, inner, False
    return matrix[:size, :size].copy(), targets[:, :size].copy(), inner, True


@jit
def _whiten(targets, inner, concave):
    """Return the value of what is included; for log-det, make H + I the identity."""
    rank = len(inner)
    base = 0.0
    factor = np.eye(rank)
    if not concave:
        for c in range(rank):
            base += inner[c, c]
        return base, factor
    factor += inner
    lower_factor(factor)
    for c in range(rank):
        base += 2 * np.log(factor[c, c])
    targets[:] = triangular(lower_inverse(factor), targets)
    return base, factor


@jit
def _pairs(matrix, targets, choose, concave):
    """Compute for every feature the best value with it, and with which other if two are chosen."""
    rank, size = targets.shape
    best, partner = np.full(size, -np.inf), np.zeros(size, np.int64)
    inner = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            for c in range(rank):
                inner[i, j] += targets[c, i] * targets[c, j]
    if choose == 1:
        for i in range(size):
            value = inner[i, i] / matrix[i, i]
            best[i] = np.log1p(value) if concave else value
        return best, partner
    for i in range(size):
        for j in range(i):
            determinant = matrix[i, i] * matrix[j, j] - matrix[i, j] ** 2
            value = inner[i, i] * matrix[j, j] + inner[j, j] * matrix[i, i]
            value -= 2 * inner[i, j] * matrix[i, j]
            if concave:
                value += inner[i, i] * inner[j, j] - inner[i, j] ** 2
            value /= determinant
            if concave:
                value = np.log1p(value)
            if not determinant > 0:
                value = np.inf
            if value > best[i]:
                best[i], partner[i] = value, j
            if value > best[j]:
                best[j], partner[j] = value, i
    return best, partner


@jit
def _deletions(matrix, targets, concave):
    """Return the value of all features, and by how much it falls without each of them."""
    rank, size = targets.shape
    inverse = matrix.copy()
    if not invert_definite(inverse):
        return np.inf, np.full(size, np.inf)
    weights = np.zeros((rank, size))
    for c in range(rank):
        for i in range(size):
            for j in range(size):
                weights[c, j] += targets[c, i] * inverse[i, j]
    inner = np.zeros((rank, rank))
    for c in range(rank):
        for d in range(rank):
            for i in range(size):
                inner[c, d] += weights[c, i] * targets[d, i]
    value, factor = 0.0, np.eye(rank)
    if concave:
        factor += (inner + inner.T) / 2
        lower_factor(factor)
        weights = triangular(lower_inverse(factor), weights)
    for c in range(rank):
        value += 2 * np.log(factor[c, c]) if concave else inner[c, c]
    losses = np.zeros(size)
    for c in range(rank):
        for i in range(size):
            losses[i] += weights[c, i] * weights[c, i]
    rounding = size * EPS * np.trace(inverse) * (np.trace(inner) + concave)
    for i in range(size):
        losses[i] = losses[i] / inverse[i, i] - rounding
        if concave:
            losses[i] = -np.log1p(-min(losses[i], 1 - rounding))
    return value + rounding, losses
