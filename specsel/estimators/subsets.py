"""Sparse LDA and stable subspaces as scikit-learn estimators, see `estimators`."""

import warnings

import numpy as np

from specsel import _input, eslda, gslda, sbs
from specsel.estimators.base import Selector, as_count, parameters


@parameters
class SubsetSelector(Selector):
    """Selection of as many features as asked for, which are best together."""

    n_features_to_select: int | float = 0.5
    shrinkage: float | None = None
    always: tuple = ()
    never: tuple = ()
    needs_classes = True

    def _choose(self, subset, X):
        self.scores_ = np.abs(subset.direction)
        self.alpha_ = self.scores_ / np.linalg.norm(self.scores_)
        self.objective_, self.n_iter_ = subset.value, max(subset.nodes, 1)
        left_out = ~np.isin(np.arange(self.n_features_in_), subset.support)
        return np.lexsort((-self.scores_, left_out)), len(subset.support)

    def _count(self):
        n_features, names = self.n_features_in_, getattr(self, "feature_names_in_", np.empty(0))
        always, never = _input.check_sets(self.always, self.never, n_features, names.tolist())
        count = as_count(self.n_features_to_select, n_features)
        share = "" if count == self.n_features_to_select else f" = {self.n_features_to_select}"
        return _input.check_integer(
            f"n_features_to_select{share}",
            count,
            max(len(always), 1),
            n_features - len(never),
            "the features allowed",
        )


@parameters
class GreedySparseLDA(SubsetSelector):
    """Select good few features that tell classes apart together, see `gslda.solve`.

    Parameters
    ----------
    n_features_to_select : int or float
        How many, or which share of all. Every feature takes a step: name a number where there are
        hundreds.
    direction, refine, shrinkage, always, never
        As in `gslda.solve`.

    Attributes
    ----------
    scores_, alpha_ : ndarray of shape (n_features,)
        What the features selected count in the discriminant; as vectors of unit norm in `alpha_`.
    objective_ : float
        Scatter between the classes over that within, at most.
    n_iter_ : int
        Nodes of the search tree, 1 where there is none.
    result_ : Subset
        What the solver returned.
    support_, ranking_, n_features_in_, feature_names_in_
        As in `QAlpha`; features not selected are ranked by their number.

    Examples
    --------
    >>> from specsel import GreedySparseLDA, datasets
    >>> data = datasets.lda_problem(60, n_samples=300, n_relevant=4)
    >>> selector = GreedySparseLDA(n_features_to_select=4).fit(data.X, data.y)
    >>> selector.get_support(indices=True).tolist()
    [0, 15, 30, 45]
    """

    direction: str = "both"
    refine: bool = True

    def _solve(self, X, y):
        count = self._count()
        return gslda.solve(X, y, max_size=count, **self._options())[count]


@parameters
class ExactSparseLDA(SubsetSelector):
    """Select the best few features that tell classes apart together, see `eslda.solve`.

    Parameters
    ----------
    time_limit : float or None
        Seconds, a minute unless told otherwise: then the best support so far is taken, with a
        warning, and `result_` has a bound on what may be missing.
    gap, node_limit, bound, shrinkage, always, never
        As in `eslda.solve`.
    n_features_to_select : int or float
        How many, or which share of all; the search is exponential in the worst case.

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
    bound: str = "best"

    def _solve(self, X, y):
        found = eslda.solve(X, y, self._count(), **self._options())
        if found.status not in ("optimal", "gap"):
            warnings.warn(
                f"search ended early ({found.status}): {found.gap:.2g} times the value may be "
                "missing; take more time or nodes, or fewer features",
                stacklevel=_input.caller(),
            )
        return found


@parameters
class StableSelector(Selector):
    """Selection of features that have a stable principal subspace."""

    retain: float = 0.5
    confidence: float = 0.9
    n_boot: int | str = 1000
    random_state: int | np.random.RandomState | np.random.Generator | None = None
    takes_sparse = True

    def _choose(self, found, X):
        self.objective_, self.n_iter_, self.k_ = found.share, max(len(found.trace), 1), found.k
        self.scores_ = np.zeros(self.n_features_in_)
        self.scores_[found.support] = (found.vectors**2).sum(axis=1)
        self.alpha_ = np.sqrt(self.scores_ / max(found.k, 1))
        kept = found.support[np.argsort(-self.scores_[found.support], kind="stable")]
        order = np.concatenate((kept, found.removed[::-1], found.intervals.constant))
        return order, len(kept)


@parameters
class StablePCA(StableSelector):
    """Select features whose principal subspace another sample would show as well, see `sbs.solve`.

    Parameters
    ----------
    matrix : {"covariance", "correlation"}
        Of what the components are principal ones.
    retain, confidence, n_boot, random_state
        As in `sbs.solve`.

    Attributes
    ----------
    scores_, alpha_ : ndarray of shape (n_features,)
        Squared length of a feature's row in the basis of the subspace, which adds up to its
        dimension; and its root, of unit norm.
    objective_ : float
        Share of the trace that the subspace retains.
    n_iter_ : int
        Sizes that were looked at.
    k_ : int
        Dimension of the subspace; 0, with a warning, where nothing is stable and the selection
        says nothing.
    result_ : StableSubspace
        What the solver returned; its `transform` projects on the subspace.
    support_, ranking_, n_features_in_, feature_names_in_
        As in `QAlpha`; of the features removed the last one is ranked first.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import StablePCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((400, 10))
    >>> X[:, :8] += rng.standard_normal((400, 1))
    >>> X[:, 8:] *= 1 / rng.random((400, 1))  # two that are wild at the same time
    >>> StablePCA(retain=0.001, random_state=0).fit(X).get_support(indices=True).tolist()
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    matrix: str = "covariance"

    def _solve(self, X, y):
        _input.check_choice("matrix", self.matrix, ("covariance", "correlation"))
        return sbs.solve(X, **self._options())


@parameters
class StableLSI(StableSelector):
    """Select features whose latent semantic subspace is stable, see `sbs.solve`.

    Parameters
    ----------
    retain, confidence, n_boot, random_state
        As in `sbs.solve`.

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

    def _solve(self, X, y):
        return sbs.solve(X, matrix="cosine", **self._options())
