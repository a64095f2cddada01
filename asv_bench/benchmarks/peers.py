"""What is selected, judged by labels: against other packages, and between criteria.

``pip install -r asv_bench/peers.txt`` installs the packages, best into an environment of their
own; those that are missing are skipped. Every peer is given the advantages of `alignment`: graphs
and components are those of X as passed, and features are standardised.
"""

from importlib.util import find_spec

import numpy as np
import scipy.stats
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold

from specsel import gslda, sbs

from .common import FULL, best_of_interleaved, expression

try:
    from specsel.papers import classification, selection
    from specsel.papers.selection import SIZES
    from specsel.papers.sources import standardised
except ImportError:  # an earlier version
    selection = None

FEW = ["wine", "dermatology", "sonar", "leukemia"]


def graph(X):
    """Return the graph of nearest neighbours, as skfeature builds it."""
    from skfeature.utility.construct_W import construct_W

    return construct_W(X, neighbor_mode="knn", metric="euclidean", weight_mode="binary", k=5)


def laplacian_score(X, y):
    from skfeature.function.similarity_based.lap_score import lap_score

    return lap_score(standardised(X), mode="index", W=graph(X))


def spec(X, y):
    """The smallest scores first, as the paper of SPEC says."""
    from skfeature.function.similarity_based import SPEC

    return np.argsort(SPEC.spec(standardised(X), mode="raw", style=0, W=graph(X)), kind="stable")


def mcfs(X, y):
    from skfeature.function.sparse_learning_based import MCFS

    sizes = {"n_selected_features": min(X.shape[1], SIZES[-1]), "n_clusters": int(y.max()) + 1}
    weights = MCFS.mcfs(standardised(X), mode="raw", W=graph(X), **sizes)
    return np.argsort(-np.abs(weights).max(axis=1), kind="stable")


def fastcan(X, y):
    components = PCA(min(20, len(X) - 1, X.shape[1])).fit_transform(X)
    return fastcan_ranking(standardised(X), components)


def fastcan_ranking(Z, target):
    """As many features as fastcan can take, which refuses those that depend on others."""
    from fastcan import FastCan

    taken = min(Z.shape[1], SIZES[-1], len(Z) - 1)
    while True:
        try:
            found = FastCan(taken, verbose=0).fit(Z, target).indices_
        except RuntimeError:
            taken = int(0.8 * taken)
            continue
        rest = np.setdiff1d(np.arange(Z.shape[1]), found)
        return np.concatenate((found, np.random.default_rng(0).permutation(rest)))


def greedy_subset(X, y):
    """Columns that explain most of all others, one after another; needs no package."""
    rest = X - X.mean(axis=0)
    left = np.ones(X.shape[1], dtype=bool)
    order = []
    while len(order) < min(X.shape[1], SIZES[-1]):
        lengths = (rest**2).sum(axis=0)
        candidates = left & (lengths > 1e-12 * lengths.max())
        if not candidates.any():
            break
        explained = ((rest @ rest.T) @ rest * rest).sum(axis=0)  # |restᵀ rest_i|²
        shares = explained / np.where(candidates, lengths, 1)
        i = int(np.argmax(np.where(candidates, shares, -1)))
        direction = rest[:, i] / np.sqrt(lengths[i])
        rest = rest - np.outer(direction, direction @ rest)
        left[i] = False
        order.append(i)
    return np.concatenate((order, np.flatnonzero(left))).astype(int)


PEERS = {
    "Laplacian score": ("skfeature", laplacian_score),
    "SPEC": ("skfeature", spec),
    "MCFS": ("skfeature", mcfs),
    "fastcan": ("fastcan", fastcan),
    "greedy column subset": ("numpy", greedy_subset),
}


def skip_unless_installed(package):
    if selection is None or find_spec(package) is None:
        raise NotImplementedError(f"{package} is not installed")


