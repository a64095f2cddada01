"""Quasi-Newton ascent on weights and basis at once, in place of two alternating eigenproblems.

Q-α maximises ``αᵀ G(Q) α`` over unit weights α and bases Q. That equals the maximum of

    f(W) = Σ_i (m_iᵀ W m_i)²

over symmetric matrices ``W = U diag(s) Uᵀ`` of rank k and unit norm, U being a basis of the
samples: α is ``m_iᵀ W m_i`` scaled to unit norm, and Q is U. One pass over the data gives f and
its whole gradient on that manifold, for with ``α_i = m_iᵀ W m_i`` half the gradient is ``A_α`` and
only its image ``Y = A_α U`` counts. No inner eigenproblem is left, so that an iteration is one
pass where the alternation takes many.

``f(|W|) ≥ f(W)``, so s is made non-negative after every step. W is then positive semi-definite,
and all weights are non-negative.

With pairs of samples (see `pairwise`) there is a vector p beside W, with one number for every
pair: ``α_i = m_iᵀ W m_i + Σ √μ p_st m_is m_it``, μ being the share of a pair in the objective. W
and p together have unit norm, and p is made non-negative too. For given weights the best W and p
are as long together as the energy of k directions and the squared entries of the pairs, so the
largest ``|α|²`` is that of the objective.

The method is limited-memory BFGS:

- A tangent at W is a pair (C, Z), which stands for ``U C Uᵀ + Z Uᵀ + U Zᵀ`` with ``UᵀZ = 0``, and
  a change of p. It is stored as one row of numbers: C, ``√2 Z`` and the change of p, so that
  products of rows are inner products of tangents.
- A step leads to the nearest matrix of rank k, by an eigenproblem of size 2k.
- Differences of gradients are carried along by projection on the new tangent space.
- What is outside of U is scaled by what ``A_α`` says of the curvature there.
- Steps are shortened until f rises enough, so f never falls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from specsel import _data, linalg
from specsel._runtime import MOST_ROWS, one_thread
from specsel._validate import Floats

# Iterations over which f must rise by less than `tol`.
WINDOW = 5

# The longest step, where W and p have norm 1.
LONGEST = 0.5

# A step must reach this share of the rise that the slope promises. Steps shorter than this are
# not tried; the first is for quasi-Newton steps, the second for steps along the gradient.
ENOUGH = 2e-4
SHORTEST, SHORTEST_PLAIN = 1e-3, 1e-6

# Where no step leads up, a slope of at most so many roundings of a pass is none.
LEVEL = 1e4

# If a number in s falls below this share of the largest, its direction may have been lost.
LOST = 1e-2

# Numbers in s below the square of this share of the largest count as that: passes multiply by
# their roots.
LEAST_ROOT = 1e-12

# Pairs of a step and of the change of the gradient that are kept. Pairs with a smaller cosine or
# less curvature are dropped.
KEPT = 5
LEAST_ANGLE = 1e-10
LEAST_CURVATURE = 1e-3

# The scale of the first direction that nothing is known of, in units of 1 / f.
LEAST_GAIN, USUAL_GAIN, LARGEST_GAIN = 1.0, 10.0, 20.0

# Rows with so many numbers are moved at once; more would take memory for nothing.
NUMBERS = 2**15

# The range of the scale of directions outside of U, and the least that divides, for a number in s
# may be 0.
LEAST_SCALE, LARGEST_SCALE = 0.1, 2.0
TINY = 1e-200

# The eigenvalues of ``A_α`` are computed for dense data with at most `MOST` samples and at least
# `WIDE` times as many features. Elsewhere they take many passes, much memory, or more time in
# every iteration than they save. The eigenproblem takes as long as a pass for ``A_α`` over
# `EIGENPROBLEM` times as many features as samples. At first the basis moves too much for it.
MOST = 512
WIDE = 60
EIGENPROBLEM = 60
LEAST_PATIENCE = 5

ROOT = np.sqrt(2.0)


class Objective:
    """f and its gradient for some data; with pairs of samples, where `shares` holds their μ."""

    def __init__(
        self,
        data: _data.Data,
        pairs: _data.Pairs | None = None,
        shares: Floats | None = None,
    ) -> None:
        self.data, self.pairs = data, pairs
        self.roots = np.zeros(0) if shares is None else np.sqrt(shares)

    def evaluate(self, basis: Floats, spectrum: Floats, p: Floats) -> AscentPoint:
        """Compute f and its gradient at ``W = U diag(s) Uᵀ`` and p, by one pass."""
        roots = np.sqrt(spectrum)
        roots = np.maximum(roots, LEAST_ROOT * roots.max() or 1.0)
        alpha, image, entries = self._pass(basis * roots, p)
        image = image / roots
        value = float(np.einsum("i,i", alpha, alpha))
        inside = basis.T @ image
        outside = image - basis @ inside
        inside = (inside + inside.T) / 2
        inside.flat[:: len(inside) + 1] -= value * spectrum
        gradient = _join(inside, ROOT * outside, entries - value * p)
        return AscentPoint(self, basis, spectrum, p, alpha, image, value, gradient)

    def _pass(self, scaled: Floats, p: Floats) -> tuple[Floats, Floats, Floats]:
        """Return α of ``W = scaled scaledᵀ`` and p, ``A_α scaled``, and the entries of pairs."""
        if self.pairs is not None:
            pairs = self.pairs.with_values(self.roots * p)
            alpha, image, entries = self.data.sweep(scaled, scaled, None, scaled, pairs)
            return alpha, image, self.roots * entries
        return *self.data.fused(scaled, scaled), p

    def start(self, alpha: Floats, basis: Floats, image: Floats | None = None) -> AscentPoint:
        """Evaluate the affinity ``A_α``, as far as the basis goes; `image` is ``A_α U`` if known.

        W and p are scaled to unit norm, here as everywhere.
        """
        p = np.zeros(0)
        if self.pairs is not None:
            _, image, entries = self.data.sweep(None, None, alpha, basis, self.pairs)
            p = self.roots * entries
        elif image is None:
            image = self.data.adjoint(alpha, basis)
        spectrum, rotation = linalg.largest_modulus(basis.T @ image, basis.shape[1])
        return self.evaluate(basis @ rotation, *_unit(spectrum, p))


class AscentPoint(NamedTuple):
    """A matrix W and p, and what one pass finds there."""

    objective: Objective
    basis: Floats  # U
    spectrum: Floats  # s
    p: Floats
    alpha: Floats  # not scaled
    image: Floats  # A_α U
    value: float  # f
    gradient: Floats  # a row of C, √2 Z and the change of p

    def narrowed(self, width: int) -> AscentPoint:
        """Keep the directions with the largest numbers in s."""
        keep = np.argsort(-self.spectrum, kind="stable")[:width]
        return self.objective.evaluate(self.basis[:, keep], *_unit(self.spectrum[keep], self.p))

    @property
    def has_lost(self) -> bool:
        """Whether a direction counts for so little that a better one may be outside of U."""
        return bool(self.spectrum.min() < LOST * self.spectrum.max())

    @property
    def energy(self) -> float:
        """``αᵀ G(U) α`` at unit weights, with the squared entries of the pairs."""
        size = np.sqrt(self.value)
        image = self.image / size
        entries = (_split(self.gradient, self.basis)[2] + self.value * self.p) / size
        return float(np.vdot(image, image) + entries @ entries)


def maximise(
    point: AscentPoint, *, tol: float, max_iter: int, report: Callable[[int, float], bool]
) -> tuple[AscentPoint, list[float], bool, bool]:
    """Ascend until f rises by at most `tol` over some iterations.

    Return where it ends, f after every iteration, whether f has converged, and whether `report`,
    which is called after every iteration, asked to stop.
    """
    memory, history = Memory(len(point.gradient)), [point.value]
    patience, outside = _patience(point), None
    stopped, last = report(1, point.value), None
    while len(history) < max_iter and not stopped:
        if len(history) == patience:
            outside = _spectrum_outside(point)
        if last is not None:
            memory.update(*last)
        inverse = _inverse_curvature(point, outside)
        found = _step(point, memory, inverse)
        if found is None:
            return point, history, _is_level(point), False
        last = point, *found, inverse
        point = found[0]
        history.append(point.value)
        stopped = report(len(history), point.value)
        reference = history[-1 - WINDOW] if len(history) > WINDOW else -np.inf
        if point.value - reference <= tol * point.value:
            return point, history, True, stopped
    return point, history, False, stopped


def _is_level(point: AscentPoint) -> bool:
    """Return whether the gradient promises no rise that rounding would not hide."""
    promised = float(_inverse_curvature(point, None)(point.gradient) @ point.gradient)
    return promised <= LEVEL * point.objective.data.floor * point.value


def _step(
    point: AscentPoint, memory: Memory, inverse: Callable[[Floats], Floats]
) -> tuple[AscentPoint, Floats] | None:
    """Take the next step and return where it leads and the step; None where f can rise no more."""
    while True:
        direction = memory.direction(point.gradient, inverse)
        slope = float(direction @ point.gradient)
        if slope <= 0:
            memory.forget()
            direction = inverse(point.gradient)
            slope = float(direction @ point.gradient)
            if slope <= point.objective.data.floor * point.value:
                return None
        is_plain = len(memory.steps) == 0
        found = _line_search(point, direction, slope, SHORTEST_PLAIN if is_plain else SHORTEST)
        if found is not None or is_plain:
            return found
        memory.forget()


def _line_search(
    point: AscentPoint, direction: Floats, slope: float, shortest: float
) -> tuple[AscentPoint, Floats] | None:
    """Try shorter and shorter steps until f rises enough; the next one by a parabola."""
    square = max(float(np.einsum("i,i", direction, direction)), LONGEST**2)
    length = LONGEST / np.sqrt(square)
    while length > shortest:
        after = point.objective.evaluate(*_retracted(point, length * direction))
        rise = after.value - point.value
        if rise >= ENOUGH * length * slope - point.objective.data.floor * point.value:
            return after, length * direction
        best = length**2 * slope / (2 * length * slope - rise)
        length = min(max(best, 0.1 * length), 0.5 * length)
    return None


def _retracted(point: AscentPoint, step: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the nearest W of rank k and p, non-negative and of unit norm."""
    k = len(point.spectrum)
    inside, outside, p = _split(step, point.basis)
    # A frame is narrow: threads of BLAS would only wait for each other.
    with one_thread(min(len(point.basis), MOST_ROWS)):
        frame, triangle = linalg.signed_qr(np.hstack((point.basis, outside / ROOT)))
    inner = np.zeros((len(triangle), len(triangle)))
    inner[:, :k] = 2 * triangle[:, k:]
    inner[:k, :k] = inside
    inner.flat[: k * len(inner) : len(inner) + 1] += point.spectrum
    spectrum, rotation = linalg.largest_modulus(inner, k)
    return frame @ rotation, *_unit(spectrum, point.p + p)


