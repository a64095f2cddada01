"""The numerical helpers that several algorithms share.

The jit policy, a Krylov method for the leading weights, subspaces of symmetric matrices, the
factor that replaces tall data, and pivoted selection. Nothing here imports an algorithm.
"""

import os
from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numba import prange

# No "nnan" or "ninf": a NaN in the data must reach the check that reports it.
SAFE_FAST_MATH = {"nsz", "arcp", "contract", "afn", "reassoc"}

# Up to this many samples (after tall data are reduced) a samples x samples matrix is formed.
DENSE_LIMIT = 2000

# Krylov vectors kept before a restart from the best one, and restarts.
KRYLOV_STEPS = 60
KRYLOV_RESTARTS = 5

# The smallest relative residual that rounding in float64 lets a pair reach, and the share of the
# largest eigenvalue of a Gram matrix below which a direction counts as absent.
RESIDUAL_FLOOR = 1e-13
GRAM_FLOOR = 1e-11

# Passes that find the leading subspace of a matrix that is not formed.
SUBSPACE_PASSES = 4

# Size up to which matrices are decomposed and inverted without threads.
SCHUR_LIMIT = 96

# Entries of a matrix that several threads update sooner than one.
PARALLEL_SIZE = 10**5


def jit(function=None, *, parallel=False):
    """Compile lazily, as everything here is compiled.

    The compiled code is cached on disk where a folder is writable; ``SPECSEL_CACHE=0`` in the
    environment turns that off.
    """
    if function is None:
        return lambda decorated: jit(decorated, parallel=parallel)
    options = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": SAFE_FAST_MATH,
        "parallel": parallel,
    }
    cache = os.environ.get("SPECSEL_CACHE", "1") != "0"
    try:
        return numba.njit(cache=cache, **options)(function)
    except RuntimeError:  # numba found no folder that it may write to
        return numba.njit(cache=False, **options)(function)


class Leading(NamedTuple):
    """Leading eigenpair of ``Φ J Φᵀ``: ``Φ dual`` is the unit eigenvector."""

    dual: np.ndarray
    image: np.ndarray  # ΦᵀΦ dual
    value: float
    residual: float  # relative, of J ΦᵀΦ dual = value dual
    converged: bool
    before: list  # duals of the pairs with larger values, largest first


def leading(
    product: Callable,
    start: np.ndarray,
    *,
    tol: float,
    signs: Callable | None = None,
    floor: float = RESIDUAL_FLOOR,
    place: int = 1,
) -> Leading:
    """Leading eigenpair of ``Φ J Φᵀ`` from products with ``K = ΦᵀΦ`` alone.

    Rayleigh-Ritz for ``Φ b`` with b in the Krylov space of ``J K``, one product a step, which is
    one pass over the data. The value is thus an exact Rayleigh quotient, whatever the signs in J.
    The basis is orthonormal in the plain sense, every vector orthogonalised twice against all
    before it: in the inner product of K, in which ``J K`` is symmetric, what rounding leaves in
    the null space of K grows without bound.

    Parameters
    ----------
    product : callable
        ``B -> ΦᵀΦ B`` for arrays of the shape of `start`.
    start : ndarray
        ``J Φᵀ α`` for the best weights known.
    tol : float
        Stop when further steps can raise the eigenvalue by no more than this share of it.
    signs : callable, optional
        ``P -> J P``; the identity by default.
    floor : float
        The smallest relative residual that the rounding of `product` lets a pair reach.
    place : int
        Of the pair that is wanted: 2 is the second, with the first in `before`.
    """
    for _ in range(KRYLOV_RESTARTS):
        pair = _krylov(product, start, tol, signs, floor, place)
        if pair.converged:
            break
        start = pair.dual
    return pair


def _krylov(product, start, tol, signs, floor, place):
    """Build one Krylov space, until it has given what it can or is full."""
    shape = start.shape
    duals, images, signed = np.empty((3, KRYLOV_STEPS, start.size))
    gram, form = np.empty((2, KRYLOV_STEPS, KRYLOV_STEPS))
    vector = start.ravel() / max(np.linalg.norm(start), np.finfo(float).tiny)
    for step in range(KRYLOV_STEPS):
        image = product(vector.reshape(shape))
        duals[step], images[step] = vector, image.ravel()
        signed[step] = image.ravel() if signs is None else signs(image).ravel()
        known, new = slice(step + 1), slice(step, step + 1)
        for table, left, right in ((gram, duals, images), (form, images, signed)):
            table[known, new] = _products(left[known], right[new])
            table[new, known] = _products(left[new], right[known])
        values, vectors = _ritz(gram[known, known], form[known, known])
        last = min(place, len(values))
        value, weights, scale = values[-last], vectors[:, -last], np.abs(values).max()
        dual = _combination(weights, duals[known])
        change = _combination(weights, signed[known]) - value * dual
        size = scale * np.linalg.norm(dual)
        residual = np.linalg.norm(change) / size if size > 0 else 0.0
        image = _combination(weights, images[known]).reshape(shape)
        # What is still to be gained is the squared residual over the distance to the next value.
        distance = value - values[-last - 1] if len(values) > last else 0.5 * scale
        done = residual <= floor or residual**2 * scale**2 <= tol * distance * abs(value)
        # With signs, a vector near a large negative value must not pass for the leading one.
        done = done and last == place and (value >= 0 or signs is None)
        for _ in range(2):
            overlaps = _products(duals[known], change[None, :])[:, 0]
            change -= _combination(overlaps, duals[known])
        norm = np.linalg.norm(change)
        done = done or norm <= floor * size
        if done:
            break
        vector = change / norm
    before = [_combination(vectors[:, -i], duals[known]).reshape(shape) for i in range(1, last)]
    return Leading(dual.reshape(shape), image, value, residual, done, before)


