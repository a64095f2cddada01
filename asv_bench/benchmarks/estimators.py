"""What the scikit-learn faces cost beside their solvers: import, and a fit of small data."""

import numpy as np

from specsel import QAlpha, StabilitySelection, SupervisedQAlpha, qalpha

from .common import best_of_interleaved, expression


class Import:
    def timeraw_import_estimators(self):
        return "import specsel; specsel.QAlpha"

    def timeraw_import_sklearn(self):
        return "import sklearn.feature_selection, specsel.qalpha"


class Fit:
    params = (["float32", "float64"],)
    param_names = ("dtype",)

    def setup(self, dtype):
        self.X = expression(1000).astype(dtype)
        self.estimator = QAlpha(k=3).fit(self.X)

    def time_fit(self, dtype):
        self.estimator.fit(self.X)

    def time_transform(self, dtype):
        self.estimator.transform(self.X)

    def track_over_the_solver(self, dtype):
        calls = [lambda: self.estimator.fit(self.X), lambda: qalpha.solve(self.X, 3)]
        fit, solve = best_of_interleaved(calls, 7)
        return fit / solve

    track_over_the_solver.unit = "times the solver"


class Small:
    """Data so small that waking threads would take longer than the work."""

    params = ([QAlpha, SupervisedQAlpha],)
    param_names = ("estimator",)

    def setup(self, estimator):
        rng = np.random.default_rng(0)
        self.X, self.y = rng.standard_normal((569, 30)), np.arange(569) % 2
        self.X[:, :6] += 2 * self.y[:, None]
        estimator().fit(self.X, self.y)

    def time_fit(self, estimator):
        estimator().fit(self.X, self.y)


class Auto:
    """k by the spectral gap over k given."""

    def setup(self):
        self.X = expression(1000)

    def track_auto(self):
        calls = [lambda: qalpha.solve(self.X, "auto"), lambda: qalpha.solve(self.X, 3)]
        auto, given = best_of_interleaved(calls, 7)
        return auto / given

    track_auto.unit = "times k = 3"


class Stability:
    def setup(self):
        self.X = expression(1000)
        QAlpha(k=3).fit(self.X)

    def time_ten_resamples(self):
        StabilitySelection(QAlpha(k=3, tol=1e-3), 10, random_state=0).fit(self.X)
