"""What all estimators share: which samples and labels they take, and which features they select.

A selector solves in `_solve` and ranks the features in `_choose`. Every class is a dataclass,
which writes the constructor that scikit-learn wants, so that a parameter is declared once, with
its default, and inherited.
"""

import warnings
from dataclasses import dataclass, fields
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from specsel import _input

FLOATS = (np.float64, np.float32)

# Parameters of the estimators that no solver has.
OWN = {"n_features_to_select", "threshold", "diverse", "reweight"}

parameters = dataclass(kw_only=True, eq=False, repr=False)


@parameters
class Selector(SelectorMixin, BaseEstimator):
    """What all estimators share: `_solve` gives a result, `_choose` ranks the features by it."""

    needs_classes = False
    takes_sparse = False

    def fit(self, X, y=None):
        """Find the features.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Numbers, or a data frame.
        y : array of shape (n_samples,), optional
            Class labels, where the method needs them; ignored otherwise.

        Returns
        -------
        The estimator itself.
        """
        self.__dict__.pop("support_", None)  # a fit that fails leaves nothing that fits no more
        X, y = self._read(X, y)
        self.result_ = self._solve(X, y)
        order, count = self._choose(self.result_, X)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[order[:count]] = True
        self.ranking_ = np.empty(self.n_features_in_, dtype=int)
        self.ranking_[order] = np.arange(1, self.n_features_in_ + 1)
        return self

    def _read(self, X, y):
        _input.check_unmasked(X)
        options = {"dtype": FLOATS, "accept_sparse": self.takes_sparse, "ensure_min_samples": 2}
        if self.needs_classes:
            if y is not None:
                _input.as_labels(y)  # in words of its own, of what scikit-learn would stumble over
            X, y = validate_data(self, X, y, **options)
        else:
            X = validate_data(self, X, **options)
        names = getattr(self, "feature_names_in_", None)
        return X if names is None or hasattr(X, "tocsr") else _input.Frame(names.tolist(), X), y

    def _options(self):
        """Parameters for the solver."""
        names = {field.name for field in fields(self)} - OWN
        options = {name: getattr(self, name) for name in names}
        if "random_state" in options:
            options["random_state"] = as_seed(self.random_state)
        return options

    def transform(self, X):
        """Keep the selected features.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_selected)
        """
        _input.check_unmasked(X)
        return super().transform(X)

    def _get_support_mask(self):
        check_is_fitted(self, "support_")
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.needs_classes
        tags.input_tags.sparse = self.takes_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def as_seed(random_state):
    """A seed as solvers take it, from one as scikit-learn does."""
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(2**31)
    return random_state


def as_count(value, n_features, other="") -> int:
    """A number of features from a number or a share."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if whole and 1 <= value <= n_features:
        return int(value)
    if isinstance(value, Real) and not isinstance(value, Integral) and 0 < value <= 1:
        return max(1, int(value * n_features))
    raise ValueError(
        f"n_features_to_select = {_input.brief(value)}: must be {other}a whole number from 1 to "
        f"{n_features}, or a share above 0 and at most 1.0"
    )


@parameters
class WeightSelector(Selector):
    """Selection by the weights that a solver gives."""

    n_features_to_select: int | float | str | None = None
    threshold: float | None = None
    diverse: bool = False
    reweight: bool = False

    def _choose(self, weights, X):
        self._weights = weights
        self.scores_ = self.alpha_ = weights.alpha
        self.objective_, self.n_iter_ = weights.objective, weights.n_iter
        self.k_ = weights.basis.shape[1]
        diverse = X if self.diverse else None
        chosen = weights.select(self._count(), threshold=self.threshold, diverse=diverse)
        if len(chosen) == 0:
            warnings.warn(
                f"threshold = {self.threshold}: no feature weighs as much; the largest weight is "
                f"{weights.alpha.max():.2g}",
                stacklevel=_input.caller(),
            )
        rest = weights.ranking[~np.isin(weights.ranking, chosen)]
        return np.concatenate((chosen, rest)), len(chosen)

    def _read(self, X, y):
        X, y = super()._read(X, y)
        _input.check_flag("diverse", self.diverse)
        _input.check_flag("reweight", self.reweight)
        self._count()
        if self.threshold is not None:
            _input.check_number("threshold", self.threshold)
            if self.n_features_to_select is not None:
                raise ValueError(
                    f"n_features_to_select = {self.n_features_to_select!r}, threshold = "
                    f"{self.threshold}: give one of them, not both"
                )
        return X, y

    def _count(self):
        """How many features to select; None leaves it to the threshold or to the gap."""
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
        check_is_fitted(self, "support_")
        _input.check_unmasked(X)
        selected = validate_data(self, X, dtype=FLOATS, reset=False)[:, self.support_]
        selected -= self._weights.mean[self.support_]
        selected *= self._weights.scale[self.support_]
        return selected

    def inverse_transform(self, X):
        """Put the selected features back in their places, with 0 for the others.

        Parameters
        ----------
        X : array of shape (n_samples, n_selected)

        Returns
        -------
        array of shape (n_samples, n_features)
            With `reweight`, in the units of the training data; selected features of weight 0 as
            their mean.
        """
        _input.check_unmasked(X)
        if not self.reweight:
            return super().inverse_transform(X)
        whole = super().inverse_transform(check_array(X, dtype=FLOATS))
        scale = self._weights.scale
        whole *= np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
        whole[:, self.support_] += self._weights.mean[self.support_]
        return whole


@parameters
class LoopSelector(WeightSelector):
    """Selection by weights that are found in a loop."""

    init: str | np.ndarray = "continuation"
    n_init: int = 15
    tol: float = 1e-6
    max_iter: int = 200
    random_state: int | np.random.RandomState | np.random.Generator | None = None
