"""Stability selection, for any selector, and indices of how much selections agree.

`StabilitySelection` fits a selector to many subsamples and keeps the features that it selects in a
large share of them (Meinshausen and Bühlmann, JRSS B 72, 2010). `jaccard` and `kuncheva` (AIA
2007) are means over all pairs of selections: they measure how much the two overlap.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags, indexable, resample
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed

from specsel import _containers, _validate
from specsel._validate import ArrayLike, Floats
from specsel.estimators.base import RandomState, Selector, as_seed

__all__ = ["StabilitySelection", "jaccard", "kuncheva"]


def jaccard(supports: ArrayLike) -> float:
    """Measure how much selections agree, by the Jaccard index.

    The index of two selections is the number of features that both select over the number that at
    least one selects; the mean over all pairs is returned.

    Parameters
    ----------
    supports : array of bool, shape (n_selections, n_features)
        Which features every selection selects.

    Returns
    -------
    float
        From 0, nothing in common, to 1, all selections are equal.

    Examples
    --------
    >>> from specsel.estimators import jaccard
    >>> jaccard([[True, True, False], [True, False, True]])
    0.3333333333333333
    """

    def index(common: Floats, size: float, others: Floats, n_features: int) -> Floats:
        either = size + others - common
        return np.divide(common, either, out=np.ones(len(either)), where=either > 0)

    return _mean_over_pairs(supports, index)


def kuncheva(supports: ArrayLike) -> float:
    """Measure how much selections agree beyond chance, by Kuncheva's index.

    Two selections of k features each, among n, have r features in common; by chance it would be
    k²/n. The index is ``(r - k²/n) / (k - k²/n)``: 1 for equal selections, 0 on average for random
    ones. For selections of k and of l features it is ``(r - kl/n) / (min(k, l) - kl/n)``. As in
    Kuncheva's paper it is 0 if one of them selects nothing or everything. The mean over all pairs
    is returned.

    Parameters
    ----------
    supports : array of bool, shape (n_selections, n_features)
        Which features every selection selects.

    Returns
    -------
    float
        At most 1.

    Examples
    --------
    >>> from specsel.estimators import kuncheva
    >>> kuncheva([[True, True, False, False], [True, False, True, False]])
    0.0
    """

    def index(common: Floats, size: float, others: Floats, n_features: int) -> Floats:
        chance = size * others / n_features
        most = np.minimum(size, others) - chance
        return np.divide(common - chance, most, out=np.zeros(len(most)), where=most > 0)

    return _mean_over_pairs(supports, index)


def _mean_over_pairs(supports: ArrayLike, index: Callable[..., Floats]) -> float:
    """Return the mean of an index: of one selection and all later ones, a row at a time."""
    array = np.asarray(supports)
    if array.ndim != 2 or array.dtype != bool or len(array) < 2 or not array.size:
        raise ValueError(
            f"supports: has shape {array.shape} and dtype {array.dtype}; at least 2 "
            "selections x features, True or False, are needed"
        )
    numbers, total = array.astype(float), 0.0
    sizes = numbers.sum(axis=1)
    for i in range(len(numbers) - 1):
        common = numbers[i + 1 :] @ numbers[i]
        total += float(index(common, sizes[i], sizes[i + 1 :], array.shape[1]).sum())
    return total / math.comb(len(numbers), 2)


class StabilitySelection(Selector, kw_only=False):
    """Select the features that a selector selects in a large share of subsamples.

    Parameters
    ----------
    estimator : estimator with `get_support`
        Any selector of this package or of scikit-learn.
    n_resamples : int
        Number of subsamples, which are drawn without replacement.
    share : float
        Size of a subsample as a share of all samples. If y holds classes, it is the share of every
        class, and a class of a few samples may be missing.
    threshold : float
        Share of the subsamples in which a feature must be selected.
    random_state : int, RandomState, Generator or None
        Seed of the subsamples, and of the estimator if that has no seed of its own.
    n_jobs : int, optional
        Processes that fit subsamples, -1 for as many as there are cores. The selections do not
        depend on it.
    verbose : int
        How much is printed of the progress, 0 for nothing; as in joblib.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Share of the subsamples in which a feature is selected.
    result_ : ndarray of bool, shape (n_resamples, n_features)
        The selections from all subsamples.
    estimator_ : estimator
        The selector fitted to all samples, for comparison.
    kuncheva_, jaccard_ : float
        How much the selections agree; see `kuncheva` and `jaccard`.
    support_, ranking_, n_features_in_, feature_names_in_
        As in `QAlpha`.

    References
    ----------
    Meinshausen, N. and Bühlmann, P. (2010). Stability selection. JRSS B 72, 417-473.

    Kuncheva, L. (2007). A stability index for feature selection. AIA, 421-427.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from specsel import StabilitySelection, datasets
    >>> data = datasets.weston_linear(100, random_state=5)
    >>> stable = StabilitySelection(SelectKBest(k=10), random_state=0).fit(data.X, data.y)
    >>> stable.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4, 5]
    >>> round(stable.kuncheva_, 1)
    0.5
    """

    estimator: Any
    n_resamples: int = 100
    share: float = 0.5
    threshold: float = 0.6
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: int = 0

    def _read(self, X: Any, y: Any) -> tuple[Any, Any]:
        _validate.check_integer("n_resamples", self.n_resamples, 2)
        if not (_validate.is_finite(self.share) and 0 < self.share < 1):
            raise ValueError(f"share = {_validate.brief(self.share)}: must be between 0 and 1")
        if not (_validate.is_finite(self.threshold) and 0 < self.threshold <= 1):
            raise ValueError(
                f"threshold = {_validate.brief(self.threshold)}: must be above 0 and at most 1"
            )
        if not hasattr(self.estimator, "get_support"):
            raise ValueError(
                f"estimator: {type(self.estimator).__name__} has no get_support; a selector is "
                "needed"
            )
        _containers.check_intact(X)
        if y is not None:
            _containers.as_labels(y)
        # The estimator checks its data itself, and may not know AnnData.
        X = self._validated(X, skip_check_array=True)
        X = X if hasattr(X, "columns") else _containers.loaded(X)
        X, y = indexable(X, y)
        return X, y

    def _solve(self, X: Any, y: Any, **changes: Any) -> np.ndarray:
        """Return the selections from all subsamples."""
        generator = _validate.as_generator(as_seed(self.random_state))
        first, *seeds = generator.integers(2**31, size=self.n_resamples + 1).tolist()
        labels = () if y is None else (y,)
        self.estimator_ = _seeded(self.estimator, first).fit(X, *labels)
        classes = labels and type_of_target(y) in ("binary", "multiclass")
        options = {"replace": False, "stratify": y if classes else None}
        count = X.shape[0] if hasattr(X, "shape") else len(X)
        options["n_samples"] = max(1, round(self.share * count))
        drawn = (self.estimator, X, labels, options)
        run = Parallel(n_jobs=self.n_jobs, verbose=self.verbose)
        return np.array(run(delayed(_selection)(*drawn, seed) for seed in seeds))

    def _choose(self, found: Any, X: Any) -> tuple[np.ndarray, int]:
        supports: np.ndarray = found
        self.scores_ = supports.mean(axis=0)
        self.jaccard_, self.kuncheva_ = jaccard(supports), kuncheva(supports)
        order = np.argsort(-self.scores_, kind="stable")
        return order, int((self.scores_ >= self.threshold).sum())

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags


def _selection(
    estimator: Any, X: Any, labels: tuple[Any, ...], options: dict[str, Any], seed: int
) -> np.ndarray:
    """Return what the estimator selects from one subsample."""
    drawn = resample(X, *labels, random_state=seed, **options)
    support: np.ndarray = (
        _seeded(estimator, seed).fit(*(drawn if labels else [drawn])).get_support()
    )
    return support


def _seeded(estimator: Any, seed: int) -> Any:
    """Return a new estimator that has the seed wherever it has none of its own."""
    estimator = clone(estimator)
    unset = [
        name
        for name, value in estimator.get_params().items()
        if name.endswith("random_state") and value is None
    ]
    return estimator.set_params(**dict.fromkeys(unset, seed))
