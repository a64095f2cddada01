"""Kernel Q-α: features interact through a kernel (Wolf and Shashua, JMLR 6, 2005, Def. 14).

A feature ``m_i`` is mapped to ``φ(m_i)``, known through the n x n matrix V of inner products.
With ``A_α = Σ α_i φ(m_i) φ(m_i)ᵀ`` and an orthonormal Q of k directions among what is mapped,
maximise ``trace(Qᵀ A_α A_α Q) = αᵀ G α`` over unit α and Q, where ``G = V ∘ W Wᵀ`` and row i of
the n x k ``W`` holds the scores of feature i on the directions. Given W, α is the leading
eigenvector of G. Given α, with ``D = diag(α)``, one step of orthogonal iteration:
``T = V D W``, ``RᵀR = (D W)ᵀ T``, ``W <- T R⁻¹``. With the linear kernel all this is `qalpha`.

Departures. The paper writes ``Q = MᵀE``, ``W = V E``; E is never needed. Step 5 is printed as
``E <- E R⁻¹``, which never leaves the first subspace; what is derived before it, and done here, is
``E <- D V E R⁻¹``. R comes from an eigendecomposition that drops null directions, so features may
be alike. G is never formed: V is the only n x n array, but for the check of one that was given
and, up to 2,000 features, for the start, which is not random (see `alternate`).
"""

import math

import numpy as np
from numba import prange

from specsel import _data, _input, _loop, linalg, qalpha
from specsel.linalg import jit
from specsel.results import Weights

__all__ = ["solve"]

# Features among which the median distance is taken, and the distance below which they are alike.
MEDIAN_FEATURES = 1000
ALIKE = 1e-7

# A given matrix may be asymmetric, or its smallest eigenvalue negative, by this share; or by a few
# roundings of its type.
NEGLIGIBLE = 1e-8

# The largest power of 2 that a polynomial kernel may reach: its fourth power must be a number.
LARGEST_EXPONENT = 250

# Samples read at once, and features in a band of V, the height of a tile that stays in cache.
ROW_BLOCK = 128
BAND = 64


