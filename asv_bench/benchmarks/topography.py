"""Maps of features: time of a solve, and of two rounds against single solves."""

from functools import partial

from specsel import qalpha, topography

from . import bases
from .common import K, best_of_interleaved, expression


class Solve(bases.Solve):
    def prepare(self, X):
        return partial(topography.solve, X, K)


class Rounds:
    """Time of two rounds and positions over that of two single solves; the bar is 1.2."""

    unit = "times single solves"

    def setup(self):
        self.X = expression(7129)

    def track_rounds_over_solves(self):
        calls = [lambda: topography.solve(self.X, K), lambda: qalpha.solve(self.X, K)]
        rounds, single = best_of_interleaved(calls, 8)
        return rounds / (2 * single)
