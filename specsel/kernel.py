"""Kernel Q-α: features interact through a kernel (Wolf and Shashua, JMLR 6, 2005, Def. 14).

A kernel maps every feature ``m_i`` to a vector ``φ(m_i)``, of which only inner products are known:
``V_ij = φ(m_i)ᵀ φ(m_j)``, n x n for n features. Let ``A_α = Σ α_i φ(m_i) φ(m_i)ᵀ``, and let Q be
an orthonormal basis of k directions among the mapped features. The weights maximise the energy
``trace(Qᵀ A_α A_α Q) = αᵀ G α`` over Q and over α of unit norm. Row i of the n x k matrix W holds
the scores of feature i on the directions, ``φ(m_i)ᵀ Q``, and ``G = V ∘ W Wᵀ``, where ∘ multiplies
entry by entry.

The default, ascent, climbs on α and Q at once, as in `qalpha`. The paper alternates:

- Given W, α is the leading eigenvector of G.
- Given α, W follows by one step of orthogonal iteration: with ``D = diag(α)``, ``T = V D W`` and
  ``RᵀR = (D W)ᵀ T``, ``W <- T R⁻¹``.

With the linear kernel all this is `qalpha`.

Departures from the paper:

- The paper writes ``Q = MᵀE`` and ``W = V E``, M holding the mapped features as rows. E is never
  needed.
- Step 5 is printed as ``E <- E R⁻¹``, which never leaves the first subspace. What the paper
  derives before it, and what is done here, is ``E <- D V E R⁻¹``.
- R comes from an eigendecomposition that drops null directions, so features may be alike.
- G is never formed. V is the only array of n x n, with two exceptions: the check of a matrix that
  was given, and, up to 2,000 features, the start.
- The start is not random (see `_loop`).
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from specsel import _containers, _data, _kernel, _loop, _runtime, _validate, linalg, qalpha
from specsel._validate import (
    ArrayLike,
    Criterion,
    Directions,
    Floats,
    Init,
    Kernel,
    KernelBasisStep,
    LoopCallback,
    Seed,
)
from specsel.results import Weights

__all__ = ["solve"]

# A polynomial kernel may be as large as 2 to this power: its fourth power is still a number.
LARGEST_EXPONENT = 250

# Unit vectors nearer than this differ by rounding alone.
LEAST_SIGMA = 1e-7


def solve(
    X: ArrayLike,
    k: Directions,
    *,
    kernel: Kernel | Callable[[Floats], Any] = "rbf",
    sigma: float | None = None,
    degree: int = 2,
    offset: float = 1.0,
    sections: int | ArrayLike = 8,
    center: bool = True,
    method: KernelBasisStep = "ascent",
    criterion: Criterion = "energy",
    init: Init | ArrayLike = "continuation",
    n_init: int = 15,
    tol: float = 1e-6,
    max_iter: int = 200,
    random_state: Seed = None,
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
        _validate.check_choice("kernel", kernel, _validate.KERNELS)
    given = kernel == "precomputed"
    array, names = _containers.as_matrix(X, least_samples=1) if given else _containers.as_data(X)
    n_features = array.shape[1]
    _check_parameters(kernel, sigma, degree, offset, sections, array.shape[0])
    if kernel == "linear":
        _loop.check_k(k, min(array.shape), "min(n_samples, n_features)")
    else:
        _loop.check_k(k, n_features, "n_features")
    _validate.check_choice("method", method, _validate.KERNEL_BASIS_STEPS)
    _validate.check_choice("criterion", criterion, _validate.CRITERIA)
    _validate.check_flag("center", center)
    options = _loop.Options.for_weights(
        n_features, k, init, n_init, tol, max_iter, random_state, callback
    )
    features = None  # the mapped features themselves, where they are short
    if given:
        matrix = _kernel.Matrix.given(_kernel.checked(array, n_features), names)
    else:
        _check_size(kernel, *array.shape)
        data = _data.represent(array, names, representation="centered" if center else "as-is")
        if kernel == "linear" and not center:
            options = options.counted(lambda: qalpha.count_centered(data))
        if kernel == "linear" and data.n_samples < n_features:
            features = data.block(slice(None)).T
        entries = _kernel.evaluate(data, kernel, sigma, degree, offset, sections)
        matrix = _kernel.Matrix.of_data(
            data,
            entries,
            rank_bound=data.rank_bound if kernel == "linear" else n_features,
            mean_free=_mean_free(kernel, offset, center),
        )
    problem = PROBLEMS[criterion](matrix)
    if method == "ascent" and criterion == "energy":
        run = _loop.ascend(problem, _space(matrix, k, features), options)
    else:
        finish = problem.refine if method == "ritz" else None
        run = _loop.solve(problem, options, finish=finish)
    return _loop.pack(matrix, run.iterate, run.record)


def _space(matrix: _kernel.Matrix, k: Directions, features: Floats | None) -> _loop.Space:
    """Where the ascent takes place: among vectors if V is known to have a null space."""
    if features is None and matrix.n_features <= linalg.DENSE_LIMIT:
        features = _kernel.factor(matrix, 1 if isinstance(k, str) else k)
    return _kernel.Directions(matrix) if features is None else _kernel.Factored(matrix, features)


def _check_size(kernel: str | Callable[[Floats], Any], n_samples: int, n_features: int) -> None:
    """Refuse more features than there is memory for V."""
    size = 8 * n_features**2
    if callable(kernel) or kernel == "sectioned":
        size += 8 * n_samples * n_features  # all features are dense at once
    advice = "take fewer features, or qalpha, which forms no matrix of features"
    if kernel == "linear":
        advice = "take qalpha, which finds the same weights without it"
    _runtime.check_budget(f"X: the kernel matrix of {n_features} features", size, advice)


def _mean_free(kernel: str | Callable[[Floats], Any], offset: float, center: bool) -> bool | None:
    """Tell whether no leading direction is common to all features; None where V must decide."""
    if not center or (kernel == "poly" and offset > 0):
        return False  # means and offsets are common to all features
    return True if kernel == "linear" else None


def _check_parameters(
    kernel: str | Callable[[Floats], Any],
    sigma: float | None,
    degree: int,
    offset: float,
    sections: Any,
    n_samples: int,
) -> None:
    _validate.check_number("sigma", 1.0 if sigma is None else sigma)
    if sigma is not None and sigma <= 0:
        raise ValueError(f"sigma = {sigma}: must be above 0")
    if sigma is not None and sigma < LEAST_SIGMA:
        raise ValueError(
            f"sigma = {sigma}: must be at least {LEAST_SIGMA:g}; smaller distances are rounding"
        )
    _validate.check_number("offset", offset)
    if offset < 0:
        raise ValueError(f"offset = {offset}: must be at least 0")
    if _validate.check_integer("degree", degree, 1) * math.log2(1 + offset) > LARGEST_EXPONENT:
        raise ValueError(f"degree = {degree}: too large with offset = {offset}")
    if np.ndim(sections) and np.shape(sections) != (n_samples,):
        raise ValueError(f"sections: has shape {np.shape(sections)}; ({n_samples},) is needed")
    if kernel == "sectioned" and not np.ndim(sections):
        _validate.check_integer("sections", sections, 1, n_samples, "n_samples")


class KernelEnergy:
    """The problem ``αᵀ G α`` through V. A place is W, and a dual is the n weights themselves.

    Φ is the identity and J is G.
    """

    def __init__(self, data: _kernel.Matrix) -> None:
        self.data = data

    def product(self, dual: Floats, place: Floats) -> Floats:
        return dual

    def signs(self, image: Floats, place: Floats) -> Floats:
        product: Floats = (place * self.data.product(image[:, None] * place)).sum(axis=1)
        return product

    def enter(self, place: Floats) -> Floats:
        return self.data.varies

    def advance(self, pair: linalg.Leading, place: Floats, width: int) -> _loop.Step[Floats]:
        return self._step(pair.dual, self.narrow(pair.dual, place, width))

    def refine(self, pair: linalg.Leading, place: Floats) -> _loop.Iterate:
        """Return the weights that `pair` stands for at the directions as they are."""
        return self._step(pair.dual, place).iterate

    def _step(self, alpha: Floats, basis: Floats) -> _loop.Step[Floats]:
        image = alpha[:, None] * basis
        product = self.data.product(image)
        iterate = _loop.Iterate(alpha, basis, image, float(np.vdot(image, product)))
        return _loop.Step(iterate, basis, (basis * product).sum(axis=1))

    def narrow(self, alpha: Floats, basis: Floats, width: int) -> Floats:
        """Take one step of orthogonal iteration from the leading Ritz vectors."""
        image = alpha[:, None] * basis
        _, rotation = linalg.largest_modulus(basis.T @ image, width)
        return self.data.orthonormal(image @ rotation)

    def subspace(self, alpha: Floats, width: int) -> Floats:
        """Find the leading directions at weights that are not negative."""
        root, n = np.sqrt(alpha)[:, None], self.data.n_features
        if n <= linalg.DENSE_LIMIT:
            self.data.passes += 1
            scaled = root * self.data.entries * root.T
            vectors = linalg.last_eigenpairs(scaled, count=width)[1]
            return self.data.orthonormal(root * vectors)
        start = np.random.default_rng(0).standard_normal((n, width))
        basis = self.data.orthonormal(root * start)
        for _ in range(linalg.SUBSPACE_PASSES):
            basis = self.narrow(alpha, basis, width)
        return basis

    def lead(self, width: int) -> tuple[Floats, None]:
        return self.subspace(np.ones(self.data.n_features), width), None

    def random(self, generator: np.random.Generator, width: int) -> Floats:
        return self.data.orthonormal(generator.standard_normal((self.data.n_features, width)))

    def given(self, init: ArrayLike, k: int) -> Floats:
        basis = self.subspace(np.asarray(init, dtype=float), k)
        if not basis.any():
            raise ValueError("init: weighs constant features alone; at least one must vary")
        return basis

    def seeds(self) -> Iterator[Floats]:
        """Yield the squared likeness of all features to one, for one after another.

        The feature with the largest weight in the leading eigenvector of ``V ∘ V`` comes first.
        """
        pair = linalg.leading(
            lambda alpha: alpha,
            self.data.varies,
            tol=self.data.floor**2,
            signs=self.data.squared_product,
            floor=self.data.floor,
        )
        for seed in np.argsort(-np.abs(pair.dual), kind="stable"):
            yield self.data.entries[seed] ** 2


class KernelGap(KernelEnergy):
    """The problem ``αᵀ (2 G - V ∘ V) α``; J is ``2 G - V ∘ V``."""

    def signs(self, image: Floats, place: Floats) -> Floats:
        return 2 * super().signs(image, place) - self.data.squared_product(image)

    def _step(self, alpha: Floats, basis: Floats) -> _loop.Step[Floats]:
        step = super()._step(alpha, basis)
        objective = float(2 * step.iterate.objective - alpha @ self.data.squared_product(alpha))
        return step._replace(iterate=step.iterate._replace(objective=objective), start=alpha)


PROBLEMS: dict[Criterion, type[KernelEnergy]] = {"energy": KernelEnergy, "gap": KernelGap}
