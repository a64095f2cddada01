"""Helpers that several algorithms share: eigenpairs, a Krylov method, inverses, QR."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from specsel._runtime import one_thread
from specsel._validate import Bools, Floats, Worth

# Up to this size a symmetric matrix is formed to find its leading subspace.
DENSE_LIMIT = 2000

# Krylov vectors that the buffer takes at first, more than most solves need; those that are kept
# before a restart from the best one; and the most restarts.
KRYLOV_BUFFER = 8
KRYLOV_STEPS = 60
KRYLOV_RESTARTS = 5

# Up to this size all eigenvectors take about as long as the leading ones.
ALL_LIMIT = 256

# The smallest relative residual that rounding in float64 lets an eigenpair reach.
RESIDUAL_FLOOR = 1e-13

# What rounding in float32 leaves of a residual, relative to what it is a residual of.
FLOAT32_FLOOR = 1e-6

# Eigenvalues are sought of matrices whose entries are from 2^-400 to 2^400 times their metric.
MODERATE = 400

# A direction whose eigenvalue in a Gram matrix is below this share of the largest is absent. In a
# Krylov space a larger share would lose digits of the weights.
GRAM_FLOOR, KRYLOV_FLOOR = 1e-11, 1e-12

# How far the weights of a start are from equal ones.
UNEVEN = 0.03

# Block products that find the leading subspace of a matrix that is not formed.
SUBSPACE_PASSES = 4

# Columns that a QR decomposition works on at a time.
QR_BLOCK = 32

# Up to this size a matrix is inverted by its eigenvalues.
INVERSE_LIMIT = 96

Product = Callable[[Floats], Floats]


class LeadingPair(NamedTuple):
    """Leading eigenpair of ``Φ J Φᵀ``; its unit eigenvector is ``Φ dual``."""

    dual: Floats
    image: Floats  # ΦᵀΦ dual
    value: float
    residual: float  # ‖J ΦᵀΦ dual - value dual‖ / ‖value dual‖
    converged: bool
    before: list[Floats]  # duals of the pairs with larger values, largest first


def is_unit(alpha: Floats, floor: float) -> bool:
    """Return whether weights have unit norm, up to rounding that leaves `floor`; NaN is none.

    Weights of a Krylov method have none if its start is in the null space of Φ.
    """
    return bool(abs(np.linalg.norm(alpha) - 1.0) <= np.sqrt(floor))


def generic(shape: tuple[int, ...]) -> Floats:
    """Return a dual that nothing is orthogonal to but by chance; always the same."""
    return np.random.default_rng(0).standard_normal(shape)


def uneven(varies: Bools) -> Floats:
    """Return weights near 1 that no permutation of features or samples leaves alone.

    They are 0 where a feature does not vary. From equal weights of exchangeable features (one-hot
    columns, factorial designs) a Krylov space or an ascent never finds weights that tell them
    apart.
    """
    alpha: Floats = varies.astype(float)
    alpha[varies] += UNEVEN * generic((int(varies.sum()),))
    return alpha


def leading_pair(
    product: Product,
    start: Floats,
    *,
    tol: float,
    apply_form: Product | None = None,
    floor: float = RESIDUAL_FLOOR,
    index: int = 1,
) -> LeadingPair:
    """Find the leading eigenpair of ``Φ J Φᵀ`` from products with ``K = ΦᵀΦ`` alone.

    The largest eigenvalue leads, not the largest modulus. Φ is features × duals, and J is a
    symmetric matrix, often diagonal with signs. The method is Rayleigh-Ritz for ``Φ b`` with b in
    the Krylov space of ``J K``. A step takes one product, that is one pass over the data, and the
    value is an exact Rayleigh quotient whatever the signs in J.

    The Krylov basis is orthonormal in the plain sense, each vector orthogonalised twice against
    all before it. The inner product of K, in which ``J K`` is symmetric, would not do: what
    rounding leaves in the null space of K would grow without bound.

    Parameters
    ----------
    product : callable
        ``B -> ΦᵀΦ B`` for arrays of the shape of `start`.
    start : ndarray
        ``J Φᵀ α`` for the best weights α known.
    tol : float
        Stop when further steps can raise the eigenvalue by no more than this share of it.
    apply_form : callable, optional
        ``P -> J P``; the identity by default.
    floor : float
        The smallest relative residual that the rounding of `product` lets a pair reach.
    index : int
        Which pair is wanted: 1 is the leading one; 2 the second, with the first in `before`.

    Examples
    --------
    >>> import numpy as np
    >>> phi = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> pair = leading_pair(lambda b: phi.T @ (phi @ b), np.ones(2), tol=1e-12)
    >>> round(float(pair.value), 9), bool(np.allclose(np.abs(phi @ pair.dual), [1, 0, 0]))
    (4.0, True)
    """
    for _ in range(KRYLOV_RESTARTS):
        pair = _krylov(product, start, tol, apply_form, floor, index)
        if pair.converged:
            break
        start = pair.dual
    return pair


def _krylov(
    product: Product,
    start: Floats,
    tol: float,
    apply_form: Product | None,
    floor: float,
    index: int,
) -> LeadingPair:
    """Build one Krylov space, until the pair has converged or the space is full."""
    shape = start.shape
    rows = np.empty((3, KRYLOV_BUFFER, start.size))  # duals, images, and images by the form
    gram, form = np.empty((2, KRYLOV_STEPS, KRYLOV_STEPS))
    vector = start.ravel() / max(np.linalg.norm(start), np.finfo(float).tiny)
    for step in range(KRYLOV_STEPS):
        image = product(vector.reshape(shape))
        if step == rows.shape[1]:
            rows, shorter = np.empty((3, 2 * step, start.size)), rows
            rows[:, :step] = shorter
        formed = image if apply_form is None else apply_form(image)
        rows[0, step], rows[1, step], rows[2, step] = vector, image.ravel(), formed.ravel()
        duals, images, signed = rows[:, : step + 1]
        known, new = slice(step + 1), slice(step, step + 1)
        for table, left, right in ((gram, duals, images), (form, images, signed)):
            table[known, new] = _products(left, right[new])
            table[new, known] = _products(left[new], right)
        values, vectors = _ritz(gram[known, known], form[known, known], floor)
        last = min(index, len(values))
        value, weights, scale = values[-last], vectors[:, -last], np.abs(values).max()
        dual = _combination(weights, duals)
        change = _combination(weights, signed) - value * dual
        size = scale * np.linalg.norm(dual)
        residual = np.linalg.norm(change) / size if size > 0 else 0.0
        image = _combination(weights, images).reshape(shape)
        # What is still to be gained is the squared residual over the distance to the next value.
        distance = value - values[-last - 1] if len(values) > last else 0.5 * scale
        done = residual <= floor or residual**2 * scale**2 <= tol * distance * abs(value)
        # With signs, a vector near a large negative value must not pass for the leading one.
        done = done and last == index and (value >= 0 or apply_form is None)
        for _ in range(2):
            overlaps = _products(duals, change[None, :])[:, 0]
            change -= _combination(overlaps, duals)
        norm = np.linalg.norm(change)
        done = done or norm <= floor * size
        if done:
            break
        vector = change / norm
    before = [_combination(vectors[:, -i], duals).reshape(shape) for i in range(1, last)]
    return LeadingPair(dual.reshape(shape), image, value, residual, done, before)


# These two avoid BLAS, whose threads compete with those of the passes for milliseconds; that made
# small problems three times slower.
_products = partial(np.einsum, "in,jn->ij")
_combination = partial(np.einsum, "i,in->n")


def _ritz(gram: Floats, form: Floats, floor: float) -> tuple[Floats, Floats]:
    """Eigenvalues of ``form x = t gram x``, ascending, and their vectors.

    Directions in which the Gram matrix is zero, up to rounding that leaves `floor`, are left out.
    """
    with one_thread(len(gram)):
        scales, axes = np.linalg.eigh((gram + gram.T) / 2)
    keep = scales > max(KRYLOV_FLOOR, floor) * max(scales[-1], 0.0)
    if not keep.any():
        return np.zeros(1), np.zeros((len(gram), 1))
    axes = axes[:, keep] / np.sqrt(scales[keep])
    with one_thread(len(gram)):
        values, vectors = np.linalg.eigh(axes.T @ (form + form.T) @ axes / 2)
    return values, axes @ vectors


def inverse(matrix: Floats) -> Floats:
    """Invert a positive definite matrix; the result is symmetric to the last bit."""
    if len(matrix) <= INVERSE_LIMIT:
        values, vectors = eigen(matrix)
        roots = vectors / np.sqrt(values)
        return _products(roots, roots)
    from scipy.linalg import lapack  # here, for it would make the package slow to import

    with one_thread(len(matrix)):
        factor, _ = lapack.dpotrf(matrix, lower=1)
        lower: Floats = np.tril(lapack.dpotri(factor, lower=1)[0])
    return lower + np.tril(lower, -1).T


def eigen(symmetric: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix."""
    from scipy.linalg import LinAlgError, eigh  # here, for it would slow the import down

    with one_thread(len(symmetric)):
        try:
            values, vectors = eigh(symmetric, check_finite=False)
        except LinAlgError:  # the default driver can fail where many eigenvalues are equal
            values, vectors = eigh(symmetric, check_finite=False, driver="evd")
    return values, vectors


