"""The one place that knows how the data lie in memory.

`read` checks an array of samples x features and wraps it; the wrapper offers the passes on which
the whole family of algorithms rests. With ``m_i`` the i-th feature, centred and of unit norm:

==================== ================================== ==========
``forward(B, Q)``    ``α_i = m_iᵀ B Qᵀ m_i``            one pass
``adjoint(α, Q)``    ``Σ α_i m_i (m_iᵀ Q)``             one pass
``fused(B, Q, R)``   ``adjoint(forward(B, Q), R)``      one pass
==================== ================================== ==========

``None`` in the place of ``Q`` or ``R`` is the identity. The array is never copied: a few features
at a time are centred and scaled into a tile that stays in cache. Features are cut into a fixed
number of blocks whose partial sums are added in a fixed order, so a result does not depend on the
number of numba's threads.
"""

import sys
import warnings

import numpy as np
from llvmlite import ir
from numba import prange, types
from numba.core import cgutils
from numba.extending import intrinsic

from specsel.linalg import RESIDUAL_FLOOR, jit, triangular_factor

# Blocks of features: at most so many, and none smaller.
MAX_BLOCKS = 64
MIN_BLOCK = 256

# Partial sums may take this share of the size of X, or this many bytes if that is more.
PARTIAL_SHARE = 0.1
PARTIAL_BYTES = 2**24

# Features summed in the precision of the data before they join the float64 sums.
CHUNK = 256

# Features in a tile with samples as rows, unless it has more entries, and numbers in a vector
# register.
SAMPLE_TILE = 128
SAMPLE_TILE_ENTRIES = 2**15
LANES = 8

# What rounding in float32 leaves of a residual, relative to what it is a residual of.
FLOAT32_FLOOR = 1e-6

# Bytes that the processor fetches at once.
CACHE_LINE = 64

# A feature whose range is at most this times its size is constant to working precision.
CONSTANT = 2 * np.finfo(np.float64).eps

# Products of the features with a basis are kept while they take at most this share of X.
KEPT_SHARE = 0.08

TOO_EXTREME = "X: values are too large or too small to be standardised; rescale them"

# Samples in a block of rows when tall data are factorised.
ROW_BLOCK = 4096


def read(X, *, center: bool = True) -> "Dense":
    """Check X, an array of samples x features, and wrap it for passes.

    Accepts what numpy can view as a matrix of real numbers: arrays in any memory order, read-only
    or memory-mapped, nested lists, and data frames, whose column names are kept. float32 and
    float64 are used as they lie; other types are converted.
    """
    return Dense(*as_matrix(X), center=center)


def as_matrix(X, *, least_samples=2) -> tuple[np.ndarray, tuple | None]:
    """View X as a matrix of float32 or float64; also the names of its columns, if it has any."""
    names = None
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        names = tuple(str(name) for name in X.columns)
        X = _frame_to_numpy(X, names)
    if hasattr(X, "tocsr"):
        raise ValueError("X: is a sparse matrix; dense samples x features are needed")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError("X: holds masked values; remove or fill them first")
    array = _real(X)
    if array.ndim != 2:
        raise ValueError(
            f"X: has {array.ndim} dimension{'s' * (array.ndim != 1)}; "
            "2 are needed, samples x features"
        )
    if array.size == 0:
        raise ValueError(f"X: has shape {array.shape}; it must not be empty")
    if array.shape[0] < least_samples:
        raise ValueError("X: has 1 sample; at least 2 are needed")
    return array, names


def _frame_to_numpy(frame, names):
    """Values of a pandas or polars frame; an error names the first column that is no number."""
    kinds = [getattr(dtype, "kind", "O") for dtype in getattr(frame, "dtypes", ())]
    for index, kind in enumerate(kinds):
        column = frame.iloc[:, index] if hasattr(frame, "iloc") else frame[frame.columns[index]]
        if kind not in "biuf" and not _is_numeric(np.asarray(column)):
            raise ValueError(f"X: column {names[index]!r} is not numeric; drop or encode it")
    values = frame.to_numpy()
    if values.dtype == object and hasattr(frame, "iloc"):
        values = frame.to_numpy(dtype=float, na_value=np.nan)
    return values


def _is_numeric(column):
    """Whether a column holds numbers: neither dates nor strings that look like numbers."""
    if column.dtype.kind == "O":
        return not any(isinstance(value, str) for value in column) and _converts(column)
    return column.dtype.kind in "biuf"


def _converts(column):
    try:
        column.astype(float)
    except (TypeError, ValueError):
        return any(value is None or value != value for value in column)
    return True


