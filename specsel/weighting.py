"""Weights in one step, for PCA and for FDA (Wolf and Bileschi, MIT-CSAIL-TR-2005-019).

With features ``m_i``, centred and of unit norm, ``A_α = Σ α_i m_i m_iᵀ``:

- without labels (Algo. 2), α is the leading eigenvector of ``H_ij = (m_iᵀ m_j)²``: it maximises
  ``trace(A_α A_α)``, the energy of all directions, where Q-α takes k of them;
- with labels (Algo. 3), α is the leading eigenvector of ``P ∘ (S_B - λ S_W)``, P being the
  projector on the column space of the features x samples, ``S_B`` and ``S_W`` the scatter between
  and within the classes: what kernel FDA with ``A_α`` has in the numerator, less λ times what it
  has in the denominator.

One solution, no start to choose.

Departures. No n x n matrix is formed. Row i of Φ being ``vec(m_i m_iᵀ)``, both matrices are
``Φ J Φᵀ`` and Lanczos runs on q x q duals, or on vectors of n weights where those are smaller, in
O(n q²) a pass, linear in the number of features. Algo. 2: J is the identity, H has no negative
entry, so |α| leads where α does, and |α| is returned. Algo. 3: with ``T`` the pseudo-inverse of
the samples' ``Mᵀ M`` and ``S`` the centring within less λ times between the classes,
``J A = (T A S + S A T) / 2``. As printed, ``H`` has the opposite sign and ``G`` a factor ``q_c``
that the definition of ``S_W`` does not have. Tall data, more samples than features, are replaced
by a triangular factor with the same inner products.
"""

import warnings

import numpy as np

from specsel import _data, _input, _loop, linalg, qalpha
from specsel.results import Weights

__all__ = ["solve"]


def solve(X, y=None, *, tradeoff=1.0) -> Weights:
    """Weigh features by how much they share with all others, or by how they tell classes apart.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers in any memory order, or a data frame.
    y : array of shape (n_samples,), optional
        Class labels; with them the weights are for discriminant analysis. Where the features are
        linearly independent, as they are most often with fewer of them than samples, all weight
        falls on one of them, with a warning.
    tradeoff : float
        With labels, what the scatter within the classes counts against the scatter between them:
        larger means fewer features that vary within a class.

    Returns
    -------
    Weights
        Without labels ``alpha >= 0``; with labels a third to a half of the weights may come out
        negative, which reweighting clips: see `negative_share`. `basis` and `eigenvalues` are of
        the whole weighted affinity, as many as its rank allows.

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
    >>> sorted(weighting.solve(data.X, data.y).select(5).tolist())
    [0, 1, 2, 3, 4]
    """
    array, names = _input.as_matrix(X)
    classes = None if y is None else _input.as_classes(y, len(array))
    _input.check_not_negative("tradeoff", tradeoff)
    data = _data.represent(array, names)
    small, restrict, lift = data, np.asarray, None
    if data.n_samples > data.n_features:
        small, restrict, lift = data.reduced()
    form = None if y is None else _fisher_form(small, restrict(_class_means(classes)), tradeoff)
    problem = qalpha.Whole(small, form)
    alpha, affinity, converged = problem.solve()
    if not converged:
        warnings.warn(
            "not converged: the leading weights are not unique", stacklevel=_input.caller()
        )
    if y is None:
        alpha = np.abs(alpha)
        affinity = small.adjoint(alpha, None)
    objective = np.vdot(affinity, problem.form(affinity))
    if y is not None and objective <= 0:
        warnings.warn(
            f"tradeoff = {tradeoff}: no weights make classes differ more between than within; "
            "take a smaller one",
            stacklevel=_input.caller(),
        )
    values, basis = linalg.largest_modulus(affinity, small.rank_bound)
    basis = basis[:, np.abs(values) > small.floor * np.abs(values[0])]
    state = _loop.State(alpha, basis, affinity @ basis, affinity, objective)
    record = {"history": [objective], "n_iter": 1, "converged": converged}
    return _loop.pack(data, state, record, lift)


def _class_means(classes):
    """Orthonormal basis of what is constant in every class, as indicators of the classes."""
    indicators = (classes[:, None] == np.arange(classes.max() + 1)).astype(float)
    return indicators / np.sqrt(indicators.sum(axis=0))


def _fisher_form(data, means, tradeoff):
    """``A -> (T A S + S A T) / 2``; the features are centred, so `means` need not be."""
    inner = data.adjoint(np.ones(data.n_features), None)
    values, axes = np.linalg.eigh(inner)
    keep = values > linalg.GRAM_FLOOR * values[-1]
    if keep.sum() == np.count_nonzero(data.norm):
        warnings.warn(
            "X: its features are linearly independent, so that with y all weight falls on one of "
            "them; take more features than samples, or `supervised`",
            stacklevel=_input.caller(),
        )
    inverse = axes[:, keep] / values[keep] @ axes[:, keep].T
    between = means @ means.T
    scatter = between - tradeoff * (np.eye(len(between)) - between)

    def form(affinity):
        product = inverse @ affinity @ scatter
        return (product + product.T) / 2

    return form
