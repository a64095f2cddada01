"""Data that are read block by block, and the passes over blocks of samples.

Blocks of `ByFeature` hold all samples of some features: each is passed over as dense data are, and
a pass reads X once. Blocks of `BySample` hold all features of some samples: ``A_α C = M (D MᵀC)``,
so a pass reads X once for the scores of all features, from which the weights follow, and once more
for the image. A block of samples is cut into strips, by its size alone, and a thread takes a strip
at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import prange

from specsel import _runtime
from specsel._data import columns
from specsel._data.columns import CONSTANT
from specsel._data.data import EVERY, Basis, Data, Map, Pairs, Stack
from specsel._data.dense import Dense
from specsel._data.reduced import SAMPLES, maps, triangular_factor
from specsel._data.sources import Source
from specsel._runtime import for_blocks, jit
from specsel._validate import Bools, Floats, Integers, NDArray

# Strips of a block of samples.
STRIPS = 8

# Columns of the identity that are multiplied at a time.
IDENTITY_COLUMNS = 64

# Inner products serve in the place of samples where their smallest eigenvalue is at least this
# share of the largest; what squares lose is then far below any tolerance.
SAFE = 1e-6

# What is subtracted from the columns of a block, and the norms of what remains.
Scaling = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Chunked(Data):
    """Data that are read block by block."""

    numbers: Source

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.numbers.shape[0]

    def _values(self, samples: slice, part: slice | Integers) -> NDArray[Any]:
        if not isinstance(part, slice):
            some = [self.numbers.read(samples, slice(i, i + 1)) for i in part.tolist()]
            return np.hstack(some)
        if part != EVERY:
            part = slice(*part.indices(self.n_columns))
        return self.numbers.read(samples, part)

    def reduced(self, members: Bools | None = None) -> tuple[Data, Map, Map]:
        """Replace tall data, or their marked samples, by dense data of as many as features."""
        self._check_factor()
        return super().reduced(members)

    def _check_factor(self) -> None:
        """Refuse more features than the budget allows a triangular factor of."""
        what, size = f"X: the inner products of {self.n_features} features", self.n_features**2
        _runtime.check_budget(what, 3 * 8 * size, "take fewer features")


class ByFeature(Chunked):
    """Data whose blocks hold all samples of some features."""

    @staticmethod
    def moments(source: Source, center: bool) -> tuple[Floats, Floats]:
        """As `columns.moments`, in one pass."""
        return _joined(source, columns.moments, center)

    @staticmethod
    def middles(source: Source, fraction: float, parts: int) -> tuple[Floats, Floats]:
        """As `columns.middles`."""
        return _joined(source, columns.middles, fraction, parts)

    def spans(self) -> Iterator[tuple[slice, Floats]]:
        """Yield slices of the columns, each with minimum, maximum and sum of its features."""
        self.count_pass()
        answers = self.numbers.run(_spans, zip(self._scalings))
        yield from zip(self.numbers.parts, answers, strict=True)

    def _sweep(
        self, dual: Basis, basis: Basis, alpha: Basis, target: Basis, pairs: Pairs | None
    ) -> tuple[Floats, Floats, Floats]:
        """Pass over all blocks, each as data of its own, and add up what they give."""
        self.count_pass()
        parts, shape = self.numbers.parts, self.norms.shape
        found, weights = np.empty(shape), None if alpha is None else alpha.reshape(shape)
        calls = (
            (scaling, dual, basis, None if weights is None else weights[:, part].ravel(), target)
            for part, scaling in zip(parts, self._scalings, strict=True)
        )
        answers = self.numbers.run(_sweep_block, ((*call, pairs) for call in calls))
        image = entries = np.zeros(())
        for part, (some, more, of_pairs) in zip(parts, answers, strict=True):
            found[:, part] = some.reshape(len(found), -1)
            image, entries = image + more, entries + of_pairs
        return found.ravel(), image, entries

    def _square(self, dual: Basis, alpha: Basis, with_image: bool) -> tuple[Floats, Floats]:
        target = None if with_image else self._no_columns
        return self._sweep(dual, None, alpha, target, None)[:2]

    @cached_property
    def _scalings(self) -> Sequence[Scaling]:
        """What standardises the features of every block."""
        parts = self.numbers.parts
        return self.numbers.keep((self.middle[part], self.norms[:, part].copy()) for part in parts)


def _joined(source: Source, measure: Callable[..., Any], *options: Any) -> Any:
    """Return what is measured of all blocks of features."""
    answers = [*source.run(_measure, ((measure, *options) for _ in source.parts))]
    return tuple(np.concatenate(parts, axis=-1) for parts in zip(*answers, strict=True))


def _measure(block: NDArray[Any], measure: Callable[..., Any], *options: Any) -> Any:
    return measure(block.T, *options)


def _spans(block: NDArray[Any], scaling: Scaling) -> Floats:
    return np.concatenate([out for _, out in columns.spans(block.T, *scaling)], axis=2)


def _sweep_block(block: NDArray[Any], scaling: Scaling, *factors: Any) -> Any:
    return Dense.of_block(block.T, *scaling).sweep(*factors)


class BySample(Chunked):
    """Data whose blocks hold all features of some samples."""

    reads = 2

    @staticmethod
    def moments(source: Source, center: bool) -> tuple[Floats, Floats]:
        """As `columns.moments`, in two passes."""
        total, low, high = _totals(source)
        if not np.isfinite(total).all():
            return total, np.zeros_like(total)  # the caller refuses it
        mean = total / source.shape[0] if center else np.zeros_like(total)
        norm = _norms_between(source, mean, 1, low, high)[0]
        if center:
            norm[high - low <= CONSTANT * np.maximum(np.abs(low), np.abs(high))] = 0.0
        return mean, norm

    @staticmethod
    def middles(source: Source, fraction: float, parts: int) -> tuple[Floats, Floats]:
        """As `columns.middles`."""
        _, low, high = _totals(source)
        middle = _medians(source) if fraction else low
        return middle, _norms_between(source, middle, parts, low, high)

    def spans(self) -> Iterator[tuple[slice, Floats]]:
        """Yield minimum, maximum and sum of all features at once."""
        self.count_pass()
        total, low, high = _totals(self.numbers)
        low, high = (low - self.middle)[None, :], (high - self.middle)[None, :]
        sums = (total - self.n_samples * self.middle)[None, :]
        if len(self.norms) == 2:
            low, high = np.vstack((low, -high)), np.vstack((high, -low))
            low, high = np.maximum(low, 0), np.maximum(high, 0)
            sums = self._products(np.ones((self.n_samples, 1)))[:, 0]
        yield slice(0, self.n_columns), np.stack((low, high, sums)) * self._scale

    def _sweep(
        self, dual: Basis, basis: Basis, alpha: Basis, target: Floats, pairs: Pairs | None
    ) -> tuple[Floats, Floats, Floats]:
        paired, inner = (None, None) if pairs is None else self._paired(pairs)
        rows, first, second, third, n_dual = Stack.of(
            dual, basis, target, self.n_samples, 1, float
        )
        scores = self._scores(rows.T) if len(rows) else np.zeros((len(self.norms), 0, 0))
        if dual is not None:
            pair = scores[:, first : first + n_dual], scores[:, second : second + n_dual]
            alpha = np.einsum("pci,pci->pi", *pair).ravel()
        weights = np.asarray(alpha, dtype=float)
        entries = np.zeros(0)
        if paired is not None and inner is not None:
            if dual is not None:
                weights += paired.pair_weights(inner)
            entries = paired.pair_entries(weights, inner)
        image = self._no_columns
        if target.shape[1]:
            images = scores[:, third : third + target.shape[1]]
            image = self._combined(weights.reshape(self.norms.shape)[:, None] * images)
        return weights, image, entries

    def _square(self, dual: Basis, alpha: Basis, with_image: bool) -> tuple[Floats, Floats]:
        """Multiply by the identity, some of its columns at a time."""
        q, step = self.n_samples, IDENTITY_COLUMNS
        units = [np.eye(q, min(step, q - start), -start) for start in range(0, q, step)]
        if dual is not None:
            duals = np.split(dual, range(step, q, step), axis=1)
            alpha = sum(map(self.forward, duals, units), np.zeros(self.n_features))
        assert alpha is not None
        if not with_image:
            return alpha, self._no_columns
        return alpha, np.hstack([self.adjoint(alpha, unit) for unit in units])

    @property
    def _scale(self) -> Floats:
        """One over the norm of every feature, 0 for a constant one."""
        return 1.0 / np.where(self.norms > 0, self.norms, np.inf)

    def _scores(self, basis: Floats) -> Floats:
        """``m_iᵀ b_c``, parts × columns of the basis × features."""
        return self._products(basis) * self._scale[:, None]

    def _products(self, basis: Floats) -> Floats:
        """The same of features that are shifted, but not scaled."""
        self.count_pass()
        calls = ((self.middle, len(self.norms), basis[part]) for part in self.numbers.parts)
        total: Floats = np.zeros((len(self.norms), basis.shape[1], self.n_columns))
        for more in self.numbers.run(_score_block, calls):
            total += more
        return total

    def _combined(self, coefficients: Floats) -> Floats:
        """``Σ_i c_i m_is`` of every sample; coefficients are parts × columns × features."""
        self.count_pass()
        call = self.middle, np.ascontiguousarray(coefficients * self._scale[:, None])
        blocks = self.numbers.run(_combine_block, (call for _ in self.numbers.parts))
        image = np.empty((self.n_samples, coefficients.shape[1]), order="F")
        for part, block in zip(self.numbers.parts, blocks, strict=True):
            image[part] = block
        return image

    def _paired(self, pairs: Pairs) -> tuple[Dense, Pairs]:
        """Return the samples that are in pairs, in memory, and the pairs of these."""
        both = np.column_stack((pairs.firsts, pairs.seconds))[pairs.positions]
        chosen, numbers = np.unique(both, return_inverse=True)
        _runtime.check_budget(
            f"X: {len(chosen)} samples in pairs",
            self.numbers.dtype.itemsize * len(chosen) * self.n_columns,
            "take fewer pairs",
        )
        samples = [self.numbers.read(slice(s, s + 1), EVERY) for s in chosen.tolist()]
        paired = Dense.of_block(np.concatenate(samples).T, self.middle, self.norms)
        inner = Pairs.sort(numbers.reshape(-1, 2), len(chosen))
        return paired, inner.with_values(pairs.values[pairs.positions])

    def reduced(self, members: Bools | None = None) -> tuple[Data, Map, Map]:
        """Replace samples, or those that are marked, by dense data of as many as features."""
        self._check_factor()
        self.count_pass()
        chosen = np.ones(self.n_samples, dtype=bool) if members is None else members
        factor = self._factor(chosen)

        def scores(basis: Floats) -> Floats:
            everywhere = np.zeros((self.n_samples, basis.shape[1]))
            everywhere[chosen] = basis
            return np.hstack([*self._scores(everywhere)]).T

        def combine(inner: Floats) -> Floats:
            coefficients = inner.T.reshape(inner.shape[1], len(self.norms), -1)
            image = self._combined(coefficients.transpose(1, 0, 2))
            return image if members is None else image[chosen]

        return Dense.of_factor(factor, self), *maps(factor, scores, combine)

    def _factor(self, chosen: Bools) -> Floats:
        """Return a matrix with the inner products of the features over the chosen samples.

        It is a root of these products where all digits that matter survive their squares, and
        else the triangular factor of the samples.
        """
        calls = [(self.middle, self.norms, chosen[part]) for part in self.numbers.parts]
        products: Floats = np.zeros((self.n_features, self.n_features))
        for more in self.numbers.run(_inner_products, iter(calls)):
            products += more
        values, axes = np.linalg.eigh(products)
        first = int((self.norms == 0).sum())
        if values[first] > SAFE * values[-1]:
            values[:first] = 0.0  # of constant features; as many rows as a triangular factor has
            root: Floats = np.sqrt(values[:, None]) * axes.T
            return root
        self.count_pass()
        factors = self.numbers.run(_triangular, iter(calls))
        return triangular_factor(factors, self.n_features)


def _totals(source: Source) -> tuple[Floats, Floats, Floats]:
    """Return sum, minimum and maximum of every column, from blocks of samples."""
    total: Floats = np.zeros(source.shape[1])
    low, high = np.full_like(total, np.inf), np.full_like(total, -np.inf)
    for sums, lows, highs in source.run(_totals_of_block, (() for _ in source.parts)):
        total += sums
        np.minimum(low, lows, out=low)
        np.maximum(high, highs, out=high)
    return total, low, high


def _norms_between(
    source: Source, middle: Floats, parts: int, low: Floats, high: Floats
) -> Floats:
    """Return the norms about the middles, parts × columns; no square overflows or underflows."""
    largest = np.maximum(np.stack([high - middle, middle - low]), 0.0)
    largest = largest if parts == 2 else largest.max(axis=0, keepdims=True)
    safe = np.where(largest > 0, largest, np.inf)
    squares = sum(source.run(_squares_of_block, ((middle, safe) for _ in source.parts)))
    norms: Floats = largest * np.sqrt(squares)
    return norms


def _medians(source: Source) -> Floats:
    """Return the median of every column, of as many at a time as the budget allows."""
    q, n = source.shape
    width = int(np.clip(_runtime.budget() // (4 * source.dtype.itemsize * q), 1, n))
    out = np.empty(n)
    for start in range(0, n, width):
        some = slice(start, min(start + width, n))
        blocks = source.run(_some_columns, ((some,) for _ in source.parts))
        together = np.empty((some.stop - start, q), source.dtype)
        for part, block in zip(source.parts, blocks, strict=True):
            together[:, part] = block
        out[some] = columns.middles(together, 0.5, 0)[0]
    return out


# The tasks of blocks of samples.


def _some_columns(block: NDArray[Any], some: slice) -> NDArray[Any]:
    return block[:, some].T


def _totals_of_block(block: NDArray[Any]) -> Floats:
    out = np.zeros((3, block.shape[1]))
    out[1], out[2] = np.inf, -np.inf
    _sum(np.ascontiguousarray(block), out[0], out[1], out[2])
    return out


def _squares_of_block(block: NDArray[Any], middle: Floats, largest: Floats) -> Floats:
    out = np.zeros_like(largest)
    _sum_squares(np.ascontiguousarray(block), middle, largest, out)
    return out


def _score_block(block: NDArray[Any], middle: Floats, parts: int, basis: Floats) -> Floats:
    out: Floats = np.zeros((STRIPS, parts, basis.shape[1], len(middle)))
    block, basis = np.ascontiguousarray(block), np.ascontiguousarray(basis)
    for_blocks(_score, STRIPS)(block, middle, basis, out)
    return out.sum(axis=0)


def _combine_block(block: NDArray[Any], middle: Floats, coefficients: Floats) -> Floats:
    image = np.empty((len(block), coefficients.shape[1]))
    for_blocks(_combine, STRIPS)(np.ascontiguousarray(block), middle, coefficients, image)
    return image


def _pieces(block: NDArray[Any], middle: Floats, norms: Floats, chosen: Bools) -> Iterator[Floats]:
    """Yield the standardised samples of a block that are chosen, some at a time."""
    step = max(SAMPLES, norms.size)
    for start in range(0, len(block), step):
        some = slice(start, start + step)
        if chosen[some].any():
            taken = block[some] if chosen[some].all() else block[some][chosen[some]]
            yield Dense.of_block(taken.T, middle, norms).rows(0, len(taken))


def _inner_products(block: NDArray[Any], middle: Floats, norms: Floats, chosen: Bools) -> Floats:
    """Inner products of the standardised features over the chosen samples of a block.

    Not by BLAS, whose threads compete with those of the passes, and with each other where blocks
    are multiplied side by side: on a busy machine that took twenty times as long.
    """
    total: Floats = np.zeros((norms.size, norms.size))
    for rows in _pieces(block, middle, norms, chosen):
        zero, one = np.zeros(len(rows)), np.ones((1, len(rows)))
        with _runtime.serial():  # samples in the place of features
            total += Dense.of_block(rows, zero, one).adjoint(one[0], None)
    return total


def _triangular(block: NDArray[Any], middle: Floats, norms: Floats, chosen: Bools) -> Floats:
    """R of a QR factorisation of the same samples."""
    return triangular_factor(_pieces(block, middle, norms, chosen), norms.size)


@jit(parallel=True)
def _score(block, middle, basis, out):
    span = -(-len(block) // STRIPS)
    for strip in prange(STRIPS):
        _score_range(block, middle, basis, strip * span, (strip + 1) * span, out[strip])


@jit(helper=True)
def _score_range(block, middle, basis, first, last, out):
    """Add ``Σ_s f(x_si) b_sc`` to `out`, parts × columns of the basis × features."""
    parts, _, n = out.shape
    row = np.empty((parts, n))
    for s in range(first, min(last, len(block))):
        _load(block[s], middle, row)
        for part in range(parts):
            for c in range(basis.shape[1]):
                b = basis[s, c]
                for i in range(n):
                    out[part, c, i] += b * row[part, i]


@jit(helper=True)
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


@jit(parallel=True)
def _combine(block, middle, coefficients, image):
    span = -(-len(block) // STRIPS)
    for strip in prange(STRIPS):
        _combine_range(block, middle, coefficients, strip * span, (strip + 1) * span, image)


@jit(helper=True)
def _combine_range(block, middle, coefficients, first, last, image):
    """Fill in ``Σ_i f(x_si) c_i`` of every sample; coefficients are parts × columns × features."""
    parts = len(coefficients)
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
def _sum(block, total, low, high):
    """Add the samples to the sum of every column, and widen its range."""
    for s in range(len(block)):
        for i in range(len(total)):
            x = np.float64(block[s, i])
            total[i] += x
            low[i], high[i] = min(low[i], x), max(high[i], x)


@jit
def _sum_squares(block, middle, largest, out):
    """Add the squares of the features about their middles, over their largest value."""
    row = np.empty((len(out), len(middle)))
    for s in range(len(block)):
        _load(block[s], middle, row)
        for part in range(len(out)):
            for i in range(len(middle)):
                share = row[part, i] / largest[part, i]
                out[part, i] += share * share
