"""The other loop: one quasi-Newton ascent in the place of two alternating eigenproblems.

Q-α maximises ``αᵀ G(Q) α`` over unit weights α and bases Q. That equals the maximum of

    f(W) = Σ_i (m_iᵀ W m_i)²

over symmetric matrices ``W = U diag(s) Uᵀ`` of rank k and unit norm, U being a basis of the
samples: α is ``m_iᵀ W m_i`` scaled to unit norm, and Q is U. One pass over the data gives f and
its whole gradient on that manifold, for with ``α_i = m_iᵀ W m_i`` half the gradient is ``A_α`` and
only its image ``Y = A_α U`` counts. No inner eigenproblem is left, so that an iteration is one
pass where the alternation takes many.

The ascent is limited-memory BFGS:

- A tangent vector at W is a pair (C, Z), which stands for ``U C Uᵀ + Z Uᵀ + U Zᵀ`` with
  ``UᵀZ = 0``.
- A step leads to the nearest matrix of rank k, by an eigenproblem of size 2k.
- Differences of gradients are carried along by projection on the new tangent space.
- A direction outside of U is scaled by ``1 - μ / s_j``, μ being the mean eigenvalue of ``A_α``
  outside of U over f: what the curvature is there.
- Steps are halved until f rises enough, so f never falls.

``f(|W|) ≥ f(W)``, so s is made non-negative after every step. W is then positive semi-definite,
and all weights are non-negative.
"""

from collections.abc import Callable
from types import EllipsisType
from typing import NamedTuple, Protocol

import numpy as np

from specsel import linalg
from specsel._input.annotations import Floats
from specsel._loop.protocol import Iterate

# Differences of gradients that are kept, and iterations over which f must rise by less than `tol`.
KEPT = 5
WINDOW = 5

# The longest step, beside ‖W‖ = 1; and the range of the scale of directions outside of U.
LONGEST = 0.5
LEAST_SCALE, LARGEST_SCALE = 0.1, 2.0

# A step must reach this share of the rise that the slope promises. Steps shorter than this are
# not tried; the first is for quasi-Newton steps, the second for steps along the gradient.
ENOUGH = 2e-4
SHORTEST, SHORTEST_PLAIN = 1e-3, 1e-6

# Pairs of differences whose angle or curvature is smaller say nothing.
LEAST_ANGLE = 1e-10
LEAST_CURVATURE = 1e-3

# The scale of the first direction that nothing is known of, in units of 1 / f.
GAIN_RANGE = (1.0, 10.0)
LARGEST_GAIN = 20.0

# If a number in s falls below this share of the largest, its direction may have been lost.
LOST = 1e-2


class Climbable(Protocol):
    """What the ascent asks of data: one pass, and the squared norms of the features."""

    @property
    def floor(self) -> float:
        """Relative rounding error of a pass."""

    @property
    def squares(self) -> Floats:
        """``|m_i|²``."""

    def fused(
        self, dual: Floats, basis: Floats, target: Floats | EllipsisType = ...
    ) -> tuple[Floats, Floats]:
        """``α_i = m_iᵀ dual basisᵀ m_i`` and ``A_α target``; target is the basis unless given."""


class Tangent(NamedTuple):
    """``U C Uᵀ + Z Uᵀ + U Zᵀ``, a direction in which W can go."""

    inside: Floats  # C, symmetric
    outside: Floats  # Z

    def plus(self, factor: float, other: "Tangent") -> "Tangent":
        return Tangent(self.inside + factor * other.inside, self.outside + factor * other.outside)

    def times(self, factor: float) -> "Tangent":
        return Tangent(factor * self.inside, factor * self.outside)

    def dot(self, other: "Tangent") -> float:
        return float(np.vdot(self.inside, other.inside) + 2 * np.vdot(self.outside, other.outside))

    def moved(self, basis: Floats, target: Floats) -> "Tangent":
        """The same direction at another place, projected on what is tangent there."""
        overlap = basis.T @ target
        image = basis @ (self.inside @ overlap + self.outside.T @ target) + self.outside @ overlap
        inside = target.T @ image
        return Tangent((inside + inside.T) / 2, image - target @ inside)


