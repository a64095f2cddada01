"""Discriminants on a few features, and how well they tell new samples apart.

What `sonar`, `ionosphere` and `genes` share. A support of features has one discriminant,
``w = (B_S + εI)⁻¹ d_S`` with the pooled scatter B within two classes and the difference d of their
means, of standardised features; a sample goes to the class of the nearer projected mean.
"""

import warnings

import numpy as np

from specsel import gslda
from specsel.papers import rankings, report

# Added to the diagonal within the classes, as a share of its mean.
RIDGE = 1e-3
FOLDS = 5


def cross_validated(X, y, sizes, methods, trials, tell):
    """Test errors by method and size, a mean over five folds for each trial."""
    found = {method: np.zeros((len(sizes), trials)) for method in methods}
    for trial in report.each(range(trials), tell):
        fold_of = np.random.default_rng(trial).permutation(len(y)) % FOLDS
        for fold in range(FOLDS):
            held = fold_of == fold
            for method, supports in methods.items():
                chosen = supports(X[~held], y[~held], sizes)
                for i, support in enumerate(chosen):
                    wrong = predicted(X[~held], y[~held], X[held], support) != y[held]
                    found[method][i, trial] += wrong.sum() / len(y)
    return found


def predicted(X, y, others, support):
    """Classes of other samples by the discriminant on a support."""
    mean, deviation = X[:, support].mean(axis=0), X[:, support].std(axis=0)
    scale = np.where(deviation > 0, deviation, 1)
    Z, W = (X[:, support] - mean) / scale, (others[:, support] - mean) / scale
    centers = np.array([Z[y == c].mean(axis=0) for c in (0, 1)])
    left = Z - centers[y]
    within = left.T @ left / len(y)
    within += RIDGE * np.trace(within) / len(within) * np.eye(len(within))
    axis = np.linalg.solve(within, centers[1] - centers[0])
    return (W @ axis > centers.mean(axis=0) @ axis).astype(int)


def greedy(X, y, sizes, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of what is constant in a fold
        path = gslda.solve(X, y, max_size=max(sizes), **options)
    return [path.supports[path.sizes.tolist().index(size)] for size in sizes]


def forward(X, y, sizes):
    """As `greedy`, by addition alone: for many features."""
    return greedy(X, y, sizes, direction="forward", refine=False)


def thresholded(X, y, sizes):
    """Largest entries of the leading eigenvector of the normalised scatter."""
    deviation = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    centers = np.array([Z[y == c].mean(axis=0) for c in (0, 1)])
    left = Z - centers[y]
    within = left.T @ left / len(y)
    within += RIDGE * np.trace(within) / len(within) * np.eye(len(within))
    between = np.outer(centers[1] - centers[0], centers[1] - centers[0])
    return [gslda.simple_threshold(between, within, size).support for size in sizes]


def correlated(X, y, sizes):
    order = np.argsort(-rankings.pearson(X, y), kind="stable")
    return [order[:size] for size in sizes]