@jit(parallel=True)
def _finish(out, degree, offset, rate):
    """Map the inner products below the diagonal to a kernel, and mirror them."""
    for part in prange((len(out) + BAND - 1) // BAND):
        first, last = _band(part, len(out))
        for start in range(0, last, BAND):
            stop = min(start + BAND, last)
            _map(out[first:last, start:stop], degree, offset, rate)
            for j in range(start, stop):
                for i in range(first, last):
                    out[j, i] = out[i, j]


@jit
def _map(tile, degree, offset, rate):
    """A Gaussian kernel where `rate` is positive, else a polynomial one."""
    for i in range(tile.shape[0]):
        for j in range(tile.shape[1]):
            if rate > 0:  # between unit vectors 1 - v is half the square of the distance
                tile[i, j] = np.exp(rate * min(tile[i, j] - 1.0, 0.0))
            else:
                tile[i, j] = (tile[i, j] + offset) ** degree


@jit(parallel=True)
def _sectioned(rows, bounds, out):
    """``out[i, j] = Σ_s (m_i^s · m_j^s)²`` for j ≤ i, section s being rows bounds[s] to [s+1]."""
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


@jit
def _band(part, n):
    """First and last row of a band; short and long ones alternate, for threads take neighbours."""
    band = part // 2 if part % 2 == 0 else (n - 1) // BAND - part // 2
    return band * BAND, min((band + 1) * BAND, n)


def solve(
    X,
    k,
    *,
    kernel="rbf",
    sigma=None,
    degree=2,
    offset=1.0,
    sections=8,
    center=True,
    criterion="energy",
    init="continuation",
    n_init=15,
    tol=1e-6,
    max_iter=200,
    random_state=None,
    callback=None,
) -> Weights:
    """Weigh features by how well they make the samples cluster, compared by a kernel.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers in any memory order, or a data frame; for the precomputed kernel the matrix
        V itself, of shape (n_features, n_features).
    k : int or "auto"
        Number of leading directions that should carry the structure, as in `qalpha.solve`.
        At most n_features; with the linear kernel at most min(n_samples, n_features). "auto"
        counts directions in the space of the kernel. With "sectioned", and "poly" with an offset
        of 0, they are pairs of clusters, of which there are more.
    kernel : {"linear", "poly", "rbf", "sectioned", "precomputed"} or callable
        What replaces the inner product of two features, centred and of unit norm: nothing;
        ``(m_i · m_j + offset)^degree``; ``exp(-|m_i - m_j|² / (2 sigma²))``; the sum of the
        squared inner products of their sections; or a function that takes an array of the
        features, (n_features, n_samples), and returns all of V. A matrix that is given must be
        symmetric and positive semi-definite; its check needs a second one for a while.
    sigma : float, optional
        By default the median distance among at most 1,000 evenly spaced features, or 1 if it is 0.
    degree, offset : int, float
        Of the poly kernel; the degree is at least 1, the offset not negative.
    sections : int or array of shape (n_samples,)
        Number of successive samples in a section, or a label of its section for every sample.
    center : bool
        Subtract the mean of every feature before it is scaled to unit norm.
    criterion : {"energy", "gap"}
        Maximise the energy of k directions, or that energy less the energy of all others.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_features,)
        Start, as in `qalpha.solve`; an array is weights to start from, none of them negative and
        not all of them 0.
    n_init, tol, max_iter, random_state, callback
        As in `qalpha.solve`.

    Returns
    -------
    Weights
        See `specsel.results.Weights`. The leading directions live in the space of the kernel; in
        their place `basis`, of shape (n_features, k), holds the scores of the features on them,
        columns past the rank being 0. `n_passes` counts the reads of V as well as those of X.

    Examples
    --------
    >>> from specsel import datasets, kernel
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> weights = kernel.solve(data.X, k=3, kernel="poly", degree=2, offset=0)
    >>> sorted(weights.select(5).tolist())
    [0, 1, 2, 3, 4]
    >>> weights.converged
    True

    A kernel of one's own is a function of all features, the rows of its argument:

    >>> import numpy as np
    >>> own = kernel.solve(data.X, k=3, kernel=lambda features: (features @ features.T) ** 2)
    >>> bool(np.allclose(own.alpha, weights.alpha, atol=1e-4))
    True
    """
    if not callable(kernel):
        _input.check_choice("kernel", kernel, _input.choices.KERNELS)
    array, names = _input.as_matrix(X, least_samples=1 if kernel == "precomputed" else 2)
    n_features = array.shape[1]
    _check_parameters(kernel, sigma, degree, offset, sections, len(array))
    if kernel == "linear":
        _loop.check_k(k, min(array.shape), "min(n_samples, n_features)")
    else:
        _loop.check_k(k, n_features, "n_features")
    _input.check_choice("criterion", criterion, _input.choices.CRITERIA)
    _input.check_flag("center", center)
    options = {"n_init": n_init, "tol": tol, "max_iter": max_iter}
    options |= {"random_state": random_state, "callback": callback}
    _loop.check_weights_start(n_features, init, **options)
    if kernel == "precomputed":
        matrix = Matrix(_checked(array, n_features), names)
    else:
        data = _data.represent(array, names, representation="centered" if center else "as-is")
        if kernel == "linear" and k == "auto" and not center:
            k = qalpha.count_centered(data)
        matrix = Matrix(evaluate(data, kernel, sigma, degree, offset, sections), names, data)
        if not center or (kernel == "poly" and offset > 0):
            matrix.mean_free = False  # means and offsets are common to all features
        elif kernel == "linear":
            matrix.mean_free = True
        matrix.rank_bound = data.rank_bound if kernel == "linear" else n_features
    problem = PROBLEMS[criterion](matrix)
    if not isinstance(init, str):
        _loop.check_auto_start(k, init)
        init = problem.subspace(np.asarray(init, dtype=float), k)
    state, record = _loop.solve(problem, k, init=init, **options)
    return _loop.pack(matrix, state, record)


def evaluate(data, kernel, sigma=None, degree=2, offset=1.0, sections=8) -> np.ndarray:
    """V of standardised data; the rows and columns of constant features are 0."""
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


def _inner_products(data, out):
    """Add ``M Mᵀ`` to `out` on and below its diagonal, a few samples at a time."""
    from scipy.linalg.blas import dsyrk  # here, for it would make the package slow to import

    for start in range(0, data.n_samples, ROW_BLOCK):
        rows = data.rows(start, start + ROW_BLOCK)
        dsyrk(1.0, rows.T, beta=1.0, c=out.T, overwrite_c=1)


def _median_distance(inner, varying):
    places = np.linspace(0, len(varying) - 1, min(len(varying), MEDIAN_FEATURES)).astype(int)
    chosen = varying[places]
    products = np.concatenate([inner[i, chosen[:order]] for order, i in enumerate(chosen)])
    distances = np.sqrt(np.maximum(2 - 2 * products, 0.0))
    median = float(np.median(distances)) if len(distances) else 0.0
    return median if median > ALIKE else 1.0


def _in_sections(rows, sections):
    """Rows with those of a section together, and where each section begins and ends."""
    if np.ndim(sections) == 0:
        return rows, np.append(np.arange(0, len(rows), sections), len(rows))
    _, labels, counts = np.unique(sections, return_inverse=True, return_counts=True)
    return rows[np.argsort(labels, kind="stable")], np.append(0, np.cumsum(counts))


def _checked(matrix, n):
    """View a matrix as float64, once it has been found fit to be a kernel of n features."""
    entries, _ = _input.as_matrix(matrix, least_samples=1, name="kernel")
    if entries.shape != (n, n):
        raise ValueError(f"kernel: the matrix has shape {entries.shape}; ({n}, {n}) is needed")
    fault = _fault(entries)
    if fault:
        raise ValueError(f"kernel: the matrix {fault}")
    return np.ascontiguousarray(entries.T if entries.flags.f_contiguous else entries, np.float64)


def _fault(entries):
    """What keeps a square matrix from being a kernel, if anything does."""
    size = np.abs(entries).max()
    if not np.isfinite(size):
        return "holds NaN or infinity; finite numbers are needed"
    if size == 0:
        return "is 0; at least one feature must vary"
    share = max(NEGLIGIBLE, 16 * np.finfo(entries.dtype).eps)
    asymmetry = np.max(entries - entries.T)
    if asymmetry > share * size:
        return f"is not symmetric, mirrored entries differ by {asymmetry:.2g}"
    least = _negative_eigenvalue(entries, share)
    if least < 0:
        return f"is not positive semi-definite, its smallest eigenvalue is {least:.2g}"
    return ""


def _negative_eigenvalue(entries, share):
    """Return the smallest eigenvalue if it is below -share of the largest, else 0."""
    from scipy.linalg import eigvalsh, lapack

    work = np.array(entries, dtype=np.float64, order="F")
    work[np.diag_indices_from(work)] += share * max(entries.diagonal().max(), 0.0)
    if lapack.dpotrf(work, overwrite_a=1, clean=0)[1] == 0:  # much faster, and most often enough
        return 0.0
    values = eigvalsh(entries)
    return values[0] if values[0] < -share * values[-1] else 0.0


def _check_parameters(kernel, sigma, degree, offset, sections, n_samples):
    _input.check_number("sigma", 1.0 if sigma is None else sigma)
    if sigma is not None and sigma <= 0:
        raise ValueError(f"sigma = {sigma}: must be above 0")
    _input.check_number("offset", offset)
    if offset < 0:
        raise ValueError(f"offset = {offset}: must be at least 0")
    if _input.check_integer("degree", degree, 1) * math.log2(1 + offset) > LARGEST_EXPONENT:
        raise ValueError(f"degree = {degree}: too large with offset = {offset}")
    if np.ndim(sections) and np.shape(sections) != (n_samples,):
        raise ValueError(f"sections: has shape {np.shape(sections)}; ({n_samples},) is needed")
    if kernel == "sectioned" and not np.ndim(sections):
        _input.check_integer("sections", sections, 1, n_samples, "n_samples")


class Matrix:
    """V, and what the outer loop and the result ask of the features behind it."""

    def __init__(self, entries, names, data=None):
        self.entries, self.names, self.n_features = entries, names, len(entries)
        self.varies = (entries.diagonal() > 0).astype(float)
        self.mean = data.mean if data else np.zeros(self.n_features)
        self.norm = data.norm if data else self.varies
        self.passes = data.passes if data else 0
        self.rank_bound, self.floor = self.n_features, linalg.RESIDUAL_FLOOR
        # Where no entry is negative a direction is common to all features.
        self.mean_free = entries.min() < -self.floor * entries.max()

    def joined(self, alpha):
        """Weights of the columns: a column is a feature."""
        return alpha

    def product(self, columns):
        """``V columns``."""
        self.passes += 1
        return self.entries @ columns

    def squared_product(self, alpha):
        """``(V ∘ V) α``."""
        self.passes += 1
        return np.einsum("ij,ij,j->i", self.entries, self.entries, alpha)

    def orthonormal(self, coefficients):
        """Scores on an orthonormal basis of what ``Mᵀ coefficients`` span; 0 on null directions.

        Directions are brought to one length before roots are taken, or short ones lose digits.
        """
        image = self.product(coefficients)
        square = coefficients.T @ image
        rounding = self.floor * self.entries.trace() * (coefficients**2).sum(axis=0)
        lengths = np.where(square.diagonal() > rounding, square.diagonal(), np.inf) ** 0.5
        values, axes = np.linalg.eigh(square / np.outer(lengths, lengths))
        roots = np.where(values > linalg.GRAM_FLOOR, values, np.inf) ** 0.5
        return image @ (axes / np.outer(lengths, roots))


class KernelEnergy(qalpha.Energy):
    """The products of ``αᵀ G α`` through V; a basis is W, and Lanczos runs on n weights."""

    def product(self, vector, basis):
        return vector

    def signs(self, image, basis):
        """``G α``."""
        return (basis * self.data.product(image[:, None] * basis)).sum(axis=1)

    def enter(self, basis):
        return self.data.varies

    def advance(self, pair, basis, width):
        alpha = pair.dual
        basis = self.narrow(alpha, basis, width)
        image = alpha[:, None] * basis
        product = self.data.product(image)
        start, objective = (basis * product).sum(axis=1), np.vdot(image, product)
        return _loop.State(alpha, basis, image, start, objective)

    def narrow(self, alpha, basis, width):
        """One step of orthogonal iteration from the leading Ritz vectors."""
        image = alpha[:, None] * basis
        _, rotation = linalg.largest_modulus(basis.T @ image, width)
        return self.data.orthonormal(image @ rotation)

    def subspace(self, alpha, width):
        """Leading basis at weights that are not negative; see `linalg.affinity_subspace`."""
        root, n = np.sqrt(alpha)[:, None], self.data.n_features
        if n <= linalg.DENSE_LIMIT:
            from scipy.linalg import eigh

            self.data.passes += 1
            scaled = root * self.data.entries * root.T
            vectors = eigh(scaled, subset_by_index=(n - width, n - 1), overwrite_a=True)[1]
            return self.data.orthonormal(root * vectors)
        start = np.random.default_rng(0).standard_normal((n, width))
        basis = self.data.orthonormal(root * start)
        for _ in range(linalg.SUBSPACE_PASSES):
            basis = self.narrow(alpha, basis, width)
        return basis

    def random(self, generator, k):
        return self.data.orthonormal(generator.standard_normal((self.data.n_features, k)))

    def given(self, init):
        """Basis that followed from the weights that the user gave."""
        if not init.any():
            raise ValueError("init: weighs constant features alone; at least one must vary")
        return init

    def seeds(self):
        step, floor = self.data.squared_product, self.data.floor
        start, options = self.data.varies, {"tol": floor**2, "floor": floor}
        pair = linalg.leading(lambda alpha: alpha, start, signs=step, **options)
        for seed in np.argsort(-np.abs(pair.dual), kind="stable"):
            yield self.data.entries[seed] ** 2


class KernelGap(KernelEnergy):
    """The products of ``αᵀ (2 G - V∘V) α``."""

    def signs(self, image, basis):
        return 2 * super().signs(image, basis) - self.data.squared_product(image)

    def advance(self, pair, basis, width):
        state = super().advance(pair, basis, width)
        whole = state.alpha @ self.data.squared_product(state.alpha)
        return state._replace(start=state.alpha, objective=2 * state.objective - whole)


PROBLEMS = {"energy": KernelEnergy, "gap": KernelGap}
