"""Q-α with pairs of samples: time, memory and passes, against Q-α and the definition."""

import numpy as np

from specsel import _data, pairwise

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
    some_pairs,
    times_faster,
)


class Solve:
    """A full solve with the defaults on 72 samples."""

    params = ([1000, 7129],)
    param_names = ("n_features",)

    def setup(self, n_features):
        self.X = expression(n_features)
        self.apart = some_pairs()
        self.result = self.solve()

    def solve(self):
        return pairwise.solve(self.X, K, apart=self.apart)

    def time_solve(self, n_features):
        self.solve()

    def peakmem_solve(self, n_features):
        self.solve()

    def track_passes(self, n_features):
        return self.result.n_passes

    track_passes.unit = "reads of X"


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


class AgainstLiteral:
    """Times faster than the literal dense method from the same start; the bar is 100."""

    unit = "times faster"
    timeout = 3600

    def setup(self):
        self.X = expression(7129 if FULL else 300)
        self.apart = some_pairs()
        self.bases = leading_right(parts(self.X))

    def ours(self):
        return pairwise.solve(
            self.X, K, apart=self.apart, init=self.bases, tol=1e-10, max_iter=5000
        )

    def theirs(self):
        return literal_solve(literal(self.X, self.apart), self.bases)

    def track_speedup(self):
        return times_faster(self.ours, self.theirs)

    def track_relative_difference_of_objectives(self):
        return abs(self.ours().objective / self.theirs() - 1)


class ExtraMemory:
    """Peak memory beyond X as a share of X, with the defaults; the bar is 0.15."""

    unit = "share of X"
    timeout = 3600

    def track_extra_memory(self):
        return extra_memory("pairwise", "2, apart=pairs, max_iter=2, tol=1e-3")


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
        no_pairs = np.empty((0, 2), int)
        self.problem = pairwise.Pairwise(data, some_pairs(100), no_pairs, 1.0)

    def track_over_qalpha(self, representation, k):
        return product_over_qalpha(self.problem, k, self.X, k)