def _unit(spectrum: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Make both non-negative and, together, of unit norm."""
    size = np.sqrt(spectrum @ spectrum + p @ p) or 1.0
    return np.abs(spectrum) / size, np.abs(p) / size


class Memory:
    """Limited-memory BFGS: pairs of a step and of the decrease of the gradient, its *loss*."""

    def __init__(self, size: int) -> None:
        self.size, self.gain = size, 1.0
        self.forget()

    def forget(self) -> None:
        """Drop all pairs."""
        self.steps = self.losses = np.zeros((0, self.size))
        self.products = np.zeros((0, 0))

    def direction(self, gradient: Floats, inverse: Callable[[Floats], Floats]) -> Floats:
        """Compute the gradient times the inverse of the curvature, as far as that is known.

        `inverse` is taken where nothing is known, but for the gain. This is the compact form of
        BFGS, with all pairs at once (Byrd, Nocedal and Schnabel, Math. Program. 63, 1994).
        """
        direction = self.gain * inverse(gradient)
        if len(self.steps) == 0:
            return direction
        from scipy.linalg import lapack  # here, for it would make the package slow to import

        bent = self.gain * inverse(self.losses)
        back = lapack.dtrtrs(self.products, self.steps @ gradient)[0]
        middle = self.products.diagonal() * back + bent @ (back @ self.losses - gradient)
        direction += lapack.dtrtrs(self.products, middle, trans=1)[0] @ self.steps - back @ bent
        return direction

    def update(
        self,
        before: AscentPoint,
        after: AscentPoint,
        step: Floats,
        inverse: Callable[[Floats], Floats],
    ) -> None:
        """Move all pairs to the tangent space of the next point, and add the pair of its step."""
        n = len(self.steps) + 1
        rows = np.concatenate((self.steps, step[None], self.losses, before.gradient[None]))
        self.forget()
        together = max(1, NUMBERS // self.size)
        for start in range(0, len(rows), together):
            some = slice(start, start + together)
            rows[some] = _moved(rows[some], before.basis, after.basis)
        rows[-1] -= after.gradient
        steps, losses = rows[:n], rows[n:]
        squares = np.einsum("ij,ij->i", steps, steps)
        products = steps @ losses.T
        lengths = np.sqrt(squares * np.einsum("ij,ij->i", losses, losses))
        keep = (lengths > 0) & (products.diagonal() > LEAST_ANGLE * lengths)
        curvature = products[-1, -1]
        keep[-1] = curvature > LEAST_CURVATURE * before.value * squares[-1]
        if keep[-1]:
            size = losses[-1] @ inverse(losses[-1])
            gain = curvature / size if size > 0 else USUAL_GAIN
            self.gain = min(max(float(gain), LEAST_GAIN), USUAL_GAIN)
        else:
            self.gain = min(2 * self.gain, LARGEST_GAIN)
        if not keep.all():
            steps, losses, products = steps[keep], losses[keep], products[keep][:, keep]
        self.steps, self.losses = steps[-KEPT:], losses[-KEPT:]
        self.products = products[-KEPT:, -KEPT:]


def _inverse_curvature(
    point: AscentPoint, outside: tuple[Floats, Floats] | None
) -> Callable[[Floats], Floats]:
    """Return the inverse of the curvature as it is known before any step, as a map of tangents.

    Within U it is 1 / f. Outside of U, where ``A_α`` multiplies a direction by ``μ f``, the change
    of column j in that direction has the inverse ``1 / (f (1 - μ / s_j))``. If `outside` holds the
    eigenvalues of ``A_α`` outside of U and their vectors, every direction gets its own μ; if not,
    μ is the mean for all directions, from the trace of ``A_α``.
    """
    value, basis = point.value, point.basis
    shares = _mean_outside(point) if outside is None else outside[0][:, None] / value
    scale = 1 - shares / np.maximum(point.spectrum, TINY)
    scale = value * np.minimum(np.maximum(scale, LEAST_SCALE), LARGEST_SCALE)
    if outside is None:
        factors = np.full(len(point.gradient), 1 / value)
        _split(factors, basis)[1][:] = 1 / scale
        return lambda rows: factors * rows
    vectors = outside[1]

    def apply(rows: Floats) -> Floats:
        inside, beyond, p = _split(rows, basis)
        with one_thread(len(vectors)):
            beyond = vectors @ ((vectors.T @ beyond) / scale)
        beyond -= basis @ (basis.T @ beyond)
        return _join(inside / value, beyond, p / value)

    return apply


def _mean_outside(point: AscentPoint) -> float:
    """Compute the mean eigenvalue of ``A_α`` outside of U, over f."""
    data = point.objective.data
    trace = float(np.einsum("i,i", point.alpha, data.squares))
    rest = trace - np.vdot(point.basis, point.image)
    return float(rest / max(data.n_samples - len(point.spectrum), 1) / point.value)


def _patience(point: AscentPoint) -> int:
    """Return how many iterations cost as much as the eigenvalues of ``A_α``; 0 if too much.

    They are computed once, after as many iterations. They change little from there on, and a
    direction that is nearly as good as one in U is what makes an ascent long.
    """
    data, k = point.objective.data, len(point.spectrum)
    if not isinstance(data, _data.Dense) or data.n_samples > MOST:
        return 0
    n, times = data.n_samples, data.n_features / data.n_samples
    if times < WIDE:
        return 0
    return max(LEAST_PATIENCE, int(n / (4 * k) * (1 + EIGENPROBLEM / times)))


def _spectrum_outside(point: AscentPoint) -> tuple[Floats, Floats]:
    """Compute the eigenvalues of ``A_α`` outside of U, and their vectors."""
    basis = point.basis
    affinity = point.objective.data.adjoint(point.alpha, None)
    affinity = affinity - basis @ (basis.T @ affinity)
    affinity = affinity.T - basis @ (basis.T @ affinity.T)
    return linalg.eigen(affinity)


def _join(*parts: Floats) -> Floats:
    """Write tangents as rows of C, ``√2 Z`` and the change of p."""
    before = parts[-1].shape[:-1]
    return np.concatenate([part.reshape(*before, -1) for part in parts], axis=-1)


def _split(rows: Floats, basis: Floats) -> tuple[Floats, Floats, Floats]:
    """Return views of C, ``√2 Z`` and the change of p."""
    (q, k), before = basis.shape, rows.shape[:-1]
    inside, outside = rows[..., : k * k], rows[..., k * k : k * (k + q)]
    inside = inside.reshape(*before, k, k)
    return inside, outside.reshape(*before, q, k), rows[..., k * (k + q) :]


def _moved(rows: Floats, basis: Floats, target: Floats) -> Floats:
    """Project tangents at one basis on the tangent space at another."""
    inside, outside, p = _split(rows, basis)
    overlap = basis.T @ target
    image = outside @ overlap
    image += basis @ (ROOT * inside @ overlap + outside.swapaxes(1, 2) @ target)
    inside = target.T @ image
    image -= target @ inside
    inside = (inside + inside.swapaxes(1, 2)) / (2 * ROOT)
    return _join(inside, image, p)
