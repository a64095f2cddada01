"""Sparse LDA and sparse PCA as the paper writes them: greedy, exact and the baselines.

Nothing here imports the package. Data are features x samples, as in the paper, and every matrix is
formed.
"""

import itertools

import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.stats

from oracles.weighing import TIE, between_scatter, class_rows, leading, standardise, within_scatter


def class_scatter(X, y):
    """Return ``A = Σ q_c δ_c δ_cᵀ / q`` and the pooled B, of features of mean 0 and variance 1."""
    q, rows = len(y), class_rows(y)
    M = np.sqrt(q) * standardise(X)
    return between_scatter(M, rows) / q, within_scatter(M, rows) / q


def worth(values, criterion):
    """Return the largest eigenvalue λ, the sum of all, or ``Σ log(1 + λ)`` (Sec. 4)."""
    if criterion == "leading":
        return values.max()
    return values.sum() if criterion == "trace" else np.log1p(values).sum()


def pencil_value(A, B, support, criterion="leading"):
    """Return what the eigenvalues of ``(A_S, B_S)`` are worth; the largest is ``λ_max``."""
    S = np.ix_(support, support)
    return worth(scipy.linalg.eigh(A[S], B[S], eigvals_only=True), criterion)


def ranked(A, B, supports, top=1, criterion="leading"):
    """Return the `top` best (support, value); of ties, the one that is listed first."""
    values = np.array([pencil_value(A, B, support, criterion) for support in supports])
    best = []
    for _ in range(min(top, len(supports))):
        first = int(np.argmax(values >= values.max() - TIE * abs(values.max())))
        best.append((supports[first], values[first]))
        values[first] = -np.inf
    return best


def greedy_forward(A, B, size, always=(), never=(), criterion="leading"):
    """Add the best feature each time (Sec. 2.3), from max(1, |always|) features to `size`."""
    support = sorted(always)
    supports = [support] if support else []
    while len(support) < size:
        free = [j for j in range(len(A)) if j not in support and j not in never]
        grown = [sorted([*support, j]) for j in free]
        [(support, _)] = ranked(A, B, grown, criterion=criterion)
        supports.append(support)
    return supports


def greedy_backward(A, B, size=1, always=(), never=(), criterion="leading"):
    """Delete the best feature each time (Sec. 2.3), from n - |never| features down to `size`."""
    support = [j for j in range(len(A)) if j not in never]
    supports = [support]
    while len(support) > max(size, len(always)):
        shrunk = [[i for i in support if i != j] for j in support if j not in always]
        [(support, _)] = ranked(A, B, shrunk, criterion=criterion)
        supports.append(support)
    return supports


def best_swap(A, B, support, always=(), never=()):
    """Find the best support that differs in one feature; of ties, the smallest."""
    inside = [j for j in support if j not in always]
    outside = [j for j in range(len(A)) if j not in support and j not in never]
    swapped = sorted(
        sorted([*(j for j in support if j != out), new]) for out in inside for new in outside
    )
    return ranked(A, B, swapped)[0] if swapped else (None, -np.inf)


def best_subsets(A, B, k, top=1, always=(), never=(), criterion="leading"):
    """Enumerate the `top` best (support, value); of ties, the smallest support comes first."""
    free = [j for j in range(len(A)) if j not in always and j not in never]
    chosen = itertools.combinations(free, k - len(always))
    supports = sorted(sorted([*always, *rest]) for rest in chosen)
    return ranked(A, B, supports, top, criterion)


def renormalised(x, A, B):
    """Enumerate the `top` best (support, value); of ties the smallest support comes first."""
    support = np.flatnonzero(x)
    S = np.ix_(support, support)
    renewed = np.zeros(len(x))
    renewed[support] = scipy.linalg.eigh(A[S], B[S])[1][:, -1]
    return renewed


def by_size(entries):
    """Order indices by decreasing modulus; those equal to nine digits keep their order."""
    return np.argsort(-np.abs(entries).round(9), kind="stable").tolist()


def thresholded(A, B, k):
    """Take the k largest entries, by modulus, of the leading eigenvector of ``B^-½ A B^-½``."""
    values, vectors = np.linalg.eigh(B)
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    v, _ = leading(root @ A @ root)
    return sorted(by_size(v)[:k])


def correlation_order(X, y):
    """Rank features by their absolute correlation with the label of two classes, best first."""
    label = standardise(np.array(y)[:, None] == np.unique(y)[1])
    return by_size(standardise(X) @ label[0])
