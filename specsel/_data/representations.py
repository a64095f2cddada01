"""What every feature is shifted and scaled by, found by compiled passes, parallel over features.

Means and norms for centred features; for features that must not be negative, minima or medians,
the norms about them, and ranks. Features are rows here, and `span` is how many of them one task
takes.
"""

from typing import Any

import numpy as np
from numba import prange

from specsel._runtime import is_serial, jit
from specsel._validate import Floats, NDArray

# A feature is constant to working precision if its range is at most this share of its size.
CONSTANT = 2 * np.finfo(np.float64).eps


def standardise(
    features: NDArray[Any], center: bool, mean: Floats, norm: Floats, span: int
) -> None:
    """Fill in the mean of every feature and the norm of what remains; 0 for a constant one.

    Without `center` nothing is subtracted and the means stay 0, but for one that is not finite:
    the caller looks for NaN and infinity there.
    """
    if len(norm) <= span or is_serial():
        _standardise_range(features, center, mean, norm)  # wakes no threads, as in `passes.sweep`
    else:
        _standardise(features, center, mean, norm, span)


@jit(parallel=True)
def _standardise(features, center, mean, norm, span):
    for block in prange((len(norm) + span - 1) // span):
        part = slice(block * span, (block + 1) * span)
        _standardise_range(features[part], center, mean[part], norm[part])


@jit
def _standardise_range(features, center, mean, norm):
    """Read every feature once, then work in cache; norms neither overflow nor underflow."""
    n, q = features.shape
    column = np.empty(q)
    for i in range(n):
        total = 0.0
        low = high = np.float64(features[i, 0])
        for s in range(q):
            column[s] = features[i, s]
            total += column[s]
            low, high = min(low, column[s]), max(high, column[s])
        if center:
            mean[i] = total / q
        elif not np.isfinite(total):
            mean[i] = total
        if center and high - low <= CONSTANT * max(abs(low), abs(high)):
            continue
        largest = 0.0
        for s in range(q):
            column[s] -= mean[i]
            largest = max(largest, abs(column[s]))
        if largest == 0.0:
            continue
        square = 0.0
        for s in range(q):
            part = column[s] / largest
            square += part * part
        norm[i] = largest * np.sqrt(square)


@jit(parallel=True)
def middles(features, fraction, middle, span):
    """Fill in the median (fraction 0.5) or the minimum (fraction 0) of every feature."""
    for block in prange((len(middle) + span - 1) // span):
        part = slice(block * span, (block + 1) * span)
        middles_alone(features[part], fraction, middle[part])


@jit
def middles_alone(features, fraction, middle):
    """The same, serial."""
    for i in range(len(middle)):
        ordered = np.sort(features[i].astype(np.float64))
        last = len(ordered) - 1
        low, high = ordered[int(fraction * last)], ordered[last - int((1 - fraction) * last)]
        middle[i] = low + 0.5 * (high - low)


@jit(parallel=True)
def part_norms(features, middle, parts, norms, span):
    """Fill in the norm of every feature about its middle, or the norms of its two parts."""
    for block in prange((len(middle) + span - 1) // span):
        some = slice(block * span, (block + 1) * span)
        part_norms_alone(features[some], middle[some], parts, norms[:, some])


@jit
def part_norms_alone(features, middle, parts, norms):
    """The same, serial."""
    for i in range(len(middle)):
        for part in range(parts):
            low, high, _ = _span_of(features[i], middle[i], part, parts)
            largest = max(-low, high)
            if largest == 0.0:
                continue
            square = 0.0
            for s in range(features.shape[1]):
                share = _part_of(features[i, s] - middle[i], part, parts) / largest
                square += share * share
            norms[part, i] = largest * np.sqrt(square)


@jit(parallel=True)
def spans(features, middle, norms, out, span):
    """Fill in the minimum, the maximum and the sum of every standardised feature or part."""
    for block in prange((len(middle) + span - 1) // span):
        some = slice(block * span, (block + 1) * span)
        spans_alone(features[some], middle[some], norms[:, some], out[:, :, some])


@jit
def spans_alone(features, middle, norms, out):
    """The same, serial."""
    parts = len(norms)
    for i in range(len(middle)):
        for part in range(parts):
            scale = 1.0 / norms[part, i] if norms[part, i] > 0 else 0.0
            found = _span_of(features[i], middle[i], part, parts)
            for j in range(3):
                out[j, part, i] = found[j] * scale


@jit
def _span_of(feature, middle, part, parts):
    """Minimum, maximum and sum of a feature about its middle, or of one of its parts."""
    low, high, total = np.inf, -np.inf, 0.0
    for s in range(len(feature)):
        value = _part_of(feature[s] - middle, part, parts)
        low, high = min(low, value), max(high, value)
        total += value
    return low, high, total


@jit
def _part_of(value, part, parts):
    """The value itself or, of two parts, what is above zero (part 0) or minus what is below."""
    if parts == 1:
        return np.float64(value)
    return max(np.float64(value if part == 0 else -value), 0.0)


@jit(parallel=True)
def ranks(features, out, span):
    """Fill in the ranks of the samples in every feature, from 1; equal values share their mean."""
    n, q = features.shape
    for block in prange((n + span - 1) // span):
        for i in range(block * span, min((block + 1) * span, n)):
            order = np.argsort(features[i])
            start = 0
            for stop in range(1, q + 1):
                if stop < q and features[i, order[stop]] == features[i, order[start]]:
                    continue
                for place in range(start, stop):
                    out[i, order[place]] = 0.5 * (start + 1 + stop)
                start = stop
