"""The two matrices whose Rayleigh quotient sparse LDA and sparse PCA maximise.

With classes, features are scaled to mean 0 and variance 1; A is their scatter between the classes
and B their scatter within them. For sparse PCA, A is the covariance and B the identity. A pencil
stores neither matrix but their factors, ``A + shift B = factor factorᵀ`` and
``B = withinᵀ within + diag(ridge)``: for data, these are no larger than the data, and a matrix of
features x features is formed only where someone asks for it. The shift is 0 unless A has negative
eigenvalues; it makes A positive semi-definite and raises all values by the same number.

Departure. A feature that does not vary gets a diagonal of 1 in B instead of 0. It may then be
chosen, but never raises a value.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from specsel import _data, _input, _numba, linalg
from specsel._input.annotations import ArrayLike, Floats, Integers, Names
from specsel._input.choices import PCAMatrix, Worth

# If B is rank deficient, its diagonal is raised by this share of the smallest eigenvalue above the
# floor (Moghaddam et al., Sec. 3.2). The floor is a share of the largest eigenvalue.
SHRINKAGE_SHARE = 1e-3
RANK_FLOOR = 1e-10

# Eigenvalues below this share of the largest are rounding.
ROUNDING = 1e-14

# A matrix passes for symmetric if its entries differ by no more than this share of the largest.
ASYMMETRY = 1e-10

# Squares of larger entries are infinite.
LARGEST = 1e150

# A value and its direction may differ by this share or, if that is more, by so many roundings.
CHECKED_SHARE, CHECKED = 1e-6, 100

# What is sought by default for more than two classes: of the three criteria the one whose features
# classify best, see `criteria` in ``specsel reproduce``.
SEVERAL_CLASSES: Worth = "logdet"

# Bounds by Eq. (8) leave this share for rounding.
BOUND_SHARE = 1e-9

# Features: an array, or a list of numbers.
Support = Integers | list[int]


@dataclass(frozen=True, eq=False, repr=False)
class Pencil:
    """A and B, by their factors. A pencil never changes; its arrays are read-only.

    Attributes
    ----------
    factor : ndarray of shape (n_features, r)
        ``A + shift B = factor factorᵀ``; r is 1 for two classes.
    within : ndarray of shape (any, n_features)
    ridge : ndarray of shape (n_features,)
        ``B = withinᵀ within + diag(ridge)``.
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
    within: Floats
    ridge: Floats
    shrinkage: float = 0.0
    shift: float = 0.0
    names: Names = None
    given: tuple[Floats, Floats] | None = None
    criterion: Worth = "leading"

    def __post_init__(self) -> None:
        for array in (self.factor, self.within, self.ridge, *(self.given or ())):
            array.flags.writeable = False

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.factor)

    @property
    def diagonal(self) -> Floats:
        """Diagonal of B."""
        squares: Floats = np.einsum("ij,ij->j", self.within, self.within)
        return squares + self.ridge

    @property
    def matrices(self) -> tuple[Floats, Floats]:
        """A and B, features x features."""
        return self.block(np.arange(self.n_features))

    def row(self, index: int) -> Floats:
        """Return one row of B."""
        row = self.within[:, index] @ self.within
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
        within = self.within[:, support]
        return within.T @ within + np.diag(self.ridge[support])

    def times_b(self, support: Support, matrix: Floats) -> Floats:
        """Return B of some features times a matrix with a row for each of them."""
        within = self.within[:, support]
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
                middle = (within / ridge) @ within.T + np.eye(len(within))
                image = within @ eased
                inner -= image.T @ np.linalg.solve(middle, image)
        else:
            inner = factor.T @ np.linalg.solve(self.block_of_b(np.arange(len(ridge))), factor)
        return np.maximum(linalg.eigen((inner + inner.T) / 2)[0], 0.0)

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


