"""Ends of intervals where confidence, bias or skewness are extreme."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
from oracles import bootstrap as oracle
from similarities import skewed

from specsel import sbs
from specsel._bootstrap.ends import EndRule


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("confidence", [1e-300, 1e-17, 1e-9, 1 - 1e-9, 1 - 2**-53])
def test_confidence_may_be_extreme(confidence, method):
    X = skewed() * [1, 1, 1, -1, 1]  # covariances that are skewed to either side
    options = {"matrix": "covariance", "method": method, "random_state": 0}
    found = sbs.intervals(X, n_boot=200, confidence=confidence, **options)
    for i, j in [(0, 0), (1, 3)]:
        values = oracle.resampled(X[:, i], X[:, j], "covariance", 200, 0)
        shares = [(1 - confidence) / 2, (1 + confidence) / 2]
        if method == "bca":
            shares = oracle.bca_shares(X[:, i], X[:, j], "covariance", confidence, values)
        ends = np.quantile(values, shares)
        assert [found.lower[i, j], found.upper[i, j]] == pytest.approx(ends.tolist(), rel=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that more are needed
        most = sbs.intervals(X[:, :2], n_boot="auto", confidence=confidence, **options)
    assert most.n_boot == 20_000
    assert (most.lower <= most.upper).all()


def test_ends_stay_finite_where_the_formula_does_not():
    """All resamples on one side of the estimate, and a skewness past the pole."""
    below, skewness = np.array([0.0, 200.0, 190.0, 10.0]), np.array([0.1, -0.1, 0.9, -0.9])
    features = SimpleNamespace(accelerations=lambda pairs: skewness)
    drawn = SimpleNamespace(n_boot=200, features=features)
    shares = EndRule("bca", 0.9).shares(drawn, None, below)
    normal = scipy.stats.norm
    bias = normal.ppf([0.5 / 200, 199.5 / 200])
    for row, a, z0 in zip(shares, skewness, bias, strict=False):
        moved = z0 + normal.ppf([0.05, 0.95])
        np.testing.assert_allclose(row, normal.cdf(z0 + moved / (1 - a * moved)))
    assert shares[2, 1] == 1
    assert shares[3, 0] == 0
    assert ((shares >= 0) & (shares <= 1)).all()
