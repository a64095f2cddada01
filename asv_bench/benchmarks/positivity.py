"""Simulations of random matrices: time, and against a loop over full eigen-solves."""

import numpy as np

from specsel import positivity

from .common import FULL, best_of_interleaved

TRIALS = 1000 if FULL else 50
CURVES = {"first": (1 / 6, 2**0.5 / 6), "second": (0.1, 1.0)}


def literal_probability(n, mu, sigma, trials):
    rng = np.random.default_rng(0)
    count = 0
    for _ in range(trials):
        G = np.tril(rng.normal(mu, sigma, (n, n)))
        vector = np.linalg.eigh(G + np.tril(G, -1).T)[1][:, -1]
        count += vector.min() > 0 or vector.max() < 0
    return count / trials


class Probability:
    """Matrices of 500; the bar is 10 s for 1,000 of them."""

    params = (list(CURVES), ["gaussian", "bernoulli"])
    param_names = ("curve", "distribution")

    def setup(self, curve, distribution):
        self.options = {"distribution": distribution, "random_state": 0}
        positivity.probability(500, *CURVES[curve], trials=2, **self.options)

    def time_probability(self, curve, distribution):
        positivity.probability(500, *CURVES[curve], trials=TRIALS, **self.options)


class AgainstFullSolves:
    """Times faster than a loop with full eigen-solves, a trial each; the bar is 20."""

    params = (list(CURVES),)
    param_names = ("curve",)
    unit = "times faster"
    timeout = 600

    def track_speedup(self, curve):
        few = 20
        ours, theirs = best_of_interleaved(
            [
                lambda: positivity.probability(500, *CURVES[curve], trials=10 * few),
                lambda: literal_probability(500, *CURVES[curve], few),
            ],
            3,
        )
        return 10 * theirs / ours


class Spectra:
    """All eigenvalues counted between edges, and moments of Wishart matrices."""

    def setup(self):
        positivity.semicircle(20, 0.0, 1.0, trials=2)
        positivity.wishart_moments(20, 20, trials=2)

    def time_semicircle(self):
        positivity.semicircle(200, 0.0, 1.0, trials=20, random_state=0)

    def time_moments(self):
        positivity.wishart_moments(100, 100, trials=20, random_state=0)
