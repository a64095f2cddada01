"""Maps of features: time of a solve, and of two rounds against single solves."""

from specsel import qalpha, topography

from .common import K, best_of_interleaved, expression


class Solve:
    """A full solve with the defaults on 72 samples."""

    params = ([1000, 7129],)
    param_names = ("n_features",)

    def setup(self, n_features):
        self.X = expression(n_features)
        self.result = self.solve()

    def solve(self):
        return topography.solve(self.X, K)

    def time_solve(self, n_features):
        self.solve()

    def peakmem_solve(self, n_features):
        self.solve()

    def track_passes(self, n_features):
        return self.result.n_passes

    track_passes.unit = "reads of X"


class Rounds:
    """Time of two rounds and positions over that of two single solves; the bar is 1.2."""

    unit = "times single solves"

    def setup(self):
        self.X = expression(7129)

    def track_rounds_over_solves(self):
        calls = [lambda: topography.solve(self.X, K), lambda: qalpha.solve(self.X, K)]
        rounds, single = best_of_interleaved(calls, 8)
        return rounds / (2 * single)
