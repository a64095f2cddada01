"""The number of resamples against its definition, and whether that many are enough."""

import numpy as np
import pytest
from oracles import bootstrap as oracle
from similarities import same, skewed

from specsel import sbs


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_the_number_of_resamples_is_found_in_three_steps(method):
    X, bca = skewed()[:, :2], method == "bca"
    options = {"matrix": "covariance", "method": method, "random_state": 8}
    found = sbs.intervals(X, n_boot="auto", pdb=15, tau=0.1, **options)
    first = int(np.ceil(oracle.first_number(0.9, 15, 0.1, bca)))
    needed = [first]
    for i, j in ((0, 0), (0, 1), (1, 1)):
        values = oracle.resampled(X[:, i], X[:, j], "covariance", first, 8)
        shares = [0.05, 0.95]
        if bca:
            shares = oracle.bca_shares(X[:, i], X[:, j], "covariance", 0.9, values)
        estimate = oracle.similarity(X[:, i], X[:, j], "covariance")
        needed.append(oracle.number_needed(estimate, values, shares, 0.9, 15, 0.1, bca))
    assert found.n_boot == int(np.ceil(max(needed)))
    same(sbs.intervals(X, n_boot=found.n_boot, **options), found, 1e-14)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_that_many_resamples_are_as_precise_as_was_asked_for(method):
    """And a tenth of them are not."""
    X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    options = {"matrix": "covariance", "method": method}
    ideal = sbs.intervals(X, n_boot=60_000, random_state=0, **options).E
    enough, fewer = [], []
    for seed in range(25):
        found = sbs.intervals(X, n_boot="auto", random_state=seed, **options)
        enough.append(np.abs(found.E / ideal - 1) <= 0.1)
        found = sbs.intervals(X, n_boot=max(found.n_boot // 10, 100), random_state=seed, **options)
        fewer.append(np.abs(found.E / ideal - 1) <= 0.1)
    assert np.mean(fewer) < 0.95 <= np.mean(enough)


def test_what_is_certain_needs_no_more_resamples():
    """Of similarities of features with themselves, all resamples are the same but for rounding."""
    X = np.random.default_rng(0).random((50, 1)) * np.arange(1.0, 20.0)
    found = sbs.intervals(X, n_boot="auto", random_state=0)
    assert found.n_boot == int(np.ceil(oracle.first_number(0.9, 10, 0.05)))


def test_there_is_a_limit_to_that_number():
    X = skewed()
    with pytest.warns(UserWarning, match="resamples are needed for all pairs; 20000 are taken"):
        assert sbs.intervals(X[:8, :2], n_boot="auto", pdb=1, random_state=0).n_boot == 20_000
