"""Bootstrap intervals for the similarities of all pairs of features (`sbs.intervals`).

Let x_i be feature i over q samples, around its mean for covariances and correlations. The
similarity of two features is ``x_iᵀx_j``, divided by ``q - 1`` for covariances, and by the norms
``‖x_i‖ ‖x_j‖`` for cosines and correlations.

A resample is q samples drawn with replacement: a vector of q counts. Sums over a resample are
products with its counts. For a block of pairs one product of matrices, pairs × samples by samples
× resamples, gives the sums of products in all resamples at once.

An end of an interval is the linearly interpolated quantile of the resampled similarities for some
share of them. For percentile intervals the two shares are ``(1 ∓ confidence)/2``, with normal
quantiles ∓z. For BCa intervals they are ``Φ(z₀ + (z₀ ∓ z)/(1 - a(z₀ ∓ z)))`` (Efron and Tibshirani
1993, Eqs. 14.9 to 14.15). Φ is the normal distribution, and z₀ its quantile for the share of
resampled similarities below the estimate. The acceleration a comes from the similarities u without
one of the samples: ``a = Σ (mean - u)³ / (6 (Σ (mean - u)²)^(3/2))``.

How many resamples are enough follows in the three steps of Andrews and Buchinsky (2002): the
number that is needed if resampled similarities are normal; that many resamples; and the number
anew, with the density that these show around the ends. With probability ``1 - tau`` the longer
side of an interval, from the estimate to an end, is then within `pdb` percent ("percentage
deviation bound") of the length that infinitely many resamples give it.

Departures. A resample in which the similarity equals the estimate, but for rounding, counts half
as one below it. In a resample in which a feature is zero or constant its cosine or correlation
with any other is 0. The share below the estimate is kept half a resample away from 0 and 1, where
z₀ would be infinite. Where ``a(z₀ ∓ z)`` reaches 1 the formula has a pole, and past it the end is
the most extreme resampled value. Where u varies by no more than rounding, the acceleration is 0.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numba import prange

from specsel import _containers, _data, _runtime, _validate
from specsel._data.columns import select
from specsel._runtime import jit
from specsel._validate import (
    ArrayLike,
    Bools,
    Floats,
    Integers,
    IntervalMethod,
    Names,
    NDArray,
    Seed,
    Similarity,
    Sparse,
)
from specsel.results import Intervals

Counts = NDArray[np.uint8]

# First and second features of some pairs.
FeaturePairs = tuple[Integers, Integers]

# Called with how many pairs of features are done, and how many there are.
PairsCallback = Callable[[int, int], object] | None

LEAST_SAMPLES = 3
LEAST_RESAMPLES, MOST_RESAMPLES = 100, 10**6

# The most resamples that are taken where their number is to be found.
AUTO_LIMIT = 20_000

# Around ends more extreme than this share, Andrews and Buchinsky take the density at this share.
EXTREME_SHARE = 0.01

# A feature is constant in some samples if no more than this share of its squared norm is left
# around its mean there.
CONSTANT = 1e-13

# Norms whose fourth powers neither overflow nor underflow.
SMALLEST_NORM, LARGEST_NORM = 1e-70, 1e70

# Matrices of features x features that are stored at once, at least, with the numbers of all pairs.
MATRICES = 7

# Pairs of features and samples in one product of matrices, so that it stays in cache. Samples at
# which no product of a block is other than zero are skipped if at most this share is left.
PAIRS = 512
SAMPLES = 384
USED_SHARE = 0.8

# Resamples drawn at once.
DRAWS = 16

# Rounding error of a similarity whose factors are 1. It is in proportion to the factors.
ROUNDING = 1e-14

# Similarities of features of unit norm that differ by less than this are tied.
TIE = 1e-12


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
    features, rule = _read(X, matrix), Rule(method == "bca", (1 - confidence) / 2, pdb, tau)
    counts = _draw(
        rng, features.n_samples, _first_number(rule) if isinstance(n_boot, str) else n_boot
    )
    if isinstance(n_boot, str):
        needed = _final_number(features, counts, rule, callback)
        counts = _draw(rng, features.n_samples, needed, counts)
    lower, upper = _ends(features, counts, rule, callback)
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
    _validate.check_choice("matrix", matrix, _validate.Similarity)
    _validate.check_choice("method", method, _validate.IntervalMethod)
    for name, value in {"confidence": confidence, "tau": tau}.items():
        if not (_validate.is_finite(value) and 0 < value < 1):
            raise ValueError(f"{name} = {_validate.brief(value)}: must be between 0 and 1")
    _validate.check_positive("pdb", pdb)
    if not (isinstance(n_boot, str) and n_boot == "auto"):
        _validate.check_integer("n_boot", n_boot, LEAST_RESAMPLES, MOST_RESAMPLES)
    _validate.check_callback(callback)


class Rule(NamedTuple):
    """Which shares of the resampled values end an interval, and how exactly they must be known."""

    bca: bool
    tail: float  # nominal probability of a value below the interval, and of one above it
    pdb: float
    tau: float

    @property
    def z(self) -> float:
        """The normal quantile of `tail`, which is negative. That of ``1 - tail`` is ``-z``."""
        return float(_normal_quantile(self.tail))


def _ends(features: "Features", counts: Counts, rule: Rule, callback: PairsCallback) -> Floats:
    """Return lower and upper ends for all pairs of the features that vary."""
    n_features = len(features.sums)
    ends = np.empty((2, n_features, n_features))
    for pairs, values, shares in _blocks(features, counts, rule, callback):
        quantiles = _quantiles(values, shares * (values.shape[1] - 1))
        ends[:, *pairs] = ends[:, *pairs[::-1]] = quantiles.T
    return ends


def _shares(rule: Rule, below: Floats, n_boot: int, accelerations: Floats | None) -> Floats:
    """Return the shares for the lower and the upper end of every pair, pairs x 2.

    `below` says in how many resamples the similarity of a pair is below its estimate.
    """
    from scipy.special import ndtr  # here, for it would make the package slow to import

    if accelerations is None:
        return np.tile([rule.tail, 1 - rule.tail], (len(below), 1))
    bias = _normal_quantile(np.clip(below, 0.5, n_boot - 0.5) / n_boot)[:, None]
    moved = bias + np.array([rule.z, -rule.z])
    left = 1 - accelerations[:, None] * moved
    extreme = np.where(moved > 0, np.inf, -np.inf)
    moved = np.divide(moved, left, out=extreme, where=left > 0)
    shares: Floats = ndtr(bias + moved)
    return shares


def _unscaled(similarities: Floats, features: "Features") -> Floats:
    """Return similarities in the units of X, with zeros for the features that do not vary."""
    if features.matrix in ("covariance", "inner"):
        norm = features.norm[features.kept]
        count = features.n_samples - 1 if features.matrix == "covariance" else 1
        similarities = similarities * norm * (norm[:, None] / count)
    if features.kept.all():
        return similarities
    padded = np.zeros((len(features.kept),) * 2)
    padded[np.ix_(features.kept, features.kept)] = similarities
    return padded


def _first_number(rule: Rule) -> int:
    """Return the number of resamples needed if the resampled values are normal (step 1)."""
    needed, slope = _allowed(rule), (rule.z * _density(rule.z)) ** 2
    if not needed < AUTO_LIMIT * slope:
        return AUTO_LIMIT
    return max(int(np.ceil(needed / slope)), LEAST_RESAMPLES)


def _final_number(
    features: "Features", counts: Counts, rule: Rule, callback: PairsCallback
) -> int:
    """Return the number needed by the pair of features that needs most (steps 2 and 3)."""
    most, allowed = float(counts.shape[1]), _allowed(rule)
    for pairs, values, shares in _blocks(features, counts, rule, callback):
        estimates = features.estimates[pairs]
        sides = [_side(values, share, estimates) for share in shares.T]
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


def _allowed(rule: Rule) -> float:
    """Return the number of resamples for a side that is as long as its slope is steep.

    It is the variance of the share of resampled values below an end, times the number of
    resamples, over the variance that `pdb` and `tau` allow.
    """
    tail, ratio = rule.tail, _density(rule.z) / _density(0.0)
    variance = tail * (1 - tail) + rule.bca * (ratio**2 - 2 * tail * ratio)
    return float(variance * (100 * _normal_quantile(rule.tau / 2) / rule.pdb) ** 2)


def _side(values: Floats, shares: Floats, estimates: Floats) -> tuple[Floats, Floats]:
    """Return the lengths of one side of intervals, and the slopes of the quantiles at its end.

    The slope says how much an error in the share moves the end. It is a difference of two
    quantiles, whose distance is the one that Andrews and Buchinsky recommend.
    """
    n_boot = values.shape[1]
    shares = shares.clip(EXTREME_SHARE, 1 - EXTREME_SHARE)
    tails = np.minimum(shares, 1 - shares)
    z = _normal_quantile(tails)
    width = 1.5 * (_normal_quantile(tails / 2) * _density(z)) ** 2 / (2 * z**2 + 1)
    width = np.ceil(np.cbrt(width) * n_boot ** (2 / 3))
    ranks = np.rint(shares * (n_boot - 1))[:, None] + width[:, None] * np.array([-1, 0, 1])
    ranks = ranks.clip(0, n_boot - 1)
    ends = _quantiles(values, ranks)
    slope = (ends[:, 2] - ends[:, 0]) * n_boot / (ranks[:, 2] - ranks[:, 0])
    return np.abs(ends[:, 1] - estimates), slope


def _normal_quantile(share: Any) -> Any:
    """Return the quantile of the normal distribution, of a number or of an array."""
    from scipy.special import ndtri  # here, for it would make the package slow to import

    return ndtri(share)


def _density(z: Any) -> Any:
    """Return the normal density, of a number or of an array."""
    return np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)


class Features(NamedTuple):
    """Features scaled for comparison; those that do not vary are left out.

    The others are scaled to unit norm, for covariances and correlations around their mean. Over
    all samples the similarity of features i and j is ``products[i, j] - sums[i] sums[j] /
    n_samples``. Over other samples, of a resample say, the same sums are taken over these and the
    result is multiplied by one factor for either feature; see `_factors`.
    """

    matrix: Similarity
    centred: bool  # whether similarities are around the means
    n_samples: int
    names: Names
    mean: Floats  # of every feature of X, 0 where it is not centred
    norm: Floats  # of what remains
    kept: Bools  # which features of X vary: everything below is of these alone
    scaled: Any  # dense, features x samples, or sparse, samples x features by columns
    sums: Floats  # over the samples, 0 where it is not centred
    products: Floats  # of all pairs, summed over the samples
    estimates: Floats  # similarities of all pairs over all samples


def _read(X: ArrayLike | Sparse, matrix: Similarity) -> Features:
    """Check X, dense or sparse, and scale the features that vary."""
    _runtime.check_not_forked()
    values, names = _containers.unwrapped(X)
    centred = matrix in ("covariance", "correlation")
    if isinstance(values, Sparse):
        _check_budget(values.shape[-1])  # before X is copied
        values, scale = _containers.as_sparse(values, least_samples=LEAST_SAMPLES), _scale_sparse
    else:
        named: Any = values if names is None else _containers.Frame([*names], values)
        values, names = _containers.as_matrix(named, least_samples=LEAST_SAMPLES)
        _check_budget(values.shape[1])
        scale = _scale_dense
    mean, norm = _data.moments(values, names, center=centred)
    kept, n_samples = norm > 0, values.shape[0]
    _check_kept(norm, kept, "constant" if centred else "zero")
    norm[kept], scaled, sums, products = scale(values, mean, norm, kept)
    sums = sums if centred else np.zeros_like(sums)
    estimates = products - np.outer(sums, sums) / n_samples
    return Features(
        matrix, centred, n_samples, names, mean, norm, kept, scaled, sums, products, estimates
    )


def _check_budget(n_features: int) -> None:
    _runtime.check_budget(
        f"X: similarities of {n_features} x {n_features} features",
        8 * MATRICES * n_features**2,
        "take fewer features first, those with the largest variance for one",
    )


def _check_kept(norm: Floats, kept: Bools, kind: str) -> None:
    count = int((~kept).sum())
    if count == len(kept):
        raise ValueError(f"X: all {count} features are {kind}; at least one must vary")
    if norm[kept].min() < SMALLEST_NORM or norm[kept].max() > LARGEST_NORM:
        raise ValueError(f"X: {_validate.TOO_EXTREME}")
    if count:
        verb = "is" if count == 1 else "are"
        warnings.warn(
            f"{count} of {len(kept)} features {verb} {kind} and {verb} left out",
            stacklevel=_validate.caller(),
        )


def _scale_dense(
    values: Floats, mean: Floats, norm: Floats, kept: Bools
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return norms, the scaled features, features x samples, their sums and their products."""
    scaled = np.subtract(values.T, mean[:, None], order="C")
    if not kept.all():
        scaled = scaled[kept]
    mean, norm = mean[kept], norm[kept]
    norm = _centre_again(scaled, norm, _data.far_from_zero(mean, norm, len(values)))
    scaled /= norm[:, None]
    return norm, scaled, scaled.sum(axis=1), scaled @ scaled.T


