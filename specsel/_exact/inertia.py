"""The dense kernels of the exact search: inverses, their updates, and what they rule out.

A support is *negative* if its principal submatrix of ``M = t B - A`` has a negative eigenvalue,
which is to say that its value exceeds t. Let T hold all supports of a node, ``P = M_T⁻¹``, and M_T
have one negative eigenvalue. Then what is left after the features D are dropped is negative
exactly if ``P_DD`` is positive definite, for the negative eigenvalues of M_T are those of the rest
and those of ``P_DD`` together. So a feature with ``P_jj < 0`` must stay, and two features with
``P_ii P_jj < P_ij²`` cannot both go. Where D must have m members, those that less than m - 1
others can go with must stay too, and the node is empty when less than m are left.

Matrices of nodes are flat, with a row after the other.
"""

import numpy as np

from specsel.linalg import jit

# A diagonal pivot is taken if no smaller than this share of its column, else one of two rows
# (Bunch and Kaufman 1977).
PIVOT = 0.64

# In place of a pivot that is zero.
TINY = np.finfo(np.float64).tiny

# A diagonal of the inverse that cancellation has left less of is no pivot and rules out nothing:
# nearly singular matrices would give false proofs.
CANCELLED = 1e-3

# Two features cannot both go only if the determinant is negative by more than rounding.
SPARED = 1 + 1e-6


@jit
def invert(matrix):
    """Invert a symmetric matrix in place and return the number of its negative eigenvalues.

    By symmetric sweeps, with pivots of one or two rows.
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
    """The largest diagonal left, and a second row if that is small beside its column, or -1."""
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
    """Whether a matrix has a negative eigenvalue, by Cholesky; overwrites the matrix."""
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
    """Inverse without the features up to `row`, the last of which leaves M, not only P."""
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
    """Exchange two features, i before j, in what the inverse has from i on."""
    one, other = matrix[i * size + i : (i + 1) * size], matrix[j * size + i : (j + 1) * size]
    for c in range(size - i):
        one[c], other[c] = other[c], one[c]
    one, other = matrix[i * size + i :: size], matrix[i * size + j :: size]
    for c in range(size - i):
        one[c], other[c] = other[c], one[c]


@jit
def couple(matrix, size, start, peaks, losses, partners):
    """Of each feature from `start` on, what its drop takes from the others, and who can go too.

    Dropping i takes the share ``P_ij² / (P_ii P_jj)`` from the diagonal of j; it can go with those
    that keep some. Where cancellation left rounding alone, it can go with all.
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
    """Take a feature, which stays, out of the sums over those after it."""
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
    """Whether no support of a node is negative; its free features come first in the matrix."""
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