def solve_upper(upper: Floats, right: Floats, *, transposed: bool = False) -> Floats:
    """Return ``upper⁻¹ right``, or ``upper⁻ᵀ right``."""
    from scipy.linalg import solve_triangular  # here, for it would slow the import down

    with one_thread():
        solution: Floats = solve_triangular(
            upper, right, trans=int(transposed), check_finite=False
        )
    return solution


def last_eigenpairs(
    symmetric: Floats, metric: Floats | None = None, count: int = 1
) -> tuple[Floats, Floats]:
    """Return the `count` largest eigenvalues, ascending, and their eigenvectors.

    With a `metric`, a positive definite matrix, they are those of the pair of matrices.
    """
    from scipy.linalg import LinAlgError, eigh  # here, for it would slow the import down

    size, exponent = len(symmetric), int(np.frexp(np.abs(symmetric).max())[1])
    if metric is not None:
        exponent -= int(np.frexp(np.abs(metric).max())[1])
    if abs(exponent) > MODERATE and symmetric.any():  # LAPACK loses eigenvalues as small as these
        values, vectors = last_eigenpairs(np.ldexp(symmetric, -exponent), metric, count)
        return np.ldexp(values, exponent), vectors
    with one_thread(size):
        with suppress(LinAlgError):
            values, vectors = eigh(symmetric, metric, subset_by_index=[size - count, size - 1])
            if len(values) == count:
                return values, vectors
        # Where many eigenvalues are equal, the driver for some of them may fail, or return fewer.
        values, vectors = eigh(symmetric, metric, driver="evd" if metric is None else "gvd")
    return values[-count:], vectors[:, -count:]


