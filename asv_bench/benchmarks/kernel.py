"""Kernel Q-α: time and memory of V and of a solve."""

from functools import partial

import numpy as np

from specsel import _data, _kernel, kernel

from . import bases
from .common import FULL, best_of_interleaved, expression, in_new_process

KERNELS = ("linear", "poly", "rbf", "sectioned")


class Solve(bases.Solve):
    """A full solve from the default start on 72 samples; V is read as X is."""

    params = ([300, 1000], [1, 6], ["poly", "rbf"])
    param_names = ("n_features", "k", "kernel")

    def prepare(self, X, k, kind):
        return partial(kernel.solve, X, k, kernel=kind)

    def track_objective(self, *parameters):
        return self.result.objective


class GapCriterion:
    def setup(self):
        self.X = expression(500)
        kernel.solve(self.X, 3, criterion="gap")

    def time_solve(self):
        kernel.solve(self.X, 3, criterion="gap")


class Evaluate:
    """V of 200 samples, every kernel."""

    params = (KERNELS,)
    param_names = ("kernel",)

    def setup(self, kind):
        self.data = _data.read(expression(5000 if FULL else 1000, 200))
        _kernel.evaluate(self.data, kind)

    def time_evaluate(self, kind):
        _kernel.evaluate(self.data, kind)


class AgainstInnerProducts:
    """Time for V, its width included, over that of ``M Mᵀ``; the bar is 2."""

    params = (["rbf", "poly", "linear"],)
    param_names = ("kernel",)
    unit = "times the time"
    timeout = 600

    def setup(self, kind):
        self.data = _data.read(expression(5000 if FULL else 1000, 200))
        self.features = np.ascontiguousarray(self.data.rows(0, 200).T)

    def track_time_ratio(self, kind):
        ours, theirs = best_of_interleaved(
            [
                lambda: _kernel.evaluate(self.data, kind),
                lambda: self.features @ self.features.T,
            ],
            10,
        )
        return ours / theirs


EXTRA_MEMORY = """
import resource, warnings
import numpy as np
from specsel import kernel, linalg
warnings.simplefilter("ignore")
linalg.DENSE_LIMIT = 100
rng = np.random.default_rng(0)
kernel.solve(rng.standard_normal((200, 300)), 6, max_iter=2)
X = rng.standard_normal((200, {n}))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kernel.solve(X, 6, max_iter=2)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) * 1024 / (8 * {n} ** 2))
"""


class ExtraMemory:
    """Peak memory beyond X over that of V, from the default start; the bar is 1.3.

    The dense eigenproblem of the start, for few features, is left out.
    """

    unit = "times V"
    timeout = 600

    def track_extra_memory(self):
        return in_new_process(EXTRA_MEMORY.format(n=5000 if FULL else 3500))
