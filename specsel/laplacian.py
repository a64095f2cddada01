"""Q-α on the Laplacian of the samples (Wolf and Shashua, JMLR 6, 2005, Def. 5).

Let ``m_i`` be the i-th feature, not negative and of unit norm, and ``s_i`` the sum of its entries.
The Laplacian of one feature is ``L_i = m_i m_iᵀ - s_i diag(m_i) + d_i I``: affinities less
degrees, with a shift ``d_i`` that keeps the leading end of the spectrum in front. Let
``L_α = Σ α_i L_i``, and let Q be an orthonormal basis of k directions. The energy
``trace(Qᵀ L_α L_α Q)`` is maximised over Q and over α of unit norm:

- given Q, α is the leading eigenvector of the matrix with entries ``trace(Qᵀ L_i L_j Q)``;
- given α, ``Q <- qr(L_α Q)``, one step of orthogonal iteration.

In the first iteration every feature has a shift of its own; after that all have the same.

With ``y_i = Qᵀ m_i``, row i of Φ is ``vec(L_i Q) = vec(m_i y_iᵀ - s_i diag(m_i) Q + d_i Q)``. The
middle term comes from a column of ones beside Q, so that a product is one pass with k + 1 columns.
The last term is a rank-one correction.

Departures from the paper:

- Def. 5 takes the largest diagonal entry of ``Σ α_i m_i m_iᵀ`` for the shift. A factor of 1, the
  vector of ones, is missing there: beside the degrees this shift is about q times too small for q
  samples, L is close to minus the degrees, and Q ends at the wrong end of the spectrum. The
  default is the largest degree, ``max(Σ α_i m_i m_iᵀ 1)``; ``shift="definition"`` is as printed.
- Features are never centred. With centred features all degrees are 0, and L says no more than A.
- The shift changes from one iteration to the next, so the objective may fall. The best iterate is
  returned.
- The start is the k leading directions of equal weights, not a wide basis. Most maxima have a
  higher objective than the one this leads to, but say less about the clusters.

For the same reason, this method misses relevant features that `qalpha` finds where they are few.
Where a third of all features are relevant it finds them as parts, but not when features are
shifted to a minimum of zero.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from specsel import _containers, _data, _iterate, _validate, linalg, qalpha
from specsel._iterate import Iterate, Step
from specsel._validate import (
    ArrayLike,
    Directions,
    Floats,
    Init,
    LoopCallback,
    NonNegative,
    Seed,
    Shift,
)
from specsel.results import Weights

__all__ = ["solve"]


def solve(
    X: ArrayLike,
    k: Directions,
    *,
    shift: Shift = "degree",
    representation: NonNegative = "parts",
    init: Init | ArrayLike = "equal",
    n_init: int = 15,
    tol: float = 1e-6,
    max_iter: int = 200,
    random_state: Seed = None,
    callback: LoopCallback = None,
) -> Weights:
    """Weigh features by how well the Laplacian of the samples shows clusters.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map or
        an array of h5py, zarr or Dask.
    k : int or "auto"
        Number of leading directions that should carry the structure; take about the number of
        clusters. The first direction is constant, clusters show from the second on. "auto" counts
        clusters as `qalpha.solve` does.
    shift : {"degree", "definition"}
        What is added to the diagonal of the Laplacian: the largest degree of a sample; or the
        number that the paper prints, for comparison. It is too small to show clusters well.
    representation : {"parts", "shift", "ranks", "as-is"}
        How features are made non-negative. "parts": every feature becomes two, what it has above
        its median and what it has below. "shift": its minimum is subtracted. "ranks": the samples
        are ranked, in a copy of X. "as-is": not at all.
    init : {"equal", "continuation", "seeded", "random"} or array of shape (n_samples, k)
        Where to start, as in `qalpha.solve`; by default from the k leading directions of equal
        weights.
    n_init, tol, max_iter, random_state, callback
        As in `qalpha.solve`.

    Returns
    -------
    Weights
        `eigenvalues` are those of ``L_α``.

    References
    ----------
    Wolf, L. and Shashua, A. (2005). Feature selection for unsupervised and supervised inference:
    the emergence of sparsity in a weight-based approach. JMLR 6, 1855-1887.

    Examples
    --------
    Two groups of samples, apart in the first 20 of 60 features:

    >>> import numpy as np
    >>> from specsel import laplacian
    >>> X = np.random.default_rng(0).standard_normal((60, 60))
    >>> X[:30, :20] += 4
    >>> sorted(laplacian.solve(X, k=2).select(20).tolist()) == list(range(20))
    True
    """
    array, names = _containers.as_data(X)
    options = _iterate.Options.for_basis(
        array.shape, k, init, n_init, tol, max_iter, random_state, callback
    )
    _validate.check_choice("shift", shift, _validate.Shift)
    _validate.check_choice("representation", representation, _validate.NonNegative)
    data = _data.represent(array, names, representation=representation)
    options = options.counted(lambda: qalpha.count_centered(data))
    data.warn_if_negative(representation)
    run = _iterate.alternate(Laplacian(data, shift), options)
    return _iterate.pack(data, run)


class ShiftedBasis(NamedTuple):
    """A point of the loop: a basis, the shifts, and what all products there share."""

    basis: Floats
    shifts: float | Floats  # d_i: one for every feature at the start, one for all after it
    frame: Floats  # [Q, 1], the basis and a column of ones
    shifted: Floats  # Σ d_i m_i m_iᵀ [Q, 1]
    squares: float  # Σ d_i²


class Laplacian:
    """The problem ``trace(Qᵀ L_α L_α Q)``. With q samples, duals are q x k.

    For a dual B with ``c_s = Σ_c B_sc Q_sc``, the weights ``Φ B`` are
    ``m_iᵀ B y_i - s_i m_iᵀ c + d_i trace(Qᵀ B)``. For weights α,
    ``L_α Q = A_α Q - diag(A_α 1) Q + (Σ α_i d_i) Q``.

    Duals have two columns more, for what the next point needs to know of the weights: the degrees
    ``A_α 1``, and above zeros ``Σ α_i`` and ``Σ α_i d_i``. J makes them 0; elsewhere it is the
    identity. So the next basis is known before its pass.
    """

    def __init__(self, data: _data.Data, shift: Shift) -> None:
        self.data = data
        self.shift = shift
        self.plain = qalpha.Energy(data)
        self.absent = np.flatnonzero(data.norms == 0)  # constant features get no shift either
        self.flat: Floats | None = None  # Σ m_i m_iᵀ, where it is small enough to be kept
        if data.n_samples <= linalg.DENSE_LIMIT:
            self.flat = data.adjoint(np.ones(data.n_features), None)

    def product(self, dual: Floats, point: ShiftedBasis) -> Floats:
        trace, extended = _extended(dual[:, :-2], point.basis)
        alpha, image = self.data.fused(extended, point.frame)
        total = float(alpha.sum()) + trace * self._lift(1.0, point.shifts)
        lifted = self._lift(alpha, point.shifts) + trace * point.squares
        return _with_sums(image + trace * point.shifted, point.basis, total, lifted)

    def apply_form(self, image: Floats, point: ShiftedBasis) -> Floats:
        return np.column_stack((image[:, :-2], np.zeros((len(image), 2))))

    def first_dual(self, point: ShiftedBasis) -> Floats:
        image = self._pulled(1.0, point.frame)
        lifted = self._lift(1.0, point.shifts)
        return self.apply_form(_with_sums(image, point.basis, 0.0, lifted), point)

    def advance(
        self, pair: linalg.LeadingPair, point: ShiftedBasis, width: int
    ) -> Step[ShiftedBasis]:
        trace, extended = _extended(pair.dual[:, :-2], point.basis)
        image, degrees, (total, lifted) = pair.image[:, :-2], pair.image[:, -2], pair.image[:2, -1]
        sign = -1.0 if total < 0 else 1.0
        shift = self._next_shift(sign * degrees, sign * total, extended, point)
        # In ``L_α Q`` the new shift takes the place of the old ones.
        image = sign * (image + (shift * total - lifted) * point.basis)
        before, basis = point, linalg.narrow(image, point.basis, width)
        point = self.at(basis, shift)
        alpha, image = self.data.fused(extended, before.frame, point.frame)
        image += trace * self._also(before.shifts, point)
        alpha += trace * before.shifts
        alpha[self.absent] = 0.0
        alpha *= sign
        start = _with_sums(sign * image, basis, 0.0, shift * float(alpha.sum()))
        image = start[:, :-2]
        iterate = Iterate(alpha, basis, image, float(np.vdot(image, image)))
        return iterate, point, self.apply_form(start, point)

    def subspace(self, alpha: Floats, width: int) -> ShiftedBasis:
        lifted = float(alpha @ self.first_shifts())

        def product(basis: Floats | None) -> Floats:
            if basis is None:
                affinity = self.data.adjoint(alpha, None)
                return affinity + np.diag(lifted - affinity.sum(axis=0))
            image = self.data.adjoint(alpha, np.column_stack((basis, np.ones(len(basis)))))
            return _laplacian_image(image, basis, lifted)

        return self._first(linalg.top_eigenpairs(product, self.data.n_samples, width)[1])

    def random(self, generator: np.random.Generator, width: int) -> ShiftedBasis:
        return self._first(self.plain.random(generator, width))

    def given(self, init: ArrayLike, k: int) -> ShiftedBasis:
        return self._first(self.plain.given(init, k))

    def seeds(self) -> Iterator[Floats]:
        return self.plain.seeds()

    def at(self, basis: Floats, shifts: float | Floats) -> ShiftedBasis:
        """Return the point of a basis with given shifts."""
        frame = np.column_stack((basis, np.ones(len(basis))))
        squares = self._lift(shifts, shifts)
        return ShiftedBasis(basis, shifts, frame, self._pulled(shifts, frame), squares)

    def first_shifts(self) -> Floats:
        """Compute the shift of every feature in the first iteration."""
        shifts = np.empty(self.data.norms.shape)
        for part, (least, greatest, total) in self.data.spans():
            if self.shift == "degree":
                shifts[:, part] = np.maximum(least * total, greatest * total)
            else:
                shifts[:, part] = np.maximum(least**2, greatest**2)
        return shifts.ravel()

    def _first(self, basis: Floats) -> ShiftedBasis:
        return self.at(basis, self.first_shifts())

    def _next_shift(
        self, degrees: Floats, total: float, extended: Floats, point: ShiftedBasis
    ) -> float:
        """Return the shift that all features have in the next iteration."""
        if self.shift == "definition":
            samples = np.arange(self.data.n_samples)
            diagonal = _data.Pairs.sort(np.column_stack((samples, samples)), len(samples))
            alpha = self.data.forward(extended, point.frame)
            alpha += float(np.vdot(point.basis, extended[:, :-1])) * point.shifts
            alpha *= np.sign(alpha.sum())
            degrees = self.data.sweep(None, None, alpha, point.frame[:, :0], diagonal)[2]
        return float(degrees.max() / total)

    def _pulled(self, shifts: float | Floats, frame: Floats) -> Floats:
        """Compute ``Σ d_i m_i m_iᵀ [Q, 1]``; by no pass where all d are equal and q is small."""
        if self.flat is not None and np.ndim(shifts) == 0:
            return shifts * (self.flat @ frame)
        return self.data.adjoint(self._present(shifts), frame)

    def _also(self, shifts: float | Floats, point: ShiftedBasis) -> Floats:
        """Compute the same for other shifts at the frame of a point with equal shifts."""
        if np.ndim(shifts) == 0:
            return shifts / point.shifts * point.shifted
        return self._pulled(shifts, point.frame)

    def _present(self, shifts: float | Floats) -> Floats:
        """Return the shifts of all features, 0 for constant ones."""
        per_feature = np.full(self.data.n_features, shifts)
        per_feature[self.absent] = 0.0
        return per_feature

    def _lift(self, alpha: float | Floats, shifts: float | Floats) -> float:
        """Compute ``Σ α_i d_i``, not by BLAS, whose threads would compete with a pass."""
        return float(np.einsum("i,i", self._present(alpha), self._present(shifts)))


def _extended(dual: Floats, basis: Floats) -> tuple[float, Floats]:
    """Return ``trace(Qᵀ B)``, and what a pass at ``[Q, 1]`` takes for the dual B."""
    along = (basis * dual).sum(axis=1)
    return float(along.sum()), np.column_stack((dual, -along))


def _with_sums(image: Floats, basis: Floats, total: float, lifted: float) -> Floats:
    """Return ``L_α Q`` and two columns more: from ``A_α [Q, 1]``, ``Σ α_i`` and ``Σ α_i d_i``."""
    sums = np.zeros(len(basis))
    sums[:2] = total, lifted
    return np.column_stack((_laplacian_image(image, basis, lifted), image[:, -1], sums))


def _laplacian_image(image: Floats, basis: Floats, lifted: float) -> Floats:
    """Compute ``L_α Q`` from ``A_α [Q, 1]`` and ``Σ α_i d_i``."""
    return image[:, :-1] - image[:, -1:] * basis + lifted * basis
