"""Tangents in a plain space and in one with inner products of its own, for tests of the ascent."""

import numpy as np

from specsel._loop import tangents
from specsel._loop.spaces import Place

D, K, BESIDE = 9, 3, 2
SIZE = K * K + D * K + BESIDE


class Bent:
    """Vectors with inner products ``xᵀ G y``; only what `tangents` asks of a space.

    ``root x`` are the same vectors in a plain space.
    """

    def __init__(self, root):
        self.root, self.gram = root, root.T @ root

    def dual(self, directions):
        return self.gram @ directions

    def basis(self, rng):
        return np.linalg.solve(self.root, np.linalg.qr(rng.standard_normal((D, K)))[0])


class Plain(Bent):
    """With the usual inner products, so that directions are their own dual."""

    def dual(self, directions):
        return directions


def space_of(name, rng):
    """A space, "plain" or "bent"."""
    bent = np.eye(D) + 0.3 * rng.standard_normal((D, D))
    return Bent(bent) if name == "bent" else Plain(np.eye(D))


def rows_at(space, basis, rng, count):
    """Some tangents as rows."""
    inside, outside = rng.standard_normal((count, K, K)), rng.standard_normal((count, D, K))
    outside -= basis @ (basis.T @ space.dual(outside))
    return tangents.row(
        inside + inside.swapaxes(1, 2), outside, rng.standard_normal((count, BESIDE))
    )


def matrices(space, rows, basis):
    """The matrices that rows stand for, in the plain space, and the numbers beside."""
    inside, outside, beside = tangents.parts(rows, basis)
    basis, outside = space.root @ basis, space.root @ outside
    half = outside @ basis.T
    return basis @ inside @ basis.T + half + half.swapaxes(1, 2), beside


def place(space, basis, gradient, value=1.0):
    """A place, as far as a memory looks at it."""
    nothing = np.zeros(0)
    return Place(space, basis, nothing, nothing, nothing, nothing, value, gradient)
