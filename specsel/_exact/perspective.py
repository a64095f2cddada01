"""The perspective bound, and the diagonal that makes it small.

Let U have r rows and a column for each feature, ``A = Uᵀ U``, and let ``B = B₀ + Diag(e)`` with B₀
positive semi-definite and e > 0. For any r x n matrix W, the trace of ``B_S⁻¹ A_S`` over a support
S of k features is at most

    ``tr W B₀ Wᵀ + Σ of the k largest a_i,    a_i = ‖(U - W B₀)_i‖² / e_i.``

With r = 1 this bounds the largest eigenvalue, too. Both W (`weights`) and e (`split`) are free,
and the bound is convex in W. So W is improved by coordinate descent (`relax`), and e by damped
steps towards the diagonal that lowers the bound most (`raised`), in turns.

The log-det criterion, ``Σ log(1 + λ)``, is concave in ``H = U_S B_S⁻¹ U_Sᵀ``: for any T

    ``log det(I + H) <= tr(T H Tᵀ) + tr(T Tᵀ) - log det(T Tᵀ) - r,``

which is the trace of another problem, with ``T U`` in the place of U (`linearised`).

Every W, e and T gives a valid bound, so rounding in them does not matter. What does matter is that
B₀ is positive semi-definite, which a Cholesky factorisation of slightly less proves (`certified`),
and the rounding of the bound itself, which is bounded and added (`evaluate`).
"""

from typing import NamedTuple

import numpy as np

from specsel._exact.definite import (
    gather,
    invert_definite,
    is_definite,
    lower_factor,
    lower_inverse,
    subtract,
    triangular,
)
from specsel._exact.relaxation import threshold_of
from specsel._runtime import jit

EPS = float(np.finfo(np.float64).eps)

# The coordinate descent ends when four sweeps lower the bound by less than this share.
STALLED = 2e-5

# The weight of the barrier that keeps B₀ positive definite; and what is added to the gradient, as
# a share of its mean, so that no part of e is pushed to zero.
BARRIER = 0.3
FLOOR = 1e-3

# A step takes no entry of e below this share of itself.
LEAST = 1e-3

# Gradients are averaged; a new one counts for at least this share.
FRESH = 0.15

# If B₀ is not positive definite e shrinks by this factor, at most so many times.
SHRINK, SHRINKS = 0.9, 40


class Effort(NamedTuple):
    """How much work a bound is worth."""

    rounds: int  # steps over e
    sweeps: int  # over the coordinates of W, for each of them
    step: float  # how much of a step over e is taken
    stop: float  # end when four rounds close less than this share of what is missing


class Bound(NamedTuple):
    """The least bound found, and what gave it."""

    value: float
    split: np.ndarray  # e
    weights: np.ndarray  # W, for U itself
    scores: np.ndarray  # a
    shares: np.ndarray  # how much of each feature the relaxation chooses, from 0 to 1
    rounds: int


@jit
def bound(matrix, targets, concave, split, weights, choose, goal, effort):
    """Bound the values of all supports of so many features; stop when the goal is reached.

    `matrix` is B, `targets` is U. With `concave` the value is log-det, otherwise the trace.
    """
    rank, size = targets.shape
    current = np.empty(size)
    best = Bound(np.inf, split, weights, np.zeros(size), np.zeros(size), 0)
    if not certified(matrix, split, current):
        return best
    gradient, before = np.zeros(size), np.inf
    factor, turn, constant = np.eye(rank), np.eye(rank), 0.0
    for number in range(effort.rounds + 1):
        turned, loads = targets.copy(), weights.copy()
        if concave:
            constant = linearised(targets, weights, factor, turn)
            turned, loads = triangular(turn, targets), triangular(turn, weights)
        relax(matrix, turned, current, loads, choose, goal - constant, effort.sweeps)
        scores = np.empty(size)
        value = evaluate(matrix, turned, current, loads, choose, scores) + constant
        weights = triangular(factor, loads) if concave else loads
        lengths = _lengths(current, loads)
        level = threshold_of(lengths, choose, np.inf)
        shares = np.minimum(lengths / level, 1.0)
        if value < best.value:
            best = Bound(value, current.copy(), weights.copy(), scores, shares, number)
        if best.value <= goal or number == effort.rounds:
            break
        if number % 4 == 0:
            if before - best.value < effort.stop * (best.value - goal):
                break
            before = best.value
        new = _gradient(current, lengths, shares)
        gradient += (new - gradient) * max(2.0 / (number + 2), FRESH)
        if gradient.sum() <= 0 or not certified(
            matrix, raised(matrix, current, gradient, effort.step), current
        ):
            break
    return best


@jit
def certified(matrix, split, out):
    """Write to `out` the split, or as much of it as leaves B₀ positive semi-definite for certain.

    Tell if that could be done. If floating-point Cholesky gets through a matrix, some matrix
    nearer than about n roundings of its trace is positive definite (Rump 2006).
    """
    size, trace = len(matrix), 0.0
    for i in range(size):
        trace += matrix[i, i]
    margin = 2 * (size + 4) * EPS * trace
    out[:] = split
    for _ in range(SHRINKS):
        part = matrix.copy()
        for i in range(size):
            part[i, i] -= out[i] + margin
        if is_definite(part):
            return True
        out *= SHRINK
    return False


