"""Greedy sparse LDA: time at scale, and how near the optimum it comes."""

import numpy as np
from sklearn import datasets as sklearn_datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold

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


class Criteria:
    """Nested cross-validated accuracy of LDA on the features each criterion selects.

    Within every training part, another cross-validation chooses how many features.
    """

    params = (["wine", "iris", "digits", "breast_cancer"], ["leading", "trace", "logdet"])
    param_names = ("data", "criterion")
    unit = "accuracy"
    timeout = 900

    def setup(self, data, criterion):
        X, y = getattr(sklearn_datasets, f"load_{data}")(return_X_y=True)
        X = X[:, X.std(axis=0) > 0.1]  # of digits, pixels that are hardly ever set
        self.accuracy = nested_accuracy(X, y, criterion, repeats=5 if FULL else 1)

    def track_accuracy(self, data, criterion):
        return self.accuracy


def nested_accuracy(X, y, criterion, repeats, most=15):
    scores = []
    for seed in range(repeats):
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
            inner = StratifiedKFold(5, shuffle=True, random_state=seed).split(X[train], y[train])
            curves = [_curve(X, y, train[a], train[b], criterion, most) for a, b in inner]
            k = int(np.mean(curves, axis=0).argmax()) + 1
            scores.append(_curve(X, y, train, test, criterion, most)[k - 1])
    return float(np.mean(scores))


def _curve(X, y, train, test, criterion, most):
    """Accuracy on `test` of the best 1, 2, 3, ... features for `train`."""
    path = gslda.solve(X[train], y[train], max_size=min(most, X.shape[1]), criterion=criterion)
    model = LinearDiscriminantAnalysis()
    return [
        model.fit(X[train][:, S], y[train]).score(X[test][:, S], y[test]) for S in path.supports
    ]