def _scale_sparse(
    values: Any, mean: Floats, norm: Floats, kept: Bools
) -> tuple[Floats, Any, Floats, Floats]:
    """Return norms, the scaled features, samples x features, their sums and their products.

    A feature far from zero is centred and all its values are stored, at most twice as many: left
    as it is, its variance would vanish in the rounding of its mean square.
    """
    from scipy.sparse import csc_array, hstack  # here, for it would slow the import down

    scaled = values if kept.all() else values[:, kept]
    mean, norm = mean[kept], norm[kept]
    far = _data.far_from_zero(mean, norm, values.shape[0])
    if far.any():
        centred = np.subtract(scaled[:, far].toarray().T, mean[far, None], order="C")
        norm[far] = _centre_again(centred, norm[far], np.ones(len(centred), dtype=bool))
        order = np.argsort(np.argsort(far, kind="stable"))
        scaled = hstack((scaled[:, ~far], csc_array(centred.T)), format="csc")[:, order]
    scaled.sort_indices()
    scaled.data /= np.repeat(norm, np.diff(scaled.indptr))
    sums = np.asarray(scaled.sum(axis=0)).ravel()
    return norm, scaled, sums, (scaled.T @ scaled).toarray()


def _centre_again(centred: Floats, norm: Floats, far: Bools) -> Floats:
    """Centre features that were far from zero again, in place; return the norms of all.

    Their means were rounded in proportion to the values, and what that left in the sums and in
    the norms would make an estimate differ from resamples that it equals.
    """
    centred -= np.where(far, centred.mean(axis=1), 0.0)[:, None]
    return np.where(far, np.sqrt(np.einsum("ij,ij->i", centred, centred)), norm)


