"""Q-α with classes: time, memory and passes, against Q-α and against the definition."""

import numpy as np

from specsel import _data, supervised

from .common import (
    FULL,
    expression,
    extra_memory,
    leader,
    literal_solve,
    parts,
    product_over_qalpha,
    sides,
    times_faster,
)


class Solve:
    """A full solve with the defaults on 72 samples."""

    params = ([1000, 7129],)
    param_names = ("n_features",)

    def setup(self, n_features):
        self.X = expression(n_features)
        self.y = sides(self.X)
        self.result = self.solve()

    def solve(self):
        return supervised.solve(self.X, self.y)

    def time_solve(self, n_features):
        self.solve()

    def peakmem_solve(self, n_features):
        self.solve()

    def track_passes(self, n_features):
        return self.result.n_passes

    track_passes.unit = "reads of X"


class Tall:
    """Classes of many more samples than features."""

    def setup(self):
        rng = np.random.default_rng(0)
        self.X, self.y = rng.standard_normal((20_000, 60)), np.arange(20_000) % 3
        self.X[:, :6] += self.y[:, None]
        supervised.solve(self.X, self.y)

    def time_solve(self):
        supervised.solve(self.X, self.y)

    def peakmem_solve(self):
        supervised.solve(self.X, self.y)


def literal(X, y):
    """Return the step of the definition with dense n × n matrices, as one would write it down."""
    M = parts(X)
    lead = leader(len(M))
    rows = [np.flatnonzero(y == c) for c in range(2)]
    grams = [M[:, r] @ M[:, r].T for r in rows]

    def step(bases):
        G = np.zeros((len(M), len(M)))
        for (g, h), Q in bases.items():
            scores = M[:, rows[h]] @ Q
            G += (1 if g == h else -0.5) * grams[g] * (scores @ scores.T)
        alpha = lead(G)
        following, objective = {}, 0.0
        for (g, h), Q in bases.items():
            A = (M[:, rows[g]].T * alpha) @ M[:, rows[h]]
            following[g, h] = np.linalg.qr(A.T @ np.linalg.qr(A @ Q)[0])[0]
            energy = ((A @ following[g, h]) ** 2).sum()
            objective += (1 if g == h else -0.5) * energy
        return following, objective

    return step


def starting_bases(X, y):
    """Those of equal weights, for every block."""
    M = parts(X)
    rows = [np.flatnonzero(y == c) for c in range(2)]
    return {
        (g, h): np.linalg.svd(M[:, rows[g]].T @ M[:, rows[h]])[2][: 2 if g == h else 1].T
        for g in range(2)
        for h in range(2)
    }


class AgainstLiteral:
    """Times faster than the literal dense method from the same start; the bar is 100."""

    unit = "times faster"
    timeout = 3600

    def setup(self):
        self.X = expression(7129 if FULL else 300)
        self.y = sides(self.X)
        self.bases = starting_bases(self.X, self.y)

    def ours(self):
        return supervised.solve(self.X, self.y, init="equal", tol=1e-10, max_iter=5000)

    def theirs(self):
        return literal_solve(literal(self.X, self.y), self.bases)

    def track_speedup(self):
        return times_faster(self.ours, self.theirs)

    def track_relative_difference_of_objectives(self):
        return abs(self.ours().objective / self.theirs() - 1)


class ExtraMemory:
    """Peak memory beyond X as a share of X, with the defaults; the bar is 0.15."""

    unit = "share of X"
    timeout = 3600

    def track_extra_memory(self):
        return extra_memory("supervised", "y, max_iter=2, tol=1e-3")


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
        # Two classes have four blocks.
        y, self.width = np.arange(100) % 2, max(1, k // 4)
        self.problem = supervised.Supervised(data, y, self.width, self.width, 0.5, basic=False)

    def track_over_qalpha(self, representation, k):
        return product_over_qalpha(self.problem, self.width, self.X, k)
