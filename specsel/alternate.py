"""The one outer loop: weights given a basis, basis given the weights, until the objective settles.

A variant brings its two products as a small object, a `Problem`; start, continuation, restarts,
history and convergence are here, once.

With ``Φ`` the features' rows at the current basis, the weights are the leading eigenvector of
``Φ J Φᵀ``, found from products with ``ΦᵀΦ`` (see `linalg.leading`). The basis follows by one step
of orthogonal iteration with the weighted affinity. The start decides which of many maxima is
found; by default the loop starts with a wide basis and narrows it, an iteration at a time, to the
size asked for.
"""

import numbers
import warnings
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from specsel import checks, linalg
from specsel.results import Weights

# Continuation begins with 4k + 4 columns and narrows them in this many steps.
WIDTH_FACTOR = 4
NARROWING_STEPS = 4

# The weights of an iteration are as exact as this share of the last change of the objective, which
# counts as no more than that; before the end, as this share of the tolerance.
INNER_SHARE = 0.1
LOOSEST = 0.01

INITS = ("continuation", "seeded", "random")


class State(NamedTuple):
    """Weights, the basis that follows from them, and what the next iteration needs."""

    alpha: np.ndarray
    basis: np.ndarray
    image: np.ndarray  # A_α basis
    start: np.ndarray  # J Φᵀ α at the new basis
    objective: float


class Problem(Protocol):
    """What distinguishes a variant.

    ``product`` is ``ΦᵀΦ B`` at a basis, ``signs`` is J. ``enter`` prepares the first iteration at
    a basis from equal weights. ``advance`` takes the leading pair at a basis and returns the
    state with the next basis, of the width asked for, or with the same one where width is None.
    """

    def product(self, dual, basis): ...
    def signs(self, image, basis): ...
    def enter(self, basis): ...
    def advance(self, pair, basis, width): ...


def solve(
    problem: Problem,
    k: int,
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
    best = None
    for basis, widths in starts(problem.data, k, init, n_init, random_state):
        state, record, stopped = _run(
            problem, basis, widths, tol, max_iter, callback, final_weights
        )
        if best is None or state.objective > best[0].objective:
            best = state, record
        if stopped:
            break
    if not best[1]["converged"] and not stopped:
        warnings.warn(
            f"not converged after {max_iter} iterations: raise max_iter or tol",
            stacklevel=checks.caller(),
        )
    return best


def check_options(shape, k, init, n_init, tol, max_iter, random_state, callback):
    """Refuse bad common arguments before any work."""
    checks.check_integer("k", k, 1, min(shape), "min(n_samples, n_features)")
    checks.check_integer("n_init", n_init, 1)
    checks.check_integer("max_iter", max_iter, 1)
    if not (isinstance(tol, numbers.Real) and 0 <= tol < 1):
        raise ValueError(f"tol = {tol!r}: must be from 0 to 1, 1 excluded")
    if callback is not None and not callable(callback):
        raise ValueError(f"callback = {callback!r}: must be a function or None")
    try:
        np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state = {random_state!r}: must be None, a whole number at least 0, "
            "or a Generator"
        ) from None
    if isinstance(init, str):
        if init not in INITS:
            raise ValueError(f"init = {init!r}: must be one of {', '.join(INITS)}, or a basis")
        return
    basis = np.asarray(init)
    if basis.dtype.kind not in "fiu":
        raise ValueError(f"init: has dtype {basis.dtype}; a name or a basis of numbers is needed")
    if basis.shape != (shape[0], k):
        raise ValueError(
            f"init: has shape {basis.shape}; a basis of shape ({shape[0]}, {k}) is needed"
        )
    error = np.abs(basis.T @ basis - np.eye(k)).max()
    if not error <= 1e-6:
        raise ValueError(f"init: columns must be orthonormal; they are off by {error:.2g}")


def starts(data, k, init, n_init, random_state):
    """Yield every start: a basis, and the widths that it is narrowed to."""
    equal = np.ones(data.n_features)
    if not isinstance(init, str):
        basis = np.array(init, dtype=float)
        if np.linalg.norm(data.adjoint(equal, basis)) <= data.floor * data.n_features:
            raise ValueError("init: the basis is orthogonal to every feature; it can lead nowhere")
        yield basis, [k]
    elif init == "continuation":
        wide = max(k, min(WIDTH_FACTOR * k + WIDTH_FACTOR, data.rank_bound))
        widths = np.geomspace(wide, k, NARROWING_STEPS + 1).round().astype(int)
        yield linalg.affinity_subspace(data, equal, wide), _falling(widths, k)
    elif init == "random":
        generator = np.random.default_rng(random_state)
        for _ in range(n_init):
            yield linalg.orthonormal(generator.standard_normal((data.n_samples, k))), [k]
    else:
        for seed in np.argsort(-parameter_free(data)[0], kind="stable")[:n_init]:
            column = data.feature(seed)[:, None]
            alpha = data.forward(column, column)
            yield linalg.affinity_subspace(data, alpha, k), [k]


def _falling(widths, k):
    """Widths below the first, each once, then k for good."""
    return [int(width) for width in np.unique(widths[1:])[::-1] if width > k] + [k]


def parameter_free(data) -> tuple[np.ndarray, bool]:
    """Leading eigenvector of ``H = (M Mᵀ)∘²``, and whether it is one to working precision.

    H has no negative entry, so |α| leads where α does and is returned. It is the step of the loop
    that finds the weights, with the identity as the basis: on q x q duals, one pass a step, or on
    vectors of n weights, two, where those are the smaller ones.
    """
    equal = np.ones(data.n_features)
    options = {"tol": data.floor**2, "floor": data.floor}
    if data.n_features <= data.n_samples**2:
        pair = linalg.leading(
            lambda alpha: alpha,
            equal,
            signs=lambda alpha: data.forward(data.adjoint(alpha, None), None),
            **options,
        )
        return np.abs(pair.dual), pair.converged
    pair = linalg.leading(
        lambda dual: data.fused(dual, None)[1], data.adjoint(equal, None), **options
    )
    return np.abs(data.forward(pair.dual, None)), pair.converged


def _run(problem, basis, widths, tol, max_iter, callback, final_weights):
    """One start to its end."""
    start = problem.enter(basis)
    history: list[float] = []
    stopped = converged = False
    inner = INNER_SHARE * tol
    while len(history) < max_iter and not (converged or stopped):
        width = widths[0] if len(widths) == 1 else widths.pop(0)
        narrowing = basis.shape[1] > width
        pair = _leading(problem, start, basis, inner)
        state = problem.advance(pair, basis, width)
        basis, start = state.basis, state.start
        if narrowing:
            continue
        history.append(state.objective)
        if len(history) > 1:
            change = abs(history[-1] - history[-2]) / abs(history[-1])
            converged = change <= tol and inner <= INNER_SHARE * tol and pair.converged
            inner = INNER_SHARE * max(tol, min(change, LOOSEST)) if tol > 0 else 0.0
        stopped = callback is not None and bool(callback(len(history), history[-1]))
    if final_weights:
        state = problem.advance(_leading(problem, start, basis, inner), basis, None)
    record = {"history": history, "n_iter": len(history), "converged": bool(converged)}
    return state, record, stopped


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
    return Weights(
        alpha=sign * state.alpha + 0.0,  # no -0.0
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
