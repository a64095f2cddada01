"""What every sparse feature is shifted and scaled by: as `representations`, from stored numbers.

A number that is not stored is 0, so a feature of q samples with m stored numbers has q - m zeros
beside them. Every kernel takes a `Band`: features with their numbers together.
"""

import numpy as np
from numba import prange

from specsel._data.representations import CONSTANT
from specsel._runtime import jit


@jit(parallel=True)
def standardise(band, q, cuts, mean, norm, center):
    """Fill in the mean of every feature and the norm of what remains; 0 for a constant one.

    Without `center` nothing is subtracted and the means stay 0, but for one that is not finite.
    """
    starts, _, values = band
    for block in prange(len(cuts) - 1):
        for i in range(cuts[block], cuts[block + 1]):
            column = values[starts[i] : starts[i + 1]]
            total, absent = 0.0, q - len(column)
            low, high = (0.0, 0.0) if absent else (np.inf, -np.inf)
            near = 0.0 if absent else np.float64(column[0])  # sums of differences lose no digits
            for x in column:
                total += x - near
                low, high = min(low, np.float64(x)), max(high, np.float64(x))
            if center:
                mean[i] = near + total / q
            elif not np.isfinite(total):
                mean[i] = total
            if center and high - low <= CONSTANT * max(abs(low), abs(high)):
                continue
            norm[i] = _norm(column, absent, mean[i], 0, 1)


@jit
def _norm(column, absent, middle, part, parts):
    """Norm of a feature, or of one of its two parts; it neither overflows nor underflows."""
    zero = _represented(0.0, middle, part, parts)
    largest = abs(zero) if absent else 0.0
    for x in column:
        largest = max(largest, abs(_represented(x, middle, part, parts)))
    if largest == 0.0:
        return 0.0
    square = absent * (zero / largest) ** 2
    for x in column:
        share = _represented(x, middle, part, parts) / largest
        square += share * share
    return largest * np.sqrt(square)


@jit
def _represented(x, middle, part, parts):
    """The value about the middle or, of two parts, what is above it or what is below."""
    value = x - middle
    if parts == 1:
        return value
    return max(value if part == 0 else -value, 0.0)


@jit(parallel=True)
def middles(band, q, cuts, middle, fraction):
    """Fill in the median (fraction 0.5) or the minimum (fraction 0) of every feature."""
    starts, _, values = band
    last = q - 1
    for block in prange(len(cuts) - 1):
        for i in range(cuts[block], cuts[block + 1]):
            column = values[starts[i] : starts[i + 1]]
            below, positive = 0, 0
            for x in column:
                below += x < 0
                positive += x > 0
            low, high = int(fraction * last), last - int((1 - fraction) * last)
            if below <= low and high < q - positive:
                continue  # both are 0, as most numbers of most features are
            ordered = np.sort(column.astype(np.float64))
            first = _ranked(ordered, low, below, q)
            middle[i] = first + 0.5 * (_ranked(ordered, high, below, q) - first)


@jit
def _ranked(ordered, place, below, q):
    """The number at a place of all q in order; those stored are given in order."""
    absent = q - len(ordered)
    if place < below:
        return ordered[place]
    return 0.0 if place < below + absent else ordered[place - absent]


@jit(parallel=True)
def part_norms(band, q, cuts, middle, norms):
    """Fill in the norm of every feature about its middle, or the norms of its two parts."""
    starts, _, values = band
    parts = len(norms)
    for block in prange(len(cuts) - 1):
        for i in range(cuts[block], cuts[block + 1]):
            column = values[starts[i] : starts[i + 1]]
            for part in range(parts):
                norms[part, i] = _norm(column, q - len(column), middle[i], part, parts)


@jit(parallel=True)
def spans(band, q, cuts, middle, norms, out):
    """Fill in the minimum, the maximum and the sum of every standardised feature or part."""
    starts, _, values = band
    parts = len(norms)
    for block in prange(len(cuts) - 1):
        for i in range(cuts[block], cuts[block + 1]):
            column = values[starts[i] : starts[i + 1]]
            absent = q - len(column)
            for part in range(parts):
                scale = 1.0 / norms[part, i] if norms[part, i] > 0 else 0.0
                zero = _represented(0.0, middle[i], part, parts)
                low, high = (zero, zero) if absent else (np.inf, -np.inf)
                total = absent * zero
                for x in column:
                    value = _represented(x, middle[i], part, parts)
                    low, high = min(low, value), max(high, value)
                    total += value
                out[0, part, i], out[1, part, i] = low * scale, high * scale
                out[2, part, i] = total * scale


@jit(parallel=True)
def ranks(band, q, cuts, absent_rank, out):
    """Fill in the rank of every stored number less that of the zeros, and the latter.

    Ranks are those of the samples in the feature, from 1; equal values share their mean.
    """
    starts, _, values = band
    for block in prange(len(cuts) - 1):
        for i in range(cuts[block], cuts[block + 1]):
            first, column = starts[i], values[starts[i] : starts[i + 1]]
            absent = q - len(column)
            below, zeros = 0, absent
            for x in column:
                below += x < 0
                zeros += x == 0
            absent_rank[i] = below + 0.5 * (1 + zeros)
            order = np.argsort(column)
            start = 0
            for stop in range(1, len(column) + 1):
                if stop < len(column) and column[order[stop]] == column[order[start]]:
                    continue
                x = column[order[start]]
                rank = 0.5 * (start + 1 + stop) + (absent if x > 0 else 0)
                for place in range(start, stop):
                    out[first + order[place]] = 0.0 if x == 0 else rank - absent_rank[i]
                start = stop