@jit
def raised(matrix, split, gradient, step):
    """Move e towards the largest ``Σ gradient_i e_i + barrier · log det(B - Diag(e))``.

    One sweep over the entries, each of which has a closed form; of that, take a part, which keeps
    B₀ positive definite as both ends do.
    """
    size = len(split)
    inverse = matrix.copy()
    for i in range(size):
        inverse[i, i] -= split[i]
    if not invert_definite(inverse):
        return split
    mean = gradient.mean()
    barrier = BARRIER * mean * split.mean()
    moved = split.copy()
    column = np.empty(size)
    for i in range(size):
        pivot = inverse[i, i]
        change = 1.0 / pivot - barrier / (gradient[i] + FLOOR * mean)
        change = max(change, (LEAST - 1.0) * moved[i])
        moved[i] += change
        gather(inverse, i, column)
        subtract(inverse, column, -change / (1.0 - change * pivot))
    return split + step * (moved - split)


@jit
def relax(matrix, targets, split, weights, choose, goal, sweeps):
    """Improve W in place by coordinate descent, a feature at a time.

    The sum over the k largest a_i makes a penalty on the length of a column: quadratic where
    ``√e_i ‖w_i‖`` is above a threshold, so that i counts as chosen, and linear below.
    """
    rank, size = targets.shape
    rest = _rest(matrix, targets, split, weights)
    best, lowest, before, level = weights.copy(), np.inf, np.inf, np.inf
    scores, pull = np.empty(size), np.empty(rank)
    for sweep in range(sweeps):
        value = 0.0
        scores[:] = 0.0
        for c in range(rank):
            for i in range(size):
                value += weights[c, i] * (targets[c, i] - rest[c, i])
                scores[i] += rest[c, i] * rest[c, i] / split[i]
        ordered = np.sort(scores)
        for i in range(size - choose, size):
            value += ordered[i]
        if value < lowest:
            lowest = value
            best[:] = weights
        if lowest <= goal:
            break
        if sweep > 4 and sweep % 4 == 0:
            if before - lowest < STALLED * abs(lowest):
                break
            before = lowest
        before_level = min(level, np.sqrt(ordered[size - choose]))
        level = threshold_of(_lengths(split, weights), choose, before_level)
        for i in range(size):
            own = matrix[i, i] - split[i]
            square = 0.0
            for c in range(rank):
                pull[c] = rest[c, i] + own * weights[c, i]
                square += pull[c] * pull[c]
            length, limit = np.sqrt(square), level * np.sqrt(split[i])
            ratio = 0.0
            if length > limit:
                ratio = (length - limit) / own if own > 0 else np.inf
                if split[i] * ratio > limit:
                    ratio = length / (own + split[i])
                ratio /= length
            for c in range(rank):
                change = ratio * pull[c] - weights[c, i]
                if change != 0:
                    weights[c, i] += change
                    for j in range(size):
                        rest[c, j] -= change * matrix[i, j]
                    rest[c, i] += change * split[i]
    weights[:] = best


@jit
def evaluate(matrix, targets, split, weights, choose, scores):
    """Compute the bound afresh, and the a_i; add what rounding may have taken from either."""
    rank, size = targets.shape
    value, error = 0.0, 0.0
    scores[:] = 0.0
    for c in range(rank):
        image, moduli = np.zeros(size), np.abs(targets[c])
        for i in range(size):
            weight = weights[c, i]
            if weight != 0:
                for j in range(size):
                    term = weight * matrix[i, j]
                    image[j] += term
                    moduli[j] += abs(term)
                image[i] -= weight * split[i]
        for i in range(size):
            slack = (size + 4) * EPS * moduli[i]
            value += weights[c, i] * image[i]
            error += abs(weights[c, i]) * (slack + size * EPS * abs(image[i]))
            rest = abs(targets[c, i] - image[i]) + slack
            scores[i] += rest * rest / split[i]
    for score in np.sort(scores)[size - choose :]:
        value += score
    return (value + error) * (1 + size * EPS)


@jit
def _rest(matrix, targets, split, weights):
    """Compute ``U - W B₀``."""
    rank, size = targets.shape
    rest = targets.copy()
    for c in range(rank):
        for i in range(size):
            weight = weights[c, i]
            if weight != 0:
                for j in range(size):
                    rest[c, j] -= weight * matrix[i, j]
                rest[c, i] += weight * split[i]
    return rest


@jit
def _lengths(split, weights):
    """Compute ``√e_i ‖w_i‖``."""
    rank, size = weights.shape
    lengths = np.zeros(size)
    for c in range(rank):
        for i in range(size):
            lengths[i] += weights[c, i] * weights[c, i]
    return np.sqrt(lengths * split)


@jit
def _gradient(split, lengths, shares):
    """By how much the bound falls for every unit of e: ``‖w_i‖² (1/share - 1)``."""
    gradient = np.zeros(len(split))
    for i in range(len(split)):
        if 0 < shares[i] < 1:
            gradient[i] = lengths[i] ** 2 / split[i] * (1.0 / shares[i] - 1.0)
    return gradient


@jit
def linearised(targets, weights, factor, turn):
    """Set the tangent of log-det where W is; return the constant of the inequality.

    W gives ``H = U Wᵀ`` at its optimum. `turn` becomes ``T = C⁻¹`` and `factor` becomes C, with
    ``I + H = C Cᵀ``.
    """
    rank, size = targets.shape
    for i in range(rank):
        for j in range(i + 1):
            total = 0.0
            for c in range(size):
                total += targets[i, c] * weights[j, c] + targets[j, c] * weights[i, c]
            factor[i, j] = total / 2 + (i == j)
    if not lower_factor(factor):
        factor[:] = np.eye(rank)
    turn[:] = lower_inverse(factor)
    constant = -float(rank)
    for i in range(rank):
        constant -= 2 * np.log(turn[i, i])
        for j in range(i + 1):
            constant += turn[i, j] * turn[i, j]
    return constant
