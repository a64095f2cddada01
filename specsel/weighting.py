"""Weights by Algorithms 2 and 3, for PCA and FDA (Wolf and Bileschi, MIT-CSAIL-TR-2005-019).

Let ``m_i`` be the i-th feature, centred and of unit norm, and ``A_α = Σ α_i m_i m_iᵀ`` the
weighted affinity of the samples.

Without labels (Algo. 2), α is the leading eigenvector of H with ``H_ij = (m_iᵀ m_j)²``. It
maximises ``trace(A_α A_α)``, the energy of all directions, where `qalpha` takes only k of them.

With labels, features are weighed for kernel FDA with the kernel ``A_α`` (App. A). Let M be the
matrix of features x samples, ``Mᵀ M = E D Eᵀ``, and S the matrix of samples x samples with
``M S Mᵀ = S_B - λ S_W``: scatter between the classes less λ times that within. The columns of Φ
are coordinates of orthogonal discriminants, and ``Q = E D^(-½) Φ``. What the discriminants gain
between the classes, less λ times what they vary within, is ``trace(Qᵀ A_α S A_α Q)``.

- As many discriminants as there are (Algo. 3): Φ is square and drops out. α is the leading
  eigenvector of ``P ∘ (S_B - λ S_W)``, where P projects on the column space of M and ∘ multiplies
  entry by entry.
- k discriminants, as Algo. 1 has k components; the appendix says that it can be done. Given Q, α
  is the leading eigenvector of ``(M Q Qᵀ Mᵀ) ∘ (S_B - λ S_W)``. Given α, Φ holds the k leading
  eigenvectors of ``D^(-½) Eᵀ A_α S A_α E D^(-½)``. The objective never falls.

Algorithms 2 and 3 have one solution and no start to choose. With k the start is continuation, as
in `qalpha`.

Departures from the paper:

- No matrix of n x n is formed for n features. In Algo. 2 and 3, with ``vec(m_i m_iᵀ)`` as row i of
  Φ, both matrices are ``Φ J Φᵀ``, see `qalpha.leading_weights`. For q samples a pass costs
  O(n q²), linear in the number of features. With k, row i is ``vec(m_i (Qᵀ m_i)ᵀ)`` and J is S.
- With `rank` k, Algo. 2 is approximate and a pass costs O(n q k). Let U be k leading eigenvectors
  of ``A_α``, λ their eigenvalues, and τ the mean of all other eigenvalues, which the trace
  ``Σ α_i |m_i|²`` gives. With τ in place of each of them

      m_iᵀ A_α m_i  ≈  Σ_c (λ_c - τ) (m_iᵀ u_c)² + τ |m_i|².

  A step takes these for the next weights and multiplies U by the affinity.
- Algo. 2: J is the identity. H has no negative entry, so the absolute values of a leading
  eigenvector lead too, and they are returned.
- Algo. 3: with the pseudo-inverse T of ``Mᵀ M``, ``J A = (T A S + S A T) / 2``. In the paper H has
  the opposite sign, and G has a factor ``q_c``, the size of a class, that the definition of
  ``S_W`` lacks.
- Of tall data, with more samples than features, a triangular factor with the same inner products
  takes their place.
"""

import warnings
from dataclasses import replace

import numpy as np

from specsel import _containers, _data, _iterate, _runtime, _validate, linalg, qalpha
from specsel._iterate import Iterate, Step
from specsel._validate import ArrayLike, Floats, Integers
from specsel.results import Weights

__all__ = ["solve"]

# Eigenvalues of the Gram matrix below so many roundings of a pass are those of absent directions.
RANK_ROUNDINGS = 10

# The rank that is advised where affinities do not fit.
ROUGH_RANK = 40

# Where discriminants do only harm and the best objective is 0, products lose digits, and the norm
# of the weights is off by less than this.
NEARLY = 1e-3

# The most steps with `rank`, and the random vectors for the error.
MOST_STEPS = 100
PROBES = 64


