"""Tangents of the ascent as rows of numbers.

A tangent at ``W = U diag(s) Uᵀ`` stands for ``U C Uᵀ + Z Uᵀ + U Zᵀ`` with ``UᵀZ = 0``, and for
what goes on beside W. It is written as a row of numbers, C, ``√2 Z`` and those beside, so that
products of rows are inner products of tangents. In a space with its own inner product, multiply
one row by the `dual` of the other. Many tangents are rows of one array, and are moved at once.
"""

import numpy as np

from specsel._loop.spaces import Space
from specsel._validate import Floats

ROOT = np.sqrt(2.0)


def row(inside: Floats, outside: Floats, beside: Floats) -> Floats:
    """One tangent as a row, or several as rows, of C, Z and the numbers beside."""
    return joined(inside, ROOT * outside, beside)


def parts(rows: Floats, basis: Floats) -> tuple[Floats, Floats, Floats]:
    """C, Z and the numbers beside, of one row or of several, at a basis U."""
    inside, outside, beside = split(rows, basis)
    return inside, outside / ROOT, beside


def joined(*parts: Floats) -> Floats:
    """Rows of C, ``√2 Z`` and the numbers beside."""
    before = parts[-1].shape[:-1]
    return np.concatenate([part.reshape(*before, -1) for part in parts], axis=-1)


def split(rows: Floats, basis: Floats) -> tuple[Floats, Floats, Floats]:
    """C, ``√2 Z`` and the numbers beside, as views."""
    (d, k), before = basis.shape, rows.shape[:-1]
    inside, outside = rows[..., : k * k], rows[..., k * k : k * (k + d)]
    beside = rows[..., k * (k + d) :]
    return inside.reshape(*before, k, k), outside.reshape(*before, d, k), beside


def dual(space: Space, rows: Floats, basis: Floats) -> Floats:
    """What gives inner products of tangents by plain products of rows."""
    inside, outside, beside = split(rows, basis)
    turned = space.dual(outside)
    return rows if turned is outside else joined(inside, turned, beside)


def squared(space: Space, rows: Floats, basis: Floats) -> Floats:
    """Squared lengths of tangents; rounding may leave those of a kernel negative."""
    squares: Floats = np.einsum("...i,...i", rows, dual(space, rows, basis))
    return squares


def moved(space: Space, rows: Floats, basis: Floats, target: Floats) -> Floats:
    """The same tangents at another place, projected on what is tangent there."""
    inside, outside, beside = split(rows, basis)
    turned = space.dual(target)
    overlap = basis.T @ turned
    image = outside @ overlap
    image += basis @ (ROOT * inside @ overlap + outside.swapaxes(1, 2) @ turned)
    inside = target.T @ space.dual(image)
    image -= target @ inside
    inside = (inside + inside.swapaxes(1, 2)) / (2 * ROOT)
    return joined(inside, image, beside)
