"""The pair (A, B) whose Rayleigh quotient sparse LDA and sparse PCA maximise.

With classes, features are scaled to mean 0 and variance 1; A is their scatter between the classes
and B their scatter within them. For sparse PCA, A is the covariance and B the identity. A pencil
stores neither matrix but their factors, ``A + shift B = factor factorᵀ`` and
``B = WᵀW + diag(ridge)``: for data, these are no larger than the data, and a matrix of
features x features is formed only where it is needed. The shift is 0 unless A has negative
eigenvalues; it makes A positive semi-definite and raises all values by the same number.

The factor W is an array, or for sparse samples never formed: subtracting the means of the classes
would fill it up. A column is then computed when it is needed, and products with W are those with
X, less those with the means.

Departure. A feature that does not vary gets a diagonal of 1 in B instead of 0. It may then be
chosen, but never raises a value.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from specsel import _containers, _data, _runtime, _validate, linalg
from specsel._validate import ArrayLike, Bools, Floats, Integers, Names, NDArray, PCAMatrix, Worth

# Eigenvalues of B without its ridge below this share of the largest are rounding.
RANK_FLOOR = 1e-10

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
# classify best, see `gslda`.
SEVERAL_CLASSES: Worth = "logdet"

# A value and its direction may differ by this share or, if that is more, by so many roundings.
CHECKED_SHARE, CHECKED = 1e-6, 100

# Bounds by Eq. (8) leave this share for rounding.
BOUND_SHARE = 1e-9

# Up to so many features, the eigenvalues of all come from the samples, as those of supports do.
FEW = 300

# Matrices of samples × samples, or of features × features where these are fewer, that are stored
# at once; and copies of dense samples.
MATRICES, COPIES = 3, 2

# Stored numbers that are looked at together, and columns or samples that are formed together.
NUMBERS, COLUMNS, SAMPLES = 2**20, 64, 2**13

# A feature is constant within the classes if no more than so many roundings of its size are left.
FLAT = 1

# With more samples than this, for every feature, a triangle takes the place of W.
TALL = 2

# Features: an array, or a list of numbers.
Support = Integers | list[int]


@dataclass(frozen=True, eq=False, repr=False)
class Pencil:
    """A and B, by their factors. A pencil never changes; its arrays are read-only.

    Attributes
    ----------
    factor : ndarray of shape (n_features, r)
        ``A + shift B = factor factorᵀ``; r is 1 for two classes.
    within : DenseWithin or SparseWithin
        W, with a column for every feature.
    ridge : ndarray of shape (n_features,)
        ``B = WᵀW + diag(ridge)``.
    shrinkage : float
        The part of the ridge that was added to make B positive definite.
    shift : float
        0 unless A has negative eigenvalues.
    names : tuple of str or None
        Names of the features.
    pair : tuple of two ndarrays or None
        A and B themselves, if the user gave them.
    criterion : {"leading", "trace", "logdet"}
        What a support is worth: the largest eigenvalue λ of the pencil over it, the sum of all, or
        ``Σ log(1 + λ)``. For the last two A has no negative eigenvalue.
    """

    factor: Floats
    within: DenseWithin | SparseWithin
    ridge: Floats
    shrinkage: float = 0.0
    shift: float = 0.0
    names: Names = None
    pair: tuple[Floats, Floats] | None = None
    criterion: Worth = "leading"

    def __post_init__(self) -> None:
        for array in (self.factor, self.ridge, *(self.pair or ())):
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
        row = self.within.adjoint(self.within.columns(index))
        row[index] += self.ridge[index]
        return row

    def block(self, support: Support) -> tuple[Floats, Floats]:
        """Return A and B of some features."""
        if self.pair is not None:
            A, B = self.pair
            part = np.ix_(np.asarray(support), np.asarray(support))
            return A[part], B[part]
        factor = self.factor[support]
        return factor @ factor.T, self.block_of_b(support)

    @property
    def is_pca(self) -> bool:
        """Whether B is the identity."""
        if self.pair is not None:
            return bool((self.pair[1] == np.eye(self.n_features)).all())
        return len(self.within) == 0

    @property
    def is_sum(self) -> bool:
        """Whether the value is a sum over eigenvalues; for rank one the largest is their sum."""
        return self.criterion != "leading" or self.factor.shape[1] == 1

    def block_of_a(self, rows: Integers, columns: Integers) -> Floats:
        """Return some rows and columns of A."""
        if self.pair is not None:
            return self.pair[0][np.ix_(rows, columns)]
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
        """The eigenvalues of the pencil over all features, ascending; those of H, see `gslda`.

        There are as many as A has rank, or perhaps more; the others are 0.
        """
        factor, within, ridge = self.factor, self.within, self.ridge
        everything = np.arange(len(ridge))
        if len(ridge) <= FEW:
            return self._eigenpairs(everything)[0]
        if len(within) < len(ridge) and (ridge > 0).all():
            eased = factor / ridge[:, None]
            inner = factor.T @ eased
            if len(within):  # Woodbury
                middle = within.outer(1 / ridge) + np.eye(len(within))
                image = within.times(eased)
                inner -= image.T @ np.linalg.solve(middle, image)
        else:
            inner = factor.T @ np.linalg.solve(self.block_of_b(everything), factor)
        return np.maximum(linalg.eigen((inner + inner.T) / 2)[0], 0.0)

    @property
    def leading_axis(self) -> Floats:
        """The leading eigenvector of ``B^(-½) A B^(-½)``.

        The matrix is formed only if there are more samples than features. Otherwise its factor
        ``B^(-½) U`` follows from the eigenvectors V of ``WᵀW``: B acts on what is
        orthogonal to them as its ridge does.
        """
        if self.pair is None and len(self.within) < self.n_features:
            values, axes = linalg.eigen(self.within.outer())
            kept = values > RANK_FLOOR * values[-1:].max(initial=0.0)
            values, axes = values[kept], self.within.adjoint(axes[:, kept] / np.sqrt(values[kept]))
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
        rounding = ROUNDING * self.n_features * values[-1]
        least = np.maximum(values[: max(n_small, 0)] - rounding, 0.0)
        lower = linalg.worth(least, self.criterion) if n_small > 0 else 0.0
        upper = linalg.worth(values[-k:] + rounding, self.criterion)
        return lower * (1 - BOUND_SHARE) - self.shift, upper * (1 + BOUND_SHARE) - self.shift

    def solve(self, support: Support) -> tuple[float, Floats]:
        """Return what a support is worth, and the leading eigenvector, of unit B-norm.

        The vector has an entry for every feature. The largest entry by modulus is positive.
        """
        if self.pair is None:
            values, vectors = self._eigenpairs(support)
        else:
            A, B = self.block(support)
            count = 1 if self.criterion == "leading" else len(A)
            values, vectors = linalg.last_eigenpairs(A, B, count)
            _check(A, B, float(values[-1]), vectors[:, -1])
        direction = np.zeros(self.n_features)
        direction[support] = vectors[:, -1]
        value = linalg.worth(values, self.criterion)
        is_large = self.criterion == "logdet" and values[-1] > 1
        if is_large and self.pair is None and not len(self.within):
            # Beside large eigenvalues small ones are lost; a triangle keeps them.
            stacked = np.vstack((self.factor[support].T, np.eye(len(support))))
            value = 2 * float(np.log(np.abs(linalg.triangle(stacked).diagonal())).sum())
        return value, direction * (np.sign(direction[np.abs(direction).argmax()]) or 1)

    def _eigenpairs(self, support: Support) -> tuple[Floats, Floats]:
        """Return the eigenvalues over a support that are not 0, ascending, and their vectors.

        With ``B = RᵀR``, they are the squared singular values of ``R⁻ᵀ F``. R is the triangle of
        W and the root of the ridge; B, whose condition is that of R squared, is not formed.
        """
        rows, factor = self._rows(support), self.factor[support]
        with _runtime.one_thread(len(rows)):
            if not len(self.within):  # B is 1
                left, roots, _ = np.linalg.svd(factor, full_matrices=False)
                return np.square(roots[::-1]), left[:, ::-1]
            upper = linalg.triangle(rows)
            factor = linalg.solve_upper(upper, factor, transposed=True)
            left, roots, _ = np.linalg.svd(factor, full_matrices=False)
            return np.square(roots[::-1]), linalg.solve_upper(upper, left[:, ::-1])

    def _rows(self, support: Support) -> Floats:
        """Return rows of which B of some features is the product: W and the root of the ridge."""
        rows, ridge = self.within.rows(support), self.ridge[support]
        return np.vstack((rows, np.diag(np.sqrt(ridge)))) if ridge.any() else rows

    def rounding(self, support: Support) -> Callable[[float], float]:
        """Return a bound on the rounding of values of samples, for a support and all its parts.

        Rounding changes the columns of W and the rows of the factor by some ε of their size, n
        roundings for n features. With columns of unit norm, let σ be the smallest singular value
        of W. Lengths by B then change by the share ``ε / σ``, and so do roots of eigenvalues,
        besides ``ε √(1 + λ) / σ``. A log-determinant of ``I + H`` is that of A + B less that of B.
        """
        rows = self._rows(support)
        epsilon = len(support) * np.finfo(float).eps
        share = epsilon / _least_singular(rows)
        count = 1 if self.criterion == "leading" else self.factor.shape[1]
        if self.criterion == "logdet":
            both = np.vstack((rows, self.factor[support].T))
            constant = 2 * len(support) * (share + epsilon / _least_singular(both))
            return lambda value: constant

        def bound(value: float) -> float:
            root = np.sqrt(value) + share * np.sqrt(1 + value)
            return float(count * (2 * share * value + root**2 - value))

        return bound


def _least_singular(rows: Floats) -> float:
    """Return the smallest singular value of a matrix, its columns scaled to unit norm."""
    with _runtime.one_thread(len(rows)):
        return float(np.linalg.svdvals(rows / np.linalg.norm(rows, axis=0))[-1])


def _check(A: Floats, B: Floats, value: float, vector: Floats) -> None:
    """Refuse a value that its eigenvector contradicts by more than rounding allows.

    Where the two differ, the condition of B says how much that is; see `_exact`.
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


