"""Clusters of samples, by k-means on their coordinates."""

import numpy as np

from specsel._runtime import jit
from specsel._validate import Floats, Integers

# Starts, the best of which is kept, and most rounds of each. A start ends once a round lowers the
# sum of squares by at most this share.
STARTS = 10
ROUNDS = 100
TOL = 1e-6


def kmeans(points: Floats, k: int, seed: int = 0) -> Integers:
    """Cluster points into k groups and number these by their first member.

    Lloyd's algorithm from centres drawn far apart (k-means++), the best of several starts. A
    centre that loses all points moves to the point that is farthest from its own.
    """
    generator = np.random.default_rng(seed)
    points = np.ascontiguousarray(points, dtype=np.float64)
    runs = [_lloyd(points, _far_apart(points, k, generator)) for _ in range(STARTS)]
    labels = min(runs, key=lambda run: run[1])[0]
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.intp)


def _far_apart(points, k, generator):
    """Draw centres among the points, each with a chance that grows with its distance squared."""
    centres = np.empty((k, points.shape[1]))
    centres[0] = points[generator.integers(len(points))]
    nearest = np.full(len(points), np.inf)
    for c in range(1, k):
        total = _approach(points, centres[c - 1], nearest)
        chance = nearest / total if total > 0 else None
        centres[c] = points[generator.choice(len(points), p=chance)]
    return centres


def _lloyd(points, centres):
    """Labels of the points, and the sum of their squared distances from their centres."""
    labels = np.empty(len(points), dtype=np.intp)
    squares = np.empty(len(points))
    total = np.inf
    for _ in range(ROUNDS):
        before, total = total, _assign(points, centres, labels, squares)
        if total >= before * (1 - TOL):
            break
        _move(points, labels, squares, centres)
    else:
        total = _assign(points, centres, labels, squares)
    return labels, total


@jit
def _approach(points, centre, nearest):
    """Lower the squared distances to those from one more centre, and return their sum."""
    total = 0.0
    for i in range(len(points)):
        square = 0.0
        for j in range(points.shape[1]):
            square += (points[i, j] - centre[j]) ** 2
        nearest[i] = min(nearest[i], square)
        total += nearest[i]
    return total


@jit
def _assign(points, centres, labels, squares):
    """Give every point the label of the nearest centre; return the sum of squared distances."""
    total = 0.0
    for i in range(len(points)):
        squares[i] = np.inf
        for c in range(len(centres)):
            square = 0.0
            for j in range(points.shape[1]):
                square += (points[i, j] - centres[c, j]) ** 2
            if square < squares[i]:
                squares[i], labels[i] = square, c
        total += squares[i]
    return total


@jit
def _move(points, labels, squares, centres):
    """Move every centre to the mean of its points, or to the farthest point if it has none."""
    counts = np.zeros(len(centres))
    centres[:] = 0.0
    for i in range(len(points)):
        counts[labels[i]] += 1
        for j in range(points.shape[1]):
            centres[labels[i], j] += points[i, j]
    for c in range(len(centres)):
        if counts[c]:
            centres[c] /= counts[c]
            continue
        farthest = np.argmax(squares)
        centres[c] = points[farthest]
        squares[farthest] = 0.0
