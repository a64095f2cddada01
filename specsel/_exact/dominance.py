"""Diagonal dominance: when no support of a node of `include` is worth more than t.

Such a node includes some features F and takes at most k' of its free ones. It carries the Schur
complement N of ``M_F`` in ``M = t B - A``; a support S is worth at most t exactly if the part of N
that belongs to the rest of S is positive semi-definite. Let x > 0 be any vector. If for every i
the entry ``N_ii x_i`` is at least the sum of the k' - 1 largest ``|N_ij| x_j``, j ≠ i, then all
those parts are diagonally dominant once scaled by x, hence positive semi-definite, and the node
can be pruned. A good x is found by iterating the map of this inequality.

The kernels here work on the first `size` rows and columns of a matrix.
"""

import numpy as np

from specsel._runtime import jit

# Iterations of x where a bound is computed from scratch.
ROOT_STEPS = 30

# In one step an entry of x falls to no less than the root of this share, and never below the
# smallest.
LEAST = 1e-3
SMALLEST = 1e-100

# The sums may come to this share of the diagonal; the rest is for rounding.
MARGIN = 1 - 1e-10


@jit
def ratios(matrix, size, others, scale, out):
    """Divide the sum of the `others` largest ``|N_ij| x_j`` by ``N_ii x_i``, for every row i.

    `scale` is x. Return the row where the ratio is largest.
    """
    largest = np.empty(max(others, 1))
    worst = 0
    for i in range(size):
        count, total = 0, 0.0
        for j in range(size):
            if j == i or others == 0:
                continue
            entry = abs(matrix[i, j]) * scale[j]
            if count < others:
                place, count = count, count + 1
                while place > 0 and largest[place - 1] > entry:
                    largest[place] = largest[place - 1]
                    place -= 1
                largest[place] = entry
                total += entry
            elif entry > largest[0]:
                total += entry - largest[0]
                place = 0
                while place + 1 < others and largest[place + 1] < entry:
                    largest[place] = largest[place + 1]
                    place += 1
                largest[place] = entry
        out[i] = total / (matrix[i, i] * scale[i])
        if out[i] > out[worst]:
            worst = i
    return worst


@jit
def undominated(matrix, size, others, scale, out, steps):
    """Iterate x; return -1 as soon as the inequality holds for every row, else the worst row."""
    worst = 0
    for step in range(steps):
        worst = ratios(matrix, size, others, scale, out)
        if out[worst] <= MARGIN:
            return -1
        if step + 1 < steps:
            most = out[worst]
            for i in range(size):
                scale[i] = max(scale[i] * np.sqrt(max(out[i] / most, LEAST)), SMALLEST)
    return worst


@jit
def eliminate(matrix, size, pivot, target):
    """Write the Schur complement of one diagonal entry to `target`; return its largest entry."""
    row, largest = 0, 0.0
    for i in range(size):
        if i == pivot:
            continue
        factor = matrix[i, pivot] / matrix[pivot, pivot]
        column = 0
        for j in range(size):
            if j != pivot:
                entry = matrix[i, j] - factor * matrix[pivot, j]
                target[row, column] = entry
                largest = max(largest, abs(entry))
                column += 1
        row += 1
    return largest


@jit
def complement(matrix, n_free):
    """Return the Schur complement of the last rows, and whether their part is positive definite.

    Where it is not, the complement means nothing.
    """
    work = matrix.copy()
    for last in range(len(matrix) - 1, n_free - 1, -1):
        if work[last, last] <= 0:
            return work[:n_free, :n_free].copy(), False
        eliminate(work, last + 1, last, work)
    return work[:n_free, :n_free].copy(), True


@jit
def is_dominated(matrix, n_free, choose):
    """Tell if no support of a node is negative; its free features come first in the matrix."""
    part, positive = complement(matrix, n_free)
    if not positive or np.diag(part).min() <= 0:
        return False
    scale, out = np.ones(n_free), np.empty(n_free)
    return undominated(part, n_free, choose - 1, scale, out, ROOT_STEPS) < 0
