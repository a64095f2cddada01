"""One node of the tree that decides about any feature, best first.

A node includes some features F and takes k more of its free ones R. Eliminating F leaves the same
problem over R: the Schur complement of B, and what F leaves unexplained of U. There `examine`
bounds all supports of the node, and decides about as many features as follow from the bounds:

perspective  Let a feature among the k largest a_i give way to the next one, or another one replace
             the k-th: where the bound falls to the threshold, the feature is in all better
             supports, or in none.
deletion     No support is worth more than all of F and R, nor more than that without a feature
             which it lacks. So it has to hold each feature without which the rest is worth too
             little. This helps where few are left out.
pairs        If one or two are left to choose, the best choice with every feature is computed.
"""

from typing import NamedTuple

import numpy as np

from specsel._exact.definite import (
    invert_definite,
    lower_factor,
    lower_inverse,
    triangular,
)
from specsel._exact.perspective import bound
from specsel._runtime import jit

# Deletion is tried where at least this share of the free features is to be chosen.
DELETION_SHARE = 1 / 3

# The node is bounded again if at least this share of its features was excluded.
WORTHWHILE = 0.1

# A feature whose share is larger counts as chosen by the relaxation.
CHOSEN = 1 - 1e-6

# What is left unexplained of a feature must be this much of it, or B is taken to be singular.
SINGULAR = 1e-15


class Task(NamedTuple):
    """What all nodes have in common. Features are scaled so that the diagonal of B is 1."""

    matrix: np.ndarray  # B
    targets: np.ndarray  # U, with ``A = Uᵀ U``
    choose: int  # how many features a support holds
    concave: bool  # whether log-det is sought, not the trace
    plain: bool  # whether only the value of all that is left bounds a node (Eq. 8)


class Node(NamedTuple):
    """What a node includes and what is free, with the e and the W of its parent."""

    included: np.ndarray
    free: np.ndarray
    split: np.ndarray  # e, for the free features
    weights: np.ndarray  # W, for the free features


class Verdict(NamedTuple):
    """What was found out about a node."""

    bound: float  # on its supports; -inf if none is better than the threshold
    node: Node  # with all that was decided
    branch: int  # place in `node.free` of the feature to decide about next, or -1
    found: np.ndarray  # a support, or nothing
    work: float  # in multiplications, about


@jit
def examine(task, node, threshold, effort):
    """Bound the supports of a node and decide about its features."""
    included, free, split, weights = node
    work, ceiling = 0.0, np.inf
    found = np.empty(0, np.int64)
    while True:
        node = Node(included, free, split, weights)
        choose, size = task.choose - len(included), len(free)
        if choose < 0 or size < choose:
            return Verdict(-np.inf, node, -1, found, work)
        if choose in (0, size):
            chosen = included if choose == 0 else np.concatenate((included, free))
            return Verdict(-np.inf, node, -1, chosen, work)
        matrix, targets, inner, definite = condense(task, included, free)
        work += (len(included) + 1.0) * len(task.matrix) ** 2
        if not definite:
            return Verdict(ceiling, node, 0, found, work)
        base, factor = _whiten(targets, inner, task.concave)
        goal = threshold - base
        drop, keep = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        if choose <= 2 and not task.plain:
            best, partner = _pairs(matrix, targets, choose, task.concave)
            work += float(size) ** choose * len(targets)
            first = int(np.argmax(best))
            if best[first] <= goal:
                return Verdict(-np.inf, node, -1, found, work)
            found = np.append(included, free[first])
            if choose == 2:
                found = np.append(found, free[partner[first]])
            drop = best <= goal
            included, free, split, weights = _decide(node, keep, drop)
            node = Node(included, free, split, weights)
            place = first - drop[:first].sum()
            return Verdict(base + best[first], node, place, found, work)
        if task.plain or choose >= DELETION_SHARE * size:
            work += 2.0 * size**3
            whole, losses = _deletions(matrix, targets, task.concave)
            ceiling = min(ceiling, base + whole)
            if ceiling <= threshold:
                return Verdict(-np.inf, node, -1, found, work)
            if task.plain:
                return Verdict(ceiling, node, int(np.argmax(losses)), found, work)
            keep = whole - losses <= goal
            if keep.any():
                if keep.sum() > choose:
                    return Verdict(-np.inf, node, -1, found, work)
                included, free, split, weights = _decide(node, keep, drop)
                continue
            if np.isfinite(whole):
                ceiling = min(ceiling, base + whole - np.sort(losses)[size - choose - 1])
        loads = weights
        if task.concave:
            loads = triangular(lower_inverse(factor), weights)
        least = bound(matrix, targets, task.concave, split, loads, choose, goal, effort)
        work += (least.rounds + 1.0) * (2.0 * size**3 + effort.sweeps * len(targets) * size**2 / 4)
        if least.value <= goal:
            return Verdict(-np.inf, node, -1, found, work)
        if np.isinf(least.value):
            return Verdict(ceiling, node, 0, found, work)
        ceiling = min(ceiling, base + least.value)
        split, weights = least.split, least.weights
        if task.concave:
            weights = triangular(factor, weights)
        node = Node(included, free, split, weights)
        ordered = np.sort(least.scores)
        last, following = ordered[size - choose], ordered[size - choose - 1]
        for i in range(size):
            score = least.scores[i]
            if score >= last:
                keep[i] = least.value - score + following <= goal
            else:
                drop[i] = least.value - last + score <= goal
        left = size - drop.sum()
        if keep.any() or (left < size and (left <= (1 - WORTHWHILE) * size or left <= choose + 1)):
            included, free, split, weights = _decide(node, keep, drop)
            continue
        found, place = _rounded(node, least.scores, np.where(drop, 0.0, least.shares), choose)
        node = _decide(node, keep, drop)
        return Verdict(ceiling, node, place - drop[:place].sum(), found, work)


