"""Make a pencil: of data with classes, of data without, or of two matrices."""

import warnings
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from specsel import _containers, _data, _runtime, _validate, linalg
from specsel._pencil.pencil import RANK_FLOOR, Pencil
from specsel._pencil.within import DenseWithin, SparseWithin, Within
from specsel._validate import ArrayLike, Bools, Floats, Integers, Names, NDArray, PCAMatrix, Worth

# If B is rank deficient, its diagonal is raised by this share of the smallest eigenvalue above the
# floor (Moghaddam et al., Sec. 3.2).
SHRINKAGE_SHARE = 1e-3

# Eigenvalues below this share of the largest are rounding.
ROUNDING = 1e-14

# A matrix passes for symmetric if its entries differ by no more than this share of the largest.
ASYMMETRY = 1e-10

# Squares of larger entries are infinite.
LARGEST = 1e150

# What is sought by default for more than two classes: of the three criteria the one whose features
# classify best, see the README and `Criteria` in the benchmarks of `gslda`.
SEVERAL_CLASSES: Worth = "logdet"

# Matrices of samples × samples, or of features × features where these are fewer, that are held at
# once; and copies of dense samples.
MATRICES, COPIES = 3, 2


class Options(TypedDict, total=False):
    """How a pencil is made of data."""

    shrinkage: float | None
    matrix: PCAMatrix
    criterion: Worth | None


class Reading(NamedTuple):
    """Data as they were read, and what is to be made of them, checked."""

    array: Any
    names: Names
    classes: Integers | None
    shrinkage: float | None
    matrix: PCAMatrix
    criterion: Worth | None

    @property
    def need(self) -> _runtime.Need:
        """The memory that a pencil of the data takes."""
        n_samples, n_features = self.array.shape
        stored = self.array.size if isinstance(self.array, np.ndarray) else 0
        return _runtime.Need(
            8 * (COPIES * stored + MATRICES * min(n_samples, n_features) ** 2),
            f"X: {n_samples} samples of {n_features} features, centred, and their inner products",
            "take fewer features first, by qalpha or alignment for instance",
        )


def from_data(X: ArrayLike, y: ArrayLike | None = None, **options: Unpack[Options]) -> Pencil:
    """Make a pencil of data: scatter between and within classes; without y, covariance and 1.

    Without a criterion it is "leading", for more than two classes `SEVERAL_CLASSES`.
    """
    return from_reading(read(X, y, **options))


def read(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    shrinkage: float | None = None,
    matrix: PCAMatrix = "covariance",
    criterion: Worth | None = None,
) -> Reading:
    """Read data, and check the options, before anything is computed."""
    _validate.check_choice("matrix", matrix, _validate.PCA_MATRICES)
    if criterion is not None:
        _validate.check_choice("criterion", criterion, _validate.WORTHS)
    if shrinkage is not None:
        _validate.check_not_negative("shrinkage", shrinkage)
    array, names = _samples(X, with_classes=y is not None)
    classes = None if y is None else _containers.as_classes(y, array.shape[0])
    if y is not None:
        if matrix != "covariance":
            raise ValueError(f"matrix = {matrix!r}: is for sparse PCA, without y")
    elif shrinkage is not None:
        raise ValueError(f"shrinkage = {shrinkage}: is for data with classes, and y is None")
    return Reading(array, names, classes, shrinkage, matrix, criterion)


def from_reading(data: Reading) -> Pencil:
    """Make a pencil of what was read."""
    array, names, classes, shrinkage, matrix, criterion = data
    _runtime.check_together([data.need])
    mean, norm = _data.moments(array, names, center=True)
    if classes is None and matrix == "covariance" and not _is_moderate(norm.max()):
        raise ValueError(f"X: {_validate.TOO_EXTREME}")
    constant = norm == 0
    if constant.all():
        raise ValueError(f"X: all {len(norm)} features are constant; at least one must vary")
    if constant.any():
        verb = "is" if constant.sum() == 1 else "are"
        warnings.warn(
            f"{constant.sum()} of {len(norm)} features {verb} constant and never worth taking",
            stacklevel=_validate.caller(),
        )
    if classes is None:
        scale = norm if matrix == "correlation" else np.sqrt(len(array) - 1.0)
        factor = _centred(array, mean, constant).T / np.where(constant, 1.0, scale)[:, None]
        n_features = len(norm)
        within = DenseWithin(np.empty((0, n_features)))
        criterion = criterion or "leading"
        ones = np.ones(n_features)
        return Pencil(_narrow(factor), within, ones, names=names, criterion=criterion)
    scatter = _scatter if isinstance(array, np.ndarray) else _sparse_scatter
    factor, both = scatter(array, mean, norm, classes)
    added = _shrinkage(both, np.flatnonzero(~constant), shrinkage)
    criterion = criterion or (SEVERAL_CLASSES if factor.shape[1] > 1 else "leading")
    ridge = added + constant
    return Pencil(factor, both, ridge, shrinkage=added, names=names, criterion=criterion)