@dataclass(frozen=True, eq=False, repr=False)
class DenseWithin:
    """W as an array."""

    array: Floats

    def __post_init__(self) -> None:
        self.array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.array)

    @property
    def squares(self) -> Floats:
        squares: Floats = np.einsum("ij,ij->j", self.array, self.array)
        return squares

    def columns(self, features: Support | int) -> Floats:
        return self.array[:, features]

    def rows(self, features: Support) -> Floats:
        return self.array[:, features]

    def inner(self, features: Support) -> Floats:
        columns = self.array[:, features]
        return columns.T @ columns

    def cross(self, features: Integers, others: Integers) -> Floats:
        return self.array[:, features].T @ self.array[:, others]

    def times(self, matrix: Floats) -> Floats:
        return self.array @ matrix

    def adjoint(self, matrix: Floats) -> Floats:
        return self.array.T @ matrix

    def outer(self, weights: Floats | None = None) -> Floats:
        weighed = self.array if weights is None else self.array * weights
        return weighed @ self.array.T


@dataclass(frozen=True, eq=False, repr=False)
class SparseWithin:
    """Sparse samples, each minus the mean of its class, their columns scaled.

    Attributes
    ----------
    matrix : scipy.sparse array of samples × features, by columns
    members : ndarray of samples × classes
        1 where a sample belongs to a class, and 0 elsewhere.
    means, stored : ndarray of classes × features
        The means of the numbers in the matrix, and how many of them are stored.
    scale : ndarray
        What every column is multiplied by in the end.
    """

    matrix: Any
    members: Floats
    means: Floats
    stored: Floats
    scale: Floats

    def __len__(self) -> int:
        return len(self.members)

    @property
    def squares(self) -> Floats:
        """Squared norm of every column; what is stored and what is not are summed apart."""
        absent = self.members.sum(axis=0)[:, None] - self.stored
        squares: Floats = np.einsum("cj,cj,cj->j", absent, self.means, self.means)
        for numbers, cells in _stored_cells(self.matrix, self.members):
            shifted = self.matrix.data[numbers] - self.means[cells]
            squares += np.bincount(cells[1], shifted**2, len(squares))
        return squares * self.scale**2

    def columns(self, features: Support | int) -> Floats:
        numbers = np.atleast_1d(features)
        dense = self.matrix[:, numbers].toarray() - self.members @ self.means[:, numbers]
        dense *= self.scale[numbers]
        return dense if np.ndim(features) else dense[:, 0]

    def rows(self, features: Support) -> Floats:
        """Return columns or, of many samples, a triangle with the same inner products."""
        rows, upper = self.matrix[:, features].tocsr(), np.empty((0, len(features)))
        means, scale = self.means[:, features], self.scale[features]
        for first in range(0, len(self), SAMPLES):
            part = slice(first, first + SAMPLES)
            block = (rows[part].toarray() - self.members[part] @ means) * scale
            upper = linalg.triangle(np.vstack((upper, block)))
        return upper

    def inner(self, features: Support) -> Floats:
        numbers = np.asarray(features)
        if len(numbers) <= COLUMNS:
            columns = self.columns(numbers)
            return columns.T @ columns
        products = self.cross(numbers, numbers)
        return (products + products.T) / 2

    def cross(self, features: Integers, others: Integers) -> Floats:
        starts = range(0, len(features), COLUMNS)
        blocks = (self.columns(features[start : start + COLUMNS]) for start in starts)
        return np.vstack([self.adjoint(block)[others].T for block in blocks])

    def times(self, matrix: Floats) -> Floats:
        scaled = (matrix.T * self.scale).T
        product: Floats = self.matrix @ scaled - self.members @ (self.means @ scaled)
        return product

    def adjoint(self, matrix: Floats) -> Floats:
        product: Floats = self.matrix.T @ matrix - self.means.T @ (self.members.T @ matrix)
        return (product.T * self.scale).T

    def outer(self, weights: Floats | None = None) -> Floats:
        """``W diag(weights) Wᵀ``: that of the samples as they are stored, centred afterwards."""
        weights = self.scale**2 if weights is None else weights * self.scale**2
        square = np.zeros((len(self), len(self)))
        for start, stop in _column_ranges(self.matrix):
            piece = self.matrix[:, start:stop]
            weighed = piece.multiply(weights[start:stop]).tocsr()
            for first in range(0, len(self), COLUMNS):
                rows = slice(first, first + COLUMNS)
                square[rows] += (weighed[rows] @ piece.T).toarray()
        counts = self.members.sum(axis=0)[:, None]
        for either in (square, square.T):
            either -= self.members @ (self.members.T @ either / counts)
        return square


