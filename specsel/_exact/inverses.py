"""Inverses of the matrices of nodes: how to update them, and what their signs rule out.

The tree that drops features asks whether supports are worth more than t. A support is *negative*
if its part of ``M = t B - A`` has a negative eigenvalue, which means that its value exceeds t. A
node holds supports within a set T of features; it carries ``P = M_T⁻¹``. If M_T has no negative
eigenvalue, no support within T is negative, and the node can be pruned.

If M_T has exactly one, signs in P tell more. The negative eigenvalues of M_T are those of M over
the features left after the set D is dropped, plus those of ``P_DD``. So what is left is negative
exactly if ``P_DD`` is positive definite. Hence a feature with ``P_jj < 0`` must stay, and two
features with ``P_ii P_jj < P_ij²`` cannot both go. If m features have to go, a feature that fewer
than m - 1 others can go with must stay too; if fewer than m can go at all, the node is empty.

The inverses of nodes are flat arrays, one row after the other.
"""

import numpy as np

from specsel._runtime import jit

# A diagonal entry is a pivot if it is at least this share of the largest entry in its column;
# otherwise two rows make the pivot (Bunch and Kaufman 1977).
PIVOT = 0.64

# Replaces a pivot that is zero.
TINY = np.finfo(np.float64).tiny

# If updates have left less than this share of a diagonal entry of the inverse, what is left may be
# rounding. Such an entry is no pivot and rules out nothing, or nearly singular matrices would give
# false proofs.
CANCELLED = 1e-3

# Two features cannot both go only if their determinant is negative by more than rounding.
SPARED = 1 + 1e-6


@jit
def invert(matrix):
    """Invert a symmetric matrix in place and return the number of its negative eigenvalues.

    Sweeps pivots of one or two rows, which keeps the matrix symmetric.
    """
    size = len(matrix)
    done = np.zeros(size, np.bool_)
    rows, columns = np.zeros((2, size)), np.empty((2, size))
    negative, left = 0, size
    while left > 0:
        first, second = _pivot(matrix, done)
        paired = second >= 0
        a = matrix[first, first]
        b = matrix[first, second] if paired else 0.0
        c = matrix[second, second] if paired else 1.0
        determinant = a * c - b * b
        if determinant == 0:
            a = determinant = TINY
        negative += determinant < 0 or a < 0
        left -= 1 + paired
        done[first] = True
        if paired:
            done[second] = True
        for i in range(size):
            outside = i != first and i != second
            rows[0, i] = matrix[first, i] if outside else 0.0
            rows[1, i] = matrix[second, i] if outside and paired else 0.0
            columns[0, i] = (c * rows[0, i] - b * rows[1, i]) / determinant
            columns[1, i] = (a * rows[1, i] - b * rows[0, i]) / determinant
        for i in range(size):
            for j in range(size):
                matrix[i, j] -= columns[0, i] * rows[0, j] + columns[1, i] * rows[1, j]
        for i in range(size):
            matrix[first, i] = matrix[i, first] = columns[0, i]
            if paired:
                matrix[second, i] = matrix[i, second] = columns[1, i]
        matrix[first, first] = -c / determinant
        if paired:
            matrix[second, second] = -a / determinant
            matrix[first, second] = matrix[second, first] = b / determinant
    for i in range(size):
        for j in range(size):
            matrix[i, j] = -matrix[i, j]
    return negative


@jit
def _pivot(matrix, done):
    """Return the row of the largest diagonal entry left, and a second row or -1.

    The second row is needed if that entry is small beside the others in its column.
    """
    first, second = -1, -1
    largest, aside, beyond = -1.0, 0.0, 0.0
    for i in range(len(matrix)):
        if not done[i] and abs(matrix[i, i]) > largest:
            first, largest = i, abs(matrix[i, i])
    for i in range(len(matrix)):
        if not done[i] and i != first and abs(matrix[first, i]) > aside:
            second, aside = i, abs(matrix[first, i])
    if second < 0 or largest >= PIVOT * aside:
        return first, -1
    for i in range(len(matrix)):
        if not done[i] and i != second and abs(matrix[second, i]) > beyond:
            beyond = abs(matrix[second, i])
    return first, -1 if largest * beyond >= PIVOT * aside**2 else second


