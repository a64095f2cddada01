"""Data, bases, and solves without a warning that the tests of several weightings share."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse


def sample(shape, seed=0):
    """Noise with features that differ between two groups, on different scales."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 2, (shape[0], 1)) * rng.random(shape[1]) * 3
    return (rng.standard_normal(shape) + groups) * rng.uniform(0.1, 10, shape[1]) + 2


def random_basis(q, k, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((q, k)))[0]


def projector(Q):
    return Q @ Q.T


def annotated(values):
    """AnnData of these values, with names of samples and features."""
    anndata = pytest.importorskip("anndata")
    names = [
        pd.DataFrame(index=pd.Index([f"{letter}{i}" for i in range(size)], dtype=object))
        for letter, size in zip("sg", values.shape, strict=True)
    ]
    return anndata.AnnData(values, *names)


def dense(values):
    """The numbers of a matrix, or of an array that may be in a file."""
    return values.toarray() if hasattr(values, "toarray") else values[...]


def in_disorder(X):
    """CSC with every number stored as two halves, the samples of a feature from last to first."""
    matrix = sparse.csc_array(X)
    columns = np.repeat(np.arange(X.shape[1]), 2 * np.diff(matrix.indptr))
    rows, halves = np.repeat(matrix.indices, 2), np.repeat(matrix.data / 2, 2)
    order = np.lexsort((-rows, columns))
    return sparse.csc_array((halves[order], rows[order], 2 * matrix.indptr), shape=X.shape)


def quiet(solve, messages="not converged"):
    """Return a solve that ignores warnings, by default those of too few iterations."""

    def call(*data, **options):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", messages)
            return solve(*data, **options)

    return call