def _factors(
    matrix: Similarity, squares: Floats, sums: Floats, count: int, norms: Floats
) -> Floats:
    """Return what each feature multiplies its similarities by, over `count` samples.

    For cosines and correlations it is one over the norm of the feature at these samples, from the
    sums of its squares and of its values. It is 0 if the feature is zero or constant there, which
    makes the similarity 0. Rounding is in proportion to `norms`, the squared norms from which
    `squares` came.
    """
    if matrix in ("covariance", "inner"):
        return np.ones_like(squares)
    variances = squares - sums**2 / count
    positive = variances > CONSTANT * norms
    return np.where(positive, 1 / np.sqrt(np.where(positive, variances, 1.0)), 0.0)


def _jackknife(features: Features) -> Callable[[FeaturePairs], Floats]:
    """Return the function that computes the accelerations of pairs.

    Without one of the samples each sum lacks one term, so none has to be taken again.
    """

    def factors(values: Floats, feature: Integers) -> Floats:
        """Return the factors without a sample at which the feature has this value."""
        norms = features.products.diagonal()[feature]
        sums = features.sums[feature] - values * features.centred
        return _factors(features.matrix, norms - values**2, sums, n_samples - 1, norms)

    n_samples, every = features.n_samples, np.arange(len(features.sums))
    common: Any = (features.sums, features.products, features.centred / (n_samples - 1))
    if isinstance(features.scaled, np.ndarray):
        kernel: Any = _dense_accelerations
        arguments = features.scaled, factors(features.scaled, every[:, None]), *common
    else:
        kernel = _sparse_accelerations
        feature = np.repeat(every, np.diff(features.scaled.indptr))
        without_value = factors(features.scaled.data, feature)
        without_zero = factors(np.zeros(len(every)), every)
        scaled = features.scaled
        stored = scaled.indptr, scaled.indices, scaled.data
        arguments = *stored, without_value, without_zero, *common, n_samples

    return lambda pairs: kernel(*arguments, *pairs)


