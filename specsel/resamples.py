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

from specsel import blocks, checks, representations
from specsel.linalg import jit

MATRICES = ("cosine", "covariance", "correlation")
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


def draw(rng, n_samples, n_boot) -> np.ndarray:
    """How often every sample is in every resample, samples x resamples."""
    counts = np.empty((n_boot, n_samples), dtype=np.uint8)
    for start in range(0, n_boot, DRAWS):
        drawn = rng.integers(0, n_samples, (min(DRAWS, n_boot - start), n_samples))
        for i, sample in enumerate(drawn, start):
            counts[i] = np.bincount(sample, minlength=n_samples)
    return np.ascontiguousarray(counts.T)


def read(X, matrix) -> "Features":
    """Check X, dense or sparse, and scale its features; those that are constant are left out."""
    if hasattr(X, "tocsr"):
        return Sparse(checks.as_sparse(X, least_samples=LEAST_SAMPLES), None, matrix)
    return Dense(*checks.as_matrix(X, least_samples=LEAST_SAMPLES), matrix)


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
            raise ValueError(f"X: {checks.TOO_EXTREME}")
        if count:
            verb = "is" if count == 1 else "are"
            warnings.warn(
                f"{count} of {len(self.kept)} features {verb} {kind} and {verb} left out",
                stacklevel=checks.caller(),
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
        return blocks.moments(values, self.names, center=self.centred)

    def _scale(self, values):
        scaled = values.T[self.kept].astype(float, order="C", copy=False)
        scaled -= self.mean[self.kept, None]
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
        sums = self.sums, self.products, self.estimates
        _dense_accelerations(self.scaled, self.left_out, *sums, weight, *pairs, found)
        return found


class Sparse(Features):
    """Values that are not zero, by features."""

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
        squares = np.bincount(feature, relative**2, minlength=n_features)
        squares += (n_samples - stored) * (mean / largest) ** 2
        varies = high - low > representations.CONSTANT * largest if self.centred else stored > 0
        return mean, np.where(varies, largest * np.sqrt(squares), 0.0)

    def _scale(self, values):
        from scipy.sparse import csc_array  # here, for it would make the package slow to import

        kept = values[:, self.kept]
        kept.sort_indices()
        feature = np.repeat(np.arange(kept.shape[1]), np.diff(kept.indptr))
        scaled = kept.data / self.norm[self.kept][feature]
        self.scaled = csc_array((scaled, kept.indices, kept.indptr), shape=kept.shape)
        products = (self.scaled.T @ self.scaled).toarray()
        return np.bincount(feature, scaled, minlength=kept.shape[1]), products

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
        sums = self.left_out_zero, self.sums, self.products, self.estimates
        _sparse_accelerations(*stored, *sums, weight, self.n_samples, *pairs, found)
        return found


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

    def blocks(self):
        """Yield some pairs, their similarities in every resample, and how many are low.

        Those are below the estimate, ties counting half. Pairs of a feature with itself are
        among the pairs, and none is there twice.
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

    A row of `places`, which may lie between two values, must not decrease.
    """
    for p in prange(len(values)):
        row, low = values[p], 0
        for m in range(places.shape[1]):
            rank = int(places[p, m])
            share = places[p, m] - rank
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


@jit
def _left_out(total, estimate, x, y, rest_x, rest_y, weight, scale):
    """A similarity without one sample, less the estimate."""
    return (total - x * y - weight * rest_x * rest_y) * scale - estimate


@jit
def _skewness(count, total, square, cube):
    """``Σ(mean - u)³ / (6 (Σ(mean - u)²)^(3/2))`` from sums of powers of u."""
    mean = total / count
    variance = square - count * mean**2
    third = 3 * mean * square - cube - 2 * count * mean**3
    return third / (6 * variance**1.5) if variance > 0 else 0.0


@jit(parallel=True)
def _dense_accelerations(features, factors, sums, products, estimates, weight, first, second, out):
    count = features.shape[1]
    for p in prange(len(first)):
        i, j = first[p], second[p]
        total = square = cube = 0.0
        for s in range(count):
            x, y = features[i, s], features[j, s]
            u = _left_out(
                products[i, j], estimates[i, j], x, y, sums[i] - x, sums[j] - y, weight,
                factors[i, s] * factors[j, s],
            )  # fmt: skip
            total += u
            square += u * u
            cube += u * u * u
        out[p] = _skewness(count, total, square, cube)


@jit(parallel=True)
def _sparse_accelerations(
    starts, indices, data, factors, zero_factors, sums, products, estimates, weight, count, first,
    second, out,
):  # fmt: skip
    """The same from samples at which one of the two is not zero; at the others all is alike."""
    for p in prange(len(first)):
        i, j = first[p], second[p]
        a, b, a_end, b_end = starts[i], starts[j], starts[i + 1], starts[j + 1]
        total = square = cube = 0.0
        left = count
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
            u = _left_out(
                products[i, j], estimates[i, j], x, y, sums[i] - x, sums[j] - y, weight,
                scale_x * scale_y,
            )  # fmt: skip
            total += u
            square += u * u
            cube += u * u * u
            left -= 1
        u = _left_out(
            products[i, j], estimates[i, j], 0.0, 0.0, sums[i], sums[j], weight,
            zero_factors[i] * zero_factors[j],
        )  # fmt: skip
        total += left * u
        square += left * u * u
        cube += left * u * u * u
        out[p] = _skewness(count, total, square, cube)
