"""Similarities of all pairs of features in resamples of the samples.

A resample of q samples is a vector of q counts: how often it holds each sample. Sums over a
resample are therefore products with its counts. For a block of pairs one product of matrices,
pairs x samples by samples x resamples, gives the sums of products in all resamples at once, and
from these and the sums of single features the similarities follow.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numba import prange

from specsel._bootstrap.features import FeaturePairs, Features, as_slice
from specsel._runtime import jit
from specsel._validate import Floats, Integers, NDArray

Counts = NDArray[np.uint8]

# Told how many pairs of features are done, and how many there are.
PairsCallback = Callable[[int, int], object] | None

# Pairs of features and samples in one product of matrices, so that it stays in cache. Samples at
# which no product of a block is other than zero are skipped if at most this share is left.
PAIRS = 512
SAMPLES = 384
USED_SHARE = 0.8

# Resamples drawn at once.
DRAWS = 16

# Similarities of features of unit norm that differ by less than this are tied.
TIE = 1e-12


def draw(
    rng: np.random.Generator, n_samples: int, n_boot: int, first: Counts | None = None
) -> Counts:
    """Draw resamples; return how often each holds every sample, samples x resamples.

    If `first` is given, the resamples begin with these, which `rng` has drawn before.
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


class Resamples:
    """The similarities of features in resamples, a block of pairs at a time: see `blocks`."""

    def __init__(self, features: Features, counts: Counts) -> None:
        self.features, self.counts = features, counts
        n_features, self.n_boot = len(features.sums), counts.shape[1]
        self.n_pairs = n_features * (n_features + 1) // 2
        self.sums, self.factors = np.zeros((2, n_features, self.n_boot))
        for start in range(0, n_features, PAIRS):
            some = np.arange(start, min(start + PAIRS, n_features))
            if features.centred:
                self.sums[some] = self._total(some, lambda values: values)
            squares = self._total(some, np.square)
            sums = self.sums[some]
            self.factors[some] = features.factors(squares, sums, features.n_samples, squares)

    def blocks(
        self, callback: PairsCallback = None
    ) -> Iterator[tuple[FeaturePairs, Floats, Floats]]:
        """Yield blocks of pairs with their similarities in every resample.

        Every pair comes once, a feature paired with itself included.

        Yields
        ------
        pairs : two ndarrays of int
            First and second features of the pairs in this block.
        values : ndarray of shape (n_pairs, n_boot)
            Their similarities in the resamples.
        below : ndarray of shape (n_pairs,)
            In how many resamples a similarity is below its estimate; a tie counts half.
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

    def _total(self, features: Integers, function: Callable[[Floats], Floats]) -> Floats:
        """Sum a function of some features over every resample, features x resamples."""
        return self._accumulate(
            np.arange(self.features.n_samples),
            len(features),
            lambda samples: function(self.features.block(features, samples)),
        )

    def _products(self, first: Integers, second: Integers) -> Floats:
        """Sum products of pairs of features over every resample, pairs x resamples."""
        firsts, seconds = (np.arange(part.min(), part.max() + 1) for part in (first, second))
        samples = self.features.used(firsts)
        if len(samples) > USED_SHARE * self.features.n_samples:
            samples = np.arange(self.features.n_samples)

        def products(some: Integers) -> Floats:
            left = self.features.block(firsts, some)
            right = self.features.block(seconds, some)
            out = np.empty((len(first), len(some)))
            _multiply(left, right, first - firsts[0], second - seconds[0], out)
            return out

        return self._accumulate(samples, len(first), products)

    def _accumulate(
        self, samples: Integers, height: int, values: Callable[[Integers], Floats]
    ) -> Floats:
        """Multiply values, height x samples, by the counts, samples x resamples."""
        from scipy.linalg.blas import dgemm  # here, for it would make the package slow to import

        totals = np.zeros((height, self.n_boot))
        for start in range(0, len(samples), SAMPLES):
            some = samples[start : start + SAMPLES]
            counts = self.counts[as_slice(some)].astype(float)
            dgemm(1.0, counts.T, values(some).T, 1.0, totals.T, overwrite_c=True)
        return totals


# Not parallel: threads would take longer to start than this takes.
@jit
def _multiply(left, right, first, second, out):
    for p in range(len(first)):
        for s in range(out.shape[1]):
            out[p, s] = left[first[p], s] * right[second[p], s]


@jit(parallel=True)
def _compare(values, first, second, sums, factors, weight, estimates, below):
    """Turn sums of products into similarities, in place; count those below the estimates."""
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
    """Find the interpolated order statistics of every row, and reorder the row on the way.

    A row of `places` holds ranks, which may lie between two whole numbers. It must not decrease;
    where rounding makes it decrease, the place before counts again.
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
    """Bring the value of this rank to its place, smaller ones before it and larger ones after."""
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
