"""The one place that knows how the data lie in memory.

`read` checks an array of samples x features and wraps it; the wrapper offers the passes on which
the whole family of algorithms rests. With ``m_i`` the i-th feature, in one of several
representations and of unit norm:

==================== ================================== ==========
``forward(B, Q)``    ``α_i = m_iᵀ B Qᵀ m_i``            one pass
``adjoint(α, Q)``    ``Σ α_i m_i (m_iᵀ Q)``             one pass
``fused(B, Q, R)``   ``adjoint(forward(B, Q), R)``      one pass
==================== ================================== ==========

``None`` in the place of ``Q`` or ``R`` is the identity. The array is never copied: a few features
at a time are shifted and scaled into a tile that stays in cache. Features are cut into a fixed
number of blocks whose partial sums are added in a fixed order, so a result does not depend on the
number of numba's threads.
"""

import copy
import warnings
from types import SimpleNamespace

import numpy as np

from specsel import _input
from specsel._data import passes, representations
from specsel._data.moments import moments
from specsel.linalg import RESIDUAL_FLOOR

# What rounding in float32 leaves of a residual, relative to what it is a residual of.
FLOAT32_FLOOR = 1e-6

# Products of the features with a basis are kept while they take at most this share of X.
KEPT_SHARE = 0.08

# Columns whose spans are found at a time.
SPAN_COLUMNS = 2**16

# Samples in a block of rows when tall data are factorised.
ROW_BLOCK = 4096


def read(X, *, center: bool = True) -> "Dense":
    """Check X, an array of samples x features, and wrap it for passes.

    Accepts what numpy can view as a matrix of real numbers: arrays in any memory order, read-only
    or memory-mapped, nested lists, and data frames, whose column names are kept. float32 and
    float64 are used as they lie; other types are converted.
    """
    return Dense(*_input.as_matrix(X), representation="centered" if center else "as-is")


