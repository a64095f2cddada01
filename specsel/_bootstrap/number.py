"""How many resamples give intervals that more resamples would hardly change.

The three steps of Andrews and Buchinsky (2002): the number of resamples that is needed if the
resampled values are normal; that many resamples; and the number anew, with the density that these
show around the ends of the intervals. The number is such that, with probability ``1 - tau``, the
longer side of an interval is within `pdb` percent ("percentage deviation bound") of the length
that infinitely many resamples give it. A side reaches from the estimate to an end.
"""

import warnings
from typing import Any

import numpy as np

from specsel import _validate
from specsel._bootstrap.ends import EndRule
from specsel._bootstrap.resamples import TIE, PairsCallback, Resamples, quantiles
from specsel._validate import Floats

LEAST_RESAMPLES = 100

# The most resamples that are taken where their number is to be found.
AUTO_LIMIT = 20_000

# Around ends more extreme than this share, Andrews and Buchinsky take the density at this share.
EXTREME_SHARE = 0.01


def first_number(rule: EndRule, pdb: float, tau: float) -> int:
    """Return the number of resamples needed if the resampled values are normal (step 1)."""
    needed, slope = _allowed(rule, pdb, tau), (rule.z * _density(rule.z)) ** 2
    if not needed < AUTO_LIMIT * slope:
        return AUTO_LIMIT
    return max(int(np.ceil(needed / slope)), LEAST_RESAMPLES)


def final_number(
    rule: EndRule, resamples: Resamples, pdb: float, tau: float, callback: PairsCallback
) -> int:
    """Return the number needed by the pair of features that needs most (steps 2 and 3)."""
    most, allowed = float(resamples.n_boot), _allowed(rule, pdb, tau)
    for pairs, values, below in resamples.blocks(callback):
        shares = rule.shares(resamples, pairs, below)
        estimates = resamples.features.estimates[pairs]
        sides = [_side(rule, values, share, estimates) for share in shares.T]
        lengths, slopes = np.moveaxis(np.array(sides), 1, 0)
        longer = lengths.argmax(axis=0), np.arange(len(estimates))
        relative = np.zeros(len(estimates))
        certain = lengths[longer] <= TIE
        np.divide(slopes[longer], lengths[longer], out=relative, where=~certain)
        most = max(most, allowed * (relative**2).max())
    if most > AUTO_LIMIT:
        warnings.warn(
            f"n_boot = 'auto': {most:.0f} resamples are needed for all pairs; {AUTO_LIMIT} are "
            "taken",
            stacklevel=_validate.caller(),
        )
    return int(min(np.ceil(most), AUTO_LIMIT))


def _allowed(rule: EndRule, pdb: float, tau: float) -> float:
    """Return the number of resamples for a side that is as long as its slope is steep.

    It is the variance of the share of resampled values below an end, times the number of
    resamples, over the variance that `pdb` and `tau` allow.
    """
    tail, ratio = rule.tail, _density(rule.z) / _density(0.0)
    variance = tail * (1 - tail) + rule.bca * (ratio**2 - 2 * tail * ratio)
    return float(variance * (100 * rule.quantile(tau / 2) / pdb) ** 2)


def _side(
    rule: EndRule, values: Floats, shares: Floats, estimates: Floats
) -> tuple[Floats, Floats]:
    """Return the lengths of one side of intervals, and the slopes of the quantiles at its end.

    The slope says how much an error in the share moves the end. It is a difference of two
    quantiles, whose distance is the one that Andrews and Buchinsky recommend.
    """
    n_boot = values.shape[1]
    shares = shares.clip(EXTREME_SHARE, 1 - EXTREME_SHARE)
    tails = np.minimum(shares, 1 - shares)
    z = rule.quantile(tails)
    width = 1.5 * (rule.quantile(tails / 2) * _density(z)) ** 2 / (2 * z**2 + 1)
    width = np.ceil(np.cbrt(width) * n_boot ** (2 / 3))
    ranks = np.rint(shares * (n_boot - 1))[:, None] + width[:, None] * np.array([-1, 0, 1])
    ranks = ranks.clip(0, n_boot - 1)
    found = np.empty(ranks.shape)
    quantiles(values, ranks, found)
    slope = (found[:, 2] - found[:, 0]) * n_boot / (ranks[:, 2] - ranks[:, 0])
    return np.abs(found[:, 1] - estimates), slope


def _density(z: Any) -> Any:
    """Return the normal density, of a number or of an array."""
    return np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
