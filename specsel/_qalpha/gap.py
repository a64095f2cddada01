"""Weights and basis that maximise the gap criterion, with few passes over the data.

The criterion is ``2 |A_α Q|² - |A_α|²``. The affinities of some weights are known, and so are
those of all combinations of them. The best combination and the best basis for it are found without
reading the data: the coefficients lead a small matrix given Q, and Q spans the leading
eigenvectors of the affinity given the coefficients, in turn. One pass then adds the direction of
steepest ascent to what is known.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from specsel import _data, linalg
from specsel._qalpha import whole
from specsel._validate import Floats

# How exact the weights need to be at the first basis, and passes at every width of the basis.
START_TOL = 1e-3
NARROWING_PASSES = 2

# Passes over which the objective must rise by less than the tolerance.
WINDOW = 3

# The most times that coefficients and basis are found in turn between two passes; and their last
# change, as a share of the tolerance.
TURNS = 30
TURNS_SHARE = 0.1

# Affinities of nearly known weights need no more digits than their small coefficients.
MOST_ROUNDINGS = 1e6


class Climb(NamedTuple):
    """Where a climb ended, and how."""

    alpha: Floats
    affinity: Floats
    basis: Floats
    history: list[float]
    converged: bool
    stopped: bool  # by `tell`


def signed(affinity: Floats, basis: Floats) -> Floats:
    """``J A = A QQᵀ + QQᵀ A - A``: half the gradient of the criterion is ``Φ J A``."""
    inside = affinity @ basis @ basis.T
    return inside + inside.T - affinity


def climb(
    data: _data.Data,
    basis: Floats,
    widths: list[int],
    *,
    tol: float,
    max_iter: int,
    tell: Callable[[int, float], bool],
) -> Climb:
    """Climb from a basis, narrowed to given widths, until the criterion rises no more."""
    varies = (data.norms.ravel() > 0).astype(float)
    known = whole.Krylov(data, lambda affinity: signed(affinity, basis), varies)
    coefficients = known.lead(START_TOL, signed=True)[0]
    for width in widths[1:]:
        for _ in range(NARROWING_PASSES):
            coefficients, basis, _ = _best(known, coefficients, width, tol)
            coefficients = _extend(known, coefficients, basis)[0]
    history: list[float] = []
    converged = stopped = False
    while True:
        coefficients, basis, value = _best(known, coefficients, widths[-1], tol)
        history.append(value)
        stopped = tell(len(history), value)
        if len(history) > WINDOW:
            rise = value - history[-1 - WINDOW]
            converged = converged or rise <= tol * abs(value)
        if converged or stopped or len(history) == max_iter:
            break
        coefficients, new = _extend(known, coefficients, basis)
        converged = new == 0
    return Climb(*known.combined(coefficients), basis, history, converged, stopped)


def _best(
    known: whole.Known, coefficients: Floats, width: int, tol: float
) -> tuple[Floats, Floats, float]:
    """Coefficients and basis, found in turn until the criterion settles, and its value."""
    affinities = np.array(known.affinities)
    flat = affinities.reshape(len(affinities), -1)
    whole_energy = flat @ flat.T
    before = -np.inf
    for _ in range(TURNS):
        affinity = np.tensordot(coefficients, affinities, 1)
        values, axes = linalg.eigen(affinity)
        order = np.argsort(-np.abs(values), kind="stable")[:width]
        basis = axes[:, order]
        images = (affinities @ basis).reshape(len(affinities), -1)
        found, vectors = linalg.eigen(2 * images @ images.T - whole_energy)
        coefficients, value = vectors[:, -1], float(found[-1])
        if value - before <= TURNS_SHARE * tol * abs(value):
            break
        before = value
    return coefficients, basis, value


def _extend(known: whole.Known, coefficients: Floats, basis: Floats) -> tuple[Floats, float]:
    """Add the direction of steepest ascent; return the coefficients after that and how steep."""
    if len(known.alphas) > known.most:
        coefficients = _shrink(known, coefficients, basis)
    affinity = known.combined(coefficients)[1]
    new = known.add(*whole.image(known.data, signed(affinity, basis)), MOST_ROUNDINGS)
    return np.append(coefficients, np.zeros(len(known.alphas) - len(coefficients))), new


def _shrink(known: whole.Known, coefficients: Floats, basis: Floats) -> Floats:
    """Keep the better half of the combinations, the best one among them."""
    affinities = np.array(known.affinities)
    flat, images = affinities.reshape(len(affinities), -1), affinities @ basis
    images = images.reshape(len(affinities), -1)
    vectors = linalg.eigen(2 * images @ images.T - flat @ flat.T)[1]
    best = vectors[:, -(known.most // 2) :].T
    known.keep(best)
    return best @ coefficients
