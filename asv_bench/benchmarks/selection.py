"""What is selected: features chosen without labels, judged by labels, against chance."""

import numpy as np

from specsel.papers import selection

from .common import FULL


class AgainstRandom:
    """Score less that of random features, in points; over the sets the bar is a median of 3."""

    params = (list(selection.METHODS),)
    param_names = ("method",)
    timeout = 3600

    def setup_cache(self):
        names = list(selection.LOADERS) if FULL else ["wine", "dermatology", "sonar", "leukemia"]
        draws = 10 if FULL else 3
        return [selection.scores_on(*selection.load(name), draws) for name in names]

    def gains(self, scores, method):
        return [np.mean(of_set[method]) - np.mean(of_set["random"]) for of_set in scores]

    def track_median_gain(self, scores, method):
        return float(np.median(self.gains(scores, method)))

    def track_wins(self, scores, method):
        return float(np.mean(np.array(self.gains(scores, method)) > 0))

    track_median_gain.unit = "points"
    track_wins.unit = "share of the sets"