def worth(eigenvalues: Floats, criterion: Worth) -> float:
    """Return what the eigenvalues of a pencil, ascending, are worth by a criterion."""
    if criterion == "leading":
        return float(eigenvalues[-1])
    if criterion == "trace":
        return float(eigenvalues.sum())
    return float(np.log1p(np.maximum(eigenvalues, 0.0)).sum())  # below 0 by rounding alone


def orthonormal(matrix: Floats) -> Floats:
    """Orthonormal basis of the span of the columns, by QR."""
    with one_thread(len(matrix)):
        return np.linalg.qr(matrix)[0]


def triangle(columns: Floats, *, overwrite: bool = False) -> Floats:
    """Return R of a QR decomposition. Columns in Fortran order may be overwritten."""
    from scipy.linalg import lapack  # here, for it would make the package slow to import

    width = columns.shape[1]
    with one_thread(len(columns)):
        factors = lapack.dgeqrf(columns, lwork=QR_BLOCK * width, overwrite_a=overwrite)[0]
    return np.triu(factors[:width])


def signed_qr(columns: Floats, *, overwrite: bool = False) -> tuple[Floats, Floats]:
    """Return Q and R of a QR decomposition in which no number on the diagonal of R is negative.

    Columns in Fortran order may be overwritten by Q; this takes no more memory.
    """
    from scipy.linalg import lapack  # here, for it would make the package slow to import

    d, width = columns.shape
    size, length = min(d, width), QR_BLOCK * width
    factors, tau, *_ = lapack.dgeqrf(columns, lwork=length, overwrite_a=overwrite)
    signs = np.where(factors.diagonal() < 0, -1.0, 1.0)
    upper = np.where(_is_upper(size, width), factors[:size], 0.0)
    frame: Floats = lapack.dorgqr(factors[:, :size], tau, lwork=length, overwrite_a=True)[0]
    frame *= signs
    return frame, upper * signs[:, None]


