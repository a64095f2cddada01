"""The algorithms as scikit-learn estimators: `fit` solves, `transform` keeps the best features.

They hold no algorithm. Parameters are those of the solver of the same name, by keyword, with the
solver's defaults unless the docstring says otherwise, and what it returned is `result_`. Every
class is a dataclass, which writes the constructor that scikit-learn wants: a parameter is declared
once, with its default, and inherited.

Data that go with the samples rather than the features would not survive cross-validation as row
numbers: side data and pairs are arrays of samples, in the units in which X reaches the estimator.
"""

import warnings
from dataclasses import dataclass, fields
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from specsel import (
    checks,
    eslda,
    gslda,
    kernel,
    laplacian,
    pairwise,
    qalpha,
    sbs,
    side_info,
    supervised,
    topography,
    weighting,
)

FLOATS = (np.float64, np.float32)

estimator = dataclass(kw_only=True, eq=False, repr=False)


class NamedColumns:
    """An array whose columns have names, as a solver takes it."""

    def __init__(self, array, names):
        self.array, self.columns = array, names

    def __len__(self):
        return len(self.array)

    def to_numpy(self):
        return self.array


@estimator
class Selector(SelectorMixin, BaseEstimator):
    """What all estimators share: `_solve` gives a result, `_choose` the best features of it."""

    needs_classes = False
    takes_sparse = False

    def fit(self, X, y=None):
        """Find the features.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Numbers or a data frame.
        y : array of shape (n_samples,), optional
            Class labels, where the method needs them; ignored otherwise.

        Returns
        -------
        self
        """
        X, y = self._read(X, y)
        self.result_ = self._solve(X, y)
        order, count = self._choose(self.result_, X)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[order[:count]] = True
        self.ranking_ = np.empty(self.n_features_in_, dtype=int)
        self.ranking_[order] = np.arange(1, self.n_features_in_ + 1)
        return self

    def _read(self, X, y):
        options = {"dtype": FLOATS, "accept_sparse": self.takes_sparse, "ensure_min_samples": 2}
        if self.needs_classes:
            X, y = validate_data(self, X, y, **options)
            check_classification_targets(y)
        else:
            X = validate_data(self, X, **options)
        names = getattr(self, "feature_names_in_", None)
        return X if names is None or hasattr(X, "tocsr") else NamedColumns(X, list(names)), y

    def _options(self):
        """Parameters of the solver: those that no face of it has."""
        names = {field.name for field in fields(self)} - FACE
        options = {name: getattr(self, name) for name in sorted(names)}
        if isinstance(options.get("random_state"), np.random.RandomState):
            options["random_state"] = options["random_state"].randint(2**31)
        return options

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.needs_classes
        tags.input_tags.sparse = self.takes_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@estimator
class WeightSelector(Selector):
    """Selection by weights."""

    n_features_to_select: object = None
    threshold: float | None = None
    diverse: bool = False
    reweight: bool = False

    def _choose(self, weights, X):
        self.scores_ = self.alpha_ = weights.alpha
        self.objective_, self.n_iter_ = weights.objective, weights.n_iter
        self.k_ = weights.basis.shape[1]
        chosen = weights.select(
            self._count(), threshold=self.threshold, diverse=X if self.diverse else None
        )
        rest = weights.ranking
        return np.concatenate((chosen, rest[~np.isin(rest, chosen)])), len(chosen)

    def _count(self):
        """How many features to select, or None for what the threshold or the gap says."""
        count = self.n_features_to_select
        if count is None and self.threshold is None and self.reweight:
            return self.n_features_in_
        if count is None or (isinstance(count, str) and count == "gap"):
            return None
        return as_count(count, self.n_features_in_, '"gap", ')

    def transform(self, X):
        """Keep the selected features; with `reweight` centred, scaled and times √α.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_selected)
        """
        if not self.reweight:
            return super().transform(X)
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)[:, self.support_]
        return (X - self._selected("mean", X.dtype)) * self._selected("scale", X.dtype)

    def inverse_transform(self, X):
        """Put the selected features back in their places, the others being 0.

        Parameters
        ----------
        X : array of shape (n_samples, n_selected)

        Returns
        -------
        array of shape (n_samples, n_features)
            With `reweight`, a feature of weight 0 comes back as its mean.
        """
        if self.reweight:
            check_is_fitted(self)
            scale = self._selected("scale", float)
            inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
            X = np.asarray(X) * inverse + self._selected("mean", float)
        return super().inverse_transform(X)

    def _selected(self, name, dtype):
        return getattr(self.result_, name)[self.support_].astype(dtype)


@estimator
class LoopSelector(WeightSelector):
    """Weights that a loop finds."""

    init: object = "continuation"
    n_init: int = 15
    tol: float = 1e-6
    max_iter: int = 200
    random_state: object = None


@estimator
class QAlpha(LoopSelector):
    """Select features that make the samples cluster.
    """

    k: int | str = "auto"
    rounds: int = 1
    method: str = "power"
    criterion: str = "energy"
    center: bool = True

    def _solve(self, X, y):
        options = self._options()
        rounds = checks.check_integer("rounds", options.pop("rounds"), 1)
        if rounds == 1:
            return qalpha.solve(X, **options)
        form = tuple(options.pop(name) for name in ("method", "criterion", "center"))
        if form != ("power", "energy", True):
            raise ValueError(f'rounds = {rounds}: needs method "power", criterion "energy", center')
        tradeoff = 1 / self.n_features_in_
        return topography.solve(X, rounds=rounds, tradeoff=tradeoff, **options).combined


