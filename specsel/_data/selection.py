"""The leading subspace of the weighted affinity, and features that span the weighted rest."""

import numpy as np

from specsel import linalg

# A column whose residual fell below this share of the largest one adds nothing to a span.
PIVOT_FLOOR = 1e-8


def affinity_subspace(data, alpha: np.ndarray, k: int, start=None) -> np.ndarray:
    """Span of the k leading eigenvectors, by modulus, of ``A_α = Σ α_i m_i m_iᵀ``."""
    return linalg.subspace(lambda basis: data.adjoint(alpha, basis), data.n_samples, k, start)


def pivoted(data, alpha: np.ndarray, n: int) -> np.ndarray:
    """Select the n features that best span the √α-weighted rest; past the rank, by weight.

    Column-pivoted QR with one pass over the data a column: the squared residuals lose
    ``α_i (m_iᵀ v)²`` for every new direction ``v``. A feature is taken only after its residual
    has been computed from the feature itself, for differences of squares lose half the digits.
    """
    weights = np.maximum(alpha, 0.0)
    residuals = weights * (data.norm > 0)
    floor = PIVOT_FLOOR**2 * residuals.max(initial=0.0)
    directions = np.zeros((0, data.n_samples))
    chosen: list[int] = []
    while len(chosen) < n:
        candidate = int(np.argmax(residuals))
        if residuals[candidate] <= floor:
            break
        column = np.sqrt(weights[candidate]) * data.feature(candidate)
        for _ in range(2):
            column -= directions.T @ (directions @ column)
        square = column @ column
        if square < 0.5 * residuals[candidate]:
            residuals[candidate] = square if square > floor else 0.0
            continue
        direction = column[:, None] / np.sqrt(square)
        directions = np.vstack((directions, direction.T))
        chosen.append(candidate)
        residuals -= weights * data.forward(direction, direction)
        residuals[chosen] = 0.0
        np.maximum(residuals, 0.0, out=residuals)
    rest = np.argsort(-alpha, kind="stable")
    rest = rest[~np.isin(rest, chosen)]
    return np.concatenate((np.array(chosen, dtype=np.intp), rest))[:n]
