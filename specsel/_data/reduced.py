"""Tall data, replaced by as many samples as there are features; subspaces and spans of data.

Every algorithm that depends on inner products of features alone gives the same weights on the
triangular factor R of the standardised data ``M = U R``, for ``MᵀM = RᵀR``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from specsel import linalg
from specsel._data.data import Data, Map
from specsel._data.dense import Dense
from specsel._runtime import MOST_ROWS, one_thread
from specsel._validate import Bools, Floats, Integers

# Samples that are factorised at a time, unless there are more features.
SAMPLES = 4096

# Up to so many features one thread factorises them sooner than several that wait for each other.
NARROW = 128

# A feature whose residual falls below this share of the largest norm adds nothing to the span.
PIVOT_FLOOR = 1e-8


def reduce(data: Data, members: Bools | None = None) -> tuple[Data, Map, Map]:
    """Factorise the standardised samples that `members` marks; see `Data.reduced`.

    The factor U is never formed; both maps read the data once more.
    """
    factor = triangular_factor(_parts(data, members), data.n_features)
    data.count_pass()

    def scores(basis: Floats) -> Floats:
        data.count_pass()
        product: Floats = np.zeros((data.n_features, basis.shape[1]))
        stop = 0
        for rows in _parts(data, members):
            start, stop = stop, stop + len(rows)
            product = product + rows.T @ basis[start:stop]
        return product

    def combine(inner: Floats) -> Floats:
        data.count_pass()
        count = data.n_samples if members is None else np.count_nonzero(members)
        image = np.empty((count, inner.shape[1]), order="F")
        stop = 0
        for rows in _parts(data, members):
            start, stop = stop, stop + len(rows)
            np.matmul(rows, inner, out=image[start:stop])
        return image

    return Dense.of_factor(factor, data), *maps(factor, scores, combine)


def maps(factor: Floats, scores: Map, combine: Map) -> tuple[Map, Map]:
    """Return the maps ``Q -> Uᵀ Q`` and ``Q -> U Q``, from ``B -> Mᵀ B`` and ``C -> M C``."""
    with one_thread(len(factor)):
        left, values, right = np.linalg.svd(factor, full_matrices=False)
    keep = values > values[0] * max(factor.shape) * np.finfo(float).eps
    inverse = (right[keep].T / values[keep]) @ left[:, keep].T

    def restrict(basis: Floats) -> Floats:
        restricted: Floats = inverse.T @ scores(basis)
        return restricted

    def lift(basis: Floats) -> Floats:
        # QR makes the columns orthonormal even where the data all but lack a direction.
        with one_thread():
            return linalg.signed_qr(combine(inverse @ basis), overwrite=True)[0]

    return restrict, lift


def triangular_factor(parts: Iterable[Floats], width: int) -> Floats:
    """R of a QR factorisation of stacked matrices, with one of them in memory at a time."""
    factor: Floats = np.zeros((0, width))
    for rows in parts:
        stacked = np.vstack((factor, rows))
        with one_thread(MOST_ROWS if width <= NARROW else len(stacked)):
            factor = np.asarray(np.linalg.qr(stacked, mode="r"))
    return factor


def _parts(data: Data, members: Bools | None) -> Iterator[Floats]:
    """Yield the standardised samples that are marked, or all, a part at a time."""
    step = max(SAMPLES, data.n_features)
    for start in range(0, data.n_samples, step):
        rows = data.rows(start, start + step)
        yield rows if members is None else rows[members[start : start + step]]


def affinity_subspace(data: Data, alpha: Floats, k: int, start: Floats | None = None) -> Floats:
    """Orthonormal basis of the k leading eigenvectors, by modulus, of ``A_α = Σ α_i m_i m_iᵀ``.

    With many samples it is approximate and improves on `start`; see `linalg.top_eigenpairs`.
    """
    product = partial(data.adjoint, alpha)
    positive = bool(alpha.min() >= 0)
    return linalg.top_eigenpairs(product, data.n_samples, k, start, positive=positive)[1]


def pivoted(data: Data, alpha: Floats, n: int) -> Integers:
    """Select n features that span the others well, each multiplied by the root of its weight.

    This is QR with column pivoting, and one pass over the data for each feature taken. A new
    direction v lowers the squared residual of feature i by ``α_i (m_iᵀ v)²``. Such differences
    lose half the digits, so a feature is taken only after its residual has been computed from the
    feature itself. Once the chosen features span everything, the rest follows by weight.
    """
    weights = np.maximum(alpha, 0.0)
    residuals = weights * data.squares
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
