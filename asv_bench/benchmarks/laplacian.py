"""Q-α on the Laplacian: time, memory and passes, against Q-α and against the definition."""

import numpy as np

from specsel import _data, laplacian

from .common import (
    FULL,
    K,
    expression,
    extra_memory,
    leader,
    leading_right,
    literal_solve,
    parts,
    product_over_qalpha,
    times_faster,
)


class Solve:
    """A full solve with the defaults on 72 samples."""

    params = ([1000, 7129],)
    param_names = ("n_features",)

    def setup(self, n_features):
        self.X = expression(n_features)
        self.result = self.solve()

    def solve(self):
        return laplacian.solve(self.X, K)

    def time_solve(self, n_features):
        self.solve()

    def peakmem_solve(self, n_features):
        self.solve()

    def track_passes(self, n_features):
        return self.result.n_passes

    track_passes.unit = "reads of X"


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


class AgainstLiteral:
    """Times faster than the literal dense method from the same start; the bar is 100."""

    unit = "times faster"
    timeout = 3600

    def setup(self):
        self.X = expression(7129 if FULL else 300)
        self.bases = leading_right(parts(self.X))

    def ours(self):
        return laplacian.solve(self.X, K, init=self.bases, tol=1e-10, max_iter=5000)

    def theirs(self):
        return literal_solve(literal(self.X), self.bases)

    def track_speedup(self):
        return times_faster(self.ours, self.theirs)

    def track_relative_difference_of_objectives(self):
        return abs(self.ours().objective / self.theirs() - 1)


class ExtraMemory:
    """Peak memory beyond X as a share of X, with the defaults; the bar is 0.15."""

    unit = "share of X"
    timeout = 3600

    def track_extra_memory(self):
        return extra_memory("laplacian", "2, max_iter=2, tol=1e-3")


class PassTime:
    """Time of a product over that of Q-α at the same k, 100 samples; the bar is 2.5."""

    params = (["parts", "as-is"], [2, 6])
    param_names = ("representation", "k")
    unit = "times qalpha"
    timeout = 3600

    def setup(self, representation, k):
        rng = np.random.default_rng(0)
        self.X = rng.random((10**6 if FULL else 10**5, 100)).T
        data = _data.represent(self.X, representation=representation)
        self.problem = laplacian.Laplacian(data, "degree")

    def track_over_qalpha(self, representation, k):
        return product_over_qalpha(self.problem, k, self.X, k)
