"""What samples of a distribution show."""

import numpy as np
from scipy import stats


def largest_correlation(X):
    correlations = np.corrcoef(X, rowvar=False)
    return np.abs(correlations[np.triu_indices_from(correlations, k=1)]).max()


def assert_uniform(values, low, high):
    assert stats.kstest(np.ravel(values), stats.uniform(low, high - low).cdf).pvalue > 1e-3
    assert np.ptp(values) > 0.98 * (high - low)
