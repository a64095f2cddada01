"""Discriminants on a few features, and how well they tell new samples apart.

`sonar`, `ionosphere` and `genes` share this file. The discriminant on a set S of features is
``w = B_S⁻¹ d_S``. The features are standardised, d is the difference of the means of the two
classes, and B is the scatter within the classes. Where B is rank deficient, and only there, the
paper adds to its diagonal a thousandth of its least eigenvalue, which `gslda` and `eslda` do too;
the search and the classifier use the same B. A sample is assigned to the class whose projected
mean is nearer.
"""

import warnings

import numpy as np

from specsel import eslda, gslda
from specsel.papers import rankings, report
from specsel.papers.sources import standardised

SHARE = 1e-3  # of the least eigenvalue of B
ZERO = 1e-10  # eigenvalues below this share of the largest count as zero
FOLDS = 5


def cross_validated(X, y, sizes, methods, trials, tell):
    """Return test errors by method and size: for each trial the mean over five folds."""
    found = {method: np.zeros((len(sizes), trials)) for method in methods}
    for trial in report.each(range(trials), tell):
        fold_of = np.random.default_rng(trial).permutation(len(y)) % FOLDS
        for fold in range(FOLDS):
            held = fold_of == fold
            added = ridge(X[~held], y[~held])
            for method, supports in methods.items():
                chosen = supports(X[~held], y[~held], sizes)
                for i, support in enumerate(chosen):
                    wrong = predicted(X[~held], y[~held], X[held], support, added) != y[held]
                    found[method][i, trial] += wrong.sum() / len(y)
    return found


def ridge(X, y):
    """What is added to the diagonal of B: nothing where the features that vary give full rank."""
    left = split(X[:, X.std(axis=0) > 0], y)[1]
    squares = np.linalg.svd(left, compute_uv=False) ** 2
    positive = squares[squares > ZERO * squares[0]]
    return 0.0 if len(positive) == left.shape[1] else SHARE * float(positive[-1])


def predicted(X, y, others, support, added):
    """Classes of other samples by the discriminant on a support, with the ridge that is given."""
    centers, left = split(X[:, support], y)
    within = left.T @ left + added * np.eye(len(support))
    # A feature that is constant in these samples has only zeros, and gets a weight of 0.
    axis = np.linalg.lstsq(within, centers[1] - centers[0], rcond=None)[0]
    scores = standardised(X[:, support], others[:, support]) @ axis
    return (scores > centers.mean(axis=0) @ axis).astype(int)


def split(X, y):
    """Return the means of both classes, and the centred samples: a factor of the scatter."""
    Z = standardised(X)
    centers = np.array([Z[y == c].mean(axis=0) for c in (0, 1)])
    return centers, (Z - centers[y]) / np.sqrt(len(y))


def greedy(X, y, sizes, **options):
    """Supports that greedy search finds."""
    return searched(gslda.solve, X, y, sizes, max_size=max(sizes), **options)


def forward(X, y, sizes):
    """Return supports found by adding features only, which is fast for many features."""
    return greedy(X, y, sizes, direction="forward", refine=False)


def exact(X, y, sizes):
    """The best supports."""
    return searched(eslda.solve, X, y, sizes, k=list(sizes))


def searched(solve, X, y, sizes, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about constant features
        path = solve(X, y, **options)
    if "interrupted" in path.statuses:
        raise KeyboardInterrupt
    return [path[size].support for size in sizes]


def thresholded(X, y, sizes):
    """Return the largest entries of ``B^(-½) d``, which leads ``B^(-½) A B^(-½)``."""
    centers, left = split(X, y)
    d = centers[1] - centers[0]
    added = ridge(X, y)
    _, scales, axes = np.linalg.svd(left, full_matrices=False)
    inner = axes @ d
    leading = inner / np.sqrt(scales**2 + added) @ axes
    if added:
        leading += (d - inner @ axes) / np.sqrt(added)
    return [rankings.best(np.abs(leading), size) for size in sizes]


def correlated(X, y, sizes):
    """Features of the largest correlation with the class."""
    score = rankings.pearson(X, y)
    return [rankings.best(score, size) for size in sizes]
