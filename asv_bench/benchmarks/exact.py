"""Exact sparse LDA and PCA: seconds, nodes, and the gap where time runs out."""

import numpy as np
from sklearn.datasets import load_breast_cancer

from specsel import datasets, eslda

from .common import FULL

version = "1"

PAIRS = {
    "Wishart": {},
    "Brownian": {},
    "rank 1": {"rank": 1},
    "rank 2": {"rank": 2},
    "rank 9": {"rank": 9},
    "identity": {"identity": True},
}


def pair(kind, n):
    """Return two random matrices of n features."""
    make = datasets.brownian_pair if kind == "Brownian" else datasets.wishart_pair
    return make(n, random_state=0, **PAIRS[kind])


def tumours(k):
    """Return a call on breast cancer: 569 samples, 30 features, two classes."""
    data = load_breast_cancer()
    options = {"y": data.target} if k == "all" else {"matrix": "correlation"}
    return lambda: eslda.solve(data.data, k=k, time_limit=60, **options)


def one_factor(n):
    """Return a call on many features, of which forty share a factor: sparse PCA of k up to 20."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, n)) * rng.uniform(0.3, 1, n)
    X[:, :40] += rng.standard_normal((60, 1)) * np.linspace(4, 1, 40)
    return lambda: eslda.solve(X, k=range(1, 21), time_limit=60)


class Search:
    """Searches that prove the optimum.

    Half of 40 features of random pairs (the bar is 0.2 s each; the paper: about two hours),
    components of given sizes and all discriminants of breast cancer, components of 1,000 and of
    4,000 features.
    """

    params = (
        [
            *(f"pair {kind}" for kind in PAIRS),
            *(f"tumours {k}" for k in (5, 10, 15, "all")),
            "factor 1000",
            "factor 4000",
        ],
    )
    param_names = ("problem",)
    timeout = 300

    def setup(self, problem):
        data, kind = problem.split(maxsplit=1)
        if data == "pair":
            A, B = pair(kind, 40)
            self.solve = lambda: eslda.solve_pair(A, B, 20, time_limit=60)
        elif data == "tumours":
            self.solve = tumours(kind if kind == "all" else int(kind))
        else:
            self.solve = one_factor(int(kind))
        try:
            self.result = self.solve()
        except ValueError as error:  # an earlier version takes fewer features
            raise NotImplementedError(str(error)) from None

    def time_solve(self, problem):
        self.solve()

    def track_nodes(self, problem):
        return float(np.sum(self.result.nodes))

    def track_unproved(self, problem):
        """Sizes that are not proved."""
        statuses = getattr(self.result, "statuses", None) or [self.result.status]
        return sum(status != "optimal" for status in statuses)


class Hard:
    """What is hard to prove: the gap after 1 second, at full size after 60."""

    params = (["Wishart 60", "Brownian 60", "Wishart 80", "iid 2", "iid 6", "AR 2", "AR 6"],)
    param_names = ("problem",)
    timeout = 300

    def track_gap(self, problem):
        kind, number = problem.split()
        limit = {"time_limit": 60 if FULL else 1}
        if kind in PAIRS:
            n = int(number)
            return eslda.solve_pair(*pair(kind, n), n // 2, **limit).gap
        correlation = 0.9 if kind == "AR" else 0.0
        data = datasets.lda_problem(correlation=correlation, noise=float(number))
        return eslda.solve(data.X, data.y, k=10, **limit).gap
