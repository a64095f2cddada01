"""Bootstrap intervals for the similarities of all pairs of features (`sbs.intervals`).

BCa intervals end at the linearly interpolated quantiles for the shares
``Φ(z₀ + (z₀ + z)/(1 - a(z₀ + z)))``, with z₀ from the share of resamples below the estimate and a
from the jackknife (Efron and Tibshirani 1993, Eqs. 14.9 to 14.15).

Departures. Half of the resamples that tie with the estimate count as below it, and a tie is what
is equal but for rounding. The share below is kept half a resample off 0 and 1, where z₀ would be
infinite. Past the pole of the formula an end is the most extreme resample. A cosine or
correlation with a feature that is zero or constant in a resample is 0.
"""

import warnings

import numpy as np

from specsel import _input
from specsel._bootstrap import resamples
from specsel.results import Intervals

LEAST_RESAMPLES, MOST_RESAMPLES = 100, 10**6

# The most resamples that are taken where their number is to be found.
AUTO_LIMIT = 20_000

# Andrews and Buchinsky keep the rank of an end that far from the extremes.
AUTO_TAIL = 0.01


def intervals(
    X,
    *,
    matrix="cosine",
    confidence=0.9,
    n_boot=1000,
    method="bca",
    pdb=10.0,
    tau=0.05,
    random_state=None,
    callback=None,
) -> Intervals:
    """Bootstrap intervals for the similarity of every pair of features.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers, a data frame, or a sparse matrix, which stays sparse.
    matrix : {"cosine", "covariance", "correlation"}
        The similarity; covariances are divided by ``n_samples - 1``.
    confidence : float
        Nominal coverage, between 0 and 1.
    n_boot : int or "auto"
        Resamples, from 100 to a million. "auto" takes as many as `number_of_resamples` finds for
        the pair that needs most, up to 20,000.
    method : {"bca", "percentile"}
        Bias-corrected and accelerated, or plain quantiles of the resampled values.
    pdb, tau : float
        For "auto": the longer side of every interval is to be within `pdb` percent of what
        infinitely many resamples give, with probability ``1 - tau``.
    random_state : int, Generator or None
        Seed of the resamples. They are those of `scipy.stats.bootstrap` with the same seed.
    callback : callable, optional
        ``callback(done, pairs)`` is told how many pairs are done; for "auto" twice, of the
        resamples first that show how many are needed.

    Returns
    -------
    Intervals

    Notes
    -----
    Memory: a few matrices of features x features, two of features x resamples, a byte for every
    sample and resample, one scaled copy of the data, and a block of 512 pairs x resamples. The
    same seed gives the same bits whatever the number of numba's threads; threads of the BLAS
    library, and other ways to store X, change no more than rounding.

    References
    ----------
    Efron, B. and Tibshirani, R. (1993). An introduction to the bootstrap. Chapman & Hall.

    Andrews, D. and Buchinsky, M. (2002). On the number of bootstrap repetitions for BCa confidence
    intervals. Econometric Theory 18, 962-984.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import sbs
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 3))
    >>> X[:, 1] += X[:, 0]
    >>> found = sbs.intervals(X, matrix="correlation", random_state=0)
    >>> ((found.lower > 0) | (found.upper < 0)).tolist()  # which are surely not zero?
    [[True, True, False], [True, True, False], [False, False, True]]
    """
    _check(matrix, confidence, n_boot, method, pdb, tau, callback)
    rng = _input.as_generator(random_state)
    features = resamples.read(X, matrix)
    rule, auto = _Rule(method, (1 - confidence) / 2), isinstance(n_boot, str)
    first = rule.first_number(pdb, tau) if auto else n_boot
    counts = resamples.draw(rng, features.n_samples, first)
    if auto:
        needed = rule.number(resamples.Resamples(features, counts), pdb, tau, callback)
        counts = resamples.draw(rng, features.n_samples, needed, counts)
    ends = _ends(resamples.Resamples(features, counts), rule, callback)
    A, lower, upper = (_unscaled(found, features) for found in (features.estimates, *ends))
    return Intervals(
        A, lower, upper, matrix, method, float(confidence), counts.shape[1], features.n_samples,
        np.flatnonzero(~features.kept), features.mean, features.norm, features.names,
    )  # fmt: skip


def _check(matrix, confidence, n_boot, method, pdb, tau, callback):
    _input.check_choice("matrix", matrix, _input.choices.SIMILARITIES)
    _input.check_choice("method", method, _input.choices.INTERVAL_METHODS)
    for name, value in {"confidence": confidence, "tau": tau}.items():
        if not (_input.is_finite(value) and 0 < value < 1):
            raise ValueError(f"{name} = {_input.brief(value)}: must be between 0 and 1")
    if not (_input.is_finite(pdb) and pdb > 0):
        raise ValueError(f"pdb = {_input.brief(pdb)}: must be a finite number above 0")
    if not (isinstance(n_boot, str) and n_boot == "auto"):
        _input.check_integer("n_boot", n_boot, LEAST_RESAMPLES, MOST_RESAMPLES)
    _input.check_callback(callback)


