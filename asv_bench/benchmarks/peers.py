"""Other packages that select features without labels, as far as they are installed.

``pip install -r asv_bench/peers.txt`` installs them, best into an environment of their own. Every
peer is given the advantages of `alignment`: graphs and components are those of X as it is given,
and features are standardised. SPEC's scores are ranked as its paper says, the smallest first.
"""

from importlib.util import find_spec

import numpy as np

from specsel.papers.selection import SIZES
from specsel.papers.sources import standardised

NEIGHBOURS = 5
COMPONENTS = 20


def graph(X):
    """Graph of nearest neighbours, as skfeature builds it."""
    from skfeature.utility.construct_W import construct_W

    return construct_W(
        X, neighbor_mode="knn", metric="euclidean", weight_mode="binary", k=NEIGHBOURS
    )


def laplacian_score(X, y):
    from skfeature.function.similarity_based.lap_score import lap_score

    return lap_score(standardised(X), mode="index", W=graph(X))


def spec(X, y):
    from skfeature.function.similarity_based import SPEC

    return np.argsort(SPEC.spec(standardised(X), mode="raw", style=0, W=graph(X)), kind="stable")


def mcfs(X, y):
    from skfeature.function.sparse_learning_based import MCFS

    most = min(X.shape[1], SIZES[-1])
    weights = MCFS.mcfs(
        standardised(X),
        n_selected_features=most,
        mode="raw",
        W=graph(X),
        n_clusters=int(y.max()) + 1,
    )
    return np.argsort(-np.abs(weights).max(axis=1), kind="stable")


def fastcan(X, y):
    from fastcan import FastCan
    from sklearn.decomposition import PCA

    components = PCA(min(COMPONENTS, len(X) - 1, X.shape[1])).fit_transform(X)
    return _ranked(FastCan, standardised(X), components)


def fastcan_of_classes(X, y):
    """With labels: one indicator for every class."""
    from fastcan import FastCan

    return _ranked(FastCan, standardised(X), np.eye(int(y.max()) + 1)[y])


def _ranked(selector, Z, target):
    """As many features as the peer can take: it refuses those that depend on others."""
    taken = min(Z.shape[1], SIZES[-1], len(Z) - 1)
    while True:
        try:
            found = selector(taken, verbose=0).fit(Z, target).indices_
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
        open_ = left & (lengths > 1e-12 * lengths.max())
        if not open_.any():
            break
        explained = ((rest @ rest.T) @ rest * rest).sum(axis=0)  # |restᵀ rest_i|²
        i = int(np.argmax(np.where(open_, explained / np.where(open_, lengths, 1), -1)))
        direction = rest[:, i] / np.sqrt(lengths[i])
        rest = rest - np.outer(direction, direction @ rest)
        left[i] = False
        order.append(i)
    return np.concatenate((order, np.flatnonzero(left))).astype(int)


PEERS = {
    "Laplacian score": laplacian_score,
    "SPEC": spec,
    "MCFS": mcfs,
    "fastcan": fastcan,
    "greedy column subset": greedy_subset,
}

PACKAGES = {
    "Laplacian score": "skfeature",
    "SPEC": "skfeature",
    "MCFS": "skfeature",
    "fastcan": "fastcan",
}


def installed(name):
    """Whether a peer can be run here."""
    return find_spec(PACKAGES.get(name, "numpy")) is not None
