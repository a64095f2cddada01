"""Q-α with side information: time, memory and passes, against Q-α and the definition."""

from functools import partial

import numpy as np

from specsel import qalpha, side_info

from . import bases
from .common import K, expression, leader, leading_right, literal_solve, standardise


def side(n_features):
    """Samples whose variation is not wanted."""
    return expression(n_features, n_samples=30, seed=5)


class Solve(bases.Solve):
    def prepare(self, X):
        return partial(side_info.solve, X, side(X.shape[1]), K)


def literal(X, other):
    """Return the step of the definition with dense n × n matrices, as one would write it down."""
    M = standardise(X)
    lead = leader(len(M))
    V = M @ M.T
    penalty = other.var(axis=0) / X.var(axis=0) + 0.1
    root = np.sqrt(penalty)

    def step(Q):
        scores = M @ Q
        G = V * (scores @ scores.T) / np.outer(root, root)
        alpha = lead(G) / root
        image = (M.T * alpha) @ (M @ Q)
        Q = np.linalg.qr(image)[0]
        image = (M.T * alpha) @ (M @ Q)
        return Q, (image**2).sum() / (penalty @ alpha**2)

    return step


class AgainstLiteral(bases.AgainstLiteral):
    def prepare(self, X):
        other, start = side(X.shape[1]), leading_right(standardise(X))
        ours = partial(side_info.solve, X, other, K, init=start, tol=1e-10, max_iter=5000)
        return ours, lambda: literal_solve(literal(X, other), start)


class ExtraMemory(bases.ExtraMemory):
    arguments = "side, 2, max_iter=2, tol=1e-3"


class PassTime(bases.PassTime):
    params = (["centered"], [2, 6])

    def prepare(self, data, k):
        factors = np.random.default_rng(1).random(data.n_features)
        return qalpha.Energy(data.rescaled(factors)), k
