"""What earlier steps of the ascent tell of the curvature: limited-memory BFGS.

A tangent at ``W = U diag(s) Uᵀ`` stands for ``U C Uᵀ + Z Uᵀ + U Zᵀ`` with ``UᵀZ = 0``, and for
what goes on beside W. It is written as a row of numbers, C, ``√2 Z`` and those beside, so that
products of rows are inner products of tangents; in a space that has inner products of its own,
those with the `dual` of a row are. Many tangents are rows of one array, and are moved at once.
"""

import numpy as np

from specsel._input.annotations import Bools, Floats
from specsel._loop.spaces import Place, Space

# Pairs of a step and of what the gradient lost by it that are kept.
KEPT = 5

# Pairs whose angle or curvature is smaller say nothing.
LEAST_ANGLE = 1e-10
LEAST_CURVATURE = 1e-3

# The scale of the first direction that nothing is known of, in units of 1 / f.
LEAST_GAIN, USUAL_GAIN, LARGEST_GAIN = 1.0, 10.0, 20.0

# Rows with so many numbers are moved at once; more would take memory for nothing.
NUMBERS = 2**15

ROOT = np.sqrt(2.0)


def row(inside: Floats, outside: Floats, beside: Floats) -> Floats:
    """One tangent as a row, or several as rows, of C, Z and the numbers beside."""
    return _joined(inside, ROOT * outside, beside)


def parts(rows: Floats, basis: Floats) -> tuple[Floats, Floats, Floats]:
    """C, Z and the numbers beside, of one row or of several, at a basis U."""
    inside, outside, beside = _split(rows, basis)
    return inside, outside / ROOT, beside


def _joined(*parts: Floats) -> Floats:
    """Rows of C, ``√2 Z`` and the numbers beside."""
    before = parts[-1].shape[:-1]
    return np.concatenate([part.reshape(*before, -1) for part in parts], axis=-1)


def _split(rows: Floats, basis: Floats) -> tuple[Floats, Floats, Floats]:
    """C, ``√2 Z`` and the numbers beside, as views."""
    (d, k), before = basis.shape, rows.shape[:-1]
    inside, outside = rows[..., : k * k], rows[..., k * k : k * (k + d)]
    beside = rows[..., k * (k + d) :]
    return inside.reshape(*before, k, k), outside.reshape(*before, d, k), beside


def dual(space: Space, rows: Floats, basis: Floats) -> Floats:
    """What gives inner products of tangents by plain products of rows."""
    inside, outside, beside = _split(rows, basis)
    turned = space.dual(outside)
    return rows if turned is outside else _joined(inside, turned, beside)


def squared(space: Space, rows: Floats, basis: Floats) -> Floats:
    """Squared lengths of tangents; rounding may leave those of a kernel negative."""
    squares: Floats = np.einsum("...i,...i", rows, dual(space, rows, basis))
    return squares


def moved(space: Space, rows: Floats, basis: Floats, target: Floats) -> Floats:
    """The same tangents at another place, projected on what is tangent there."""
    inside, outside, beside = _split(rows, basis)
    turned = space.dual(target)
    overlap = basis.T @ turned
    image = outside @ overlap
    image += basis @ (ROOT * inside @ overlap + outside.swapaxes(1, 2) @ turned)
    inside = target.T @ space.dual(image)
    image -= target @ inside
    inside = (inside + inside.swapaxes(1, 2)) / (2 * ROOT)
    return _joined(inside, image, beside)


def divided(basis: Floats, beside: Floats, value: float, scale: Floats) -> Floats:
    """Factors that divide a row by a value, and what is outside of U by a scale of each column."""
    d, k = basis.shape
    factors = np.full(k * (k + d) + len(beside), 1 / value)
    factors[k * k : k * (k + d)].reshape(d, k)[:] /= scale
    return factors


class Memory:
    """Pairs of a step and of what the gradient lost by it, rows of so many numbers each."""

    def __init__(self, size: int) -> None:
        self.size, self.gain = size, 1.0
        self.forget()

    def forget(self) -> None:
        self.steps = self.losses = np.zeros((0, self.size))
        self.products = np.zeros((0, 0))

    def direction(self, place: Place, slopes: Floats, factors: Floats) -> Floats:
        """The gradient times the inverse of the curvature, as far as that is known.

        `slopes` is the dual of the gradient, and `factors` is the inverse where nothing is known,
        but for the gain. This is the compact form of BFGS, with all pairs at once (Byrd, Nocedal
        and Schnabel, Math. Program. 63, 1994).
        """
        factors = self.gain * factors
        ahead: Floats = factors * place.gradient
        if len(self.steps) == 0:
            return ahead
        from scipy.linalg import lapack  # here, for it would make the package slow to import

        bent = factors * self.losses
        back = lapack.dtrtrs(self.products, self.steps @ slopes)[0]
        lost = dual(place.space, back @ self.losses, place.basis)
        middle = self.products.diagonal() * back + bent @ (lost - slopes)
        ahead += lapack.dtrtrs(self.products, middle, trans=1)[0] @ self.steps - back @ bent
        return ahead

    def follow(self, before: Place, after: Place, taken: Floats, factors: Floats) -> None:
        """Carry what is known from one place to the next, and add what the step there taught."""
        space, n = before.space, len(self.steps) + 1
        rows = np.concatenate((self.steps, taken[None], self.losses, before.gradient[None]))
        self.forget()
        together = max(1, NUMBERS // self.size)
        for start in range(0, len(rows), together):
            some = slice(start, start + together)
            rows[some] = moved(space, rows[some], before.basis, after.basis)
        rows[-1] -= after.gradient
        steps, losses = rows[:n], rows[n:]
        squares = squared(space, steps, after.basis)
        duals = dual(space, losses, after.basis)
        products = steps @ duals.T
        telling = _are_telling(products.diagonal(), squares, np.einsum("ij,ij->i", losses, duals))
        curvature = products[-1, -1]
        telling[-1] = curvature * factors[0] > LEAST_CURVATURE * squares[-1]
        if telling[-1]:
            gain = curvature / (duals[-1] @ (factors * losses[-1]))
            self.gain = min(max(float(gain), LEAST_GAIN), USUAL_GAIN)
        else:
            self.gain = min(2 * self.gain, LARGEST_GAIN)
        keep = np.flatnonzero(telling)[-KEPT:]
        self.steps, self.losses = steps[keep], losses[keep]
        self.products = products[keep][:, keep]


def _are_telling(products: Floats, steps: Floats, losses: Floats) -> Bools:
    """Which pairs have an angle."""
    lengths = np.sqrt(np.maximum(steps, 0.0) * np.maximum(losses, 0.0))
    telling: Bools = (lengths > 0) & (products > LEAST_ANGLE * lengths)
    return telling
