"""The compiled parallel loops behind `positivity`: a trial a turn, and for each a stream.

``keys`` are those of the streams, ``kind`` is one of `streams.KINDS`.
"""

import numpy as np
from numba import prange

from specsel._simulation import packed, streams
from specsel.linalg import jit

# Steps of the search for the least triple product; the error of a cosine falls by half in each.
SEARCH_STEPS = 60

# Of a generic vector in the start of an iteration, which else may lack what is looked for.
GENERIC = 1e-3


@jit(parallel=True)
def signs(keys, kind, n, mu, sigma, out):
    for trial in prange(len(keys)):
        matrix, vector = np.empty(n * (n + 1) // 2), np.empty(n)
        _draw(keys[trial], kind, mu, sigma, matrix, vector)
        _, error = packed.leading(matrix, vector, True)
        out[trial] = packed.positive(vector, min(error, packed.ERROR_FLOOR))


@jit(parallel=True)
def leading_pairs(keys, kind, n, mu, sigma, values, sums):
    for trial in prange(len(keys)):
        matrix, vector = np.empty(n * (n + 1) // 2), np.empty(n)
        _draw(keys[trial], kind, mu, sigma, matrix, vector)
        values[trial], _ = packed.leading(matrix, vector, False)
        sums[trial] = abs(np.sum(vector))


@jit(parallel=True)
def counts_above(keys, kind, n, mu, sigma, edges, out):
    for trial in prange(len(keys)):
        matrix, vector = np.empty(n * (n + 1) // 2), np.empty(n)
        _draw(keys[trial], kind, mu, sigma, matrix, vector)
        diagonal, beside = np.empty(n), np.empty(n)
        packed.tridiagonal(matrix, vector, diagonal, beside)
        for i in range(len(edges)):
            out[trial, i] = packed.count_above(diagonal, beside, edges[i])


@jit
def _draw(key, kind, mu, sigma, matrix, start):
    """A packed random matrix, and about its row sums, which are near its leading eigenvector."""
    streams.fill(key, kind, 0, matrix)
    for i in range(len(matrix)):
        matrix[i] = mu + sigma * matrix[i]
    generic = np.empty(len(start))
    streams.fill(key, streams.GAUSSIAN, len(matrix), generic)
    packed.product(matrix, np.ones(len(start)), start)
    start += GENERIC * (abs(mu) + sigma) * generic


@jit(parallel=True)
def wishart_moments(keys, kind, n, q, out):
    for trial in prange(len(keys)):
        M, W, power = np.empty((n, q)), np.empty((n, n)), np.empty((n, n))
        for i in range(n):
            streams.fill(keys[trial], kind, i * q, M[i])
        _times_transposed(M, M, 1.0 / q, W)
        power[:] = W
        for k in range(out.shape[1]):
            trace = 0.0
            for i in range(n):
                trace += power[i, i]
            out[trial, k] = trace / n
            _times_transposed(power.copy(), W, 1.0, power)


@jit
def _times_transposed(left, right, scale, out):
    for i in range(len(left)):
        for j in range(len(right)):
            total = 0.0
            for s in range(left.shape[1]):
                total += left[i, s] * right[j, s]
            out[i, j] = scale * total


@jit(parallel=True)
def triple_products(keys, q, k, cosine, least, products):
    for trial in prange(len(keys)):
        vectors = np.empty((k + 2, q))
        for i in range(k + 2):
            streams.fill(keys[trial], streams.GAUSSIAN, i * q, vectors[i])
        a, b = vectors[k], vectors[k + 1]
        a /= np.sqrt((a * a).sum())
        if cosine == cosine:
            b -= (a * b).sum() * a
            b *= np.sqrt(max(1.0 - cosine**2, 0.0) / (b * b).sum())
            b += cosine * a
        else:
            b /= np.sqrt((b * b).sum())
        total = 0.0
        for i in range(k):
            for j in range(i):
                vectors[i] -= (vectors[i] * vectors[j]).sum() * vectors[j]
            vectors[i] /= np.sqrt((vectors[i] * vectors[i]).sum())
            total += (a * vectors[i]).sum() * (b * vectors[i]).sum()
        products[trial] = (a * b).sum() * total
        least[trial] = _least_product(a, vectors[0].copy(), np.empty(q))


@jit
def _least_product(a, b, c):
    """Product ``(aᵀb)(aᵀc)(bᵀc)`` at the end of a search, which starts from a and b.

    Each vector in turn is moved to where the product is least for the other two: to a - b, or to
    a + b where their cosine is negative, scaled to unit norm.
    """
    for _ in range(SEARCH_STEPS):
        sign = 1.0 if (a * b).sum() >= 0.0 else -1.0
        c[:] = a - sign * b
        c /= np.sqrt((c * c).sum())
        a, b, c = b, c, a
    return (a * b).sum() * (a * c).sum() * (b * c).sum()


@jit(parallel=True)
def sums(keys, kind, n, sums, squares):
    for trial in prange(len(keys)):
        variables = np.empty(n)
        streams.fill(keys[trial], kind, 0, variables)
        sums[trial] = variables.sum()
        squares[trial] = (variables * variables).sum()
