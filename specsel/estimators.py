"""The algorithms that weigh features as scikit-learn estimators, and what all estimators share.

`fit` solves, `transform` keeps the best features. There is no algorithm here: parameters are those
of the solver, with its defaults unless the docstring says otherwise, and what it returns is
`result_`. Every class is a dataclass, which writes the constructor that scikit-learn wants, so
that a parameter is declared once, with its default, and inherited.

Those with side data and with pairs of samples are in `side_estimators`, sparse LDA and stable
subspaces in `subset_estimators`.
"""

import warnings
from dataclasses import dataclass, fields
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from specsel import checks, kernel, laplacian, qalpha, supervised, topography, weighting
from specsel.tables import Frame

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
        checks.check_unmasked(X)
        options = {"dtype": FLOATS, "accept_sparse": self.takes_sparse, "ensure_min_samples": 2}
        if self.needs_classes:
            if y is not None:
                checks.as_labels(y)  # in words of its own, of what scikit-learn would stumble over
            X, y = validate_data(self, X, y, **options)
        else:
            X = validate_data(self, X, **options)
        names = getattr(self, "feature_names_in_", None)
        return X if names is None or hasattr(X, "tocsr") else Frame(names.tolist(), X), y

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
        checks.check_unmasked(X)
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
        f"n_features_to_select = {checks.brief(value)}: must be {other}a whole number from 1 to "
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
                stacklevel=checks.caller(),
            )
        rest = weights.ranking[~np.isin(weights.ranking, chosen)]
        return np.concatenate((chosen, rest)), len(chosen)

    def _read(self, X, y):
        X, y = super()._read(X, y)
        checks.check_flag("diverse", self.diverse)
        checks.check_flag("reweight", self.reweight)
        self._count()
        if self.threshold is not None:
            checks.check_number("threshold", self.threshold)
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
        checks.check_unmasked(X)
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
        checks.check_unmasked(X)
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


