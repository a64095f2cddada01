"""Prints the numbers of the README on real data: ``python tests/figures/real_data.py``.

Without labels: accuracy of k-means with three clusters of scaled features, which is the share of
samples in the right cluster when clusters and growers are matched as well as they can be. With
labels: cross-validated accuracy of a linear discriminant of the features that were selected on
the training samples alone.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import scale

from specsel import ExactSparseLDA, SupervisedQAlpha, qalpha

SEEDS = range(10)


def with_noise(X, count, seed):
    """X and so many shuffled copies of its columns, which say nothing of the samples."""
    copies = X[:, np.arange(count) % X.shape[1]]
    return np.hstack((X, np.random.default_rng(seed).permuted(copies, axis=0)))


def accuracy(X, y):
    """Share of samples that k-means puts in the right cluster."""
    clusters = KMeans(3, n_init=10, random_state=0).fit_predict(scale(X))
    matches = confusion_matrix(y, clusters)
    return matches[linear_sum_assignment(-matches)].sum() / len(y)


def at_random(X, y, count, seed):
    """Mean accuracy with so many features drawn at random, over twenty draws."""
    rng = np.random.default_rng(seed)
    draws = [rng.choice(X.shape[1], count, replace=False) for _ in range(20)]
    return np.mean([accuracy(X[:, draw], y) for draw in draws])


def row(X, y, n_best, seed):
    """Every number of one column of the README's table."""
    weights = qalpha.solve(X, k=3)
    chosen, best = weights.select(), weights.select(n_best)
    return {
        "all features": accuracy(X, y),
        "above the cut: how many": len(chosen),
        "above the cut: of wine": np.sum(chosen < 13),
        "above the cut": accuracy(X[:, chosen], y),
        "as many at random": at_random(X, y, len(chosen), seed),
        "the best": accuracy(X[:, best], y),
        "the best: of wine": np.sum(best < 13),
    }


def classified(X, y, *selector):
    """Mean accuracy of a linear discriminant over ten splits: two times five folds."""
    splits = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    classifier = make_pipeline(*selector, LinearDiscriminantAnalysis())
    return cross_val_score(classifier, X, y, cv=splits).mean()


def with_labels(X, y, count):
    """Every number of one column of the table of classification."""
    rng = np.random.default_rng(0)
    draws = [rng.choice(X.shape[1], count, replace=False) for _ in range(40)]
    return {
        "exact sparse LDA": classified(X, y, ExactSparseLDA(n_features_to_select=count)),
        "F test": classified(X, y, SelectKBest(k=count)),
        "Q-α with classes": classified(X, y, SupervisedQAlpha(n_features_to_select=count)),
        "at random": np.mean([classified(X[:, draw], y) for draw in draws]),
        "all features": classified(X, y),
    }


def without_labels(X, y):
    """Print means over the seeds, of wine among noise and of wine alone."""
    for title, count, n_best in (("among 500 of noise", 500, 13), ("alone", 0, 5)):
        rows = [row(with_noise(X, count, seed), y, n_best, seed) for seed in SEEDS]
        print(f"wine {title}, the best {n_best}")
        for name in rows[0]:
            values = [row[name] for row in rows]
            print(f"  {name:32} {np.mean(values):7.3f} ± {np.std(values):.3f}")


def main():
    """Print everything."""
    without_labels(*load_wine(return_X_y=True))
    for load in (load_wine, load_breast_cancer):
        for count in (3, 5):
            print(f"{load.__name__}, {count} features")
            for name, value in with_labels(*load(return_X_y=True), count).items():
                print(f"  {name:32} {value:7.3f}")


if __name__ == "__main__":
    main()
