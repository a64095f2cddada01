"""The compiled passes over sparse samples, one after another: ``A_α C = M (D Mᵀ C)``.

Where the numbers of a sample lie together, a pass reads X once for the scores of all features,
``MᵀC``, from which the weights follow, and once more for the image. The features are written as in
`sparse_passes`. Scores are added up by blocks of samples or, where features are many, by spans of
features; a sample's part of the image is a sum over its own numbers.
"""

import numpy as np
from numba import prange

from specsel._data.lanes import LANES, gather, load, plus, scatter, store
from specsel._data.sparse_passes import keep_score, score_room, share_of, skip, weight_of
from specsel._runtime import jit

# Features that one task weighs.
SPAN = 1024


@jit(parallel=True)
def scores(stored, segments, middle, parts, table, bounds, out):
    """Add ``Σ_s d_is b_s`` of every feature to `out`, blocks × groups × features × LANES.

    A task is a block of samples and a span of features, whose numbers `segments` tells.
    """
    n_spans = len(segments) - 1
    for task in prange(n_spans * (len(bounds) - 1)):
        block, span = task // n_spans, task % n_spans
        starts, stops = segments[span], segments[span + 1]
        samples = bounds[block], bounds[block + 1]
        _score_range(stored, starts, stops, middle, parts, table, samples, out[block])


@jit
def _score_range(stored, starts, stops, middle, parts, table, samples, out):
    _, places, values = stored
    n, q = len(middle), table.shape[1]
    d = np.empty(n if parts == 2 else 0)
    for s in range(*samples):
        start, stop = starts[s], stops[s]
        for part in range(parts):
            if parts == 2:
                row = places[start:stop]
                _load(values[start:stop], row, middle, part, d)
            for g in range(len(table)):
                factors = load(table, (g * q + s) * LANES)
                at = (g * parts + part) * n
                if parts == 1:
                    scatter(values, places, start, stop, factors, out, at)
                else:
                    scatter(d, row, 0, len(row), factors, out, at)


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
    size = norms.size
    for task in prange((size + SPAN - 1) // SPAN):
        last = min((task + 1) * SPAN, size)
        _weigh_range(scored, middle, norms, frame, task * SPAN, last, alpha, tails[task])


@jit
def _weigh_range(scored, middle, norms, frame, first, last, alpha, tail):
    n, size, n_groups = len(middle), norms.size, scored.shape[1]
    scores = score_room(frame)
    for i in range(first, last):
        part = int(i >= n)
        column = i - part * n
        norm = norms[part, column]
        if norm == 0.0:
            skip(frame, alpha, part, column)
            scored[0, :, i] = 0.0
            continue
        zero = -middle[column]
        if len(norms) == 2:
            zero = max(zero if part == 0 else -zero, 0.0)
        for g in range(n_groups):
            product = load(scored, (g * size + i) * LANES)
            for block in range(1, len(scored)):
                at = ((block * n_groups + g) * size + i) * LANES
                product = plus(product, load(scored, at))
            keep_score(product, zero, 1.0 / norm, frame, g, scores)
        if len(frame.counts) > 0:
            alpha[part, column] = weight_of(scores, frame)
        factor = alpha[part, column] / norm
        for g in range(len(tail) // LANES):
            share = share_of(scores, factor, zero, frame, g, tail)
            store(scored, (g * size + i) * LANES, share)


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
    n, q = len(middle), image.shape[1]
    d = np.empty(n if parts == 2 else 0)
    for s in range(first, last):
        start, stop = starts[s], starts[s + 1]
        for part in range(parts):
            if parts == 2:
                row = places[start:stop]
                _load(values[start:stop], row, middle, part, d)
            for g in range(len(image)):
                at = (g * parts + part) * n
                if parts == 1:
                    sums = gather(values, places, start, stop, coefficients, at)
                else:
                    sums = gather(d, row, 0, len(row), coefficients, at)
                where = (g * q + s) * LANES
                store(image, where, plus(load(image, where), sums))
