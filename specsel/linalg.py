"""The numerical helpers that several algorithms share.

The jit policy, the Lanczos method for the leading weights, subspaces of symmetric matrices, the
factor that replaces tall data, and pivoted selection. Nothing here imports an algorithm.
"""

import os
from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np

# No "nnan" or "ninf": a NaN in the data must reach the check that reports it.
SAFE_FAST_MATH = {"nsz", "arcp", "contract", "afn", "reassoc"}

# Up to this many samples (after tall data are reduced) a samples x samples matrix is formed.
DENSE_LIMIT = 2000

# Lanczos vectors kept before a restart from the best one, restarts, and the smallest relative
# residual that rounding lets it reach.
LANCZOS_STEPS = 60
LANCZOS_RESTARTS = 5
RESIDUAL_FLOOR = 1e-13

# Passes of block iteration that find the leading subspace of a large matrix.
SUBSPACE_PASSES = 4

# A column whose residual fell below this share of the largest one adds nothing to a span.
PIVOT_FLOOR = 1e-8


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


def leading(
    product: Callable, start: np.ndarray, *, tol: float, signs: Callable | None = None
) -> Leading:
    """Leading eigenpair of ``Φ J Φᵀ`` from products with ``K = ΦᵀΦ`` alone.

    Lanczos on ``J K`` in the inner product of ``K``, in which it is symmetric whatever the signs
    in ``J``. The Ritz value is the Rayleigh quotient of ``Φ dual``, one product is one pass over
    the data, and every vector is orthogonalised twice against all before it.

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
    """
    signs = signs or (lambda image: image)
    for _ in range(LANCZOS_RESTARTS):
        pair, exhausted = _lanczos(product, start, tol, signs)
        if exhausted:
            break
        start = pair.dual
    return pair


def _lanczos(product, start, tol, signs):
    """Build one Krylov space; also tell whether it has given what it can."""
    duals, images, signed = np.empty((3, LANCZOS_STEPS, start.size))
    projected = np.zeros((LANCZOS_STEPS, LANCZOS_STEPS))
    vector = start / max(np.linalg.norm(start), np.finfo(float).tiny)
    scale = 0.0
    for step in range(LANCZOS_STEPS):
        image = product(vector)
        norm = np.sqrt(max(np.vdot(vector, image), 0.0))
        if step > 0 and norm <= RESIDUAL_FLOOR * scale:
            return pair, True
        norm = norm or 1.0
        known = slice(step + 1)
        duals[step], images[step] = vector.ravel() / norm, image.ravel() / norm
        signed[step] = signs(image / norm).ravel()
        projected[known, step] = projected[step, known] = images[known] @ signed[step]
        values, vectors = np.linalg.eigh(projected[known, known])
        value, weights = values[-1], vectors[:, -1]
        scale = max(abs(values[0]), abs(value))
        dual = weights @ duals[known]
        size = scale * np.linalg.norm(dual)
        change = np.linalg.norm(weights @ signed[known] - value * dual)
        residual = change / size if size > 0 else 0.0
        image = (weights @ images[known]).reshape(start.shape)
        pair = Leading(dual.reshape(start.shape), image, value, residual)
        # What is still to be gained is the squared residual over the distance to the next value.
        distance = value - values[-2] if step > 0 else 0.5 * scale
        if residual <= RESIDUAL_FLOOR or residual**2 * scale**2 <= tol * distance * abs(value):
            return pair, True
        remainder = signed[step] - projected[known, step] @ duals[known]
        remainder -= (images[known] @ remainder) @ duals[known]
        vector = remainder.reshape(start.shape)
    return pair, False


def orthonormal(matrix: np.ndarray) -> np.ndarray:
    """Orthonormal basis of the columns, by QR."""
    return np.linalg.qr(matrix)[0]


def largest_modulus(symmetric: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k eigenvalues of largest modulus, largest first, and their eigenvectors."""
    values, vectors = np.linalg.eigh((symmetric + symmetric.T) / 2)
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    return values[order], vectors[:, order]


def affinity_subspace(data, alpha: np.ndarray, k: int, start=None) -> np.ndarray:
    """Span of the k leading eigenvectors, by modulus, of ``A_α = Σ α_i m_i m_iᵀ``.

    Exact up to `DENSE_LIMIT` samples; above, a few passes of block iteration from `start`.
    """
    if data.n_samples <= DENSE_LIMIT:
        return largest_modulus(data.adjoint(alpha, None), k)[1]
    if start is None:
        start = np.random.default_rng(0).standard_normal((data.n_samples, k))
    basis = orthonormal(start)
    for _ in range(SUBSPACE_PASSES):
        image = data.adjoint(alpha, basis)
        basis = narrow(image, basis, k)
    return basis


def narrow(image: np.ndarray, basis: np.ndarray, width: int) -> np.ndarray:
    """One step of orthogonal iteration from the leading Ritz vectors U: span of ``A Q U``."""
    _, rotation = largest_modulus(basis.T @ image, width)
    return orthonormal(image @ rotation)


def triangular_factor(row_blocks) -> np.ndarray:
    """R of a QR factorisation of stacked blocks of rows, holding one block at a time."""
    factor = None
    for rows in row_blocks:
        stacked = rows if factor is None else np.vstack((factor, rows))
        factor = np.linalg.qr(stacked, mode="r")
    return factor


def pivoted(data, alpha: np.ndarray, n: int) -> np.ndarray:
    """Select the n features that best span the √α-weighted rest; past the rank, by weight.

    Column-pivoted QR with one pass over the data a column: the squared residuals lose
    ``α_i (m_iᵀ v)²`` for every new direction ``v``. A feature is taken only after its residual
    has been computed from the feature itself, for differences of squares lose half the digits.
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
