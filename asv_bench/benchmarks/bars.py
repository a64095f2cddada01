"""Bars of time, by the CPU time of one thread each: what else the machine does counts little."""

import time

import numpy as np

from specsel import qalpha, weighting

from .common import FULL, in_new_process, leader, leading_right, standardise

ONE_THREAD = {"NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
SOURCE = "from benchmarks import bars; print(bars.{call})"


def measured(call):
    """What a function of this file returns in a process with one thread."""
    return in_new_process(SOURCE.format(call=call), **ONE_THREAD)


def cpu_seconds(call, rounds=5, warm=True):
    """Least CPU time of a function."""
    if warm:
        call()
    best = np.inf
    for _ in range(rounds):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def cpu_ratio(ours, theirs, rounds=7):
    """Least CPU time of ours over that of theirs, in rounds of both, after one to warm up."""
    calls = ours, theirs
    for call in calls:
        call()
    seconds = [[cpu_seconds(call, 1, warm=False) for call in calls] for _ in range(rounds)]
    best = np.min(seconds, axis=0)
    return best[0] / best[1]


def laplacian_score(X, n_neighbours=5):
    """A lean Laplacian score: X Xᵀ, five neighbours of every sample, one weighted pass."""
    inner = X @ X.T
    squares = np.diag(inner)
    distances = squares[:, None] + squares - 2 * inner
    np.fill_diagonal(distances, np.inf)
    graph = np.zeros_like(inner)
    near = np.argpartition(distances, n_neighbours, axis=1)[:, :n_neighbours]
    graph[np.arange(len(X))[:, None], near] = 1
    graph = np.maximum(graph, graph.T)
    degrees = graph.sum(axis=0)
    total = degrees @ (X * X)
    return (total - np.einsum("ij,ij->j", X, graph @ X)) / (
        total - (degrees @ X) ** 2 / degrees.sum()
    )


def in_three_groups(n_features, n_relevant, seed=0, n_samples=100, size=0.7):
    """Samples in three groups, which show in the first features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    groups = rng.integers(0, 3, n_samples)
    X[:, :n_relevant] += size * rng.standard_normal((3, n_relevant))[groups]
    return X


def weighting_over_laplacian_score(n_features):
    X = in_three_groups(n_features, n_features // 100)
    return cpu_ratio(lambda: weighting.solve(X), lambda: laplacian_score(X))


class WeightingOverLaplacianScore:
    """CPU time over that of a lean Laplacian score; the bar is 3."""

    params = ([20_000, 200_000],)
    param_names = ("n_features",)
    unit = "times the CPU time"
    timeout = 600

    def track_ratio(self, n_features):
        return measured(f"weighting_over_laplacian_score({n_features})")

    def track_recovered(self, n_features):
        """Share of the planted features among as many with the largest weights, over ten seeds."""
        n = n_features // 100
        found = []
        for seed in range(10):
            weights = weighting.solve(in_three_groups(n_features, n, seed))
            found.append((weights.select(n) < n).mean())
        return float(np.mean(found))

    track_recovered.unit = "share of the planted features"


def solve_over_read(n_features):
    X = np.asfortranarray(in_three_groups(n_features, n_features // 100))
    qalpha.solve(X[:, :2000], 6)  # compiled before it is measured
    solve = cpu_seconds(lambda: qalpha.solve(X, 6), rounds=1, warm=False)
    return solve / cpu_seconds(X.sum)


class SolveOverRead:
    """CPU time of a whole solve with k = 6 over that of summing X once; the bar is 200."""

    unit = "times the CPU time"
    timeout = 3600

    def track_ratio(self):
        return measured(f"solve_over_read({10**6 if FULL else 10**5})")


def literal_to_the_limit(X, basis, limit, tol):
    """Def. 2 with a dense G, until the objective is within `tol` of the limit."""
    M = standardise(X)
    V = M @ M.T
    lead = leader(len(V))
    while True:
        scores = M @ basis
        alpha = lead(V * (scores @ scores.T))
        image = (M.T * alpha) @ scores
        basis = np.linalg.qr(image)[0]
        image = (M.T * alpha) @ (M @ basis)
        if np.vdot(image, image) >= (1 - tol) * limit:
            return


def literal_over_solve(n_features, tol=1e-6):
    """The literal method starts from equal weights and goes on to the limit of that start."""
    X = in_three_groups(n_features, n_features // 8, n_samples=72, size=2.0)
    basis = leading_right(standardise(X), 6)
    options = {"init": basis, "method": "power", "tol": 1e-13, "max_iter": 5000}
    limit = qalpha.solve(X, 6, **options).objective
    ours = cpu_seconds(lambda: qalpha.solve(X, 6, tol=tol))
    theirs = cpu_seconds(lambda: literal_to_the_limit(X, basis, limit, tol), rounds=1, warm=False)
    return theirs / ours


class LiteralOverSolve:
    """CPU time of the literal method over that of ours, to 1e-6 of the limit; the bar is 300."""

    unit = "times the CPU time"
    timeout = 3600

    def track_ratio(self):
        return measured(f"literal_over_solve({7129 if FULL else 1000})")


def ascent_over_power(shape):
    X = in_three_groups(shape[1], shape[1] // 3, n_samples=shape[0])
    return cpu_ratio(lambda: qalpha.solve(X, 3), lambda: qalpha.solve(X, 3, method="power"))


class SmallData:
    """CPU time of the default over that of the default before it, `power`; the bar is 1."""

    params = (["(178, 13)", "(569, 30)"],)
    param_names = ("shape",)
    unit = "times the CPU time"

    def track_ratio(self, shape):
        return measured(f"ascent_over_power({shape})")