def _real(X):
    try:
        array = np.asarray(X)
    except ValueError:
        raise ValueError("X: rows differ in length; a matrix is needed") from None
    strings = array.dtype == object and any(isinstance(v, str) for v in array.flat)
    if array.dtype.kind not in "biufO" or strings:
        raise ValueError(f"X: has dtype {array.dtype}; real numbers are needed")
    if array.dtype not in (np.float32, np.float64) or not array.dtype.isnative:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"X: has dtype {array.dtype}; real numbers are needed") from None
    return array


class Dense:
    """A dense array, its features centred and scaled on the fly.

    Attributes
    ----------
    n_samples, n_features : int
    names : tuple of str or None
        Column names, if X had any.
    mean, norm : ndarray
        Of every feature: what is subtracted, and the norm of what remains; 0 for a constant one.
    passes : int
        Reads of X so far.
    floor : float
        The relative error of a pass: what rounding in the precision of the data leaves.
    """

    def __init__(self, array, names=None, *, center=True):
        view = array.view()
        view.flags.writeable = False  # one compiled version for writable and read-only arrays
        self.features = view.T
        self.n_features, self.n_samples = self.features.shape
        self.names = names
        self.center = center
        self.passes = 1
        self.floor = RESIDUAL_FLOOR if array.dtype == np.float64 else FLOAT32_FLOOR
        self.mean, self.norm = np.zeros((2, self.n_features))
        _standardise(self.features, center, self.mean, self.norm, _block_span(self.n_features))
        if not np.isfinite(self.mean).all() or not np.isfinite(self.norm).all():
            raise ValueError(self._describe_not_finite())
        self._find_constant()
        self._forget()

    def _forget(self):
        self._kept_basis, self._kept = None, np.empty((0, self.n_features), self.features.dtype)

    def _find_constant(self):
        constant = self.norm == 0
        smallest = 16 * np.finfo(self.features.dtype).tiny
        if (self.norm[~constant] < smallest).any():
            raise ValueError(TOO_EXTREME)
        count = int(constant.sum())
        kind = "constant" if self.center else "zero"
        if count == self.n_features:
            raise ValueError(f"X: all {count} features are {kind}; at least one must vary")
        if count:
            verbs = ("is", "gets") if count == 1 else ("are", "get")
            warnings.warn(
                f"{count} of {self.n_features} features {verbs[0]} {kind} and {verbs[1]} weight 0",
                stacklevel=caller(),
            )

    def _describe_not_finite(self):
        count, first = 0, None
        for start in range(0, self.n_samples, ROW_BLOCK):
            bad = ~np.isfinite(self.features.T[start : start + ROW_BLOCK])
            count += int(bad.sum())
            if first is None and bad.any():
                sample, feature = np.argwhere(bad)[0]
                first = (start + sample, feature)
        if first is None:
            return TOO_EXTREME
        label = f"feature {first[1]}" + (f" ({self.names[first[1]]!r})" if self.names else "")
        return (
            f"X: {count} value{'s are' if count > 1 else ' is'} NaN or infinite, "
            f"first at sample {first[0]}, {label}; finite numbers are needed"
        )

    @property
    def rank_bound(self) -> int:
        """Rank that the standardised data can have at most."""
        return min(self.n_features, self.n_samples - int(self.center))

    def feature(self, index: int) -> np.ndarray:
        """One standardised feature."""
        return (self.features[index] - self.mean[index]) / (self.norm[index] or np.inf)

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Some standardised samples, as float64."""
        return (self.features.T[start:stop] - self.mean) / np.where(
            self.norm > 0, self.norm, np.inf
        )

    def forward(self, dual, basis) -> np.ndarray:
        """``α_i = m_iᵀ dual basisᵀ m_i``."""
        return self._sweep(dual, basis, None, None, image=False)[0]

    def adjoint(self, alpha, basis) -> np.ndarray:
        """``A_α basis``, with ``A_α = Σ α_i m_i m_iᵀ``."""
        return self._sweep(None, None, alpha, basis)[1]

    def fused(self, dual, basis, target=...) -> tuple[np.ndarray, np.ndarray]:
        """``α = forward(dual, basis)`` and ``adjoint(α, target)``; target defaults to basis.

        The products of all features with a target are kept where they are small beside X, and
        used while that array is the basis: it must not be changed in place.
        """
        return self._sweep(dual, basis, None, basis if target is ... else target)

    def _sweep(self, dual, basis, alpha, target, *, image=True):
        """Run the compiled pass; None is the identity as a basis or target."""
        self.passes += 1
        frame, known, places = self._lay_out([dual, basis] * (dual is not None) + [target] * image)
        n_dual = 0 if dual is None else dual.shape[1]
        n_image = 0 if not image else self.n_samples if target is None else target.shape[1]
        n_identity = self.n_samples if id(None) in places else 0
        keeps = image and target is not None and target is not self._kept_basis
        keeps = keeps and n_image * self.n_features <= KEPT_SHARE * self.features.size
        kept = self._keeper(n_image if keeps else 0)
        alpha = np.empty(self.n_features) if alpha is None else np.asarray(alpha, np.float64)
        span = _block_span(self.n_features, n_image * self.n_samples, self.features.size)
        images = np.zeros((-(-self.n_features // span), n_image, frame.shape[1]))
        feature_major = abs(self.features.strides[0]) >= abs(self.features.strides[1])
        width = _tile_width(feature_major, len(frame), self.n_samples, span)
        _sweep(
            (self.features, self.mean, self.norm),
            (frame, known, kept),
            (*(places.get(id(matrix), 0) for matrix in (dual, basis, target)), n_dual, n_identity),
            (feature_major, width, span),
            alpha,
            images,
        )
        if keeps:
            self._kept_basis, self._kept = target, kept
        return alpha, images.sum(axis=0)[:, : self.n_samples].T

    def _keeper(self, n_kept):
        """Array for products that are to be kept; the last one where it fits, to save memory.

        A pass reads the old products of a feature before it writes the new ones.
        """
        if n_kept == len(self._kept):
            return self._kept
        return np.empty((n_kept, self.n_features), self.features.dtype)

    def _lay_out(self, matrices):
        """Stack matrices, each once; also the kept products needed, and where each one starts.

        Among the scores of a feature those with the stack come first, then the kept ones, then
        those with the identity.
        """
        frames, places = [self._frame(np.empty((self.n_samples, 0)))], {}
        for matrix in matrices:
            if matrix is None or matrix is self._kept_basis or id(matrix) in places:
                continue
            places[id(matrix)] = sum(map(len, frames))
            frames.append(self._frame(matrix))
        frame, known = np.concatenate(frames), self._kept[:0]
        if self._kept_basis is not None and any(m is self._kept_basis for m in matrices):
            places[id(self._kept_basis)] = len(frame)
            known = self._kept
        if any(matrix is None for matrix in matrices):
            places[id(None)] = len(frame) + len(known)
        return frame, known, places

    def _frame(self, matrix):
        """Columns as rows of an array padded with zeros to what the kernels expect."""
        q, k = matrix.shape
        frame = np.zeros((k + k % 2, -(-q // LANES) * LANES), self.features.dtype)
        frame[:k, :q] = matrix.T
        return frame

    def reduced(self) -> tuple["Dense", "callable", "callable"]:
        """Replace tall data by data with as many samples as features.

        With ``M = U R``, every algorithm that depends on inner products of features alone gives
        the same weights on R. Returns the data R, the map ``Q -> UᵀQ`` for a given basis, and the
        map ``Q -> U Q`` back.
        """
        step = max(ROW_BLOCK, self.n_features)
        starts = range(0, self.n_samples, step)
        factor = triangular_factor(self.rows(start, start + step) for start in starts)
        self.passes += 1
        left, values, right = np.linalg.svd(factor)
        keep = values > values[0] * max(factor.shape) * np.finfo(float).eps
        inverse = (right[keep].T / values[keep]) @ left[:, keep].T

        def restrict(basis):
            self.passes += 1
            parts = (self.rows(i, i + step).T @ basis[i : i + step] for i in starts)
            return inverse.T @ sum(parts)

        def lift(basis):
            self.passes += 1
            inner = inverse @ basis
            lifted = np.concatenate([self.rows(i, i + step) @ inner for i in starts])
            # Orthonormal even where the data lack a direction or all but lack it.
            lifted, triangle = np.linalg.qr(lifted)
            return lifted * np.where(np.diag(triangle) < 0, -1.0, 1.0)

        return Dense._standardised(factor, self), restrict, lift

    @classmethod
    def _standardised(cls, array, origin):
        """Wrap an array whose features have unit norm already."""
        data = cls.__new__(cls)
        data.features = np.ascontiguousarray(array).T
        data.features.flags.writeable = False
        data.n_features, data.n_samples = data.features.shape
        data.names, data.center, data.passes = origin.names, False, 0
        data.floor = RESIDUAL_FLOOR
        data.mean = np.zeros(data.n_features)
        data.norm = np.where(origin.norm > 0, 1.0, 0.0)
        data._forget()
        return data


def caller():
    """Stack level of the first frame outside the package, for warnings."""
    level, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("specsel."):
        level, frame = level + 1, frame.f_back
    return level


def _block_span(n_features, partial=0, size=0):
    """Features in a block: a function of the sizes alone, never of the threads."""
    count = min(max(n_features // MIN_BLOCK, 1), MAX_BLOCKS)
    if partial:
        count = min(count, max(1, int(max(PARTIAL_BYTES / 8, PARTIAL_SHARE * size) // partial)))
    unit = SAMPLE_TILE if n_features > MIN_BLOCK else LANES
    return -(-n_features // (count * unit)) * unit


def _tile_width(feature_major, frame_rows, n_samples, span):
    """Features in a tile: few keep memory and arithmetic interleaved, many reuse the frame."""
    if feature_major:
        return min(max(frame_rows, 8), 64) // LANES * LANES
    width = SAMPLE_TILE
    while width > LANES and (width > span or width * n_samples > SAMPLE_TILE_ENTRIES):
        width //= 2
    return width


@jit(parallel=True)
def _standardise(features, center, mean, norm, span):
    for block in prange((len(norm) + span - 1) // span):
        part = slice(block * span, (block + 1) * span)
        _standardise_range(features[part], center, mean[part], norm[part])


@jit
def _standardise_range(features, center, mean, norm):
    """Two passes over every feature in cache; the norm is safe from overflow."""
    n, q = features.shape
    column = np.empty(q)
    for i in range(n):
        total = 0.0
        low = high = np.float64(features[i, 0])
        for s in range(q):
            column[s] = features[i, s]
            total += column[s]
            low, high = min(low, column[s]), max(high, column[s])
        if center:
            mean[i] = total / q
        elif not np.isfinite(total):
            mean[i] = total
        if center and high - low <= CONSTANT * max(abs(low), abs(high)):
            continue
        largest = 0.0
        for s in range(q):
            column[s] -= mean[i]
            largest = max(largest, abs(column[s]))
        if largest == 0.0:
            continue
        square = 0.0
        for s in range(q):
            part = column[s] / largest
            square += part * part
        norm[i] = largest * np.sqrt(square)


@jit(parallel=True)
def _sweep(data, frames, places, tiling, alpha, images):
    span = tiling[2]
    for block in prange(len(images)):
        first, last = block * span, min((block + 1) * span, len(alpha))
        _sweep_range(data, frames, places, tiling, first, last, alpha, images[block])


@jit
def _sweep_range(data, frames, places, tiling, start, stop, alpha, image):
    """Serial pass over the features from `start` to `stop`.

    The scores of a few features are their products with the rows of `frame`, then those kept from
    an earlier pass, then those with the identity, if asked for. `places` are the first rows of
    dual, basis and target among the scores. With a dual `alpha` is computed, else it is given;
    `image` gathers ``Σ α_i (targetᵀ m_i) m_iᵀ``.
    """
    features, mean, norm = data
    frame, known, kept = frames
    dual, basis, target, n_dual, n_identity = places
    feature_major, width, _ = tiling
    q = features.shape[1]
    n_image, lanes = image.shape
    kind = features.dtype
    n_frame, n_known = len(frame), len(known)
    if feature_major:
        tile = np.empty((width, lanes), kind)
        tile[:, q:] = 0
    else:
        tile = np.empty(((q + 3) // 4 * 4, width), kind)
        tile[q:] = 0
    scores = np.zeros((n_frame + n_known + n_identity, width), kind)
    products = scores[:n_frame]
    weights, scale = np.zeros((2, width))
    coefficients = np.zeros((n_image + n_image % 2, width), kind)
    partial = np.zeros((n_image + n_image % 2, lanes), kind)
    for chunk in range(start, stop, CHUNK):
        partial[:] = 0
        end = min(chunk + CHUNK, stop)
        for first in range(chunk, end, width):
            size = min(width, end - first)
            some = features[first : first + size]
            middle = mean[first : first + size]
            _clear(products)
            if feature_major:
                _load_features(some, middle, tile)
                _inner(frame, tile, products)
            else:
                _load_samples(some, middle, tile)
                _combine(frame, tile, products)
            for f in range(size):
                scale[f] = 1.0 / norm[first + f] if norm[first + f] > 0 else 0.0
            for c in range(n_frame):
                for f in range(width):
                    products[c, f] *= scale[f]
            for c in range(n_known):
                for f in range(size):
                    scores[n_frame + c, f] = known[c, first + f]
            for s in range(n_identity):
                for f in range(size):
                    scores[n_frame + n_known + s, f] = (some[f, s] - middle[f]) * scale[f]
            for c in range(len(kept)):
                for f in range(size):
                    kept[c, first + f] = scores[target + c, f]
            if n_dual > 0:
                _weigh(scores, dual, basis, n_dual, weights)
                for f in range(size):
                    alpha[first + f] = weights[f]
            for f in range(width):
                weights[f] = alpha[first + f] if f < size else 0.0
            for c in range(n_image):
                for f in range(width):
                    coefficients[c, f] = weights[f] * scale[f] * scores[target + c, f]
            if feature_major:
                _combine(coefficients, tile, partial)
            else:
                _inner(coefficients, tile, partial)
        for c in range(n_image):
            for s in range(lanes):
                image[c, s] += partial[c, s]


@jit
def _weigh(scores, dual, basis, n_dual, weights):
    """Inner products of the scores with dual and with basis, in float64."""
    for f in range(len(weights)):
        weights[f] = 0
    for c in range(n_dual):
        for f in range(len(weights)):
            weights[f] += scores[dual + c, f] * scores[basis + c, f]


@jit
def _clear(matrix):
    for c in range(matrix.shape[0]):
        for f in range(matrix.shape[1]):
            matrix[c, f] = 0


@intrinsic
def _prefetch(typing_context, address):
    """Ask for a cache line ahead of its use."""

    def generate(context, builder, signature, arguments):
        pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        constants = [ir.Constant(word, value) for value in (0, 2, 1)]
        builder.call(hint, [builder.inttoptr(arguments[0], pointer), *constants])
        return context.get_dummy_value()

    return types.void(types.intp), generate


@jit
def _load_features(features, mean, tile):
    """Fill the tile with centred features as rows, and ask for the tile after the next."""
    size, q = features.shape
    step, stride = features.strides
    address = features.ctypes.data + 2 * size * step
    for f in range(size):
        for ahead in range(0, q * stride, max(CACHE_LINE, stride)):
            _prefetch(address + f * step + ahead)
        for s in range(q):
            tile[f, s] = features[f, s] - mean[f]
    for f in range(size, tile.shape[0]):
        for s in range(q):
            tile[f, s] = 0


@jit
def _load_samples(features, mean, tile):
    """Fill the tile with samples of centred features as rows, and ask for the next tile.

    The rows are short pieces far apart, which a processor does not foresee.
    """
    size, q = features.shape
    step, stride = features.strides
    address = features.ctypes.data + size * step
    for s in range(q):
        for ahead in range(0, size * step, max(CACHE_LINE, step)):
            _prefetch(address + s * stride + ahead)
        for f in range(size):
            tile[s, f] = features[f, s] - mean[f]
        for f in range(size, tile.shape[1]):
            tile[s, f] = 0


@jit
def _inner(left, right, out):
    """Add every inner product of a row of `left` and one of `right`, 2 x 4 rows at a time."""
    zero = out.dtype.type(0)
    for r in range(0, right.shape[0], 4):
        for c in range(0, left.shape[0], 2):
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = zero
            for s in range(right.shape[1]):
                a, b = left[c, s], left[c + 1, s]
                x0, x1, x2, x3 = right[r, s], right[r + 1, s], right[r + 2, s], right[r + 3, s]
                a0 += a * x0
                a1 += a * x1
                a2 += a * x2
                a3 += a * x3
                b0 += b * x0
                b1 += b * x1
                b2 += b * x2
                b3 += b * x3
            for i, pair in enumerate(((a0, b0), (a1, b1), (a2, b2), (a3, b3))):
                out[c, r + i] += pair[0]
                out[c + 1, r + i] += pair[1]


@jit
def _combine(coefficients, rows, out):
    """Add combinations, ``out[c] += Σ_r coefficients[c, r] rows[r]``, 2 x 4 rows at a time."""
    for r in range(0, rows.shape[0], 4):
        for c in range(0, out.shape[0], 2):
            a0, a1 = coefficients[c, r], coefficients[c, r + 1]
            a2, a3 = coefficients[c, r + 2], coefficients[c, r + 3]
            b0, b1 = coefficients[c + 1, r], coefficients[c + 1, r + 1]
            b2, b3 = coefficients[c + 1, r + 2], coefficients[c + 1, r + 3]
            for s in range(rows.shape[1]):
                x0, x1, x2, x3 = rows[r, s], rows[r + 1, s], rows[r + 2, s], rows[r + 3, s]
                out[c, s] += a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
                out[c + 1, s] += b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