class Place(NamedTuple):
    """A matrix W, and what one pass tells of it."""

    basis: Floats  # U
    lengths: Floats  # s
    alpha: Floats  # m_iᵀ W m_i, not scaled
    image: Floats  # A_α U
    value: float  # f
    gradient: Tangent


class Climb(NamedTuple):
    """Where a climb ended, and how."""

    place: Place
    history: list[float]  # f after every iteration
    converged: bool
    stopped: bool  # by `tell`


def look(data: Climbable, basis: Floats, lengths: Floats) -> Place:
    """Evaluate f and its gradient by one pass."""
    alpha, image = data.fused(basis * lengths, basis)
    value = float(alpha @ alpha)
    inside = basis.T @ image
    gradient = Tangent((inside + inside.T) / 2 - value * np.diag(lengths), image - basis @ inside)
    return Place(basis, lengths, alpha, image, value, gradient)


def start(data: Climbable, iterate: Iterate) -> Place:
    """The place that a basis and weights stand for: the affinity, as far as the basis goes."""
    basis, values = _diagonal(iterate.basis, iterate.basis.T @ iterate.image)
    return look(data, basis, values)


def climb(
    data: Climbable,
    place: Place,
    *,
    tol: float,
    max_iter: int,
    tell: Callable[[int, float], bool],
) -> Climb:
    """Climb until f rises by at most `tol` over some iterations."""
    memory, history = Memory(), [place.value]
    stopped = tell(1, place.value)
    while len(history) < max_iter and not stopped:
        found = _step(data, place, memory)
        if found is None:
            return Climb(place, history, True, False)
        place = found
        history.append(place.value)
        stopped = tell(len(history), place.value)
        before = history[-1 - WINDOW] if len(history) > WINDOW else -np.inf
        if place.value - before <= tol * place.value:
            return Climb(place, history, True, stopped)
    return Climb(place, history, False, stopped)


