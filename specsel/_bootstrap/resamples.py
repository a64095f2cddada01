"""Similarities of all pairs of features, in resamples of the samples and with a sample left out.

A resample of q samples is a vector of q counts, so the second moments of features in resamples are
products of features times these counts: for a block of pairs one product of matrices, pairs x
samples by samples x resamples, gives all of them. With a sample left out the sums lose one term.
Cosines, covariances and correlations follow from the sums; one with a feature that is zero or
constant is 0.
"""

import warnings

import numpy as np
from numba import prange

from specsel import _data, _input
from specsel._bootstrap import jackknife
from specsel._data import representations
from specsel.linalg import jit

LEAST_SAMPLES = 3

# Pairs of features and samples in one product of matrices, so that it stays in cache. Samples at
# which no product of a block is non-zero are passed over if no more than this share is left.
PAIRS = 512
SAMPLES = 384
USED_SHARE = 0.8

# Resamples drawn at once.
DRAWS = 16

# For features of unit norm: values that differ by less are ties; a feature of which no more than
# this share is left is constant.
TIE = 1e-12
CONSTANT = 1e-13

# Norms of which fourth powers are safe numbers.
SMALLEST_NORM, LARGEST_NORM = 1e-70, 1e70


def draw(rng, n_samples, n_boot, first=None) -> np.ndarray:
    """How often every sample is in every resample, samples x resamples.

    `first`, if given, are those that were drawn before.
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


def read(X, matrix) -> "Features":
    """Check X, dense or sparse, and scale its features; those that are constant are left out."""
    if hasattr(X, "tocsr"):
        return Sparse(_input.as_sparse(X, least_samples=LEAST_SAMPLES), None, matrix)
    return Dense(*_input.as_matrix(X, least_samples=LEAST_SAMPLES), matrix)


class Features:
    """Features of unit norm, for covariances and correlations around their mean.

    Attributes
    ----------
    n_samples : int
    names : tuple of str or None
    mean, norm : ndarray
        Of every feature of X.
    kept : ndarray of bool
        Features of X that vary, the only ones that are looked at.
    sums, products : ndarray
        Sums over the samples of scaled features, none for cosines, and of their products.
    """

    def __init__(self, values, names, matrix):
        self.n_samples, self.names, self.matrix = values.shape[0], names, matrix
        self.centred = matrix != "cosine"
        self.mean, self.norm = self._moments(values)
        self.kept = self.norm > 0
        self._check()
        self.sums, self.products = self._scale(values)
        if not self.centred:
            self.sums = np.zeros_like(self.sums)
        self.estimates = self.products - np.outer(self.sums, self.sums) / self.n_samples

    def _check(self):
        kind, count = "constant" if self.centred else "zero", int((~self.kept).sum())
        if count == len(self.kept):
            raise ValueError(f"X: all {count} features are {kind}; at least one must vary")
        norm = self.norm[self.kept]
        if norm.min() < SMALLEST_NORM or norm.max() > LARGEST_NORM:
            raise ValueError(f"X: {_input.TOO_EXTREME}")
        if count:
            verb = "is" if count == 1 else "are"
            warnings.warn(
                f"{count} of {len(self.kept)} features {verb} {kind} and {verb} left out",
                stacklevel=_input.caller(),
            )

    def factors(self, squares, sums, size, whole):
        """What every feature brings to the scale of a similarity, from its sums over `size`."""
        if self.matrix == "covariance":
            return np.ones_like(squares)
        variances = squares - sums**2 / size
        positive = variances > CONSTANT * whole
        return np.where(positive, 1 / np.sqrt(np.where(positive, variances, 1.0)), 0.0)

    def left_out_factors(self, values, feature):
        """The same with one sample left out, at which the feature has this value."""
        whole = self.products.diagonal()[feature]
        sums = self.sums[feature] - values * self.centred
        return self.factors(whole - values**2, sums, self.n_samples - 1, whole)


class Dense(Features):
    """All values, features x samples."""

    def _moments(self, values):
        return _data.moments(values, self.names, center=self.centred)

    def _scale(self, values):
        scaled = np.subtract(values.T, self.mean[:, None], order="C")
        if not self.kept.all():
            scaled = scaled[self.kept]
        scaled /= self.norm[self.kept, None]
        self.scaled, products = scaled, scaled @ scaled.T
        return scaled.sum(axis=1), products

    def used(self, features):
        """Samples at which one of the features is not zero."""
        return np.flatnonzero(self.scaled[features].any(axis=0))

    def block(self, features, samples):
        """Some features, features x samples."""
        return self.scaled[_slice(features)][:, _slice(samples)]

    def accelerations(self, pairs):
        """Skewness of the similarities with a sample left out, as BCa intervals have it."""
        if not hasattr(self, "left_out"):
            feature = np.arange(len(self.scaled))[:, None]
            self.left_out = self.left_out_factors(self.scaled, feature)
        found = np.empty(len(pairs[0]))
        weight = self.centred / (self.n_samples - 1)
        sums = self.sums, self.products
        jackknife.dense(self.scaled, self.left_out, *sums, weight, *pairs, found)
        return found


class Sparse(Features):
    """Values that are not zero, by features.

    Features far from zero are centred and all their values stored, for the variance would vanish
    in the rounding of the mean square otherwise; that is at most twice as many values.
    """

    def _moments(self, values):
        n_samples, n_features = values.shape
        stored = np.diff(values.indptr)
        if not self.centred:
            mean = np.zeros(n_features)
        else:
            mean = np.asarray(values.sum(axis=0)).ravel() / n_samples
        low, high = (x.toarray().ravel() for x in (values.min(axis=0), values.max(axis=0)))
        largest = np.maximum(np.maximum(-low, high), np.finfo(float).tiny)
        feature = np.repeat(np.arange(n_features), stored)
        relative = (values.data - mean[feature]) / largest[feature]
        squares = np.bincount(feature, relative**2, minlength=n_features).astype(float)
        squares += (n_samples - stored) * (mean / largest) ** 2
        varies = high - low > representations.CONSTANT * largest if self.centred else stored > 0
        return mean, np.where(varies, largest * np.sqrt(squares), 0.0)

    def _scale(self, values):
        from scipy.sparse import csc_array  # here, for it would make the package slow to import

        kept = values if self.kept.all() else values[:, self.kept]
        kept.sort_indices()
        mean, norm = self.mean[self.kept], self.norm[self.kept]
        far = _data.far_from_zero(mean, norm, self.n_samples)
        stored = kept.data, kept.indices, kept.indptr
        if far.any():
            stored = _centre(*stored, np.where(far, mean, 0.0), self.n_samples)
        data, indices, starts = stored
        feature = np.repeat(np.arange(len(norm)), np.diff(starts))
        data /= norm[feature]
        self.scaled = csc_array((data, indices, starts), shape=kept.shape)
        products = (self.scaled.T @ self.scaled).toarray()
        return np.bincount(feature, data, minlength=len(norm)), products

    def used(self, features):
        starts, indices = self.scaled.indptr, self.scaled.indices
        return np.unique(np.concatenate([indices[starts[i] : starts[i + 1]] for i in features]))

    def block(self, features, samples):
        place = np.full(self.n_samples, -1)
        place[samples] = np.arange(len(samples))
        dense = np.zeros((len(features), len(samples)))
        _fill(self.scaled.indptr, self.scaled.indices, self.scaled.data, features, place, dense)
        return dense

    def accelerations(self, pairs):
        if not hasattr(self, "left_out"):
            feature = np.repeat(np.arange(len(self.sums)), np.diff(self.scaled.indptr))
            self.left_out = self.left_out_factors(self.scaled.data, feature)
            everywhere = np.arange(len(self.sums))
            self.left_out_zero = self.left_out_factors(np.zeros(len(self.sums)), everywhere)
        found = np.empty(len(pairs[0]))
        weight = self.centred / (self.n_samples - 1)
        stored = self.scaled.indptr, self.scaled.indices, self.scaled.data, self.left_out
        sums = self.left_out_zero, self.sums, self.products
        jackknife.sparse(*stored, *sums, weight, self.n_samples, *pairs, found)
        return found


def _centre(data, indices, starts, mean, n_samples):
    """Store all values of the features whose mean is not zero, less the mean."""
    stored = np.where(mean != 0, n_samples, np.diff(starts))
    new_starts = np.append(0, np.cumsum(stored)).astype(starts.dtype)
    new_data, new_indices = np.empty(new_starts[-1]), np.empty(new_starts[-1], indices.dtype)
    for i, centre in enumerate(mean):
        old, new = slice(*starts[i : i + 2]), slice(*new_starts[i : i + 2])
        if centre == 0:
            new_data[new], new_indices[new] = data[old], indices[old]
        else:
            new_data[new], new_indices[new] = -centre, np.arange(n_samples)
            new_data[new][indices[old]] += data[old]
    return new_data, new_indices, new_starts


def _slice(indices):
    """Neighbours as a slice, which needs no copy."""
    first, last = indices[0], indices[-1] + 1
    return slice(first, last) if last - first == len(indices) else indices


class Resamples:
    """What features are like in resamples.

    `blocks` yields pairs of features and their similarity in every resample, pairs x resamples.
    """

    def __init__(self, features, counts):
        self.features, self.counts = features, counts
        n_features, n_boot = len(features.sums), counts.shape[1]
        self.n_pairs = n_features * (n_features + 1) // 2
        self.sums, self.factors = np.zeros((2, n_features, n_boot))
        for start in range(0, n_features, PAIRS):
            some = np.arange(start, min(start + PAIRS, n_features))
            if features.centred:
                self.sums[some] = self._total(some, lambda rows: rows)
            squares = self._total(some, np.square)
            sums = self.sums[some]
            self.factors[some] = features.factors(squares, sums, features.n_samples, squares)

    def _total(self, features, function):
        """Sums over resamples of a function of features."""
        return self._accumulate(
            np.arange(self.features.n_samples),
            len(features),
            lambda samples: function(self.features.block(features, samples)),
        )

    def _accumulate(self, samples, height, values):
        from scipy.linalg.blas import dgemm  # here, for it would make the package slow to import

        totals = np.zeros((height, self.counts.shape[1]))
        for start in range(0, len(samples), SAMPLES):
            some = samples[start : start + SAMPLES]
            counts = self.counts[_slice(some)].astype(float)
            dgemm(1.0, counts.T, values(some).T, 1.0, totals.T, overwrite_c=True)
        return totals

    def blocks(self, callback=None):
        """Yield some pairs, their similarities in every resample, and how many are low.

        Those are below the estimate, ties counting half. Pairs of a feature with itself are
        among the pairs, and none is there twice. The callback is told how many are done.
        """
        n_features = len(self.features.sums)
        before = np.arange(n_features) * (2 * n_features + 1 - np.arange(n_features)) // 2
        for start in range(0, self.n_pairs, PAIRS):
            place = np.arange(start, min(start + PAIRS, self.n_pairs))
            first = np.searchsorted(before, place, side="right") - 1
            pairs = first, place - before[first] + first
            values = self._products(*pairs)
            below = np.empty(len(place))
            weight = self.features.centred / self.features.n_samples
            estimates = self.features.estimates[pairs]
            _compare(values, *pairs, self.sums, self.factors, weight, estimates, below)
            yield pairs, values, below
            if callback is not None:
                callback(start + len(place), self.n_pairs)

    def _products(self, first, second):
        """Sums over resamples of products of two features."""
        firsts, seconds = (np.arange(part.min(), part.max() + 1) for part in (first, second))
        samples = self.features.used(firsts)
        if len(samples) > USED_SHARE * self.features.n_samples:
            samples = np.arange(self.features.n_samples)

        def products(some):
            left = self.features.block(firsts, some)
            right = self.features.block(seconds, some)
            out = np.empty((len(first), len(some)))
            _multiply(left, right, first - firsts[0], second - seconds[0], out)
            return out

        return self._accumulate(samples, len(first), products)


# Kernels -------------------------------------------------------------------------------------


@jit
def _fill(starts, indices, data, features, place, out):
    """Some features and samples as a dense block; `place` is -1 where a sample is not wanted."""
    for k in range(len(features)):
        for position in range(starts[features[k]], starts[features[k] + 1]):
            column = place[indices[position]]
            if column >= 0:
                out[k, column] = data[position]


# Not parallel: it takes less time than threads take to start.
@jit
def _multiply(left, right, first, second, out):
    for p in range(len(first)):
        for s in range(out.shape[1]):
            out[p, s] = left[first[p], s] * right[second[p], s]


@jit(parallel=True)
def _compare(values, first, second, sums, factors, weight, estimates, below):
    """Sums of products become similarities, in place; count those below the estimates."""
    for p in prange(len(first)):
        i, j, count = first[p], second[p], 0.0
        for b in range(values.shape[1]):
            value = values[p, b] - weight * sums[i, b] * sums[j, b]
            value *= factors[i, b] * factors[j, b]
            values[p, b] = value
            count += 1.0 if value < estimates[p] - TIE else 0.0
            count += 1.0 if value <= estimates[p] + TIE else 0.0
        below[p] = count / 2


@jit(parallel=True)
def quantiles(values, places, out):
    """Interpolated order statistics of every row, whose values change places.

    A row of `places`, which may lie between two values, must not decrease but by rounding.
    """
    for p in prange(len(values)):
        row, low = values[p], 0
        for m in range(places.shape[1]):
            place = min(max(places[p, m], low), len(row) - 1)
            rank = int(place)
            share = place - rank
            _select(row, low, rank)
            out[p, m] = row[rank]
            if share > 0:
                out[p, m] += share * (row[rank + 1 :].min() - row[rank])
            low = rank


@jit
def _select(row, low, rank):
    """Bring the value of some rank to its place, smaller ones before it and larger ones after."""
    high = len(row) - 1
    while low < high:
        pivot = row[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while row[i] < pivot:
                i += 1
            while row[j] > pivot:
                j -= 1
            if i <= j:
                row[i], row[j] = row[j], row[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            return
