"""Bounds on the values of open nodes, for a search that ends before it is done.

A node is a set of supports: it keeps some features and chooses k of its free ones. To bound the
values of its supports, bisect on t: with ``M = t B - A``, a test shows that no support of the node
is negative in M, which means that none is worth more than t. The tests that prune the trees will
do. Where few features are chosen among many, the convex relaxation below shows more.

Let N be the matrix whose part for the rest of a support has to be positive semi-definite: the
Schur complement of the kept features in M. Let ``N = Q - u uᵀ`` with Q positive definite, and
``0 < e <= λ_min(Q)``, the diagonal split off in perspective reformulations. For any x put
``h = u - (Q - e I) x``. No support of k features is negative if

    ``xᵀ (Q - e I) x + Σ of the k largest h_i² / e <= 1.``
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh

from specsel._exact.exclude import Node
from specsel._exact.inverses import invert
from specsel._runtime import jit
from specsel._validate import Floats

# ``test(matrix, n_free, choose)`` is true only if no support of a node is negative. The matrix is
# that of the node, with its free features first.
Test = Callable[[Floats, int, int], bool]

# Steps of bisection.
BISECTIONS = 8

# Sweeps over the coordinates of x.
SWEEPS = 100

# The share of λ_min(Q) that is split off; what is left must stay positive definite.
SPLIT = 0.99

# What rounding may add to the relaxation: at least, and for every unit of the condition number.
ROUNDING = 1e-9
ROUNDING_GROWTH = 1e-13


def ceiling(
    a: Floats,
    b: Floats,
    n: int,
    nodes: list[Node],
    low: float,
    high: float,
    tests: list[Test],
) -> float:
    """Bound the values of all supports of some nodes from above, by no less than `low`.

    Parameters
    ----------
    a, b : ndarray
        All supports hold the features from `n` on.
    nodes : list of Node
        The features they keep, their free features, and how many of these they choose.
    high : float
        A number that no value exceeds.
    tests : list of callable
        One of them has to be true for a node to be empty.
    """
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        left = [node for node in nodes if not _is_empty(middle * b - a, n, node, tests)]
        if left:
            low, nodes = middle, left
        else:
            high = middle
    return high


def _is_empty(matrix: Floats, n: int, node: Node, tests: list[Test]) -> bool:
    """Tell if a test shows that a node holds no negative support."""
    kept, free, choose = node
    members = np.concatenate((free, kept, np.arange(n, len(matrix))))
    part = matrix[np.ix_(members, members)]
    return any(test(part, len(free), choose) for test in tests)


def is_empty_relaxed(matrix: Floats, n_free: int, choose: int) -> bool:
    """Tell if the relaxation shows that no support of a node is negative.

    The inverse of the matrix, over the free features, is the inverse of N.
    """
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
    goal = 1.0 - rounding
    return bool(_relax(split, target, share, choose, goal) <= goal)


@jit
def _relax(split, target, share, choose, goal):
    """Minimise the left-hand side over x by coordinate descent; every x gives a valid bound.

    `split` is ``Q - e I``, `target` is u and `share` is e. The sum over the k largest h_i makes a
    penalty on x: quadratic where ``√e |x_i|`` is above a threshold, so that i counts as chosen,
    and linear below. Each sweep sets it anew, see `threshold_of`. The descent ends at the `goal`.
    """
    size, root = len(target), np.sqrt(share)
    x, rest = target / share, target.copy()
    for i in range(size):
        for j in range(size):
            rest[i] -= split[i, j] * x[j]
    lowest, threshold = np.inf, np.inf
    for _ in range(SWEEPS):
        scores = np.sort(np.abs(rest)) / root
        value = 0.0
        for i in range(size):
            value += x[i] * (target[i] - rest[i])
        for i in range(size - choose, size):
            value += scores[i] ** 2
        lowest = min(lowest, value)
        if lowest <= goal:
            break
        threshold = threshold_of(root * np.abs(x), choose, min(threshold, scores[size - choose]))
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


@jit
def threshold_of(lengths, choose, before):
    """Return the ν that ``Σ min(1, lengths_i / ν) = choose`` asks for.

    The terms are the shares by which features are chosen. At the optimum they add up to `choose`;
    the level of the k-th largest score would not move on once as many features were chosen. If no
    more than `choose` lengths are above 0 there is no such ν, and half of `before` lets more in.
    """
    lengths = np.sort(lengths)[::-1]
    if lengths[choose] == 0:
        return before / 2
    rest = lengths.sum()
    for above in range(choose):
        level = rest / (choose - above)
        if lengths[above] <= level:
            return level
        rest -= lengths[above]
    return lengths[choose - 1]
