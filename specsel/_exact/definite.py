"""Positive definite matrices: whether they are, their inverses, and their Cholesky factors.

These do without BLAS, which would wake threads in every node.
"""

import numpy as np

from specsel._runtime import jit


@jit
def is_definite(matrix):
    """Tell if Cholesky's method gets through a matrix; its upper part is overwritten."""
    size = len(matrix)
    row = np.empty(size)
    for i in range(size):
        pivot = matrix[i, i]
        if not pivot > 0:
            return False
        row[i:] = matrix[i, i:]
        for j in range(i + 1, size):
            factor = row[j] / pivot
            target, source = matrix[j, j:], row[j:]
            for c in range(len(target)):
                target[c] -= factor * source[c]
    return True


@jit
def invert_definite(matrix):
    """Invert a positive definite matrix in place; tell if all pivots were positive.

    It is swept row by row, its lower part alone, which turns it into minus its inverse.
    """
    size = len(matrix)
    row = np.empty(size)
    for p in range(size):
        pivot = matrix[p, p]
        if not pivot > 0:
            return False
        gather(matrix, p, row)
        row[p] = 0.0
        subtract(matrix, row, 1.0 / pivot)
        matrix[p, :p] = row[:p] / pivot
        matrix[p + 1 :, p] = row[p + 1 :] / pivot
        matrix[p, p] = -1.0 / pivot
    for i in range(size):
        for j in range(i + 1):
            matrix[i, j] = -matrix[i, j]
            matrix[j, i] = matrix[i, j]
    return True


@jit
def gather(lower, index, out):
    """Collect one row of a symmetric matrix, of which only the lower part counts."""
    out[: index + 1] = lower[index, : index + 1]
    for i in range(index + 1, len(lower)):
        out[i] = lower[i, index]


@jit
def subtract(lower, vector, factor):
    """Subtract ``factor vector vectorᵀ`` from the lower part of a matrix."""
    for i in range(len(lower)):
        share = factor * vector[i]
        target = lower[i, : i + 1]
        for j in range(i + 1):
            target[j] -= share * vector[j]


@jit
def lower_factor(matrix):
    """Replace the lower triangle of a matrix by its Cholesky factor; tell if there is one."""
    size = len(matrix)
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for c in range(j):
                total -= matrix[i, c] * matrix[j, c]
            if i > j:
                matrix[i, j] = total / matrix[j, j]
            elif not total > 0:
                return False
            else:
                matrix[i, i] = np.sqrt(total)
        for j in range(i + 1, size):
            matrix[i, j] = 0.0
    return True


@jit
def lower_inverse(factor):
    """Invert a lower triangular matrix."""
    size = len(factor)
    inverse = np.zeros((size, size))
    for j in range(size):
        inverse[j, j] = 1.0 / factor[j, j]
        for i in range(j + 1, size):
            total = 0.0
            for c in range(j, i):
                total -= factor[i, c] * inverse[c, j]
            inverse[i, j] = total / factor[i, i]
    return inverse


@jit
def triangular(lower, rows):
    """Multiply a lower triangular matrix by one with a column for each feature."""
    rank, size = rows.shape
    product = np.zeros((rank, size))
    for i in range(rank):
        for j in range(i + 1):
            for c in range(size):
                product[i, c] += lower[i, j] * rows[j, c]
    return product
