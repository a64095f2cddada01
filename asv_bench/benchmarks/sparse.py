"""Passes over sparse data, against the products of scipy with the same matrix."""

import numpy as np
from scipy import sparse

from specsel import _data, qalpha

from .common import FULL, best_of_interleaved

N_SAMPLES = 2000
N_FEATURES = 10**6 if FULL else 10**5
N_STORED = 2 * 10**6
K = 8


def words(form, dtype=np.float64):
    """Counts, most of them 0; a few features hold most of them, as a few words do."""
    rng = np.random.default_rng(0)
    common = np.minimum(rng.zipf(1.5, N_STORED), N_FEATURES) - 1
    any_one = rng.integers(0, N_FEATURES, N_STORED)
    features = np.where(rng.random(N_STORED) < 0.5, common, any_one)
    samples = rng.integers(0, N_SAMPLES, N_STORED)
    counts = (1.0 + rng.poisson(1.0, N_STORED)).astype(dtype)
    return sparse.coo_array((counts, (samples, features)), (N_SAMPLES, N_FEATURES)).asformat(form)


class AgainstScipy:
    """A fused pass over both products of scipy; the bar is 1.3 with one thread, .75 with two."""

    params = (["csc", "csr"], ["float64", "float32"])
    param_names = ("format", "dtype")
    unit = "times scipy"

    def setup(self, form, dtype):
        self.X, rng = words(form, np.dtype(dtype)), np.random.default_rng(1)
        self.data = _data.read(self.X)
        self.basis = rng.standard_normal((N_SAMPLES, K))
        self.columns = self.basis.astype(dtype)
        self.weighed = rng.standard_normal((N_FEATURES, K)).astype(dtype)

    def track_fused_over_scipy(self, form, dtype):
        calls = [
            lambda: self.data.fused(self.basis, self.basis),
            lambda: (self.X.T @ self.columns, self.X @ self.weighed),
        ]
        ours, theirs = best_of_interleaved(calls, 8)
        return ours / theirs


class Solve:
    """A whole solve, and what it takes beyond X."""

    params = (["csc", "csr"],)
    param_names = ("format",)
    timeout = 600

    def setup(self, form):
        self.X = words(form)

    def time_solve(self, form):
        qalpha.solve(self.X, 3)

    def track_passes(self, form):
        return qalpha.solve(self.X, 3).n_passes
