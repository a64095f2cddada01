"""A factor W of the scatter within the classes, ``B = WᵀW`` + ridge, dense or never formed.

Of sparse samples W is not: subtracting the means of the classes would fill it up. A column is made
when it is asked for, and products with W are those with X, less those with the means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from specsel._validate import Floats, Integers

# Features: an array, or a list of numbers.
Support = Integers | list[int]

# Stored numbers that are looked at together, and columns that are formed together.
NUMBERS = 2**20
COLUMNS = 64

# A column whose means weigh more than so many times what is left without them is centred before
# its products are formed: of products that are centred afterwards the means would take the digits.
FAR = 100


class Within(Protocol):
    """What is asked of W, rows × features."""

    def __len__(self) -> int:
        """Number of rows."""

    @property
    def squares(self) -> Floats:
        """Squared norm of every column."""

    def columns(self, features: Support | int) -> Floats:
        """Some columns, or one."""

    def inner(self, features: Support) -> Floats:
        """``WᵀW`` of some features."""

    def cross(self, features: Integers, others: Integers) -> Floats:
        """Inner products of some columns with others, features × others."""

    def times(self, matrix: Floats) -> Floats:
        """``W matrix``."""

    def back(self, matrix: Floats) -> Floats:
        """``Wᵀ matrix``."""

    def outer(self, weights: Floats | None = None) -> Floats:
        """``W diag(weights) Wᵀ``; without weights ``W Wᵀ``."""


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

    def inner(self, features: Support) -> Floats:
        columns = self.array[:, features]
        return columns.T @ columns

    def cross(self, features: Integers, others: Integers) -> Floats:
        return self.array[:, features].T @ self.array[:, others]

    def times(self, matrix: Floats) -> Floats:
        return self.array @ matrix

    def back(self, matrix: Floats) -> Floats:
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
    classes : ndarray
        The class of every sample.
    means : ndarray of classes × features
    scale : ndarray
        What every column is multiplied by in the end.
    """

    matrix: Any
    classes: Integers
    means: Floats
    scale: Floats

    @classmethod
    def of(cls, matrix: Any, classes: Integers, scale: Floats) -> SparseWithin:
        """Find the means of the classes."""
        matrix = matrix.tocsc()
        members = (classes[:, None] == np.arange(classes.max() + 1)).astype(float)
        means = (matrix.T @ members).T / members.sum(axis=0)[:, None]
        return cls(matrix, classes, means, scale)

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def squares(self) -> Floats:
        """Squared norm of every column; what is stored and what is not are summed apart."""
        shape = self.means.shape
        squares, stored = np.zeros(shape[1]), np.zeros(shape[0] * shape[1])
        for samples, features, values in self._pieces():
            classes = self.classes[samples]
            shifted = values - self.means[classes, features]
            squares += np.bincount(features, shifted**2, len(squares))
            stored += np.bincount(classes * shape[1] + features, minlength=len(stored))
        absent = np.bincount(self.classes)[:, None] - stored.reshape(shape)
        squares += np.einsum("cj,cj,cj->j", absent, self.means, self.means)
        return squares * self.scale**2

    def columns(self, features: Support | int) -> Floats:
        numbers = np.atleast_1d(features)
        dense = self.matrix[:, numbers].toarray() - self.means[:, numbers][self.classes]
        dense *= self.scale[numbers]
        return dense if np.ndim(features) else dense[:, 0]

    def inner(self, features: Support) -> Floats:
        numbers = np.asarray(features)
        if len(numbers) <= COLUMNS:
            columns = self.columns(numbers)
            return columns.T @ columns
        products = self.cross(numbers, numbers)
        symmetric: Floats = (products + products.T) / 2
        return symmetric

    def cross(self, features: Integers, others: Integers) -> Floats:
        starts = range(0, len(features), COLUMNS)
        blocks = (self.columns(features[start : start + COLUMNS]) for start in starts)
        return np.vstack([self.back(block)[others].T for block in blocks])

    def times(self, matrix: Floats) -> Floats:
        scaled = (matrix.T * self.scale).T
        product: Floats = self.matrix @ scaled - (self.means @ scaled)[self.classes]
        return product

    def back(self, matrix: Floats) -> Floats:
        product: Floats = self.matrix.T @ matrix - self.means.T @ self._summed(matrix)
        return (product.T * self.scale).T

    def outer(self, weights: Floats | None = None) -> Floats:
        """``W diag(weights) Wᵀ``; columns far from 0 are dense in some class, and few."""
        weights = np.ones(len(self.scale)) if weights is None else weights
        explained = np.bincount(self.classes) @ (self.means * self.scale) ** 2
        far = explained > FAR * self.squares
        square = self._raw_outer(np.where(far, 0.0, weights * self.scale**2))
        self._centre(square)
        self._centre(square.T)
        features = np.flatnonzero(far)
        for start in range(0, len(features), COLUMNS):
            part = features[start : start + COLUMNS]
            columns = self.columns(part)
            square += (columns * weights[part]) @ columns.T
        return square

    def _raw_outer(self, weights: Floats) -> Floats:
        """``X diag(weights) Xᵀ`` of the samples as they are stored; zeros are left out."""
        square = np.zeros((len(self), len(self)))
        for start, stop in self._bounds():
            features = start + np.flatnonzero(weights[start:stop])
            piece = self.matrix[:, features]
            weighed = piece.multiply(weights[features]).tocsr()
            for first in range(0, len(self), COLUMNS):
                rows = slice(first, first + COLUMNS)
                square[rows] += (weighed[rows] @ piece.T).toarray()
        return square

    def _bounds(self) -> Iterator[tuple[int, int]]:
        """Yield where columns begin and end whose stored numbers are looked at together."""
        ends = np.searchsorted(self.matrix.indptr, np.arange(0, self.matrix.nnz, NUMBERS))
        bounds = np.unique([*ends, len(self.matrix.indptr) - 1]).tolist()
        return zip([0, *bounds[:-1]], bounds, strict=True)

    def _pieces(self) -> Iterator[tuple[Integers, Integers, Floats]]:
        """Yield stored numbers, each with its sample and its feature, some at a time."""
        for start, stop in self._bounds():
            places = self.matrix[:, start:stop].tocoo()
            samples, features = (np.asarray(index, dtype=np.intp) for index in places.coords)
            yield samples, features + start, places.data

    def _summed(self, matrix: Floats) -> Floats:
        """Sums of the rows of every class."""
        out = np.zeros((len(self.means), *matrix.shape[1:]))
        np.add.at(out, self.classes, matrix)
        return out

    def _centre(self, matrix: Floats) -> None:
        """Subtract from every row the mean of its class, in place."""
        matrix -= (self._summed(matrix) / np.bincount(self.classes)[:, None])[self.classes]