def _column_ranges(matrix: Any) -> Iterator[tuple[int, int]]:
    """Yield the ends of ranges of columns whose stored numbers are read together."""
    ends = np.searchsorted(matrix.indptr, np.arange(0, matrix.nnz, NUMBERS))
    return itertools.pairwise(np.unique([0, *ends, matrix.shape[1]]).tolist())


def _stored_cells(
    matrix: Any, members: Floats
) -> Iterator[tuple[slice, tuple[Integers, Integers]]]:
    """Yield ranges of the stored numbers, with the class and the feature of each."""
    labels = members.argmax(axis=1)
    for start, stop in _column_ranges(matrix):
        ends = matrix.indptr[start : stop + 1]
        numbers = slice(ends[0], ends[-1])
        features = np.repeat(np.arange(start, stop), np.diff(ends))
        yield numbers, (labels[matrix.indices[numbers]], features)


class Options(TypedDict, total=False):
    """How a pencil is made of data."""

    shrinkage: float | None
    matrix: PCAMatrix
    criterion: Worth | None


def from_data(X: ArrayLike, y: ArrayLike | None = None, **options: Unpack[Options]) -> Pencil:
    """Return the pencil of data: scatter between and within classes; without y, covariance and 1.

    Without a criterion it is "leading", for more than two classes `SEVERAL_CLASSES`.
    """
    return from_reading(read(X, y, **options))


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
        n_classes = 0 if self.classes is None else int(self.classes.max()) + 1
        members = n_samples * n_classes
        return _runtime.Need(
            8 * (COPIES * stored + members + MATRICES * min(n_samples, n_features) ** 2),
            f"X: {n_samples} samples of {n_features} features, centred, and their inner products",
            "take fewer features first, by qalpha or alignment for instance",
        )