@cache
def _is_upper(height: int, width: int) -> Bools:
    """Return where a triangular factor has numbers; there are a few sizes in a solve."""
    return np.tri(width, height, dtype=bool).T


def largest_modulus(symmetric: Floats, k: int) -> tuple[Floats, Floats]:
    """Return the k eigenvalues of largest modulus, largest first, and their eigenvectors."""
    from scipy.linalg import lapack  # here, for it would make the package slow to import

    with one_thread(len(symmetric)):
        values, vectors, failed = lapack.dsyevd((symmetric + symmetric.T) / 2)
    if failed:  # of numbers that are not finite, which the check of the result reports
        values, vectors = np.full_like(values, np.nan), np.full_like(vectors, np.nan)
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    return values[order], vectors[:, order]


def top_eigenpairs(
    product: Callable[[Floats | None], Floats],
    size: int,
    k: int,
    start: Floats | None = None,
    *,
    positive: bool = False,
) -> tuple[Floats, Floats]:
    """Find the k leading eigenvalues, by modulus, of a symmetric matrix, and their eigenvectors.

    `product` maps a basis to its image, and None to the matrix itself. Up to the size
    `DENSE_LIMIT` the result is exact, and where k is so large that the approximation would span
    everything. Else the matrix is not formed, and the result is approximate: Rayleigh-Ritz in the
    block Krylov space of a few products, which begins with `start` or with a fixed random basis.
    `positive` says that the matrix is positive semi-definite, which makes large ones faster.
    """
    if size <= max(DENSE_LIMIT, SUBSPACE_PASSES * k):
        if positive and size > ALL_LIMIT:
            values, vectors = last_eigenpairs(product(None), count=k)
            return values[::-1], vectors[:, ::-1]
        return largest_modulus(product(None), k)
    if start is None:
        start = np.random.default_rng(0).standard_normal((size, k))
    known, images = np.empty((2, size, 0))
    block = start
    for _ in range(SUBSPACE_PASSES):
        for _ in range(2):
            block = orthonormal(block - known @ (known.T @ block))
        known = np.hstack((known, block))
        block = product(block)
        images = np.hstack((images, block))
    values, rotation = largest_modulus(known.T @ images, k)
    return values, known @ rotation


def narrow(image: Floats, basis: Floats, width: int) -> Floats:
    """Narrow the basis Q to a width, by a step of orthogonal iteration.

    With U the leading eigenvectors of ``Qᵀ A Q`` and ``image = A Q``, the result is an
    orthonormal basis of ``A Q U``.
    """
    _, rotation = largest_modulus(basis.T @ image, width)
    return orthonormal(image @ rotation)
