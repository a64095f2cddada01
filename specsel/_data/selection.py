"""The leading subspace of the weighted affinity, and features that span the weighted rest."""

from functools import partial

import numpy as np

from specsel import linalg
from specsel._data.protocol import Data
from specsel._validate import Floats, Integers

# A feature whose residual falls below this share of the largest norm adds nothing to the span.
PIVOT_FLOOR = 1e-8


def affinity_subspace(data: Data, alpha: Floats, k: int, start: Floats | None = None) -> Floats:
    """Orthonormal basis of the k leading eigenvectors, by modulus, of ``A_α = Σ α_i m_i m_iᵀ``.

    With many samples it is approximate and improves on `start`; see `linalg.top_eigenpairs`.
    """
    product = partial(data.adjoint, alpha)
    return linalg.top_eigenpairs(product, data.n_samples, k, start)[1]


def pivoted(data: Data, alpha: Floats, n: int) -> Integers:
    """Select n features that span the others well, each multiplied by the root of its weight.

    This is QR with column pivoting, and one pass over the data for each feature taken. A new
    direction v lowers the squared residual of feature i by ``α_i (m_iᵀ v)²``. Such differences
    lose half the digits, so a feature is taken only after its residual has been computed from the
    feature itself. Once the chosen features span everything, the rest follows by weight.
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
