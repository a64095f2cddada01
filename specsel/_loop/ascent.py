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

Beside W there may be numbers p, ``α_i = m_iᵀ W m_i + P_i p``, those of pairs of samples (see
`pairwise`). W and p together then have unit norm. P is not negative, and p is made so too.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from specsel import _data, linalg
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

# Up to this size the eigenproblem of a step is solved directly.
SMALL = 24

# If a number in s falls below this share of the largest, its direction may have been lost.
LOST = 1e-2


class Space(Protocol):
    """Where W lives, and what one pass over the data finds there.

    Directions are columns of arrays. Most are vectors over the samples; those of a kernel are not,
    so their inner products and orthonormal bases are the space's.
    """

    @property
    def floor(self) -> float:
        """Relative rounding error of a pass."""

    @property
    def dimension(self) -> int:
        """Number of dimensions."""

    def look(
        self, basis: Floats, lengths: Floats, beside: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """α of W and of the numbers beside it, ``A_α U``, and the same for those numbers."""

    def enter(
        self, alpha: Floats, basis: Floats, image: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """The basis as directions of this space, its image, and the numbers beside."""

    def leave(self, basis: Floats, image: Floats) -> tuple[Floats, Floats]:
        """Basis and image as an `Iterate` has them."""

    def trace(self, alpha: Floats) -> float:
        """``trace(A_α)``."""

    def inner(self, left: Floats, right: Floats) -> Floats:
        """Inner products of all pairs of directions."""

    def overlap(self, left: Floats, right: Floats) -> float:
        """Sum of the inner products of every direction with its like."""

    def orthonormal(self, directions: Floats) -> tuple[Floats, Floats]:
        """Orthonormal directions, and the coefficients that make those given out of them.

        Directions that are orthonormal but for rounding stay what they are but for rounding.
        """


class Samples:
    """The space of vectors over the samples. There are no numbers beside W."""

    def __init__(self, data: _data.Data) -> None:
        self.data = data
        self.floor, self.dimension = data.floor, data.n_samples
        self.squares = data.squares

    def look(
        self, basis: Floats, lengths: Floats, beside: Floats
    ) -> tuple[Floats, Floats, Floats]:
        return *self.data.weighed(basis, lengths), beside

    def enter(
        self, alpha: Floats, basis: Floats, image: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        return basis, self.data.adjoint(alpha, basis) if image is None else image, np.zeros(0)

    def leave(self, basis: Floats, image: Floats) -> tuple[Floats, Floats]:
        return basis, image

    def trace(self, alpha: Floats) -> float:
        return float(np.einsum("i,i", alpha, self.squares))

    def inner(self, left: Floats, right: Floats) -> Floats:
        return left.T @ right

    def overlap(self, left: Floats, right: Floats) -> float:
        return float(np.vdot(left, right))

    def orthonormal(self, directions: Floats) -> tuple[Floats, Floats]:
        basis, triangle = np.linalg.qr(directions)
        signs = np.where(np.diag(triangle) < 0, -1.0, 1.0)
        return basis * signs, triangle * signs[:, None]


class Tangent(NamedTuple):
    """``U C Uᵀ + Z Uᵀ + U Zᵀ``, a direction in which W can go, and what goes on beside it."""

    space: Space
    inside: Floats  # C, symmetric
    outside: Floats  # Z
    beside: Floats

    def plus(self, factor: float, other: "Tangent") -> "Tangent":
        return Tangent(
            self.space,
            self.inside + factor * other.inside,
            self.outside + factor * other.outside,
            self.beside + factor * other.beside,
        )

    def times(self, factor: float) -> "Tangent":
        return Tangent(
            self.space, factor * self.inside, factor * self.outside, factor * self.beside
        )

    def scaled(self, scale: Floats) -> "Tangent":
        """Divide every direction outside of U by its scale."""
        return self._replace(outside=self.outside / scale)

    def dot(self, other: "Tangent") -> float:
        outside = self.space.overlap(self.outside, other.outside)
        inside = np.vdot(self.inside, other.inside) + np.vdot(self.beside, other.beside)
        return float(inside + 2 * outside)

    def moved(self, basis: Floats, target: Floats) -> "Tangent":
        """The same direction at another place, projected on what is tangent there."""
        inner = self.space.inner
        overlap = inner(basis, target)
        image = basis @ (self.inside @ overlap + inner(self.outside, target))
        image += self.outside @ overlap
        inside = inner(target, image)
        inside = (inside + inside.T) / 2
        return Tangent(self.space, inside, image - target @ inside, self.beside)


class Place(NamedTuple):
    """A matrix W with the numbers beside it, and what one pass tells of them."""

    space: Space
    basis: Floats  # U
    lengths: Floats  # s
    beside: Floats
    alpha: Floats  # not scaled
    image: Floats  # A_α U
    value: float  # f
    gradient: Tangent


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
    inside = space.inner(basis, image)
    gradient = Tangent(
        space,
        (inside + inside.T) / 2 - value * np.diag(lengths),
        image - basis @ inside,
        numbers - value * beside,
    )
    return Place(space, basis, lengths, beside, alpha, image, value, gradient)


def start(space: Space, alpha: Floats, basis: Floats, image: Floats | None = None) -> Place:
    """The place that weights and a basis stand for: the affinity, as far as the basis goes."""
    basis, image, beside = space.enter(alpha, basis, image)
    inner = space.inner(basis, image)
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
    memory, history = Memory(), [place.value]
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
        ahead = ahead.times(gain).scaled(scale)
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
            scaled = lost.dot(lost.scaled(scale))
            self.gain = float(np.clip(after.value * curvature / scaled, *GAIN_RANGE))
        else:
            self.gain = min(2 * self.gain, LARGEST_GAIN)

    def forget(self) -> None:
        self.pairs = []


def _is_telling(step: Tangent, lost: Tangent) -> bool:
    one, other = step.dot(step), lost.dot(lost)  # of kernels, rounding may leave them negative
    return min(one, other) > 0 and step.dot(lost) > LEAST_ANGLE * np.sqrt(one * other)


def _step(place: Place, memory: Memory) -> Place | None:
    """Take the next step; None where f can rise no more."""
    scale = _scale(place)
    while True:
        ahead = memory.direction(place, scale)
        slope = ahead.dot(place.gradient)
        if slope <= 0:
            memory.forget()
            ahead = place.gradient.times(1 / place.value).scaled(scale)
            slope = ahead.dot(place.gradient)
            if slope <= place.space.floor * place.value:
                return None
        found, length = _search(place, ahead, slope, plain=not memory.pairs)
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
    place: Place, ahead: Tangent, slope: float, *, plain: bool
) -> tuple[tuple[Place, bool] | None, float]:
    """Try shorter and shorter steps until f rises enough; the next one by a parabola."""
    length = min(1.0, LONGEST / np.sqrt(ahead.dot(ahead)))
    shortest = SHORTEST_PLAIN if plain else SHORTEST
    while length > shortest:
        *target, flipped = _retracted(place, ahead.times(length))
        after = look(place.space, *target)
        rise = after.value - place.value
        if rise >= ENOUGH * length * slope - place.space.floor * place.value:
            return (after, flipped), length
        best = length**2 * slope / (2 * length * slope - rise)
        length = min(max(best, 0.1 * length), 0.5 * length)
    return None, length


def _scale(place: Place) -> Floats:
    """``1 - μ / s_j`` for every direction, within limits."""
    space, k = place.space, len(place.lengths)
    trace = space.trace(place.alpha) - space.overlap(place.basis, place.image)
    mean = trace / max(space.dimension - k, 1) / place.value
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.nan_to_num(1 - mean / place.lengths, nan=1.0)
    return np.clip(scale, LEAST_SCALE, LARGEST_SCALE)


def _retracted(place: Place, step: Tangent) -> tuple[Floats, Floats, Floats, bool]:
    """The nearest matrix of rank k and the numbers beside it, of unit norm; is a sign changed?"""
    space, k = place.space, len(place.lengths)
    outside = step.outside - place.basis @ space.inner(place.basis, step.outside)
    beyond, triangle = space.orthonormal(outside)
    inside = np.diag(place.lengths) + step.inside
    whole = np.block([[inside, triangle.T], [triangle, np.zeros((len(triangle),) * 2)]])
    values, rotation = _largest_modulus(whole, k)
    basis = space.orthonormal(np.hstack((place.basis, beyond)) @ rotation)[0]
    beside = place.beside + step.beside
    flipped = bool((values < 0).any() or (beside < 0).any())
    return basis, *_unit(values, beside), flipped


def _largest_modulus(symmetric: Floats, k: int) -> tuple[Floats, Floats]:
    """As in `linalg`, but sooner for a matrix so small that it wakes no threads anyway."""
    if len(symmetric) > SMALL:
        return linalg.largest_modulus(symmetric, k)
    values, vectors = np.linalg.eigh((symmetric + symmetric.T) / 2)
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    return values[order], vectors[:, order]


def _unit(lengths: Floats, beside: Floats) -> tuple[Floats, Floats]:
    """Make both non-negative and, together, of unit norm."""
    size = np.hypot(np.linalg.norm(lengths), np.linalg.norm(beside))
    size = size if size > 0 else 1.0
    return np.abs(lengths) / size, np.abs(beside) / size


def iterate(place: Place) -> Iterate:
    """The weights and the basis that a place stands for."""
    size = np.sqrt(place.value)
    image = place.image / size
    numbers = (place.gradient.beside + place.value * place.beside) / size
    objective = place.space.overlap(image, image) + numbers @ numbers
    return Iterate(place.alpha / size, *place.space.leave(place.basis, image), float(objective))


def has_lost(place: Place) -> bool:
    """Whether a direction of the basis counts for so little that a better one may be outside."""
    return bool(place.lengths.min() < LOST * place.lengths.max())
