"""The compiled passes over a dense array, a few features at a time.

The features are cut into blocks, and a thread takes a block at a time. Within a block it loads
tiles of a few features: it shifts, multiplies and sums a tile while the tile is in cache, and
prefetches the memory of a later one. The cut depends on the sizes of the data alone, and the
partial sums of the blocks are added in a fixed order, so the number of threads changes no bit.

Where a column of X counts as two features (its part above the median and its part below), both
are made from one tile, so that a pass still reads the data once.
"""

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import prange, types
from numba.core import cgutils
from numba.extending import intrinsic

from specsel._data import registers
from specsel._data.pairs import PairValues
from specsel._runtime import is_serial, jit
from specsel._validate import Floats, NDArray

# The most blocks of features, and the fewest features in a block where there are several.
MAX_BLOCKS = 64
MIN_BLOCK = 256

# The partial sums of all blocks together may take this share of the size of X, or this many bytes
# if that is more.
PARTIAL_SHARE = 0.1
PARTIAL_BYTES = 2**24

# So many features are summed in the precision of the data before they join the float64 sums.
CHUNK = 256

# A tile whose rows are samples has this many features, or fewer where it would have more entries
# than this.
SAMPLE_TILE = 128
SAMPLE_TILE_ENTRIES = 2**15

# Features in a tile are a multiple of this: the float32 numbers of a line of cache.
UNIT = 16


class Columns(NamedTuple):
    """The columns of X as rows, and what standardises them."""

    features: NDArray[Any]  # columns × samples, float32 or float64, read-only
    middle: Floats  # what is subtracted from each column
    norms: Floats  # parts × columns: the norm of what remains, or of each of its two parts


class Frames(NamedTuple):
    """What the features are multiplied with, and products that pass from one sweep to the next."""

    stack: NDArray[Any]  # the vectors to multiply with, as padded rows
    known: NDArray[Any]  # vectors × parts × columns: products from an earlier sweep
    kept: NDArray[Any]  # the same shape, to be filled with the products with the target


class Places(NamedTuple):
    """Where the scores with each matrix begin, and how many rows of scores some of them have."""

    dual: int
    basis: int
    target: int
    n_dual: int  # 0: the weights are given
    n_identity: int  # 0: no matrix is the identity


class Tiling(NamedTuple):
    """How the features are cut."""

    feature_major: bool  # as `is_feature_major` says
    width: int  # features in a tile
    span: int  # features in a block


def is_feature_major(features: NDArray[Any]) -> bool:
    """Whether the values of one feature lie closer together than those of one sample."""
    return abs(features.strides[0]) >= abs(features.strides[1])


