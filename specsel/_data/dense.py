"""A dense array whose features are shifted and scaled on the fly, and the passes over it.

The array is never copied. Its features are cut into blocks, and a thread takes a block at a time.
Within a block it loads *tiles* of a few features: it shifts, multiplies and sums a tile while the
tile is in cache, and prefetches the memory of a later one. The cut depends on the sizes of the
data alone, and the partial sums of the blocks are added in a fixed order, so the number of threads
changes no bit.

Where a column of X counts as two features (its part above the median and its part below), both
are made from one tile, so that a pass still reads the data once.

Two passes are here: `_sweep_range` multiplies the features by a few vectors, and
`_sweep_square_range` by matrices of samples × samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numba import prange

from specsel._data import simd
from specsel._data.columns import UNIT, WIDE_UNIT, block_span
from specsel._data.data import Basis, Counter, Data, Pairs, Stack
from specsel._runtime import for_blocks, jit, one_thread
from specsel._validate import Floats, Integers, NDArray
from specsel.linalg import RESIDUAL_FLOOR

# So many features are summed in the precision of the data before they join the float64 sums.
CHUNK = 256

# A tile whose rows are samples has this many features, or fewer where it would have more entries
# than this.
SAMPLE_TILE = WIDE_UNIT
SAMPLE_TILE_ENTRIES = 2**15

# The same of a tile that is multiplied by matrices of samples × samples.
SQUARE_TILE = 128
SQUARE_TILE_ENTRIES = 2**16

# Values of a feature that are loaded at a time, where those of one feature lie together.
LINE = 8

# Rows of a matrix of samples × samples that are multiplied at a time.
ROWS = 4

# Data of so few numbers are multiplied sooner by plain products than by a compiled pass.
FEW = 2**12


class Columns(NamedTuple):
    """The columns of X as rows, what standardises them, and how they are cut into tiles."""

    features: NDArray[Any]  # columns × samples, float32 or float64, read-only
    middle: Floats  # what is subtracted from each column
    norms: Floats  # parts × columns: the norm of what remains, or of each of its two parts
    feature_major: bool  # as `is_feature_major` says
    width: int  # features in a tile


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Dense(Data):
    """A dense array of columns × samples, which are shifted and scaled on the fly; see `Data`."""

    numbers: NDArray[Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.numbers.flags.writeable = False

    @classmethod
    def of_factor(cls, factor: Floats, origin: Data) -> Self:
        """Wrap rows that have the inner products of the standardised features of `origin`."""
        norms = np.where(origin.norms.ravel() > 0, 1.0, 0.0)[None, :]
        data = cls.of_block(np.ascontiguousarray(factor).T, np.zeros(norms.size), norms)
        kept = {name: getattr(origin, name) for name in ("names", "mean_free", "lengths")}
        return replace(data, **kept, floor=RESIDUAL_FLOOR)

    @classmethod
    def of(cls, data: Data) -> Dense:
        """Return the same data as one array, whatever holds them."""
        if isinstance(data, Dense):
            return data
        return cls.of_factor(data.rows(0, data.n_samples), data)

    @classmethod
    def of_block(cls, features: NDArray[Any], middle: Floats, norms: Floats) -> Self:
        """Wrap some numbers of other data, to pass over them."""
        return cls(numbers=features, middle=middle, norms=norms, mean=middle, norm=norms[0])

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.numbers.shape[1])

    def _values(self, samples: slice, part: slice | Integers) -> NDArray[Any]:
        return self.numbers[part].T[samples]

    def reordered(self, features: NDArray[Any]) -> Self:
        """The same columns, each with its values in another order."""
        return replace(self, numbers=features.view(), counter=Counter())

    @cached_property
    def _few(self) -> Floats | None:
        """The standardised samples, if they are few numbers."""
        if self.n_samples * self.n_features > FEW:
            return None
        return np.ascontiguousarray(self.rows(0, self.n_samples), float)

    def _sweep(
        self, dual: Basis, basis: Basis, alpha: Basis, target: Floats, pairs: Pairs | None
    ) -> tuple[Floats, Floats, Floats]:
        self.count_pass()
        few = self._few
        if few is not None:
            return _sweep_few(few, dual, basis, alpha, target, pairs)
        features = self.numbers
        n, q = features.shape
        length = simd.row_length(q, features.itemsize)
        stack = Stack.of(dual, basis, target, length, 2, features.dtype)
        n_image = target.shape[1]
        weights = np.empty(self.n_features) if alpha is None else alpha
        alpha = np.require(weights, float, ["C", "W"])
        n_entries = 0 if pairs is None else len(pairs.seconds)
        span = block_span(n, n_image * q + n_entries, features.size)
        images = np.zeros((-(-n // span), n_image, length))
        entries = np.zeros((len(images), n_entries))
        feature_major = is_feature_major(features)
        width = tile_width(feature_major and pairs is None, len(stack.rows), q, span)
        columns = Columns(features, self.middle, self.norms, feature_major, width)
        sweep = for_blocks(_sweep, len(images))
        sweep(columns, stack, pairs, span, alpha.reshape(self.norms.shape), images, entries)
        of_pairs = entries[0] if pairs is None else entries.sum(axis=0)[pairs.positions]
        return alpha, images.sum(axis=0)[:, :q].T, of_pairs

    def _square(self, dual: Basis, alpha: Basis, with_image: bool) -> tuple[Floats, Floats]:
        """Multiply by half of each matrix.

        ``m_iᵀ B m_i`` depends on ``B + Bᵀ`` alone, and ``A_α`` is symmetric.
        """
        self.count_pass()
        few = self._few
        if few is not None:
            with one_thread(self.n_samples):
                if dual is not None:
                    alpha = np.einsum("si,si->i", few, dual @ few)
                assert alpha is not None
                return alpha, (few * alpha) @ few.T if with_image else self._no_columns
        features = self.numbers
        n, q = features.shape
        height = -(-q // ROWS) * ROWS
        upper = np.zeros((0, height), features.dtype)
        if dual is not None:
            upper = np.zeros((height, height), features.dtype)
            upper[:q, :q] = np.triu(dual + dual.T)
            upper[np.diag_indices(q)] = dual.diagonal()
            alpha = np.empty(self.n_features)
        alpha = np.require(alpha, float, ["C", "W"])
        rows = height if with_image else 0
        span = block_span(n, rows * rows, features.size)
        images = np.zeros((-(-n // span), rows, rows))
        width = SQUARE_TILE
        while width > UNIT and width * height > SQUARE_TILE_ENTRIES:
            width //= 2
        columns = Columns(features, self.middle, self.norms, is_feature_major(features), width)
        sweep = for_blocks(_sweep_square, len(images))
        sweep(columns, upper, alpha.reshape(self.norms.shape), span, images)
        if not with_image:
            return alpha, self._no_columns
        affinity = np.ascontiguousarray(images.sum(axis=0)[:q, :q])
        for s in range(1, q):
            affinity[s, :s] = affinity[:s, s]
        return alpha, affinity


def _sweep_few(
    few: Floats, dual: Basis, basis: Basis, alpha: Basis, target: Floats, pairs: Pairs | None
) -> tuple[Floats, Floats, Floats]:
    """Pass over the standardised samples by plain products.

    BLAS finds other bits for another order or alignment of memory, and a matrix that was sent to a
    worker may have another one.
    """
    target = np.array(target, order="C")
    products = few[:0] if pairs is None else few[pairs.firsts] * few[pairs.seconds]
    if dual is not None:
        assert basis is not None
        dual, basis = np.array(dual, order="C"), np.array(basis, order="C")
        alpha = np.einsum("ci,ci->i", dual.T @ few, basis.T @ few)
        alpha += 0.0 if pairs is None else pairs.values @ products
    assert alpha is not None
    entries = products @ alpha
    image = few @ (alpha * (target.T @ few)).T
    return alpha, image, entries if pairs is None else entries[pairs.positions]


def is_feature_major(features: NDArray[Any]) -> bool:
    """Return whether the values of one feature lie closer together than those of one sample."""
    return abs(features.strides[0]) >= abs(features.strides[1])


def tile_width(feature_major: bool, n_rows: int, n_samples: int, span: int) -> int:
    """Return the number of features in a tile.

    Few interleave arithmetic with reads of memory, many use a row of the stack more often while
    it is in a register.
    """
    if feature_major:
        return min(max(n_rows // UNIT * UNIT, UNIT), 64)
    width = SAMPLE_TILE
    while width > UNIT and (width > span or width * n_samples > SAMPLE_TILE_ENTRIES):
        width //= 2
    return width


@jit(parallel=True)
def _sweep(columns, stack, pairs, span, alpha, images, entries):
    for block in prange(len(images)):
        first, last = block * span, min((block + 1) * span, alpha.shape[1])
        image, sums = images[block], entries[block]
        _sweep_range(columns, stack, pairs, first, last, alpha, image, sums)


@jit(helper=True)
def _sweep_range(columns, stack, pairs, start, stop, alpha, image, entries):
    """Serial pass over the features from `start` to `stop`.

    The scores of a feature are its products with the rows of the stack. With a dual, `alpha` is
    computed as ``(dualᵀ m_i)ᵀ (basisᵀ m_i)``; else it is passed. `image` gathers
    ``Σ α_i (targetᵀ m_i) m_iᵀ``. With pairs of samples s and t, ``Σ v_st m_is m_it`` is added to a
    computed `alpha`, and `entries` gathers ``Σ α_i m_is m_it``.
    """
    features, middle, norms, feature_major, width = columns
    q = features.shape[1]
    n_image, lanes = image.shape
    n_parts = len(norms)
    n_stack = len(stack.rows)
    rows = simd.buffer(n_stack, lanes, features)
    for c in range(n_stack):
        for s in range(lanes):
            rows[c, s] = stack.rows[c, s]
    if feature_major:
        tile = simd.buffer(width, lanes, features)
    else:
        tile = simd.buffer((q + 3) // 4 * 4, width, features)
    samples = tile
    if feature_major and pairs is not None:
        samples = np.empty((q, width), features.dtype)
    scores = simd.buffer(n_stack, width, features)
    weights, scale = np.zeros((2, width))
    coefficients = simd.buffer(n_image + n_image % 2, width, features)
    partial = simd.buffer(n_image + n_image % 2, lanes, features)
    for chunk in range(start, stop, CHUNK):
        partial[:] = 0
        end = min(chunk + CHUNK, stop)
        for first in range(chunk, end, width):
            size = min(width, end - first)
            some = features[first : first + size]
            for part in range(n_parts):
                if feature_major:
                    _load_features(some, middle[first : first + size], part, n_parts, tile)
                else:
                    _load_samples(some, middle[first : first + size], part, n_parts, tile)
                scores[:] = 0
                if feature_major:
                    simd.add_inner(rows, tile, scores, 0)
                else:
                    simd.add_combined(rows, tile, scores, 0)
                for f in range(size):
                    norm = norms[part, first + f]
                    scale[f] = 1.0 / norm if norm > 0 else 0.0
                for c in range(n_stack):
                    for f in range(width):
                        scores[c, f] *= scale[f]
                if pairs is not None and feature_major:
                    for s in range(q):
                        for f in range(width):
                            samples[s, f] = tile[f, s]
                if stack.n_dual > 0:
                    _weigh(scores, stack.dual, stack.basis, stack.n_dual, weights)
                    if pairs is not None:
                        _weigh_pairs(samples, pairs, scale, weights)
                    for f in range(size):
                        alpha[part, first + f] = weights[f]
                for f in range(width):
                    weights[f] = alpha[part, first + f] if f < size else 0.0
                if pairs is not None:
                    _sum_pairs(samples, pairs, scale, weights, entries)
                for c in range(n_image):
                    for f in range(width):
                        coefficients[c, f] = weights[f] * scale[f] * scores[stack.target + c, f]
                if feature_major:
                    simd.add_combined(coefficients, tile, partial, 0)
                else:
                    simd.add_inner(coefficients, tile, partial, 0)
        for c in range(n_image):
            for s in range(lanes):
                image[c, s] += partial[c, s]


@jit(helper=True)
def _weigh(scores, dual, basis, n_dual, weights):
    """``α_i = (dualᵀ m_i)ᵀ (basisᵀ m_i)`` from the scores, in float64."""
    for f in range(len(weights)):
        weights[f] = 0
    for c in range(n_dual):
        for f in range(len(weights)):
            weights[f] += scores[dual + c, f] * scores[basis + c, f]


@jit(helper=True)
def _weigh_pairs(samples, pairs, scale, weights):
    """Add ``Σ v_st m_s m_t`` over the pairs; four pairs with one first sample s at a time."""
    starts, seconds, values = pairs.starts, pairs.seconds, pairs.values
    width = len(weights)
    total = np.empty(width)
    for s in range(len(starts) - 1):
        if starts[s] == starts[s + 1]:
            continue
        total[:] = 0
        for p in range(starts[s], starts[s + 1], 4):
            x0, x1 = samples[seconds[p]], samples[seconds[p + 1]]
            x2, x3 = samples[seconds[p + 2]], samples[seconds[p + 3]]
            v0, v1, v2, v3 = values[p], values[p + 1], values[p + 2], values[p + 3]
            for f in range(width):
                total[f] += v0 * x0[f] + v1 * x1[f] + v2 * x2[f] + v3 * x3[f]
        for f in range(width):
            weights[f] += total[f] * samples[s, f] * scale[f] * scale[f]


@jit(helper=True)
def _sum_pairs(samples, pairs, scale, weights, entries):
    """Add ``Σ α_i m_is m_it`` to the entry of each pair; four with one first sample at a time."""
    starts, seconds = pairs.starts, pairs.seconds
    width = len(weights)
    scaled = np.empty(width, samples.dtype)
    for s in range(len(starts) - 1):
        for f in range(width):
            scaled[f] = weights[f] * scale[f] * scale[f] * samples[s, f]
        for p in range(starts[s], starts[s + 1], 4):
            x0, x1 = samples[seconds[p]], samples[seconds[p + 1]]
            x2, x3 = samples[seconds[p + 2]], samples[seconds[p + 3]]
            e0 = e1 = e2 = e3 = samples.dtype.type(0)
            for f in range(width):
                e0 += scaled[f] * x0[f]
                e1 += scaled[f] * x1[f]
                e2 += scaled[f] * x2[f]
                e3 += scaled[f] * x3[f]
            entries[p] += e0
            entries[p + 1] += e1
            entries[p + 2] += e2
            entries[p + 3] += e3


@jit(helper=True)
def _load_features(features, middle, part, n_parts, tile):
    """Fill the tile with features as rows, and prefetch the tile after the next."""
    size, q = features.shape
    step, stride = features.strides
    address = features.ctypes.data + 2 * size * step
    for f in range(size):
        if part == 0:
            for ahead in range(0, q * stride, max(simd.LINE, stride)):
                simd.prefetch(address + f * step + ahead)
        if stride == features.itemsize:
            row = simd.contiguous(features[f])
            for s in range(q):
                tile[f, s] = row[s] - middle[f]
        else:
            for s in range(q):
                tile[f, s] = features[f, s] - middle[f]
        if n_parts == 2:
            _clip(tile[f, :q], part)
    for f in range(size, tile.shape[0]):
        for s in range(q):
            tile[f, s] = 0


@jit(helper=True)
def _load_samples(features, middle, part, n_parts, tile):
    """Fill the tile with samples as rows, and prefetch the next tile.

    Where rows are short pieces of memory far apart, a processor does not foresee them.
    """
    size, q = features.shape
    step, stride = features.strides
    if step == features.itemsize:
        address = features.ctypes.data + size * step
        for s in range(q):
            if part == 0:
                for ahead in range(0, size * step, max(simd.LINE, step)):
                    simd.prefetch(address + s * stride + ahead)
            row = simd.contiguous(features[:, s])
            for f in range(size):
                tile[s, f] = row[f] - middle[f]
    else:
        for first in range(0, q, LINE):
            for f in range(size):
                for s in range(first, min(first + LINE, q)):
                    tile[s, f] = features[f, s] - middle[f]
    for s in range(q):
        if n_parts == 2:
            _clip(tile[s, :size], part)
        for f in range(size, tile.shape[1]):
            tile[s, f] = 0


@jit(helper=True)
def _clip(row, part):
    """Make the values one part: what is above zero (part 0), or minus what is below (part 1)."""
    zero = row.dtype.type(0)
    sign = row.dtype.type(1 - 2 * part)
    for s in range(len(row)):
        value = sign * row[s]
        row[s] = value if value > zero else zero


@jit(parallel=True)
def _sweep_square(columns, upper, alpha, span, images):
    for block in prange(len(images)):
        first, last = block * span, min((block + 1) * span, alpha.shape[1])
        _sweep_square_range(columns, upper, alpha, first, last, images[block])


@jit(helper=True)
def _sweep_square_range(columns, upper, alpha, start, stop, image):
    """Pass over the features from `start` to `stop`; add the upper half of ``A_α`` to `image`.

    Four rows of a matrix are multiplied at a time, from the diagonal on.
    """
    features, middle, norms, width = columns.features, columns.middle, columns.norms, columns.width
    height = upper.shape[1]
    tile = simd.buffer(height, width, features)
    scaled = simd.buffer(len(image), width, features)
    products = simd.buffer(ROWS, width, features)
    weights, scale = np.zeros((2, width))
    for first in range(start, stop, width):
        size = min(width, stop - first)
        for part in range(len(norms)):
            some = features[first : first + size]
            _load_samples(some, middle[first : first + size], part, len(norms), tile)
            for f in range(size):
                norm = norms[part, first + f]
                scale[f] = 1.0 / norm if norm > 0 else 0.0
            for s in range(height):
                for f in range(size):
                    tile[s, f] *= scale[f]
            if len(upper) > 0:
                for f in range(width):
                    weights[f] = 0
                for c in range(0, height, ROWS):
                    products[:] = 0
                    simd.add_combined(upper[c : c + ROWS], tile, products, c)
                    for r in range(ROWS):
                        for f in range(width):
                            weights[f] += products[r, f] * tile[c + r, f]
                for f in range(size):
                    alpha[part, first + f] = weights[f]
            if len(image) > 0:
                for f in range(width):
                    weights[f] = alpha[part, first + f] if f < size else 0.0
                for s in range(height):
                    for f in range(width):
                        scaled[s, f] = weights[f] * tile[s, f]
                for c in range(0, height, ROWS):
                    simd.add_inner(scaled[c : c + ROWS], tile, image[c : c + ROWS], c)
