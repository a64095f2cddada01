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
import numbers
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from specsel import checks, linalg
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

INITS = ("continuation", "equal", "seeded", "random")


class State(NamedTuple):
    """Weights, the basis that follows from them, and what the next iteration needs."""

    alpha: np.ndarray
    basis: np.ndarray
    image: np.ndarray  # A_α basis
    start: np.ndarray  # J Φᵀ α at the new basis
    objective: float


class Energy:
    """The products of ``αᵀ G α`` and its starts: what a variant of Q-α changes.

    Duals are q x k, row i of Φ being ``vec(m_i (Qᵀ m_i)ᵀ)``, and J is the identity. The loop asks
    for the methods here, and `data` for how many features there are, of what rank and precision.
    """

    def __init__(self, data, *, basic=False):
        self.data = data
        self.basic = basic

    def product(self, dual, basis):
        """``ΦᵀΦ dual`` at a basis."""
        return self.data.fused(dual, basis)[1]

    def signs(self, image, basis):
        """``J image``."""
        return image

    def enter(self, basis):
        """``J Φᵀ α`` of equal weights at a basis, with which the first iteration begins."""
        return self.data.adjoint(np.ones(self.data.n_features), basis)

    def advance(self, pair, basis, width):
        """State that follows from the leading pair at a basis.

        Its basis is of the width asked for, or the same one where that is None.
        """
        if width is None:
            alpha, image = self.data.forward(pair.dual, basis), pair.image
        elif self.basic:
            alpha = self.data.forward(pair.dual, basis)
            basis = linalg.affinity_subspace(self.data, alpha, width, start=basis)
            image = self.data.adjoint(alpha, basis)
        else:
            basis, before = linalg.narrow(pair.image, basis, width), basis
            alpha, image = self.data.fused(pair.dual, before, basis)
        return State(alpha, basis, image, image, np.vdot(image, image))

    def subspace(self, alpha, width):
        """Leading basis at given weights."""
        return linalg.affinity_subspace(self.data, alpha, width)

    def random(self, generator, k):
        """Random basis."""
        return linalg.orthonormal(generator.standard_normal((self.data.n_samples, k)))

    def given(self, init):
        """Basis from the array that the user gave."""
        basis = np.array(init, dtype=float)
        image = self.data.adjoint(np.ones(self.data.n_features), basis)
        if np.linalg.norm(image) <= self.data.floor * self.data.norm.astype(bool).sum():
            raise ValueError("init: the basis is orthogonal to every feature; it can lead nowhere")
        return basis

    def seeds(self):
        """Weights to start from, the neighbours of one feature each, most promising first."""
        for seed in np.argsort(-np.abs(Whole(self.data).solve()[0]), kind="stable"):
            column = self.data.feature(seed)[:, None]
            yield self.data.forward(column, column)


class Gap(Energy):
    """The products of ``αᵀ (2 G - H) α = αᵀ Φ J Φᵀ α``, row i of Φ being ``vec(m_i m_iᵀ)``.

    Duals are q x q and ``J A = A QQᵀ + QQᵀ A - A``, unless the vectors of n weights are the
    smaller ones: then Lanczos runs on those, two passes a step.
    """

    def __init__(self, data, *, basic=False):
        super().__init__(data, basic=basic)
        self.weights_are_smaller = data.n_features <= data.n_samples**2

    def form(self, affinity, basis):
        """``J affinity``."""
        inside = affinity @ basis @ basis.T
        return inside + inside.T - affinity

    def product(self, vector, basis):
        return vector if self.weights_are_smaller else self.data.fused(vector, None)[1]

    def signs(self, image, basis):
        if not self.weights_are_smaller:
            return self.form(image, basis)
        return self.data.forward(self.form(self.data.adjoint(image, None), basis), None)

    def enter(self, basis):
        # Constant features are left out: they add 0 to the objective, which may be more than any.
        equal = (self.data.norms.ravel() > 0).astype(float)
        if self.weights_are_smaller:
            return equal
        return self.form(self.data.adjoint(equal, None), basis)

    def affinity(self, pair):
        """Weights of a leading pair, and the affinity of the samples with those weights."""
        if self.weights_are_smaller:
            return pair.dual, self.data.adjoint(pair.dual, None)
        return self.data.forward(pair.dual, None), pair.image

    def advance(self, pair, basis, width):
        alpha, affinity = self.affinity(pair)
        if self.basic and width is not None:
            basis = linalg.largest_modulus(affinity, width)[1]
        elif width is not None:
            basis = linalg.narrow(affinity @ basis, basis, width)
        signed = self.form(affinity, basis)
        start = alpha if self.weights_are_smaller else signed
        return State(alpha, basis, affinity @ basis, start, np.vdot(affinity, signed))


