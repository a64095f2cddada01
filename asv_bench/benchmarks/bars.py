"""Bars of time, by the CPU time of one thread each: what else the machine does counts little."""

import time

import numpy as np

from specsel import weighting

from .common import in_new_process

ONE_THREAD = {"NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
SOURCE = "from benchmarks import bars; print(bars.{call})"


def measured(call):
    """What a function of this file returns in a process with one thread."""
    return in_new_process(SOURCE.format(call=call), **ONE_THREAD)


def cpu_ratio(ours, theirs, rounds=7):
    """Least CPU time of ours over that of theirs, in rounds of both, after one to warm up."""
    best = [np.inf, np.inf]
    for round_ in range(rounds + 1):
        for i, call in enumerate((ours, theirs)):
            start = time.process_time()
            call()
            if round_:
                best[i] = min(best[i], time.process_time() - start)
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


def in_three_groups(n_features, n_relevant, seed=0):
    """100 samples in three groups, which show in the first features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((100, n_features))
    X[:, :n_relevant] += 0.7 * rng.standard_normal((3, n_relevant))[rng.integers(0, 3, 100)]
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
