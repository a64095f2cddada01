"""Weights in one step, for PCA and for FDA (Wolf and Bileschi, MIT-CSAIL-TR-2005-019).

Let ``m_i`` be the i-th feature, centred and of unit norm, and ``A_α = Σ α_i m_i m_iᵀ`` the
weighted affinity of the samples.

- Without labels (Algo. 2), α is the leading eigenvector of H with ``H_ij = (m_iᵀ m_j)²``. It
  maximises ``trace(A_α A_α)``, the energy of all directions, where `qalpha` takes only k of them.
- With labels (Algo. 3), let M be the matrix of features x samples, P the projector on its column
  space, and ``S_B`` and ``S_W`` the scatter between and within the classes. α is the leading
  eigenvector of ``P ∘ (S_B - λ S_W)``, where ∘ multiplies entry by entry. Its quadratic form
  is the numerator of kernel FDA with the kernel ``A_α``, less λ times the denominator.

There is one solution and no start to choose.

Departures from the paper:

- No matrix of n x n is formed for n features. With ``vec(m_i m_iᵀ)`` as row i of Φ, both matrices
  are ``Φ J Φᵀ``, see `qalpha.lead`. For q samples a pass costs O(n q²), linear in the
  number of features. With `rank`, which is an approximation, it costs O(n q rank), see
  `_qalpha.flat`.
- Algo. 2: J is the identity. H has no negative entry, so the absolute values of a leading
  eigenvector lead too, and they are returned.
- Algo. 3: let T be the pseudo-inverse of ``Mᵀ M`` and S the matrix of samples x samples with
  ``M S Mᵀ = S_B - λ S_W``. Then ``J A = (T A S + S A T) / 2``. In the paper H has the opposite
  sign, and G has a factor ``q_c``, the size of a class, that the definition of ``S_W`` lacks.
- Of tall data, with more samples than features, a triangular factor with the same inner products
  takes their place.
"""

import warnings
from collections.abc import Callable

import numpy as np

from specsel import _data, _input, _loop, linalg, qalpha
from specsel._input.annotations import ArrayLike, Floats, Integers
from specsel.results import Weights

__all__ = ["solve"]

# Eigenvalues of the Gram matrix below so many roundings of a pass are those of absent directions.
RANK_ROUNDINGS = 10


