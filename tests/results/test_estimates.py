"""Confidence intervals of probabilities and of means."""

import numpy as np
import pytest
import scipy.stats

from specsel.results.estimates import Estimate, Mean


def test_intervals_are_those_of_wilson():
    exact = scipy.stats.binomtest(37, 100).proportion_ci(method="wilson")
    found = Estimate.of(np.arange(100) < 37)
    assert found == pytest.approx((0.37, exact.low, exact.high))
    for count in (1, 3, 10, 77):
        assert Estimate.of(np.zeros(count, bool)).low == 0.0
        assert Estimate.of(np.ones(count, bool)).high == 1.0


def test_the_mean_is_within_its_interval(rng):
    inside = 0
    for _ in range(400):
        found = Mean.of(3 + 2 * rng.standard_normal(200), 3)
        assert found.expected == 3
        inside += found.low < 3 < found.high
    assert 0.92 * 400 < inside < 0.98 * 400
