"""Bootstrap intervals for the similarities of all pairs of features (`sbs.intervals`).

The samples are drawn anew with replacement, many times, and the similarity of every pair of
features is computed for each such resample. The interval is read off the distribution of these
values, by the BCa method or by plain percentiles (Efron and Tibshirani 1993, Ch. 14).

Departures. A resample in which the similarity equals the estimate, but for rounding, counts half
as one below it. In a resample in which a feature is zero or constant its cosine or correlation
with any other is 0. See `ends` for the extremes.
"""

from typing import Literal

import numpy as np

from specsel import _validate
from specsel._bootstrap import number
from specsel._bootstrap.ends import EndRule
from specsel._bootstrap.features import Features, read_features
from specsel._bootstrap.resamples import PairsCallback, Resamples, draw, quantiles
from specsel._validate import ArrayLike, Floats, IntervalMethod, Seed, Similarity, Sparse
from specsel.results import Intervals

MOST_RESAMPLES = 10**6


def intervals(
    X: ArrayLike | Sparse,
    *,
    matrix: Similarity = "cosine",
    confidence: float = 0.9,
    n_boot: int | Literal["auto"] = 1000,
    method: IntervalMethod = "bca",
    pdb: float = 10.0,
    tau: float = 0.05,
    random_state: Seed = None,
    callback: PairsCallback = None,
) -> Intervals:
    """Estimate the similarity of every pair of features, with bootstrap intervals.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers, a data frame, or a sparse matrix, which stays sparse.
    matrix : {"cosine", "covariance", "correlation", "inner"}
        The similarity; covariances are divided by ``n_samples - 1``, and inner products, which
        are those of the columns as they are, are sums over the samples.
    confidence : float
        Nominal coverage of every interval, between 0 and 1.
    n_boot : int or "auto"
        Number of resamples, from 100 to a million. "auto" finds how many are needed, as Andrews
        and Buchinsky (2002) do, for the pair of features that needs most, and takes up to 20,000.
    method : {"bca", "percentile"}
        Bias-corrected and accelerated intervals, or plain quantiles of the resampled values.
    pdb, tau : float
        The precision that "auto" aims at: the longer side of every interval is within `pdb`
        percent of what infinitely many resamples give, with probability ``1 - tau``.
    random_state : int, Generator or None
        Seed of the resamples. They are those of `scipy.stats.bootstrap` with the same seed.
    callback : callable, optional
        ``callback(done, pairs)`` is called with the number of pairs done and of all pairs. With
        "auto" it counts twice: the first round finds the number of resamples.

    Returns
    -------
    Intervals

    Notes
    -----
    Memory: a few matrices of features x features, two of features x resamples, a byte for every
    sample and resample, one scaled copy of the data, and a block of 512 pairs x resamples.

    The same seed gives the same bits whatever the number of numba's threads. The number of threads
    of the BLAS library and the way X is stored change the result by rounding only.

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
    >>> ((found.lower > 0) | (found.upper < 0)).tolist()  # whose interval does not hold zero?
    [[True, True, False], [True, True, False], [False, False, True]]
    """
    _check(matrix, confidence, n_boot, method, pdb, tau, callback)
    rng = _validate.as_generator(random_state)
    features, rule = read_features(X, matrix), EndRule(method, confidence)
    first = number.first_number(rule, pdb, tau) if isinstance(n_boot, str) else n_boot
    counts = draw(rng, features.n_samples, first)
    if isinstance(n_boot, str):
        tried = Resamples(features, counts)
        needed = number.final_number(rule, tried, pdb, tau, callback)
        counts = draw(rng, features.n_samples, needed, counts)
    lower, upper = _ends(Resamples(features, counts), rule, callback)
    return Intervals(
        A=_unscaled(features.estimates, features),
        lower=_unscaled(lower, features),
        upper=_unscaled(upper, features),
        matrix=matrix,
        method=method,
        confidence=float(confidence),
        n_boot=counts.shape[1],
        n_samples=features.n_samples,
        constant=np.flatnonzero(~features.kept),
        mean=features.mean,
        norm=features.norm,
        names=features.names,
    )


def _check(
    matrix: object,
    confidence: float,
    n_boot: object,
    method: object,
    pdb: float,
    tau: float,
    callback: object,
) -> None:
    _validate.check_choice("matrix", matrix, _validate.SIMILARITIES)
    _validate.check_choice("method", method, _validate.INTERVAL_METHODS)
    for name, value in {"confidence": confidence, "tau": tau}.items():
        if not (_validate.is_finite(value) and 0 < value < 1):
            raise ValueError(f"{name} = {_validate.brief(value)}: must be between 0 and 1")
    _validate.check_positive("pdb", pdb)
    if not (isinstance(n_boot, str) and n_boot == "auto"):
        _validate.check_integer("n_boot", n_boot, number.LEAST_RESAMPLES, MOST_RESAMPLES)
    _validate.check_callback(callback)


def _ends(resamples: Resamples, rule: EndRule, callback: PairsCallback) -> Floats:
    """Return lower and upper ends for all pairs of the features that vary."""
    n_features = len(resamples.features.sums)
    ends = np.empty((2, n_features, n_features))
    for pairs, values, below in resamples.blocks(callback):
        shares = rule.shares(resamples, pairs, below)
        found = np.empty(shares.shape)
        quantiles(values, shares * (values.shape[1] - 1), found)
        ends[:, *pairs] = ends[:, *pairs[::-1]] = found.T
    return ends


def _unscaled(similarities: Floats, features: Features) -> Floats:
    """Return similarities in the units of X, with zeros for the features that do not vary."""
    if features.matrix in ("covariance", "inner"):
        norm = features.norm[features.kept]
        count = features.n_samples - 1 if features.matrix == "covariance" else 1
        similarities = similarities * norm * (norm[:, None] / count)
    if features.kept.all():
        return similarities
    whole = np.zeros((len(features.kept),) * 2)
    whole[np.ix_(features.kept, features.kept)] = similarities
    return whole