def from_data(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    shrinkage: float | None = None,
    matrix: PCAMatrix = "covariance",
    criterion: Worth | None = None,
) -> Pencil:
    """Make a pencil of data: scatter between and within classes; without y, covariance and 1.

    Without a criterion it is "leading", for more than two classes `SEVERAL_CLASSES`.
    """
    _input.check_choice("matrix", matrix, _input.choices.PCA_MATRICES)
    if criterion is not None:
        _input.check_choice("criterion", criterion, _input.choices.WORTHS)
    if shrinkage is not None:
        _input.check_not_negative("shrinkage", shrinkage)
    array, names = _input.as_matrix(X)
    if y is not None:
        classes = _input.as_classes(y, len(array))
        if matrix != "covariance":
            raise ValueError(f"matrix = {matrix!r}: is for sparse PCA, without y")
    elif shrinkage is not None:
        raise ValueError(f"shrinkage = {shrinkage}: is for data with classes, and y is None")
    mean, norm = _data.moments(array, names, center=True)
    if y is None and matrix == "covariance" and not _is_moderate(norm.max()):
        raise ValueError(f"X: {_input.TOO_EXTREME}")
    constant = norm == 0
    if constant.all():
        raise ValueError(f"X: all {len(norm)} features are constant; at least one must vary")
    if constant.any():
        verb = "is" if constant.sum() == 1 else "are"
        warnings.warn(
            f"{constant.sum()} of {len(norm)} features {verb} constant and never worth taking",
            stacklevel=_input.caller(),
        )
    centered = np.asarray(array - mean, dtype=float)
    centered[:, constant] = 0.0
    if y is None:
        scale = norm if matrix == "correlation" else np.sqrt(len(array) - 1.0)
        factor = centered.T / np.where(constant, 1.0, scale)[:, None]
        n_features = len(norm)
        within = np.empty((0, n_features))
        criterion = criterion or "leading"
        ones = np.ones(n_features)
        return Pencil(_narrow(factor), within, ones, names=names, criterion=criterion)
    centered *= np.sqrt(len(array)) / np.where(constant, 1.0, norm)
    factor, within = _scatter(centered, classes)
    added = _shrinkage(within[:, ~constant], shrinkage)
    criterion = criterion or (SEVERAL_CLASSES if factor.shape[1] > 1 else "leading")
    ridge = added + constant
    return Pencil(factor, within, ridge, shrinkage=added, names=names, criterion=criterion)


def _is_moderate(norm: float) -> bool:
    """Tell whether the square of a variance neither overflows nor underflows."""
    return norm == 0 or LARGEST**-0.5 < norm < LARGEST**0.5


def _narrow(factor: Floats) -> Floats:
    """Return a factor of the same ``factor factorᵀ`` that has no more columns than rows."""
    return factor if factor.shape[1] <= len(factor) else np.linalg.qr(factor.T)[1].T


def _scatter(standardised: Floats, classes: Integers) -> tuple[Floats, Floats]:
    """Return the factors of A and B of standardised samples, which are overwritten by the second.

    The factor of B holds the samples, each minus the mean of its class.
    """
    counts = np.bincount(classes).astype(float)
    means = np.zeros((len(counts), standardised.shape[1]))
    for c in range(len(counts)):
        means[c] = standardised[classes == c].mean(axis=0)
        standardised[classes == c] -= means[c]
    standardised /= np.sqrt(len(classes))
    # The weighted class means add up to zero, so one column fewer than classes is enough.
    roots = np.sqrt(counts / len(classes))
    axes = np.linalg.qr(roots[:, None], mode="complete")[0][:, 1:]
    return np.ascontiguousarray((means * roots[:, None]).T @ axes), standardised


