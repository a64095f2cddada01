"""What simulations estimate, with confidence intervals."""

from math import sqrt
from typing import NamedTuple

import numpy as np

# Normal deviates within which 95 % of what is estimated lies.
DEVIATES = 1.959963984540054


class Estimate(NamedTuple):
    """A probability, and a 95 % confidence interval (Wilson)."""

    probability: float
    low: float
    high: float


class Mean(NamedTuple):
    """A mean with a 95 % confidence interval, and what theory expects."""

    mean: float
    low: float
    high: float
    expected: float


class Tail(NamedTuple):
    """How often a bound is exceeded, and how often it may be at most."""

    frequency: Estimate
    bound: float
    printed: float  # in the paper, where that differs


class Triple(NamedTuple):
    """The least product found over unit vectors, and the mean over random ones."""

    minimum: float
    product: Mean


class Leading(NamedTuple):
    """Leading eigenvalues and sums of the eigenvectors, a trial each."""

    eigenvalue: Mean
    eigenvalues: np.ndarray
    sums: np.ndarray


class Spectrum(NamedTuple):
    """Shares of the eigenvalues between edges, and how many lie outside."""

    edges: np.ndarray
    share: np.ndarray
    expected: np.ndarray
    below: float
    above: float


class Moments(NamedTuple):
    """Moments of the spectrum, from the first on."""

    mean: np.ndarray
    error: np.ndarray  # standard error
    expected: np.ndarray  # for matrices of this size, NaN where that is not known
    limit: np.ndarray  # for large ones


class Bound(NamedTuple):
    """Total weight of irrelevant features, and its bound."""

    weight: float
    bound: float


def share(found) -> Estimate:
    """How likely it is, from what was found in independent trials."""
    count, p = len(found), float(np.mean(found))
    z = DEVIATES**2 / count
    middle = (p + z / 2) / (1 + z)
    half = sqrt(z * (p * (1 - p) + z / 4)) / (1 + z)
    low = max(middle - half, 0.0) if p > 0 else 0.0
    return Estimate(p, low, min(middle + half, 1.0) if p < 1 else 1.0)


def mean(values, expected) -> Mean:
    """The mean of what independent trials gave."""
    center = float(values.mean())
    half = DEVIATES * float(values.std()) / sqrt(len(values))
    return Mean(center, center - half, center + half, float(expected))
