"""Bounds on the values of all supports of some nodes, for a search that ends before it is done.

They come by bisection: a node is shown to hold no support worth more than t. Where few features
are chosen among many, a convex relaxation says more than what prunes the trees. In the words of
`bounds`, with ``N = P⁻¹ = Q - u uᵀ`` and ``0 < e <= λ_min(Q)``, the diagonal split off in
perspective reformulations, no support of k features is negative if for some x,
``h = u - (Q - e I) x``,

    ``xᵀ (Q - e I) x + Σ of the k largest h_i² / e <= 1.``
"""

import numpy as np
from scipy.linalg import eigh

from specsel._exact.inertia import invert
from specsel.linalg import jit

# Steps of bisection.
BISECTIONS = 8

# Sweeps over the coordinates of x, the share of λ_min(Q) that is split off, for what is left must
# stay positive definite, and what rounding may add to the relaxation: at least, and for every unit
# of the condition number.
SWEEPS = 30
SPLIT = 0.99
ROUNDING = 1e-9
ROUNDING_GROWTH = 1e-13


def ceiling(a, b, n, nodes, low, high, tests):
    """Bound the values of all supports of some nodes from above, by no less than `low`.

    Parameters
    ----------
    a, b : ndarray
        All supports hold the features from `n` on.
    nodes : list of tuple
        What they keep, their free features, and how many of them they choose.
    high : float
        What no value exceeds.
    tests : list of callable
        ``test(matrix, n_free, choose)`` says that no support of a node is negative.
    """
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        left = [node for node in nodes if not _is_empty(middle * b - a, n, node, tests)]
        if left:
            low, nodes = middle, left
        else:
            high = middle
    return high


def _is_empty(matrix, n, node, tests):
    """Whether a test shows that a node holds no negative support."""
    kept, free, choose = node
    members = np.concatenate((free, kept, np.arange(n, len(matrix))))
    part = matrix[np.ix_(members, members)]
    return any(test(part, len(free), choose) for test in tests)


def is_empty_relaxed(matrix, n_free, choose):
    """Whether the relaxation shows that no support of a node is negative."""
    inverse = matrix.copy()
    invert(inverse)
    values, vectors = eigh(inverse[:n_free, :n_free])
    if n_free < 2 or choose in (0, n_free) or values[0] >= 0 or values[1] <= 0:
        return False
    least = 1.0 / values[-1]
    spectrum = np.concatenate(([least], 1.0 / values[1:]))
    target = np.sqrt(least - 1.0 / values[0]) * vectors[:, 0]
    share = SPLIT * least
    split = (vectors * (spectrum - share)) @ vectors.T
    rounding = max(ROUNDING, ROUNDING_GROWTH * spectrum.max() / least)
    return _relax(split, target, share, choose) <= 1.0 - rounding


@jit
def _relax(split, target, share, choose):
    """Minimise the relaxation, with ``split = Q - e I``, by coordinate descent.

    The penalty on x_i, which is e x_i² and the square of the threshold from where on i counts as
    chosen and linear below, is that of the k-th largest h_i: every x gives a valid bound.
    """
    size, root = len(target), np.sqrt(share)
    x, rest = target / share, target.copy()
    for i in range(size):
        for j in range(size):
            rest[i] -= split[i, j] * x[j]
    lowest = np.inf
    for _ in range(SWEEPS):
        scores = np.sort(np.abs(rest)) / root
        value = 0.0
        for i in range(size):
            value += x[i] * (target[i] - rest[i])
        for i in range(size - choose, size):
            value += scores[i] ** 2
        lowest = min(lowest, value)
        threshold = (scores[size - choose] + scores[size - choose - 1]) / 2
        for i in range(size):
            pull = rest[i] + split[i, i] * x[i]
            spare = abs(pull) - threshold * root
            length = 0.0
            if spare > 0:
                length = spare / split[i, i]
                if length * root > threshold:
                    length = abs(pull) / (split[i, i] + share)
            change = (length if pull > 0 else -length) - x[i]
            if change != 0:
                x[i] += change
                for j in range(size):
                    rest[j] -= change * split[i, j]
    return lowest
