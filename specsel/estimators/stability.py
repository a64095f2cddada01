"""How stable a selection is under resampling, for any selector, and what is selected stably.

A selector is fitted to many subsamples. Features that it selects in a good share of them are
selected (Meinshausen and Bühlmann, JRSS B 72, 2010). How much the selections agree is told by the
mean over all pairs of two indices of their overlap (Jaccard; Kuncheva, AIA 2007).
"""

import math
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags, indexable, resample
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from specsel import _input
from specsel.estimators.base import Selector, as_seed

__all__ = ["StabilitySelection", "jaccard", "kuncheva"]


def jaccard(supports) -> float:
    """How much selections agree: what two have in common of what either has, on average.

    Parameters
    ----------
    supports : array of bool, shape (n_selections, n_features)

    Examples
    --------
    >>> from specsel import stability_selection
    >>> stability_selection.jaccard([[True, True, False], [True, False, True]])
    0.3333333333333333
    """
    total = 0.0
    supports = _checked(supports)
    for common, size, others in _overlaps(supports):
        either = size + others - common
        total += np.divide(common, either, out=np.ones(len(either)), where=either > 0).sum()
    return float(total / math.comb(len(supports), 2))


def kuncheva(supports) -> float:
    """How much selections agree beyond chance, on average over all pairs.

    With r common features of k each among n this is ``(r - k²/n) / (k - k²/n)``: 1 for equal
    selections, 0 on average for random ones. For selections of k and of l features it is
    ``(r - kl/n) / (min(k, l) - kl/n)``, and 0 where one of them holds nothing or everything, as
    Kuncheva has it.

    Parameters
    ----------
    supports
        As in `jaccard`.

    Examples
    --------
    >>> from specsel import stability_selection
    >>> stability_selection.kuncheva([[True, True, False, False], [True, False, True, False]])
    0.0
    """
    total = 0.0
    supports = _checked(supports)
    for common, size, others in _overlaps(supports):
        chance = size * others / supports.shape[1]
        most = np.minimum(size, others) - chance
        total += np.divide(common - chance, most, out=np.zeros(len(most)), where=most > 0).sum()
    return float(total / math.comb(len(supports), 2))


def _overlaps(supports):
    """Yield of every selection what it shares with each later one, its size, and theirs."""
    numbers = supports.astype(float)
    sizes = numbers.sum(axis=1)
    for i in range(len(numbers) - 1):
        yield numbers[i + 1 :] @ numbers[i], sizes[i], sizes[i + 1 :]


def _checked(supports):
    supports = np.asarray(supports)
    if supports.ndim != 2 or supports.dtype != bool or len(supports) < 2 or not supports.size:
        raise ValueError(
            f"supports: has shape {supports.shape} and dtype {supports.dtype}; at least 2 "
            "selections x features, True or False, are needed"
        )
    return supports


@dataclass(eq=False, repr=False)
class StabilitySelection(Selector):
    """Select the features that a selector selects in a good share of subsamples.

    Parameters
    ----------
    estimator : estimator with `get_support`
        Any selector of this package or of scikit-learn.
    n_resamples : int
        Subsamples, drawn without replacement.
    share : float
        Size of a subsample as a share of all samples, or, where y are classes, of every class; one
        of a few samples may be left out.
    threshold : float
        Share of the subsamples in which a feature must be selected.
    random_state : int, RandomState, Generator or None
        Seed of the subsamples, and of the estimator where it has none of its own.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Selection frequencies: in which share of the subsamples a feature is selected.
    result_ : ndarray of bool, shape (n_resamples, n_features)
        The selections.
    estimator_ : estimator
        Fitted to all samples, for comparison.
    kuncheva_, jaccard_ : float
        How much the selections agree: see `kuncheva` and `jaccard`.
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

    estimator: object
    n_resamples: int = 100
    share: float = 0.5
    threshold: float = 0.6
    random_state: int | np.random.RandomState | np.random.Generator | None = None

    def _read(self, X, y):
        self._check()
        _input.check_unmasked(X)
        if y is not None:
            _input.as_labels(y)
        validate_data(self, X, skip_check_array=True)  # the estimator itself checks its data
        return indexable(X, y)

    def _check(self):
        _input.check_integer("n_resamples", self.n_resamples, 2)
        if not (_input.is_finite(self.share) and 0 < self.share < 1):
            raise ValueError(f"share = {_input.brief(self.share)}: must be between 0 and 1")
        if not (_input.is_finite(self.threshold) and 0 < self.threshold <= 1):
            raise ValueError(
                f"threshold = {_input.brief(self.threshold)}: must be above 0 and at most 1"
            )
        if not hasattr(self.estimator, "get_support"):
            raise ValueError(
                f"estimator: {type(self.estimator).__name__} has no get_support; a selector is "
                "needed"
            )

    def _solve(self, X, y):
        """The selections from all subsamples."""
        generator = _input.as_generator(as_seed(self.random_state))
        first, *seeds = generator.integers(2**31, size=self.n_resamples + 1).tolist()
        labels = () if y is None else (y,)
        self.estimator_ = _seeded(self.estimator, first).fit(X, *labels)
        classes = labels and type_of_target(y) in ("binary", "multiclass")
        options = {"replace": False, "stratify": y if classes else None}
        options["n_samples"] = max(1, round(self.share * _count(X)))
        supports = []
        for seed in seeds:
            drawn = resample(X, *labels, random_state=seed, **options)
            selector = _seeded(self.estimator, seed)
            supports.append(selector.fit(*(drawn if labels else [drawn])).get_support())
        return np.array(supports)

    def _choose(self, supports, X):
        self.scores_ = supports.mean(axis=0)
        self.jaccard_, self.kuncheva_ = jaccard(supports), kuncheva(supports)
        order = np.argsort(-self.scores_, kind="stable")
        return order, int((self.scores_ >= self.threshold).sum())

    def __sklearn_tags__(self):
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags


def _seeded(estimator, seed):
    """A new estimator, with the seed wherever it has none of its own."""
    estimator = clone(estimator)
    unset = [
        name
        for name, value in estimator.get_params().items()
        if name.endswith("random_state") and value is None
    ]
    return estimator.set_params(**dict.fromkeys(unset, seed))


def _count(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)