def read(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    shrinkage: float | None = None,
    matrix: PCAMatrix = "covariance",
    criterion: Worth | None = None,
) -> Reading:
    """Read data, and check the options, before anything is computed."""
    _validate.check_choice("matrix", matrix, _validate.PCAMatrix)
    if criterion is not None:
        _validate.check_choice("criterion", criterion, _validate.WORTHS)
    if shrinkage is not None:
        _validate.check_number("shrinkage", shrinkage, 0)
    array, names = _containers.as_matrix(X) if y is None else _containers.as_data(X)
    if y is None:
        if shrinkage is not None:
            raise ValueError(f"shrinkage = {shrinkage}: is for data with classes, and y is None")
        return Reading(array, names, None, shrinkage, matrix, criterion)
    if _containers.is_streamed(array):
        array, names = _containers.as_matrix(X)
    elif not (isinstance(array, np.ndarray) or array.has_canonical_format):
        array = array.copy()
        array.sum_duplicates()  # every number is stored once
    classes = _containers.as_classes(y, array.shape[0])
    if matrix != "covariance":
        raise ValueError(f"matrix = {matrix!r}: is for sparse PCA, without y")
    return Reading(array, names, classes, shrinkage, matrix, criterion)


def from_reading(data: Reading) -> Pencil:
    """Make a pencil of what was read."""
    array, names, classes, shrinkage, matrix, criterion = data
    _runtime.check_together([data.need])
    mean, norm = _data.moments(array, names, center=True)
    largest = norm.max()
    moderate = largest == 0 or LARGEST**-0.5 < largest < LARGEST**0.5  # as is its square
    if classes is None and matrix == "covariance" and not moderate:
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
        factor = np.asarray(array - mean, dtype=float).T / np.where(constant, 1.0, scale)[:, None]
        factor[constant] = 0.0
        factor -= factor.mean(axis=1)[:, None]  # the mean of a column is rounded
        if matrix == "correlation":
            factor /= np.where(constant, 1.0, np.linalg.norm(factor, axis=1))[:, None]
        if factor.shape[1] > len(factor):  # the same product, by no more columns than rows
            factor = linalg.triangle(factor.T).T
        nothing, ones = DenseWithin(np.empty((0, len(norm)))), np.ones(len(norm))
        return Pencil(factor, nothing, ones, names=names, criterion=criterion or "leading")
    factor, within = _scatter(array, mean, norm, classes)
    _warn_of_flat(within, constant, names)
    added = _shrinkage(within, np.flatnonzero(~constant), shrinkage)
    criterion = criterion or (SEVERAL_CLASSES if factor.shape[1] > 1 else "leading")
    ridge = added + constant
    return Pencil(factor, within, ridge, shrinkage=added, names=names, criterion=criterion)


