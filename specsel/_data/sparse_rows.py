"""The compiled passes over sparse samples, one after another: ``A_α C = M (D Mᵀ C)``.

Where the numbers of a sample lie together, a pass reads X once for the scores of all features,
``MᵀC``, from which the weights follow, and once more for the image. The features are written as in
`sparse_passes`. Scores are added up by blocks of samples; a sample's part of the image is a sum
over its own numbers.
"""

import numpy as np
from numba import prange

from specsel._data.lanes import LANES, gather, scatter
from specsel.linalg import jit

# Features that one task weighs.
SPAN = 1024


@jit(parallel=True)
def scores(stored, middle, parts, table, bounds, out):
    """Add ``Σ_s d_is b_s`` of every feature to `out`, blocks × groups × features × LANES."""
    for block in prange(len(bounds) - 1):
        _score_range(stored, middle, parts, table, bounds[block], bounds[block + 1], out[block])


@jit
def _score_range(stored, middle, parts, table, first, last, out):
    starts, places, values = stored
    n = len(middle)
    d, factors = np.empty(n if parts == 2 else 0), np.empty(LANES)
    for s in range(first, last):
        start, stop = starts[s], starts[s + 1]
        for part in range(parts):
            if parts == 2:
                row = places[start:stop]
                _load(values[start:stop], row, middle, part, d)
            for g in range(table.shape[0]):
                for c in range(LANES):
                    factors[c] = table[g, s, c]
                at = (g * parts + part) * n
                if parts == 1:
                    scatter(values, places, start, stop, factors, 0, out, at)  # type: ignore[call-arg]
                else:
                    scatter(d, row, 0, len(row), factors, 0, out, at)  # type: ignore[call-arg]


@jit
def _load(numbers, row, middle, part, d):
    """Fill in ``d = f(x) - f(0)`` of the stored numbers of a sample, for one of two parts."""
    sign = 1.0 - 2.0 * part
    for p in range(len(row)):
        m = middle[row[p]]
        d[p] = max(sign * (numbers[p] - m), 0.0) - max(-sign * m, 0.0)


@jit(parallel=True)
def weigh(scored, middle, norms, frame, alpha, tails):
    """Make weights of the scores if there is a dual, and what the image is a combination by.

    `scored` is what `scores` left. What the image is a combination by takes the place of the first
    of its blocks. `tails` gathers what every sample gets more, a row for every task.
    """
    _, sums, dual, basis, target, counts = frame
    n, parts, n_groups = len(middle), len(norms), scored.shape[1]
    for task in prange((n * parts + SPAN - 1) // SPAN):
        row = np.zeros((n_groups + 1) * LANES)
        for i in range(task * SPAN, min((task + 1) * SPAN, n * parts)):
            part, column = i // n, i % n
            norm = norms[part, column]
            scale = 1.0 / norm if norm > 0 else 0.0
            zero = -middle[column]
            if parts == 2:
                zero = max(zero if part == 0 else -zero, 0.0)
            for g in range(n_groups):
                for c in range(LANES):
                    total = zero * sums[g * LANES + c]
                    for block in range(len(scored)):
                        total += scored[block, g, i, c]
                    row[g * LANES + c] = total * scale
            weight = alpha[part, column]
            if len(counts) > 0:
                weight = 0.0
                for g in range(0, len(counts), LANES):
                    for c in range(g, g + LANES):
                        weight += counts[c] * row[dual + c] * row[basis + c]
                alpha[part, column] = weight
            for g in range(tails.shape[1] // LANES):
                for c in range(LANES):
                    share = weight * scale * row[target + g * LANES + c]
                    scored[0, g, i, c] = share
                    tails[task, g * LANES + c] += zero * share


@jit(parallel=True)
def combine(stored, middle, parts, coefficients, bounds, image):
    """Add ``Σ_i d_is c_i`` of every sample, groups × samples × LANES."""
    for block in prange(len(bounds) - 1):
        _combine_range(
            stored, middle, parts, coefficients, bounds[block], bounds[block + 1], image
        )


@jit
def _combine_range(stored, middle, parts, coefficients, first, last, image):
    starts, places, values = stored
    n = len(middle)
    d, sums = np.empty(n if parts == 2 else 0), np.empty(LANES)
    for s in range(first, last):
        start, stop = starts[s], starts[s + 1]
        for part in range(parts):
            if parts == 2:
                row = places[start:stop]
                _load(values[start:stop], row, middle, part, d)
            for g in range(image.shape[0]):
                at = (g * parts + part) * n
                if parts == 1:
                    gather(values, places, start, stop, coefficients, at, sums, 0)  # type: ignore[call-arg]
                else:
                    gather(d, row, 0, len(row), coefficients, at, sums, 0)  # type: ignore[call-arg]
                for c in range(LANES):
                    image[g, s, c] += sums[c]
