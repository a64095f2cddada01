"""A sparse matrix whose features are shifted and scaled on the fly, and the passes over it.

It does not become dense. The kernels take the numbers of a feature together, compressed by columns
(CSC). `Stored.of` converts other formats once; beyond the memory budget CSR stays, and every pass
converts it anew, a band of columns at a time, which is slow.

A standardised feature is ``w (f(0) 1 + d)``: w is one over its norm, f(0) what its representation
makes of a zero, and d has entries for stored numbers alone. So its product with a vector b is
``w (dᵀb + f(0) Σb)``. In its share of an image every sample gets a multiple of f(0) more; these
add up over the features and are added to the image in the end.

What features are multiplied with is cut into groups of `LANES` columns, and a row of a group is
read at once. The features are cut into blocks with equal shares of the stored numbers, and a
thread takes a block at a time. The cut depends on the sizes of the data alone, and the partial
sums are added in a fixed order, so the number of threads changes no bit. All sums are in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numba import prange

from specsel import _runtime
from specsel._data import columns
from specsel._data.columns import Band
from specsel._data.data import EVERY, Basis, Data, Pairs, Stack
from specsel._data.simd import LANES, gather, load, plus, rows_of_lanes, scatter, store, times
from specsel._runtime import for_blocks, jit
from specsel._validate import Floats, Integers, NDArray

# A band of CSR, where it does not fit as CSC, holds so many numbers at least, and this share of
# those of X at least.
BAND = 2**22
BAND_SHARE = 1 / 16

# A feature costs a pass as much as so many numbers more.
FEATURE_COST = 4

# The most blocks, and the fewest stored numbers in a block where there are several.
MAX_BLOCKS = 64
MIN_BLOCK = 2**14

# The partial sums of all blocks together may take this share of the stored numbers, or so many
# numbers if that is more.
PARTIAL_SHARE = 0.1
PARTIAL_NUMBERS = 2**21

# Partial sums of an affinity, samples × samples, may take so many numbers.
SQUARE_NUMBERS = 2**24

# A column is far from zero if its middle is so many times its standard deviation. Squares of
# products then lose four digits of sixteen.
FAR = 100

# Tall data are reduced if that takes at most so many operations for every stored number, about as
# many as the passes of a solve.
REDUCING = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Stored:
    """The stored numbers of a sparse matrix."""

    matrix: Any  # CSC, or CSR beyond the budget; sorted indices, none twice; never written to
    offsets: Floats | float = 0.0  # what was subtracted from the numbers of every column

    @classmethod
    def of(cls, matrix: Any) -> Self:
        """Convert a checked matrix to CSC, if it is CSR and the budget allows a copy."""
        if matrix.format == "csr":
            each = matrix.data.itemsize + matrix.indices.itemsize
            if each * matrix.nnz <= _runtime.budget():
                matrix = matrix.tocsc()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return cls(matrix)

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
    def starts(self) -> Integers:
        """Where the numbers of every column begin in CSC, and where the last ones end."""
        if self.matrix.format == "csc":
            return np.asarray(self.matrix.indptr)
        counts = np.bincount(self.matrix.indices, minlength=self.n_columns)
        return np.concatenate(([0], np.cumsum(counts)))

    def compressed(self) -> Iterator[tuple[slice, Any]]:
        """Yield slices of the columns with their part in CSC: all at once, or bands of CSR."""
        if self.matrix.format == "csc":
            yield slice(0, self.n_columns), self.matrix
            return
        count = -(-self.size // int(max(BAND, BAND_SHARE * self.size)))
        bounds = cuts(self.starts, max(count, 1)).tolist()
        for start, stop in pairwise(bounds):
            yield slice(start, stop), self.matrix[:, start:stop].tocsc()

    def bands(self, partial: int = 1) -> Iterator[Band]:
        """Yield bands of columns; `partial` is how many partial sums a block needs."""
        for part, matrix in self.compressed():
            starts, samples, values = map(_read_only, (matrix.indptr, matrix.indices, matrix.data))
            bounds = cuts(starts, n_blocks(len(values), partial))
            yield Band(part.start, starts, samples, values, self.n_samples, bounds)

    def rows(self, start: int, stop: int) -> NDArray[Any]:
        """Return some samples, dense."""
        if self.matrix.format == "csr":
            return np.asarray(self.matrix[start:stop].toarray())
        out = np.zeros((max(stop - start, 0), self.n_columns), self.matrix.data.dtype)
        for band in self.bands():
            _fill_rows(band.starts, band.samples, band.values, start, stop, out)
        return out

    def divided(self, exponents: Integers) -> Self:
        """Return a copy with every column divided by a power of two."""
        return self._with(np.ldexp(self.matrix.data, -self._spread(exponents)))

    def shifted(self, offsets: Floats) -> Self:
        """Return a copy in float64, with an offset subtracted from the numbers of each column."""
        return self._with(self.matrix.data.astype(np.float64) - self._spread(offsets), offsets)

    def ranked(self) -> tuple[Self, Floats]:
        """Ranks in the place of numbers, less the rank of a zero, which is returned too."""
        out = np.empty(self.size)
        absent = columns.ranks(self, out)
        indices = np.concatenate([matrix.indices for _, matrix in self.compressed()])
        from scipy.sparse import csc_array  # here, for it is slow to import

        return type(self)(csc_array((out, indices, self.starts), self.matrix.shape)), absent

    def _spread(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return the number of its column for every stored number."""
        if self.matrix.format == "csc":
            return np.repeat(numbers, np.diff(self.starts))
        return np.take(numbers, self.matrix.indices)

    def _with(self, values: NDArray[Any], offsets: Floats | float = 0.0) -> Self:
        """Return other numbers in the same places."""
        matrix = self.matrix
        parts = values, matrix.indices, matrix.indptr
        return type(self)(type(matrix)(parts, matrix.shape), offsets)