def _ends(drawn, rule, callback):
    """Lower and upper ends for all pairs of features that vary."""
    n_features = len(drawn.features.sums)
    ends = np.empty((2, n_features, n_features))
    for pairs, values, below in drawn.blocks(callback):
        shares = rule.shares(drawn, pairs, below)
        found = np.empty(shares.shape)
        resamples.quantiles(values, shares * (values.shape[1] - 1), found)
        ends[:, *pairs] = ends[:, *pairs[::-1]] = found.T
    return ends


def _unscaled(matrix, features):
    """For all features of X and in its units."""
    if features.matrix == "covariance":
        norm = features.norm[features.kept]
        matrix = matrix * norm * (norm[:, None] / (features.n_samples - 1))
    if features.kept.all():
        return matrix
    whole = np.zeros((len(features.kept),) * 2)
    whole[np.ix_(features.kept, features.kept)] = matrix
    return whole


class _Rule:
    """Where the ends of intervals lie among the resampled values, and how many it takes."""

    def __init__(self, method, tail):
        from scipy import special  # here, for it would make the package slow to import

        self.bca, self.tail = method == "bca", tail
        self.cdf, self.quantile = special.ndtr, special.ndtri
        self.z = self.quantile(tail)  # 1 - tail may be 1 for the computer, its quantile infinite

    def shares(self, drawn, pairs, below):
        """Shares of the resampled values below the ends, pairs x 2."""
        if not self.bca:
            return np.tile([self.tail, 1 - self.tail], (len(below), 1))
        n_boot = drawn.counts.shape[1]
        bias = self.quantile(np.clip(below, 0.5, n_boot - 0.5) / n_boot)[:, None]
        moved = bias + np.array([self.z, -self.z])
        left = 1 - drawn.features.accelerations(pairs)[:, None] * moved
        extreme = np.where(moved > 0, np.inf, -np.inf)
        moved = np.divide(moved, left, out=extreme, where=left > 0)
        return self.cdf(bias + moved)

    # Andrews and Buchinsky's three steps: the number that asymptotic theory gives, that many
    # resamples, and the number anew with the density that these show around the ends.

    def first_number(self, pdb, tau):
        """Step 1: resamples needed if the resampled values are normal."""
        needed, slope = self._squared_error(pdb, tau), (self.z * _density(self.z)) ** 2
        if not needed < AUTO_LIMIT * slope:
            return AUTO_LIMIT
        return max(int(np.ceil(needed / slope)), LEAST_RESAMPLES)

    def _squared_error(self, pdb, tau):
        """Variance of the share below an end, in units of what is allowed of it."""
        tail, ratio = self.tail, _density(self.z) / _density(0.0)
        variance = tail * (1 - tail) + self.bca * (ratio**2 - 2 * tail * ratio)
        return variance * (100 * self.quantile(tau / 2) / pdb) ** 2

    def number(self, drawn, pdb, tau, callback):
        """Steps 2 and 3: what the pair needs that needs most."""
        n_boot = drawn.counts.shape[1]
        most, allowed = n_boot, self._squared_error(pdb, tau)
        for pairs, values, below in drawn.blocks(callback):
            shares = self.shares(drawn, pairs, below)
            estimates = drawn.features.estimates[pairs]
            sides = [self._side(values, share, estimates) for share in shares.T]
            lengths, errors = np.moveaxis(sides, 1, 0)
            longer = lengths.argmax(axis=0), np.arange(len(estimates))
            relative = np.zeros(len(estimates))
            certain = lengths[longer] <= resamples.TIE
            np.divide(errors[longer], lengths[longer], out=relative, where=~certain)
            most = max(most, allowed * (relative**2).max())
        if most > AUTO_LIMIT:
            warnings.warn(
                f"{most:.0f} resamples are needed for all pairs; {AUTO_LIMIT} are taken",
                stacklevel=_input.caller(),
            )
        return int(min(np.ceil(most), AUTO_LIMIT))

    def _side(self, values, shares, estimates):
        """Length of one side of intervals, and what an error of the share makes of it."""
        last = values.shape[1] - 1
        shares = shares.clip(AUTO_TAIL, 1 - AUTO_TAIL)
        tails = np.minimum(shares, 1 - shares)
        z = self.quantile(tails)
        width = 1.5 * (self.quantile(tails / 2) * _density(z)) ** 2 / (2 * z**2 + 1)
        width = np.ceil(np.cbrt(width) * len(values.T) ** (2 / 3))
        ranks = np.rint(shares * last)[:, None] + width[:, None] * np.array([-1, 0, 1])
        ranks = ranks.clip(0, last)
        found = np.empty(ranks.shape)
        resamples.quantiles(values, ranks, found)
        slope = (found[:, 2] - found[:, 0]) * len(values.T) / (ranks[:, 2] - ranks[:, 0])
        return np.abs(found[:, 1] - estimates), slope


def _density(z):
    return np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
