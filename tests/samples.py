"""Data, bases, and solves without a warning that the tests of several weightings share."""

import warnings

import numpy as np


def sample(shape, seed=0):
    """Noise with features that differ between two groups, on different scales."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 2, (shape[0], 1)) * rng.random(shape[1]) * 3
    return (rng.standard_normal(shape) + groups) * rng.uniform(0.1, 10, shape[1]) + 2


def random_basis(q, k, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((q, k)))[0]


def projector(Q):
    return Q @ Q.T


def quiet(solve, messages="not converged"):
    """Return a solve that ignores warnings, by default those of too few iterations."""

    def call(*data, **options):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", messages)
            return solve(*data, **options)

    return call
