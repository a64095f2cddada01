"""Q-α on the Laplacian: time, memory and passes, against Q-α and against the definition."""

from functools import partial

import numpy as np

from specsel import laplacian

from . import bases
from .common import K, leader, leading_right, literal_solve, parts


class Solve(bases.Solve):
    def prepare(self, X):
        return partial(laplacian.solve, X, K)


def literal(X):
    """Return the step of Def. 5 with dense n × n matrices, as one would write it down."""
    M = parts(X)
    lead = leader(len(M))
    V, sums = M @ M.T, M.sum(axis=1)
    # trace(QᵀL_iL_jQ), L_i = m_i m_iᵀ - s_i diag(m_i) + d_i I, term by term.
    degrees = sums[:, None] * M
    shift = [degrees.max(axis=1)]

    def step(Q):
        scores, squares = M @ Q, (Q**2).sum(axis=1)
        crossed = ((M[:, :, None] * scores[:, None, :]) * Q).sum(axis=2)
        d = np.broadcast_to(shift[0], len(M))
        outer, diagonal = (scores**2).sum(axis=1), degrees @ squares
        mixed = crossed @ degrees.T
        G = V * (scores @ scores.T) - mixed - mixed.T + (degrees * squares) @ degrees.T
        for term in (outer, -diagonal):
            G += np.outer(term, d) + np.outer(d, term)
        G += np.outer(d, d) * Q.shape[1]
        alpha = lead(G)
        A = (M.T * alpha) @ M
        shift[0] = A.sum(axis=1).max() / alpha.sum()
        L = A - np.diag(A.sum(axis=1)) + shift[0] * alpha.sum() * np.eye(len(A))
        Q = np.linalg.qr(L @ Q)[0]
        return Q, ((L @ Q) ** 2).sum()

    return step


class AgainstLiteral(bases.AgainstLiteral):
    def prepare(self, X):
        start = leading_right(parts(X))
        ours = partial(laplacian.solve, X, K, init=start, tol=1e-10, max_iter=5000)
        return ours, lambda: literal_solve(literal(X), start)


class ExtraMemory(bases.ExtraMemory):
    arguments = "2, max_iter=2, tol=1e-3"


class PassTime(bases.PassTime):
    def prepare(self, data, k):
        return laplacian.Laplacian(data, "degree"), k
