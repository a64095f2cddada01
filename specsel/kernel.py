"""Kernel Q-α: features interact through a kernel (Wolf and Shashua, JMLR 6, 2005, Def. 14).

A kernel maps every feature ``m_i`` to a vector ``φ(m_i)``, of which only inner products are known:
``V_ij = φ(m_i)ᵀ φ(m_j)``, n x n for n features. Let ``A_α = Σ α_i φ(m_i) φ(m_i)ᵀ``, and let Q be
an orthonormal basis of k directions among the mapped features. The weights maximise the energy
``trace(Qᵀ A_α A_α Q) = αᵀ G α`` over Q and over α of unit norm. Row i of the n x k matrix W holds
the scores of feature i on the directions, ``φ(m_i)ᵀ Q``, and ``G = V ∘ W Wᵀ``, where ∘ multiplies
entry by entry. The paper writes ``Q = MᵀE`` and ``W = V E``, M holding the mapped features as
rows, and alternates:

- Given W, α is the leading eigenvector of G.
- Given α, E follows by one step of orthogonal iteration, ``E <- D V E R⁻¹`` with ``D = diag(α)``
  and ``RᵀR = Eᵀ V D V D V E``.

Here V is factorised once, ``V = F Fᵀ``. Row i of F is a vector with the inner products of
``φ(m_i)``, so that all this is `qalpha` with the features F, and the ascent of `qalpha` serves.
With the linear kernel it is `qalpha` itself.

Departures from the paper:

- Step 5 is printed as ``E <- E R⁻¹``, which never leaves the first subspace. What the paper
  derives before it, and what is done here, is the step above.
- The factor has as many columns as V has rank, so features may be alike.
- G is never formed. The factor takes the place of V in memory, with three exceptions: the check
  of a matrix that is passed, the gap criterion and the seeded start, which need V as well.
- The start is not random (see `_iterate`).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import prange

from specsel import _containers, _data, _iterate, _runtime, _validate, linalg, qalpha
from specsel._iterate import Iterate, Step
from specsel._runtime import jit, one_thread
from specsel._validate import ArrayLike, Directions, Floats, Init, Integers, LoopCallback, Names
from specsel.results import Weights

__all__ = ["solve"]

# A polynomial kernel may be as large as 2 to this power: its fourth power is still a number.
LARGEST_EXPONENT = 250

# The least width of the rbf kernel: unit vectors nearer than this differ by rounding alone.
LEAST_SIGMA = 1e-7

# How far a matrix may be from symmetric, and its smallest eigenvalue below 0, relative to its
# largest entry and eigenvalue; a few roundings of its type are always allowed.
NEGLIGIBLE = 1e-8

# Squares of products of larger entries, or of smaller ones, are no numbers.
LARGEST = 1e60

# The median distance is taken among this many features. Below ALIKE it counts as 0.
MEDIAN_FEATURES = 1000
ALIKE = 1e-7

# Samples that are read at once, and features in a band of V; a tile of a band stays in cache.
ROW_BLOCK = 128
BAND = 64


def solve(
    X: ArrayLike,
    k: Directions,
    *,
    kernel: _validate.Kernel | Callable[[Floats], Any] = "rbf",
    sigma: float | None = None,
    degree: int = 2,
    offset: float = 1.0,
    sections: int | ArrayLike = 8,
    center: bool = True,
    method: _validate.KernelBasisStep = "ascent",
    criterion: _validate.Criterion = "energy",
    init: Init | ArrayLike = "continuation",
    n_init: int = 15,
    tol: float = 1e-6,
    max_iter: int = 200,
    random_state: _validate.Seed = None,
    callback: LoopCallback = None,
) -> Weights:
    """Weigh features by how well they make the samples cluster, comparing them by a kernel.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map or
        an array of h5py, zarr or Dask. For the precomputed kernel, the matrix V
        itself, of shape (n_features, n_features).
    k : int or "auto"
        Number of leading directions that should carry the structure, about the number of
        clusters; as in `qalpha.solve`. At most n_features; with the linear kernel at most
        min(n_samples, n_features). "auto" counts directions in the space of the kernel. With
        "sectioned", and with "poly" at an offset of 0, these are directions of pairs of clusters,
        of which there are more than clusters.
    kernel : {"linear", "poly", "rbf", "sectioned", "precomputed"} or callable
        What takes the place of the inner product of two features, which are centred and of unit
        norm. "linear": nothing else. "poly": ``(m_i · m_j + offset)^degree``. "rbf":
        ``exp(-|m_i - m_j|² / (2 sigma²))``. "sectioned": the samples are cut into sections, and
        the squared inner products of all sections are summed. "precomputed": X is V. A callable
        takes an array of the features, (n_features, n_samples), and returns V. A V from outside
        must be symmetric and positive semi-definite; to check it takes as much memory again.
    sigma : float, optional
        Width of the rbf kernel. The default is the median distance between features, among at
        most 1,000 evenly spaced ones; or 1 if that is 0.
    degree, offset : int, float
        Of the poly kernel. The degree is at least 1, the offset not negative.
    sections : int or array of shape (n_samples,)
        Of the sectioned kernel: how many successive samples make a section, or a label for every
        sample, equal within a section.
    center : bool
        Subtract the mean of every feature before it is scaled to unit norm.
    method : {"ascent", "power", "ritz"}
        How weights and directions are found, as in `qalpha.solve`.
    criterion : {"energy", "gap"}
        Maximise the energy of the k directions, or that energy less the energy of all others.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_features,)
        Where to start, as in `qalpha.solve`. An array holds weights to start from; none may be
        negative, and not all may be 0.
    n_init, tol, max_iter, random_state, callback
        As in `qalpha.solve`.

    Returns
    -------
    Weights
        See `specsel.results.Weights`. The leading directions live in the space of the kernel. In
        their place `basis`, of shape (n_features, k), holds the scores of the features on them;
        columns beyond the rank are 0. `n_passes` counts reads of V as well as reads of X.

    Examples
    --------
    >>> from specsel import datasets, kernel
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> weights = kernel.solve(data.X, k=3, kernel="poly", degree=2, offset=0)
    >>> sorted(weights.select(5).tolist())
    [0, 1, 2, 3, 4]
    >>> weights.converged
    True

    Your own kernel is a function of all features, which are the rows of its argument:

    >>> import numpy as np
    >>> own = kernel.solve(data.X, k=3, kernel=lambda features: (features @ features.T) ** 2)
    >>> bool(np.allclose(own.alpha, weights.alpha, atol=1e-4))
    True
    """
    if not callable(kernel):
        _validate.check_choice("kernel", kernel, _validate.Kernel)
    is_V = kernel == "precomputed"
    array, names = _containers.as_matrix(X, least_samples=1) if is_V else _containers.as_data(X)
    n_samples, n_features = array.shape
    _check_parameters(kernel, sigma, degree, offset, sections, n_samples)
    most = min(n_samples, n_features) if kernel == "linear" else n_features
    _iterate.check_k(k, most, "min(n_samples, n_features)" if kernel == "linear" else "n_features")
    _validate.check_choice("method", method, _validate.KernelBasisStep)
    _validate.check_choice("criterion", criterion, _validate.Criterion)
    _validate.check_flag("center", center)
    options = _iterate.Options.for_weights(
        n_features, k, init, n_init, tol, max_iter, random_state, callback
    )
    needs_matrix = criterion == "gap" or (options.starts_by_name and init == "seeded")
    data = None
    if is_V:
        V = np.array(_checked(array, n_features))  # a copy: it is overwritten
    else:
        _check_size(kernel, n_samples, n_features, 1 + needs_matrix)
        data = _data.represent(array, names, representation="centered" if center else "as-is")
        if kernel == "linear" and not center:
            options = options.counted(lambda: qalpha.count_centered(data))
        V = _evaluate(data, kernel, sigma, degree, offset, sections)
    mean_free = _is_mean_free(V, kernel, offset, center)
    matrix = V.copy() if needs_matrix else None
    factor, lengths = _factorise(V, 1 if isinstance(k, str) else k)
    kind = KernelEnergy if criterion == "energy" else KernelGap
    problem = kind(factor, lengths, matrix, names, mean_free=mean_free)
    if method == "ascent" and criterion == "energy":
        run = _iterate.ascend(problem, options)
    else:
        finish = problem.refine if method == "ritz" else None
        run = _iterate.alternate(problem, options, finish=finish)
    weights = _iterate.pack(problem.data, run, problem.scores)
    if data is None:
        return weights
    passes = data.passes + weights.n_passes
    return replace(weights, mean=data.mean, norm=data.norm, n_passes=passes)


class KernelEnergy(qalpha.Energy):
    """The problem ``αᵀ G α`` of `qalpha` with the rows of F as features.

    The columns of `factor` are the rows of F at unit norm, `lengths` their norms; `matrix` is V,
    where it is needed as well.
    """

    def __init__(
        self, factor: Floats, lengths: Floats, matrix: Any, names: Names, *, mean_free: bool
    ) -> None:
        self.factor, self.lengths, self.matrix = factor, lengths, matrix
        self.varies = (lengths > 0).astype(float)
        origin: Any = SimpleNamespace(
            norms=lengths, names=names, mean_free=mean_free, lengths=None
        )
        data = _data.Dense.of_factor(factor, origin)
        super().__init__(data.rescaled(np.where(lengths > 0, lengths, 1.0)))
        self.data.count_pass()  # over V, for its factor

    def random(self, generator: np.random.Generator, width: int) -> Floats:
        coefficients = generator.standard_normal((self.data.n_features, width))
        return linalg.orthonormal(self.factor @ (self.lengths[:, None] * coefficients))

    def from_array(self, init: ArrayLike, k: int) -> Floats:
        alpha = np.asarray(init, dtype=float)
        if not alpha[self.lengths > 0].any():
            raise ValueError("init: weighs constant features alone; at least one must vary")
        return self.subspace(alpha, k)

    def seeds(self) -> Iterator[Floats]:
        """Yield the squared likeness of all features to one, for one after another.

        The feature with the largest weight in the leading eigenvector of ``V ∘ V`` comes first.
        """
        if self.matrix is None:
            yield from super().seeds()
            return
        pair = linalg.leading_pair(
            lambda alpha: alpha,
            self.varies,
            tol=self.data.floor**2,
            apply_form=self.squared_product,
            floor=self.data.floor,
        )
        for seed in np.argsort(-np.abs(pair.dual), kind="stable"):
            yield self.matrix[seed] ** 2

    def squared_product(self, alpha: Floats) -> Floats:
        """Compute ``(V ∘ V) α``."""
        self.data.count_pass()
        product: Floats = np.einsum("ij,ij,j->i", self.matrix, self.matrix, alpha)
        return product

    def scores(self, basis: Floats) -> Floats:
        """Compute W, ``F Q``."""
        scores: Floats = self.lengths[:, None] * (self.factor.T @ basis)
        return scores


class KernelGap(KernelEnergy):
    """The problem ``αᵀ (2 G - V ∘ V) α``. Duals are weights: Φ is the identity, J the matrix."""

    def product(self, dual: Floats, point: Floats) -> Floats:
        return dual

    def apply_form(self, image: Floats, point: Floats) -> Floats:
        energy: Floats = self.data.forward(self.data.adjoint(image, point), point)
        return 2 * energy - self.squared_product(image)

    def first_dual(self, point: Floats) -> Floats:
        return self.varies

    def advance(self, pair: linalg.LeadingPair, point: Floats, width: int) -> Step[Floats]:
        image = self.data.adjoint(pair.dual, point)
        return self._step(pair.dual, linalg.narrow(image, point, width))

    def refine(self, pair: linalg.LeadingPair, point: Floats) -> Iterate:
        return self._step(pair.dual, point)[0]

    def _step(self, alpha: Floats, basis: Floats) -> Step[Floats]:
        image = self.data.adjoint(alpha, basis)
        objective = 2 * np.vdot(image, image) - alpha @ self.squared_product(alpha)
        return Iterate(alpha, basis, image, float(objective)), basis, alpha


def _factorise(V: Floats, least: int) -> tuple[Floats, Floats]:
    """Return Fᵀ with columns of unit length, and these lengths, so that ``V = F Fᵀ``.

    Fᵀ overwrites V. It has as many rows as V has rank, or rows of zeros up to the `least` number.
    V is scaled to a unit diagonal first: short features keep their digits beside long ones.
    """
    from scipy.linalg import lapack  # here, for it would make the package slow to import

    lengths = np.sqrt(np.maximum(V.diagonal(), 0.0))
    inverse = np.divide(1.0, lengths, out=np.zeros(len(V)), where=lengths > 0)
    V *= inverse
    V *= inverse[:, None]
    with one_thread():
        _, pivots, rank, _ = lapack.dpstrf(V.T, lower=1, overwrite_a=1)
    factor = V[: max(rank, least)]
    factor[rank:] = 0.0
    for i, row in enumerate(factor[:rank]):
        row[:i] = 0.0  # what was V below the diagonal
        row[pivots - 1] = row.copy()
    return factor, lengths


def _check_size(kernel: Any, n_samples: int, n_features: int, copies: int) -> None:
    """Refuse more features than there is memory for V, so many times."""
    size = copies * 8 * n_features**2
    if callable(kernel) or kernel == "sectioned":
        size += 8 * n_samples * n_features  # all features are dense at once
    advice = "take fewer features, or qalpha, which forms no matrix of features"
    if kernel == "linear":
        advice = "take qalpha, which finds the same weights without it"
    _runtime.check_budget(f"X: the kernel matrix of {n_features} features", size, advice)


def _is_mean_free(V: Floats, kernel: Any, offset: float, center: bool) -> bool:
    """Return whether no leading direction is common to all features."""
    if kernel != "precomputed" and (not center or (kernel == "poly" and offset > 0)):
        return False  # means and offsets are common to all features
    # Where V has no negative entries, a direction is common to all.
    return kernel == "linear" or bool(V.min() < -linalg.RESIDUAL_FLOOR * V.max())


def _check_parameters(
    kernel: str | Callable[[Floats], Any],
    sigma: float | None,
    degree: int,
    offset: float,
    sections: Any,
    n_samples: int,
) -> None:
    if sigma is not None:
        _validate.check_number("sigma", sigma, LEAST_SIGMA)
    _validate.check_number("offset", offset, 0)
    if _validate.check_integer("degree", degree, 1) * math.log2(1 + offset) > LARGEST_EXPONENT:
        raise ValueError(f"degree = {degree}: too large with offset = {offset}")
    if np.ndim(sections) and np.shape(sections) != (n_samples,):
        raise ValueError(f"sections: has shape {np.shape(sections)}; ({n_samples},) is needed")
    if kernel == "sectioned" and not np.ndim(sections):
        _validate.check_integer("sections", sections, 1, n_samples, "n_samples")


def _checked(matrix: ArrayLike, n: int) -> Floats:
    """Return a matrix as float64 if it can be the kernel of n features, and refuse it if not.

    float64 in C or Fortran order is not copied.
    """
    _runtime.check_not_forked()
    entries, _ = _containers.as_matrix(matrix, least_samples=1, name="kernel")
    if entries.shape != (n, n):
        raise ValueError(f"kernel: the matrix has shape {entries.shape}; ({n}, {n}) is needed")
    fault = _fault(entries)
    if fault:
        raise ValueError(f"kernel: the matrix {fault}")
    return np.ascontiguousarray(entries.T if entries.flags.f_contiguous else entries, np.float64)


def _fault(entries: np.ndarray) -> str:
    """Say what keeps a square matrix from being a kernel; "" if nothing does."""
    size = np.abs(entries).max()
    if not np.isfinite(size):
        return "holds NaN or infinity; finite numbers are needed"
    if size == 0:
        return "is 0; at least one feature must vary"
    if not 1 / LARGEST <= float(size) <= LARGEST:
        return (
            f"has a largest entry of {size:.1g}; from {1 / LARGEST:g} to {LARGEST:g} is possible"
        )
    share = max(NEGLIGIBLE, 16 * np.finfo(entries.dtype).eps)
    asymmetry = np.max(entries - entries.T)
    if asymmetry > share * size:
        return f"is not symmetric, mirrored entries differ by {asymmetry:.2g}"
    least = _negative_eigenvalue(entries, share)
    if least < 0:
        return f"is not positive semi-definite, its smallest eigenvalue is {least:.2g}"
    return ""


def _negative_eigenvalue(entries: np.ndarray, share: float) -> float:
    """Return the smallest eigenvalue if it is below -share of the largest, else 0."""
    from scipy.linalg import eigvalsh, lapack

    work = np.array(entries, dtype=np.float64, order="F")
    work[np.diag_indices_from(work)] += share * max(entries.diagonal().max(), 0.0)
    if lapack.dpotrf(work, overwrite_a=1, clean=0)[1] == 0:  # much faster, and enough for most
        return 0.0
    values = eigvalsh(entries)
    return values[0] if values[0] < -share * values[-1] else 0.0


def _evaluate(
    data: _data.Data,
    kernel: str | Callable[[Floats], Any],
    sigma: float | None = None,
    degree: int = 2,
    offset: float = 1.0,
    sections: int | ArrayLike = 8,
) -> Floats:
    """Compute V of standardised data. The rows and columns of constant features are 0.

    The arguments are those of `kernel.solve`.
    """
    data.count_pass()
    if callable(kernel):
        features = np.ascontiguousarray(data.rows(0, data.n_samples).T)
        out = _checked(kernel(features), data.n_features).copy()
    else:
        out = np.zeros((data.n_features, data.n_features))
        if kernel == "sectioned":
            _sectioned(*_in_sections(data.rows(0, data.n_samples), sections), out)
        else:
            _inner_products(data, out)
        rate = 0.0
        if kernel == "rbf":
            sigma = sigma or _median_distance(out, np.flatnonzero(data.norm))
            rate = 1 / max(sigma**2, np.finfo(float).tiny)
        elif kernel != "poly":
            degree, offset = 1, 0.0
        _finish(out, int(degree), float(offset), rate)
    constant = np.flatnonzero(data.norm == 0)
    out[constant] = out[:, constant] = 0.0
    return out


def _inner_products(data: _data.Data, out: Floats) -> None:
    """Add ``M Mᵀ`` to `out` on and below its diagonal, a few samples at a time."""
    from scipy.linalg.blas import dsyrk  # here, for it would make the package slow to import

    for start in range(0, data.n_samples, ROW_BLOCK):
        rows = data.rows(start, start + ROW_BLOCK)
        with one_thread():
            dsyrk(1.0, rows.T, beta=1.0, c=out.T, overwrite_c=1)


def _median_distance(inner: Floats, varying: Integers) -> float:
    """Return the median distance among features that vary, from all inner products."""
    places = np.linspace(0, len(varying) - 1, min(len(varying), MEDIAN_FEATURES)).astype(int)
    chosen = varying[places]
    products = np.concatenate([inner[i, chosen[:order]] for order, i in enumerate(chosen)])
    if len(products) == 0:
        return 1.0
    middle = [(len(products) - 1) // 2, len(products) // 2]
    products.partition(middle)  # the distance falls with the product
    median = float(np.sqrt(np.maximum(2 - 2 * products[middle], 0.0)).mean())
    return median if median > ALIKE else 1.0


def _in_sections(rows: Floats, sections: int | ArrayLike) -> tuple[Floats, Integers]:
    """Sort the samples by section; return them, and where each section begins and ends."""
    if np.ndim(sections) == 0:
        starts = np.arange(0, len(rows), int(np.asarray(sections)))
        return rows, np.append(starts, len(rows))
    _, labels, counts = np.unique(sections, return_inverse=True, return_counts=True)
    return rows[np.argsort(labels, kind="stable")], np.append(0, np.cumsum(counts))


@jit(parallel=True)
def _finish(out, degree, offset, rate):
    """Turn the inner products below the diagonal into kernel values, and mirror them."""
    for part in prange((len(out) + BAND - 1) // BAND):
        first, last = _band(part, len(out))
        for start in range(0, last, BAND):
            stop = min(start + BAND, last)
            _map(out[first:last, start:stop], degree, offset, rate)
            for j in range(start, stop):
                for i in range(first, last):
                    out[j, i] = out[i, j]


@jit(helper=True)
def _map(tile, degree, offset, rate):
    """Apply the Gaussian kernel where `rate` is positive, else the polynomial one."""
    for i in range(tile.shape[0]):
        for j in range(tile.shape[1]):
            if rate > 0:  # between unit vectors 1 - v is half the square of the distance
                tile[i, j] = np.exp(rate * min(tile[i, j] - 1.0, 0.0))
            else:
                tile[i, j] = (tile[i, j] + offset) ** degree


@jit(parallel=True)
def _sectioned(rows, bounds, out):
    """Compute ``out[i, j] = Σ_s (m_i^s · m_j^s)²`` for j ≤ i.

    ``m_i^s`` is feature i in section s, which is rows ``bounds[s]`` to ``bounds[s + 1]``.
    """
    for part in prange((len(out) + BAND - 1) // BAND):
        first, last = _band(part, len(out))
        inner = np.empty(BAND)
        for start in range(0, last, BAND):
            width = min(BAND, last - start)
            for i in range(first, last):
                for section in range(len(bounds) - 1):
                    inner[:] = 0.0
                    for s in range(bounds[section], bounds[section + 1]):
                        for j in range(width):
                            inner[j] += rows[s, i] * rows[s, start + j]
                    for j in range(width):
                        out[i, start + j] += inner[j] * inner[j]


@jit(helper=True)
def _band(part, n):
    """Return the first row of a band and its end.

    Short and long bands alternate, because a thread takes neighbouring ones.
    """
    band = part // 2 if part % 2 == 0 else (n - 1) // BAND - part // 2
    return band * BAND, min((band + 1) * BAND, n)