def solve(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    k: int | None = None,
    tradeoff: float = 1.0,
    scale: _validate.Scale = "unit",
    tol: float = 1e-6,
    max_iter: int = 200,
    rank: int | None = None,
) -> Weights:
    """Weigh features by how much they share with all others, or by how they tell classes apart.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map or
        an array of h5py, zarr or Dask.
    y : array of shape (n_samples,), optional
        Class labels. With labels, the weights are for discriminant analysis. Give `k`, or take
        more features than samples: without it, all weight falls on one feature where the features
        are linearly independent, with a warning.
    k : int, optional
        With labels, how many discriminants should tell the classes apart; c classes have c - 1.
        By default as many count as there are samples, which is what the paper does. Few are
        sharper: fewer weights are negative, and more relevant features come first.
    tradeoff : float
        With labels, how much the scatter within the classes counts against the scatter between
        them. The larger it is, the fewer features that vary within a class get weight.
    scale : {"unit", "sqrt", "native"}
        As in `qalpha.solve`.
    tol : float
        Stop when the objective is within this share of the largest, by its residual; one more pass
        then squares the relative error. With `k`, stop when it changed by no more than this share
        in an iteration. With `rank`, the weights must also have moved by no more than its root,
        and after 100 steps a warning says if they have not. With 0, go on to working precision,
        which takes `rank` more than 100 steps on most data.
    max_iter : int
        With `k`, largest number of iterations. A warning says if the tolerance needs more.
    rank : int, optional
        Without labels: approximate the weighted affinity by so many leading directions, and take
        all others as equally strong, for data with many samples and many features. Exact weights
        need several matrices of samples x samples; these need one up to 2,000 samples, or up to
        4 `rank` where that is more, and none above. With 40 the largest error was a five-hundredth
        of the largest weight for clusters, a hundredth for counts, and a tenth for noise, where
        the order means nothing. `Weights.error` estimates it.

    Returns
    -------
    Weights
        Without labels, no weight is negative. With labels, a third to a half of the weights may
        be, with `k` fewer; `reweight` takes them as 0, and `negative_share` says how much that
        leaves out. `basis` and `eigenvalues` are those of the weighted affinity, as many as its
        rank, or as `k` or `rank` says.

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

    Two classes have one discriminant:

    >>> data = datasets.weston_linear(100, random_state=0)
    >>> sorted(weighting.solve(data.X, data.y, k=1).select(6).tolist())
    [0, 1, 2, 3, 4, 5]
    """
    array, names = _containers.as_data(X)
    classes = None if y is None else _containers.as_classes(y, array.shape[0])
    _validate.check_number("tradeoff", tradeoff, 0)
    _validate.check_choice("scale", scale, _validate.Scale)
    _iterate.check_tol(tol)
    _validate.check_integer("max_iter", max_iter, 1)
    most = "min(n_samples, n_features)"
    if k is not None:
        _validate.check_integer("k", k, 1, min(array.shape), most)
        if y is None:
            raise ValueError(
                f"k = {k}: needs y; without labels take qalpha, which has k components"
            )
    if rank is not None:
        rank = _validate.check_integer("rank", rank, 1, min(array.shape), most)
        if y is not None:
            raise ValueError(f"rank = {rank}: is for weights without labels, and y is given")
    _check_budget(_data.count_reduced(array), rank, is_labelled=y is not None)
    data = _data.represent(array, names).scaled(scale)
    small, lift = data, None
    means = None if classes is None else class_means(classes)
    if data.is_tall():
        small, restrict, lift = data.reduced()
        means = None if means is None else restrict(means)
    _check_budget(small.n_samples, rank, is_labelled=y is not None)
    if rank is not None:
        run, error = _approximate(small, min(rank, small.rank_bound), tol)
        return replace(_iterate.pack(data, run, lift), error=error)
    if means is None or k is None:
        alpha, affinity, history, converged = _leading_weights(small, means, tradeoff, tol)
        objective = history[-1]
    else:
        options = _iterate.Options(k, tol=tol, max_iter=max_iter)
        run = _iterate.alternate(Discriminants(small, means, tradeoff), options)
        (alpha, _, _, objective), history, converged, *_ = run
        affinity = small.adjoint(alpha, None)
    if means is not None and objective <= 0:
        warnings.warn(
            f"tradeoff = {tradeoff}: no weights make classes differ more between than within; "
            "take a smaller one",
            stacklevel=_validate.caller(),
        )
    # The basis is that of the affinity, as large as its rank or as k.
    values, basis = linalg.largest_modulus(affinity, k or small.rank_bound)
    basis = basis[:, np.abs(values) > _rank_floor(small) * np.abs(values[0])]
    iterate = Iterate(alpha, basis, affinity @ basis, objective)
    return _iterate.pack(data, _iterate.Run(iterate, history, converged), lift)


