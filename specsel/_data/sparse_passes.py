"""The compiled passes over sparse features, one after another.

A standardised feature is ``w (f(0) 1 + d)``: w is one over its norm, f(0) what its representation
makes of a zero, and d has entries for stored numbers alone. So its product with a vector b is
``w (dᵀb + f(0) Σb)``. In its share of an image every sample gets a multiple of f(0) more; these
add up over the features and are added to the image in the end.

What features are multiplied with is cut into groups of `LANES` columns, and a row of a group is
read at once. The features are cut into blocks with equal shares of the stored numbers, and a
thread takes a block at a time. The cut depends on the sizes of the data alone, and the partial
sums are added in a fixed order, so the number of threads changes no bit.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import prange

from specsel._data.lanes import (
    LANES,
    gather,
    load,
    plus,
    rows_of_lanes,
    scatter,
    store,
    times,
    total,
)
from specsel._runtime import jit
from specsel._validate import Floats, Integers, NDArray

# The most blocks, and the fewest stored numbers in a block where there are several.
MAX_BLOCKS = 64
MIN_BLOCK = 2**14

# The partial sums of all blocks together may take this share of the stored numbers, or so many
# numbers if that is more.
PARTIAL_SHARE = 0.1
PARTIAL_NUMBERS = 2**21


class Features(NamedTuple):
    """A band of features, and what shifts and scales every column of X."""

    starts: NDArray[Any]  # these three as in `Band`
    places: NDArray[Any]
    values: NDArray[Any]
    begin: int  # the column that the band begins with
    middle: Floats
    norms: Floats  # parts × columns


class Frame(NamedTuple):
    """What the features are multiplied with, and which of the scores serve for what."""

    table: Floats  # groups × samples × LANES
    sums: Floats  # Σ_s of every column, for all groups
    dual: int
    basis: int
    target: int
    # 1 for every column of the dual, filled up with zeros to whole groups; none where the weights
    # are given.
    counts: Floats


class PairTerms(NamedTuple):
    """Pairs of samples with a value each, and the sums that f(0) is multiplied with."""

    starts: Integers
    seconds: Integers
    values: Floats
    sums: Floats  # of every sample: the values of the pairs that it is in
    total: float


class Sums(NamedTuple):
    """What every block of features adds to."""

    images: Floats  # blocks × groups × samples × LANES
    tails: Floats  # blocks × columns of the groups: what every sample gets more
    entries: Floats  # blocks × pairs: Σ α w² d_s d_t
    linear: Floats  # blocks × (samples + 1): Σ α w² f(0) d_s, and in the end Σ α w² f(0)²


def n_blocks(size: int, partial: int) -> int:
    """Number of blocks for so many stored numbers and so many partial sums a block."""
    count = min(max(size // MIN_BLOCK, 1), MAX_BLOCKS)
    room = max(PARTIAL_NUMBERS, PARTIAL_SHARE * size)
    return int(max(1, min(count, room // max(partial, 1))))


def groups_of(matrix: Floats) -> Floats:
    """Cut the columns of a matrix into groups, groups × rows × LANES, filled up with zeros."""
    n_groups = -(-matrix.shape[1] // LANES)
    groups = rows_of_lanes(n_groups, len(matrix))
    for group, start in zip(groups, range(0, matrix.shape[1], LANES), strict=True):
        columns = matrix[:, start : start + LANES]
        group[:, : columns.shape[1]] = columns
    return groups


def joined_groups(groups: Floats, n_columns: int) -> Floats:
    """The matrix that `groups_of` cut."""
    rows = groups.transpose(1, 0, 2).reshape(groups.shape[1], -1)
    return np.ascontiguousarray(rows[:, :n_columns])


def sweep(
    features: Features,
    frame: Frame,
    pairs: PairTerms | None,
    bounds: Integers,
    alpha: Floats,
    sums: Sums,
) -> None:
    """Pass over a band once: weights if there is a dual, then their image and entries of pairs.

    A single block wakes no threads.
    """
    if len(bounds) == 2:
        sums = Sums(*(part[0] for part in sums))
        _sweep_range(features, frame, pairs, 0, bounds[1], alpha, sums)
    else:
        _sweep(features, frame, pairs, bounds, alpha, *sums)


@jit(parallel=True)
def _sweep(features, frame, pairs, bounds, alpha, images, tails, entries, linear):
    for block in prange(len(bounds) - 1):
        sums = Sums(images[block], tails[block], entries[block], linear[block])
        _sweep_range(features, frame, pairs, bounds[block], bounds[block + 1], alpha, sums)


@jit
def _sweep_range(features, frame, pairs, first, last, alpha, sums):
    """Serial pass over the features from `first` to `last`; all sums are added to."""
    if len(features.norms) == 1 and pairs is None:
        _sweep_stored(features, frame, first, last, alpha, sums.images, sums.tails)
    else:
        _sweep_loaded(features, frame, pairs, first, last, alpha, sums)


@jit
def _sweep_stored(features, frame, first, last, alpha, image, tail):
    """As `_sweep_loaded`, twice as fast, where d is what is stored and there are no pairs."""
    starts, places, values = features.starts, features.places, features.values
    table, q = frame.table, image.shape[1]
    scores = score_room(frame)
    for i in range(first, last):
        column = features.begin + i
        norm = features.norms[0, column]
        if norm == 0.0:
            skip(frame, alpha, 0, column)
            continue
        start, stop, zero = starts[i], starts[i + 1], -features.middle[column]
        for g in range(len(table)):
            product = gather(values, places, start, stop, table, g * q)
            keep_score(product, zero, 1.0 / norm, frame, g, scores)
        if len(frame.counts) > 0:
            alpha[0, column] = weight_of(scores, frame)
        factor = alpha[0, column] / norm
        for g in range(len(image)):
            factors = share_of(scores, factor, zero, frame, g, tail)
            scatter(values, places, start, stop, factors, image, g * q)


@jit
def _sweep_loaded(features, frame, pairs, first, last, alpha, sums):
    """Pass over features one after another, or over the two parts of each."""
    starts, places, values = features.starts, features.places, features.values
    table, image, norms, parts = frame.table, sums.images, features.norms, len(features.norms)
    q = image.shape[1]
    d, spread = np.empty(q), np.zeros(q)
    scores = score_room(frame)
    for i in range(first, last):
        own, numbers = places[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
        column, size = features.begin + i, len(own)
        for part in range(parts):
            norm = norms[part, column]
            if norm == 0.0:
                skip(frame, alpha, part, column)
                continue
            scale, zero = 1.0 / norm, shifted(numbers, features.middle[column], part, parts, d)
            for g in range(len(table)):
                product = gather(d, own, 0, size, table, g * q)
                keep_score(product, zero, scale, frame, g, scores)
            weight = alpha[part, column]
            if len(frame.counts) > 0:
                weight = weight_of(scores, frame)
                if pairs is not None:
                    weight += scale * scale * _pair_weight(d, own, zero, pairs, spread)
                alpha[part, column] = weight
            for g in range(len(image)):
                factors = share_of(scores, weight * scale, zero, frame, g, sums.tails)
                scatter(d, own, 0, size, factors, image, g * q)
            if pairs is not None:
                share = weight * scale * scale
                _pair_entries(d, own, zero, share, pairs, spread, sums.entries, sums.linear)


@jit
def skip(frame, alpha, part, column):
    """Leave out a constant feature: its weight is 0, if it is not given."""
    if len(frame.counts) > 0:
        alpha[part, column] = 0.0


@jit
def score_room(frame):
    """Room for the scores of a feature.

    Groups of LANES may begin at any score, so the last one reaches beyond them.
    """
    return np.zeros(len(frame.sums) + LANES)


@jit
def keep_score(product, zero, scale, frame, g, scores):
    """Fill in a group of the scores of a feature from ``dᵀb``."""
    shift = times(zero, load(frame.sums, g * LANES))
    store(scores, g * LANES, times(scale, plus(product, shift)))


@jit
def share_of(scores, factor, zero, frame, g, tail):
    """Return what d is multiplied with for a group of the image, and add to its tail."""
    share = times(factor, load(scores, frame.target + g * LANES))
    more = times(zero, share)
    store(tail, g * LANES, plus(load(tail, g * LANES), more))
    return share


@jit
def weight_of(scores, frame):
    """The product of a feature's scores by dual and by basis."""
    weight = 0.0
    for c in range(0, len(frame.counts), LANES):
        both = times(load(scores, frame.dual + c), load(scores, frame.basis + c))
        weight += total(times(load(frame.counts, c), both))
    return weight


