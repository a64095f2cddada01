"""Mean and norm of every column."""

import numpy as np

from specsel import _input
from specsel._data import passes, representations


def moments(array, names=None, *, center=True, name="X"):
    """Mean of every column, and the norm of what remains; refuses what is not finite."""
    features = array.view().T
    features.flags.writeable = False
    mean, norm = np.zeros((2, len(features)))
    representations.standardise(features, center, mean, norm, passes.block_span(len(features)))
    if not np.isfinite(mean).all() or not np.isfinite(norm).all():
        raise ValueError(_input.describe_not_finite(array, names, name))
    return mean, norm


def far_from_zero(mean, norm, n_samples):
    """Features whose mean is beyond their deviation: more than half of their values are not zero.

    If ``Σ x²`` comes from a share p of the samples, ``mean² <= p Σ x² / n_samples``, which exceeds
    the variance only if p does a half.
    """
    return np.abs(mean) * np.sqrt(n_samples) > norm
