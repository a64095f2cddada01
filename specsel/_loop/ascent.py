"""The other loop: one quasi-Newton ascent in the place of two alternating eigenproblems.

Q-α maximises ``αᵀ G(Q) α`` over unit weights α and bases Q. That equals the maximum of

    f(W) = Σ_i (m_iᵀ W m_i)²

over symmetric matrices ``W = U diag(s) Uᵀ`` of rank k and unit norm, U being a basis of the
samples: α is ``m_iᵀ W m_i`` scaled to unit norm, and Q is U. One pass over the data gives f and
its whole gradient on that manifold, for with ``α_i = m_iᵀ W m_i`` half the gradient is ``A_α`` and
only its image ``Y = A_α U`` counts. No inner eigenproblem is left, so that an iteration is one
pass where the alternation takes many.

The ascent is limited-memory BFGS:

- A tangent at W is a pair (C, Z), which stands for ``U C Uᵀ + Z Uᵀ + U Zᵀ`` with ``UᵀZ = 0``; see
  `curvature`.
- A step leads to the nearest matrix of rank k, by an eigenproblem of size 2k.
- Differences of gradients are carried along by projection on the new tangent space.
- A direction outside of U is scaled by ``1 - μ / s_j``, μ being the mean eigenvalue of ``A_α``
  outside of U over f: what the curvature is there.
- Steps are halved until f rises enough, so f never falls.

``f(|W|) ≥ f(W)``, so s is made non-negative after every step. W is then positive semi-definite,
and all weights are non-negative.

Beside W there may be numbers p, ``α_i = m_iᵀ W m_i + P_i p``, those of pairs of samples (see
`pairwise`). W and p together then have unit norm. P is not negative, and p is made so too.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from specsel import linalg
from specsel._input.annotations import Floats
from specsel._loop import curvature
from specsel._loop.protocol import Iterate
from specsel._loop.spaces import Place, Space

# Iterations over which f must rise by less than `tol`.
WINDOW = 5

# The longest step, beside ‖W‖ = 1; and the range of the scale of directions outside of U.
LONGEST = 0.5
LEAST_SCALE, LARGEST_SCALE = 0.1, 2.0

# A step must reach this share of the rise that the slope promises. Steps shorter than this are
# not tried; the first is for quasi-Newton steps, the second for steps along the gradient.
ENOUGH = 2e-4
SHORTEST, SHORTEST_PLAIN = 1e-3, 1e-6

# Up to this size the eigenproblem of a step is solved directly.
SMALL = 24

# If a number in s falls below this share of the largest, its direction may have been lost.
LOST = 1e-2

# Stands for a length of 0 where it divides.
TINY = 1e-200


class Climb(NamedTuple):
    """Where a climb ended, and how."""

    place: Place
    history: list[float]  # f after every iteration
    converged: bool
    stopped: bool  # by `tell`


def look(space: Space, basis: Floats, lengths: Floats, beside: Floats) -> Place:
    """Evaluate f and its gradient by one pass."""
    alpha, image, numbers = space.look(basis, lengths, beside)
    value = float(np.einsum("i,i", alpha, alpha))
    inside = basis.T @ space.dual(image)
    outside = image - basis @ inside
    inside = (inside + inside.T) / 2
    inside.flat[:: len(inside) + 1] -= value * lengths
    gradient = curvature.row(inside, outside, numbers - value * beside)
    return Place(space, basis, lengths, beside, alpha, image, value, gradient)


def start(space: Space, alpha: Floats, basis: Floats, image: Floats | None = None) -> Place:
    """The place that weights and a basis stand for: the affinity, as far as the basis goes."""
    basis, image, beside = space.enter(alpha, basis, image)
    inner = basis.T @ space.dual(image)
    values, rotation = linalg.largest_modulus(inner, len(inner))
    return look(space, basis @ rotation, *_unit(values, beside))


def narrowed(place: Place, width: int) -> Place:
    """The directions of largest length alone."""
    keep = np.argsort(-place.lengths, kind="stable")[:width]
    return look(place.space, place.basis[:, keep], *_unit(place.lengths[keep], place.beside))


def climb(
    place: Place,
    *,
    tol: float,
    max_iter: int,
    tell: Callable[[int, float], bool],
) -> Climb:
    """Climb until f rises by at most `tol` over some iterations."""
    memory, history = curvature.Memory(len(place.gradient)), [place.value]
    stopped = tell(1, place.value)
    while len(history) < max_iter and not stopped:
        found = _step(place, memory)
        if found is None:
            return Climb(place, history, True, False)
        place = found
        history.append(place.value)
        stopped = tell(len(history), place.value)
        before = history[-1 - WINDOW] if len(history) > WINDOW else -np.inf
        if place.value - before <= tol * place.value:
            return Climb(place, history, True, stopped)
    return Climb(place, history, False, stopped)


def _step(place: Place, memory: curvature.Memory) -> Place | None:
    """Take the next step; None where f can rise no more."""
    factors = _inverse(place)
    slopes = curvature.dual(place.space, place.gradient, place.basis)
    while True:
        ahead = memory.direction(place, slopes, factors)
        slope = float(ahead @ slopes)
        if slope <= 0:
            memory.forget()
            ahead = factors * place.gradient
            slope = float(ahead @ slopes)
            if slope <= place.space.floor * place.value:
                return None
        found, length = _search(place, ahead, slope, plain=len(memory.steps) == 0)
        if found is not None:
            break
        if len(memory.steps) == 0:
            return None
        memory.forget()
    after, flipped = found
    if flipped:
        memory.forget()
    else:
        ahead *= length
        memory.follow(place, after, ahead, factors)
    return after


def _search(
    place: Place, ahead: Floats, slope: float, *, plain: bool
) -> tuple[tuple[Place, bool] | None, float]:
    """Try shorter and shorter steps until f rises enough; the next one by a parabola."""
    square = max(float(curvature.squared(place.space, ahead, place.basis)), LONGEST**2)
    length = LONGEST / np.sqrt(square)
    shortest = SHORTEST_PLAIN if plain else SHORTEST
    while length > shortest:
        *target, flipped = _retracted(place, length * ahead)
        after = look(place.space, *target)
        rise = after.value - place.value
        if rise >= ENOUGH * length * slope - place.space.floor * place.value:
            return (after, flipped), length
        best = length**2 * slope / (2 * length * slope - rise)
        length = min(max(best, 0.1 * length), 0.5 * length)
    return None, length


def _inverse(place: Place) -> Floats:
    """The inverse of the curvature, roughly: 1 / f, and outside of U over ``1 - μ / s_j``, too."""
    space, k = place.space, len(place.lengths)
    trace = space.trace(place.alpha) - np.vdot(place.basis, space.dual(place.image))
    mean = trace / max(space.dimension - k, 1) / place.value
    lengths = np.maximum(place.lengths, TINY)
    scale = np.minimum(np.maximum(1 - mean / lengths, LEAST_SCALE), LARGEST_SCALE)
    return curvature.divided(place.basis, place.beside, place.value, scale)


def _retracted(place: Place, step: Floats) -> tuple[Floats, Floats, Floats, bool]:
    """The nearest matrix of rank k and the numbers beside it, of unit norm; is a sign changed?"""
    k = len(place.lengths)
    inside, outside, beside = curvature.parts(step, place.basis)
    frame, triangle = place.space.extended(place.basis, outside)
    whole = np.zeros((len(triangle), len(triangle)))
    whole[:, :k] = triangle
    whole[:k, :k] = inside / 2
    whole[np.arange(k), np.arange(k)] += place.lengths / 2
    values, rotation = _largest_modulus(whole + whole.T, k)
    beside = place.beside + beside
    flipped = bool((values < 0).any() or (beside < 0).any())
    return place.space.turned(frame, rotation), *_unit(values, beside), flipped


def _largest_modulus(symmetric: Floats, k: int) -> tuple[Floats, Floats]:
    """As in `linalg`, but sooner for a matrix so small that it wakes no threads anyway."""
    from scipy.linalg import lapack  # here, for it would make the package slow to import

    failed = 1
    if len(symmetric) <= SMALL:
        values, vectors, failed = lapack.dsyevd(symmetric)
    if failed:
        return linalg.largest_modulus(symmetric, k)
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    return values[order], vectors[:, order]


def _unit(lengths: Floats, beside: Floats) -> tuple[Floats, Floats]:
    """Make both non-negative and, together, of unit norm."""
    size = np.sqrt(lengths @ lengths + beside @ beside) or 1.0
    return np.abs(lengths) / size, np.abs(beside) / size


def iterate(place: Place) -> Iterate:
    """The weights and the basis that a place stands for."""
    size = np.sqrt(place.value)
    image = place.image / size
    rise = curvature.parts(place.gradient, place.basis)[2]
    numbers = (rise + place.value * place.beside) / size
    objective = np.vdot(image, place.space.dual(image)) + numbers @ numbers
    return Iterate(place.alpha / size, *place.space.leave(place.basis, image), float(objective))


def has_lost(place: Place) -> bool:
    """Whether a direction of the basis counts for so little that a better one may be outside."""
    return bool(place.lengths.min() < LOST * place.lengths.max())
