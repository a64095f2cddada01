"""Alignment: time on genes, reads of many features, and how time grows with features."""

import numpy as np

from specsel import alignment

from .common import FULL, best_of_interleaved, expression


class Genes:
    """A hundred of 7,129 genes in 72 samples; the bar is 0.03 s."""

    params = (["neighbours", "classes"],)
    param_names = ("target",)

    def setup(self, target):
        self.X = expression(7129)
        self.y = np.arange(72) % 3 if target == "classes" else None
        self.time_solve(target)

    def time_solve(self, target):
        alignment.solve(self.X, self.y, n=100)

    def peakmem_solve(self, target):
        alignment.solve(self.X, self.y, n=100)


class ManyFeatures:
    """A hundred of many features of 100 samples; the bar is 60 reads of X at 10⁶."""

    params = (["noise", "expression"], ["C", "F"])
    param_names = ("data", "order")
    timeout = 1800

    def setup(self, data, order):
        n = 10**6 if FULL else 10**5
        if data == "noise":
            X = np.random.default_rng(0).standard_normal((100, n))
        else:
            X = expression(n, n_samples=100)
        self.X = np.asarray(X, order=order)
        self.found = alignment.solve(self.X, n=100)

    def time_solve(self, data, order):
        alignment.solve(self.X, n=100)

    def track_passes(self, data, order):
        return self.found.n_passes

    track_passes.unit = "reads of X"


class Growth:
    """Time of four times the features over that of as many, a fourth of the ratio; the bar is 1.3.

    It is 1 where time grows in proportion to the features.
    """

    unit = "of proportional"
    timeout = 1800

    def setup(self):
        n = 10**5 if FULL else 4 * 10**4
        many = np.asfortranarray(expression(4 * n, n_samples=100))
        self.data = many, np.asfortranarray(many[:, :n])

    def track_growth(self):
        many, few = self.data
        slow, fast = best_of_interleaved(
            [lambda: alignment.solve(many, n=100), lambda: alignment.solve(few, n=100)], 4
        )
        return slow / fast / 4


class ManySamples:
    """A hundred of 2,000 features of many samples, with a graph that is given."""

    timeout = 1800

    def setup(self):
        from scipy import sparse

        q = 10**5 if FULL else 10**4
        self.X = expression(2000, n_samples=q)
        ring = np.arange(q)
        links = np.concatenate((ring, ring)), np.concatenate((np.roll(ring, 1), np.roll(ring, -1)))
        self.graph = sparse.csr_array((np.full(2 * q, 0.5), links), (q, q))
        alignment.solve(self.X[:100], n=5)

    def time_solve(self):
        alignment.solve(self.X, n=100, target=self.graph)