def cuts(starts: NDArray[Any], n_parts: int) -> Integers:
    """Cut columns into parts with equal shares of the stored numbers.

    Equal numbers of columns would not do: a few of them often hold most of the numbers.
    """
    work = starts + FEATURE_COST * np.arange(len(starts))
    inner = np.searchsorted(work, np.linspace(work[0], work[-1], n_parts + 1)[1:-1])
    return np.concatenate(([0], inner, [len(starts) - 1])).astype(np.intp)


def n_blocks(size: int, partial: int) -> int:
    """Number of blocks for so many stored numbers and so many partial sums a block."""
    count = min(max(size // MIN_BLOCK, 1), MAX_BLOCKS)
    most = max(PARTIAL_NUMBERS, PARTIAL_SHARE * size) // max(partial, 1)
    return int(max(1, min(count, most)))


def near_zero(stored: Stored, middle: Floats, norms: Floats) -> tuple[Stored, Floats]:
    """Shift columns that have a number in every sample, all of them far from zero.

    Their d and f(0) would both be large, and the sums of these would lose digits. Returns the
    numbers, copied only where there are such columns, and what is still to be subtracted.
    """
    full = (np.diff(stored.starts) == stored.n_samples) & (norms.max(axis=0) > 0)
    far = full & (np.abs(middle) * np.sqrt(stored.n_samples) > FAR * norms.max(axis=0))
    if not far.any():
        return stored, middle
    offsets = np.where(far, middle, 0.0)
    return stored.shifted(offsets), middle - offsets


def is_reduced_soon(n_samples: int, n_features: int, n_stored: int) -> bool:
    """Return whether data with so many stored numbers are reduced in the time of a solve."""
    return n_samples * n_features**2 <= REDUCING * n_stored


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sparse(Data):
    """A sparse matrix, its features shifted and scaled on the fly; see `Data`."""

    numbers: Stored

    @classmethod
    def wrap(cls, **parts: Any) -> Self:
        """Make data of their parts."""
        numbers, middle = near_zero(parts["numbers"], parts["middle"], parts["norms"])
        return cls(**parts | {"numbers": numbers, "middle": middle})

    @property
    def offsets(self) -> Floats | float:
        """What the numbers of every column are less than those of X."""
        return self.numbers.offsets

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.numbers.n_samples

    def _values(self, samples: slice, part: slice | Integers) -> NDArray[Any]:
        if samples == EVERY:
            return np.asarray(self.numbers.matrix[:, part].toarray())
        return self.numbers.rows(samples.start, samples.stop)[:, part]

    def is_tall(self, times: int = 1) -> bool:
        """As `Data.is_tall`; a triangular factor is dense, so only with few features."""
        soon = is_reduced_soon(self.n_samples, self.n_features, self.numbers.size)
        return soon and super().is_tall(times)

    def centered(self) -> Self:
        """The same data with every column centred, even if every one turns out constant."""
        data = super().centered()
        stored, middle = near_zero(self.numbers, data.middle, data.norms)
        mean = data.middle + self.offsets
        return replace(data, numbers=stored, middle=middle, mean=mean)

    def _sweep(
        self, dual: Basis, basis: Basis, alpha: Basis, target: Floats, pairs: Pairs | None
    ) -> tuple[Floats, Floats, Floats]:
        self.count_pass()
        q, n_image = target.shape
        stack = _in_lanes(Stack.of(dual, basis, target, q, 1, float))
        weights = np.zeros(self.n_features) if alpha is None else alpha
        alpha = np.require(weights, float, ["C", "W"])
        n_pairs = 0 if pairs is None else len(pairs.seconds)
        n_groups = -(-n_image // LANES)
        # What every block adds to: the image; what every sample of the image gets more;
        # Σ α w² d_s d_t of the pairs; and for these Σ α w² f(0) d_s, in the end Σ α w² f(0)².
        image, tail, entries = (
            np.zeros((n_groups, q, LANES)),
            np.zeros(n_groups * LANES),
            np.zeros(n_pairs),
        )
        sums = [image, tail, entries, np.zeros(0 if pairs is None else q + 1)]
        partial = (n_groups * LANES + (pairs is not None)) * q + n_pairs
        for band in self.numbers.bands(partial):
            count = len(band.bounds) - 1
            more = [rows_of_lanes(count, n_groups, q)]
            more += [np.zeros((count, len(part))) for part in sums[1:]]
            sweep = for_blocks(_sweep, count)
            sweep(
                band, self.middle, self.norms, stack, pairs, alpha.reshape(self.norms.shape), *more
            )
            for part, parts in zip(sums, more, strict=True):
                part += parts.sum(axis=0)
        rows = image.transpose(1, 0, 2).reshape(q, -1)
        target_image = np.ascontiguousarray(rows[:, :n_image]) + tail[:n_image]
        if pairs is None:
            return alpha, target_image, entries
        linear = sums[-1]
        entries += linear[pairs.firsts] + linear[pairs.seconds] + linear[-1]
        return alpha, target_image, entries[pairs.positions]

    def _square(self, dual: Basis, alpha: Basis, with_image: bool) -> tuple[Floats, Floats]:
        if dual is not None:
            alpha = self._forms(dual)
        assert alpha is not None
        return alpha, self._affinity(alpha) if with_image else self._no_columns

    def _forms(self, square: Floats) -> Floats:
        """Return ``m_iᵀ square m_i`` of every feature."""
        self.count_pass()
        alpha = np.empty(self.norms.shape)
        around = square.sum(axis=0) + square.sum(axis=1)
        for band in self.numbers.bands():
            _forms(band, self.middle, self.norms, square, around, square.sum(), alpha)
        return alpha.ravel()

    def _affinity(self, alpha: Floats) -> Floats:
        """Return ``A_α``, samples × samples."""
        self.count_pass()
        q = self.n_samples
        square, linear = np.zeros((q, q)), np.zeros(q + 1)
        weights = np.asarray(alpha, dtype=float).reshape(self.norms.shape)
        for band in self.numbers.bands():
            count = max(1, min(len(band.bounds) - 1, SQUARE_NUMBERS // q**2))
            band = band._replace(bounds=cuts(band.starts, count))
            squares, lines = np.zeros((count, q, q)), np.zeros((count, q + 1))
            _affinities(band, self.middle, self.norms, weights, squares, lines)
            square += squares.sum(axis=0)
            linear += lines.sum(axis=0)
        square += np.tril(square, -1).T
        square += linear[:q] + linear[:q, None] + linear[q]
        return square


def _in_lanes(stack: Stack) -> Stack:
    """Return groups of LANES rows, a row of a group for each sample; the last has their sums."""
    count, q = stack.rows.shape
    groups = rows_of_lanes(-(-count // LANES), q + 1)
    for group, first in zip(groups, range(0, count, LANES), strict=True):
        some = stack.rows[first : first + LANES]
        group[:q, : len(some)] = some.T
        group[q] = group[:q].sum(axis=0)
    return stack._replace(rows=groups)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view; one compiled version serves writable and read-only arrays."""
    view = array.view()
    view.flags.writeable = False
    return view


@jit
def _fill_rows(starts, samples, values, start, stop, out):
    """Fill in the samples from `start` to `stop`."""
    for i in range(len(starts) - 1):
        p, high = starts[i], starts[i + 1]
        while p < high:  # find the first number of these samples by halves
            middle = (p + high) // 2
            if samples[middle] < start:
                p = middle + 1
            else:
                high = middle
        while p < starts[i + 1] and samples[p] < stop:
            out[samples[p] - start, i] = values[p]
            p += 1


@jit(parallel=True)
def _sweep(band, middle, norms, stack, pairs, alpha, images, tails, entries, linear):
    bounds = band.bounds
    for b in prange(len(bounds) - 1):
        sums = images[b], tails[b], entries[b], linear[b]
        _sweep_range(band, middle, norms, stack, pairs, bounds[b], bounds[b + 1], alpha, *sums)


@jit(helper=True)
def _sweep_range(
    band, middle, norms, stack, pairs, first, last, alpha, image, tail, entries, linear
):
    """Serial pass over the features from `first` to `last`; all sums are added to."""
    if len(norms) == 1 and pairs is None:
        _sweep_stored(band, middle, norms, stack, first, last, alpha, image, tail)
        return
    starts, samples, values = band.starts, band.samples, band.values
    groups, parts, q = stack.rows, len(norms), image.shape[1]
    d, spread = np.empty(q), np.zeros(q)
    scores = np.zeros((len(groups) + 1) * LANES)  # those of the target may begin in a group
    total = 0.0 if pairs is None else 0.5 * pairs.sums.sum()
    for i in range(first, last):
        own, numbers = samples[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
        column, size = band.begin + i, len(own)
        for part in range(parts):
            norm = norms[part, column]
            if norm == 0.0:
                continue
            scale, zero = 1.0 / norm, _shifted(numbers, middle[column], part, parts, d)
            for g in range(len(groups)):
                product = gather(d, own, 0, size, groups, g * (q + 1))
                _keep_score(product, zero, scale, groups, g, scores)
            weight = alpha[part, column]
            if stack.n_dual > 0:
                weight = _weight_of(scores, stack)
                if pairs is not None:
                    weight += scale * scale * _pair_weight(d, own, zero, pairs, total, spread)
                alpha[part, column] = weight
            for g in range(len(image)):
                factors = _share_of(scores, weight * scale, zero, stack, g, tail)
                scatter(d, own, 0, size, factors, image, g * q)
            if pairs is not None:
                share = weight * scale * scale
                _pair_entries(d, own, zero, share, pairs, spread, entries, linear)


@jit(helper=True)
def _sweep_stored(band, middle, norms, stack, first, last, alpha, image, tail):
    """The same, twice as fast, where d is what is stored and there are no pairs."""
    starts, samples, values = band.starts, band.samples, band.values
    groups, q = stack.rows, image.shape[1]
    scores = np.zeros((len(groups) + 1) * LANES)
    for i in range(first, last):
        column = band.begin + i
        norm = norms[0, column]
        if norm == 0.0:
            continue
        start, stop, zero = starts[i], starts[i + 1], -middle[column]
        for g in range(len(groups)):
            product = gather(values, samples, start, stop, groups, g * (q + 1))
            _keep_score(product, zero, 1.0 / norm, groups, g, scores)
        if stack.n_dual > 0:
            alpha[0, column] = _weight_of(scores, stack)
        factor = alpha[0, column] / norm
        for g in range(len(image)):
            factors = _share_of(scores, factor, zero, stack, g, tail)
            scatter(values, samples, start, stop, factors, image, g * q)


@jit(helper=True)
def _keep_score(product, zero, scale, groups, g, scores):
    """Fill in a group of the scores of a feature from ``dᵀb``."""
    shift = times(zero, load(groups, ((g + 1) * groups.shape[1] - 1) * LANES))
    store(scores, g * LANES, times(scale, plus(product, shift)))


@jit(helper=True)
def _share_of(scores, factor, zero, stack, g, tail):
    """Return what d is multiplied with for a group of the image, and add to its tail."""
    share = times(factor, load(scores, stack.target + g * LANES))
    store(tail, g * LANES, plus(load(tail, g * LANES), times(zero, share)))
    return share


@jit(helper=True)
def _weight_of(scores, stack):
    """The product of a feature's scores by dual and by basis."""
    weight = 0.0
    for c in range(stack.n_dual):
        weight += scores[stack.dual + c] * scores[stack.basis + c]
    return weight


@jit(helper=True)
def _shifted(column, middle, part, parts, d):
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


@jit(helper=True)
def _pair_weight(d, samples, zero, pairs, total, spread):
    """``Σ v_st (d_s + f(0)) (d_t + f(0))`` over the pairs."""
    starts, seconds, values, sums = pairs.starts, pairs.seconds, pairs.values, pairs.sums
    for p in range(len(samples)):
        spread[samples[p]] = d[p]
    weight = zero * zero * total
    for p in range(len(samples)):
        s, inner = samples[p], zero * sums[samples[p]]
        for pair in range(starts[s], starts[s + 1]):
            inner += values[pair] * spread[seconds[pair]]
        weight += d[p] * inner
    for p in range(len(samples)):
        spread[samples[p]] = 0.0
    return weight


@jit(helper=True)
def _pair_entries(d, samples, zero, share, pairs, spread, entries, linear):
    """Add ``share d_s d_t`` of every pair, and what is to be added to it for f(0)."""
    starts, seconds = pairs.starts, pairs.seconds
    for p in range(len(samples)):
        spread[samples[p]] = d[p]
    for p in range(len(samples)):
        s, x = samples[p], share * d[p]
        linear[s] += zero * x
        for pair in range(starts[s], starts[s + 1]):
            entries[pair] += x * spread[seconds[pair]]
    linear[-1] += share * zero * zero
    for p in range(len(samples)):
        spread[samples[p]] = 0.0


@jit(parallel=True)
def _forms(band, middle, norms, square, around, total, alpha):
    _, starts, samples, values, _, bounds = band
    parts = len(norms)
    for block in prange(len(bounds) - 1):
        d = np.empty(len(square))
        for i in range(bounds[block], bounds[block + 1]):
            own, numbers = samples[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
            column = band.begin + i
            for part in range(parts):
                zero = _shifted(numbers, middle[column], part, parts, d)
                form = zero * zero * total
                for a in range(len(own)):
                    row = square[own[a]]
                    inner = zero * around[own[a]]
                    for b in range(len(own)):
                        inner += d[b] * row[own[b]]
                    form += d[a] * inner
                norm = norms[part, column]
                alpha[part, column] = form / (norm * norm) if norm > 0 else 0.0


@jit(parallel=True)
def _affinities(band, middle, norms, alpha, squares, linear):
    """Add ``Σ α w² d dᵀ`` at and below the diagonal, and what f(0) adds, of all blocks."""
    _, starts, samples, values, _, bounds = band
    parts = len(norms)
    for block in prange(len(bounds) - 1):
        square, line = squares[block], linear[block]
        d = np.empty(len(square))
        for i in range(bounds[block], bounds[block + 1]):
            own, numbers = samples[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
            column = band.begin + i
            for part in range(parts):
                zero = _shifted(numbers, middle[column], part, parts, d)
                norm = norms[part, column]
                share = alpha[part, column] / (norm * norm) if norm > 0 else 0.0
                line[-1] += share * zero * zero
                for a in range(len(own)):
                    x, row = share * d[a], square[own[a]]
                    line[own[a]] += zero * x
                    for b in range(a + 1):
                        row[own[b]] += x * d[b]
