"""Kernels and Def. 14 of Wolf and Shashua (2005), dense and as they are written.

Features are the rows of M. This file imports nothing of the package.
"""

import numpy as np

from oracles import weighing


def features(X, center=True):
    """Return M: features as rows, of unit norm."""
    M = np.array(X, dtype=float).T
    M = M - M.mean(axis=1, keepdims=True) if center else M
    return M / np.linalg.norm(M, axis=1, keepdims=True)


def kernel_matrix(M, kind, *, sigma=None, degree=2, offset=1.0, sections=8):
    """Compute V entry by entry."""
    n, q = M.shape
    labels = np.arange(q) // sections if np.ndim(sections) == 0 else np.asarray(sections)
    distances = [np.linalg.norm(M[i] - M[j]) for i in range(n) for j in range(i)]
    V = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            a, b = M[i], M[j]
            if kind == "linear":
                V[i, j] = a @ b
            elif kind == "poly":
                V[i, j] = (a @ b + offset) ** degree
            elif kind == "rbf":
                width = np.median(distances) if sigma is None else sigma
                V[i, j] = np.exp(-np.sum((a - b) ** 2) / (2 * width**2))
            else:
                V[i, j] = sum((a[labels == s] @ b[labels == s]) ** 2 for s in set(labels))
    return V


def inverse_root(C):
    """Return R⁻¹ with RᵀR = C, on the directions where C is not zero."""
    values, vectors = np.linalg.eigh((C + C.T) / 2)
    keep = values > 1e-11 * values[-1]
    return vectors[:, keep] / np.sqrt(values[keep])


def first_coefficients(V, alpha, k):
    """Return E such that MᵀE spans the k leading eigenvectors of the affinity.

    No weight in `alpha` may be negative.
    """
    root = np.sqrt(alpha)[:, None]
    values, vectors = np.linalg.eigh(root * V * root.T)
    return (root * vectors / np.sqrt(np.maximum(values, 1e-300)))[:, ::-1][:, :k]


def design(V, E, criterion="energy"):
    """Return the matrix that α leads: G, or ``2 G - V ∘ V`` for the gap."""
    G = V * (V @ E @ E.T @ V)
    return G if criterion == "energy" else 2 * G - V * V


def definition_14(V, E, count, criterion="energy"):
    """Run `count` cycles with dense G and E; return α, E and the objective after every cycle."""
    history = []
    for _ in range(count):
        alpha, _ = weighing.leading(design(V, E, criterion))
        D = np.diag(alpha)
        inverse = inverse_root(E.T @ V @ D @ V @ D @ V @ E)
        E = D @ V @ E @ inverse
        history.append(alpha @ design(V, E, criterion) @ alpha)
    return alpha, E, history
