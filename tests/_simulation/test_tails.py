"""Tails of bounded variables against their bounds and against the binomial distribution."""

import numpy as np
import pytest
import scipy.stats

from specsel._simulation import tails


@pytest.mark.parametrize("distribution", tails.LARGEST)
def test_hoeffding_bounds_the_tail(distribution):
    for n, t in ((10, 1.0), (50, 3.0), (50, 5.0)):
        found = tails.hoeffding_tail(n, t, distribution=distribution, random_state=0)
        assert found.frequency.probability <= found.bound == np.exp(-2 * t**2 / n)
    exact = scipy.stats.binom(50, 0.5).sf(28 - 1)
    found = tails.hoeffding_tail(50, 3.0, distribution="bernoulli", random_state=0)
    assert found.frequency.low <= exact <= found.frequency.high


def test_the_printed_bound_on_the_norm_is_exceeded():
    found = tails.norm_tail(30, 10.0, D=7.3, random_state=0)
    assert found.printed < found.frequency.low
    assert found.frequency.high < found.bound
    few = tails.norm_tail(2000, 1.0, D=1.0, epsilon=0.25, trials=100)
    assert few.frequency.probability == few.bound == 1.0
