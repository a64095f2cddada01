"""The parameter-free weighting: time and memory."""

from specsel import weighting

from .common import expression


class Solve:
    params = ([1000, 7129],)
    param_names = ("n_features",)

    def setup(self, n_features):
        self.X = expression(n_features)
        self.result = weighting.solve(self.X)

    def time_solve(self, n_features):
        weighting.solve(self.X)

    def peakmem_solve(self, n_features):
        weighting.solve(self.X)

    def track_passes(self, n_features):
        return self.result.n_passes

    track_passes.unit = "reads of X"


class Select:
    """Twenty features that span the weighted rest."""

    def setup(self):
        self.X = expression(7129)
        self.weights = weighting.solve(self.X)
        self.weights.select(2, diverse=self.X)

    def time_diverse(self):
        self.weights.select(20, diverse=self.X)
