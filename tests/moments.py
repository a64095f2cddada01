"""Checks of samples that were drawn from a known distribution."""

import numpy as np
from scipy import stats


def largest_correlation(X):
    """Largest modulus of a correlation between two columns."""
    correlations = np.corrcoef(X, rowvar=False)
    return np.abs(correlations[np.triu_indices_from(correlations, k=1)]).max()


def assert_uniform(values, low, high):
    """Check that values are uniform between two ends, and reach nearly to both."""
    assert stats.kstest(np.ravel(values), stats.uniform(low, high - low).cdf).pvalue > 1e-3
    assert np.ptp(values) > 0.98 * (high - low)
