"""Greedy sparse LDA: time at scale, and how near the optimum it comes."""

import numpy as np

from specsel import datasets, eslda, gslda

from .common import FULL


def two_classes(n_samples, n_features):
    rng = np.random.default_rng(0)
    return rng.standard_normal((n_samples, n_features)), np.arange(n_samples) % 2


class Forward:
    """Fifty of many features from 100 samples, with swaps and without; the bar is 2 s at 10⁵."""

    params = ([False, True],)
    param_names = ("refine",)

    def setup(self, refine):
        self.data = two_classes(100, 10**5 if FULL else 10**4)
        self.options = {"direction": "forward", "refine": refine, "max_size": 50}
        gslda.solve(*self.data, **self.options)

    def time_solve(self, refine):
        gslda.solve(*self.data, **self.options)

    def peakmem_solve(self, refine):
        gslda.solve(*self.data, **self.options)


class AllSizes:
    """Both directions and all sizes; the bar is 10 s at 2,000 features."""

    params = ([2, 5], [False, True])
    param_names = ("n_classes", "refine")
    timeout = 600

    def setup(self, n_classes, refine):
        X, _ = two_classes(500, 2000 if FULL and not refine else 300)
        self.data = X, np.arange(500) % n_classes
        gslda.solve(X[:, :20], self.data[1], refine=refine)

    def time_solve(self, n_classes, refine):
        gslda.solve(*self.data, refine=refine)


class Components:
    """Sparse PCA of 72 samples."""

    def setup(self):
        self.X = two_classes(72, 2000)[0]
        gslda.solve(self.X, direction="forward", max_size=20)

    def time_solve(self):
        gslda.solve(self.X, direction="forward", max_size=20)


class NearOptimum:
    """Least and mean ratio to the proved optimum, 12 features, all sizes; the mean is 0.99."""

    params = (["Wishart", "Brownian", "rank one"], [False, True])
    param_names = ("kind", "refine")
    unit = "of the optimum"
    timeout = 600

    def setup(self, kind, refine):
        make = datasets.brownian_pair if kind == "Brownian" else datasets.wishart_pair
        rank = 1 if kind == "rank one" else None
        ratios = []
        for seed in range(200 if FULL else 10):
            A, B = make(12, rank=rank, random_state=seed)
            best = eslda.solve_pair(A, B, "all").values
            ratios.extend(gslda.solve_pair(A, B, refine=refine).values / best)
        self.ratios = np.array(ratios)

    def track_mean(self, kind, refine):
        return self.ratios.mean()

    def track_least(self, kind, refine):
        return self.ratios.min()