@jit
def shifted(column, middle, part, parts, d):
    """Fill in ``d = f(x) - f(0)`` of the stored numbers; return f(0)."""
    if parts == 1:
        for p in range(len(column)):
            d[p] = column[p]
        return -middle
    sign = 1.0 - 2.0 * part
    zero = max(-sign * middle, 0.0)
    for p in range(len(column)):
        d[p] = max(sign * (column[p] - middle), 0.0) - zero
    return zero


@jit
def _pair_weight(d, places, zero, pairs, spread):
    """``Σ v_st (d_s + f(0)) (d_t + f(0))`` over the pairs."""
    starts, seconds, values, sums, total = pairs
    for p in range(len(places)):
        spread[places[p]] = d[p]
    weight = zero * zero * total
    for p in range(len(places)):
        s, inner = places[p], zero * sums[places[p]]
        for pair in range(starts[s], starts[s + 1]):
            inner += values[pair] * spread[seconds[pair]]
        weight += d[p] * inner
    for p in range(len(places)):
        spread[places[p]] = 0.0
    return weight


@jit
def _pair_entries(d, places, zero, share, pairs, spread, entries, linear):
    """Add ``share d_s d_t`` of every pair, and what is to be added to it for f(0)."""
    starts, seconds = pairs.starts, pairs.seconds
    for p in range(len(places)):
        spread[places[p]] = d[p]
    for p in range(len(places)):
        s, x = places[p], share * d[p]
        linear[s] += zero * x
        for pair in range(starts[s], starts[s + 1]):
            entries[pair] += x * spread[seconds[pair]]
    linear[-1] += share * zero * zero
    for p in range(len(places)):
        spread[places[p]] = 0.0