class Whole(Gap):
    """A form of the whole affinity that no basis enters: one eigenproblem instead of a loop."""

    def __init__(self, data, form=None):
        super().__init__(data)
        self._form = form

    def form(self, affinity, basis=None):
        return affinity if self._form is None else self._form(affinity)

    def solve(self):
        """Leading weights, the affinity at them, and whether they lead to working precision."""
        pair = linalg.leading(
            lambda vector: self.product(vector, None),
            self.enter(None),
            tol=self.data.floor**2,
            signs=lambda image: self.signs(image, None),
            floor=self.data.floor,
        )
        return *self.affinity(pair), pair.converged


METHODS = ("power", "ritz", "basic")
CRITERIA = {"energy": Energy, "gap": Gap}


def solve(
    problem: Energy,
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
            f"not converged after {count} iterations: {advice}", stacklevel=checks.caller()
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


def count_centered(data) -> int:
    """The same by the centred data, where an algorithm represents them otherwise."""
    centered = data.centered()
    if not centered.norm.any():
        return 1
    if centered.n_samples > centered.n_features:
        centered = centered.reduced()[0]
    return count_clusters(Energy(centered))


def q_alpha(data, k, *, method, criterion, init, **options) -> Weights:
    """Q-α of data as they are scaled, by any of its methods; tall data are reduced first."""
    small, lift = data, None
    if data.n_samples > data.n_features:
        small, restrict, lift = data.reduced()
        init = init if isinstance(init, str) else restrict(np.asarray(init, dtype=float))
    problem = CRITERIA[criterion](small, basic=method == "basic")
    state, record = solve(problem, k, init=init, final_weights=method == "ritz", **options)
    return pack(data, state, record, lift)


def check_form(method, criterion):
    """Refuse a method or a criterion that does not exist."""
    checks.check_choice("method", method, METHODS)
    checks.check_choice("criterion", criterion, CRITERIA)


def check_options(shape, k, init, n_init, tol, max_iter, random_state, callback):
    """Refuse bad common arguments before any work; the start is a name or a basis."""
    check_k(k, min(shape), "min(n_samples, n_features)")
    check_loop(init, n_init, tol, max_iter, random_state, callback, "a basis")
    if isinstance(init, str):
        return
    check_auto_start(k, init)
    basis = _start_array(init, (shape[0], k), "a basis")
    error = np.abs(basis.T @ basis - np.eye(k)).max()
    if not error <= 1e-6:
        raise ValueError(f"init: columns must be orthonormal; they are off by {error:.2g}")


def check_k(k, most, what):
    """Refuse what is neither "auto" nor a number of directions."""
    if not (isinstance(k, str) and k == "auto"):
        checks.check_integer("k", k, 1, most, f'{what}, or "auto"')


def check_auto_start(k, init):
    """Refuse "auto" where the start is not a name."""
    if isinstance(k, str):
        raise ValueError(f"k = 'auto': needs a start by name; init = {checks.brief(init)}")


def check_weights_start(n_features, init, n_init, tol, max_iter, random_state, callback):
    """The same where the start is a name or weights."""
    check_loop(init, n_init, tol, max_iter, random_state, callback, "weights")
    if isinstance(init, str):
        return
    weights = _start_array(init, (n_features,), "weights")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError("init: weights must be finite and not negative, and one of them not 0")


def check_loop(init, n_init, tol, max_iter, random_state, callback, other):
    """Refuse bad arguments of the loop; `other` is what a start may be beside a name."""
    checks.check_integer("n_init", n_init, 1)
    checks.check_integer("max_iter", max_iter, 1)
    if not (isinstance(tol, numbers.Real) and 0 <= tol < 1):
        raise ValueError(f"tol = {checks.brief(tol)}: must be from 0 to 1, 1 excluded")
    checks.check_callback(callback)
    checks.as_generator(random_state)
    if np.ndim(init) == 0 and init not in INITS:
        allowed = ", ".join(INITS)
        raise ValueError(f"init = {checks.brief(init)}: must be one of {allowed}, or {other}")


def _start_array(init, shape, what):
    array = np.asarray(init)
    if array.dtype.kind not in "fiu":
        raise ValueError(f"init: has dtype {array.dtype}; a name or {what} of numbers is needed")
    if array.shape != shape:
        raise ValueError(f"init: has shape {array.shape}; {what} of shape {shape} is needed")
    return array


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