def block_span(n_features: int, partial: int = 0, size: int = 0) -> int:
    """Number of features in a block, from the sizes alone and never from the threads.

    `partial` is how many partial sums a block needs, and `size` how many entries X has: where the
    partial sums would take too much memory, there are fewer and larger blocks.
    """
    count = min(max(n_features // MIN_BLOCK, 1), MAX_BLOCKS)
    if partial:
        count = min(count, max(1, int(max(PARTIAL_BYTES / 8, PARTIAL_SHARE * size) // partial)))
    unit = SAMPLE_TILE if n_features > MIN_BLOCK else UNIT
    return -(-n_features // (count * unit)) * unit


def tile_width(feature_major: bool, frame_rows: int, n_samples: int, span: int) -> int:
    """Number of features in a tile.

    Few interleave arithmetic with reads of memory, many use a row of the stack more often while
    it is in a register.
    """
    if feature_major:
        return min(max(frame_rows // UNIT * UNIT, UNIT), 64)
    width = SAMPLE_TILE
    while width > UNIT and (width > span or width * n_samples > SAMPLE_TILE_ENTRIES):
        width //= 2
    return width


def sweep(
    columns: Columns,
    frames: Frames,
    places: Places,
    tiling: Tiling,
    pairs: PairValues | None,
    alpha: Floats,
    images: Floats,
    entries: Floats,
) -> None:
    """Pass over all features once; `_sweep_range` says what is computed.

    A single block wakes no threads: once awake, they wait for more work for a while and slow down
    everything else meanwhile.
    """
    given = columns, frames, places, tiling, pairs
    if len(images) == 1 or is_serial():
        for block, (image, sums) in enumerate(zip(images, entries, strict=True)):
            first, last = block * tiling.span, min((block + 1) * tiling.span, alpha.shape[1])
            _sweep_range(*given, first, last, alpha, image, sums)
    else:
        _sweep(*given, alpha, images, entries)


@jit(parallel=True)
def _sweep(columns, frames, places, tiling, pairs, alpha, images, entries):
    span = tiling.span
    for block in prange(len(images)):
        first, last = block * span, min((block + 1) * span, alpha.shape[1])
        image, sums = images[block], entries[block]
        _sweep_range(columns, frames, places, tiling, pairs, first, last, alpha, image, sums)


@jit
def _sweep_range(columns, frames, places, tiling, pairs, start, stop, alpha, image, entries):
    """Serial pass over the features from `start` to `stop`.

    The scores of a feature are its products with the rows of the stack, then its known products,
    then, where a matrix is the identity, the feature itself. With a dual, `alpha` is computed as
    ``(dualᵀ m_i)ᵀ (basisᵀ m_i)``; else it is given. `image` gathers ``Σ α_i (targetᵀ m_i) m_iᵀ``.
    With pairs of samples s and t, ``Σ v_st m_is m_it`` is added to a computed `alpha`, and
    `entries` gathers ``Σ α_i m_is m_it``.
    """
    features, middle, norms = columns
    stack, known, kept = frames
    dual, basis, target, n_dual, n_identity = places
    feature_major, width = tiling.feature_major, tiling.width
    q = features.shape[1]
    n_image, lanes = image.shape
    n_parts = len(norms)
    kind = features.dtype
    n_frame, n_known = len(stack), len(known)
    frame = registers.room(n_frame, lanes, features)
    for c in range(n_frame):
        for s in range(lanes):
            frame[c, s] = stack[c, s]
    if feature_major:
        tile = registers.room(width, lanes, features)
    else:
        tile = registers.room((q + 3) // 4 * 4, width, features)
    samples = np.empty((q, width), kind) if feature_major and pairs is not None else tile
    scores = registers.room(n_frame + n_known + n_identity, width, features)
    products = scores[:n_frame]
    weights, scale = np.zeros((2, width))
    coefficients = registers.room(n_image + n_image % 2, width, features)
    partial = registers.room(n_image + n_image % 2, lanes, features)
    for chunk in range(start, stop, CHUNK):
        partial[:] = 0
        end = min(chunk + CHUNK, stop)
        for first in range(chunk, end, width):
            size = min(width, end - first)
            rows = features[first : first + size]
            for part in range(n_parts):
                if feature_major:
                    _load_features(rows, middle[first : first + size], part, n_parts, tile)
                else:
                    _load_samples(rows, middle[first : first + size], part, n_parts, tile)
                _clear(products)
                if feature_major:
                    registers.add_inner(frame, tile, products)
                else:
                    registers.add_combined(frame, tile, products)
                for f in range(size):
                    norm = norms[part, first + f]
                    scale[f] = 1.0 / norm if norm > 0 else 0.0
                for c in range(n_frame):
                    for f in range(width):
                        products[c, f] *= scale[f]
                for c in range(n_known):
                    for f in range(size):
                        scores[n_frame + c, f] = known[c, part, first + f]
                for s in range(n_identity):
                    for f in range(size):
                        value = tile[f, s] if feature_major else tile[s, f]
                        scores[n_frame + n_known + s, f] = value * scale[f]
                for c in range(len(kept)):
                    for f in range(size):
                        kept[c, part, first + f] = scores[target + c, f]
                if pairs is not None and feature_major:
                    for s in range(q):
                        for f in range(width):
                            samples[s, f] = tile[f, s]
                if n_dual > 0:
                    _weigh(scores, dual, basis, n_dual, weights)
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
                        coefficients[c, f] = weights[f] * scale[f] * scores[target + c, f]
                if feature_major:
                    registers.add_combined(coefficients, tile, partial)
                else:
                    registers.add_inner(coefficients, tile, partial)
        for c in range(n_image):
            for s in range(lanes):
                image[c, s] += partial[c, s]


@jit
def _weigh(scores, dual, basis, n_dual, weights):
    """``α_i = (dualᵀ m_i)ᵀ (basisᵀ m_i)`` from the scores, in float64."""
    for f in range(len(weights)):
        weights[f] = 0
    for c in range(n_dual):
        for f in range(len(weights)):
            weights[f] += scores[dual + c, f] * scores[basis + c, f]


@jit
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


@jit
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


@jit
def _clear(matrix):
    for c in range(matrix.shape[0]):
        for f in range(matrix.shape[1]):
            matrix[c, f] = 0


def _fetch(typing_context, address):
    """Ask the processor to fetch a cache line that will be needed soon."""

    def generate(context, builder, signature, arguments):
        pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        constants = [ir.Constant(word, value) for value in (0, 2, 1)]
        builder.call(hint, [builder.inttoptr(arguments[0], pointer), *constants])
        return context.get_dummy_value()

    return types.void(types.intp), generate


# Without compiling (NUMBA_DISABLE_JIT) there is nothing to put the request into.
_prefetch: Any = (lambda address: None) if registers.PLAIN else intrinsic(_fetch)


@jit
def _load_features(features, middle, part, n_parts, tile):
    """Fill the tile with features as rows, and prefetch the tile after the next."""
    size, q = features.shape
    step, stride = features.strides
    address = features.ctypes.data + 2 * size * step
    for f in range(size):
        if part == 0:
            for ahead in range(0, q * stride, max(registers.LINE, stride)):
                _prefetch(address + f * step + ahead)
        if stride == features.itemsize:
            row = registers.contiguous(features[f])
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


@jit
def _load_samples(features, middle, part, n_parts, tile):
    """Fill the tile with samples as rows, and prefetch the next tile.

    The rows are short pieces of memory far apart, which a processor does not foresee.
    """
    size, q = features.shape
    step, stride = features.strides
    address = features.ctypes.data + size * step
    for s in range(q):
        if part == 0:
            for ahead in range(0, size * step, max(registers.LINE, step)):
                _prefetch(address + s * stride + ahead)
        if step == features.itemsize:
            row = registers.contiguous(features[:, s])
            for f in range(size):
                tile[s, f] = row[f] - middle[f]
        else:
            for f in range(size):
                tile[s, f] = features[f, s] - middle[f]
        if n_parts == 2:
            _clip(tile[s, :size], part)
        for f in range(size, tile.shape[1]):
            tile[s, f] = 0


@jit
def _clip(row, part):
    """Make the values one part: what is above zero (part 0), or minus what is below (part 1)."""
    zero = row.dtype.type(0)
    sign = row.dtype.type(1 - 2 * part)
    for s in range(len(row)):
        value = sign * row[s]
        row[s] = value if value > zero else zero
