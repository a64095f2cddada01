"""Passes over the data, against a pure parallel read of the same array."""

import numba
import numpy as np

from specsel import _data
from specsel._runtime import jit

from .common import FULL, best_of_interleaved

N_SAMPLES = 100
N_FEATURES = 10**6 if FULL else 10**5


@jit
def _total(part):
    total = 0.0
    for i in range(part.size):
        total += part[i]
    return total


@jit(parallel=True)
def read_all(flat, count=64):
    """Sum an array: what it costs to read it."""
    totals = np.zeros(count)
    for b in numba.prange(count):
        totals[b] = _total(flat[flat.size * b // count : flat.size * (b + 1) // count])
    return totals.sum()


def operands(k, order, dtype=np.float64):
    rng = np.random.default_rng(0)
    features = rng.standard_normal((N_FEATURES, N_SAMPLES), dtype=dtype)
    X = features.T if order == "F" else np.ascontiguousarray(features.T)
    return _data.read(X), rng.standard_normal((N_SAMPLES, k)), rng.standard_normal((N_SAMPLES, k))


class Pass:
    """Every pass; F is feature-major, C sample-major."""

    params = ([2, 6, 28], ["F", "C"], ["float64", "float32"])
    param_names = ("k", "order", "dtype")

    def setup(self, k, order, dtype):
        self.data, self.dual, self.basis = operands(k, order, np.dtype(dtype))
        self.alpha = np.ones(N_FEATURES)
        self.time_fused(k, order, dtype)
        self.time_adjoint(k, order, dtype)

    def time_fused(self, k, order, dtype):
        self.data.fused(self.dual, self.basis)

    def time_forward(self, k, order, dtype):
        self.data.forward(self.dual, self.basis)

    def time_adjoint(self, k, order, dtype):
        self.data.adjoint(self.alpha, self.basis)


class AgainstRead:
    """Fused pass over a pure read; the bar is 1.7 at k = 2 and 4 at k = 6 (feature-major)."""

    params = ([2, 6],)
    param_names = ("k",)
    unit = "times a read"

    def setup(self, k):
        self.data, self.dual, self.basis = operands(k, "F")
        self.flat = self.data.features.reshape(-1)

    def track_fused_over_read(self, k):
        fused, read = best_of_interleaved(
            [lambda: self.data.fused(self.dual, self.basis), lambda: read_all(self.flat)], 12
        )
        return fused / read


class SampleMajor:
    """Fused pass over sample-major data against feature-major; the bar is 2."""

    params = ([2, 6],)
    param_names = ("k",)
    unit = "times feature-major"

    def setup(self, k):
        self.pairs = [operands(k, order) for order in "CF"]

    def track_sample_major_over_feature_major(self, k):
        calls = [lambda d=d, b=b, q=q: d.fused(b, q) for d, b, q in self.pairs]
        sample_major, feature_major = best_of_interleaved(calls, 8)
        return sample_major / feature_major


class Read:
    """Check, means and norms."""

    params = (["F", "C"],)
    param_names = ("order",)

    def setup(self, order):
        X = np.random.default_rng(0).standard_normal((N_SAMPLES, N_FEATURES))
        self.X = np.array(X, order=order)
        _data.read(self.X)

    def time_read(self, order):
        _data.read(self.X)


class Tall:
    """Triangular factor of data with many more samples than features."""

    def setup(self):
        self.data = _data.read(np.random.default_rng(0).standard_normal((20 * N_SAMPLES**2, 50)))

    def time_reduced(self):
        self.data.reduced()
