"""How likely sums and norms of bounded variables are large (Wolf and Shashua 2005, Sec. 4.3).

Random trials beside the bounds of Lemma 11, Hoeffding's inequality, and of Lemma 12, which follows
from it.

Departure. Lemma 12 is printed with M² where Hoeffding's inequality gives M⁴: see `norm_tail`.
"""

from math import exp, sqrt

import numpy as np

from specsel import _validate
from specsel._simulation import experiments, memory, streams
from specsel._validate import BOUNDED_DISTRIBUTIONS, BoundedDistribution, Floats, Seed
from specsel.results.estimates import Estimate, Tail

# The largest modulus of a variable of mean 0 and variance 1.
LARGEST = {"uniform": sqrt(3.0), "bernoulli": 1.0}

# The fourth power of M must be a number.
LARGEST_BOUND = 1e50


def hoeffding_tail(
    n: int,
    t: float,
    *,
    distribution: BoundedDistribution = "uniform",
    width: float = 1.0,
    trials: int = 10_000,
    random_state: Seed = None,
) -> Tail:
    """Compare the tail of a sum of bounded variables with Hoeffding's bound (Lemma 11).

    The sum exceeds its mean by t or more with probability at most ``exp(-2t² / (n width²))``.

    Parameters
    ----------
    n : int
        Number of independent variables.
    t : float
        How far the sum exceeds its mean.
    distribution : {"uniform", "bernoulli"}
        Of the variables: uniform over an interval, or at one of its ends with equal chance.
    width : float
        Width of the interval.
    trials : int
        Number of random trials.
    random_state : int, Generator or None
        Seed of the trials.

    Returns
    -------
    Tail

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.hoeffding_tail(100, 10, random_state=0)
    >>> found.frequency.high < found.bound < 0.14
    True
    """
    n = _check(n, distribution, trials)
    _validate.check_not_negative("t", t)
    _validate.check_positive("width", width)
    t, width = float(t), float(width)
    totals, _ = _sums(random_state, trials, distribution, n)
    scale = width / (2 * LARGEST[distribution])
    bound = exp(-2 * t**2 / (n * width**2))
    return Tail(Estimate.of(scale * totals >= t), bound, bound)


def norm_tail(
    n: int,
    largest: float,
    *,
    D: float = 1.0,
    epsilon: float = 1.0,
    distribution: BoundedDistribution = "uniform",
    trials: int = 10_000,
    random_state: Seed = None,
) -> Tail:
    """Compare the tail of the norm of a bounded vector with Lemma 12.

    The question is how likely ``‖g‖² ≥ D n^(1/2 + ε)`` is for a vector g of n independent entries
    whose modulus is at most M. Let ``γ = D n^(ε - 1/2)`` and m be the mean square of an entry.
    Then ``‖g‖²`` must exceed its mean by ``n (γ - m)``, for which Hoeffding's inequality, squares
    being between 0 and M², gives the bound ``exp(-2 n (γ - m)² / M⁴)``. The paper prints
    ``exp(-n (γ - m)² / M²)``, which is too small if M exceeds √2. Both bounds need γ > m, which
    holds for large n if ε > 1/2; otherwise they are 1.

    Parameters
    ----------
    n : int
        Length of g.
    largest : float
        M, the largest modulus of an entry.
    D, epsilon : float
        The numbers D and ε above.
    distribution : {"uniform", "bernoulli"}
        Of the entries: uniform between -M and M, or one of the two with equal chance.
    trials, random_state
        As in `hoeffding_tail`.

    Returns
    -------
    Tail

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.norm_tail(100, 1.0, D=0.036, random_state=0)
    >>> found.frequency.high < found.bound < 0.9
    True
    """
    n = _check(n, distribution, trials)
    _validate.check_positive("largest", largest, LARGEST_BOUND)
    _validate.check_positive("D", D)
    _validate.check_number("epsilon", epsilon)
    largest, D, epsilon = float(largest), float(D), float(epsilon)
    _, squares = _sums(random_state, trials, distribution, n)
    with np.errstate(over="ignore", under="ignore"):  # infinity is as good as a huge number here
        gamma = D * np.float64(n) ** (epsilon - 0.5)
        excess = max(gamma - (largest / LARGEST[distribution]) ** 2, np.float64(0.0))
        return Tail(
            Estimate.of((largest / LARGEST[distribution]) ** 2 * squares >= n * gamma),
            exp(-2 * n * excess**2 / largest**4),
            exp(-n * excess**2 / largest**2),
        )


def _check(n: object, distribution: object, trials: object) -> int:
    size = _validate.check_integer("n", n, 1)
    _validate.check_choice("distribution", distribution, BOUNDED_DISTRIBUTIONS)
    _validate.check_integer("trials", trials, 1)
    return size


def _sums(
    random_state: Seed, trials: int, distribution: BoundedDistribution, n: int
) -> tuple[Floats, Floats]:
    """Return the sum of n variables, and the sum of their squares, in every trial."""
    totals, squares = np.empty((2, trials))
    kind = streams.KINDS[distribution]
    with memory.reserved(f"n = {n}", 2 * n, trials):
        experiments.sums(streams.keys(random_state, trials), kind, n, totals, squares)
    return totals, squares
