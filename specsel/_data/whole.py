"""The compiled passes over a dense array that need the whole affinity, samples × samples.

A pass finds ``α_i = m_iᵀ B m_i`` for a matrix B, then ``A_α = Σ α_i m_i m_iᵀ``. Both need half of
their matrix only: ``m_iᵀ B m_i`` depends on ``B + Bᵀ`` alone, and ``A_α`` is symmetric. A tile
of a few features, samples × features, is scaled once and multiplied while it is in cache.

As in `passes`, the cut into blocks depends on the sizes of the data alone, and the sums of the
blocks are added in a fixed order.
"""

import numpy as np
from numba import prange

from specsel._data.passes import Columns, block_span, is_feature_major
from specsel._runtime import is_serial, jit
from specsel._validate import Floats

# A tile has this many features, or fewer where it would have more entries than this.
WIDTH = 128
ENTRIES = 2**16

# Values of a feature that are loaded at a time, where those of one feature lie together.
LINE = 8

# Rows that are multiplied at a time.
ROWS = 4


def sweep(
    columns: Columns,
    dual: Floats | None,
    alpha: Floats | None,
    *,
    with_image: bool = True,
) -> tuple[Floats, Floats]:
    """Find the weights if there is a dual B, else take those given; then ``A_α`` if wanted."""
    features, _, norms = columns
    n, q = features.shape
    height = -(-q // ROWS) * ROWS
    upper = np.zeros((0, height), features.dtype)
    if dual is not None:
        upper = np.zeros((height, height), features.dtype)
        upper[:q, :q] = np.triu(dual + dual.T)
        upper[np.diag_indices(q)] = dual.diagonal()
        alpha = np.empty(norms.size)
    weights = np.require(alpha, float, ["C", "W"])
    rows = height if with_image else 0
    span = block_span(n, rows * rows, features.size)
    images = np.zeros((-(-n // span), rows, rows))
    width = WIDTH
    while width > ROWS and width * height > ENTRIES:
        width //= 2
    given = columns, is_feature_major(features), upper, weights.reshape(norms.shape)
    if len(images) == 1 or is_serial():  # wakes no threads, as in `passes.sweep`
        for block, out in enumerate(images):
            _sweep_range(*given, block * span, min((block + 1) * span, n), width, out)
    else:
        _sweep(*given, span, width, images)
    half = np.triu(images.sum(axis=0)[:q, :q])
    return weights, half + np.triu(half, 1).T


@jit(parallel=True)
def _sweep(columns, feature_major, upper, alpha, span, width, images):
    for block in prange(len(images)):
        first, last = block * span, min((block + 1) * span, alpha.shape[1])
        _sweep_range(columns, feature_major, upper, alpha, first, last, width, images[block])


@jit
def _sweep_range(columns, feature_major, upper, alpha, start, stop, width, image):
    """Pass over the features from `start` to `stop`; add the upper half of ``A_α`` to `image`."""
    features, middle, norms = columns
    height = upper.shape[1]
    tile = np.zeros((height, width), features.dtype)
    scaled = np.empty((len(image), width), features.dtype)
    room = np.empty((ROWS, width), features.dtype)
    weights = np.empty(width)
    for first in range(start, stop, width):
        last = min(first + width, stop)
        for part in range(len(norms)):
            _load(
                features[first:last],
                middle[first:last],
                norms[:, first:last],
                part,
                feature_major,
                tile,
            )
            if len(upper) > 0:
                _weigh(upper, tile, room, weights)
                for f in range(last - first):
                    alpha[part, first + f] = weights[f]
            if len(image) > 0:
                for f in range(width):
                    weights[f] = alpha[part, first + f] if first + f < last else 0.0
                for s in range(height):
                    for f in range(width):
                        scaled[s, f] = weights[f] * tile[s, f]
                _add_half(scaled, tile, image)


@jit
def _load(features, middle, norms, part, feature_major, tile):
    """Fill the tile with standardised features, one a column, and with zeros beyond the last."""
    size, q = features.shape
    width = tile.shape[1]
    scale, shift = np.zeros((2, width))
    for f in range(size):
        sign = 1.0 if part == 0 else -1.0
        scale[f] = sign / norms[part, f] if norms[part, f] > 0 else 0.0
        shift[f] = middle[f]
    if feature_major:
        for first in range(0, q, LINE):
            for f in range(size):
                for s in range(first, min(first + LINE, q)):
                    tile[s, f] = (features[f, s] - shift[f]) * scale[f]
    else:
        for s in range(q):
            for f in range(size):
                tile[s, f] = (features[f, s] - shift[f]) * scale[f]
    zero = tile.dtype.type(0)
    for s in range(q):
        if len(norms) == 2:
            for f in range(size):
                tile[s, f] = max(tile[s, f], zero)
        for f in range(size, width):
            tile[s, f] = zero


@jit
def _weigh(upper, tile, room, weights):
    """``m_iᵀ B m_i`` of every feature in the tile, four rows of ``B + Bᵀ`` at a time."""
    weights[:] = 0
    for c in range(0, tile.shape[0], 4):
        room[:] = 0
        for r in range(c, tile.shape[0], 4):
            a0, a1, a2, a3 = upper[c, r], upper[c, r + 1], upper[c, r + 2], upper[c, r + 3]
            b0, b1 = upper[c + 1, r], upper[c + 1, r + 1]
            b2, b3 = upper[c + 1, r + 2], upper[c + 1, r + 3]
            c0, c1 = upper[c + 2, r], upper[c + 2, r + 1]
            c2, c3 = upper[c + 2, r + 2], upper[c + 2, r + 3]
            d0, d1 = upper[c + 3, r], upper[c + 3, r + 1]
            d2, d3 = upper[c + 3, r + 2], upper[c + 3, r + 3]
            for f in range(tile.shape[1]):
                x0, x1, x2, x3 = tile[r, f], tile[r + 1, f], tile[r + 2, f], tile[r + 3, f]
                room[0, f] += a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
                room[1, f] += b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
                room[2, f] += c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3
                room[3, f] += d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3
        for f in range(tile.shape[1]):
            weights[f] += (
                room[0, f] * tile[c, f]
                + room[1, f] * tile[c + 1, f]
                + room[2, f] * tile[c + 2, f]
                + room[3, f] * tile[c + 3, f]
            )


@jit
def _add_half(left, right, image):
    """Add ``left rightᵀ`` where the column is not before the row, 4 × 4 entries at a time."""
    zero = left.dtype.type(0)
    for c in range(0, left.shape[0], 4):
        for r in range(c, right.shape[0], 4):
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = zero
            c0 = c1 = c2 = c3 = d0 = d1 = d2 = d3 = zero
            for f in range(left.shape[1]):
                w0, w1, w2, w3 = left[c, f], left[c + 1, f], left[c + 2, f], left[c + 3, f]
                x0, x1, x2, x3 = right[r, f], right[r + 1, f], right[r + 2, f], right[r + 3, f]
                a0 += w0 * x0
                a1 += w0 * x1
                a2 += w0 * x2
                a3 += w0 * x3
                b0 += w1 * x0
                b1 += w1 * x1
                b2 += w1 * x2
                b3 += w1 * x3
                c0 += w2 * x0
                c1 += w2 * x1
                c2 += w2 * x2
                c3 += w2 * x3
                d0 += w3 * x0
                d1 += w3 * x1
                d2 += w3 * x2
                d3 += w3 * x3
            rows = ((a0, a1, a2, a3), (b0, b1, b2, b3), (c0, c1, c2, c3), (d0, d1, d2, d3))
            for i, row in enumerate(rows):
                for j, value in enumerate(row):
                    image[c + i, r + j] += value
