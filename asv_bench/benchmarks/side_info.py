"""Q-α with side information: time, memory and passes, against Q-α and the definition."""

import numpy as np

from specsel import _data, qalpha, side_info

from .common import (
    FULL,
    K,
    expression,
    extra_memory,
    leader,
    leading_right,
    literal_solve,
    product_over_qalpha,
    standardise,
    times_faster,
)


def side(n_features):
    """Samples whose variation is not wanted."""
    return expression(n_features, n_samples=30, seed=5)


class Solve:
    """A full solve with the defaults on 72 samples."""

    params = ([1000, 7129],)
    param_names = ("n_features",)

    def setup(self, n_features):
        self.X = expression(n_features)
        self.side = side(n_features)
        self.result = self.solve()

    def solve(self):
        return side_info.solve(self.X, self.side, K)

    def time_solve(self, n_features):
        self.solve()

    def peakmem_solve(self, n_features):
        self.solve()

    def track_passes(self, n_features):
        return self.result.n_passes

    track_passes.unit = "reads of X"


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


class AgainstLiteral:
    """Times faster than the literal dense method from the same start; the bar is 100."""

    unit = "times faster"
    timeout = 3600

    def setup(self):
        self.X = expression(7129 if FULL else 300)
        self.side = side(self.X.shape[1])
        self.bases = leading_right(standardise(self.X))

    def ours(self):
        return side_info.solve(self.X, self.side, K, init=self.bases, tol=1e-10, max_iter=5000)

    def theirs(self):
        return literal_solve(literal(self.X, self.side), self.bases)

    def track_speedup(self):
        return times_faster(self.ours, self.theirs)

    def track_relative_difference_of_objectives(self):
        return abs(self.ours().objective / self.theirs() - 1)


class ExtraMemory:
    """Peak memory beyond X as a share of X, with the defaults; the bar is 0.15."""

    unit = "share of X"
    timeout = 3600

    def track_extra_memory(self):
        return extra_memory("side_info", "side, 2, max_iter=2, tol=1e-3")


class PassTime:
    """Time of a product over that of Q-α at the same k, 100 samples; the bar is 2.5."""

    params = ([2, 6],)
    param_names = ("k",)
    unit = "times qalpha"
    timeout = 3600

    def setup(self, k):
        rng = np.random.default_rng(0)
        self.X = rng.random((10**6 if FULL else 10**5, 100)).T
        data = _data.read(self.X)
        self.problem = qalpha.Energy(data.rescaled(rng.random(data.n_features)))

    def track_over_qalpha(self, k):
        return product_over_qalpha(self.problem, k, self.X, k)
