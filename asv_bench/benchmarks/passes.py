"""Single passes over the data, which is what most solves spend their time with."""

import numba
import numpy as np
from scipy import sparse

from specsel import _data

from .common import FULL, best_of_interleaved

N_FEATURES = 10**6 if FULL else 10**5
N_STORED = 2 * 10**6


def dense(order, dtype):
    """Return 100 samples of normal random numbers, in memory by feature or by sample."""
    features = np.random.default_rng(0).standard_normal((N_FEATURES, 100), dtype=np.dtype(dtype))
    return features.T if order == "F" else np.ascontiguousarray(features.T)


def counts(form, dtype):
    """Return 2,000 texts as counts, most of them 0; a few words hold most of them."""
    rng = np.random.default_rng(0)
    common = np.minimum(rng.zipf(1.5, N_STORED), N_FEATURES) - 1
    words = np.where(rng.random(N_STORED) < 0.5, common, rng.integers(0, N_FEATURES, N_STORED))
    numbers = (1.0 + rng.poisson(1.0, N_STORED)).astype(dtype)
    texts = rng.integers(0, 2000, N_STORED)
    return sparse.coo_array((numbers, (texts, words)), (2000, N_FEATURES)).asformat(form)


class Pass:
    """Passes over dense data by feature (F) or by sample (C), and over sparse data."""

    params = ([2, 6, 28], ["F", "C", "csc", "csr"], ["float64", "float32"])
    param_names = ("k", "layout", "dtype")
    timeout = 300

    def setup(self, k, layout, dtype):
        make = dense if layout in "FC" else counts
        self.data = _data.read(make(layout, dtype))
        rng = np.random.default_rng(1)
        self.dual, self.basis = rng.standard_normal((2, self.data.n_samples, k))
        self.alpha = np.ones(N_FEATURES)
        for run in (self.time_fused, self.time_forward, self.time_adjoint):
            run(k, layout, dtype)

    def time_fused(self, k, layout, dtype):
        self.data.fused(self.dual, self.basis)

    def time_forward(self, k, layout, dtype):
        self.data.forward(self.dual, self.basis)

    def time_adjoint(self, k, layout, dtype):
        self.data.adjoint(self.alpha, self.basis)


class Read:
    """Check, means and norms of X."""

    params = (["F", "C", "csc", "csr"],)
    param_names = ("layout",)

    def setup(self, layout):
        make = dense if layout in "FC" else counts
        self.X = make(layout, "float64")
        _data.read(self.X)

    def time_read(self, layout):
        _data.read(self.X)


@numba.njit(parallel=True, fastmath=True)
def total(flat, count=64):
    """Sum an array: what it costs to read it."""
    sums = np.zeros(count)
    for b in numba.prange(count):
        part = flat[flat.size * b // count : flat.size * (b + 1) // count]
        for i in range(part.size):
            sums[b] += part[i]
    return sums.sum()


class OverRead:
    """A fused pass by feature over a plain parallel read; the bar is 1.7 at k = 2, 4 at k = 6."""

    params = ([2, 6],)
    param_names = ("k",)
    unit = "times a read"

    def track_fused(self, k):
        X = dense("F", "float64")
        data, (dual, basis) = _data.read(X), np.random.default_rng(1).standard_normal((2, 100, k))
        calls = [lambda: data.fused(dual, basis), lambda: total(X.T.reshape(-1))]
        fused, read = best_of_interleaved(calls, 12)
        return fused / read


class OverScipy:
    """A fused pass over both products of scipy; the bar is 1.3 with one thread, .75 with two."""

    params = (["csc", "csr"], ["float64", "float32"])
    param_names = ("format", "dtype")
    unit = "times scipy"

    def track_fused(self, form, dtype):
        X, rng = counts(form, dtype), np.random.default_rng(1)
        data, basis = _data.read(X), rng.standard_normal((2000, 8))
        few, many = basis.astype(dtype), rng.standard_normal((N_FEATURES, 8)).astype(dtype)
        calls = [lambda: data.fused(basis, basis), lambda: (X.T @ few, X @ many)]
        ours, theirs = best_of_interleaved(calls, 8)
        return ours / theirs