def _draw(
    rng: np.random.Generator, n_samples: int, n_boot: int, first: Counts | None = None
) -> Counts:
    """Draw resamples; return how often each holds every sample, samples x resamples.

    If `first` is passed, the resamples begin with these, which `rng` has drawn before.
    """
    counts, done = np.empty((n_samples, n_boot), dtype=np.uint8), 0
    if first is not None:
        done = first.shape[1]
        counts[:, :done] = first
    for start in range(done, n_boot, DRAWS):
        drawn = rng.integers(0, n_samples, (min(DRAWS, n_boot - start), n_samples))
        some = [np.bincount(sample, minlength=n_samples) for sample in drawn]
        counts[:, start : start + DRAWS] = np.transpose(some)
    return counts


def _blocks(
    features: Features, counts: Counts, rule: Rule, callback: PairsCallback
) -> Iterator[tuple[FeaturePairs, Floats, Floats]]:
    """Yield blocks of pairs with their similarities in every resample, pairs x resamples.

    With them come the shares at which their intervals end. Every pair comes once, a feature paired
    with itself included.
    """
    sums, factors = _resampled_factors(features, counts)
    accelerations = _jackknife(features) if rule.bca else None
    firsts, seconds = np.triu_indices(len(features.sums))
    n_pairs, n_boot = len(firsts), counts.shape[1]
    weight = features.centred / features.n_samples
    for start in range(0, n_pairs, PAIRS):
        pairs = firsts[start : start + PAIRS], seconds[start : start + PAIRS]
        values = _resampled_products(features, counts, *pairs)
        below = _compare(values, *pairs, sums, factors, weight, features.estimates[pairs])
        skewness = accelerations(pairs) if accelerations else None
        yield pairs, values, _shares(rule, below, n_boot, skewness)
        if callback is not None:
            callback(start + len(below), n_pairs)