def _scatter(
    array: Any, mean: Floats, norm: Floats, classes: Integers
) -> tuple[Floats, DenseWithin | SparseWithin]:
    """Return the factors of A and B of standardised samples, dense or sparse.

    The weighted means of the classes add up to zero, so the factor of A needs one column fewer
    than classes. The factor of B holds the samples, each minus the mean of its class.
    """
    members = (classes[:, None] == np.arange(classes.max() + 1)).astype(float)
    scale = np.divide(1.0, norm, out=np.zeros_like(norm), where=norm > 0)
    # What rounding may leave of |W_j|² where a feature is constant within every class.
    rounding = len(classes) * (FLAT * np.finfo(float).eps * (1 + np.abs(mean) * scale)) ** 2
    roots = np.sqrt(members.mean(axis=0))[:, None]
    axes = np.linalg.qr(roots, mode="complete")[0][:, 1:]
    within: DenseWithin | SparseWithin
    if isinstance(array, np.ndarray):
        means, rows = _by_classes(array, mean, scale, members)
        squares = np.einsum("ij,ij->j", rows, rows)
    else:
        matrix, shift, stored = _shifted(array.astype(np.float64, copy=False).tocsc(), members)
        rest = _class_means(matrix, members)
        means = np.sqrt(len(classes)) * (shift - mean + rest) * scale
        within = SparseWithin(matrix, members, rest, stored, scale)
        squares = within.squares
    factor = np.ascontiguousarray((means * roots).T @ axes)
    # Features have unit norm but for the rounding of the mean of all samples.
    norms = np.sqrt(squares + np.einsum("ij,ij->i", factor, factor))
    factor /= np.where(scale == 0, 1.0, norms)[:, None]
    change = np.divide(1.0, norms, out=np.zeros_like(norms), where=squares > rounding)
    if isinstance(array, np.ndarray):
        rows *= change
        within = DenseWithin(rows)
    else:
        scale *= change
    return factor, within


