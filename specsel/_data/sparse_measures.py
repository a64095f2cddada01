"""What every sparse feature is shifted and scaled by, a band of features at a time."""

from collections.abc import Callable
from typing import Any

import numpy as np

from specsel._data import sparse_columns, sparse_passes
from specsel._data.stored import Band, Stored, cuts, starts_of
from specsel._validate import Floats, Integers, NDArray

# A column is far from zero if its middle is so many times its standard deviation. Squares of
# products then lose four digits of sixteen.
FAR = 100


def measure(stored: Stored, *, center: bool) -> tuple[Floats, Floats]:
    """Mean of every column and norm of what remains; without `center` the means are 0."""
    mean, norm = np.zeros((2, stored.n_columns))
    _by_band(stored, sparse_columns.standardise, (mean, norm), center)
    return mean, norm


def middles(stored: Stored, fraction: float) -> Floats:
    """Median (fraction 0.5) or minimum (fraction 0) of every column."""
    middle = np.zeros(stored.n_columns)
    _by_band(stored, sparse_columns.middles, (middle,), fraction)
    return middle


def part_norms(stored: Stored, middle: Floats, parts: int) -> Floats:
    """Parts × columns: norm of every column about its middle, or of what is above and below."""
    norms = np.zeros((parts, stored.n_columns))
    _by_band(stored, sparse_columns.part_norms, (middle, norms))
    return norms


def ranked(stored: Stored) -> tuple[Stored, Floats]:
    """Ranks in the place of numbers, less the rank of a zero, which is returned too.

    They are compressed by columns, whichever way X is.
    """
    from scipy.sparse import csc_array  # here, for it would make the package slow to import

    places, found, absent = [], [], np.zeros(stored.n_columns)
    for part, band in stored.bands():
        out = np.empty(len(band.values))
        sparse_columns.ranks(band, stored.n_samples, blocks(band), absent[part], out)
        places.append(band.places)
        found.append(out)
    arrays: list[NDArray[Any]] = [np.concatenate(part) for part in (found, places)]
    return Stored(
        csc_array((*arrays, starts_of(stored.counts)), shape=stored.matrix.shape)
    ), absent


def near_zero(stored: Stored, middle: Floats, norms: Floats) -> tuple[Stored, Floats]:
    """Shift columns that have a number in every sample, all of them far from zero.

    No sample of these columns is zero. If f(0) were told apart from their numbers all the same,
    both would be large, and their sums would lose digits. Returns the numbers, which are copied
    only where there are such columns, and what is still to be subtracted.
    """
    whole = (stored.counts == stored.n_samples) & (norms.max(axis=0) > 0)
    size = np.abs(middle) * np.sqrt(stored.n_samples)
    far = whole & (size > FAR * norms.max(axis=0))
    if not far.any():
        return stored, middle
    offsets = np.where(far, middle, 0.0)
    return stored.shifted(offsets), middle - offsets


def blocks(band: Band, partial: int = 1) -> Integers:
    """Cut a band into blocks; `partial` is how many partial sums one needs."""
    return cuts(band.starts, sparse_passes.n_blocks(len(band.values), partial))


def _by_band(
    stored: Stored, kernel: Callable[..., None], arrays: tuple[Floats, ...], *options: float
) -> None:
    """Let a kernel fill in arrays of columns, or of parts × columns, a band at a time."""
    for part, band in stored.bands():
        some = [np.ascontiguousarray(array[..., part]) for array in arrays]
        kernel(band, stored.n_samples, blocks(band), *some, *options)
        for array, values in zip(arrays, some, strict=True):
            array[..., part] = values