def solve(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    tradeoff: float = 1.0,
    tol: float = 1e-6,
    rank: int | None = None,
) -> Weights:
    """Weigh features by how much they share with all others, or by how they tell classes apart.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers in any memory order, a sparse matrix, or a data frame.
    y : array of shape (n_samples,), optional
        Class labels. With labels, the weights are for discriminant analysis. Take more features
        than samples then: where the features are linearly independent, all weight falls on one of
        them, with a warning.
    tradeoff : float
        With labels, how much the scatter within the classes counts against the scatter between
        them. The larger it is, the fewer features that vary within a class get weight.
    tol : float
        Stop when the objective is within this share of the largest, as far as its residual tells;
        one more pass then squares what is missing. With 0, go on to working precision.
    rank : int, optional
        Without labels: approximate the weighted affinity by so many leading directions, and take
        all others as equally strong. Exact weights need matrices of samples x samples; these need
        none, and are for data with many samples and many features. With 40 the largest error was
        a five-hundredth of the largest weight for clusters, a hundredth for counts, and a tenth
        for noise, where the order means nothing. `Weights.error` estimates it.

    Returns
    -------
    Weights
        Without labels, no weight is negative. With labels, a third to a half of the weights may
        be; `reweight` takes them as 0, and `negative_share` says how much that leaves out.
        `basis` and `eigenvalues` are those of the whole weighted affinity, as many as its rank,
        or as `rank` says.

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
    array, names = _input.as_data(X)
    classes = None if y is None else _input.as_classes(y, array.shape[0])
    _input.check_not_negative("tradeoff", tradeoff)
    _loop.check_tol(tol)
    if rank is not None:
        most = "min(n_samples, n_features)"
        rank = _input.check_integer("rank", rank, 1, min(array.shape), most)
        if y is not None:
            raise ValueError(f"rank = {rank}: is for weights without labels, and y is given")
    data = _data.represent(array, names)
    small, lift = data, None
    means = None if classes is None else class_means(classes)
    if data.is_tall():
        small, restrict, lift = data.reduced()
        means = None if means is None else restrict(means)
    if rank is not None:
        return _roughly(data, small, rank, tol, lift)
    qalpha.check_budget(small, way="" if classes is not None else "rank = 40, which is rough, ")
    form = None if means is None else fisher_form(small, means, tradeoff)
    alpha, affinity, history, converged = qalpha.lead(small, form, tol=tol)
    if not converged:
        warnings.warn(
            "not converged: the leading weights are not unique", stacklevel=_input.caller()
        )
    if form is None:
        alpha, affinity = _positive(small, alpha, affinity)
        history[-1] = float(np.vdot(affinity, affinity))
    elif history[-1] <= 0:
        warnings.warn(
            f"tradeoff = {tradeoff}: no weights make classes differ more between than within; "
            "take a smaller one",
            stacklevel=_input.caller(),
        )
    values, basis = linalg.largest_modulus(affinity, small.rank_bound)
    basis = basis[:, np.abs(values) > _rank_floor(small) * np.abs(values[0])]
    iterate = _loop.Iterate(alpha, basis, affinity @ basis, history[-1])
    record = {"history": history, "n_iter": len(history), "converged": converged}
    return _loop.pack(data, iterate, record, lift)


def _roughly(
    data: _data.Data,
    small: _data.Data,
    rank: int,
    tol: float,
    lift: Callable[[Floats], Floats] | None,
) -> Weights:
    """Approximate the weights; `small` is what tall data were reduced to."""
    alpha, basis, image, history, converged, error = qalpha.lead_roughly(
        small, min(rank, small.rank_bound), tol=tol
    )
    if not converged:
        warnings.warn(
            f"not converged after {len(history)} steps: raise tol; where no features stand out, "
            "the order of the weights means little",
            stacklevel=_input.caller(),
        )
    iterate = _loop.Iterate(alpha, basis, image, history[-1])
    record = {"history": history, "n_iter": len(history), "converged": converged, "error": error}
    return _loop.pack(data, iterate, record, lift)


def _positive(data: _data.Data, alpha: Floats, affinity: Floats) -> tuple[Floats, Floats]:
    """The absolute values of leading weights, which lead too, and their affinity."""
    sign = _loop.orientation(alpha)
    positive = np.abs(alpha)
    if np.linalg.norm(positive - sign * alpha) <= data.floor:
        return positive, sign * affinity  # but for rounding none is negative
    return positive, data.adjoint(positive, None)


def class_means(classes: Integers) -> Floats:
    """Return an orthonormal basis of the vectors that are constant within every class."""
    indicators = (classes[:, None] == np.arange(classes.max() + 1)).astype(float)
    means: Floats = indicators / np.sqrt(indicators.sum(axis=0))
    return means


def fisher_form(data: _data.Data, means: Floats, tradeoff: float) -> qalpha.Form:
    """Return the function ``A -> (T A S + S A T) / 2`` of Algo. 3.

    `means` is an orthonormal basis of the vectors that are constant within every class. It need
    not be centred, because the features are.
    """
    inner = data.adjoint(np.ones(data.n_features), None)
    values, axes = np.linalg.eigh(inner)
    keep = values > _rank_floor(data) * values[-1]
    if keep.sum() == np.count_nonzero(data.norm):
        warnings.warn(
            "X: its features are linearly independent, so with y all weight falls on one of "
            "them; take more features than samples, or `supervised`",
            stacklevel=_input.caller(),
        )
    inverse = axes[:, keep] / values[keep] @ axes[:, keep].T
    between = means @ means.T
    scatter = between - tradeoff * (np.eye(len(between)) - between)

    def form(affinity: Floats) -> Floats:
        product: Floats = inverse @ affinity @ scatter
        return (product + product.T) / 2

    return form


def _rank_floor(data: _data.Data) -> float:
    """Share of the largest eigenvalue of an affinity below which there is no direction."""
    return max(linalg.GRAM_FLOOR, RANK_ROUNDINGS * data.floor)
