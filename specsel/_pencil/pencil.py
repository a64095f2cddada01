"""The two matrices whose Rayleigh quotient sparse LDA and sparse PCA maximise.

With classes, features are scaled to mean 0 and variance 1; A is their scatter between the classes
and B their scatter within them. For sparse PCA, A is the covariance and B the identity. A pencil
stores neither matrix but their factors, ``A + shift B = factor factorᵀ`` and
``B = WᵀW + diag(ridge)``: for data, these are no larger than the data, and a matrix of
features x features is formed only where someone asks for it. The shift is 0 unless A has negative
eigenvalues; it makes A positive semi-definite and raises all values by the same number.

Departure. A feature that does not vary gets a diagonal of 1 in B instead of 0. It may then be
chosen, but never raises a value.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from specsel import linalg
from specsel._pencil.within import Support, Within
from specsel._validate import Floats, Integers, Names, Worth

# Eigenvalues of B without its ridge below this share of the largest are rounding.
RANK_FLOOR = 1e-10

# A value and its direction may differ by this share or, if that is more, by so many roundings.
CHECKED_SHARE, CHECKED = 1e-6, 100

# Bounds by Eq. (8) leave this share for rounding.
BOUND_SHARE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Pencil:
    """A and B, by their factors. A pencil never changes; its arrays are read-only.

    Attributes
    ----------
    factor : ndarray of shape (n_features, r)
        ``A + shift B = factor factorᵀ``; r is 1 for two classes.
    within : Within
        W, with a column for every feature.
    ridge : ndarray of shape (n_features,)
        ``B = WᵀW + diag(ridge)``.
    shrinkage : float
        The part of the ridge that was added to make B positive definite.
    shift : float
        0 unless A has negative eigenvalues.
    names : tuple of str or None
        Names of the features.
    given : tuple of two ndarrays or None
        A and B themselves, if the user gave them.
    criterion : {"leading", "trace", "logdet"}
        What a support is worth: the largest eigenvalue λ of the pencil over it, the sum of all, or
        ``Σ log(1 + λ)``. For the last two A has no negative eigenvalue.
    """

    factor: Floats
    within: Within
    ridge: Floats
    shrinkage: float = 0.0
    shift: float = 0.0
    names: Names = None
    given: tuple[Floats, Floats] | None = None
    criterion: Worth = "leading"

    def __post_init__(self) -> None:
        for array in (self.factor, self.ridge, *(self.given or ())):
            array.flags.writeable = False

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.factor)

    @property
    def diagonal(self) -> Floats:
        """Diagonal of B."""
        return self.within.squares + self.ridge

    @property
    def matrices(self) -> tuple[Floats, Floats]:
        """A and B, features x features."""
        return self.block(np.arange(self.n_features))

    def row(self, index: int) -> Floats:
        """Return one row of B."""
        row = self.within.back(self.within.columns(index))
        row[index] += self.ridge[index]
        return row

    def block(self, support: Support) -> tuple[Floats, Floats]:
        """Return A and B of some features."""
        if self.given is not None:
            A, B = self.given
            pair = np.ix_(np.asarray(support), np.asarray(support))
            return A[pair], B[pair]
        factor = self.factor[support]
        return factor @ factor.T, self.block_of_b(support)

    @property
    def is_pca(self) -> bool:
        """Whether B is the identity."""
        if self.given is not None:
            return bool((self.given[1] == np.eye(self.n_features)).all())
        return len(self.within) == 0

    @property
    def adds_up(self) -> bool:
        """Whether the value is a sum over eigenvalues; for rank one the largest is their sum."""
        return self.criterion != "leading" or self.factor.shape[1] == 1

    def block_of_a(self, rows: Integers, columns: Integers) -> Floats:
        """Return some rows and columns of A."""
        if self.given is not None:
            return self.given[0][np.ix_(rows, columns)]
        return self.factor[rows] @ self.factor[columns].T

    def block_of_b(self, support: Support) -> Floats:
        """Return B of some features."""
        return self.within.inner(support) + np.diag(self.ridge[support])

    def times_b(self, support: Support, matrix: Floats) -> Floats:
        """Return B of some features times a matrix with a row for each of them."""
        within = self.within.columns(support)
        return within.T @ (within @ matrix) + self.ridge[support][:, None] * matrix

    @cached_property
    def spectrum(self) -> Floats:
        """The eigenvalues of the pencil over all features, ascending; those of H, see `tableau`.

        There are as many as A has rank, or perhaps more; the others are 0.
        """
        factor, within, ridge = self.factor, self.within, self.ridge
        if len(within) < len(ridge) and (ridge > 0).all():
            eased = factor / ridge[:, None]
            inner = factor.T @ eased
            if len(within):  # Woodbury
                middle = within.outer(1 / ridge) + np.eye(len(within))
                image = within.times(eased)
                inner -= image.T @ np.linalg.solve(middle, image)
        else:
            inner = factor.T @ np.linalg.solve(self.block_of_b(np.arange(len(ridge))), factor)
        return np.maximum(linalg.eigen((inner + inner.T) / 2)[0], 0.0)

    @property
    def leading_axis(self) -> Floats:
        """The leading eigenvector of ``B^(-½) A B^(-½)``.

        The matrix is formed only if there are more samples than features. Otherwise its factor
        ``B^(-½) U`` follows from the eigenvectors V of ``WᵀW``: B acts on what is
        orthogonal to them as its ridge does.
        """
        if self.given is None and len(self.within) < self.n_features:
            values, axes = linalg.eigen(self.within.outer())
            kept = values > RANK_FLOOR * values[-1:].max(initial=0.0)
            values, axes = values[kept], self.within.back(axes[:, kept] / np.sqrt(values[kept]))
            roots = 1 / np.sqrt(self.ridge)
            change = 1 / np.sqrt(values + self.shrinkage) - 1 / np.sqrt(self.shrinkage or 1.0)
            factor = self.factor * roots[:, None]
            factor += axes * change @ (axes.T @ self.factor)
            return np.linalg.svd(factor, full_matrices=False)[0][:, 0]
        a, b = self.matrices
        values, axes = np.linalg.eigh(b)
        root = axes / np.sqrt(values) @ axes.T
        leading: Floats = np.linalg.eigh(root @ a @ root)[1][:, -1]
        return leading

    def bounds(self, k: int) -> tuple[float, float]:
        """Return what no support of k features falls short of, and what none exceeds, by Eq. (8).

        An eigenvalue of a support lies between those of the same place, counted from below and
        from above, among those of all features.
        """
        values = self.spectrum
        n_small = k - (self.n_features - len(values))  # how many of the k smallest are listed
        lower = linalg.worth(values[:n_small], self.criterion) if n_small > 0 else 0.0
        upper = linalg.worth(values[-k:], self.criterion)
        return lower * (1 - BOUND_SHARE) - self.shift, upper * (1 + BOUND_SHARE) - self.shift

    def solve(self, support: Support) -> tuple[float, Floats]:
        """Return what a support is worth, and the leading eigenvector, of unit B-norm.

        The vector has an entry for every feature. The largest entry by modulus is positive.
        """
        A, B = self.block(support)
        count = 1 if self.criterion == "leading" else len(A)
        values, vectors = linalg.last_eigenpairs(A, B, count)
        _check(A, B, float(values[-1]), vectors[:, -1])
        direction = np.zeros(self.n_features)
        direction[support] = vectors[:, -1]
        value = linalg.worth(values, self.criterion)
        return value, direction * (np.sign(direction[np.abs(direction).argmax()]) or 1)


def _check(A: Floats, B: Floats, value: float, vector: Floats) -> None:
    """Refuse a value that its eigenvector contradicts by more than rounding allows.

    Where the two differ, the condition of B says how much that is; see `Rounding` in `_exact`.
    """
    norm, quotient = float(vector @ B @ vector), float(vector @ A @ vector)
    if abs(norm - 1) <= CHECKED_SHARE and abs(quotient - value) <= CHECKED_SHARE * abs(value):
        return
    scale = np.sqrt(np.diag(B))
    a, b = (matrix / scale / scale[:, None] for matrix in (A, B))
    values = np.linalg.eigvalsh(b)
    share = CHECKED * len(A) * np.finfo(float).eps / max(values[0], np.finfo(float).tiny)
    off = share * (len(a) * np.abs(a).max() + abs(value) * values[-1])
    if not (abs(norm - 1) <= share * values[-1] and abs(quotient - value) <= off):
        raise ValueError(
            f"X: the value {value:.6g} of {len(A)} features cannot be trusted, its direction "
            f"gives {quotient:.6g}; take a larger shrinkage, or rescale X"
        )
