"""Sparse LDA and stable subspaces, as scikit-learn estimators.

The result of these methods is a set of features, not a weight for each.
"""

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from specsel import _validate, eslda, gslda, sbs
from specsel._validate import (
    LSI_MATRICES,
    PCA_MATRICES,
    Bounds,
    Direction,
    LSIMatrix,
    PCAMatrix,
    Worth,
)
from specsel.estimators.base import RandomState, Selector, as_count, with_parameters
from specsel.results import StableSubspace, Subset


@with_parameters
class SubsetSelector(Selector):
    """A selector that keeps the features that are best together, as many as asked for."""

    n_features_to_select: int | float = 0.5
    shrinkage: float | None = None
    always: Sequence[int | str] = ()
    never: Sequence[int | str] = ()
    criterion: Worth | None = None
    needs_classes = takes_sparse = True

    def _choose(self, found: Any, X: Any) -> tuple[np.ndarray, int]:
        subset: Subset = found
        self.scores_ = np.abs(subset.direction)
        self.alpha_ = self.scores_ / np.linalg.norm(self.scores_)
        self.objective_, self.n_iter_ = subset.value, max(subset.nodes, 1)
        left_out = ~np.isin(np.arange(self.n_features_in_), subset.support)
        return np.lexsort((-self.scores_, left_out)), len(subset.support)

    def _count(self) -> int:
        """Return how many features to select; `always` and `never` must leave room for them."""
        n_features, names = self.n_features_in_, tuple(getattr(self, "feature_names_in_", ()))
        always, never = _validate.check_sets(self.always, self.never, n_features, names)
        count = as_count(self.n_features_to_select, n_features)
        share = "" if count == self.n_features_to_select else f" = {self.n_features_to_select}"
        return _validate.check_integer(
            f"n_features_to_select{share}",
            count,
            max(len(always), 1),
            n_features - len(never),
            "the features allowed",
        )


@with_parameters
class GreedySparseLDA(SubsetSelector):
    """Select few features that together tell classes apart well, see `gslda.solve`.

    Parameters
    ----------
    n_features_to_select : int or float
        How many features, or which share of all. The search takes one step per feature: if there
        are hundreds, give a number.
    direction, refine, shrinkage, always, never, criterion
        As in `gslda.solve`.

    Attributes
    ----------
    scores_, alpha_ : ndarray of shape (n_features,)
        Modulus of every coefficient of the discriminant, 0 for features that are not selected;
        `alpha_` is scaled to unit norm.
    objective_ : float
        What was maximised. For two classes the scatter between them over the scatter within them,
        in the best direction; for more, see `result_.criterion`.
    n_iter_ : int
        Nodes of the search tree; 1 if there is none.
    result_ : Subset
        What the solver returned.
    support_, ranking_, n_features_in_, feature_names_in_
        As in `QAlpha`; features that are not selected are ranked by their number.

    Examples
    --------
    >>> from specsel import GreedySparseLDA, datasets
    >>> data = datasets.lda_problem(60, n_samples=300, n_relevant=4)
    >>> selector = GreedySparseLDA(n_features_to_select=4).fit(data.X, data.y)
    >>> selector.get_support(indices=True).tolist()
    [0, 15, 30, 45]
    """

    direction: Direction = "both"
    refine: bool = True

    def _solve(self, X: Any, y: Any) -> Subset:
        count = self._count()
        path = gslda.solve(X, y, max_size=count, **self._options())
        if "interrupted" in path.statuses:
            raise KeyboardInterrupt
        return path[count]


@with_parameters
class ExactSparseLDA(SubsetSelector):
    """Select the few features that together tell classes apart best, see `eslda.solve`.

    Parameters
    ----------
    time_limit : float or None
        Seconds for the search. When they are over, the best set so far is selected, a warning is
        issued, and `result_.bound` says what no other set can exceed.
    gap, node_limit, bound, shrinkage, always, never, criterion
        As in `eslda.solve`.
    n_features_to_select : int or float
        How many features, or which share of all. In the worst case the time of the search grows
        exponentially.
    verbose : bool or int
        Print value, bound and nodes a few times a second.

    Attributes
    ----------
    support_, scores_, alpha_, ranking_, objective_, n_iter_, result_
        As in `GreedySparseLDA`.

    Examples
    --------
    >>> from specsel import ExactSparseLDA, datasets
    >>> data = datasets.lda_problem(40, n_samples=300, n_relevant=4)
    >>> selector = ExactSparseLDA(n_features_to_select=4).fit(data.X, data.y)
    >>> selector.get_support(indices=True).tolist(), selector.result_.status
    ([0, 10, 20, 30], 'optimal')
    """

    time_limit: float | None = 60.0
    gap: float = 0
    node_limit: int | None = None
    bound: Bounds = "best"
    verbose: bool | int = False
    progress = "value {:.6g}, bound {:.6g}, {} nodes, {:.0f} s"

    def _solve(self, X: Any, y: Any) -> Any:
        found: Any = eslda.solve(X, y, self._count(), **self._options())
        if found.status not in ("optimal", "gap"):
            warnings.warn(
                f"search ended early ({found.status}): another set may be better by "
                f"{found.gap:.2g} times the value; allow more time or nodes, or fewer features",
                stacklevel=_validate.caller(),
            )
        return found


