"""Classical filters that the papers compare with: a score a feature, from two or more classes."""

import numpy as np

TINY = np.finfo(float).tiny


def pearson(X, y):
    """Modulus of the correlation with the label of two classes."""
    label = (y == y.max()) - np.mean(y == y.max())
    centred = X - X.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0) * (label**2).sum())
    return np.abs(label @ centred) / np.maximum(norms, TINY)


def fisher(X, y):
    """Distance of the means of two classes over the sum of their variances (Weston et al. 2001).

    It depends on the units of a feature.
    """
    one, other = (X[y == c] for c in np.unique(y))
    variances = one.var(axis=0) + other.var(axis=0)
    return np.abs(one.mean(axis=0) - other.mean(axis=0)) / np.maximum(variances, TINY)


def variance_ratio(X, y):
    """Fisher's ratio of any number of classes: variance of the means over that within."""
    classes = [X[y == c] for c in np.unique(y)]
    sizes = np.array([len(part) for part in classes])[:, None] / len(X)
    means = np.array([part.mean(axis=0) for part in classes])
    within = (sizes * [part.var(axis=0) for part in classes]).sum(axis=0)
    between = (sizes * (means - X.mean(axis=0)) ** 2).sum(axis=0)
    return between / np.maximum(within, TINY)


def kolmogorov_smirnov(X, y):
    """Largest distance between the distribution functions of a class and of the rest."""
    best = np.zeros(X.shape[1])
    order = np.argsort(X, axis=0, kind="stable")
    last = np.diff(np.take_along_axis(X, order, 0), axis=0, append=np.inf) > 0
    for c in np.unique(y):
        own = (y == c)[order]
        distance = np.cumsum(own / own[:, :1].size / np.mean(y == c), axis=0) - np.cumsum(
            ~own / own[:, :1].size / np.mean(y != c), axis=0
        )
        best = np.maximum(best, np.abs(np.where(last, distance, 0.0)).max(axis=0))
    return best


def largest(score):
    """For any number of classes, the largest of the scores of a class against the rest."""
    return lambda X, y: np.max([score(X, y == c) for c in np.unique(y)], axis=0)


RANKINGS = {"Pearson": pearson, "Fisher": fisher, "Kolmogorov-Smirnov": kolmogorov_smirnov}


def best(score, n):
    """The n features of the largest scores, best first."""
    return np.argsort(-score, kind="stable")[:n]
