"""Features scaled so that they can be compared, from dense and from sparse data.

A feature that does not vary is left out: it has nothing to compare. The others are scaled to unit
norm, for covariances and correlations around their mean. Over all samples the similarity of the
scaled features i and j is ``products[i, j] - sums[i] sums[j] / n_samples``. Over other samples, of
a resample say, the same sums are taken over these and the result is multiplied by one factor for
either feature; see `Features.factors`.
"""

import warnings
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from specsel import _containers, _data, _runtime, _validate
from specsel._bootstrap import jackknife
from specsel._runtime import jit
from specsel._validate import ArrayLike, Bools, Floats, Integers, Names, Similarity, Sparse

LEAST_SAMPLES = 3

# A feature is constant in some samples if no more than this share of its squared norm is left
# once its mean there is subtracted.
CONSTANT = 1e-13

# Norms whose fourth powers neither overflow nor underflow.
SMALLEST_NORM, LARGEST_NORM = 1e-70, 1e70

# Matrices of features x features that are held at once, at least.
MATRICES = 6

# First and second features of some pairs.
FeaturePairs = tuple[Integers, Integers]


def read_features(X: ArrayLike | Sparse, matrix: Similarity) -> "Features":
    """Check X, dense or sparse, and scale the features that vary."""
    _runtime.check_not_forked()
    values, names = _containers.unwrapped(X)
    if isinstance(values, Sparse):
        _check_budget(values.shape[-1])  # before X is copied
        return SparseFeatures(
            _containers.as_sparse(values, least_samples=LEAST_SAMPLES), names, matrix
        )
    found: Any = values if names is None else _containers.Frame([*names], values)
    return DenseFeatures(*_containers.as_matrix(found, least_samples=LEAST_SAMPLES), matrix)


def _check_budget(n_features: int) -> None:
    """Refuse so many features that their similarities would not fit."""
    _runtime.check_budget(
        f"X: similarities of {n_features} x {n_features} features",
        8 * MATRICES * n_features**2,
        "take fewer features first, those with the largest variance for one",
    )


class Features(ABC):
    """Scaled features, however they are stored.

    Attributes
    ----------
    matrix : {"cosine", "covariance", "correlation", "inner"}
        The similarity that they are scaled for.
    centred : bool
        Whether it is around the means: covariances and correlations are.
    n_samples : int
    names : tuple of str or None
    mean, norm : ndarray
        Mean of every feature of X, 0 where it is not centred, and norm of what remains.
    kept : ndarray of bool
        Which features of X vary. Everything below is of these alone.
    scaled
        Their scaled values.
    sums : ndarray
        Sum of every scaled feature over the samples; 0 where it is not centred.
    products : ndarray
        Products of all pairs, summed over the samples.
    estimates : ndarray
        Similarities of all pairs over all samples.
    """

    scaled: Any

    def __init__(self, values: Any, names: Names, matrix: Similarity) -> None:
        _check_budget(values.shape[1])
        self.n_samples: int = values.shape[0]
        self.names, self.matrix = names, matrix
        self.centred = matrix in ("covariance", "correlation")
        self.mean, self.norm = self._moments(values)
        self.kept: Bools = self.norm > 0
        self._check()
        self.scaled, sums, self.products = self._scale(values)
        self.sums: Floats = sums if self.centred else np.zeros_like(sums)
        self.estimates: Floats = self.products - np.outer(self.sums, self.sums) / self.n_samples

    @abstractmethod
    def _moments(self, values: Any) -> tuple[Floats, Floats]:
        """Return the mean and the norm of every feature; norm 0 where a feature is constant."""

    @abstractmethod
    def _scale(self, values: Any) -> tuple[Any, Floats, Floats]:
        """Return the scaled features, their sums and their products."""

    @abstractmethod
    def used(self, features: Integers) -> Integers:
        """Return the samples at which any of these features is not zero."""

    @abstractmethod
    def block(self, features: Integers, samples: Integers) -> Floats:
        """Return some features at some samples as a dense array, features x samples."""

    @abstractmethod
    def accelerations(self, pairs: FeaturePairs) -> Floats:
        """Return the acceleration of every pair's BCa interval, from the jackknife."""

    def factors(self, squares: Floats, sums: Floats, count: int, whole: Floats) -> Floats:
        """Return what each feature multiplies its similarities by, over `count` samples.

        For cosines and correlations it is one over the norm of the feature at these samples. It
        is 0 if the feature is zero or constant there, which makes the similarity 0.

        Parameters
        ----------
        squares, sums : ndarray
            Sums of squares and sums of the feature over the samples.
        count : int
        whole : ndarray
            What rounding is in proportion to: the sum of squares from which `squares` came.
        """
        if self.matrix in ("covariance", "inner"):
            return np.ones_like(squares)
        variances = squares - sums**2 / count
        positive = variances > CONSTANT * whole
        return np.where(positive, 1 / np.sqrt(np.where(positive, variances, 1.0)), 0.0)

    def _left_out_factors(self, values: Floats, feature: Integers) -> Floats:
        """Return the factors without one sample, at which the feature has this value."""
        whole = self.products.diagonal()[feature]
        sums = self.sums[feature] - values * self.centred
        return self.factors(whole - values**2, sums, self.n_samples - 1, whole)

    def _check(self) -> None:
        kind, count = "constant" if self.centred else "zero", int((~self.kept).sum())
        if count == len(self.kept):
            raise ValueError(f"X: all {count} features are {kind}; at least one must vary")
        norm = self.norm[self.kept]
        if norm.min() < SMALLEST_NORM or norm.max() > LARGEST_NORM:
            raise ValueError(f"X: {_validate.TOO_EXTREME}")
        if count:
            verb = "is" if count == 1 else "are"
            warnings.warn(
                f"{count} of {len(self.kept)} features {verb} {kind} and {verb} left out",
                stacklevel=_validate.caller(),
            )


