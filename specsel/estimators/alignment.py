"""Selection by alignment as a scikit-learn estimator, see `estimators`."""

from typing import Any

import numpy as np

from specsel import alignment
from specsel._validate import ArrayLike, Integers
from specsel.estimators.base import Selector, as_count, with_parameters
from specsel.results import Aligned


@with_parameters
class AlignmentSelector(Selector):
    """Select features that stand for the data or for classes, see `alignment.solve`.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all. By default up to the peak of the scores.
    target : {"neighbours", "classes"}, Weights, array, sparse matrix or operator, optional
        By default "classes" where `fit` is given classes, and else "neighbours". Name
        "neighbours" to select without the classes that a pipeline passes on. A matrix of samples
        x samples suits only the samples that it was made for.
    neighbours, components, scale, always, never
        As in `alignment.solve`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Relevance of every feature to the target, on its own.
    path_ : ndarray
        The score after each feature, in the order in which they were taken.
    objective_ : float
        The score of the features selected.
    result_ : Aligned
        What the solver returned.
    support_, ranking_, n_features_in_, feature_names_in_
        As in `QAlpha`; features that were not looked at are ranked by their relevance.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import AlignmentSelector
    >>> X = np.random.default_rng(0).standard_normal((60, 40))
    >>> y = np.arange(60) % 2
    >>> X[:, 0] += 8 * y
    >>> X[:, 1] = X[:, 0]
    >>> AlignmentSelector(n_features_to_select=1).fit(X, y).get_support(indices=True).tolist()
    [0]
    """

    takes_sparse = takes_any = True

    n_features_to_select: int | float | None = None
    target: Any = None
    neighbours: int = 5
    components: int = 20
    scale: str = "unit"
    always: ArrayLike = ()
    never: ArrayLike = ()

    def _read(self, X: Any, y: Any) -> tuple[Any, Any]:
        X, _ = super()._read(X, None)
        named = isinstance(self.target, str) and self.target == "classes"
        return X, y if self.target is None or named else None

    def _solve(self, X: Any, y: Any) -> Aligned:
        count = self.n_features_to_select
        if count is not None:
            count = as_count(count, self.n_features_in_)
        return alignment.solve(X, y, n=count, **self._options())

    def _choose(self, found: Aligned, X: Any) -> tuple[Integers, int]:
        self.scores_, self.path_ = found.relevance, found.scores
        size = len(found.support)
        self.objective_, self.n_iter_ = float(found.scores[size - 1]), len(found.ranking)
        rest = np.argsort(-found.relevance, kind="stable")
        rest = rest[~np.isin(rest, found.ranking)]
        return np.concatenate((found.ranking, rest)), size