class Memory:
    """What earlier steps tell of the curvature: pairs of a step and of what it took from g."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Tangent, Tangent]] = []
        self.gain = 1.0

    def direction(self, place: Place, scale: Floats) -> Tangent:
        """Where to go: the gradient times the inverse of the curvature, as far as it is known."""
        ahead, shares = place.gradient, []
        for step, lost in reversed(self.pairs):
            shares.append(step.dot(ahead) / step.dot(lost))
            ahead = ahead.plus(-shares[-1], lost)
        gain = self.gain / place.value
        ahead = Tangent(gain * ahead.inside, gain * ahead.outside / scale)
        for (step, lost), share in zip(self.pairs, reversed(shares), strict=True):
            ahead = ahead.plus(share - lost.dot(ahead) / step.dot(lost), step)
        return ahead

    def follow(self, before: Place, after: Place, taken: Tangent, scale: Floats) -> None:
        """Carry what is known to the new place, and add what the last step taught."""
        frames = before.basis, after.basis
        step = taken.moved(*frames)
        lost = before.gradient.moved(*frames).plus(-1.0, after.gradient)
        moved = [(one.moved(*frames), other.moved(*frames)) for one, other in self.pairs]
        self.pairs = [pair for pair in moved if _is_telling(*pair)]
        curvature, length = step.dot(lost), step.dot(step)
        if curvature > LEAST_CURVATURE * after.value * length:
            self.pairs = [*self.pairs, (step, lost)][-KEPT:]
            scaled = lost.dot(Tangent(lost.inside, lost.outside / scale))
            self.gain = float(np.clip(after.value * curvature / scaled, *GAIN_RANGE))
        else:
            self.gain = min(2 * self.gain, LARGEST_GAIN)

    def forget(self) -> None:
        self.pairs = []


def _is_telling(step: Tangent, lost: Tangent) -> bool:
    return step.dot(lost) > LEAST_ANGLE * np.sqrt(step.dot(step) * lost.dot(lost))


def _step(data: Climbable, place: Place, memory: Memory) -> Place | None:
    """Take the next step; None where f can rise no more."""
    scale = _scale(data, place)
    while True:
        ahead = memory.direction(place, scale)
        slope = ahead.dot(place.gradient)
        if slope <= 0:
            memory.forget()
            ahead = Tangent(place.gradient.inside, place.gradient.outside / scale)
            ahead = ahead.times(1 / place.value)
            slope = ahead.dot(place.gradient)
            if slope <= data.floor * place.value:
                return None
        found, length = _search(data, place, ahead, slope, plain=not memory.pairs)
        if found is not None:
            break
        if not memory.pairs:
            return None
        memory.forget()
    after, flipped = found
    if flipped:
        memory.forget()
    else:
        memory.follow(place, after, ahead.times(length), scale)
    return after


def _search(
    data: Climbable, place: Place, ahead: Tangent, slope: float, *, plain: bool
) -> tuple[tuple[Place, bool] | None, float]:
    """Try shorter and shorter steps until f rises enough; the next one by a parabola."""
    length = min(1.0, LONGEST / np.sqrt(ahead.dot(ahead)))
    shortest = SHORTEST_PLAIN if plain else SHORTEST
    while length > shortest:
        basis, lengths, flipped = _retracted(place, ahead.times(length))
        after = look(data, basis, lengths)
        rise = after.value - place.value
        if rise >= ENOUGH * length * slope - data.floor * place.value:
            return (after, flipped), length
        best = length**2 * slope / (2 * length * slope - rise)
        length = min(max(best, 0.1 * length), 0.5 * length)
    return None, length


def _scale(data: Climbable, place: Place) -> Floats:
    """``1 - μ / s_j`` for every direction, within limits."""
    q, k = place.basis.shape
    trace = float(place.alpha @ data.squares) - float(np.vdot(place.basis, place.image))
    mean = trace / max(q - k, 1) / place.value
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.nan_to_num(1 - mean / place.lengths, nan=1.0)
    return np.clip(scale, LEAST_SCALE, LARGEST_SCALE)


def _retracted(place: Place, step: Tangent) -> tuple[Floats, Floats, bool]:
    """The nearest matrix of rank k, made positive, of unit norm; whether a sign was changed."""
    k = len(place.lengths)
    outside = step.outside - place.basis @ (place.basis.T @ step.outside)
    beyond, triangle = np.linalg.qr(outside)
    inside = np.diag(place.lengths) + step.inside
    whole = np.block([[inside, triangle.T], [triangle, np.zeros((len(triangle),) * 2)]])
    values, rotation = linalg.largest_modulus(whole, k)
    basis, triangle = np.linalg.qr(np.hstack((place.basis, beyond)) @ rotation)
    basis = basis * np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return basis, np.abs(values) / np.linalg.norm(values), bool((values < 0).any())


def _diagonal(basis: Floats, inner: Floats) -> tuple[Floats, Floats]:
    """Basis and lengths of the positive matrix nearest to ``U inner Uᵀ``."""
    values, rotation = linalg.largest_modulus(inner, len(inner))
    return basis @ rotation, np.abs(values) / np.linalg.norm(values)


def iterate(place: Place) -> Iterate:
    """The weights and the basis that a place stands for."""
    size = np.sqrt(place.value)
    image = place.image / size
    return Iterate(place.alpha / size, place.basis, image, float(np.vdot(image, image)))


def has_lost(place: Place) -> bool:
    """Whether a direction of the basis counts for so little that a better one may be outside."""
    return bool(place.lengths.min() < LOST * place.lengths.max())
