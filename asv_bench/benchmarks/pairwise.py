"""Q-α with pairs of samples: time, memory and passes, against Q-α and the definition."""

from functools import partial

import numpy as np

from specsel import pairwise

from . import bases
from .common import K, leader, leading_right, literal_solve, parts, some_pairs


class Solve(bases.Solve):
    def prepare(self, X):
        return partial(pairwise.solve, X, K, apart=some_pairs())


def literal(X, pairs):
    """Return the step of the definition with dense n × n matrices, as one would write it down."""
    M = parts(X)
    lead = leader(len(M))
    V = M @ M.T
    P = M[:, pairs[:, 0]] * M[:, pairs[:, 1]]
    B = P @ P.T * (len(X) ** 2 / len(pairs))

    def step(Q):
        scores = M @ Q
        alpha = lead(V * (scores @ scores.T) - B)
        image = (M.T * alpha) @ scores
        Q = np.linalg.qr(image)[0]
        image = (M.T * alpha) @ (M @ Q)
        return Q, (image**2).sum() - alpha @ (B @ alpha)

    return step


class AgainstLiteral(bases.AgainstLiteral):
    def prepare(self, X):
        apart, start = some_pairs(), leading_right(parts(X))
        options = {"init": start, "tol": 1e-10, "max_iter": 5000}
        ours = partial(pairwise.solve, X, K, apart=apart, **options)
        return ours, lambda: literal_solve(literal(X, apart), start)


class ExtraMemory(bases.ExtraMemory):
    arguments = "2, apart=pairs, max_iter=2, tol=1e-3"


class PassTime(bases.PassTime):
    def prepare(self, data, k):
        no_pairs = np.empty((0, 2), int)
        return pairwise.Pairwise(data, some_pairs(100), no_pairs, 1.0), k
