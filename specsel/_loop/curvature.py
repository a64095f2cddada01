"""What earlier steps of the ascent tell of the curvature: limited-memory BFGS."""

from collections.abc import Callable

import numpy as np

from specsel._loop.spaces import Place
from specsel._loop.tangents import dual, moved, squared
from specsel._validate import Bools, Floats

# Pairs of a step and of what the gradient lost by it that are kept.
KEPT = 5

# Pairs whose angle or curvature is smaller say nothing.
LEAST_ANGLE = 1e-10
LEAST_CURVATURE = 1e-3

# The scale of the first direction that nothing is known of, in units of 1 / f.
LEAST_GAIN, USUAL_GAIN, LARGEST_GAIN = 1.0, 10.0, 20.0

# Rows with so many numbers are moved at once; more would take memory for nothing.
NUMBERS = 2**15


class Memory:
    """Pairs of a step and of what the gradient lost by it, rows of so many numbers each."""

    def __init__(self, size: int) -> None:
        self.size, self.gain = size, 1.0
        self.forget()

    def forget(self) -> None:
        self.steps = self.losses = np.zeros((0, self.size))
        self.products = np.zeros((0, 0))

    def direction(
        self, place: Place, slopes: Floats, inverse: Callable[[Floats], Floats]
    ) -> Floats:
        """The gradient times the inverse of the curvature, as far as that is known.

        `slopes` is the dual of the gradient, and `inverse` what is taken where nothing is known,
        but for the gain. This is the compact form of BFGS, with all pairs at once (Byrd, Nocedal
        and Schnabel, Math. Program. 63, 1994).
        """
        ahead = self.gain * inverse(place.gradient)
        if len(self.steps) == 0:
            return ahead
        from scipy.linalg import lapack  # here, for it would make the package slow to import

        bent = self.gain * inverse(self.losses)
        back = lapack.dtrtrs(self.products, self.steps @ slopes)[0]
        lost = dual(place.space, back @ self.losses, place.basis)
        middle = self.products.diagonal() * back + bent @ (lost - slopes)
        ahead += lapack.dtrtrs(self.products, middle, trans=1)[0] @ self.steps - back @ bent
        return ahead

    def follow(
        self, before: Place, after: Place, taken: Floats, inverse: Callable[[Floats], Floats]
    ) -> None:
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
        telling[-1] = curvature > LEAST_CURVATURE * before.value * squares[-1]
        if telling[-1]:
            size = duals[-1] @ inverse(losses[-1])
            gain = curvature / size if size > 0 else USUAL_GAIN
            self.gain = min(max(float(gain), LEAST_GAIN), USUAL_GAIN)
        else:
            self.gain = min(2 * self.gain, LARGEST_GAIN)
        if not telling.all():
            steps, losses = steps[telling], losses[telling]
            products = products[telling][:, telling]
        self.steps, self.losses = steps[-KEPT:], losses[-KEPT:]
        self.products = products[-KEPT:, -KEPT:]


def _are_telling(products: Floats, steps: Floats, losses: Floats) -> Bools:
    """Which pairs have an angle."""
    lengths = np.sqrt(np.maximum(steps, 0.0) * np.maximum(losses, 0.0))
    telling: Bools = (lengths > 0) & (products > LEAST_ANGLE * lengths)
    return telling