def _by_classes(
    array: NDArray[Any], mean: Floats, scale: Floats, members: Floats
) -> tuple[Floats, Floats]:
    """Return the standardised means of the classes, and the samples less these.

    The mean of a class is rounded, so what is left is centred again. If there are many samples, a
    triangle with the same inner products takes their place.
    """
    means, rows = np.zeros((members.shape[1], len(scale))), np.empty(array.shape, order="F")
    for c in range(len(means)):
        part = np.asarray(array[members[:, c] > 0], dtype=float)
        part[:, scale == 0] = 0.0
        center = (part / len(part)).sum(axis=0)
        part -= center
        rest = part.mean(axis=0)
        means[c] = np.sqrt(len(array)) * ((center - mean) + rest) * scale
        part -= rest
        part *= scale
        rows[members[:, c] > 0] = part
    if len(rows) > TALL * len(scale):
        rows = linalg.triangle(rows, overwrite=True)
    return means, rows


def _shifted(matrix: Any, members: Floats) -> tuple[Any, Floats, Floats]:
    """Subtract means of classes from features of which a class stores every number.

    A mean far from zero would take the digits of what varies around it. Also return what was
    subtracted, and how many numbers are stored, classes × features.
    """
    stored = np.zeros((members.shape[1], matrix.shape[1]))
    for _, cells in _stored_cells(matrix, members):
        places = np.ravel_multi_index(cells, stored.shape)
        stored += np.bincount(places, minlength=stored.size).reshape(stored.shape)
    filled = stored == members.sum(axis=0)[:, None]
    shift = np.where(filled, _class_means(matrix, members), 0.0)
    if not shift.any():
        return matrix, shift, stored
    values = matrix.data.copy()
    for numbers, cells in _stored_cells(matrix, members):
        values[numbers] -= shift[cells]
    return type(matrix)((values, matrix.indices, matrix.indptr), matrix.shape), shift, stored


def _class_means(matrix: Any, members: Floats) -> Floats:
    means: Floats = (matrix.T @ members).T / members.sum(axis=0)[:, None]
    return means


def _warn_of_flat(within: DenseWithin | SparseWithin, constant: Bools, names: Names) -> None:
    """Warn of features that are constant within every class, but not among all samples."""
    flat = np.flatnonzero((within.squares == 0) & ~constant)
    if len(flat):
        which = _validate.first_few(_validate.name_features(flat, names))
        warnings.warn(
            f"{len(flat)} of {len(constant)} features do not vary within any class: {which}; "
            "they tell the classes apart without error, and shrinkage alone decides their value",
            stacklevel=_validate.caller(),
        )


def _shrinkage(
    within: DenseWithin | SparseWithin, varying: Integers, shrinkage: float | None
) -> float:
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
    return Pencil(factor, within, no_ridge, shift=shift, pair=(A, B), criterion=criterion)


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