def _check_budget(n_samples: int, rank: int | None, *, is_labelled: bool) -> None:
    """Refuse samples whose affinities would not fit, or with a rank the matrices that it takes."""
    if rank is None:
        fits = _bytes_of_rank(ROUGH_RANK, n_samples) <= _runtime.budget()
        rough = f"rank = {ROUGH_RANK}, which is rough, "
        qalpha.check_budget(n_samples, way=rough if fits and not is_labelled else "")
        return
    size = _bytes_of_rank(rank, n_samples)
    _runtime.check_budget(
        f"rank = {rank}: matrices of {n_samples} samples x {size // (8 * n_samples)}",
        size,
        "take a smaller rank or fewer samples",
    )


def _bytes_of_rank(rank: int, n_samples: int) -> int:
    """What the products of an approximation take, with their images."""
    return 8 * n_samples * min(n_samples, 2 * linalg.SUBSPACE_PASSES * rank)


def _leading_weights(
    data: _data.Data, means: Floats | None, tradeoff: float, tol: float
) -> tuple[Floats, Floats, list[float], bool]:
    """Run Algorithm 2 or, with means of classes, 3; return what `qalpha.leading_weights` does."""
    form = None if means is None else fisher_form(data, means, tradeoff)
    alpha, affinity, history, converged = qalpha.leading_weights(data, form, tol=tol)
    if not converged:
        warnings.warn(
            "not converged: the leading weights are not unique", stacklevel=_validate.caller()
        )
    if form is None:
        # The absolute values of leading weights lead too.
        positive, sign = np.abs(alpha), _iterate.orientation(alpha)
        only_rounding = np.linalg.norm(positive - sign * alpha) <= data.floor
        affinity = sign * affinity if only_rounding else data.adjoint(positive, None)
        alpha, history[-1] = positive, float(np.vdot(affinity, affinity))
    return alpha, affinity, history, converged


def class_means(classes: Integers) -> Floats:
    """Return an orthonormal basis of the vectors that are constant within every class."""
    indicators = (classes[:, None] == np.arange(classes.max() + 1)).astype(float)
    means: Floats = indicators / np.sqrt(indicators.sum(axis=0))
    return means


def fisher_form(data: _data.Data, means: Floats, tradeoff: float) -> qalpha.Form:
    """Return the function ``A -> (T A S + S A T) / 2`` of Algo. 3; `means` as in `scatter`."""
    half = whitening(data)
    if half.shape[1] == np.count_nonzero(data.norm):
        warnings.warn(
            "X: its features are linearly independent, so with y all weight falls on one of "
            "them; give k, or take more features than samples",
            stacklevel=_validate.caller(),
        )
    inverse, S = half @ half.T, scatter(means, tradeoff)

    def form(affinity: Floats) -> Floats:
        product: Floats = inverse @ affinity @ S
        return (product + product.T) / 2

    return form


def whitening(data: _data.Data) -> Floats:
    """Return ``E D^(-½)``; eigenvalues of 0 are left out."""
    values, axes = np.linalg.eigh(data.adjoint(np.ones(data.n_features), None))
    keep = values > _rank_floor(data) * values[-1]
    half: Floats = axes[:, keep] / np.sqrt(values[keep])
    return half


def scatter(means: Floats, tradeoff: float) -> Floats:
    """Return S, with ``M S Mᵀ = S_B - λ S_W``.

    `means` is an orthonormal basis of the vectors that are constant within every class. It need
    not be centred, because the features are.
    """
    between = means @ means.T
    S: Floats = between - tradeoff * (np.eye(len(between)) - between)
    return S


