"""Clusters of samples, by k-means on their coordinates."""

import numpy as np

from specsel._input.annotations import Floats, Integers

# Starts, the best of which is kept, and most rounds of each.
STARTS = 10
ROUNDS = 100


def kmeans(points: Floats, k: int, seed: int = 0) -> Integers:
    """Cluster points into k groups and number these by their first member.

    Lloyd's algorithm from centres drawn far apart (k-means++), the best of several starts. A
    centre that loses all points moves to the point that is farthest from its own.
    """
    generator = np.random.default_rng(seed)
    runs = [_lloyd(points, _far_apart(points, k, generator)) for _ in range(STARTS)]
    labels = min(runs, key=lambda run: run[1])[0]
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.intp)


def _far_apart(points, k, generator):
    """Draw centres among the points, each with a chance that grows with its distance squared."""
    centres = points[[generator.integers(len(points))]]
    nearest = _squares(points, centres)[:, 0]
    for _ in range(k - 1):
        total = nearest.sum()
        chance = nearest / total if total > 0 else None
        centre = points[[generator.choice(len(points), p=chance)]]
        centres = np.concatenate((centres, centre))
        nearest = np.minimum(nearest, _squares(points, centre)[:, 0])
    return centres


def _squares(points, centres):
    """Squared distances, a row a point, never below 0 for rounding."""
    inner = points @ centres.T
    squares = (points**2).sum(axis=1)[:, None] - 2 * inner + (centres**2).sum(axis=1)
    return np.maximum(squares, 0.0)


def _lloyd(points, centres):
    """Labels of the points, and the sum of their squared distances from their centres."""
    labels = np.full(len(points), -1)
    for _ in range(ROUNDS):
        squares = _squares(points, centres)
        before, labels = labels, squares.argmin(axis=1)
        if (labels == before).all():
            break
        centres = centres.copy()
        for c in range(len(centres)):
            members = labels == c
            if members.any():
                centres[c] = points[members].mean(axis=0)
            else:
                farthest = squares[np.arange(len(points)), labels].argmax()
                centres[c], labels[farthest] = points[farthest], c
    return labels, float(_squares(points, centres)[np.arange(len(points)), labels].sum())
