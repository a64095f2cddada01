"""Q-α on the Laplacian of the samples (Wolf and Shashua, JMLR 6, 2005, Def. 5).

Let ``m_i`` be the i-th feature, not negative and of unit norm, and ``s_i`` the sum of its entries.
The Laplacian of one feature is ``L_i = m_i m_iᵀ - s_i diag(m_i) + d_i I``: affinities less the
degrees of the samples, ``m_i m_iᵀ 1 = s_i m_i``, and a shift. The usual Laplacian is degrees less
affinities, and its *smallest* eigenvalues show clusters; the shift ``d_i`` makes them lead. Let
``L_α = Σ α_i L_i``, and let Q be an orthonormal basis of k directions of the samples. The energy
``trace(Qᵀ L_α L_α Q)`` is maximised over Q and over α of unit norm:

- given Q, α is the leading eigenvector of the matrix with entries ``trace(Qᵀ L_i L_j Q)``;
- given α, ``Q <- qr(L_α Q)``, one step of orthogonal iteration.

In the first iteration a feature has the shift ``d_i = max(m_i m_iᵀ 1)``, its largest degree, where
1 is the vector of ones and max the largest entry. Afterwards, with the weights just found, all
have the same, ``d = max(Σ α_i m_i m_iᵀ 1) / Σ α_i``: the whole shift is the largest degree.

How α is found. With ``vec(L_i Q)`` as row i of Φ, the matrix of the first step is ``Φ Φᵀ``, n x n
for n features. It is not formed: from ``Φ Φᵀ α = λ α`` follows ``α = Φ B`` with ``B = Φᵀα/λ``, a
matrix of the size of Q, the *dual* of α. A Krylov method finds it from products ``ΦᵀΦ B``. With
the scores ``y_i = Qᵀ m_i``, with ``c = (B ∘ Q) 1``, the sums of the rows of ``B ∘ Q``, and with
``A_α = Σ α_i m_i m_iᵀ``,

    α_i = <L_i Q, B> = m_iᵀ B y_i - s_i m_iᵀ c + d_i trace(Qᵀ B),
    Φᵀ α = L_α Q = A_α Q - diag(A_α 1) Q + (Σ α_i d_i) Q.

Let ``F = [Q, 1]``. The first two terms of α_i are ``m_iᵀ [B, -c] Fᵀ m_i``, and ``A_α F`` has
``A_α Q`` and the degrees ``A_α 1``: both come from one pass over the data with k + 1 columns.

Departures from the paper:

- Def. 5 takes the largest diagonal entry of ``Σ α_i m_i m_iᵀ`` for the shift. The product with the
  vector of ones is missing there: beside the degrees this shift is about q times too small for q
  samples, L is close to minus the degrees, and Q converges to the eigenvectors of the smallest
  eigenvalues. The default is the largest degree, as above; ``shift="definition"`` is as printed.
- Features are never centred. With centred features all degrees are 0, and L says no more than A.
- The shift changes from one iteration to the next, and objectives with different shifts are not
  comparable. The objective may fall; the last iterate is returned.
- The start is the k leading directions of nearly equal weights, not a wide basis. Most maxima have
  a higher objective than the one this leads to, but say less about the clusters.

Because of this start, the method misses relevant features that `qalpha` finds where they are few.
Where a third of all features are relevant it finds them with ``representation="parts"``, where a
column has the weight ``√(α₊² + α₋²)`` of its two parts, but not with "shift".
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from specsel import _containers, _data, _iterate, _validate, linalg, qalpha
from specsel._iterate import Iterate, Step
from specsel._validate import ArrayLike, Directions, Floats, Init, LoopCallback, Seed
from specsel.results import Weights

__all__ = ["solve"]


def solve(
    X: ArrayLike,
    k: Directions,
    *,
    shift: _validate.Shift = "degree",
    representation: _validate.NonNegative = "parts",
    scale: _validate.Scale = "unit",
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
    scale : {"unit", "sqrt", "native"}
        As in `qalpha.solve`.
    init : {"equal", "continuation", "seeded", "random"} or array of shape (n_samples, k)
        Where to start, as in `qalpha.solve`; by default from the k leading directions of equal
        weights.
    n_init, tol, max_iter, random_state, callback
        As in `qalpha.solve`.

    Returns
    -------
    Weights
        `eigenvalues` are those of ``L_α``.

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
    _validate.check_choice("scale", scale, _validate.Scale)
    data = _data.represent(array, names, representation=representation).scaled(scale)
    options = options.counted(lambda: qalpha.count_centered(data))
    data.warn_if_negative(representation)
    run = _iterate.alternate(Laplacian(data, shift), options)
    return _iterate.pack(data, run)


class ShiftedBasis(NamedTuple):
    """A point of the loop: a basis, the shifts, and what every product at them needs."""

    basis: Floats  # Q
    shifts: Floats  # d_i, 0 for constant features
    shift: float | None  # d, if it is the same for all others: from the second iteration on
    frame: Floats  # F = [Q, 1]
    shift_image: Floats  # Σ d_i m_i m_iᵀ F


class Laplacian:
    """The problem ``trace(Qᵀ L_α L_α Q)``, with the methods that `_iterate.alternate` calls.

    A pass, ``data.fused(E, F, T)``, gives the weights ``m_iᵀ E Fᵀ m_i`` and with them ``A_α T``, T
    being F if left out; ``data.adjoint(α, T)`` gives ``A_α T`` alone.

    An iteration begins at a point and a dual, finds the leading α by `product`, and `advance`
    moves on. Duals and images of the loop are ``[L_α Q, A_α 1, e]``: e begins with ``Σ α_i`` and
    ``Σ α_i d_i``, followed by zeros. The next shift needs these two columns, which are no part of
    ``Φᵀ α``: the form J of `_iterate`, here `apply_form`, makes them 0 and changes nothing else.
    A dual has them too, for the Krylov method makes its next dual of an image.

    Where a column is two features, its parts, α runs over all first parts and then all second.
    """

    def __init__(self, data: _data.Data, shift: _validate.Shift) -> None:
        self.data = data
        self.shift = shift
        self.energy = qalpha.Energy(data)  # for `random`, `from_array` and `seeds`
        self.varies = (data.norms.ravel() > 0).astype(float)
        self.affinity: Floats | None = None  # Σ m_i m_iᵀ, where it is small enough to be kept
        if data.n_samples <= linalg.DENSE_LIMIT:
            self.affinity = data.adjoint(np.ones(data.n_features), None)

    def product(self, dual: Floats, point: ShiftedBasis) -> Floats:
        """Compute ``Φᵀ α`` for ``α = Φ B``."""
        trace, frame_dual = _frame_dual(dual[:, :-2], point.basis)
        # The pass lacks the part of α that comes from the shifts, trace · d_i.
        alpha, image = self.data.fused(frame_dual, point.frame)
        total = float(alpha.sum()) + trace * float(point.shifts.sum())
        weighted_shift = _dot(alpha, point.shifts) + trace * _dot(point.shifts, point.shifts)
        image += trace * point.shift_image
        sums = np.zeros(len(image))
        sums[:2] = total, weighted_shift
        laplacian_image = _laplacian_image(image, point.basis, weighted_shift)
        return np.column_stack((laplacian_image, image[:, -1], sums))

    def apply_form(self, image: Floats, point: ShiftedBasis) -> Floats:
        return _padded(image[:, :-2])

    def first_dual(self, point: ShiftedBasis) -> Floats:
        """Compute the dual of equal weights."""
        weighted_shift = float(point.shifts.sum())
        image = _laplacian_image(self._equal_image(point.frame), point.basis, weighted_shift)
        return _padded(image)

    def advance(
        self, pair: linalg.LeadingPair, point: ShiftedBasis, width: int
    ) -> Step[ShiftedBasis]:
        """Return the iterate after the leading `pair`, its point, and the next dual.

        The iterate has the weights α of the pair at this point; the next Q; ``L_α Q`` with the
        next shift; and the objective ``|L_α Q|²``.
        """
        trace, frame_dual = _frame_dual(pair.dual[:, :-2], point.basis)
        image, degrees = pair.image[:, :-2], pair.image[:, -2]
        total, weighted_shift = pair.image[:2, -1]
        sign = -1.0 if total < 0 else 1.0  # of an eigenvector, so that Σ α_i is positive
        shift = self._next_shift(sign * degrees, sign * total, frame_dual, point)
        # In ``L_α Q`` the next shift takes the place of the old ones.
        image = sign * (image + (shift * total - weighted_shift) * point.basis)
        # Q <- qr(L_α Q), with as many columns as the width, which falls to k.
        after = self.at(linalg.narrow(image, point.basis, width), shift)
        alpha, image = self.data.fused(frame_dual, point.frame, after.frame)
        # Σ d_i m_i m_iᵀ at the next frame: where all d_i are equal, only the factor is another.
        if point.shift is None:
            shift_image = self.data.adjoint(point.shifts, after.frame)
        else:
            shift_image = point.shift / shift * after.shift_image
        alpha = sign * (alpha + trace * point.shifts)
        image = sign * (image + trace * shift_image)
        image = _laplacian_image(image, after.basis, shift * float(alpha.sum()))
        iterate = Iterate(alpha, after.basis, image, float(np.vdot(image, image)))
        return iterate, after, _padded(image)

    def subspace(self, alpha: Floats, width: int) -> ShiftedBasis:
        """Return the leading eigenvectors of ``L_α``, with the shifts of the first iteration."""
        weighted_shift = float(alpha @ self.first_shifts())

        def product(basis: Floats | None) -> Floats:
            if basis is None:
                affinity = self.data.adjoint(alpha, None)
                return affinity + np.diag(weighted_shift - affinity.sum(axis=0))
            image = self.data.adjoint(alpha, _frame(basis))
            return _laplacian_image(image, basis, weighted_shift)

        return self.first(linalg.top_eigenpairs(product, self.data.n_samples, width)[1])

    def random(self, generator: np.random.Generator, width: int) -> ShiftedBasis:
        return self.first(self.energy.random(generator, width))

    def from_array(self, init: ArrayLike, k: int) -> ShiftedBasis:
        return self.first(self.energy.from_array(init, k))

    def seeds(self) -> Iterator[Floats]:
        return self.energy.seeds()

    def first(self, basis: Floats) -> ShiftedBasis:
        """Return the point of the first iteration, where every feature has its own shift."""
        frame, shifts = _frame(basis), self.first_shifts()
        return ShiftedBasis(basis, shifts, None, frame, self.data.adjoint(shifts, frame))

    def at(self, basis: Floats, shift: float) -> ShiftedBasis:
        """Return the point of a basis where all features have the same shift."""
        frame = _frame(basis)
        shift_image = shift * self._equal_image(frame)
        return ShiftedBasis(basis, shift * self.varies, shift, frame, shift_image)

    def first_shifts(self) -> Floats:
        """Compute ``d_i = max(s_i m_i)`` or, as printed, ``max(m_i m_iᵀ)_ss``.

        The largest entry of ``s_i m_i`` is where m_i is largest or, if s_i is negative (which
        needs ``representation="as-is"``), smallest.
        """
        shifts = np.empty(self.data.norms.shape)
        for part, (least, greatest, total) in self.data.spans():
            if self.shift == "degree":
                shifts[:, part] = np.maximum(least * total, greatest * total)
            else:
                shifts[:, part] = np.maximum(least**2, greatest**2)
        return shifts.ravel() * self.varies

    def _next_shift(
        self, degrees: Floats, total: float, frame_dual: Floats, point: ShiftedBasis
    ) -> float:
        """Compute d from ``A_α 1`` and ``Σ α_i`` or, as printed, from the diagonal of ``A_α``."""
        if self.shift == "definition":
            samples = np.arange(self.data.n_samples)
            diagonal = _data.Pairs.sort(np.column_stack((samples, samples)), len(samples))
            alpha = self.data.forward(frame_dual, point.frame)
            alpha += float(np.vdot(point.basis, frame_dual[:, :-1])) * point.shifts
            alpha *= np.sign(alpha.sum())
            degrees = self.data.sweep(None, None, alpha, point.frame[:, :0], diagonal)[2]
        return float(degrees.max() / total)

    def _equal_image(self, frame: Floats) -> Floats:
        """Compute ``Σ m_i m_iᵀ F``; by no pass where there are few samples."""
        if self.affinity is None:
            return self.data.adjoint(self.varies, frame)
        return self.affinity @ frame


def _frame(basis: Floats) -> Floats:
    """Return ``F = [Q, 1]``."""
    return np.column_stack((basis, np.ones(len(basis))))


def _frame_dual(dual: Floats, basis: Floats) -> tuple[float, Floats]:
    """Return ``trace(Qᵀ B)`` and ``[B, -c]``, the dual at F."""
    c = (basis * dual).sum(axis=1)
    return float(c.sum()), np.column_stack((dual, -c))


def _laplacian_image(image: Floats, basis: Floats, weighted_shift: float) -> Floats:
    """Compute ``L_α Q`` from ``A_α F`` and ``Σ α_i d_i``."""
    return image[:, :-1] - image[:, -1:] * basis + weighted_shift * basis


def _padded(dual: Floats) -> Floats:
    """Add the two columns that J makes 0."""
    return np.column_stack((dual, np.zeros((len(dual), 2))))


def _dot(left: Floats, right: Floats) -> float:
    """Compute a product, not by BLAS, whose threads would compete with those of a pass."""
    return float(np.einsum("i,i", left, right))
