"""Where the ends of an interval lie among the resampled values.

An end is the linearly interpolated quantile of the resampled values for some share of them. For
percentile intervals the two shares are ``(1 ∓ confidence) / 2``, with normal quantiles ∓z. For BCa
intervals they are ``Φ(z₀ + (z₀ ∓ z) / (1 - a(z₀ ∓ z)))``, Φ being the normal distribution: the
bias z₀ comes from the share of resampled values below the estimate, the acceleration a from the
jackknife (Efron and Tibshirani 1993, Eqs. 14.9 to 14.15).

Departures. The share below the estimate is kept half a resample away from 0 and 1, where z₀ would
be infinite. Where ``a(z₀ ∓ z)`` reaches 1 the formula has a pole, and past it the end is the most
extreme resampled value.
"""

import numpy as np

from specsel._bootstrap.features import FeaturePairs
from specsel._bootstrap.resamples import Resamples
from specsel._validate import Floats, IntervalMethod


class EndRule:
    """The shares at which the intervals of one method and confidence end.

    Attributes
    ----------
    bca : bool
        Whether the method is BCa; otherwise it is percentile.
    tail : float
        Nominal probability of a value below the interval, and of one above it.
    z : float
        Normal quantile of `tail`, which is negative.
    cdf, quantile
        The normal distribution function and its inverse.
    """

    def __init__(self, method: IntervalMethod, confidence: float) -> None:
        from scipy import special  # here, for it would make the package slow to import

        self.bca, self.tail = method == "bca", (1 - confidence) / 2
        self.cdf, self.quantile = special.ndtr, special.ndtri
        # The upper quantile is -z, not that of 1 - tail, which may round to 1 and be infinite.
        self.z = self.quantile(self.tail)

    def shares(self, resamples: Resamples, pairs: FeaturePairs, below: Floats) -> Floats:
        """Return the shares for the lower and the upper end of every pair, pairs x 2.

        `below` says in how many resamples the similarity of a pair is below its estimate.
        """
        if not self.bca:
            return np.tile([self.tail, 1 - self.tail], (len(below), 1))
        n_boot = resamples.n_boot
        bias = self.quantile(np.clip(below, 0.5, n_boot - 0.5) / n_boot)[:, None]
        moved = bias + np.array([self.z, -self.z])
        left = 1 - resamples.features.accelerations(pairs)[:, None] * moved
        extreme = np.where(moved > 0, np.inf, -np.inf)
        moved = np.divide(moved, left, out=extreme, where=left > 0)
        shares: Floats = self.cdf(bias + moved)
        return shares
