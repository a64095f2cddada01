"""The compiled passes over samples, dense, with all their features together.

As in `sparse_rows`, the scores of all features come first and an image is made of them. A block of
samples is cut into strips, and a thread takes a strip at a time. The cut depends on sizes alone.
"""

from typing import Any

import numpy as np
from numba import prange

from specsel._runtime import is_serial, jit
from specsel._validate import Floats, NDArray

# Strips of a block.
STRIPS = 8


def score(block: NDArray[Any], middle: Floats, parts: int, frame: Floats, out: Floats) -> None:
    """Add ``Σ_s f(x_si) b_sc`` to `out`, strips × parts × columns of the frame × features."""
    if is_serial():
        span = -(-len(block) // len(out))
        for strip, some in enumerate(out):
            score_range(block, middle, parts, frame, strip * span, (strip + 1) * span, some)
    else:
        scores(block, middle, parts, frame, out)


@jit(parallel=True)
def scores(block, middle, parts, frame, out):
    """The same by several threads."""
    span = (len(block) + len(out) - 1) // len(out)
    for strip in prange(len(out)):
        score_range(block, middle, parts, frame, strip * span, (strip + 1) * span, out[strip])


@jit
def score_range(block, middle, parts, frame, first, last, out):
    """The same for the samples from `first` to `last`."""
    n = len(middle)
    row = np.empty((parts, n))
    for s in range(first, min(last, len(block))):
        _load(block[s], middle, row)
        for part in range(parts):
            for c in range(frame.shape[1]):
                b = frame[s, c]
                for i in range(n):
                    out[part, c, i] += b * row[part, i]


@jit
def _load(sample, middle, row):
    """Fill in what the features are about their middles, or both their parts."""
    if len(row) == 1:
        for i in range(len(middle)):
            row[0, i] = sample[i] - middle[i]
        return
    for i in range(len(middle)):
        value = sample[i] - middle[i]
        row[0, i] = max(value, 0.0)
        row[1, i] = max(-value, 0.0)


def combine(block: NDArray[Any], middle: Floats, coefficients: Floats, image: Floats) -> None:
    """Fill in ``Σ_i f(x_si) c_i`` of every sample; coefficients are parts × columns × features."""
    parts = len(coefficients)
    if is_serial():
        combine_range(block, middle, parts, coefficients, 0, len(block), image)
    else:
        images(block, middle, parts, coefficients, STRIPS, image)


@jit(parallel=True)
def images(block, middle, parts, coefficients, strips, image):
    """The same by several threads."""
    span = (len(block) + strips - 1) // strips
    for strip in prange(strips):
        combine_range(block, middle, parts, coefficients, strip * span, (strip + 1) * span, image)


@jit
def combine_range(block, middle, parts, coefficients, first, last, image):
    """The same for the samples from `first` to `last`."""
    row = np.empty((parts, len(middle)))
    for s in range(first, min(last, len(block))):
        _load(block[s], middle, row)
        for c in range(image.shape[1]):
            total = 0.0
            for part in range(parts):
                for i in range(len(middle)):
                    total += row[part, i] * coefficients[part, c, i]
            image[s, c] = total


@jit
def sums(block, low, high, total):
    """Add the samples to the sum of every column, and widen its range."""
    for s in range(len(block)):
        for i in range(len(total)):
            x = np.float64(block[s, i])
            total[i] += x
            low[i], high[i] = min(low[i], x), max(high[i], x)


@jit
def squares(block, middle, largest, parts, out):
    """Add the squares of the features about their middles, over their largest value."""
    row = np.empty((parts, len(middle)))
    for s in range(len(block)):
        _load(block[s], middle, row)
        for part in range(parts):
            for i in range(len(middle)):
                share = row[part, i] / largest[part, i]
                out[part, i] += share * share
