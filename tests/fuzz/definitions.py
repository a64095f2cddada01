"""Weights of one iteration against the definitions, on random shapes, ranks, scales and options.

The data are multiplied by powers of two, which change no weight; the oracles get them as they
were. Where no eigenvalue is positive the null space leads, which the solvers leave out: such
problems are passed over, and so are those whose leading eigenvalue does not stand apart.

`attempt(seed)` returns "equal" or "passed over", or raises an `AssertionError` that names the
seed.
"""

import warnings

import numpy as np
from oracles import weighing as oracle

from specsel import laplacian, pairwise, qalpha, side_info, supervised, topography, weighting

# Weights are compared where the leading eigenvalue of G stands apart by this share.
APART = 1e-3

# What weights of one iteration may differ by, and those of a loop that has settled.
ROUNDING = 1e-6
SETTLED = 1e-4

ONCE = {"tol": 0, "max_iter": 1}


class Problem:
    """Data of some rank and with duplicates, the same at another scale, and a basis."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        q, n = rng.integers(4, 10), rng.integers(2, 9)
        X = rng.standard_normal((q, n))
        kind = rng.integers(4)
        if kind == 1:
            X = X[:, rng.integers(0, n, n)]
        elif kind == 2:
            X = rng.standard_normal((q, 2)) @ rng.standard_normal((2, n))
        elif kind == 3:
            X = np.round(X)
            X[0] += 1
        self.X = X
        self.exponents = rng.integers(-900, 900, n)
        self.scaled = np.ldexp(X, self.exponents)
        self.k = int(rng.integers(1, min(q, n, 3) + 1))
        self.Q = np.linalg.qr(rng.standard_normal((q, self.k)))[0]
        self.y = rng.permutation(np.arange(q) % rng.integers(2, q // 2 + 1))

    def one(self, *values):
        return values[self.rng.integers(len(values))]


def leads(G):
    """Return whether the leading eigenvalue stands apart and is more than rounding."""
    values = np.linalg.eigvalsh(G)
    least = max(APART * np.abs(values).max(), ROUNDING)
    return values[-1] > least and (len(values) == 1 or values[-1] - values[-2] > least)


def same(got, alpha, error=ROUNDING):
    """Compare weights up to rounding; their signs are set by their sum, which may be 0."""
    assert min(np.abs(got - alpha).max(), np.abs(got + alpha).max()) < error, (got, alpha)
    return "equal"


def of_qalpha(problem):
    criterion, center = problem.one("energy", "gap"), problem.one(True, False)
    M = oracle.standardise(problem.X, center)
    G = oracle.gram(M, problem.Q)
    if not leads(G if criterion == "energy" else 2 * G - oracle.squared(M)):
        return "passed over"
    method = problem.one("power", "basic")
    options = {"method": method, "criterion": criterion, "center": center, **ONCE}
    got = qalpha.solve(problem.scaled, problem.k, init=problem.Q, **options)
    iterations = {"power": oracle.power_iterations, "basic": oracle.basic_iterations}[method]
    alpha, _, history = iterations(M, problem.Q, 1, criterion)
    np.testing.assert_allclose(got.history, history, rtol=1e-6, atol=1e-9)
    return same(got.alpha, alpha)


def of_laplacian(problem):
    shift, representation = problem.one("degree", "definition"), problem.one("shift", "ranks")
    M = oracle.represent(problem.X, representation)
    first = oracle.laplacian_first_shift(M, shift)
    if not leads(oracle.laplacian_gram(M, problem.Q, first)):
        return "passed over"
    options = {"shift": shift, "representation": representation, "init": problem.Q}
    got = laplacian.solve(problem.scaled, problem.k, **options, **ONCE)
    return same(got.alpha, oracle.laplacian_iterations(M, problem.Q, 1, shift)[0])


def of_supervised(problem):
    gamma, representation = problem.one(0, 0.5, 2), problem.one("shift", "ranks")
    rows = oracle.class_rows(problem.y)
    start = problem.rng.random(problem.X.shape[1]) + 0.1
    M = oracle.represent(problem.X, representation)
    bases = oracle.supervised_bases(M, start, rows, np.ones((len(rows), len(rows)), int))
    G = oracle.supervised_gram(M, bases, rows, gamma)
    if not leads(G):
        return "passed over"
    options = {"k_within": 1, "gamma": gamma, "representation": representation, "init": start}
    got = supervised.solve(problem.scaled, problem.y, **options, **ONCE)
    return same(got.alpha, oracle.leading(G)[0])


def of_side_info(problem):
    X, rng, tradeoff = problem.X, problem.rng, problem.one(0.1, 0.01, 2)
    sides = [
        X[rng.integers(0, len(X), 5)] * rng.random(X.shape[1]) for _ in range(problem.one(1, 2))
    ]
    M, D = oracle.standardise(X), oracle.side_diagonal(X, sides)
    root = np.sqrt(D + tradeoff)
    if not leads(oracle.gram(M, problem.Q) / np.outer(root, root)):
        return "passed over"
    options = {"method": "power", "init": problem.Q, "tradeoff": tradeoff, **ONCE}
    scaled = [np.ldexp(side, problem.exponents) for side in sides]
    got = side_info.solve(problem.scaled, scaled, problem.k, **options)
    alpha, _, history = oracle.side_iterations(M, problem.Q, 1, D, tradeoff)
    np.testing.assert_allclose(got.history, history, rtol=1e-6, atol=1e-9)
    return same(got.alpha, alpha)


def of_topography(problem):
    """The weights of every round lead the problem of that round at the basis found."""
    M, seen = oracle.standardise(problem.X), np.zeros(problem.X.shape[1])
    options = {"rounds": 2, "tradeoff": 0.3, "tol": 1e-13, "max_iter": 2000}
    outcome = "passed over"
    for found in topography.solve(problem.scaled, problem.k, **options).weights:
        root = np.sqrt(seen + 0.3)
        G = oracle.gram(M, found.basis) / np.outer(root, root)
        if not leads(G) or not found.converged:
            return outcome
        alpha = np.abs(oracle.leading(G)[0] / root)
        outcome = same(np.abs(found.alpha), alpha / np.linalg.norm(alpha), SETTLED)
        seen = seen + found.alpha**2
    return outcome


def of_pairwise(problem):
    rng, q = problem.rng, len(problem.X)
    order = rng.permutation([(i, j) for j in range(q) for i in range(j)])
    pairs = np.split(order[: rng.integers(2, 6)], [1])
    tradeoff, representation = problem.one(0, 0.1, 1), problem.one("centered", "shift", "ranks")
    M = oracle.represent(problem.X, representation)
    B = oracle.pair_matrix(M, pairs[0]) - oracle.pair_matrix(M, pairs[1])
    if not leads(oracle.gram(M, problem.Q) - tradeoff * B):
        return "passed over"
    options = {"tradeoff": tradeoff, "representation": representation, "init": problem.Q}
    sides = {"apart": pairs[0], "together": pairs[1]}
    got = pairwise.solve(problem.scaled, problem.k, **sides, **options, **ONCE)
    return same(got.alpha, oracle.pairwise_iterations(M, problem.Q, 1, *pairs, tradeoff)[0])


def of_weighting(problem):
    M = oracle.standardise(problem.X)
    G, classes, options = oracle.squared(M), None, {}
    if problem.rng.random() < 0.5 and len(problem.X) > problem.X.shape[1]:
        classes, options = problem.y, {"tradeoff": problem.one(0.1, 1, 3)}
        G = oracle.fisher_form(M, oracle.class_rows(classes), options["tradeoff"])
    if not leads(G):
        return "passed over"
    got = weighting.solve(problem.scaled, classes, tol=0, **options)
    return same(got.alpha, oracle.leading(G)[0])


PROBLEMS = {
    "qalpha": of_qalpha,
    "laplacian": of_laplacian,
    "supervised": of_supervised,
    "side_info": of_side_info,
    "topography": of_topography,
    "pairwise": of_pairwise,
    "weighting": of_weighting,
}


def attempt(seed):
    """Compare the weights of one problem; return "equal" or "passed over"."""
    name = [*PROBLEMS][seed % len(PROBLEMS)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)
            return PROBLEMS[name](Problem(seed))
    except Exception as error:
        raise AssertionError(f"seed {seed}: {name}: {type(error).__name__}: {error}") from error
