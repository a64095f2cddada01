"""What every column is shifted and scaled by: means, norms, minima, medians, ranks.

One compiled routine for dense and for sparse columns. A *band* is some columns: without `starts`
the rows of `values` are the columns; else ``values[starts[i] : starts[i + 1]]`` are the numbers of
column i that are stored, and the others of its q samples are 0. `bounds` cuts the columns of a
band into blocks, a task each.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import prange

from specsel._runtime import for_blocks, jit
from specsel._validate import Floats, Integers, NDArray

# A feature is constant to working precision if its range is at most this share of its size.
CONSTANT = 2 * np.finfo(np.float64).eps

# The most blocks of columns, and the fewest columns in a block where there are several.
MAX_BLOCKS = 64
MIN_BLOCK = 256

# The partial sums of all blocks together may take this share of the size of X, or this many bytes
# if that is more.
PARTIAL_SHARE = 0.1
PARTIAL_BYTES = 2**24

# Columns in a block are a multiple of the first: the float32 numbers of a line of cache; where
# there are several blocks, of the second.
UNIT = 16
WIDE_UNIT = 128

# Columns whose spans are computed at a time.
SPAN_COLUMNS = 2**16


class Band(NamedTuple):
    """Some columns of X, see above."""

    begin: int  # the first of them
    starts: Any
    samples: Any  # the sample of each stored number, ascending within a column
    values: NDArray[Any]
    n_samples: int
    bounds: Integers

    @property
    def part(self) -> slice:
        """The columns, as a slice."""
        return slice(self.begin, self.begin + int(self.bounds[-1]))


def block_span(n_columns: int, partial: int = 0, size: int = 0) -> int:
    """Return the number of columns in a block, from the sizes alone and never from the threads.

    `partial` is how many partial sums a block needs, and `size` how many entries X has: where the
    partial sums would take too much memory, there are fewer and larger blocks.
    """
    count = min(max(n_columns // MIN_BLOCK, 1), MAX_BLOCKS)
    if partial:
        count = min(count, max(1, int(max(PARTIAL_BYTES / 8, PARTIAL_SHARE * size) // partial)))
    unit = WIDE_UNIT if n_columns > MIN_BLOCK else UNIT
    return -(-n_columns // (count * unit)) * unit


def moments(numbers: Any, center: bool) -> tuple[Floats, Floats]:
    """Return the mean of every column and the norm of what remains; 0 for a constant one.

    Without `center` nothing is subtracted and the means are 0, but for one that is not finite: the
    caller looks for NaN and infinity there. `numbers` are columns × samples, or sparse.
    """
    mean, norm = _filled(numbers, _moments, 2, center)
    return mean, norm


def middles(numbers: Any, fraction: float, parts: int) -> tuple[Floats, Floats]:
    """Return the median (fraction 0.5) or the minimum (0) of every column, and norms about it.

    The norms are parts × columns: of each column, or of what is above and what is below.
    """
    out = _filled(numbers, _middles, 1 + parts, fraction, parts)
    return out[0], out[1:].copy()


def norms_about(numbers: Any, middle: Floats) -> Floats:
    """Return the norm of every column about its middle, as an array of one row."""
    return _filled(numbers, _middles, 2, -1.0, 1, first=middle)[1:].copy()


def spans(numbers: Any, middle: Floats, norms: Floats) -> Iterator[tuple[slice, Floats]]:
    """Yield slices of the columns, each with minimum, maximum and sum of its features.

    The three stand first, then the parts, then the columns, some at a time: those of all columns
    would take as much memory as six weights a column.
    """
    for band in _bands(numbers, SPAN_COLUMNS):
        out = np.empty((3, *norms[:, band.part].shape))
        _run(_spans, band, middle[band.part], np.ascontiguousarray(norms[:, band.part]), out)
        yield band.part, out


def ranks(numbers: Any, out: NDArray[Any]) -> Floats:
    """Fill in the ranks of the samples in every column, from 1; equal values share their mean.

    Where not all numbers of a column are stored, they are less the rank of a zero, which is
    returned for every column. `out` has the layout of the values of all bands.
    """
    absent = np.zeros(len(numbers) if isinstance(numbers, np.ndarray) else numbers.n_columns)
    for band in _bands(numbers):
        first = 0 if band.starts is None else numbers.starts[band.begin]
        some = out[band.part] if band.starts is None else out[first : first + len(band.values)]
        _run(_ranks, band, absent[band.part], some)
    return absent


def _bands(numbers: Any, most: int | None = None) -> Iterator[Band]:
    """The columns of an array of columns × samples, or those of a sparse matrix."""
    if not isinstance(numbers, np.ndarray):
        yield from numbers.bands()
        return
    n, q = numbers.shape
    for start in range(0, n, most or n):
        part = slice(start, min(start + (most or n), n))
        size = part.stop - start
        bounds = np.append(np.arange(0, size, block_span(size)), size)
        yield Band(start, None, None, numbers[part], q, bounds)


def _filled(
    numbers: Any, kernel: Callable[..., None], n_rows: int, *options: Any, first: Any = 0.0
) -> Floats:
    """Return what a kernel fills in, rows × columns; `first` is what the first row begins as."""
    parts = []
    for band in _bands(numbers):
        parts.append(np.zeros((n_rows, band.part.stop - band.part.start)))
        parts[-1][0] = first if np.ndim(first) == 0 else first[band.part]
        _run(kernel, band, *options, parts[-1])
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _run(kernel: Callable[..., None], band: Band, *arguments: Any) -> None:
    _, starts, _, values, q, bounds = band
    for_blocks(kernel, len(bounds) - 1)(starts, values, q, bounds, *arguments)


@jit(parallel=True)
def _moments(starts, values, q, bounds, center, out):
    for b in prange(len(bounds) - 1):
        _moments_range(starts, values, q, bounds[b], bounds[b + 1], center, out)


@jit(helper=True)
def _moments_range(starts, values, q, first, last, center, out):
    """Read every column once, then work in cache."""
    buffer = np.empty(q)
    for i in range(first, last):
        column, low, high, total = _in_cache(starts, values, i, q, buffer)
        mean = 0.0 if len(column) < q else column[0]
        mean += total / q
        if not abs(mean) < np.inf:  # differences overflow; fast-math breaks np.isfinite
            mean = 0.0
            for x in column:
                mean += x
            mean /= q
        if center:
            out[0, i] = mean
            if high - low <= CONSTANT * max(abs(low), abs(high)):
                continue
        elif not abs(mean) < np.inf:
            out[0, i] = mean
        out[1, i] = _norm(column, q - len(column), low, high, out[0, i], 0, 1)


@jit(parallel=True)
def _middles(starts, values, q, bounds, fraction, parts, out):
    for b in prange(len(bounds) - 1):
        _middles_range(starts, values, q, bounds[b], bounds[b + 1], fraction, parts, out)


@jit(helper=True)
def _middles_range(starts, values, q, first, last, fraction, parts, out):
    """With a negative fraction the norms are about the middles in `out`."""
    buffer = np.empty(q)
    for i in range(first, last):
        column, low, high, _ = _in_cache(starts, values, i, q, buffer)
        if fraction == 0:
            out[0, i] = low
        elif fraction > 0:
            out[0, i] = _median(column, q)
        absent = q - len(column)
        for part in range(parts):
            out[1 + part, i] = _norm(column, absent, low, high, out[0, i], part, parts)


@jit(helper=True)
def _median(column, q):
    """The median, with a zero for every number not stored; the others are reordered."""
    below, absent = 0, q - len(column)
    for s in range(len(column)):
        below += column[s] < 0
    low, median = (q - 1) // 2, 0.0
    for rank in range(low, q // 2 + 1):
        value = 0.0
        if rank < below or rank >= below + absent:
            place = rank if rank < below else rank - absent
            select(column, 0, place)
            value = column[place]
        median = value if rank == low else median + 0.5 * (value - median)
    return median


@jit(helper=True)
def select(row, low, rank):
    """Bring the value of this rank there, smaller ones before it and larger ones after.

    Values before `low` are not larger than the others.
    """
    high = len(row) - 1
    while low < high:
        pivot = row[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while row[i] < pivot:
                i += 1
            while row[j] > pivot:
                j -= 1
            if i <= j:
                row[i], row[j] = row[j], row[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            return


@jit(helper=True)
def _norm(column, absent, low, high, middle, part, parts):
    """Norm of a feature, or of one of its two parts; it neither overflows nor underflows."""
    largest = _represented(high if part == 0 else low, middle, part, parts)
    if parts == 1:
        largest = max(largest, middle - low)
    if not largest > 0.0:
        return 0.0
    zero = _represented(0.0, middle, part, parts)
    square = absent * (zero / largest) ** 2
    for s in range(len(column)):
        share = _represented(column[s], middle, part, parts) / largest
        square += share * share
    return largest * np.sqrt(square)


@jit(helper=True)
def _represented(x, middle, part, parts):
    """The value about the middle or, of two parts, what is above it or what is below."""
    value = x - middle
    if parts == 1:
        return value
    return max(value if part == 0 else -value, 0.0)


@jit(parallel=True)
def _spans(starts, values, q, bounds, middle, norms, out):
    for b in prange(len(bounds) - 1):
        _spans_range(starts, values, q, bounds[b], bounds[b + 1], middle, norms, out)


@jit(helper=True)
def _spans_range(starts, values, q, first, last, middle, norms, out):
    buffer = np.empty(q)
    parts = len(norms)
    for i in range(first, last):
        column, low, high, _ = _in_cache(starts, values, i, q, buffer)
        for part in range(parts):
            scale = 1.0 / norms[part, i] if norms[part, i] > 0 else 0.0
            total = (q - len(column)) * _represented(0.0, middle[i], part, parts)
            for x in column:
                total += _represented(x, middle[i], part, parts)
            ends = (low, high) if part == 0 else (high, low)
            out[0, part, i] = scale * _represented(ends[0], middle[i], part, parts)
            out[1, part, i] = scale * _represented(ends[1], middle[i], part, parts)
            out[2, part, i] = scale * total


@jit(parallel=True)
def _ranks(starts, values, q, bounds, absent_rank, out):
    for b in prange(len(bounds) - 1):
        _ranks_range(starts, values, q, bounds[b], bounds[b + 1], absent_rank, out)


@jit(helper=True)
def _ranks_range(starts, values, q, first, last, absent_rank, out):
    for i in range(first, last):
        column, ranked = _column(starts, values, i), _column(starts, out, i)
        absent, below, zeros = q - len(column), 0, 0
        for x in column:
            below += x < 0
            zeros += x == 0
        if absent:
            absent_rank[i] = below + 0.5 * (1 + zeros + absent)
        order = np.argsort(column)
        start = 0
        for stop in range(1, len(column) + 1):
            if stop < len(column) and column[order[stop]] == column[order[start]]:
                continue
            x = column[order[start]]
            rank = 0.5 * (start + 1 + stop) + (absent if x > 0 else 0) - absent_rank[i]
            for position in range(start, stop):
                ranked[order[position]] = 0.0 if absent and x == 0 else rank
            start = stop


@jit(helper=True)
def _column(starts, values, i):
    if values.ndim == 2:
        return values[i]
    return values[starts[i] : starts[i + 1]]


@jit(helper=True)
def _in_cache(starts, values, i, q, buffer):
    """The numbers of a column, in float64, side by side; their minimum, maximum and sum.

    Where all q numbers are stored, the sum is that of the differences to the first, which loses no
    digits; else the minimum and the maximum are those of the zeros too.
    """
    column = _column(starts, values, i)
    size = len(column)
    near, low, high = 0.0, 0.0, 0.0
    if size == q:
        near = np.float64(column[0])
        low, high = near, near
    total = 0.0
    for s in range(size):
        x = np.float64(column[s])
        buffer[s] = x
        total += x - near
        low, high = min(low, x), max(high, x)
    return buffer[:size], low, high, total
