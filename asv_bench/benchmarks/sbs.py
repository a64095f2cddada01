"""Stable subspaces: intervals of all pairs against scipy, the search, and the paper's data."""

from pathlib import Path

import numpy as np
import scipy.sparse
import scipy.stats

from specsel import sbs

from .common import FULL, best_of_interleaved

DATA = Path(__file__).parents[2] / "tests" / "data"
N_BOOT = 1000 if FULL else 200


def features(n_samples, n_features):
    """Factors and noise, a little of everything known for certain."""
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((n_samples, 8)) * np.geomspace(8, 1, 8)
    loadings = rng.standard_normal((8, n_features))
    return factors @ loadings + 3 * rng.standard_normal((n_samples, n_features))


def cosine(x, y, axis):
    return (x * y).sum(axis) / np.sqrt((x * x).sum(axis) * (y * y).sum(axis))


class AgainstScipy:
    """All pairs of data of the size of spambase, per pair; the bar is 300 times faster."""

    timeout = 600

    def track_ratio(self):
        X = features(4601, 57) if FULL else features(1000, 20)
        options = {"paired": True, "vectorized": True, "n_resamples": N_BOOT, "method": "BCa"}
        pairs = [(0, 1), (2, 9)]

        def ours():
            sbs.intervals(X, n_boot=N_BOOT, random_state=0)

        def theirs():
            for i, j in pairs:
                rng = np.random.default_rng(0)
                scipy.stats.bootstrap((X[:, i], X[:, j]), cosine, rng=rng, **options)

        our_seconds, their_seconds = best_of_interleaved([ours, theirs], 3)
        n_pairs = len(X.T) * (len(X.T) + 1) // 2
        return (their_seconds / len(pairs)) / (our_seconds / n_pairs)

    track_ratio.unit = "times faster"


class AllPairs:
    """Data of the size of spambase; the bar is 0.6 s."""

    params = (["cosine", "covariance", "correlation"], ["dense", "zeros", "sparse"])
    param_names = ("matrix", "data")

    def setup(self, matrix, data):
        shape = (4601, 57) if FULL else (1000, 30)
        self.X = features(*shape)
        if data != "dense":
            self.X *= np.random.default_rng(1).random(shape) < 0.2
        if data == "sparse":
            self.X = scipy.sparse.csr_array(self.X)
        self.options = {"matrix": matrix, "n_boot": N_BOOT, "random_state": 0}
        sbs.intervals(self.X, **self.options)

    def time_intervals(self, matrix, data):
        sbs.intervals(self.X, **self.options)


class Wide:
    """Many features; the bars are 90 s and 1.5 GiB at 1,000."""

    timeout = 900
    repeat = 1
    number = 1

    def setup(self):
        self.X = features(2000, 1000) if FULL else features(200, 200)
        self.options = {"matrix": "correlation", "n_boot": N_BOOT, "random_state": 0}
        sbs.intervals(self.X[:, :20], **self.options)

    def time_intervals(self):
        sbs.intervals(self.X, **self.options)

    def peakmem_intervals(self):
        sbs.intervals(self.X, **self.options)


class Search:
    """With intervals known; the bar is 20 s at 1,000 features."""

    params = ([0.3, 0.6, 0.95],)
    param_names = ("retain",)
    timeout = 900

    def setup_cache(self):
        X = features(500, 1000) if FULL else features(200, 200)
        return sbs.intervals(X, matrix="correlation", n_boot=100, random_state=0)

    def time_search(self, known, retain):
        sbs.search(known, retain=retain)

    def track_decompositions(self, known, retain):
        """Sizes decomposed, of all that there are."""
        found = sbs.search(known, retain=retain)
        return found.n_decompositions / (len(known.A) - 1)


class Papers:
    """The paper's data; it has 43 removed and k = 13 for spambase."""

    params = (["spambase 0.25", "segmentation 0.45", "segmentation 0.55", "segmentation 0.65"],)
    param_names = ("problem",)

    def setup(self, problem):
        name, retain = problem.split()
        X = np.load(DATA / f"{name}.npz")["X"]
        self.found = sbs.search(sbs.intervals(X, random_state=0), retain=float(retain))

    def track_removed(self, problem):
        return len(self.found.removed)

    def track_k(self, problem):
        return self.found.k

    def track_share(self, problem):
        return self.found.share