@parameters
class QAlpha(LoopSelector):
    """Select the features that make the samples cluster, see `qalpha.solve`.

    Parameters
    ----------
    k : int or "auto"
        Number of leading directions that should carry the structure, about the number of
        clusters; "auto" takes it from the spectral gap.
    rounds : int
        With more than one, later rounds look for what earlier ones have not weighed, see
        `topography.solve`, with a trade-off of 1 over the number of features; the weights are
        those of all rounds together. `method`, `criterion` and `center` are left as they are then.
    method, criterion, center, init, n_init, tol, max_iter, random_state
        As in `qalpha.solve`.
    n_features_to_select : "gap", int or float, optional
        How many: those above the sparsity gap, a number, or a share of all, rounded down. By
        default the gap decides or, with `reweight`, all features are kept.
    threshold : float, optional
        Select the features that weigh at least as much, instead of a number of them.
    diverse : bool
        Instead of the largest weights, which often say one thing several times, take as many
        features that best span the weighted rest.
    reweight : bool
        `transform` centres and scales the selected features and multiplies them by √α: the
        preprocessing of Wolf and Bileschi (2005), for better distances and components.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
        Which features are selected.
    scores_, alpha_ : ndarray of shape (n_features,)
        The weights.
    ranking_ : ndarray of int, shape (n_features,)
        Place of every feature, 1 being the best. The selected ones come first.
    objective_ : float
    n_iter_ : int
    k_ : int
        Leading directions.
    result_ : Weights or Map
        What the solver returned: a map where there are several rounds.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from specsel import QAlpha, datasets
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> selector = QAlpha(k=3).fit(data.X)
    >>> selector.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4]
    >>> QAlpha(k=3, reweight=True).fit_transform(data.X).shape == data.X.shape
    True
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
        for name, only in (("method", "power"), ("criterion", "energy"), ("center", True)):
            value = options.pop(name)
            if not (isinstance(value, type(only)) and value == only):
                raise ValueError(f"rounds = {rounds}: several are for {name} = {only!r} alone")
        return topography.solve(X, rounds=rounds, tradeoff=1 / self.n_features_in_, **options)

    def _choose(self, found, X):
        return super()._choose(getattr(found, "combined", found), X)


@parameters
class ParameterFreeWeighting(WeightSelector):
    """Select the features that share most with all others, see `weighting.solve`.

    Parameters
    ----------
    n_features_to_select, threshold, diverse, reweight
        As in `QAlpha`; its attributes are there too.

    Examples
    --------
    >>> from specsel import ParameterFreeWeighting, datasets
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> selector = ParameterFreeWeighting(n_features_to_select=5).fit(data.X)
    >>> selector.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4]
    """

    def _solve(self, X, y):
        return weighting.solve(X)


@parameters
class FisherWeighting(WeightSelector):
    """Select features for discriminant analysis, see `weighting.solve` with labels.

    It is for more features than samples: where the features are linearly independent all weight
    falls on one of them, with a warning.

    Parameters
    ----------
    tradeoff : float
        As in `weighting.solve`.
    n_features_to_select, threshold, diverse, reweight
        As in `QAlpha`; its attributes are there too.

    Examples
    --------
    >>> from specsel import FisherWeighting, datasets
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> selector = FisherWeighting(n_features_to_select=5).fit(data.X, data.y)
    >>> selector.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4]
    """

    tradeoff: float = 1.0
    needs_classes = True

    def _solve(self, X, y):
        return weighting.solve(X, y, **self._options())


@parameters
class LaplacianQAlpha(LoopSelector):
    """Select features by the Laplacian of the samples, see `laplacian.solve`.

    Parameters
    ----------
    k : int or "auto"
        As in `QAlpha`.
    shift, representation, init, n_init, tol, max_iter, random_state
        As in `laplacian.solve`.
    n_features_to_select, threshold, diverse, reweight
        As in `QAlpha`; its attributes are there too.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import LaplacianQAlpha
    >>> X = np.random.default_rng(0).standard_normal((60, 60))
    >>> X[:30, :20] += 4
    >>> LaplacianQAlpha(k=2).fit_transform(X).shape
    (60, 20)
    """

    k: int | str = "auto"
    shift: str = "degree"
    representation: str = "parts"
    init: str | np.ndarray = "equal"

    def _solve(self, X, y):
        return laplacian.solve(X, **self._options())


@parameters
class SupervisedQAlpha(LoopSelector):
    """Select features that tell known classes apart, see `supervised.solve`.

    Parameters
    ----------
    k_within, k_between, gamma, representation, method, init, n_init, tol, max_iter, random_state
        As in `supervised.solve`.
    n_features_to_select, threshold, diverse, reweight
        As in `QAlpha`; its attributes are there too.

    Examples
    --------
    >>> from specsel import SupervisedQAlpha, datasets
    >>> data = datasets.weston_linear(100, random_state=5)
    >>> selector = SupervisedQAlpha(n_features_to_select=6).fit(data.X, data.y)
    >>> selector.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4, 5]
    """

    k_within: int = 2
    k_between: int = 1
    gamma: float = 0.5
    representation: str = "parts"
    method: str = "power"
    needs_classes = True

    def _solve(self, X, y):
        return supervised.solve(X, y, **self._options())


@parameters
class KernelQAlpha(LoopSelector):
    """Select features that are compared by a kernel, see `kernel.solve`.

    Parameters
    ----------
    k : int or "auto"
        As in `QAlpha`.
    kernel, sigma, degree, offset, sections, center, criterion, init, n_init, tol, max_iter, \
random_state
        As in `kernel.solve`; with the precomputed kernel X is the matrix, which can be
        neither split nor reweighted.
    n_features_to_select, threshold, diverse, reweight
        As in `QAlpha`; its attributes are there too.

    Examples
    --------
    >>> from specsel import KernelQAlpha, datasets
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> selector = KernelQAlpha(kernel="poly", offset=0, n_features_to_select=5).fit(data.X)
    >>> selector.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4]
    """

    k: int | str = "auto"
    kernel: object = "rbf"
    sigma: float | None = None
    degree: int = 2
    offset: float = 1.0
    sections: int | np.ndarray = 8
    center: bool = True
    criterion: str = "energy"

    def _solve(self, X, y):
        given = isinstance(self.kernel, str) and self.kernel == "precomputed"
        for name in ("diverse", "reweight"):
            if given and getattr(self, name):
                raise ValueError(f"{name} = True: needs samples; a precomputed kernel has none")
        return kernel.solve(X, **self._options())