def _shrinkage(within: Floats, shrinkage: float | None) -> float:
    """Choose what to add to the diagonal of B, or check that the user's choice is enough."""
    n_samples, n_features = within.shape
    wide = n_features > n_samples
    values = np.linalg.eigvalsh(within @ within.T if wide else within.T @ within)
    floor = RANK_FLOOR * values[-1]
    deficient = wide or values[0] <= floor
    positive = values[values > floor]
    enough = SHRINKAGE_SHARE * (positive[0] if len(positive) else 1.0)
    if shrinkage is None:
        return enough if deficient else 0.0
    if deficient and shrinkage <= ROUNDING * n_features * values[-1]:
        smallest = 0.0 if wide else values[0]
        raise ValueError(
            f"shrinkage = {shrinkage:.3g}: leaves B with a smallest eigenvalue of {smallest:.2g}; "
            f"{enough:.2g} would do"
        )
    return shrinkage


def from_pair(A: ArrayLike, B: ArrayLike, criterion: Worth = "leading") -> Pencil:
    """Make a pencil of a symmetric A and a positive definite B.

    The factors belong to A and B scaled so that the diagonal of B is 1. Values do not depend on
    that scale, and rounding is then the same whatever the units of the features.
    """
    _numba.check_not_forked()
    _input.check_choice("criterion", criterion, _input.choices.WORTHS)
    A, B = _symmetric("A", A), _symmetric("B", B)
    if A.shape != B.shape:
        raise ValueError(f"B: has shape {B.shape}; that of A, {A.shape}, is needed")
    diagonal = np.diag(B)
    scale = 1 / np.sqrt(diagonal) if (diagonal > 0).all() else np.ones(len(B))
    scaled = [matrix * scale * scale[:, None] for matrix in (A, B)]
    largest = np.abs(scaled[0]).max()
    if largest > LARGEST:
        raise ValueError(f"A: is {largest:.1g} times B; at most {LARGEST:g} is possible")
    if 0 < largest < 1 / LARGEST:
        raise ValueError(f"A: is {largest:.1g} times B; at least {1 / LARGEST:g} is needed")
    values, axes = linalg.eigen(scaled[1])
    floor = ROUNDING * len(B) * max(abs(values[0]), abs(values[-1]))
    if values[0] <= floor:
        enough = max(SHRINKAGE_SHARE * values[-1], -2 * values[0]) or 1.0
        raise ValueError(
            "B: is not positive definite, with a diagonal of 1 its smallest eigenvalue is "
            f"{values[0]:.2g}; {enough:.2g} added to that diagonal would do"
        )
    within = np.sqrt(values)[:, None] * axes.T
    factor, shift = _factor(*scaled)
    if shift and criterion != "leading":
        raise ValueError(
            f"A: has an eigenvalue of {-shift:.2g} in the metric of B; criterion = {criterion!r} "
            "takes none below 0: take 'leading'"
        )
    no_ridge = np.zeros(len(B))
    return Pencil(factor, within, no_ridge, shift=shift, given=(A, B), criterion=criterion)


def _factor(A: Floats, B: Floats) -> tuple[Floats, float]:
    """Return a factor of ``A + shift B``, and the shift: 0 if A has no negative eigenvalue."""
    values, vectors = linalg.eigen(A)
    shift = 0.0
    if values[0] < -ROUNDING * len(A) * abs(values[-1]):
        from scipy.linalg import eigh

        values, vectors = eigh(A, B)
        shift = -values[0]
        values, vectors = values + shift, B @ vectors
    keep = values >= max(ROUNDING * len(A) * values[-1], 0.0)
    return vectors[:, keep] * np.sqrt(values[keep]), shift


def _symmetric(name: str, matrix: ArrayLike) -> Floats:
    """Check that a matrix is square, finite and symmetric; return it symmetric to the last bit."""
    array = _input.as_matrix(matrix, least_samples=1, name=name)[0].astype(float)
    if array.shape[0] != array.shape[1]:
        raise ValueError(f"{name}: has shape {array.shape}; a square matrix is needed")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: holds NaN or infinite values; finite numbers are needed")
    error, size = np.abs(array - array.T).max(), np.abs(array).max()
    if error > ASYMMETRY * size:
        raise ValueError(f"{name}: is not symmetric, entries differ by {error:.2g}")
    symmetric: Floats = (array + array.T) / 2
    return symmetric
