"""V, the products with it, and what is known of the features behind it."""

from typing import Self

import numpy as np

from specsel import _data, linalg
from specsel._validate import Floats, Names


class Matrix:
    """V: the inner products of n features after a kernel has mapped them.

    Build one by `given` or `of_data`.

    Attributes
    ----------
    entries : ndarray of shape (n_features, n_features)
        V itself.
    varies : ndarray
        1 for every feature that varies, 0 for every constant one.
    names, mean, norm, rank_bound, mean_free, floor, passes
        What the loop and the result must know of the features. `passes` counts reads of X and V.
    """

    def __init__(
        self,
        entries: Floats,
        *,
        names: Names,
        mean: Floats,
        norm: Floats,
        rank_bound: int,
        mean_free: bool,
        passes: int,
    ) -> None:
        self.entries, self.names, self.n_features = entries, names, len(entries)
        self.varies = _varies(entries)
        self.mean, self.norm, self.passes = mean, norm, passes
        self.rank_bound, self.mean_free = rank_bound, mean_free
        self.floor = linalg.RESIDUAL_FLOOR

    @classmethod
    def given(cls, entries: Floats, names: Names = None) -> Self:
        """Build the matrix of features of which nothing but V is known."""
        return cls(
            entries,
            names=names,
            mean=np.zeros(len(entries)),
            norm=_varies(entries),
            rank_bound=len(entries),
            mean_free=_some_are_negative(entries),
            passes=0,
        )

    @classmethod
    def of_data(
        cls, data: _data.Data, entries: Floats, *, rank_bound: int, mean_free: bool | None
    ) -> Self:
        """Build the matrix of data.

        `mean_free` says whether no leading direction is common to all features. With None the
        entries decide.
        """
        return cls(
            entries,
            names=data.names,
            mean=data.mean,
            norm=data.norm,
            rank_bound=rank_bound,
            mean_free=_some_are_negative(entries) if mean_free is None else mean_free,
            passes=data.passes,
        )

    def joined(self, alpha: Floats) -> Floats:
        """Return the weights of the columns of X, which here are the features."""
        return alpha

    def product(self, columns: Floats) -> Floats:
        """Compute ``V columns``."""
        self.passes += 1
        product: Floats = self.entries @ columns
        return product

    def squared_product(self, alpha: Floats) -> Floats:
        """Compute ``(V ∘ V) α``, where ∘ multiplies entry by entry."""
        self.passes += 1
        return np.einsum("ij,ij,j->i", self.entries, self.entries, alpha)

    def orthonormal(self, coefficients: Floats) -> Floats:
        """Orthonormalise what ``Mᵀ coefficients`` spans; return the scores of the features on it.

        M holds the mapped features as rows. Null directions have scores of 0. Directions are
        brought to one length before roots are taken, or short ones would lose digits.
        """
        image = self.product(coefficients)
        square = coefficients.T @ image
        seen = square.diagonal() > self.rounding(coefficients)
        lengths = np.where(seen, square.diagonal(), np.inf) ** 0.5
        values, axes = np.linalg.eigh(square / np.outer(lengths, lengths))
        roots = np.where(values > linalg.GRAM_FLOOR, values, np.inf) ** 0.5
        return image @ (axes / np.outer(lengths, roots))

    def rounding(self, coefficients: Floats) -> Floats:
        """Squared lengths of directions that may be rounding."""
        squares: Floats = (coefficients**2).sum(axis=0)
        return self.floor * self.entries.trace() * squares


def _varies(entries: Floats) -> Floats:
    return (entries.diagonal() > 0).astype(float)


def _some_are_negative(entries: Floats) -> bool:
    """Tell whether V has negative entries; where it has none, a direction is common to all."""
    return bool(entries.min() < -linalg.RESIDUAL_FLOOR * entries.max())
