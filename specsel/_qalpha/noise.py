"""Whether anything stands out from noise, asked before clusters are counted.

Noise has directions too, and the largest ratio of two eigenvalues somewhere, so that counting
always gives a number. Two questions come first:

1. With equal weights, is the leading eigenvalue of the affinity beyond the edge of independent
   features (Marchenko and Pastur; Johnstone, Ann. Statist. 29, 2001)? Data of which many features
   show a structure answer yes, at the price of one pass.
2. If not, the few features that Q-α is good at finding may still show one. Is the objective larger
   than in 19 shuffles of the columns? The first shuffle that does as well ends it, so that noise
   costs three or four solves on average.
"""

import warnings
from collections.abc import Callable

import numpy as np

from specsel import _data, _validate, linalg

# Standard deviations beyond the edge; independent Gaussian features get there once in a thousand.
BEYOND = 3.3

# Shuffles that must all do worse: p = .05. Two objectives count as equal if they differ by less.
SHUFFLES = 19
TOL = 1e-3

# Larger data are not shuffled, for that would take a dense copy of them: clusters are counted.
MOST_NUMBERS = 2**24


def stands_out(
    data: _data.Data, small: _data.Data, objective: Callable[[_data.Data], float]
) -> bool:
    """Tell whether the features have more in common than independent ones; warn if not.

    Parameters
    ----------
    data : Data
        Centred features.
    small : Data
        The same, reduced where there are more samples than features.
    objective : callable
        What is compared of the data and of their shuffles.
    """
    large = data.n_samples * data.n_features > MOST_NUMBERS
    if large or data.n_features == 1 or _beyond_edge(data, small):
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what is compared need not converge
        if _beyond_shuffles(_data.Dense.of(data), objective):
            return True
    warnings.warn(
        'k = "auto": found no clusters, the columns have no more in common than shuffled ones; '
        "weights are those for k = 1",
        stacklevel=_validate.caller(),
    )
    return False


def _beyond_shuffles(data: _data.Dense, objective: Callable[[_data.Data], float]) -> bool:
    """Whether all shuffles do worse."""
    found = objective(data)
    seeds = np.random.default_rng(0).integers(2**63, size=SHUFFLES).tolist()
    return all(
        objective(data.reordered(_data.shuffled(data.features, seed))) < found - TOL * abs(found)
        for seed in seeds
    )


def _beyond_edge(data: _data.Data, small: _data.Data) -> bool:
    """Whether the leading eigenvalue at equal weights is too large for independent features."""
    equal = np.ones(data.n_features)
    values, _ = linalg.leading_pairs(lambda basis: small.adjoint(equal, basis), small.n_samples, 1)
    varying = int((data.norms > 0).sum())
    p, n = np.sqrt(data.n_samples - 1), np.sqrt(max(varying - 1, 1))
    edge, deviation = (n + p) ** 2, (n + p) * (1 / n + 1 / p) ** (1 / 3)
    return bool(values[0] * p**2 > edge + BEYOND * deviation)
