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

from typing import NamedTuple

import numpy as np
from numba import prange

from specsel._data.lanes import LANES, gather, rows_of_lanes, scatter
from specsel._data.stored import Band
from specsel._input.annotations import Floats, Integers
from specsel.linalg import jit

# The most blocks, and the fewest stored numbers in a block where there are several.
MAX_BLOCKS = 64
MIN_BLOCK = 2**14

# The partial sums of all blocks together may take this share of the stored numbers, or so many
# numbers if that is more.
PARTIAL_SHARE = 0.1
PARTIAL_NUMBERS = 2**21


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
    band: Band,
    middle: Floats,
    norms: Floats,
    frame: Frame,
    pairs: PairTerms | None,
    bounds: Integers,
    alpha: Floats,
    sums: Sums,
) -> None:
    """Pass over a band once: weights if there is a dual, then their image and entries of pairs.

    A single block wakes no threads.
    """
    given = band, middle, norms, frame, pairs
    if len(bounds) == 2:
        _sweep_range(*given, 0, bounds[1], alpha, *(part[0] for part in sums))
    else:
        _sweep(*given, bounds, alpha, *sums)


@jit(parallel=True)
def _sweep(band, middle, norms, frame, pairs, bounds, alpha, images, tails, entries, linear):
    for block in prange(len(bounds) - 1):
        first, last = bounds[block], bounds[block + 1]
        image, tail, entry, line = images[block], tails[block], entries[block], linear[block]
        _sweep_range(
            band, middle, norms, frame, pairs, first, last, alpha, image, tail, entry, line
        )


@jit
def _sweep_range(
    band, middle, norms, frame, pairs, first, last, alpha, image, tail, entries, linear
):
    """Serial pass over the features from `first` to `last`; all sums are added to."""
    starts, places, values = band
    table, column_sums, dual, basis, target, counts = frame
    q, parts = image.shape[1], len(norms)
    as_stored = parts == 1 and pairs is None
    d = np.empty(q)
    spread = np.zeros(q)
    scores = np.zeros(table.shape[0] * LANES + LANES)
    factors = np.empty(LANES)
    for i in range(first, last):
        start, stop = starts[i], starts[i + 1]
        size, column = stop - start, places[start:stop]
        for part in range(parts):
            scale, zero = 1.0 / norms[part, i] if norms[part, i] > 0 else 0.0, -middle[i]
            if not as_stored:
                zero = load(values[start:stop], middle[i], part, parts, d)
            for g in range(table.shape[0]):
                if as_stored:
                    gather(values, places, start, stop, table, g * q, scores, g * LANES)  # type: ignore[call-arg]
                else:
                    gather(d, column, 0, size, table, g * q, scores, g * LANES)  # type: ignore[call-arg]
                for c in range(g * LANES, (g + 1) * LANES):
                    scores[c] = (scores[c] + zero * column_sums[c]) * scale
            weight = 0.0
            if len(counts) > 0:
                for g in range(0, len(counts), LANES):
                    for c in range(g, g + LANES):
                        weight += counts[c] * scores[dual + c] * scores[basis + c]
                if pairs is not None:
                    weight += scale * scale * _pair_weight(d, column, size, zero, pairs, spread)
                alpha[part, i] = weight
            else:
                weight = alpha[part, i]
            for g in range(image.shape[0]):
                for c in range(LANES):
                    factors[c] = weight * scale * scores[target + g * LANES + c]
                    tail[g * LANES + c] += zero * factors[c]
                if as_stored:
                    scatter(values, places, start, stop, factors, 0, image, g * q)  # type: ignore[call-arg]
                else:
                    scatter(d, column, 0, size, factors, 0, image, g * q)  # type: ignore[call-arg]
            if pairs is not None:
                share = weight * scale * scale
                _pair_entries(d, column, size, zero, share, pairs, spread, entries, linear)


@jit
def load(column, middle, part, parts, d):
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
def _pair_weight(d, places, size, zero, pairs, spread):
    """``Σ v_st (d_s + f(0)) (d_t + f(0))`` over the pairs."""
    starts, seconds, values, sums, total = pairs
    for p in range(size):
        spread[places[p]] = d[p]
    weight = zero * zero * total
    for p in range(size):
        s, inner = places[p], zero * sums[places[p]]
        for pair in range(starts[s], starts[s + 1]):
            inner += values[pair] * spread[seconds[pair]]
        weight += d[p] * inner
    for p in range(size):
        spread[places[p]] = 0.0
    return weight


@jit
def _pair_entries(d, places, size, zero, share, pairs, spread, entries, linear):
    """Add ``share d_s d_t`` of every pair, and what is to be added to it for f(0)."""
    starts, seconds = pairs.starts, pairs.seconds
    for p in range(size):
        spread[places[p]] = d[p]
    for p in range(size):
        s, x = places[p], share * d[p]
        linear[s] += zero * x
        for pair in range(starts[s], starts[s + 1]):
            entries[pair] += x * spread[seconds[pair]]
    linear[-1] += share * zero * zero
    for p in range(size):
        spread[places[p]] = 0.0


def forms(
    band: Band, middle: Floats, norms: Floats, square: Floats, bounds: Integers, alpha: Floats
) -> None:
    """Fill in ``α_i = m_iᵀ square m_i``."""
    around = square.sum(axis=0) + square.sum(axis=1)
    _forms(band, middle, norms, square, around, square.sum(), bounds, alpha)


@jit(parallel=True)
def _forms(band, middle, norms, square, around, total, bounds, alpha):
    starts, places, values = band
    parts = len(norms)
    for block in prange(len(bounds) - 1):
        d = np.empty(len(square))
        for i in range(bounds[block], bounds[block + 1]):
            size = starts[i + 1] - starts[i]
            column = places[starts[i] : starts[i + 1]]
            for part in range(parts):
                zero = load(values[starts[i] : starts[i + 1]], middle[i], part, parts, d)
                form = zero * zero * total
                for a in range(size):
                    row = square[column[a]]
                    inner = zero * around[column[a]]
                    for b in range(size):
                        inner += d[b] * row[column[b]]
                    form += d[a] * inner
                norm = norms[part, i]
                alpha[part, i] = form / (norm * norm) if norm > 0 else 0.0


@jit(parallel=True)
def affinities(band, middle, norms, alpha, bounds, squares, linear):
    """Add ``Σ α w² d dᵀ`` at and below the diagonal, and `Sums.linear`, of a block of features."""
    starts, places, values = band
    parts = len(norms)
    for block in prange(len(bounds) - 1):
        square, line = squares[block], linear[block]
        d = np.empty(len(square))
        for i in range(bounds[block], bounds[block + 1]):
            size = starts[i + 1] - starts[i]
            column = places[starts[i] : starts[i + 1]]
            for part in range(parts):
                zero = load(values[starts[i] : starts[i + 1]], middle[i], part, parts, d)
                norm = norms[part, i]
                share = alpha[part, i] / (norm * norm) if norm > 0 else 0.0
                line[-1] += share * zero * zero
                for a in range(size):
                    x, row = share * d[a], square[column[a]]
                    line[column[a]] += zero * x
                    for b in range(a + 1):
                        row[column[b]] += x * d[b]
