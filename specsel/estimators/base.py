"""What all estimators share: they check data, call a solver, and select features by its result.

A subclass names its `_solver` and ranks the features in `_choose`. `Selector` makes a dataclass of
every subclass, which writes the constructor that scikit-learn needs: a parameter is declared once,
with its default, and inherited.
"""

import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from specsel import _containers, _data, _validate
from specsel._validate import ArrayLike, Init
from specsel.results import Weights

FLOATS = (np.float64, np.float32)

# Formats in which a sparse matrix stays; others become the first of them.
SPARSE_FORMATS = ("csr", "csc")

# Parameters of the estimators that no solver has.
SELECTION_PARAMETERS = {"n_features_to_select", "threshold", "diverse", "reweight", "verbose"}

RandomState = int | np.random.RandomState | np.random.Generator | None


@dataclass_transform(kw_only_default=True, eq_default=False)
class Selector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A selector that calls a solver once and keeps the best features."""

    _solver: ClassVar[Callable[..., Any]]
    needs_classes = False
    takes_sparse = False
    _takes_blocks = False  # whether arrays that are read in blocks reach the solver as they are
    progress = ""  # the line that `verbose` prints of what the solver passes to its callback

    def __init_subclass__(cls, *, kw_only: bool = True, **others: Any) -> None:
        super().__init_subclass__(**others)
        # Comparison and the text of an estimator stay those of scikit-learn.
        dataclass(kw_only=kw_only, eq=False, repr=False)(cls)

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Find the features.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Numbers; a data frame or AnnData will do, and a sparse matrix where the solver takes
            one.
        y : array of shape (n_samples,), optional
            Class labels, if the method needs them; otherwise ignored.

        Returns
        -------
        The estimator itself.
        """
        self.__dict__.pop("support_", None)  # if this fit fails, no older result is left
        X, y = self._read(X, y)
        self.result_ = self._solve(X, y)
        order, count = self._choose(self.result_, X)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[order[:count]] = True
        self.ranking_ = np.empty(self.n_features_in_, dtype=int)
        self.ranking_[order] = np.arange(1, self.n_features_in_ + 1)
        return self

    def _solve(self, X: Any, y: Any, **changes: Any) -> Any:
        """Return the result of the solver, some of its options changed."""
        labels = (y,) if self.needs_classes else ()
        return self._solver(X, *labels, **self._options() | changes)

    @abstractmethod
    def _choose(self, found: Any, X: Any) -> tuple[np.ndarray, int]:
        """Return all features, best first, and how many of them are selected."""

    def _read(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Check the data; names of columns go on to the solver."""
        _containers.check_intact(X)
        formats = SPARSE_FORMATS if self.takes_sparse else False
        options = {"dtype": FLOATS, "accept_sparse": formats, "ensure_min_samples": 2}
        if self.needs_classes and y is not None:
            _containers.as_labels(y)  # its messages are clearer than those of scikit-learn
        labels = (y,) if self.needs_classes else ()
        found = self._validated(X, *labels, in_blocks=self._takes_blocks, **options)
        X, y = found if labels else (found, y)
        names = getattr(self, "feature_names_in_", None)
        if names is None or (hasattr(X, "tocsr") and not self._takes_blocks):
            return X, y
        return _containers.Frame(names.tolist(), X), y

    def _validated(self, X: Any, *y: Any, in_blocks: bool = True, **options: Any) -> Any:
        """Check data, and labels if there are any, as scikit-learn does, and count the features.

        scikit-learn does not know AnnData, whose names are compared or kept here. With
        `in_blocks`, arrays that are read in blocks are not read now.
        """
        X, names = (X, None) if hasattr(X, "columns") else _containers.unwrapped(X)
        reset = options.setdefault("reset", True)
        if in_blocks and _containers.is_streamed(X):
            options = {"reset": reset, "skip_check_array": True}  # which would read all of it
        elif not hasattr(X, "columns"):
            X = _containers.loaded(X)
        else:
            check_names(X)
        known = getattr(self, "feature_names_in_", None)
        if names and not reset and known is not None:
            if names != tuple(map(str, known)):
                raise ValueError(
                    f"X: has other names of features than {type(self).__name__} was fitted with, "
                    "or in another order"
                )
            del options["reset"]
            return X if "skip_check_array" in options else check_array(X, **options)
        found = validate_data(self, X, *y, **options)
        if names and reset:
            self.feature_names_in_ = np.array(names, dtype=object)
        return found

    def _options(self) -> dict[str, Any]:
        """Return the parameters that the solver takes."""
        names = {field.name for field in fields(self)} - SELECTION_PARAMETERS
        options = {name: getattr(self, name) for name in names}
        if "random_state" in options:
            options["random_state"] = as_seed(self.random_state)
        verbose = getattr(self, "verbose", False)
        if not isinstance(verbose, bool):
            _validate.check_integer("verbose", verbose, 0)
        if verbose:
            options["callback"] = self._print_progress
        return options

    def _print_progress(self, *values: float) -> None:
        print(f"[{type(self).__name__}] {self.progress.format(*values)}", flush=True)

    def transform(self, X: ArrayLike) -> Any:
        """Keep the selected features.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_selected)
        """
        check_is_fitted(self, "support_")
        _containers.check_intact(X)
        if not (hasattr(X, "tocsr") or _containers.is_wrapped(X) or _containers.is_streamed(X)):
            return super().transform(X)
        return self._take_selected(X)

    def _take_selected(self, X: Any, dtype: Any = None) -> Any:
        """Take the selected features of data that scikit-learn would convert or does not know.

        Sparse matrices stay compressed as they are, and arrays of Dask stay there.
        """
        X = self._validated(X, dtype=dtype, accept_sparse=SPARSE_FORMATS, reset=False)
        X = X.to_dask_array(lengths=True) if hasattr(X, "to_dask_array") else X
        if _containers.is_streamed(X):
            return _containers.take_features(X, np.flatnonzero(self._get_support_mask()))
        return self._transform(X)

    def inverse_transform(self, X: ArrayLike) -> Any:
        """Put the selected features back in their places, with 0 for all others.

        Parameters
        ----------
        X : array of shape (n_samples, n_selected)

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        _containers.check_intact(X)
        return super().inverse_transform(X)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.needs_classes
        tags.input_tags.sparse = self.takes_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def check_names(X: Any) -> None:
    """Refuse a frame with a name twice; scikit-learn's message would have several lines."""
    for name, count in Counter(X.columns).items():
        if count > 1:
            raise ValueError(
                f"X: {count} columns are named {_validate.printable(str(name))!r}; "
                "give every column a name of its own"
            )