def _resampled_factors(features: Features, counts: Counts) -> tuple[Floats, Floats]:
    """Return the sums and the factors of all features in every resample, features x resamples."""
    n_features, every = len(features.sums), np.arange(features.n_samples)
    sums, factors = np.zeros((2, n_features, counts.shape[1]))
    for start in range(0, n_features, PAIRS):
        some = np.arange(start, min(start + PAIRS, n_features))
        values = partial(_block, features, some)
        if features.centred:
            sums[some] = _accumulate(counts, every, len(some), values)
        squares = _accumulate(counts, every, len(some), partial(_squares, features, some))
        factors[some] = _factors(features.matrix, squares, sums[some], len(every), squares)
    return sums, factors


def _resampled_products(
    features: Features, counts: Counts, first: Integers, second: Integers
) -> Floats:
    """Sum products of pairs of features over every resample, pairs x resamples."""
    firsts, seconds = (np.arange(part.min(), part.max() + 1) for part in (first, second))
    samples = _used(features, firsts)
    if len(samples) > USED_SHARE * features.n_samples:
        samples = np.arange(features.n_samples)

    def products(some: Integers) -> Floats:
        left, right = _block(features, firsts, some), _block(features, seconds, some)
        return _multiply(left, right, first - firsts[0], second - seconds[0])

    return _accumulate(counts, samples, len(first), products)


def _accumulate(
    counts: Counts, samples: Integers, height: int, values: Callable[[Integers], Floats]
) -> Floats:
    """Multiply values, height x samples, by the counts, samples x resamples."""
    from scipy.linalg.blas import dgemm  # here, for it would make the package slow to import

    totals = np.zeros((height, counts.shape[1]))
    for start in range(0, len(samples), SAMPLES):
        some = samples[start : start + SAMPLES]
        times = counts[_as_slice(some)].astype(float)
        dgemm(1.0, times.T, values(some).T, 1.0, totals.T, overwrite_c=True)
    return totals


def _used(features: Features, some: Integers) -> Integers:
    """Return the samples at which any of these features is not zero."""
    if isinstance(features.scaled, np.ndarray):
        return np.flatnonzero(features.scaled[some].any(axis=0))
    return np.unique(features.scaled[:, _as_slice(some)].indices)


def _block(features: Features, some: Integers, samples: Integers) -> Floats:
    """Return some features at some samples as a dense array, features x samples."""
    if isinstance(features.scaled, np.ndarray):
        block: Floats = features.scaled[_as_slice(some)][:, _as_slice(samples)]
        return block
    dense: Floats = features.scaled[_as_slice(samples), _as_slice(some)].toarray().T
    return dense


def _squares(features: Features, some: Integers, samples: Integers) -> Floats:
    return np.square(_block(features, some, samples))


def _as_slice(indices: Integers) -> slice | Integers:
    """Turn consecutive indices into a slice, which selects without a copy."""
    first, last = indices[0], indices[-1] + 1
    return slice(first, last) if last - first == len(indices) else indices


@jit(helper=True)
def _left_out(total, x, y, rest_x, rest_y, weight, scale):
    """Return a similarity without the sample at which the two features are x and y.

    `total` is the sum of products, `rest_x` and `rest_y` the sums without that sample.
    """
    return (total - x * y - weight * rest_x * rest_y) * scale


