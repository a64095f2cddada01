"""What the ascent takes for the inverse of the curvature before any step has taught it more.

Within U it is 1 / f. Outside of U, where ``A_α`` multiplies a direction by ``μ f``, the change of
column j in that direction has the inverse ``1 / (f (1 - μ / s_j))``. There are two ways to find μ:

- Of the eigenvalues outside of U only the sum is known, from the trace of ``A_α``. Then μ is
  their mean, for all directions.
- The eigenvalues and their vectors are known, and every direction gets its own. They are found
  once, where an ascent takes so long that it pays. They change little from there on, and a
  direction that is nearly as good as one in U is what makes an ascent long.
"""

from typing import NamedTuple

import numpy as np

from specsel import _data, linalg
from specsel._loop.spaces import Place, Space
from specsel._loop.tangents import joined, split
from specsel._runtime import one_thread
from specsel._validate import Floats

# The range of the scale.
LEAST, LARGEST = 0.1, 2.0

# A spectrum is computed for dense data with at most `MOST` samples and at least `WIDE` times as
# many features. Elsewhere it takes many passes, much memory, or more time in every iteration than
# it saves. Its eigenproblem takes as long as a pass for ``A_α`` over `EIGENPROBLEM` times as many
# features as samples.
MOST = 512
WIDE = 60
EIGENPROBLEM = 60

# The fewest iterations before a spectrum: at first the basis moves much.
LEAST_PATIENCE = 5

# Divide by at least this, for a length may be 0.
TINY = 1e-200


class Spectrum(NamedTuple):
    """Eigenvalues of ``A_α`` outside of a basis, and their vectors."""

    values: Floats
    vectors: Floats


def patience(space: Space, k: int) -> int:
    """How many iterations cost as much as a spectrum; 0 where none is to be computed."""
    data = space.samples
    if not isinstance(data, _data.Dense) or data.n_samples > MOST:
        return 0
    n, times = data.n_samples, data.n_features / data.n_samples
    if times < WIDE:
        return 0
    return max(LEAST_PATIENCE, int(n / (4 * k) * (1 + EIGENPROBLEM / times)))


def spectrum(place: Place) -> Spectrum:
    """The eigenvalues outside of the basis, by a pass for ``A_α`` whole."""
    assert place.space.samples is not None  # `patience` saw to it
    affinity = _projected(place.space.samples.adjoint(place.alpha, None), place.basis)
    return Spectrum(*linalg.eigen(_projected(affinity.T, place.basis)))


def _projected(columns: Floats, basis: Floats) -> Floats:
    return columns - basis @ (basis.T @ columns)


class Inverse:
    """The inverse of the curvature at a place, to be applied to tangents; see `tangents`."""

    def __init__(self, place: Place, known: Spectrum | None) -> None:
        self.basis, self.value, self.known = place.basis, place.value, known
        shares = _mean(place) if known is None else known.values[:, None] / place.value
        scale = 1 - shares / np.maximum(place.lengths, TINY)
        self.scale = place.value * np.minimum(np.maximum(scale, LEAST), LARGEST)
        if known is None:
            d, k = place.basis.shape
            self.factors = np.full(len(place.gradient), 1 / place.value)
            self.factors[k * k : k * (k + d)].reshape(d, k)[:] = 1 / self.scale

    def __call__(self, rows: Floats) -> Floats:
        if self.known is None:
            return self.factors * rows
        inside, outside, beside = split(rows, self.basis)
        vectors = self.known.vectors
        with one_thread(len(vectors)):
            outside = vectors @ ((vectors.T @ outside) / self.scale)
        outside -= self.basis @ (self.basis.T @ outside)
        return joined(inside / self.value, outside, beside / self.value)


def _mean(place: Place) -> float:
    """The mean eigenvalue of ``A_α`` outside of U, over f."""
    space = place.space
    trace = space.trace(place.alpha) - np.vdot(place.basis, space.dual(place.image))
    return float(trace / max(space.dimension - len(place.lengths), 1) / place.value)