def as_seed(random_state: Any) -> Any:
    """Return a seed for a solver, which takes no RandomState."""
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(2**31)
    return random_state


def as_count(value: Any, n_features: int, other: str = "") -> int:
    """Return a number of features from a number or a share of all; `other` is allowed, too."""
    if isinstance(value, Integral):
        if not isinstance(value, bool) and 1 <= int(value) <= n_features:
            return int(value)
    elif isinstance(value, Real) and 0 < float(value) <= 1:
        return max(1, int(float(value) * n_features))
    raise ValueError(
        f"n_features_to_select = {_validate.brief(value)}: must be {other}a whole number from 1 "
        f"to {n_features}, or a share above 0 and at most 1.0"
    )


class WeightSelector(Selector):
    """A selector that keeps the features of the largest weights."""

    takes_sparse = _takes_blocks = True

    n_features_to_select: int | float | str | None = None
    threshold: float | None = None
    diverse: bool = False
    reweight: bool = False

    def _choose(self, found: Any, X: Any) -> tuple[np.ndarray, int]:
        weights: Weights = found
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
                stacklevel=_validate.caller(),
            )
        rest = weights.ranking[~np.isin(weights.ranking, chosen)]
        return np.concatenate((chosen, rest)), len(chosen)

    def _read(self, X: Any, y: Any) -> tuple[Any, Any]:
        X, y = super()._read(X, y)
        _validate.check_flag("diverse", self.diverse)
        _validate.check_flag("reweight", self.reweight)
        self._count()
        if self.threshold is not None:
            _validate.check_number("threshold", self.threshold)
            if self.n_features_to_select is not None:
                raise ValueError(
                    f"n_features_to_select = {self.n_features_to_select!r}, threshold = "
                    f"{self.threshold}: give one of them, not both"
                )
        return X, y

    def _count(self) -> int | None:
        """Return how many features to select; None if the threshold or the gap decides."""
        count = self.n_features_to_select
        if count is None and self.threshold is None and self.reweight:
            return int(self.n_features_in_)
        if count is None or (isinstance(count, str) and count == "gap"):
            return None
        return as_count(count, self.n_features_in_, '"gap", ')

    def transform(self, X: ArrayLike) -> Any:
        """Keep the selected features; with `reweight`, centre, scale and multiply them by √α.

        With `reweight`, sparse samples become dense where features were centred.
        """
        if not self.reweight:
            return super().transform(X)
        check_is_fitted(self, "support_")
        _containers.check_intact(X)
        selected = self._take_selected(X, FLOATS)
        mean, scale = self._weights.mean[self.support_], self._weights.scale[self.support_]
        dtype = selected.dtype if selected.dtype in FLOATS else np.float64
        return _data.scaled(selected, mean, scale).astype(dtype, copy=False)

    def inverse_transform(self, X: ArrayLike) -> Any:
        """Put the selected features back in their places, with 0 for all others.

        With `reweight`, values are in the units of the training data; a selected feature of weight
        0 has its mean everywhere.
        """
        if not self.reweight:
            return super().inverse_transform(X)
        _containers.check_intact(X)
        full = super().inverse_transform(check_array(X, dtype=FLOATS))
        scale = self._weights.scale
        full *= np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
        full[:, self.support_] += self._weights.mean[self.support_]
        return full


class LoopSelector(WeightSelector):
    """A selector whose solver iterates until the weights settle."""

    progress = "iteration {}, objective {:.6g}"

    init: Init | np.ndarray = "continuation"
    n_init: int = 15
    tol: float = 1e-6
    max_iter: int = 200
    random_state: RandomState = None
    verbose: bool | int = False
