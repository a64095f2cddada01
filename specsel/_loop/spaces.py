"""Where the matrix W of the ascent lives, and what one pass over the data finds there."""

from typing import NamedTuple, Protocol

import numpy as np

from specsel import _data
from specsel._validate import Floats

# Lengths below the square of this share of the largest count as that: passes multiply by roots.
LEAST_ROOT = 1e-12

# Of so few numbers, plain products are sooner than a compiled pass.
FEW = 2**12


class Space(Protocol):
    """Directions are columns of arrays, vectors over the samples for most algorithms.

    Those of a kernel are not, so their inner products and orthonormal bases are the space's.
    """

    @property
    def floor(self) -> float:
        """Relative rounding error of a pass."""

    @property
    def dimension(self) -> int:
        """Number of dimensions."""

    @property
    def samples(self) -> _data.Data | None:
        """The data over whose samples directions are vectors; None where they are none."""

    def look(
        self, basis: Floats, lengths: Floats, beside: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """α of W and of the numbers beside it, ``A_α U``, and the same for those numbers."""

    def enter(
        self, alpha: Floats, basis: Floats, image: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """The basis as directions of this space, its image, and the numbers beside."""

    def leave(self, alpha: Floats, basis: Floats, image: Floats) -> tuple[Floats, Floats]:
        """Basis and image as an `Iterate` has them."""

    def trace(self, alpha: Floats) -> float:
        """``trace(A_α)``."""

    def dual(self, directions: Floats) -> Floats:
        """What gives the inner products with directions by plain products of columns."""

    def extended(self, basis: Floats, outside: Floats) -> tuple[Floats, Floats]:
        """An orthonormal frame, first the basis, and the coefficients that make `outside` of it.

        `outside` is orthogonal to the basis.
        """

    def turned(self, frame: Floats, rotation: Floats) -> Floats:
        """Some orthonormal directions out of a frame that `extended` gave."""


class Samples:
    """The space of vectors over the samples. There are no numbers beside W."""

    def __init__(self, data: _data.Data) -> None:
        self.data = self.samples = data
        self.floor, self.dimension = data.floor, data.n_samples
        self.squares = data.squares
        self.few = None
        if data.n_samples * data.n_features <= FEW:
            self.few = np.asarray(data.rows(0, data.n_samples), dtype=float)

    def look(
        self, basis: Floats, lengths: Floats, beside: Floats
    ) -> tuple[Floats, Floats, Floats]:
        scaled, roots = rooted(basis, lengths)
        if self.few is None:
            alpha, image = self.data.fused(scaled, scaled)
        else:
            self.data.count_pass()
            scores = scaled.T @ self.few
            alpha = np.einsum("ci,ci->i", scores, scores)
            image = self.few @ (alpha * scores).T
        return alpha, image / roots, beside

    def enter(
        self, alpha: Floats, basis: Floats, image: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        return basis, self.data.adjoint(alpha, basis) if image is None else image, np.zeros(0)

    def leave(self, alpha: Floats, basis: Floats, image: Floats) -> tuple[Floats, Floats]:
        return basis, image

    def trace(self, alpha: Floats) -> float:
        return float(np.einsum("i,i", alpha, self.squares))

    def dual(self, directions: Floats) -> Floats:
        return directions

    def extended(self, basis: Floats, outside: Floats) -> tuple[Floats, Floats]:
        frame, triangle = _data.signed_qr(np.hstack((basis, outside)))
        return frame, triangle[:, basis.shape[1] :]

    def turned(self, frame: Floats, rotation: Floats) -> Floats:
        return frame @ rotation


class Place(NamedTuple):
    """A matrix W with the numbers beside it, and what one pass tells of them."""

    space: Space
    basis: Floats  # U
    lengths: Floats  # s
    beside: Floats
    alpha: Floats  # not scaled
    image: Floats  # A_α U
    value: float  # f
    gradient: Floats  # as a row, see `tangents`


def rooted(basis: Floats, lengths: Floats) -> tuple[Floats, Floats]:
    """``U diag(√s)``, which a pass multiplies once for both sides of ``U diag(s) Uᵀ``; and √s."""
    roots = np.sqrt(lengths)
    roots = np.maximum(roots, LEAST_ROOT * roots.max() or 1.0)
    return basis * roots, roots
