"""The one outer loop: weights given a basis, basis given the weights, until the objective settles.

A variant brings its two products as a small object that does what `Energy` does; start,
continuation, restarts, history and convergence are here, once.

With ``Φ`` the features' rows at the current basis, the weights are the leading eigenvector of
``Φ J Φᵀ``, found from products with ``ΦᵀΦ`` (see `linalg.leading`). The basis follows by one step
of orthogonal iteration with the weighted affinity. The start decides which of many maxima is
found; by default the loop starts with a wide basis and narrows it, an iteration at a time, to the
size asked for.

With ``k="auto"`` a few iterations with a wide basis come first. The weights that they end with
bring the clusters out, as many leading eigenvalues as there are clusters stand apart from the
rest, less the one of the mean in centred data, and the largest ratio of one to the next tells k.
"""

import itertools
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from specsel import _input, linalg
from specsel.results import Weights

# Continuation begins with 4k + 4 columns and narrows them in this many steps.
WIDTH_FACTOR = 4
NARROWING_STEPS = 4

# Columns of the basis beside the mean, iterations and tolerance with which k is found where it is
# "auto". Eigenvalues below this share of the largest drop for want of features, not of clusters.
AUTO_WIDTH = 10
AUTO_ITERATIONS = 3
AUTO_TOL = 0.01
AUTO_FLOOR = 0.02

# The weights of an iteration are as exact as this share of the last change of the objective, which
# counts as no more than that; before the end, as this share of the tolerance.
INNER_SHARE = 0.1
LOOSEST = 0.01

# Iterations without a better objective after which a loop that does not settle ends.
PATIENCE = 50
TINY = np.finfo(float).tiny


class State(NamedTuple):
    """Weights, the basis that follows from them, and what the next iteration needs."""

    alpha: np.ndarray
    basis: np.ndarray
    image: np.ndarray  # A_α basis
    start: np.ndarray  # J Φᵀ α at the new basis
    objective: float


def solve(
    problem,
    k: int | str,
    *,
    init="continuation",
    n_init: int = 15,
    tol: float = 1e-6,
    max_iter: int = 200,
    random_state=None,
    callback: Callable | None = None,
    final_weights: bool = False,
) -> tuple[State, dict]:
    """Run the loop from every start and return the best end and its record."""
    if k == "auto":
        k = count_clusters(problem)
    best = None
    for basis, widths in starts(problem, k, init, n_init, random_state):
        state, record, stopped = _run(
            problem, basis, widths, tol, max_iter, callback, final_weights
        )
        if best is None or state.objective > best[0].objective:
            best = state, record
        if stopped:
            break
    if not best[1]["converged"] and not stopped:
        count = best[1]["n_iter"]
        advice = "raise max_iter or tol"
        if count < max_iter:
            advice = "the objective goes up and down; its best is returned, try another init or k"
        warnings.warn(
            f"not converged after {count} iterations: {advice}", stacklevel=_input.caller()
        )
    return best


def count_clusters(problem) -> int:
    """k by the largest ratio of neighbouring eigenvalues, that of the mean left aside."""
    mean = 0 if problem.data.mean_free else 1
    width = min(AUTO_WIDTH + mean, problem.data.rank_bound)
    basis = problem.subspace(np.ones(problem.data.n_features), width)
    state = _run(problem, basis, [width], AUTO_TOL, AUTO_ITERATIONS, None, False)[0]
    values = np.abs(linalg.largest_modulus(state.basis.T @ state.image, width)[0])
    values = values[mean:]
    if len(values) < 2:
        return width
    ratios = values[:-1] / np.maximum(values[1:], max(AUTO_FLOOR * values[0], TINY))
    return int(np.argmax(ratios)) + 2


def starts(problem, k, init, n_init, random_state):
    """Yield every start: a basis, and its width before those that it is narrowed to."""
    if not isinstance(init, str):
        yield problem.given(init), [k]
    elif init == "continuation":
        wide = max(k, min(WIDTH_FACTOR * k + WIDTH_FACTOR, problem.data.rank_bound))
        widths = np.geomspace(wide, k, NARROWING_STEPS + 1).round().astype(int)
        yield (
            problem.subspace(np.ones(problem.data.n_features), wide),
            np.unique(widths)[::-1].tolist(),
        )
    elif init == "equal":
        yield problem.subspace(np.ones(problem.data.n_features), k), [k]
    elif init == "random":
        generator = np.random.default_rng(random_state)
        for _ in range(n_init):
            yield problem.random(generator, k), [k]
    else:
        for alpha in itertools.islice(problem.seeds(), n_init):
            yield problem.subspace(alpha, k), [k]


def _run(problem, basis, widths, tol, max_iter, callback, final_weights):
    """One start to its end; not every variant climbs all the way, and the best state is kept."""
    start, best = problem.enter(basis), None
    history: list[float] = []
    stopped = converged = False
    inner = INNER_SHARE * tol
    since = 0
    while len(history) < max_iter and since <= PATIENCE and not (converged or stopped):
        narrowing = len(widths) > 1
        widths = widths[1:] or widths
        pair = _leading(problem, start, basis, inner)
        state = problem.advance(pair, basis, widths[0])
        basis, start = state.basis, state.start
        if narrowing:
            continue
        history.append(float(state.objective))
        if best is None or state.objective >= best.objective:
            best, since = state, 0
        since += 1
        if len(history) > 1:
            change = abs(history[-1] - history[-2]) / max(*map(abs, history[-2:]), TINY)
            converged = change <= tol and inner <= INNER_SHARE * tol and pair.converged
            inner = INNER_SHARE * max(tol, min(change, LOOSEST)) if tol > 0 else 0.0
        stopped = callback is not None and bool(callback(len(history), history[-1]))
    if final_weights:
        best = problem.advance(_leading(problem, start, basis, inner), basis, None)
    record = {"history": history, "n_iter": len(history), "converged": bool(converged)}
    return best, record, stopped


def _leading(problem, start, basis, tol):
    return linalg.leading(
        lambda dual: problem.product(dual, basis),
        start,
        tol=tol,
        signs=lambda image: problem.signs(image, basis),
        floor=problem.data.floor,
    )


def pack(data, state: State, record: dict, lift=None) -> Weights:
    """Turn the end of the loop into what users get; `lift` maps a basis back to all samples."""
    values, rotation = linalg.largest_modulus(state.basis.T @ state.image, state.basis.shape[1])
    sign = orientation(state.alpha)
    basis = state.basis @ rotation
    alpha = sign * state.alpha + 0.0  # no -0.0
    joined = data.joined(alpha)
    return Weights(
        alpha=joined,
        parts=None if joined is alpha else alpha.reshape(2, -1),
        objective=float(state.objective),
        eigenvalues=sign * values,
        basis=basis if lift is None else lift(basis),
        n_passes=data.passes,
        mean=data.mean,
        norm=data.norm,
        names=data.names,
        **record,
    )


def orientation(alpha) -> float:
    """Sign that makes the sum positive or, where that is tiny, the largest entry."""
    total = alpha.sum()
    if abs(total) <= 1e-8 * np.abs(alpha).sum():
        total = alpha[np.argmax(np.abs(alpha))]
    return -1.0 if total < 0 else 1.0
