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

import warnings

import numpy as np

from specsel import checks, passes
from specsel.linalg import RESIDUAL_FLOOR, triangular_factor

# What rounding in float32 leaves of a residual, relative to what it is a residual of.
FLOAT32_FLOOR = 1e-6

# Products of the features with a basis are kept while they take at most this share of X.
KEPT_SHARE = 0.08

# Samples in a block of rows when tall data are factorised.
ROW_BLOCK = 4096


def read(X, *, center: bool = True) -> "Dense":
    """Check X, an array of samples x features, and wrap it for passes.

    Accepts what numpy can view as a matrix of real numbers: arrays in any memory order, read-only
    or memory-mapped, nested lists, and data frames, whose column names are kept. float32 and
    float64 are used as they lie; other types are converted.
    """
    return Dense(*checks.as_matrix(X), center=center)


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
        passes.standardise(
            self.features, center, self.mean, self.norm, passes.block_span(self.n_features)
        )
        if not np.isfinite(self.mean).all() or not np.isfinite(self.norm).all():
            raise ValueError(checks.describe_not_finite(array, names))
        self._find_constant()
        self._forget()

    def _forget(self):
        self._kept_basis, self._kept = None, np.empty((0, self.n_features), self.features.dtype)

    def _find_constant(self):
        constant = self.norm == 0
        smallest = 16 * np.finfo(self.features.dtype).tiny
        if (self.norm[~constant] < smallest).any():
            raise ValueError(checks.TOO_EXTREME)
        count = int(constant.sum())
        kind = "constant" if self.center else "zero"
        if count == self.n_features:
            raise ValueError(f"X: all {count} features are {kind}; at least one must vary")
        if count:
            verbs = ("is", "gets") if count == 1 else ("are", "get")
            warnings.warn(
                f"{count} of {self.n_features} features {verbs[0]} {kind} and {verbs[1]} weight 0",
                stacklevel=checks.caller(),
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
        span = passes.block_span(self.n_features, n_image * self.n_samples, self.features.size)
        images = np.zeros((-(-self.n_features // span), n_image, frame.shape[1]))
        feature_major = abs(self.features.strides[0]) >= abs(self.features.strides[1])
        width = passes.tile_width(feature_major, len(frame), self.n_samples, span)
        passes.sweep(
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
        frame = np.zeros((k + k % 2, -(-q // passes.LANES) * passes.LANES), self.features.dtype)
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
