"""The two matrices whose Rayleigh quotient sparse LDA and sparse PCA maximise.

A pencil holds ``A + shift B = factor factorᵀ`` and ``B = withinᵀ within + diag(ridge)``. For data
with classes, both of features that are scaled to mean 0 and variance 1, A is the scatter between
the classes and B within them, of rank and size of the samples: no matrix of features x features
is formed unless asked for. For sparse PCA, B is the identity. The shift is 0 unless A has negative
eigenvalues.

Departure. A feature that does not vary has a B of 1 instead of 0, so that it is never worth taking
but may be.
"""

import warnings
from functools import cached_property

import numpy as np

from specsel import _data, _input, linalg

# Where B is rank deficient, this share of its smallest eigenvalue above the floor is added to its
# diagonal (Moghaddam et al., Sec. 3.2); the floor is a share of the largest.
SHRINKAGE_SHARE = 1e-3
RANK_FLOOR = 1e-10

# Eigenvalues below this share of the largest are rounding.
ROUNDING = 1e-14

# What two entries of a matrix that ought to be symmetric may differ by.
ASYMMETRY = 1e-10

# Squares of larger entries are infinite.
LARGEST = 1e150


class Pencil:
    """A and B, by their factors.

    Attributes
    ----------
    factor : ndarray of shape (n_features, r)
        With ``A + shift B = factor factorᵀ``; r is 1 for two classes.
    shift : float
    names : tuple of str or None
    shrinkage : float
        What of the ridge was added to make B positive definite.
    """

    def __init__(self, factor, within, ridge, *, shrinkage=0.0, shift=0.0, names=None, given=None):
        self.factor, self.shift, self.names, self.shrinkage = factor, shift, names, shrinkage
        self._within, self._ridge, self._given = within, ridge, given
        self.n_features = len(factor)

    @property
    def diagonal(self) -> np.ndarray:
        """Diagonal of B."""
        return np.einsum("ij,ij->j", self._within, self._within) + self._ridge

    def row(self, index: int) -> np.ndarray:
        """One row of B."""
        row = self._within[:, index] @ self._within
        row[index] += self._ridge[index]
        return row

    @cached_property
    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """A and B, features x features."""
        return self.block(np.arange(self.n_features))

    def block(self, support) -> tuple[np.ndarray, np.ndarray]:
        """A and B of some features."""
        if self._given is not None:
            return tuple(matrix[np.ix_(support, support)] for matrix in self._given)
        factor = self.factor[support]
        return factor @ factor.T, self.block_of_b(support)

    def block_of_b(self, support) -> np.ndarray:
        """B of some features."""
        within = self._within[:, support]
        return within.T @ within + np.diag(self._ridge[support])

    def times_b(self, support, matrix) -> np.ndarray:
        """B of some features times a matrix of as many rows."""
        within = self._within[:, support]
        return within.T @ (within @ matrix) + self._ridge[support][:, None] * matrix

    def solve(self, support) -> tuple[float, np.ndarray]:
        """Largest eigenvalue over a support and its vector over all features, of unit B-norm."""
        from scipy.linalg import eigh

        last = len(support) - 1
        values, vectors = eigh(*self.block(support), subset_by_index=[last, last])
        direction = np.zeros(self.n_features)
        direction[support] = vectors[:, 0]
        return float(values[0]), direction * (np.sign(direction[np.abs(direction).argmax()]) or 1)


def from_data(X, y=None, *, shrinkage=None, matrix="covariance") -> Pencil:
    """Scatter between and within classes, or, without labels, covariance and identity."""
    _input.check_choice("matrix", matrix, _input.choices.PCA_MATRICES)
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
        return Pencil(_narrow(factor), np.empty((0, n_features)), np.ones(n_features), names=names)
    centered *= np.sqrt(len(array)) / np.where(constant, 1.0, norm)
    factor, within = _scatter(centered, classes)
    added = _shrinkage(within[:, ~constant], shrinkage)
    return Pencil(factor, within, added + constant, shrinkage=added, names=names)


def _is_moderate(norm):
    """Whether the square of a variance is a number."""
    return norm == 0 or LARGEST**-0.5 < norm < LARGEST**0.5


def _narrow(factor):
    """The same product ``factor factorᵀ`` with no more columns than rows."""
    return factor if factor.shape[1] <= len(factor) else np.linalg.qr(factor.T)[1].T


def _scatter(standardised, classes):
    """Factors of A and B of standardised samples; these are overwritten by what is within."""
    counts = np.bincount(classes).astype(float)
    means = np.zeros((len(counts), standardised.shape[1]))
    for c in range(len(counts)):
        means[c] = standardised[classes == c].mean(axis=0)
        standardised[classes == c] -= means[c]
    standardised /= np.sqrt(len(classes))
    # The class means add up to nothing, so that their factor has a column fewer than classes.
    roots = np.sqrt(counts / len(classes))
    axes = np.linalg.qr(roots[:, None], mode="complete")[0][:, 1:]
    return np.ascontiguousarray((means * roots[:, None]).T @ axes), standardised


def _shrinkage(within, shrinkage):
    """What is added to the diagonal of B, and the check that this makes B positive definite."""
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


def from_pair(A, B) -> Pencil:
    """Any symmetric A with any positive definite B; the factors are those of B of diagonal 1."""
    A, B = _symmetric("A", A), _symmetric("B", B)
    if A.shape != B.shape:
        raise ValueError(f"B: has shape {B.shape}; that of A, {A.shape}, is needed")
    diagonal = np.diag(B)
    scale = 1 / np.sqrt(diagonal) if (diagonal > 0).all() else np.ones(len(B))
    scaled = [matrix * scale * scale[:, None] for matrix in (A, B)]
    largest = np.abs(scaled[0]).max()
    if largest > LARGEST:
        raise ValueError(f"A: is {largest:.1g} times B; at most {LARGEST:g} is possible")
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
    return Pencil(factor, within, np.zeros(len(B)), shift=shift, given=(A, B))


def _factor(A, B):
    """A factor of ``A + shift B``, the shift being 0 where A has no negative eigenvalue."""
    values, vectors = linalg.eigen(A)
    shift = 0.0
    if values[0] < -ROUNDING * len(A) * abs(values[-1]):
        from scipy.linalg import eigh

        values, vectors = eigh(A, B)
        shift = -values[0]
        values, vectors = values + shift, B @ vectors
    keep = values >= max(ROUNDING * len(A) * values[-1], 0.0)
    return vectors[:, keep] * np.sqrt(values[keep]), shift


def _symmetric(name, matrix):
    array = _input.as_matrix(matrix, least_samples=1, name=name)[0].astype(float)
    if array.shape[0] != array.shape[1]:
        raise ValueError(f"{name}: has shape {array.shape}; a square matrix is needed")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: holds NaN or infinite values; finite numbers are needed")
    error, size = np.abs(array - array.T).max(), np.abs(array).max()
    if error > ASYMMETRY * size:
        raise ValueError(f"{name}: is not symmetric, entries differ by {error:.2g}")
    return (array + array.T) / 2
