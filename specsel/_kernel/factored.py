"""Directions among the mapped features as vectors, by a factor of V."""

import numpy as np

from specsel import _data
from specsel._kernel.matrix import Matrix
from specsel._runtime import one_thread
from specsel._validate import Floats


def factor(data: Matrix, least: int) -> Floats | None:
    """F with ``V = F Fᵀ``, None where V has no null space.

    F has as many columns as V has rank, and columns of zeros up to the least number.
    """
    from scipy.linalg import lapack  # here, for it would make the package slow to import

    data.passes += 1
    n = data.n_features
    with one_thread(n):
        lower, failed = lapack.dpotrf(data.entries.T, lower=1)
        if not failed and lower.diagonal().min() ** 2 > data.floor * data.entries.trace():
            return None
        lower, pivots, rank, _ = lapack.dpstrf(data.entries.T, lower=1)
    data.rank_bound = min(data.rank_bound, int(rank))
    found = np.zeros((n, max(rank, least)))
    found[pivots - 1, :rank] = np.tril(lower)[:, :rank]
    return found


class Factored:
    """The space of combinations ``Fᵀ c`` of the features, vectors of r numbers; see `Directions`.

    Where V has a null space, coefficients hide it: what they have there changes no direction,
    grows, and takes the digits of the rest. A vector has nothing to hide.
    """

    samples = None

    def __init__(self, data: Matrix, features: Floats) -> None:
        self.data, self.features = data, features
        self.floor, self.dimension = data.floor, features.shape[1]

    def look(
        self, basis: Floats, lengths: Floats, beside: Floats
    ) -> tuple[Floats, Floats, Floats]:
        self.data.passes += 1
        scores = self.features @ basis
        alpha: Floats = (scores**2 * lengths).sum(axis=1)
        return alpha, self._combined(alpha, scores), beside

    def enter(
        self, alpha: Floats, basis: Floats, image: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Take one step of orthogonal iteration, for `basis` holds scores alone."""
        self.data.passes += 1
        directions = _data.signed_qr(self._combined(alpha, basis))[0]
        return directions, self._combined(alpha, self.features @ directions), np.zeros(0)

    def leave(self, alpha: Floats, basis: Floats, image: Floats) -> tuple[Floats, Floats]:
        scores = self.features @ basis
        return scores, alpha[:, None] * scores

    def trace(self, alpha: Floats) -> float:
        return float(alpha @ self.data.entries.diagonal())

    def dual(self, directions: Floats) -> Floats:
        return directions

    def extended(self, basis: Floats, outside: Floats) -> tuple[Floats, Floats]:
        frame, triangle = _data.signed_qr(np.hstack((basis, outside)))
        return frame, triangle[:, basis.shape[1] :]

    def turned(self, frame: Floats, rotation: Floats) -> Floats:
        return frame @ rotation

    def _combined(self, alpha: Floats, scores: Floats) -> Floats:
        """``A_α`` of directions with such scores."""
        return self.features.T @ (alpha[:, None] * scores)
