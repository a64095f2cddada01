"""V of data: inner products of the features, turned into kernel values in place.

V is the only array of n x n for n features. It is filled below the diagonal and then mirrored.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import prange

from specsel import _data
from specsel._kernel.checks import checked
from specsel._runtime import jit
from specsel._validate import ArrayLike, Floats, Integers

# The median distance is taken among this many features. Below ALIKE it counts as 0.
MEDIAN_FEATURES = 1000
ALIKE = 1e-7

# Samples that are read at once, and features in a band of V; a tile of a band stays in cache.
ROW_BLOCK = 128
BAND = 64


def evaluate(
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
        out = checked(kernel(features), data.n_features).copy()
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
        dsyrk(1.0, rows.T, beta=1.0, c=out.T, overwrite_c=1)


def _median_distance(inner: Floats, varying: Integers) -> float:
    """Return the median distance among features that vary, given all inner products."""
    places = np.linspace(0, len(varying) - 1, min(len(varying), MEDIAN_FEATURES)).astype(int)
    chosen = varying[places]
    products = np.concatenate([inner[i, chosen[:order]] for order, i in enumerate(chosen)])
    distances = np.sqrt(np.maximum(2 - 2 * products, 0.0))
    median = float(np.median(distances)) if len(distances) else 0.0
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


@jit
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


@jit
def _band(part, n):
    """Return the first row of a band and its end.

    Short and long bands alternate, because a thread takes neighbouring ones.
    """
    band = part // 2 if part % 2 == 0 else (n - 1) // BAND - part // 2
    return band * BAND, min((band + 1) * BAND, n)
