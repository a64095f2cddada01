"""What the simulations of `positivity` return: estimates, and what theory says about them."""

from math import sqrt
from typing import NamedTuple, Self

import numpy as np

from specsel._validate import Bools, Floats

# 95 % of a normal distribution lies within this many standard deviations of its mean.
DEVIATIONS = 1.959963984540054


class Estimate(NamedTuple):
    """A probability with a 95 % confidence interval (Wilson).

    Attributes
    ----------
    probability : float
        Share of the trials in which the event occurred.
    low, high : float
        Ends of the interval.
    """

    probability: float
    low: float
    high: float

    @classmethod
    def of(cls, occurred: Bools) -> Self:
        """Estimate the probability of an event from whether it occurred in each trial."""
        count, p = len(occurred), float(np.mean(occurred))
        z = DEVIATIONS**2 / count
        middle = (p + z / 2) / (1 + z)
        half = sqrt(z * (p * (1 - p) + z / 4)) / (1 + z)
        low = max(middle - half, 0.0) if p > 0 else 0.0
        return cls(p, low, min(middle + half, 1.0) if p < 1 else 1.0)


class Mean(NamedTuple):
    """A mean with a 95 % confidence interval.

    Attributes
    ----------
    mean : float
        Mean over the trials.
    low, high : float
        Ends of the interval.
    expected : float
        What theory expects; NaN where it expects nothing.
    """

    mean: float
    low: float
    high: float
    expected: float

    @classmethod
    def of(cls, values: Floats, expected: float) -> Self:
        """Estimate a mean from the value of each trial."""
        center = float(values.mean())
        half = DEVIATIONS * float(values.std()) / sqrt(len(values))
        return cls(center, center - half, center + half, float(expected))


class Tail(NamedTuple):
    """How often something is exceeded, and a bound on that.

    Attributes
    ----------
    frequency : Estimate
        How often it was exceeded in the trials.
    bound : float
        The probability is at most this.
    printed : float
        The bound as the paper prints it.
    """

    frequency: Estimate
    bound: float
    printed: float


class TripleProduct(NamedTuple):
    """Products ``(aᵀb)(aᵀc)(bᵀc)`` of unit vectors.

    Attributes
    ----------
    minimum : float
        The least product found by a search.
    product : Mean
        The mean over random vectors.
    """

    minimum: float
    product: Mean


class LeadingPairs(NamedTuple):
    """Leading eigenpairs of random matrices.

    Attributes
    ----------
    eigenvalue : Mean
        The mean leading eigenvalue.
    eigenvalues, sums : ndarray of shape (n_trials,)
        The leading eigenvalue of every trial, and the modulus of the sum of its unit eigenvector.
    """

    eigenvalue: Mean
    eigenvalues: Floats
    sums: Floats


class SpectralHistogram(NamedTuple):
    """Where the eigenvalues of random matrices lie.

    Attributes
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Ends of the bins.
    share, expected : ndarray of shape (n_bins,)
        Share of the eigenvalues in every bin, and what theory expects.
    below, above : float
        Mean number of eigenvalues of a matrix below the first bin and above the last one.
    """

    edges: Floats
    share: Floats
    expected: Floats
    below: float
    above: float


class SpectralMoments(NamedTuple):
    """Moments of the spectra of random matrices, from the first on.

    Attributes
    ----------
    mean, error : ndarray of shape (n_moments,)
        Mean over the trials, and its standard error; NaN for a single trial.
    expected : ndarray of shape (n_moments,)
        What is expected for matrices of this size; NaN where that is not known.
    limit : ndarray of shape (n_moments,)
        What is expected for large matrices with the same ratio of rows to columns.
    """

    mean: Floats
    error: Floats
    expected: Floats
    limit: Floats


class WeightBound(NamedTuple):
    """The total weight of the irrelevant features.

    Attributes
    ----------
    weight : float
        Sum of their weights.
    bound : float
        The sum is at most this.
    """

    weight: float
    bound: float