class DenseFeatures(Features):
    """Scaled features of which all values are stored, features x samples."""

    def _moments(self, values: Floats) -> tuple[Floats, Floats]:
        mean, norm = _data.moments(values, self.names, center=self.centred)
        return mean, norm

    def _scale(self, values: Floats) -> tuple[Floats, Floats, Floats]:
        scaled = np.subtract(values.T, self.mean[:, None], order="C")
        if not self.kept.all():
            scaled = scaled[self.kept]
        scaled /= self.norm[self.kept, None]
        return scaled, scaled.sum(axis=1), scaled @ scaled.T

    def used(self, features: Integers) -> Integers:
        return np.flatnonzero(self.scaled[features].any(axis=0))

    def block(self, features: Integers, samples: Integers) -> Floats:
        block: Floats = self.scaled[as_slice(features)][:, as_slice(samples)]
        return block

    def accelerations(self, pairs: FeaturePairs) -> Floats:
        found = np.empty(len(pairs[0]))
        weight = self.centred / (self.n_samples - 1)
        sums = self.sums, self.products
        jackknife.dense(self.scaled, self._without_one, *sums, weight, *pairs, found)
        return found

    @cached_property
    def _without_one(self) -> Floats:
        """Factors without every one of the samples, features x samples."""
        return self._left_out_factors(self.scaled, np.arange(len(self.scaled))[:, None])


class SparseFeatures(Features):
    """Scaled features of which only the values that are not zero are stored, by columns.

    A feature far from zero is the exception. It is centred and all its values are stored, at most
    twice as many: left as it is, its variance would vanish in the rounding of its mean square.
    """

    def _moments(self, values: Any) -> tuple[Floats, Floats]:
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
        varies = high - low > _data.CONSTANT * largest if self.centred else stored > 0
        return mean, np.where(varies, largest * np.sqrt(squares), 0.0)

    def _scale(self, values: Any) -> tuple[Any, Floats, Floats]:
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
        scaled = csc_array((data, indices, starts), shape=kept.shape)
        sums: Floats = np.bincount(feature, weights=data, minlength=len(norm)).astype(float)
        return scaled, sums, (scaled.T @ scaled).toarray()

    def used(self, features: Integers) -> Integers:
        starts, indices = self.scaled.indptr, self.scaled.indices
        return np.unique(np.concatenate([indices[starts[i] : starts[i + 1]] for i in features]))

    def block(self, features: Integers, samples: Integers) -> Floats:
        place = np.full(self.n_samples, -1)
        place[samples] = np.arange(len(samples))
        dense = np.zeros((len(features), len(samples)))
        _fill(self.scaled.indptr, self.scaled.indices, self.scaled.data, features, place, dense)
        return dense

    def accelerations(self, pairs: FeaturePairs) -> Floats:
        found = np.empty(len(pairs[0]))
        weight = self.centred / (self.n_samples - 1)
        stored = self.scaled.indptr, self.scaled.indices, self.scaled.data, self._without_one
        sums = self._without_a_zero, self.sums, self.products
        jackknife.sparse(*stored, *sums, weight, self.n_samples, *pairs, found)
        return found

    @cached_property
    def _without_one(self) -> Floats:
        """Factors without one sample, for every value that is stored."""
        feature = np.repeat(np.arange(len(self.sums)), np.diff(self.scaled.indptr))
        return self._left_out_factors(self.scaled.data, feature)

    @cached_property
    def _without_a_zero(self) -> Floats:
        """Factors without a sample at which the feature is zero."""
        return self._left_out_factors(np.zeros(len(self.sums)), np.arange(len(self.sums)))


def as_slice(indices: Integers) -> slice | Integers:
    """Turn consecutive indices into a slice, which selects without a copy."""
    first, last = indices[0], indices[-1] + 1
    return slice(first, last) if last - first == len(indices) else indices


def _centre(
    data: Floats, indices: Any, starts: Any, mean: Floats, n_samples: int
) -> tuple[Floats, Any, Any]:
    """Subtract the means that are not zero, and store all values of these features."""
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


@jit
def _fill(starts, indices, data, features, place, out):
    """Fill a dense block, features x samples; `place` is the column of a sample, -1 for none."""
    for k in range(len(features)):
        for position in range(starts[features[k]], starts[features[k] + 1]):
            column = place[indices[position]]
            if column >= 0:
                out[k, column] = data[position]
