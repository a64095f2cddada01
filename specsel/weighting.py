"""Weights without parameters, for PCA (Wolf and Bileschi, MIT-CSAIL-TR-2005-019, Algo. 2).

With features ``m_i``, centred and of unit norm, α is the leading eigenvector of
``H_ij = (m_iᵀ m_j)²``: it maximises ``trace(A_α A_α)``, the energy of all directions, where Q-α
takes k of them. One solution, no start to choose.

Departures. H is never formed: ``(H α)_i = m_iᵀ A_α m_i``, and row i of Φ being ``vec(m_i m_iᵀ)``
Lanczos runs on ``Φᵀ Φ``, one pass a step in O(n q²), linear in the number of features. H has no
negative entry, so |α| leads where α does, and |α| is returned. Tall data, more samples than
features, are replaced by a triangular factor with the same inner products.
"""

import warnings

import numpy as np

from specsel import alternate, blocks, linalg
from specsel.results import Weights


def solve(X) -> Weights:
    """Weigh features by how much they share with all others.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers in any memory order, or a data frame.

    Returns
    -------
    Weights
        With ``alpha >= 0``; `basis` and `eigenvalues` are of the whole weighted affinity, as many
        as its rank allows.

    References
    ----------
    Wolf, L. and Bileschi, S. (2005). Combining variable selection with dimensionality reduction.
    MIT-CSAIL-TR-2005-019.

    Examples
    --------
    >>> from specsel import datasets, weighting
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> weights = weighting.solve(data.X)
    >>> sorted(weights.select(5).tolist())
    [0, 1, 2, 3, 4]
    >>> bool(weights.alpha.min() >= 0)
    True
    """
    data = blocks.read(X)
    small, lift = data, None
    if data.n_samples > data.n_features:
        small, _, lift = data.reduced()
    alpha, converged = alternate.parameter_free(small)
    if not converged:
        warnings.warn("not converged: the leading weights are not unique", stacklevel=2)
    affinity = small.adjoint(alpha, None)
    objective = np.vdot(affinity, affinity)
    values, basis = linalg.largest_modulus(affinity, small.rank_bound)
    basis = basis[:, np.abs(values) > small.floor * np.abs(values[0])]
    state = alternate.State(alpha, basis, affinity @ basis, affinity, objective)
    record = {"history": [objective], "n_iter": 1, "converged": converged}
    return alternate.pack(data, state, record, lift)
