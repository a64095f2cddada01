"""Q-α with classes: time, memory and passes, against Q-α and against the definition."""

from functools import partial

import numpy as np

from specsel import supervised

from . import bases
from .common import leader, literal_solve, parts, sides


class Solve(bases.Solve):
    def prepare(self, X):
        return partial(supervised.solve, X, sides(X))


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


class AgainstLiteral(bases.AgainstLiteral):
    def prepare(self, X):
        y = sides(X)
        start = starting_bases(X, y)
        ours = partial(supervised.solve, X, y, init="equal", tol=1e-10, max_iter=5000)
        return ours, lambda: literal_solve(literal(X, y), start)


class ExtraMemory(bases.ExtraMemory):
    arguments = "y, max_iter=2, tol=1e-3"


class PassTime(bases.PassTime):
    def prepare(self, data, k):
        # Two classes have four blocks.
        y, width = np.arange(100) % 2, max(1, k // 4)
        return supervised.Supervised(data, y, np.full((2, 2), width), 0.5, basic=False), width