@estimator
class ParameterFreeWeighting(WeightSelector):
    """Select features."""

    def _solve(self, X, y):
        return weighting.solve(X)


@estimator
class FisherWeighting(WeightSelector):
    """Select features."""

    tradeoff: float = 1.0
    needs_classes = True

    def _solve(self, X, y):
        return weighting.solve(X, y, **self._options())


@estimator
class LaplacianQAlpha(LoopSelector):
    """Select features."""

    k: int | str = "auto"
    shift: str = "degree"
    representation: str = "parts"
    init: object = "equal"

    def _solve(self, X, y):
        return laplacian.solve(X, **self._options())


@estimator
class SupervisedQAlpha(LoopSelector):
    """Select features."""

    k_within: int = 2
    k_between: int = 1
    gamma: float = 0.5
    representation: str = "parts"
    method: str = "power"
    needs_classes = True

    def _solve(self, X, y):
        return supervised.solve(X, y, **self._options())


@estimator
class KernelQAlpha(LoopSelector):
    """Select features."""

    k: int | str = "auto"
    kernel: object = "rbf"
    sigma: float | None = None
    degree: int = 2
    offset: float = 1.0
    sections: int = 8
    center: bool = True
    criterion: str = "energy"

    def _solve(self, X, y):
        return kernel.solve(X, **self._options())


@estimator
class SideInfoQAlpha(LoopSelector):
    """Select features."""

    side: object = None
    k: int | str = "auto"
    tradeoff: float = 0.1
    method: str = "power"
    criterion: str = "energy"

    def _solve(self, X, y):
        options = self._options()
        if self.side is None:
            options["side"] = np.zeros(self.n_features_in_)
        return side_info.solve(X, **options)


@estimator
class PairwiseQAlpha(LoopSelector):
    """Select features."""

    apart: object = None
    together: object = None
    k: int | str = "auto"
    tradeoff: float = 1.0
    representation: str = "parts"
    criterion: str = "energy"

    def _solve(self, X, y):
        options = self._options()
        if self.apart is None and self.together is None:
            options |= {"apart": [(0, 1)], "tradeoff": 0.0}
        return pairwise.solve(X, **options)


@estimator
class SubsetSelector(Selector):
    """Selection of as many features as asked for, together."""

    n_features_to_select: int | float = 0.5
    shrinkage: float | None = None
    always: tuple = ()
    never: tuple = ()
    needs_classes = True

    def _choose(self, subset, X):
        self.scores_ = np.abs(subset.direction)
        self.alpha_ = self.scores_ / np.linalg.norm(self.scores_)
        self.objective_, self.n_iter_ = subset.value, max(subset.nodes, 1)
        order = np.lexsort((-self.scores_, ~np.isin(np.arange(self.n_features_in_), subset.support)))
        return order, len(subset.support)

    def _count(self):
        return as_count(self.n_features_to_select, self.n_features_in_)


@estimator
class GreedySparseLDA(SubsetSelector):
    """Select features."""

    direction: str = "both"
    refine: bool = True

    def _solve(self, X, y):
        count = self._count()
        return gslda.solve(X, y, max_size=count, **self._options())[count]


@estimator
class ExactSparseLDA(SubsetSelector):
    """Select features."""

    time_limit: float | None = 60.0
    gap: float = 0
    node_limit: int | None = None
    bound: str = "best"

    def _solve(self, X, y):
        return eslda.solve(X, y, self._count(), **self._options())


@estimator
class StableSelector(Selector):
    """Selection of features whose principal subspace is stable."""

    retain: float = 0.5
    confidence: float = 0.9
    n_boot: int | str = 1000
    random_state: object = None
    takes_sparse = True

    def _choose(self, found, X):
        if not found.converged:
            warnings.warn(
                f"retain = {self.retain}: no stable subspace retains as much, the best "
                f"{found.share:.2g}",
                ConvergenceWarning,
                stacklevel=checks.caller(),
            )
        self.k_, self.objective_, self.n_iter_ = found.k, found.share, max(len(found.trace), 1)
        self.scores_ = np.zeros(self.n_features_in_)
        self.scores_[found.support] = (found.vectors**2).sum(axis=1)
        self.alpha_ = np.sqrt(self.scores_ / max(found.k, 1))
        kept = found.support[np.argsort(-self.scores_[found.support], kind="stable")]
        return np.concatenate((kept, found.removed[::-1], found.intervals.constant)), len(kept)


@estimator
class StablePCA(StableSelector):
    """Select features."""

    matrix: str = "covariance"

    def _solve(self, X, y):
        return sbs.solve(X, **self._options())


@estimator
class StableLSI(StableSelector):
    """Select features."""

    def _solve(self, X, y):
        return sbs.solve(X, matrix="cosine", **self._options())


# Parameters that are no solver's.
FACE = {"n_features_to_select", "threshold", "diverse", "reweight"}


def as_count(value, n_features, other="") -> int:
    """A number of features from a number or a share."""
    if isinstance(value, Integral) and not isinstance(value, bool) and 1 <= value <= n_features:
        return int(value)
    if isinstance(value, Real) and not isinstance(value, Integral) and 0 < value <= 1:
        return max(1, int(value * n_features))
    raise ValueError(
        f"n_features_to_select = {value!r}: must be {other}a whole number from 1 to {n_features}, "
        "or a share above 0 and at most 1.0"
    )