class Discriminants(qalpha.Energy):
    """The problem ``trace(Qᵀ A_α S A_α Q)``: that of `qalpha`, where J is S. A point is Q."""

    def __init__(self, data: _data.Data, means: Floats, tradeoff: float) -> None:
        super().__init__(data)
        self.half, self.scatter = whitening(data), scatter(means, tradeoff)

    def apply_form(self, image: Floats, point: Floats) -> Floats:
        signed: Floats = self.scatter @ image
        return signed

    def first_dual(self, point: Floats) -> Floats:
        return self.apply_form(super().first_dual(point), point)

    def advance(self, pair: linalg.LeadingPair, point: Floats, width: int) -> Step[Floats]:
        alpha = self.data.forward(pair.dual, point)
        norm = np.linalg.norm(alpha)
        if abs(norm - 1) <= NEARLY:
            alpha /= norm
        affinity = self.data.adjoint(alpha, None)
        basis = self._leading(affinity, width)
        image = affinity @ basis
        signed = self.apply_form(image, basis)
        iterate = Iterate(alpha, basis, image, float(np.vdot(signed, image)))
        return iterate, basis, signed

    def subspace(self, alpha: Floats, width: int) -> Floats:
        return self._leading(self.data.adjoint(alpha, None), width)

    def _leading(self, affinity: Floats, width: int) -> Floats:
        """Return Q of the discriminants that lead at an affinity."""
        images = affinity @ self.half
        count = min(width, images.shape[1])
        vectors = linalg.last_eigenpairs(images.T @ self.scatter @ images, count=count)[1]
        basis: Floats = self.half @ vectors
        return basis


def _rank_floor(data: _data.Data) -> float:
    """Share of the largest eigenvalue of an affinity below which there is no direction."""
    return max(linalg.GRAM_FLOOR, RANK_ROUNDINGS * data.floor)


def _approximate(data: _data.Data, k: int, tol: float) -> tuple[_iterate.Run, float]:
    """Find the leading weights with k directions, until a step changes hardly anything.

    Return their largest error, too, by estimate, over the largest weight.

    The objective then changed by at most the share `tol`, and the weights, whose error counts
    squared in it, by at most the root of `tol`. What rounding leaves of a pass is the least `tol`.
    """
    tol = max(tol, data.floor)
    squares = data.squares
    alpha = np.sqrt(squares) / np.linalg.norm(np.sqrt(squares))
    basis = _data.affinity_subspace(data, alpha, k)
    history: list[float] = []
    while True:
        image = data.adjoint(alpha, basis)
        values, rotation = linalg.largest_modulus(basis.T @ image, k)
        basis, image = basis @ rotation, image @ rotation
        rest, size = _rest(data, alpha, values)
        history.append(float(values @ values + size * rest**2))
        found = data.forward(basis * (values - rest), basis) + rest * squares
        found /= np.linalg.norm(found)
        moved = float(np.linalg.norm(found - alpha))
        rose = history[-1] - history[-2] if len(history) > 1 else np.inf
        converged = moved**2 <= tol and abs(rose) <= tol * history[-1]
        if converged or len(history) == MOST_STEPS:
            break
        alpha, basis = found, linalg.orthonormal(image)
    if not converged:
        warnings.warn(
            f"not converged after {len(history)} steps: raise tol; where no features stand out, "
            "the order of the weights means little",
            stacklevel=_validate.caller(),
        )
    run = _iterate.Run(Iterate(alpha, basis, image, history[-1]), history, converged)
    return run, _error(data, alpha, basis, values)


def _rest(data: _data.Data, alpha: Floats, values: Floats) -> tuple[float, int]:
    """Return the mean of the other eigenvalues, and how many there are."""
    size = data.rank_bound - len(values)
    left = float(np.einsum("i,i", alpha, data.squares)) - values.sum()
    return (max(left / size, 0.0) if size > 0 else 0.0), size


def _error(data: _data.Data, alpha: Floats, basis: Floats, values: Floats) -> float:
    """Estimate the largest error of a weight over the largest weight, by random vectors z.

    The error is ``m_iᵀ R m_i``, R being the affinity less its approximation. Its mean over z is
    ``m_iᵀ R z zᵀ m_i``; chance makes the largest look larger, not smaller.
    """
    rest = _rest(data, alpha, values)[0]
    probes = np.random.default_rng(0).standard_normal((data.n_samples, PROBES))
    known = basis * (values - rest) @ (basis.T @ probes) + rest * probes
    unknown = data.adjoint(alpha, probes) - known
    errors = data.forward(unknown / PROBES, probes)
    found = data.forward(basis * (values - rest), basis) + rest * data.squares
    return float(np.abs(errors).max() / found.max())
