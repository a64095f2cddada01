"""The parameter-free weighting, and with classes the Fisher weighting: time and memory."""

from functools import partial

import numpy as np
from scipy.linalg import eigh

from specsel import weighting

from . import bases
from .common import expression, sides, standardise


class Solve(bases.Solve):
    def prepare(self, X):
        return partial(weighting.solve, X)


class Select:
    """Twenty features that span the weighted rest."""

    def setup(self):
        self.X = expression(7129)
        self.weights = weighting.solve(self.X)
        self.weights.select(2, diverse=self.X)

    def time_diverse(self):
        self.weights.select(20, diverse=self.X)


class Fisher(bases.Solve):
    """With classes."""

    def prepare(self, X):
        return partial(weighting.solve, X, sides(X))


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


class FisherAgainstLiteral(bases.AgainstLiteral):
    def prepare(self, X):
        y = sides(X)
        return partial(weighting.solve, X, y), partial(literal_fisher, X, y)


class FisherExtraMemory(bases.ExtraMemory):
    arguments = "y"
