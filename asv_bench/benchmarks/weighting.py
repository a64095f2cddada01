"""The parameter-free weighting, and with classes the Fisher weighting: time and memory."""

import numpy as np
from scipy.linalg import eigh

from specsel import weighting

from .common import FULL, expression, extra_memory, sides, standardise, times_faster


class Solve:
    params = ([1000, 7129],)
    param_names = ("n_features",)

    def setup(self, n_features):
        self.X = expression(n_features)
        self.result = weighting.solve(self.X)

    def time_solve(self, n_features):
        weighting.solve(self.X)

    def peakmem_solve(self, n_features):
        weighting.solve(self.X)

    def track_passes(self, n_features):
        return self.result.n_passes

    track_passes.unit = "reads of X"


class Select:
    """Twenty features that span the weighted rest."""

    def setup(self):
        self.X = expression(7129)
        self.weights = weighting.solve(self.X)
        self.weights.select(2, diverse=self.X)

    def time_diverse(self):
        self.weights.select(20, diverse=self.X)


class Fisher:
    """A full solve with classes on 72 samples."""

    params = ([1000, 7129],)
    param_names = ("n_features",)

    def setup(self, n_features):
        self.X = expression(n_features)
        self.y = sides(self.X)
        self.result = self.solve()

    def solve(self):
        return weighting.solve(self.X, self.y)

    def time_solve(self, n_features):
        self.solve()

    def peakmem_solve(self, n_features):
        self.solve()

    def track_passes(self, n_features):
        return self.result.n_passes

    track_passes.unit = "reads of X"


def literal_fisher(X, y):
    """Return the objective, found with dense n × n matrices, as one would write it down."""
    M = standardise(X)
    basis = np.linalg.svd(M, full_matrices=False)[0][:, : len(X) - 1]
    between, within = np.zeros((2, len(M), len(M)))
    for c in range(2):
        members = M[:, y == c]
        mean = members.mean(axis=1)
        between += members.shape[1] * np.outer(mean, mean)
        within += members @ members.T - members.shape[1] * np.outer(mean, mean)
    form = (basis @ basis.T) * (between - within)
    return eigh(form, subset_by_index=[len(form) - 1] * 2, eigvals_only=True)[0]


class FisherAgainstLiteral:
    """Times faster than the literal dense method; the bar is 100."""

    unit = "times faster"
    timeout = 3600

    def setup(self):
        self.X = expression(7129 if FULL else 300)
        self.y = sides(self.X)

    def ours(self):
        return weighting.solve(self.X, self.y)

    def theirs(self):
        return literal_fisher(self.X, self.y)

    def track_speedup(self):
        return times_faster(self.ours, self.theirs)

    def track_relative_difference_of_objectives(self):
        return abs(self.ours().objective / self.theirs() - 1)


class FisherExtraMemory:
    """Peak memory beyond X as a share of X, with the defaults; the bar is 0.15."""

    unit = "share of X"
    timeout = 3600

    def track_extra_memory(self):
        return extra_memory("weighting", "y")