@jit(helper=True)
def _skewness(count, total, square, cube, size):
    """Return the acceleration from the sums of u, u² and u³, u being less any constant.

    `size` is the sum of the squared factors of all u: the scale of their rounding errors.
    """
    mean = total / count
    variance = square - count * mean**2
    third = 3 * mean * square - cube - 2 * count * mean**3
    return third / (6 * variance**1.5) if variance > ROUNDING**2 * size else 0.0


@jit(parallel=True)
def _dense_accelerations(values, factors, sums, products, weight, first, second):
    """Find the accelerations of pairs from all values, features x samples.

    `factors` has the factor of every feature without every sample. The u without the first sample
    is subtracted from all others, which are often nearly the same: so less is lost to rounding.
    """
    count, out = values.shape[1], np.empty(len(first))
    for p in prange(len(first)):
        i, j = first[p], second[p]
        product, constant = products[i, j], 0.0
        total = square = cube = size = 0.0
        for s in range(count):
            x, y, scale = values[i, s], values[j, s], factors[i, s] * factors[j, s]
            u = _left_out(product, x, y, sums[i] - x, sums[j] - y, weight, scale)
            constant = u if s == 0 else constant
            u -= constant
            total += u
            square += u * u
            cube += u * u * u
            size += scale * scale
        out[p] = _skewness(count, total, square, cube, size)
    return out


@jit(parallel=True)
def _sparse_accelerations(
    starts, indices, data, factors, zero_factors, sums, products, weight, count, first, second
):
    """Find the same from stored values: `data` at the samples `indices`, by feature from `starts`.

    `factors` has the factor of the feature without the sample of each value, `zero_factors` the
    one without a sample at which the feature is zero. All samples at which both features are zero
    have the same u, which counts as often as there are such samples.
    """
    out = np.empty(len(first))
    for p in prange(len(first)):
        i, j = first[p], second[p]
        a, b, a_end, b_end = starts[i], starts[j], starts[i + 1], starts[j + 1]
        product, left, constant = products[i, j], count, 0.0
        total = square = cube = size = 0.0
        while a < a_end or b < b_end:
            x = y = 0.0
            scale_x, scale_y = zero_factors[i], zero_factors[j]
            at_x = indices[a] if a < a_end else count
            at_y = indices[b] if b < b_end else count
            if at_x <= at_y:
                x, scale_x = data[a], factors[a]
                a += 1
            if at_y <= at_x:
                y, scale_y = data[b], factors[b]
                b += 1
            scale = scale_x * scale_y
            u = _left_out(product, x, y, sums[i] - x, sums[j] - y, weight, scale)
            constant = u if left == count else constant
            u -= constant
            total += u
            square += u * u
            cube += u * u * u
            size += scale * scale
            left -= 1
        scale = zero_factors[i] * zero_factors[j]
        u = _left_out(product, 0.0, 0.0, sums[i], sums[j], weight, scale) - constant
        total += left * u
        square += left * u * u
        cube += left * u * u * u
        size += left * scale * scale
        out[p] = _skewness(count, total, square, cube, size)
    return out


# Not parallel: threads would take longer to start than this takes.
@jit
def _multiply(left, right, first, second):
    out = np.empty((len(first), left.shape[1]))
    for p in range(len(first)):
        for s in range(out.shape[1]):
            out[p, s] = left[first[p], s] * right[second[p], s]
    return out


@jit(parallel=True)
def _compare(values, first, second, sums, factors, weight, estimates):
    """Turn sums of products into similarities, in place; count those below the estimates."""
    below = np.empty(len(first))
    for p in prange(len(first)):
        i, j, count = first[p], second[p], 0.0
        for b in range(values.shape[1]):
            value = values[p, b] - weight * sums[i, b] * sums[j, b]
            value *= factors[i, b] * factors[j, b]
            values[p, b] = value
            count += 1.0 if value < estimates[p] - TIE else 0.0
            count += 1.0 if value <= estimates[p] + TIE else 0.0
        below[p] = count / 2
    return below


@jit(parallel=True)
def _quantiles(values, ranks):
    """Find the interpolated order statistics of every row, and reorder the row on the way.

    A row of `ranks` may lie between two whole numbers. It must not decrease; where rounding makes
    it decrease, the rank before counts again.
    """
    out = np.empty(ranks.shape)
    for p in prange(len(values)):
        row, low = values[p], 0
        for m in range(ranks.shape[1]):
            rank = min(max(ranks[p, m], low), len(row) - 1)
            below = int(rank)
            select(row, low, below)
            out[p, m] = row[below]
            if rank > below:
                out[p, m] += (rank - below) * (row[below + 1 :].min() - row[below])
            low = below
    return out
