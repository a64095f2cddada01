"""Greedy alignment as it is written down: every matrix formed, every score from the definition.

Nothing here is from the package. Samples are rows.
"""

import numpy as np

# Scores equal to this, relative, are tied, and the first feature wins.
TIE = 1e-9


def columns(X, power=0.0):
    """M: centred columns that keep a power of their norms; constant ones are zero."""
    X = np.array(X, dtype=float)
    M = X - X.mean(axis=0)
    norms = np.linalg.norm(M, axis=0)
    constant = np.ptp(X, axis=0) <= 1e-14 * np.abs(X).max(axis=0)
    M[:, constant] = 0.0
    return M / np.where(constant, 1.0, norms) ** (1 - power) / norms.max() ** power


def graph(X, neighbours=5, components=20):
    """``D^-½ W D^-½`` of the symmetric graph of nearest neighbours in leading components."""
    N = np.array(X, dtype=float)
    N = N - N.mean(axis=0)
    U, s, _ = np.linalg.svd(N, full_matrices=False)
    Y = (U * s)[:, :components]
    distances = ((Y[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    W = np.zeros(distances.shape)
    neighbours = min(neighbours, (len(X) - 1) // 2)
    for i, row in enumerate(distances):
        W[i, np.argsort(row, kind="stable")[:neighbours]] = 1.0
    W = np.maximum(W, W.T)
    degree = W.sum(axis=1)
    return W / np.sqrt(np.outer(degree, degree))


def classes(y, X, scale="unit"):
    """Projector on the class indicators, centred, less its mean for noise."""
    y = np.asarray(y)
    indicators = (y[:, None] == np.unique(y)[None, :]).astype(float)
    P = indicators @ np.linalg.pinv(indicators)
    q = len(y)
    C = np.eye(q) - np.ones((q, q)) / q
    return C @ P @ C - (indicators.shape[1] - 1) / (q - 1) * C


def less_median(T, M):
    """T less the identity times what the median feature has of T."""
    varying = M[:, M.any(axis=0)]
    shares = np.diag(varying.T @ T @ varying) / (varying**2).sum(axis=0)
    return T - np.median(shares) * np.eye(len(T))


def neighbourhoods(X, M, **options):
    """The default target."""
    return less_median(graph(X, **options), M)


def score(M, T, support):
    """``⟨A_S, T⟩ / |A_S|`` with ``A_S = Σ m_i m_iᵀ`` formed."""
    A = M[:, support] @ M[:, support].T
    norm = np.linalg.norm(A)
    return (A * T).sum() / norm if norm > 0 else 0.0


def merit(M, T, support, feature):
    """What greedy compares: the score where it is not negative, and else the numerator."""
    together = [*support, feature]
    numerator = sum(M[:, i] @ T @ M[:, i] for i in together)
    return score(M, T, together) if numerator >= 0 else numerator


def select(M, T, n, always=(), never=(), allowed=None):
    """Ranking of n features, and the score after each."""
    constant = ~M.any(axis=0)
    pending, chosen, scores = list(always), [], []
    rest = [i for i in range(M.shape[1]) if i not in never]
    if allowed is not None:
        rest = [i for i in rest if i in allowed or i in always]
    while len(chosen) < n:
        free = pending or [i for i in rest if i not in chosen]
        free = [i for i in free if not constant[i]] or free
        merits = np.array([merit(M, T, chosen, i) for i in free])
        best = merits.max()
        chosen.append(free[int(np.flatnonzero(merits >= best - TIE * abs(best))[0])])
        pending = [i for i in pending if i != chosen[-1]]
        scores.append(score(M, T, chosen))
    return chosen, np.array(scores)
