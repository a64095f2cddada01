"""A sparse matrix as it lies, compressed by columns (CSC) or by rows (CSR).

Whichever it is, its features can be had one after another with their numbers together, a *band* of
features at a time: of CSC a band is a view; of CSR the numbers of a band are gathered anew every
time, which reads X once for all bands and holds one band in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numba import prange

from specsel._runtime import jit
from specsel._validate import Floats, Integers, NDArray

# A band holds so many numbers at least, and this share of those of X at least.
BAND = 2**22
BAND_SHARE = 1 / 16

# Features are cut into at most so many pieces, where a band is gathered or CSR is read by spans of
# features; each reads at least so many numbers of a sample.
PIECES = 16
PIECE_NUMBERS = 8

# If CSR has more than this many features per sample, threads divide the features among them, else
# the samples. A block of samples needs sums for all features; a span of features reads a part of
# every sample. At this ratio both take as long.
SPANNED = 5

# A feature costs a pass as much as so many numbers more.
FEATURE_COST = 4


class Band(NamedTuple):
    """Features with their stored numbers together, as the kernels take them."""

    starts: NDArray[Any]  # where the numbers of every feature begin, and where the last ones end
    places: NDArray[Any]  # the sample of each number, ascending within a feature
    values: NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Stored:
    """The numbers of a sparse matrix, with those of a feature or those of a sample together.

    Attributes
    ----------
    matrix : scipy.sparse.csc_array or csr_array
        With sorted indices and none twice; its arrays are never written to.
    offsets : ndarray or None
        What was subtracted from the numbers of every column; see `shifted`.
    """

    matrix: Any
    offsets: Floats | None = None

    @classmethod
    def of(cls, matrix: Any) -> Self:
        """Wrap a checked matrix. It is copied only where an index stands twice or out of order."""
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return cls(matrix)

    @property
    def by_feature(self) -> bool:
        """Whether the numbers of a feature lie together."""
        return bool(self.matrix.format == "csc")

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.matrix.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns of X."""
        return int(self.matrix.shape[1])

    @property
    def size(self) -> int:
        """How many numbers are stored."""
        return len(self.matrix.data)

    @cached_property
    def whole(self) -> Band:
        """All of it, compressed as it is; of CSR, samples stand for features."""
        matrix = self.matrix
        parts = [part.view() for part in (matrix.indptr, matrix.indices, matrix.data)]
        for part in parts:
            part.flags.writeable = False  # one compiled version for writable and read-only arrays
        return Band(*parts)

    @cached_property
    def counts(self) -> Integers:
        """How many numbers every feature has."""
        if self.by_feature:
            return np.diff(self.matrix.indptr).astype(np.intp)
        return np.bincount(self.matrix.indices, minlength=self.n_columns).astype(np.intp)

    def bands(self) -> Iterator[tuple[slice, Band]]:
        """Yield slices of the columns, each with its band."""
        if self.by_feature:
            yield slice(0, self.n_columns), self.whole
            return
        count = -(-self.size // int(max(BAND, BAND_SHARE * self.size)))
        bounds = cuts(starts_of(self.counts), max(count, 1))
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            yield slice(start, stop), self._gathered(start, stop)

    def _gathered(self, start: int, stop: int) -> Band:
        """The band of some features of CSR."""
        counts = self.counts[start:stop]
        starts = starts_of(counts)
        places = np.empty(starts[-1], self.matrix.indices.dtype)
        values = np.empty(starts[-1], self.matrix.data.dtype)
        n_pieces = int(np.clip(starts[-1] // (PIECE_NUMBERS * self.n_samples), 1, PIECES))
        pieces = start + cuts(starts, n_pieces)
        _gather(*self.whole, pieces, start, starts[:-1].copy(), places, values)
        for part in (starts, places, values):
            part.flags.writeable = False
        return Band(starts, places, values)

    @cached_property
    def segments(self) -> Integers:
        """Where, in every sample of CSR, the numbers of spans of features begin and end.

        Spans + 1 × samples: a span ends where the next one begins. There is more than one only
        where features are many times the samples, see `SPANNED`.
        """
        most = PIECES if self.n_columns > SPANNED * self.n_samples else 1
        n_spans = int(np.clip(self.size // (PIECE_NUMBERS * self.n_samples), 1, most))
        bounds = cuts(starts_of(self.counts), n_spans)
        segments = np.empty((n_spans + 1, self.n_samples), self.whole.starts.dtype)
        _find_segments(self.whole.starts, self.whole.places, bounds, segments)
        return segments

    def rows(self, start: int, stop: int) -> NDArray[Any]:
        """Some samples, dense."""
        stop = min(stop, self.n_samples)
        out = np.zeros((max(stop - start, 0), self.n_columns), self.matrix.data.dtype)
        fill = _fill_from_columns if self.by_feature else _fill_from_rows
        fill(*self.whole, start, stop, out)
        return out

    def columns(self, part: slice | Integers | list[int]) -> NDArray[Any]:
        """Some columns, dense."""
        dense: NDArray[Any] = self.matrix[:, part].toarray()
        return dense

    def scaled(self, exponents: Integers) -> Self:
        """A copy in which every column is divided by a power of two, where that is not 1."""
        return self._holding(np.ldexp(self.matrix.data, -self._spread(exponents)))

    def shifted(self, offsets: Floats) -> Self:
        """A copy, in float64, with an offset subtracted from the stored numbers of each column."""
        shifted = self._holding(self.matrix.data.astype(np.float64) - self._spread(offsets))
        return replace(shifted, offsets=offsets)

    def _spread(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """The number of its column for every stored number."""
        if self.by_feature:
            return np.repeat(numbers, self.counts)
        spread: NDArray[Any] = numbers[self.matrix.indices]
        return spread

    def _holding(self, values: NDArray[Any]) -> Self:
        """Other numbers in the same places."""
        matrix = self.matrix
        return type(self)(type(matrix)((values, matrix.indices, matrix.indptr), matrix.shape))


def starts_of(counts: Integers) -> Integers:
    """Where the numbers of each feature begin, and where the last ones end."""
    return np.concatenate(([0], np.cumsum(counts)))


def cuts(starts: NDArray[Any], n_parts: int) -> Integers:
    """Cut features, or samples, into parts with equal shares of the stored numbers.

    Equal numbers of features would not do: a few of them often hold most of the numbers. `starts`
    is as in a `Band`.
    """
    n, begin = len(starts) - 1, int(starts[0])
    work = int(starts[-1]) - begin + FEATURE_COST * n
    shares = begin + np.linspace(0, work, n_parts + 1)[1:-1]
    low, high = np.zeros(n_parts - 1, np.intp), np.full(n_parts - 1, n)
    for _ in range(n.bit_length()):  # halves what is left, rather than add up all of the work
        middle = (low + high) // 2
        before = starts[middle] + FEATURE_COST * middle < shares
        low, high = np.where(before, middle + 1, low), np.where(before, high, middle)
    return np.concatenate(([0], low, [n])).astype(np.intp)


@jit
def _first(places, low, high, least):
    """The first number from `low` on whose place is at least `least`; `high` if none is."""
    while low < high:
        middle = (low + high) // 2
        if places[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def _find_segments(starts, places, bounds, segments):
    """Fill in where the numbers of the features from each bound on begin in every sample."""
    for s in range(len(starts) - 1):
        p = starts[s]
        for j in range(len(bounds)):
            p = segments[j, s] = _first(places, p, starts[s + 1], bounds[j])


@jit(parallel=True)
def _gather(starts, places, values, pieces, start, heads, out_places, out_values):
    """Gather the numbers of the features from `start` on, a piece of the features a task.

    `heads` is where the numbers of each feature begin; it moves on to where they end.
    """
    for piece in prange(len(pieces) - 1):
        low, high = pieces[piece], pieces[piece + 1]
        for s in range(len(starts) - 1):
            for p in range(_first(places, starts[s], starts[s + 1], low), starts[s + 1]):
                i = places[p]
                if i >= high:
                    break
                out_places[heads[i - start]] = s
                out_values[heads[i - start]] = values[p]
                heads[i - start] += 1


@jit
def _fill_from_columns(starts, places, values, start, stop, out):
    """Fill in the samples from `start` to `stop` of a matrix compressed by columns."""
    for i in range(len(starts) - 1):
        for p in range(_first(places, starts[i], starts[i + 1], start), starts[i + 1]):
            if places[p] >= stop:
                break
            out[places[p] - start, i] = values[p]


@jit
def _fill_from_rows(starts, places, values, start, stop, out):
    """Fill in the samples from `start` to `stop` of a matrix compressed by rows."""
    for s in range(start, stop):
        for p in range(starts[s], starts[s + 1]):
            out[s - start, places[p]] = values[p]