def forms(features: Features, square: Floats, bounds: Integers, alpha: Floats) -> None:
    """Fill in ``α_i = m_iᵀ square m_i``."""
    around = square.sum(axis=0) + square.sum(axis=1)
    _forms(features, square, around, square.sum(), bounds, alpha)


@jit(parallel=True)
def _forms(features, square, around, whole, bounds, alpha):
    starts, places, values = features.starts, features.places, features.values
    parts = len(features.norms)
    for block in prange(len(bounds) - 1):
        d = np.empty(len(square))
        for i in range(bounds[block], bounds[block + 1]):
            own, numbers = places[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
            column = features.begin + i
            for part in range(parts):
                zero = shifted(numbers, features.middle[column], part, parts, d)
                form = zero * zero * whole
                for a in range(len(own)):
                    row = square[own[a]]
                    inner = zero * around[own[a]]
                    for b in range(len(own)):
                        inner += d[b] * row[own[b]]
                    form += d[a] * inner
                norm = features.norms[part, column]
                alpha[part, column] = form / (norm * norm) if norm > 0 else 0.0


@jit(parallel=True)
def affinities(features, alpha, bounds, squares, linear):
    """Add ``Σ α w² d dᵀ`` at and below the diagonal, and `Sums.linear`, of a block of features."""
    starts, places, values = features.starts, features.places, features.values
    parts = len(features.norms)
    for block in prange(len(bounds) - 1):
        square, line = squares[block], linear[block]
        d = np.empty(len(square))
        for i in range(bounds[block], bounds[block + 1]):
            own, numbers = places[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
            column = features.begin + i
            for part in range(parts):
                zero = shifted(numbers, features.middle[column], part, parts, d)
                norm = features.norms[part, column]
                share = alpha[part, column] / (norm * norm) if norm > 0 else 0.0
                line[-1] += share * zero * zero
                for a in range(len(own)):
                    x, row = share * d[a], square[own[a]]
                    line[own[a]] += zero * x
                    for b in range(a + 1):
                        row[own[b]] += x * d[b]