# Not by BLAS: it would wake threads of its own, which for milliseconds after compete with those of
# the passes; that made small problems three times slower.
def _products(left, right):
    return np.einsum("in,jn->ij", left, right)


def _combination(weights, rows):
    return np.einsum("i,in->n", weights, rows)


def _ritz(gram, form):
    """Values of the pencil ``form - t gram``, ascending, and their vectors.

    Directions in which the gram matrix is zero to working precision are left out.
    """
    scales, axes = np.linalg.eigh((gram + gram.T) / 2)
    keep = scales > GRAM_FLOOR * max(scales[-1], 0.0)
    if not keep.any():
        return np.zeros(1), np.zeros((len(gram), 1))
    axes = axes[:, keep] / np.sqrt(scales[keep])
    values, vectors = np.linalg.eigh(axes.T @ (form + form.T) @ axes / 2)
    return values, axes @ vectors


def rank_one(matrix: np.ndarray, left: np.ndarray, right: np.ndarray):
    """Subtract ``left rightᵀ`` from a matrix."""
    if matrix.size < PARALLEL_SIZE:
        matrix -= np.outer(left, right)
    else:
        _rank_one(matrix, left, right)


@jit(parallel=True)
def _rank_one(matrix, left, right):
    for i in prange(len(left)):
        for j in range(len(right)):
            matrix[i, j] -= left[i] * right[j]


def inverse(matrix: np.ndarray) -> np.ndarray:
    """Inverse of a positive definite matrix, symmetric to the last bit."""
    if len(matrix) <= SCHUR_LIMIT:
        values, vectors = eigen(matrix)
        roots = vectors / np.sqrt(values)
        return np.einsum("ik,jk->ij", roots, roots)
    from scipy.linalg import lapack  # here, for it would make the package slow to import

    factor, _ = lapack.dpotrf(matrix, lower=1)
    lower = np.tril(lapack.dpotri(factor, lower=1)[0])
    return lower + np.tril(lower, -1).T


def eigen(symmetric: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, ascending, and vectors of a small matrix, without waking threads."""
    from scipy.linalg import eigh  # here, for it would make the package slow to import

    return eigh(symmetric, check_finite=False)


def orthonormal(matrix: np.ndarray) -> np.ndarray:
    """Orthonormal basis of the columns, by QR."""
    return np.linalg.qr(matrix)[0]


def largest_modulus(symmetric: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k eigenvalues of largest modulus, largest first, and their eigenvectors.

    Small matrices by their Schur form, which is diagonal, for eigh wakes threads: see `_products`.
    """
    symmetric = (symmetric + symmetric.T) / 2
    if len(symmetric) > SCHUR_LIMIT:
        values, vectors = np.linalg.eigh(symmetric)
    else:
        from scipy.linalg import schur  # here, for it would make the package slow to import

        triangle, vectors = schur(symmetric)
        values = np.diag(triangle)
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    return values[order], vectors[:, order]


def subspace(product: Callable, size: int, k: int, start=None) -> np.ndarray:
    """Span of the k leading eigenvectors, by modulus, of a symmetric matrix.

    `product` maps a basis to its image, and None to the matrix itself. Exact up to `DENSE_LIMIT`
    samples. Above, the matrix is not formed: Rayleigh-Ritz in the block Krylov space of a few
    passes comes near, from `start` or from a fixed random basis.
    """
    if size <= DENSE_LIMIT:
        return largest_modulus(product(None), k)[1]
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
    return known @ largest_modulus(known.T @ images, k)[1]


def narrow(image: np.ndarray, basis: np.ndarray, width: int) -> np.ndarray:
    """One step of orthogonal iteration from the leading Ritz vectors U: span of ``A Q U``."""
    _, rotation = largest_modulus(basis.T @ image, width)
    return orthonormal(image @ rotation)