@jit
def _rounded(node, scores, shares, choose):
    """Round the relaxation to a support, and name the feature that it is least decided about."""
    order = np.argsort(-scores)
    found = np.concatenate((node.included, node.free[order[:choose]]))
    place, largest = order[0], 0.0
    for i in range(len(shares)):
        if largest < shares[i] < CHOSEN:
            place, largest = i, shares[i]
    return found, place


@jit
def _decide(node, keep, drop):
    """Include and exclude features of a node."""
    left = ~(keep | drop)
    weights = np.empty((len(node.weights), left.sum()))
    for c in range(len(weights)):
        weights[c] = node.weights[c][left]
    included = np.concatenate((node.included, node.free[keep]))
    return Node(included, node.free[left], node.split[left], weights)


@jit
def condense(task, included, free):
    """Eliminate what is included: return the rest of B and of U, H, and whether B is definite."""
    size, rank = len(free), len(task.targets)
    order = np.concatenate((free, included))
    count = len(order)
    matrix, targets = np.empty((count, count)), np.empty((rank, count))
    inner = np.zeros((rank, rank))
    for i in range(count):
        for j in range(count):
            matrix[i, j] = task.matrix[order[i], order[j]]
        for c in range(rank):
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
    """For every feature, compute the best value of it alone, or with another; and the other."""
    rank, size = targets.shape
    best, partner = np.full(size, -np.inf), np.zeros(size, np.int64)
    inner = np.zeros((size, size))
    for i in range(size):
        for j in range(size if choose == 2 else 0):
            for c in range(rank):
                inner[i, j] += targets[c, i] * targets[c, j]
        if choose == 1:
            for c in range(rank):
                inner[i, i] += targets[c, i] * targets[c, i]
            best[i] = inner[i, i] / matrix[i, i]
            if concave:
                best[i] = np.log1p(best[i])
    if choose == 1:
        return best, partner
    for i in range(size):
        for j in range(i):
            determinant = matrix[i, i] * matrix[j, j] - matrix[i, j] ** 2
            value = inner[i, i] * matrix[j, j] + inner[j, j] * matrix[i, i]
            value -= 2 * inner[i, j] * matrix[i, j]
            if concave:
                value = np.log1p(
                    (value + inner[i, i] * inner[j, j] - inner[i, j] ** 2) / determinant
                )
            else:
                value /= determinant
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
    for i in range(size):
        losses[i] /= inverse[i, i]
        if concave:
            losses[i] = -np.log1p(-losses[i]) if losses[i] < 1 else np.inf
    return value, losses
