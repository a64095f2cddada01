"""Directions among the mapped features, as the ascent needs them."""

import numpy as np

from specsel import linalg
from specsel._kernel.matrix import Matrix
from specsel._validate import Floats

# Cosines that should be 0 and are larger tell that scores have drifted from their coefficients.
DRIFT = 1e-6


class Directions:
    """The space of combinations ``Mᵀ c`` of the mapped features; see `_loop.ascent`.

    A direction is a column of 2 n numbers for n features: its coefficients c, then its scores
    ``V c``, which are the inner products with the features. Coefficients times scores are inner
    products of directions, and both parts of a combination are combinations, so V is needed for
    the image of a direction alone.
    """

    def __init__(self, data: Matrix) -> None:
        self.data = data
        self.samples, self.floor, self.dimension = None, data.floor, data.rank_bound

    def look(
        self, basis: Floats, lengths: Floats, beside: Floats
    ) -> tuple[Floats, Floats, Floats]:
        scores = self._scores(basis)
        alpha: Floats = (scores**2 * lengths).sum(axis=1)
        return alpha, self._image(alpha, scores), beside

    def enter(
        self, alpha: Floats, basis: Floats, image: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Take one step of orthogonal iteration, for `basis` holds scores alone."""
        directions = self.orthonormal(self._image(alpha, basis))[0]
        return directions, self._image(alpha, self._scores(directions)), np.zeros(0)

    def leave(self, alpha: Floats, basis: Floats, image: Floats) -> tuple[Floats, Floats]:
        return self._scores(basis), image[: self.data.n_features]

    def trace(self, alpha: Floats) -> float:
        return float(alpha @ self.data.entries.diagonal())

    def dual(self, directions: Floats) -> Floats:
        """The scores, which meet the coefficients of others."""
        n, turned = self.data.n_features, np.zeros_like(directions)
        turned[..., :n, :] = directions[..., n:, :]
        return turned

    def orthonormal(self, directions: Floats) -> tuple[Floats, Floats]:
        """Orthonormalise by the root of the Gram matrix, which changes least; null stays null."""
        square = directions.T @ self.dual(directions)
        lengths = np.sqrt(np.maximum(square.diagonal(), 0.0))
        lengths[lengths**2 <= self.data.rounding(directions[: self.data.n_features])] = np.inf
        values, axes = linalg.eigen((square + square.T) / 2 / np.outer(lengths, lengths))
        roots = np.sqrt(np.where(values > linalg.GRAM_FLOOR, values, np.inf))
        lengths[np.isinf(lengths)] = 0.0
        inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        triangle = axes * np.where(np.isinf(roots), 0.0, roots) @ axes.T * lengths
        return directions @ (inverse[:, None] * (axes / roots) @ axes.T), triangle

    def extended(self, basis: Floats, outside: Floats) -> tuple[Floats, Floats]:
        """What is as short as rounding, beside W of norm 1, counts as null.

        The scores of a short direction are small differences of those of long ones. Where too
        few digits are left, they no longer belong to its coefficients, which shows as an angle
        with the basis; they are computed anew then.
        """
        outside = self._apart(basis, outside)
        beyond, triangle = self.orthonormal(outside)
        if np.abs(beyond.T @ self.dual(basis)).max() > DRIFT:
            beyond, triangle = self.orthonormal(self._apart(basis, self._anew(outside)))
        return np.hstack((basis, beyond)), np.vstack((np.zeros_like(triangle), triangle))

    def _apart(self, basis: Floats, outside: Floats) -> Floats:
        outside = outside - basis @ (basis.T @ self.dual(outside))
        squares = np.einsum("ij,ij->j", outside, self.dual(outside))
        return outside * (squares > self.floor**2)

    def turned(self, frame: Floats, rotation: Floats) -> Floats:
        """Where directions were null, what is made of them is neither orthogonal nor of norm 1."""
        directions = frame @ rotation
        square = directions.T @ self.dual(directions)
        if np.abs(square - square.T).max() > DRIFT:
            directions = self._anew(directions)
        return self.orthonormal(directions)[0]

    def _anew(self, directions: Floats) -> Floats:
        """The same coefficients with their own scores."""
        coefficients = directions[: self.data.n_features]
        return np.vstack((coefficients, self.data.product(coefficients)))

    def _scores(self, directions: Floats) -> Floats:
        return directions[self.data.n_features :]

    def _image(self, alpha: Floats, scores: Floats) -> Floats:
        """``A_α`` of directions."""
        coefficients = alpha[:, None] * scores
        return np.vstack((coefficients, self.data.product(coefficients)))
