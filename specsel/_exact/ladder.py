"""The ladder: which features a good support of sparse PCA can hold at all.

Sparse PCA means B = I. Suppose some support of k features is worth t, and no support of k - 1
features is worth more than c < t. Let S be a support of k features that is worth more than t, and
i one of its features. The rest of S is worth at most c, so over that rest ``M = t I - A`` is at
least ``(t - c) I``. M has a negative eigenvalue over S, hence its Schur complement at i is
negative, and

    ``Σ of the k - 1 largest A_ij², j ≠ i,  >  (t - A_ii) (t - c).``

A feature for which this is false can go. The sums then run over what is left, so that more
features may go, and so on until all stay. A bound c for k - 1 features comes from solving that
size in the same way: the sizes are the rungs, climbed one by one. Only the features that survive
are searched. The rule asks nothing of A; the ceiling of a size that was not solved needs
``A ⪰ 0``.

The ladder carries where a few features stand out, as the genes of one process do. It does not
carry iid noise, nor a planted component beyond the planted count: all features are then alike, a
further one adds next to nothing, so t - c is tiny against the squares, and everything survives.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numba import prange

from specsel._exact.problem import ROUNDING, TIE
from specsel._runtime import jit
from specsel._validate import Floats, Integers

# What rounding may take from the inequality, as a share of t². A margin relative to its right-hand
# side would be none where t - c is tiny.
MARGIN = 1e-14

# Entries of A that are computed at a time: a block of rows.
BLOCK_ENTRIES = 2**22

# The largest squares that are kept of every row. For more, the last one stands for all further.
SQUARES = 64

# Another round over many survivors is worth it if the last one eliminated this share of them.
WORTHWHILE = 0.02

# Up to so many survivors a round costs nothing, and rounds go on until all stay.
FEW = 1000


class Matrix(Protocol):
    """What the ladder asks of A: blocks of it, so that it is never formed."""

    def block_of_a(self, rows: Integers, columns: Integers) -> Floats:
        """Return some rows and columns."""


# Tells whether to stop now.
Stop = Callable[[], bool]


def slack(value: float, count: int, size: float) -> float:
    """Return how far apart ties are, and what rounding makes of a value; see `Problem.slack`.

    `count` is the number of features, and `size` the largest entry of A.
    """
    return TIE * abs(value) + ROUNDING * count * size


def largest_squares(matrix: Matrix, members: Integers, count: int, stop: Stop) -> Floats | None:
    """Return for every member the largest squares ``A_ij²`` among the other members, descending.

    This takes O(n²) entries of A for n members, a block at a time. Return None if told to stop.
    """
    squares = np.zeros((len(members), max(min(count, SQUARES, len(members) - 1), 0)))
    if squares.shape[1] == 0:
        return squares
    step = max(BLOCK_ENTRIES // len(members), 1)
    for first in range(0, len(members), step):
        if stop():
            return None
        rows = slice(first, first + step)
        _largest_squares(matrix.block_of_a(members[rows], members), first, squares[rows])
    return squares


@jit(parallel=True)
def _largest_squares(block, first, out):
    """Insert the squares of every row into a row of `out`, but for the diagonal entry of A."""
    last = out.shape[1] - 1
    for i in prange(len(block)):
        for j in range(block.shape[1]):
            square = block[i, j] * block[i, j]
            if square <= out[i, last] or j == first + i:
                continue
            place = last
            while place > 0 and out[i, place - 1] < square:
                out[i, place] = out[i, place - 1]
                place -= 1
            out[i, place] = square


def sums_of(squares: Floats, count: int) -> Floats:
    """Add up the `count` largest squares of every row, or bound that sum if fewer are kept."""
    sums: Floats = squares[:, :count].sum(axis=1)
    if SQUARES == squares.shape[1] < count:
        sums = sums + (count - SQUARES) * squares[:, -1]
    return sums


def may_be_held(sums: Floats, diagonal: Floats, t: float, c: float) -> np.ndarray:
    """Tell which features a support worth more than t may hold, if the rest is worth at most c."""
    if c >= t:
        return np.ones(len(sums), dtype=bool)
    return sums >= (t - diagonal) * (t - c) - MARGIN * t * t


def survivors(
    matrix: Matrix,
    diagonal: Floats,
    candidates: Integers,
    squares: Floats,
    k: int,
    t: float,
    c: float,
    needed: Integers,
    stop: Stop,
) -> Integers:
    """Return the candidates that a support of k of them worth more than t may hold, ascending.

    Parameters
    ----------
    matrix, diagonal : Matrix, ndarray
        A and its diagonal. A multiple of the identity may have been added to the diagonal, if it
        was added to t and c too.
    squares : ndarray
        The `largest_squares` of the candidates.
    t, c : float
        Just below a value that is reached; no support of k - 1 features is worth more than c.
    needed : ndarray of int
        Features that stay anyway.
    """
    stays = may_be_held(sums_of(squares, k - 1), diagonal[candidates], t, c)
    left, before = candidates[stays | np.isin(candidates, needed)], candidates
    while len(left) < len(before):
        little = len(left) > (1 - WORTHWHILE) * len(before)
        among = None
        if len(left) <= FEW or not little:
            among = largest_squares(matrix, left, k - 1, stop)
        if among is None:
            break
        stays = may_be_held(sums_of(among, k - 1), diagonal[left], t, c)
        left, before = left[stays | np.isin(left, needed)], left
    return left


def ceiling(c: float, free: int, largest: float) -> float:
    """Bound the values of k features by a bound c of those of k - 1, if ``A = F Fᵀ``.

    `free` of the k features are not always held, and `largest` is the largest diagonal entry of
    A. The value of S is ``Σ (f_i · u)²`` for some unit vector u. Leave out each of its free
    features in turn: on average the sum falls to ``(free - 1) / free`` of itself, or less. And
    the feature left out adds no more than its diagonal entry.
    """
    return min(c + largest, c * free / (free - 1) if free > 1 else np.inf)
