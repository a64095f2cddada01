"""The experiments behind `positivity`: compiled loops whose iterations are the random trials.

The trials run in parallel. Each has a random stream of its own, whose key is in `keys`. `kind` is
the number of a distribution in `streams.KINDS`. The caller allocates the results; the last
arguments of a function are what it fills, one entry or row for every trial.
"""

import numpy as np
from numba import prange

from specsel._runtime import jit
from specsel._simulation import packed, streams

# Steps of the search for the least triple product. Each halves the error of a cosine.
SEARCH_STEPS = 60

# Share of a random vector in the start of an eigenvector iteration. Without it the start could be
# orthogonal to the eigenvector.
GENERIC = 1e-3


@jit(parallel=True)
def signs(keys, kind, n, mu, sigma, out):
    """Find out whether the leading eigenvector of a random matrix has entries of one sign."""
    for trial in prange(len(keys)):
        matrix, vector = np.empty(n * (n + 1) // 2), np.empty(n)
        _draw(keys[trial], kind, mu, sigma, matrix, vector)
        _, error = packed.leading(matrix, vector, True)
        out[trial] = packed.positive(vector, min(error, packed.ERROR_FLOOR))


@jit(parallel=True)
def leading_pairs(keys, kind, n, mu, sigma, values, totals):
    """Find the leading eigenvalue of a random matrix, and the sum of its unit eigenvector."""
    for trial in prange(len(keys)):
        matrix, vector = np.empty(n * (n + 1) // 2), np.empty(n)
        _draw(keys[trial], kind, mu, sigma, matrix, vector)
        values[trial], _ = packed.leading(matrix, vector, False)
        totals[trial] = abs(np.sum(vector))


@jit(parallel=True)
def counts_above(keys, kind, n, mu, sigma, edges, out):
    """Count the eigenvalues of a random matrix above every edge."""
    for trial in prange(len(keys)):
        matrix, vector = np.empty(n * (n + 1) // 2), np.empty(n)
        _draw(keys[trial], kind, mu, sigma, matrix, vector)
        diagonal, off_diagonal = np.empty(n), np.empty(n)
        packed.tridiagonal(matrix, vector, diagonal, off_diagonal)
        for i in range(len(edges)):
            out[trial, i] = packed.count_above(diagonal, off_diagonal, edges[i])


@jit
def _draw(key, kind, mu, sigma, matrix, start):
    """Draw a packed random matrix, and fill `start` with a start for its leading eigenvector.

    The row sums of the matrix are near that eigenvector.
    """
    streams.fill(key, kind, 0, matrix)
    for i in range(len(matrix)):
        matrix[i] = mu + sigma * matrix[i]
    generic = np.empty(len(start))
    streams.fill(key, streams.GAUSSIAN, len(matrix), generic)
    packed.product(matrix, np.ones(len(start)), start)
    start += GENERIC * (abs(mu) + sigma) * generic


@jit(parallel=True)
def wishart_moments(keys, kind, n, q, out):
    """Find the first moments ``tr(Wᵏ)/n`` of ``W = M Mᵀ/q``, M being a random n × q matrix."""
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
    """Fill `out` with ``scale left rightᵀ``."""
    for i in range(len(left)):
        for j in range(len(right)):
            total = 0.0
            for s in range(left.shape[1]):
                total += left[i, s] * right[j, s]
            out[i, j] = scale * total


@jit(parallel=True)
def triple_products(keys, q, k, cosine, least, products):
    """Find the product ``(aᵀb) Σ (aᵀc_l)(bᵀc_l)`` of random unit vectors, and the least one.

    The vectors c_1, ..., c_k are orthonormal. `cosine` is ``aᵀb``, NaN if a and b are independent.
    The least product is of a, b and one c; a search that starts from a and c_1 finds it.
    """
    for trial in prange(len(keys)):
        vectors = np.empty((k + 2, q))
        for i in range(k + 2):
            streams.fill(keys[trial], streams.GAUSSIAN, i * q, vectors[i])
        a, b = vectors[k], vectors[k + 1]
        a /= np.sqrt((a * a).sum())
        if not np.isnan(cosine):
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
    """Search for unit vectors with the least product ``(aᵀb)(aᵀc)(bᵀc)``, from a and b on.

    In every step one vector moves to where the product is least given the other two, a and b: to
    a - b or, if their cosine is negative, to a + b, scaled to unit norm.
    """
    for _ in range(SEARCH_STEPS):
        sign = 1.0 if (a * b).sum() >= 0.0 else -1.0
        c[:] = a - sign * b
        c /= np.sqrt((c * c).sum())
        a, b, c = b, c, a
    return (a * b).sum() * (a * c).sum() * (b * c).sum()


@jit(parallel=True)
def sums(keys, kind, n, totals, squares):
    """Sum n random variables of mean 0 and variance 1, and their squares."""
    for trial in prange(len(keys)):
        variables = np.empty(n)
        streams.fill(keys[trial], kind, 0, variables)
        totals[trial] = variables.sum()
        squares[trial] = (variables * variables).sum()