@jit
def submatrix(matrix, chosen):
    """Take the rows and columns of some features."""
    part = np.empty((len(chosen), len(chosen)))
    for i in range(len(chosen)):
        for j in range(len(chosen)):
            part[i, j] = matrix[chosen[i], chosen[j]]
    return part


@jit
def is_negative(matrix):
    """Tell if a matrix is not positive definite, by Cholesky; overwrite the matrix."""
    for j in range(len(matrix)):
        for c in range(j):
            factor = matrix[j, c]
            for i in range(j, len(matrix)):
                matrix[i, j] -= matrix[i, c] * factor
        if matrix[j, j] <= 0:
            return True
        root = np.sqrt(matrix[j, j])
        for i in range(j, len(matrix)):
            matrix[i, j] /= root
    return False


@jit
def drop(whole, part, size, row):
    """Compute the inverse for a child node from that of its parent.

    The features before `row` are kept and need no column; the feature at `row` is dropped.
    """
    rest = size - row - 1
    top = whole[row * size + row + 1 : row * size + size]
    pivot = whole[row * (size + 1)]
    for i in range(rest):
        factor = top[i] / pivot
        source = whole[(row + 1 + i) * size + row + 1 : (row + 2 + i) * size]
        target = part[i * rest : (i + 1) * rest]
        for j in range(rest):
            target[j] = source[j] - factor * top[j]


@jit
def exchange(matrix, size, i, j):
    """Exchange two features, i before j, in an inverse; columns before i are not needed."""
    one, other = matrix[i * size + i : (i + 1) * size], matrix[j * size + i : (j + 1) * size]
    for c in range(size - i):
        one[c], other[c] = other[c], one[c]
    one, other = matrix[i * size + i :: size], matrix[i * size + j :: size]
    for c in range(size - i):
        one[c], other[c] = other[c], one[c]


@jit
def couple(matrix, size, start, peaks, losses, partners):
    """Compute for each feature from `start` on its loss, and with how many it can go.

    Dropping i takes the share ``P_ij² / (P_ii P_jj)`` of the diagonal entry of j. The loss of i is
    the sum of these shares; i can go with those j that keep some. Where only rounding is left of
    an entry, everything can go with it.
    """
    diagonal = matrix[start * (size + 1) :: size + 1].copy()
    for i in range(len(diagonal)):
        if diagonal[i] <= CANCELLED * peaks[start + i]:
            diagonal[i] = np.inf
    shares = 1.0 / diagonal
    for i in range(start, size):
        row = matrix[i * size + start : (i + 1) * size]
        bound = SPARED * diagonal[i - start]
        loss, count = 0.0, 0.0
        for j in range(len(row)):
            square = row[j] * row[j]
            loss += square * shares[j]
            count += 1.0 if square < bound * diagonal[j] else 0.0
        losses[i] = loss * shares[i - start]
        partners[i] = count


@jit
def uncouple(matrix, size, row, peaks, losses, partners):
    """Take a feature, which stays, out of the losses and numbers of those after it."""
    line = matrix[row * size + row + 1 : (row + 1) * size]
    diagonal = matrix[(row + 1) * (size + 1) :: size + 1]
    own = matrix[row * (size + 1)]
    if own <= CANCELLED * peaks[row]:
        return
    for j in range(len(line)):
        square, both = line[j] * line[j], own * diagonal[j]
        losses[row + 1 + j] -= square / both
        partners[row + 1 + j] -= 1.0 if square < SPARED * both else 0.0


@jit
def is_empty(matrix, n_free, choose, plain):
    """Tell if no support of a node can be negative; its free features come first in the matrix.

    With `plain`, only the number of negative eigenvalues counts (Eq. 8).
    """
    inverse = submatrix(matrix, np.arange(len(matrix)))
    negative = invert(inverse)
    if negative != 1 or plain or n_free == choose:
        return negative == 0
    goes = np.empty(n_free, np.bool_)
    left = 0
    for i in range(n_free):
        goes[i] = inverse[i, i] > 0
        left += goes[i]
    changed = True
    while changed and left >= n_free - choose:
        changed = False
        for i in range(n_free):
            partners = 0
            for j in range(n_free):
                both = SPARED * inverse[i, i] * inverse[j, j]
                partners += goes[j] and inverse[i, j] ** 2 < both
            if goes[i] and partners < n_free - choose:
                goes[i] = False
                left -= 1
                changed = True
    return left < n_free - choose