@with_parameters
class StableSelector(Selector):
    """A selector that keeps features whose principal subspace is stable."""

    retain: float = 0.5
    at_least: int = 1
    confidence: float = 0.9
    n_boot: int | Literal["auto"] = 1000
    random_state: RandomState = None
    verbose: bool | int = False
    takes_sparse = True
    progress = "{} features removed, gap {:.4g}, which must exceed {:.4g}"

    def _choose(self, found: Any, X: Any) -> tuple[np.ndarray, int]:
        self.objective_, self.n_iter_, self.k_ = found.share, max(len(found.trace), 1), found.k
        self.scores_ = np.zeros(self.n_features_in_)
        self.scores_[found.support] = (found.vectors**2).sum(axis=1)
        self.alpha_ = np.sqrt(self.scores_ / max(found.k, 1))
        kept = found.support[np.argsort(-self.scores_[found.support], kind="stable")]
        order = np.concatenate((kept, found.removed[::-1], found.intervals.constant))
        return order, len(kept)


@with_parameters
class StablePCA(StableSelector):
    """Select features whose principal subspace another sample would show too, see `sbs.solve`.

    Parameters
    ----------
    matrix : {"covariance", "correlation"}
        Matrix whose leading eigenvectors span the subspace.
    retain, at_least, confidence, n_boot, random_state
        As in `sbs.solve`.
    verbose : bool or int
        Print every feature that is removed.

    Attributes
    ----------
    scores_, alpha_ : ndarray of shape (n_features,)
        Squared length of a feature's row in the basis of the subspace; all of them add up to its
        dimension. `alpha_` is the square root, scaled to unit norm.
    objective_ : float
        Share of the trace that the subspace retains.
    n_iter_ : int
        How many sets of features the search looked at.
    k_ : int
        Dimension of the subspace. If nothing is stable it is 0, a warning is issued, and the
        selection means nothing.
    result_ : StableSubspace
        What the solver returned; its `transform` projects samples on the subspace.
    support_, ranking_, n_features_in_, feature_names_in_
        As in `QAlpha`; removed features are ranked in reverse order of their removal.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import StablePCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((400, 10))
    >>> X[:, :8] += rng.standard_normal((400, 1))
    >>> X[:, 8:] *= 1 / rng.random((400, 1))  # two features with common outliers
    >>> StablePCA(retain=0.001, random_state=0).fit(X).get_support(indices=True).tolist()
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    matrix: PCAMatrix = "covariance"

    def _solve(self, X: Any, y: Any) -> StableSubspace:
        _validate.check_choice("matrix", self.matrix, PCA_MATRICES)
        return sbs.solve(X, **self._options())


@with_parameters
class StableLSI(StableSelector):
    """Select features whose latent semantic subspace is stable, see `sbs.solve`.

    It is meant for counts of words: features are compared by their cosine or inner product.

    Parameters
    ----------
    matrix : {"cosine", "inner"}
        Matrix whose leading eigenvectors span the subspace.
    retain, at_least, confidence, n_boot, random_state
        As in `sbs.solve`.
    verbose : bool or int
        Print every feature that is removed.

    Attributes
    ----------
    support_, scores_, alpha_, ranking_, objective_, n_iter_, k_, result_
        As in `StablePCA`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from specsel import StableLSI
    >>> counts = np.random.default_rng(0).poisson([1] * 6 + [0.02] * 2, (300, 8))
    >>> StableLSI(retain=0.3, random_state=0).fit_transform(sparse.csr_array(counts)).shape[0]
    300
    """

    matrix: LSIMatrix = "cosine"

    def _solve(self, X: Any, y: Any) -> StableSubspace:
        _validate.check_choice("matrix", self.matrix, LSI_MATRICES)
        return sbs.solve(X, **self._options())