class Dense:
    """A dense array, its features shifted and scaled on the fly.

    A feature is represented in one of these ways, and scaled to unit norm: less its mean
    ("centered"), less its minimum ("shift"), by the ranks of its samples ("ranks"), as it is
    ("as-is"), or as two that are nowhere negative, what it has above its median and what it has
    below ("parts"); then all first parts come before all second parts.

    Attributes
    ----------
    n_samples, n_columns : int
        Shape of the array.
    n_features : int
        Represented features: twice the columns for parts.
    names : tuple of str or None
        Column names, if X had any.
    mean, norm : ndarray
        Of every column: its mean and the norm of what remains, 0 for a constant one. As it is, a
        column has no mean.
    mean_free : bool
        Whether every feature sums to zero over the samples, or did before data were reduced.
    floor : float
        The relative error of a pass: what rounding in the precision of the data leaves.
    """

    _rescaled = False

    def __init__(self, array, names=None, *, representation="centered"):
        view = array.view()
        view.flags.writeable = False  # one compiled version for writable and read-only arrays
        self.features = view.T
        self.n_columns, self.n_samples = self.features.shape
        self.names = names
        self.center = self.mean_free = representation == "centered"
        self._counter = SimpleNamespace(passes=1)
        self.floor = RESIDUAL_FLOOR if array.dtype == np.float64 else FLOAT32_FLOOR
        self.mean, self.norm = moments(array, names, center=representation != "as-is")
        self._find_constant(representation)
        self.middle, self.norms = self.mean, self.norm[None, :]
        if representation not in ("centered", "as-is"):
            self._represent(representation)
        self.n_features = self.norms.size
        self._forget()

    def _represent(self, representation):
        """Find what is subtracted from every column and the norms of what remains."""
        span = passes.block_span(self.n_columns)
        self.middle = np.zeros(self.n_columns)
        if representation == "ranks":
            order = "C" if self._feature_major else "F"
            ranked = np.empty(self.features.shape, self.features.dtype, order=order)
            representations.ranks(self.features, ranked, span)
            ranked.flags.writeable = False
            self.features = ranked
        else:
            fraction = 0.5 if representation == "parts" else 0.0
            representations.middles(self.features, fraction, self.middle, span)
        parts = 2 if representation == "parts" else 1
        self.norms = np.zeros((parts, self.n_columns))
        representations.part_norms(self.features, self.middle, parts, self.norms, span)
        self.norms[:, self.norm == 0] = 0.0
        self.passes += 2

    def _forget(self):
        empty = np.empty((0, *self.norms.shape), self.features.dtype)
        self._kept_basis, self._kept = None, empty

    def _find_constant(self, representation):
        constant = self.norm == 0
        smallest = 16 * np.finfo(self.features.dtype).tiny
        if (self.norm[~constant] < smallest).any():
            raise ValueError(f"X: {_input.TOO_EXTREME}")
        count = int(constant.sum())
        kind = "zero" if representation == "as-is" else "constant"
        if count == self.n_columns:
            raise ValueError(f"X: all {count} features are {kind}; at least one must vary")
        if count:
            verbs = ("is", "gets") if count == 1 else ("are", "get")
            which = _input.some(_input.named(np.flatnonzero(constant), self.names))
            warnings.warn(
                f"{count} of {self.n_columns} features {verbs[0]} {kind} and {verbs[1]} weight 0: "
                f"{which}",
                stacklevel=_input.caller(),
            )

    @property
    def passes(self) -> int:
        """Reads of X so far, those of rescaled copies included."""
        return self._counter.passes

    @passes.setter
    def passes(self, count):
        self._counter.passes = count

    @property
    def _feature_major(self):
        return abs(self.features.strides[0]) >= abs(self.features.strides[1])

    @property
    def rank_bound(self) -> int:
        """Rank that the standardised data can have at most."""
        return min(self.n_features, self.n_samples - int(self.center))

    def feature(self, index: int) -> np.ndarray:
        """One standardised feature."""
        part, column = divmod(index, self.n_columns)
        return self._part(self.features[column] - self.middle[column], part) / (
            self.norms[part, column] or np.inf
        )

    def block(self, part: slice | np.ndarray) -> np.ndarray:
        """Some standardised features as columns, as float64."""
        norms = self.norms[0, part]
        return (self.features[part].T - self.middle[part]) / np.where(norms > 0, norms, np.inf)

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Some standardised samples, as float64."""
        shifted = self.features.T[start:stop] - self.middle
        norms = np.where(self.norms > 0, self.norms, np.inf)
        return np.hstack([self._part(shifted, i) / norm for i, norm in enumerate(norms)])

    def _part(self, values, part):
        return values if len(self.norms) == 1 else np.maximum(-values if part else values, 0.0)

    def spans(self):
        """Yield some columns, and least value, greatest value and sum of what represents them.

        A few columns at a time, for all would take the memory of six weights a column.
        """
        self.passes += 1
        for start in range(0, self.n_columns, SPAN_COLUMNS):
            part = slice(start, start + SPAN_COLUMNS)
            out = np.empty((3, *self.norms[:, part].shape))
            span = passes.block_span(out.shape[2])
            representations.spans(
                self.features[part], self.middle[part], self.norms[:, part], out, span
            )
            yield part, out

    def warn_if_negative(self, representation):
        """Warn where an algorithm needs non-negative features and these are not."""
        if representation == "as-is" and any(out[0].min() < 0 for _, out in self.spans()):
            warnings.warn(
                "X has negative values, which count as likeness of samples of opposite sign: "
                'take representation="parts"',
                stacklevel=_input.caller(),
            )

    def rescaled(self, factors) -> "Dense":
        """The same data, every standardised feature multiplied by a positive factor."""
        other = copy.copy(self)
        other._rescaled = True
        other.norms = self.norms / factors.reshape(self.norms.shape)
        other._forget()
        return other

    def centered(self) -> "Dense":
        """The same data, every feature centred, even if all are constant then."""
        other = copy.copy(self)
        other.mean, other.norm = moments(self.features.T)
        other.middle, other.norms = other.mean, other.norm[None, :]
        other.n_features = other.n_columns
        other.center = other.mean_free = True
        other.passes += 1
        other._forget()
        return other

    def alike(self, array) -> "Dense":
        """Other samples of the same features, shifted and scaled as these are."""
        other = copy.copy(self)
        other.features = np.ascontiguousarray(array, self.features.dtype).T
        other.features.flags.writeable = False
        other.n_samples = len(array)
        other._counter = SimpleNamespace(passes=0)
        other._forget()
        return other

    def joined(self, alpha) -> np.ndarray:
        """Weights of the columns: those of two parts a column become one, ``√(α₊² + α₋²)``."""
        if len(self.norms) == 1:
            return alpha
        first, second = np.maximum(alpha.reshape(2, -1), 0.0)
        together = np.hypot(first, second)
        return together / np.linalg.norm(together)

    def forward(self, dual, basis) -> np.ndarray:
        """``α_i = m_iᵀ dual basisᵀ m_i``."""
        return self._sweep(dual, basis, None, None, image=False)[0]

    def fused_pairs(self, dual, basis, pairs, values, target=...):
        """As `fused`, with ``α_i + Σ values_st m_is m_it`` over pairs of samples.

        Also returns the entries of ``A_α`` for the pairs.
        """
        target = basis if target is ... else target
        return self._sweep(dual, basis, None, target, pairs=pairs, values=values)

    def adjoint_pairs(self, alpha, basis, pairs):
        """``A_α basis``, and the entries of ``A_α`` for pairs of samples."""
        return self._sweep(None, None, alpha, basis, pairs=pairs)[1:]

    def adjoint(self, alpha, basis) -> np.ndarray:
        """``A_α basis``, with ``A_α = Σ α_i m_i m_iᵀ``."""
        return self._sweep(None, None, alpha, basis)[1]

    def fused(self, dual, basis, target=...) -> tuple[np.ndarray, np.ndarray]:
        """``α = forward(dual, basis)`` and ``adjoint(α, target)``; target defaults to basis.

        The products of all features with a target are kept where they are small beside X, and
        used while that array is the basis: it must not be changed in place.
        """
        return self._sweep(dual, basis, None, basis if target is ... else target)[:2]

    def _sweep(self, dual, basis, alpha, target, *, image=True, pairs=None, values=None):
        """Run the compiled pass; None is the identity as a basis or target."""
        self.passes += 1
        frame, known, places = self._lay_out([dual, basis] * (dual is not None) + [target] * image)
        n_dual = 0 if dual is None else dual.shape[1]
        n_image = 0 if not image else self.n_samples if target is None else target.shape[1]
        n_identity = self.n_samples if id(None) in places else 0
        keeps = image and target is not None and target is not self._kept_basis
        keeps = keeps and n_image * self.norms.size <= self._may_keep
        kept = self._keeper(n_image if keeps else 0)
        alpha = np.empty(self.n_features) if alpha is None else np.require(alpha, float, "CW")
        n_entries = 0 if pairs is None else len(pairs.seconds)
        partial = n_image * self.n_samples + n_entries
        span = passes.block_span(self.n_columns, partial, self.features.size)
        n_blocks = -(-self.n_columns // span)
        images = np.zeros((n_blocks, n_image, frame.shape[1]))
        entries = np.zeros((n_blocks, n_entries))
        by_features = self._feature_major and pairs is None
        width = passes.tile_width(by_features, len(frame), self.n_samples, span)
        passes.sweep(
            (self.features, self.middle, self.norms),
            (frame, known, kept),
            (*(places.get(id(matrix), 0) for matrix in (dual, basis, target)), n_dual, n_identity),
            (self._feature_major, width, span),
            None if pairs is None else pairs.with_values(values),
            alpha.reshape(self.norms.shape),
            images,
            entries,
        )
        if keeps:
            self._kept_basis, self._kept = target, kept
        image = images.sum(axis=0)[:, : self.n_samples].T
        return alpha, image, None if pairs is None else entries.sum(axis=0)[pairs.places]

    @property
    def _may_keep(self):
        """Products that may be kept; none where more vectors than usual take the memory."""
        return 0 if len(self.norms) == 2 or self._rescaled else KEPT_SHARE * self.features.size

    def _keeper(self, n_kept):
        """Array for products that are to be kept; the last one where it fits, to save memory.

        A pass reads the old products of a feature before it writes the new ones.
        """
        if n_kept == len(self._kept):
            return self._kept
        return np.empty((n_kept, *self.norms.shape), self.features.dtype)

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
        frame = np.zeros((k + k % 2, -(-q // passes.LANES) * passes.LANES), self.features.dtype)
        frame[:k, :q] = matrix.T
        return frame

    def reduced(self, members=None) -> tuple["Dense", "callable", "callable"]:
        """Replace tall data, or some of its samples, by data with as many samples as features.

        With ``M = U R``, every algorithm that depends on inner products of features alone gives
        the same weights on R. Returns the data R, the map ``Q -> UᵀQ`` for a given basis, and the
        map ``Q -> U Q`` back.
        """
        factor = triangular_factor(self._blocks_of(members))
        self.passes += 1
        left, values, right = np.linalg.svd(factor, full_matrices=False)
        keep = values > values[0] * max(factor.shape) * np.finfo(float).eps
        inverse = (right[keep].T / values[keep]) @ left[:, keep].T

        def restrict(basis):
            self.passes += 1
            product, stop = 0.0, 0
            for rows in self._blocks_of(members):
                start, stop = stop, stop + len(rows)
                product = product + rows.T @ basis[start:stop]
            return inverse.T @ product

        def lift(basis):
            self.passes += 1
            inner = inverse @ basis
            lifted = np.concatenate([rows @ inner for rows in self._blocks_of(members)])
            # Orthonormal even where the data lack a direction or all but lack it.
            lifted, triangle = np.linalg.qr(lifted)
            return lifted * np.where(np.diag(triangle) < 0, -1.0, 1.0)

        return Dense.standardised(factor, self), restrict, lift

    def _blocks_of(self, members):
        """Yield the standardised samples, or some of them, a few at a time."""
        step = max(ROW_BLOCK, self.n_features)
        for start in range(0, self.n_samples, step):
            rows = self.rows(start, start + step)
            yield rows if members is None else rows[members[start : start + step]]

    @classmethod
    def standardised(cls, array, origin):
        """Wrap an array whose features are scaled already."""
        data = cls.__new__(cls)
        data.features = np.ascontiguousarray(array).T
        data.features.flags.writeable = False
        data.n_columns, data.n_samples = data.features.shape
        data.n_features = data.n_columns
        data.names, data.center, data.mean_free = origin.names, False, origin.mean_free
        data._counter = SimpleNamespace(passes=0)
        data.floor = RESIDUAL_FLOOR
        data.mean = data.middle = np.zeros(data.n_columns)
        data.norm = np.where(origin.norms.ravel() > 0, 1.0, 0.0)
        data.norms = data.norm[None, :]
        data._forget()
        return data


def triangular_factor(row_blocks) -> np.ndarray:
    """R of a QR factorisation of stacked blocks of rows, holding one block at a time."""
    factor = None
    for rows in row_blocks:
        stacked = rows if factor is None else np.vstack((factor, rows))
        factor = np.linalg.qr(stacked, mode="r")
    return factor
