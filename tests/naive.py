"""Literal dense transcriptions of the papers' definitions: the truth that fast code meets.

Nothing here is from the package. Matrices are formed as they are written, features x samples.
"""

import numpy as np


def standardise(X, center=True):
    """M: features as rows, centred and of unit norm; constant features are rows of zeros."""
    M = np.array(X, dtype=float).T
    if center:
        M = M - M.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(M, axis=1, keepdims=True)
    constant = norms <= 1e-12 * (1 + np.abs(np.array(X, dtype=float).T).max(axis=1, keepdims=True))
    return np.where(constant, 0.0, M / np.where(constant, 1.0, norms))


def affinity(M, alpha):
    """``A_α = Σ α_i m_i m_iᵀ``."""
    return M.T @ np.diag(alpha) @ M


def gram(M, Q):
    """``G_ij = (m_iᵀ m_j) m_iᵀ Q Qᵀ m_j``."""
    return (M @ M.T) * (M @ Q @ Q.T @ M.T)


def squared(M):
    """``H_ij = (m_iᵀ m_j)²``."""
    return (M @ M.T) ** 2


def leading(G):
    """Leading eigenvector, of positive sum, and its eigenvalue."""
    values, vectors = np.linalg.eigh(G)
    alpha = vectors[:, -1]
    return alpha * (1.0 if alpha.sum() >= 0 else -1.0), values[-1]


def by_modulus(A, k):
    """The k eigenvalues of largest modulus and their eigenvectors."""
    values, vectors = np.linalg.eigh(A)
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    return values[order], vectors[:, order]


def weights_given_basis(M, Q, criterion="energy"):
    G = gram(M, Q)
    return leading(G if criterion == "energy" else 2 * G - squared(M))


def objective(M, alpha, Q, criterion="energy"):
    A = affinity(M, alpha)
    energy = np.trace(Q.T @ A @ A @ Q)
    return energy if criterion == "energy" else 2 * energy - np.trace(A @ A)


def power_iterations(M, Q, count, criterion="energy"):
    """Def. 2, `count` cycles: α, Q and the objective after each."""
    history = []
    for _ in range(count):
        alpha, _ = weights_given_basis(M, Q, criterion)
        Q, _ = np.linalg.qr(affinity(M, alpha) @ Q)
        history.append(objective(M, alpha, Q, criterion))
    return alpha, Q, history


def basic_iterations(M, Q, count, criterion="energy"):
    """The basic method: Q from the eigenvectors of the affinity."""
    history = []
    for _ in range(count):
        alpha, _ = weights_given_basis(M, Q, criterion)
        _, Q = by_modulus(affinity(M, alpha), Q.shape[1])
        history.append(objective(M, alpha, Q, criterion))
    return alpha, Q, history


def ritz_iterations(M, Q, count):
    """Def. 4, with the factor ``m_iᵀ m_j`` that step 4 lacks: α, Q and the Ritz values."""
    for _ in range(count):
        alpha, _ = weights_given_basis(M, Q)
        Q_bar, _ = np.linalg.qr(affinity(M, alpha) @ Q)
        alpha, _ = weights_given_basis(M, Q_bar)
        S = Q_bar.T @ affinity(M, alpha) @ Q_bar
        values, U = by_modulus((S + S.T) / 2, S.shape[0])
        Q = Q_bar @ U
    return alpha, Q, values


def pivoted(columns, n):
    """Greedy column-pivoted QR by explicit projections: the first n columns chosen."""
    chosen = []
    for _ in range(n):
        basis = np.linalg.qr(columns[:, chosen])[0] if chosen else np.zeros((len(columns), 0))
        residual = columns - basis @ (basis.T @ columns)
        square = (residual**2).sum(axis=0)
        square[chosen] = -1
        chosen.append(int(np.argmax(square)))
    return chosen