class Unlabelled:
    """Sets on which `alignment` scores better than a peer, less those on which it scores worse.

    The bar is above 0 for each.
    """

    params = (list(PEERS),)
    param_names = ("peer",)
    unit = "sets"
    timeout = 3600

    def setup(self, peer):
        skip_unless_installed(PEERS[peer][0])

    def track_wins(self, peer):
        won = 0
        for name in selection.LOADERS if FULL else FEW:
            gains = []
            for seed in range(4 if FULL else 2):
                X, y = selection.resampled(*selection.load(name), seed)
                ranking = PEERS[peer][1](X, y)
                ours = selection.scores_of(X, y, selection.aligned(X, y))
                gains.append(np.mean(ours) - np.mean(selection.scores_of(X, y, ranking)))
            won += int(np.sign(round(np.mean(gains), 6)))
        return won


class Labelled:
    """Points by which `alignment` classifies better than fastcan; the bar is above 0."""

    unit = "points"
    timeout = 3600

    def setup(self):
        skip_unless_installed("fastcan")

    def track_gain(self):
        def theirs(Z, y, m):
            return fastcan_ranking(Z, np.eye(int(y.max()) + 1)[y])[:m]

        gains = []
        for name in classification.SETS if FULL else FEW:
            X, y = classification.of_large_classes(*selection.load(name))
            for m in (m for m in classification.SIZES if m < X.shape[1]):
                ours = classification.accuracy(X, y, classification.METHODS["alignment"], m, 0)
                gains.append(ours - classification.accuracy(X, y, theirs, m, 0))
        return float(np.mean(gains))


class Bootstrap:
    """Time of all intervals of `sbs` over that of scipy's for as many pairs; the bar is 1/300."""

    unit = "times scipy"
    timeout = 600

    def track_ratio(self):
        X = expression(4601, 57) if FULL else expression(1000, 20)
        n_boot = 1000 if FULL else 200
        options = {"paired": True, "vectorized": True, "n_resamples": n_boot, "method": "BCa"}

        def cosine(x, y, axis):
            return (x * y).sum(axis) / np.sqrt((x * x).sum(axis) * (y * y).sum(axis))

        calls = [
            lambda: sbs.intervals(X, n_boot=n_boot, random_state=0),
            lambda: scipy.stats.bootstrap((X[:, 2], X[:, 9]), cosine, rng=0, **options),
        ]
        ours, theirs = best_of_interleaved(calls, 3)
        n_pairs = X.shape[1] * (X.shape[1] + 1) // 2
        return ours / n_pairs / theirs


class Criteria:
    """Accuracy of LDA on the features that `gslda` takes by each of its criteria.

    Cross-validated; their number, at most 15, is chosen by cross-validation of the training
    samples.
    """

    params = (["wine", "iris", "digits", "breast_cancer"], ["leading", "trace", "logdet"])
    param_names = ("data", "criterion")
    unit = "accuracy"
    timeout = 900

    def track_accuracy(self, data, criterion):
        X, y = getattr(datasets, f"load_{data}")(return_X_y=True)
        X = X[:, X.std(axis=0) > 0.1]  # of digits, pixels that are hardly ever set
        scores = []
        for seed in range(5 if FULL else 1):
            folds = StratifiedKFold(5, shuffle=True, random_state=seed)
            for train, test in folds.split(X, y):
                inner = [
                    accuracies(X, y, train[a], train[b], criterion)
                    for a, b in folds.split(X[train], y[train])
                ]
                best = int(np.mean(inner, axis=0).argmax())
                scores.append(accuracies(X, y, train, test, criterion)[best])
        return float(np.mean(scores))


def accuracies(X, y, train, test, criterion):
    """Accuracy on `test` of the best 1, 2, 3, ... features for `train`."""
    path = gslda.solve(X[train], y[train], max_size=min(15, X.shape[1]), criterion=criterion)
    model = LinearDiscriminantAnalysis()
    return [
        model.fit(X[train][:, S], y[train]).score(X[test][:, S], y[test]) for S in path.supports
    ]