def _samples(X: ArrayLike, *, with_classes: bool) -> tuple[Any, Names]:
    """Read X, dense; sparse data with classes stay sparse, with every number stored once."""
    if not with_classes:
        return _containers.as_matrix(X)
    array, names = _containers.as_data(X)
    if isinstance(array, np.ndarray) or _containers.is_streamed(array):
        return _containers.as_matrix(X)
    if not array.has_canonical_format:
        array = array.copy()
        array.sum_duplicates()
    return array, names


def _centred(array: NDArray[Any], mean: Floats, constant: Bools) -> Floats:
    """A centred copy in float64."""
    centred = np.asarray(array - mean, dtype=float)
    centred[:, constant] = 0.0
    return centred


def _is_moderate(norm: float) -> bool:
    """Tell whether the square of a variance neither overflows nor underflows."""
    return norm == 0 or LARGEST**-0.5 < norm < LARGEST**0.5


def _narrow(factor: Floats) -> Floats:
    """Return a factor of the same ``factor factorᵀ`` that has no more columns than rows."""
    return factor if factor.shape[1] <= len(factor) else np.linalg.qr(factor.T)[1].T


def _scatter(
    array: NDArray[Any], mean: Floats, norm: Floats, classes: Integers
) -> tuple[Floats, Within]:
    """Return the factors of A and B of standardised samples.

    The factor of B holds the samples, each minus the mean of its class.
    """
    standardised = _centred(array, mean, norm == 0)
    standardised *= np.sqrt(len(array)) / np.where(norm == 0, 1.0, norm)
    means = np.zeros((classes.max() + 1, standardised.shape[1]))
    for c in range(len(means)):
        means[c] = standardised[classes == c].mean(axis=0)
        standardised[classes == c] -= means[c]
    standardised /= np.sqrt(len(classes))
    return _between(means, classes), DenseWithin(standardised)


def _sparse_scatter(
    matrix: Any, mean: Floats, norm: Floats, classes: Integers
) -> tuple[Floats, Within]:
    """The same of sparse samples."""
    scale = np.divide(1.0, norm, out=np.zeros_like(norm), where=norm > 0)
    within = SparseWithin.of(matrix.astype(np.float64, copy=False), classes, scale)
    means = np.sqrt(len(classes)) * (within.means - mean) * scale
    return _between(means, classes), within


def _between(means: Floats, classes: Integers) -> Floats:
    """The factor of A, from the standardised means of the classes."""
    # The weighted class means add up to zero, so one column fewer than classes is enough.
    roots = np.sqrt(np.bincount(classes) / len(classes))
    axes = np.linalg.qr(roots[:, None], mode="complete")[0][:, 1:]
    return np.ascontiguousarray((means * roots[:, None]).T @ axes)


def _shrinkage(within: Within, varying: Integers, shrinkage: float | None) -> float:
    """Choose what to add to the diagonal of B, or check that the user's choice is enough.

    Features that do not vary are nothing in its factor, and have a diagonal of 1 in B anyway.
    """
    n_features = len(varying)
    wide = n_features > len(within)
    square = within.outer() if wide else within.inner(varying)
    values = np.linalg.eigvalsh(square)
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
    _runtime.check_not_forked()
    _validate.check_choice("criterion", criterion, _validate.WORTHS)
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
    within = DenseWithin(np.sqrt(values)[:, None] * axes.T)
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
    array = _containers.as_matrix(matrix, least_samples=1, name=name)[0].astype(float)
    if array.shape[0] != array.shape[1]:
        raise ValueError(f"{name}: has shape {array.shape}; a square matrix is needed")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: holds NaN or infinite values; finite numbers are needed")
    error, size = np.abs(array - array.T).max(), np.abs(array).max()
    if error > ASYMMETRY * size:
        raise ValueError(f"{name}: is not symmetric, entries differ by {error:.2g}")
    symmetric: Floats = (array + array.T) / 2
    return symmetric


def support_of(x: ArrayLike, n_features: int) -> Integers:
    """Return where the entries of a vector are not zero, after checking it."""
    vector: np.ndarray[Any, np.dtype[Any]] = np.asarray(x)
    if vector.shape != (n_features,):
        raise ValueError(f"x: has shape {vector.shape}; ({n_features},) is needed")
    if vector.dtype.kind not in "biuf":
        raise ValueError(f"x: holds {vector.dtype}; real numbers are needed")
    if not np.isfinite(vector).all() or not vector.any():
        raise ValueError("x: must be finite and have an entry that is not zero")
    return np.flatnonzero(vector)
