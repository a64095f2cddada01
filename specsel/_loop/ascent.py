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
  `tangents`.
- A step leads to the nearest matrix of rank k, by an eigenproblem of size 2k.
- Differences of gradients are carried along by projection on the new tangent space.
- What is outside of U is scaled by what ``A_α`` tells of the curvature there; see `inverse`.
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
from specsel._loop import curvature, tangents
from specsel._loop.inverse import Inverse, Spectrum, patience, spectrum
from specsel._loop.protocol import Iterate
from specsel._loop.spaces import Place, Space
from specsel._validate import Floats

# Iterations over which f must rise by less than `tol`.
WINDOW = 5

# The longest step, beside ‖W‖ = 1.
LONGEST = 0.5

# A step must reach this share of the rise that the slope promises. Steps shorter than this are
# not tried; the first is for quasi-Newton steps, the second for steps along the gradient.
ENOUGH = 2e-4
SHORTEST, SHORTEST_PLAIN = 1e-3, 1e-6

# Where no step leads up, a slope of at most so many roundings of a pass is none.
LEVEL = 1e4

# If a number in s falls below this share of the largest, its direction may have been lost.
LOST = 1e-2


class Climb(NamedTuple):
    """Where a climb ended, and how."""

    place: Place
    history: list[float]  # f after every iteration
    converged: bool
    stopped: bool  # by `tell`


class Stride(NamedTuple):
    """A step that was taken, and where it led."""

    before: Place
    after: Place
    taken: Floats
    inverse: Inverse


def look(space: Space, basis: Floats, lengths: Floats, beside: Floats) -> Place:
    """Evaluate f and its gradient by one pass."""
    alpha, image, numbers = space.look(basis, lengths, beside)
    value = float(np.einsum("i,i", alpha, alpha))
    inside = basis.T @ space.dual(image)
    outside = image - basis @ inside
    inside = (inside + inside.T) / 2
    inside.flat[:: len(inside) + 1] -= value * lengths
    gradient = tangents.row(inside, outside, numbers - value * beside)
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
    wait, known = patience(place.space, len(place.lengths)), None
    stopped, stride = tell(1, place.value), None
    while len(history) < max_iter and not stopped:
        if len(history) == wait:
            known = spectrum(place)
        if stride is not None:
            memory.follow(stride.before, place, stride.taken, stride.inverse)
        stride = _step(place, memory, known)
        if stride is None:
            return Climb(place, history, _is_level(place), False)
        place = stride.after
        history.append(place.value)
        stopped = tell(len(history), place.value)
        before = history[-1 - WINDOW] if len(history) > WINDOW else -np.inf
        if place.value - before <= tol * place.value:
            return Climb(place, history, True, stopped)
    return Climb(place, history, False, stopped)


def _is_level(place: Place) -> bool:
    """Whether the gradient promises no rise that rounding would not hide."""
    slopes = tangents.dual(place.space, place.gradient, place.basis)
    promised = float(Inverse(place, None)(place.gradient) @ slopes)
    return promised <= LEVEL * place.space.floor * place.value


def _step(place: Place, memory: curvature.Memory, known: Spectrum | None) -> Stride | None:
    """Take the next step; None where f can rise no more."""
    inverse = Inverse(place, known)
    slopes = tangents.dual(place.space, place.gradient, place.basis)
    while True:
        ahead = memory.direction(place, slopes, inverse)
        slope = float(ahead @ slopes)
        if slope <= 0:
            memory.forget()
            ahead = inverse(place.gradient)
            slope = float(ahead @ slopes)
            if slope <= place.space.floor * place.value:
                return None
        found, length = _search(place, ahead, slope, plain=len(memory.steps) == 0)
        if found is not None:
            break
        if len(memory.steps) == 0:
            return None
        memory.forget()
    return Stride(place, found, length * ahead, inverse)


def _search(
    place: Place, ahead: Floats, slope: float, *, plain: bool
) -> tuple[Place | None, float]:
    """Try shorter and shorter steps until f rises enough; the next one by a parabola."""
    square = max(float(tangents.squared(place.space, ahead, place.basis)), LONGEST**2)
    length = LONGEST / np.sqrt(square)
    shortest = SHORTEST_PLAIN if plain else SHORTEST
    while length > shortest:
        after = look(place.space, *_retracted(place, length * ahead))
        rise = after.value - place.value
        if rise >= ENOUGH * length * slope - place.space.floor * place.value:
            return after, length
        best = length**2 * slope / (2 * length * slope - rise)
        length = min(max(best, 0.1 * length), 0.5 * length)
    return None, length


def _retracted(place: Place, step: Floats) -> tuple[Floats, Floats, Floats]:
    """The nearest matrix of rank k and the numbers beside it, non-negative and of unit norm."""
    k = len(place.lengths)
    inside, outside, beside = tangents.parts(step, place.basis)
    frame, triangle = place.space.extended(place.basis, outside)
    whole = np.zeros((len(triangle), len(triangle)))
    whole[:, :k] = 2 * triangle
    whole[:k, :k] = inside
    whole.flat[: k * len(whole) : len(whole) + 1] += place.lengths
    values, rotation = linalg.largest_modulus(whole, k)
    return place.space.turned(frame, rotation), *_unit(values, place.beside + beside)


def _unit(lengths: Floats, beside: Floats) -> tuple[Floats, Floats]:
    """Make both non-negative and, together, of unit norm."""
    size = np.sqrt(lengths @ lengths + beside @ beside) or 1.0
    return np.abs(lengths) / size, np.abs(beside) / size


def iterate(place: Place) -> Iterate:
    """The weights and the basis that a place stands for."""
    size = np.sqrt(place.value)
    image = place.image / size
    rise = tangents.parts(place.gradient, place.basis)[2]
    numbers = (rise + place.value * place.beside) / size
    objective = np.vdot(image, place.space.dual(image)) + numbers @ numbers
    alpha = place.alpha / size
    return Iterate(alpha, *place.space.leave(alpha, place.basis, image), float(objective))


def has_lost(place: Place) -> bool:
    """Whether a direction of the basis counts for so little that a better one may be outside."""
    return bool(place.lengths.min() < LOST * place.lengths.max())
