"""What is proved about positive and sparse weights, written out as the paper states it.

Nothing here is from the package. Matrices are features x samples, as in the paper.
"""

import numpy as np
import scipy.integrate

from oracles.weighing import gram


def splitmix(key, place):
    """The word at a place of a splitmix64 stream, with Python's unbounded integers."""
    z = (key + place * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def unpacked(entries, n):
    """A symmetric matrix from the rows of its lower triangle."""
    G = np.zeros((n, n))
    G[np.tril_indices(n)] = entries
    return G + np.tril(G, -1).T


def semicircle_share(low, high):
    """Share of the semicircle of radius 1 that lies between two points."""
    area, _ = scipy.integrate.quad(lambda x: 2 / np.pi * np.sqrt(1 - x * x), low, high)
    return area


def irrelevant_bound(M, alpha, Q, relevant):
    """Lemma 13: ``√(Σγ²/λ)``, γ the eigenvalues of ``M₂ M₂ᵀ``, ``λ = αᵀGα``."""
    M2 = np.delete(M, relevant, axis=0)
    gamma = np.linalg.eigvalsh(M2 @ M2.T)
    return np.sqrt((gamma**2).sum() / (alpha @ gram(M, Q) @ alpha))


def wishart_moment(n, q, k):
    """Mean of ``tr((M Mᵀ/q)^k)/n`` for Gaussian M: a sum over pairings of the factors (Wick)."""
    total = 0
    for pairs in pairings(list(range(2 * k))):
        # The factors are M[r0, c0] M[r1, c0] M[r1, c1] ... M[r0, c(k-1)]. The factors of a pair
        # have equal rows and equal columns.
        rows, columns = list(range(k)), list(range(k))
        for one, other in pairs:
            merge(rows, (one + 1) // 2 % k, (other + 1) // 2 % k)
            merge(columns, one // 2, other // 2)
        total += n ** len(set(rows)) * q ** len(set(columns))
    return total / (n * q**k)


def merge(labels, one, other):
    """Give all places with the label of `other` the label of `one`."""
    labels[:] = [labels[one] if label == labels[other] else label for label in labels]


def pairings(items):
    """Yield all ways to divide the items into pairs."""
    if not items:
        yield []
        return
    for i in range(1, len(items)):
        for rest in pairings(items[1:i] + items[i + 1 :]):
            yield [(items[0], items[i]), *rest]
