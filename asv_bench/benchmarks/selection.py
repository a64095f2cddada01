"""What is selected, judged by labels: against chance and against other packages."""

import numpy as np

from specsel.papers import classification, selection

from . import peers
from .common import FULL

FEW = ["wine", "dermatology", "sonar", "leukemia"]


class AgainstRandom:
    """Score less that of random features, in points; over the sets the bar is a median of 3."""

    params = (list(selection.METHODS),)
    param_names = ("method",)
    timeout = 3600

    def setup_cache(self):
        names = list(selection.LOADERS) if FULL else FEW
        resamples = 4 if FULL else 2
        return [selection.scores_on(*selection.load(name), resamples, 4) for name in names]

    def gains(self, scores, method):
        return [np.mean(of_set[method]) - np.mean(of_set["random"]) for of_set in scores]

    def track_median_gain(self, scores, method):
        return float(np.median(self.gains(scores, method)))

    def track_wins(self, scores, method):
        return float(np.mean(np.array(self.gains(scores, method)) > 0))

    track_median_gain.unit = "points"
    track_wins.unit = "share of the sets"


class AgainstPeers:
    """Sets on which `alignment` scores better than a peer, less those on which it scores worse.

    The bar is above 0 for each. ``peers.txt`` names the packages; those that are not installed
    are left out.
    """

    params = (list(peers.PEERS),)
    param_names = ("peer",)
    unit = "sets"
    timeout = 3600

    def setup(self, peer):
        if not peers.installed(peer):
            raise NotImplementedError(f"{peer} is not installed")

    def track_wins(self, peer):
        won = 0
        for name in list(selection.LOADERS) if FULL else FEW:
            gains = [
                np.mean(selection.scores_of(X, y, selection.aligned(X, y)))
                - np.mean(selection.scores_of(X, y, peers.PEERS[peer](X, y)))
                for X, y in self.resamples(name)
            ]
            won += int(np.sign(round(np.mean(gains), 6)))
        return won

    def resamples(self, name):
        X, y = selection.load(name)
        return [selection.resampled(X, y, seed) for seed in range(4 if FULL else 2)]


class WithLabels:
    """Points by which `alignment` classifies better than another method; the bar is above 0.

    RFE trains a classifier again and again; within a point of it will do.
    """

    params = (["F test", "RFE", "supervised", "random", "fastcan"],)
    param_names = ("method",)
    unit = "points"
    timeout = 3600

    def setup(self, method):
        if method == "fastcan" and not peers.installed(method):
            raise NotImplementedError(f"{method} is not installed")

    def track_gain(self, method):
        methods = classification.METHODS | {"random": classification.at_random}
        methods |= {"fastcan": lambda Z, y, m: peers.fastcan_of_classes(Z, y)[:m]}
        gains = []
        for name in classification.SETS if FULL else FEW:
            X, y = classification.of_large_classes(*selection.load(name))
            for m in (m for m in classification.SIZES if m < X.shape[1]):
                ours, theirs = (
                    classification.accuracy(X, y, methods[one], m, 0)
                    for one in ("alignment", method)
                )
                gains.append(ours - theirs)
        return float(np.mean(gains))
