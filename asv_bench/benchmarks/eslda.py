"""Exact sparse LDA and PCA: seconds, nodes, and the gap where time runs out."""

import numpy as np
from sklearn.datasets import load_breast_cancer

from specsel import datasets, eslda

from .common import FULL

PAIRS = {
    "Wishart": lambda n, seed: datasets.wishart_pair(n, random_state=seed),
    "Brownian": lambda n, seed: datasets.brownian_pair(n, random_state=seed),
    "rank 1": lambda n, seed: datasets.wishart_pair(n, rank=1, random_state=seed),
    "rank 2": lambda n, seed: datasets.wishart_pair(n, rank=2, random_state=seed),
    "rank 9": lambda n, seed: datasets.wishart_pair(n, rank=9, random_state=seed),
    "identity": lambda n, seed: datasets.wishart_pair(n, identity=True, random_state=seed),
}


class Half:
    """Half of 40 features; the bar is 0.2 s each. The paper: about two hours."""

    params = (list(PAIRS),)
    param_names = ("kind",)

    def setup(self, kind):
        self.pair = PAIRS[kind](40, 0)
        self.result = eslda.solve_pair(*self.pair, 20, time_limit=60)

    def time_solve(self, kind):
        eslda.solve_pair(*self.pair, 20, time_limit=60)

    def track_nodes(self, kind):
        return self.result.nodes

    def track_gap(self, kind):
        return self.result.gap


class Hard:
    """What is hard to prove: the gap after some seconds."""

    params = (["Wishart 60", "Brownian 60", "Wishart 80", "iid 2", "iid 6", "AR 2", "AR 6"],)
    param_names = ("problem",)

    def setup_cache(self):
        """Every problem is searched once, for all that is tracked."""
        return {problem: self.search(*problem.split()) for problem in self.params[0]}

    setup_cache.timeout = 900

    def search(self, kind, number):
        limit = {"time_limit": 60 if FULL else 1}
        if kind in PAIRS:
            n = int(number)
            return eslda.solve_pair(*PAIRS[kind](n, 0), n // 2, **limit)
        correlation = 0.9 if kind == "AR" else 0.0
        data = datasets.lda_problem(correlation=correlation, noise=float(number))
        return eslda.solve(data.X, data.y, k=10, **limit)

    def track_gap(self, results, problem):
        return results[problem].gap

    def track_nodes(self, results, problem):
        return results[problem].nodes

    def track_seconds(self, results, problem):
        return results[problem].seconds


class Real:
    """Breast cancer, 30 features: principal components of the correlations, all sizes of LDA."""

    params = ([5, 10, 15, "all"],)
    param_names = ("k",)

    def setup(self, k):
        data = load_breast_cancer()
        kind = {"matrix": "correlation"} if k != "all" else {"y": data.target}
        self.options = {"X": data.data, "k": k, "time_limit": 60, **kind}
        eslda.solve(**self.options)

    def time_solve(self, k):
        eslda.solve(**self.options)


class Ladder:
    """Sparse PCA of thousands of features, of which forty share a factor: all k up to 20."""

    params = ([1000, 4000],)
    param_names = ("n_features",)
    timeout = 300

    def setup(self, n_features):
        rng = np.random.default_rng(0)
        self.X = rng.standard_normal((60, n_features)) * rng.uniform(0.3, 1, n_features)
        self.X[:, :40] += rng.standard_normal((60, 1)) * np.linspace(4, 1, 40)
        self.result = eslda.solve(self.X, k=range(1, 21), time_limit=60)

    def time_solve(self, n_features):
        eslda.solve(self.X, k=range(1, 21), time_limit=60)

    def track_proved(self, n_features):
        return self.result.statuses.count("optimal")

    def track_nodes(self, n_features):
        return int(self.result.nodes.sum())
