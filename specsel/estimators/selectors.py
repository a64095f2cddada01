"""Every method as a scikit-learn estimator.

There is no algorithm here: `fit` calls the solver, `transform` keeps the best features. The
parameters are those of the solver, with the same defaults unless the docstring says otherwise.
`result_` is what the solver returned.

Cross-validation splits the samples, and row numbers then point to other rows. Side data and pairs
are therefore arrays of samples, in the units in which X reaches the estimator.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from specsel import (
    _validate,
    alignment,
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
from specsel._validate import ArrayLike, Integers
from specsel.estimators.base import (
    LoopSelector,
    RandomState,
    Selector,
    WeightSelector,
    as_count,
)
from specsel.results import Aligned, Map, Subset, Weights


class QAlpha(LoopSelector):
    """Select the features that make the samples cluster, see `qalpha.solve`.

    Parameters
    ----------
    k, method, criterion, center, scale, init, n_init, tol, max_iter, random_state
        As in `qalpha.solve`.
    rounds : int
        With more than one round, every round looks for a grouping that the rounds before have not
        found. The solver is `topography.solve`, with a trade-off of 1 over the number of features,
        and the weights are those of all rounds together. `method` must then be "ascent".
    n_features_to_select : "gap", int or float, optional
        How many features to select: those above the sparsity gap, a number, or a share of all,
        rounded down. By default the gap decides; with `reweight` all features are kept.
    threshold : float, optional
        Select the features whose weight is at least this, instead of a number of features.
    diverse : bool
        Select as many features, but those that best span the weighted rest: features of large
        weight often repeat each other.
    reweight : bool
        Let `transform` centre and scale the selected features and multiply them by √α, the
        preprocessing of Wolf and Bileschi (2005), which improves distances and components.
    verbose : bool or int
        Print the objective after every iteration.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
        Which features are selected.
    scores_, alpha_ : ndarray of shape (n_features,)
        The weights.
    ranking_ : ndarray of int, shape (n_features,)
        Rank of every feature, from 1, the best. The selected features come first.
    objective_ : float
        What the solver maximised.
    n_iter_ : int
        Iterations of the solver.
    k_ : int
        Number of leading directions.
    result_ : Weights or Map
        What the solver returned; a map if there are several rounds.
    n_features_in_, feature_names_in_
        As in all of scikit-learn.

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

    k: _validate.Directions = "auto"
    rounds: int = 1
    method: _validate.BasisStep = "ascent"
    criterion: _validate.Criterion = "energy"
    center: bool = True
    scale: _validate.Scale = "unit"

    def _solve(self, X: Any, y: Any, **changes: Any) -> Weights | Map:
        options = self._options()
        rounds = _validate.check_integer("rounds", options.pop("rounds"), 1)
        if rounds == 1:
            return qalpha.solve(X, **options)
        method = options.pop("method")
        if not (isinstance(method, str) and method == "ascent"):
            raise ValueError(f"rounds = {rounds}: several are for method = 'ascent' alone")
        return topography.solve(X, rounds=rounds, tradeoff=1 / self.n_features_in_, **options)

    def _choose(self, found: Any, X: Any) -> tuple[np.ndarray, int]:
        return super()._choose(getattr(found, "combined", found), X)


class ParameterFreeWeighting(WeightSelector):
    """Select the features that have most in common with all others, see `weighting.solve`.

    Parameters
    ----------
    rank, scale, tol
        As in `weighting.solve`.
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

    _solver = staticmethod(weighting.solve)

    rank: int | None = None
    scale: _validate.Scale = "unit"
    tol: float = 1e-6


class FisherWeighting(WeightSelector):
    """Select features for discriminant analysis, see `weighting.solve` with labels.

    Give `k` unless there are more features than samples.

    Parameters
    ----------
    k, tradeoff, scale, tol, max_iter
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

    _solver = staticmethod(weighting.solve)
    needs_classes = True

    k: int | None = None
    tradeoff: float = 1.0
    scale: _validate.Scale = "unit"
    tol: float = 1e-6
    max_iter: int = 200


class LaplacianQAlpha(LoopSelector):
    """Select features that form clusters in the graph of the samples, see `laplacian.solve`.

    Parameters
    ----------
    k, shift, representation, scale, init, n_init, tol, max_iter, random_state
        As in `laplacian.solve`.
    n_features_to_select, threshold, diverse, reweight, verbose
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

    _solver = staticmethod(laplacian.solve)

    k: _validate.Directions = "auto"
    shift: _validate.Shift = "degree"
    representation: _validate.NonNegative = "parts"
    scale: _validate.Scale = "unit"
    init: _validate.Init | np.ndarray = "equal"


class SupervisedQAlpha(LoopSelector):
    """Select features that separate known classes, see `supervised.solve`.

    Parameters
    ----------
    k_within, k_between, k_blocks, gamma, representation, scale, method, init, n_init, tol, \
max_iter, random_state
        As in `supervised.solve`.
    n_features_to_select, threshold, diverse, reweight, verbose
        As in `QAlpha`; its attributes are there too.

    Examples
    --------
    >>> from specsel import SupervisedQAlpha, datasets
    >>> data = datasets.weston_linear(100, random_state=5)
    >>> selector = SupervisedQAlpha(n_features_to_select=6).fit(data.X, data.y)
    >>> selector.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4, 5]
    """

    _solver = staticmethod(supervised.solve)
    needs_classes = True

    k_within: int = 2
    k_between: int = 1
    k_blocks: ArrayLike | None = None
    gamma: float = 0.5
    representation: _validate.NonNegative = "parts"
    scale: _validate.Scale = "unit"
    method: _validate.ClassBasisStep = "power"


class KernelQAlpha(LoopSelector):
    """Select the features that make the samples cluster, by a kernel, see `kernel.solve`.

    Parameters
    ----------
    k, kernel, sigma, degree, offset, sections, center, method, criterion, init, n_init, tol, \
max_iter, random_state
        As in `kernel.solve`. With ``kernel="precomputed"``, X is the kernel matrix of the
        features; it has no samples, so that cross-validation and `reweight` do not apply.
    n_features_to_select, threshold, diverse, reweight, verbose
        As in `QAlpha`; its attributes are there too.

    Examples
    --------
    >>> from specsel import KernelQAlpha, datasets
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> selector = KernelQAlpha(kernel="poly", offset=0, n_features_to_select=5).fit(data.X)
    >>> selector.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4]
    """

    _solver = staticmethod(kernel.solve)

    k: _validate.Directions = "auto"
    kernel: _validate.Kernel | Callable[..., ArrayLike] = "rbf"
    sigma: float | None = None
    degree: int = 2
    offset: float = 1.0
    sections: int | np.ndarray = 8
    center: bool = True
    method: _validate.KernelBasisStep = "ascent"
    criterion: _validate.Criterion = "energy"

    def _solve(self, X: Any, y: Any, **changes: Any) -> Any:
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            for name in ("diverse", "reweight"):
                if getattr(self, name):
                    raise ValueError(
                        f"{name} = True: needs samples; a precomputed kernel has none"
                    )
        return super()._solve(X, y)


class SideInfoQAlpha(LoopSelector):
    """Select features that cluster samples and vary little in side data, see `side_info.solve`.

    Parameters
    ----------
    side : array of shape (n_side_samples, n_features), list of such arrays, or (n_features,)
        Samples of the same features whose variation is unwanted, in the units in which X reaches
        the estimator; see `side_info.solve`. Without side data the weights are those of `QAlpha`.
    k, tradeoff, method, criterion, center, scale, init, n_init, tol, max_iter, random_state
        As in `side_info.solve`.
    n_features_to_select, threshold, diverse, reweight, verbose
        As in `QAlpha`; its attributes are there too.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import SideInfoQAlpha
    >>> rng = np.random.default_rng(0)
    >>> X, side = rng.standard_normal((60, 20)), rng.standard_normal((30, 20))
    >>> X[:, :3] += 4 * rng.integers(0, 2, (60, 1))
    >>> X[:, 3:6] += 8 * rng.integers(0, 2, (60, 1))
    >>> side[:, 3:6] += 8 * rng.integers(0, 2, (30, 1))
    >>> SideInfoQAlpha(side=side, k=1).fit(X).get_support(indices=True).tolist()
    [0, 1, 2]
    """

    _solver = staticmethod(side_info.solve)

    side: ArrayLike | Sequence[ArrayLike] | None = None
    k: _validate.Directions = "auto"
    tradeoff: float = 0.1
    method: _validate.BasisStep = "ascent"
    criterion: _validate.Criterion = "energy"
    center: bool = True
    scale: _validate.Scale = "unit"

    def _solve(self, X: Any, y: Any, **changes: Any) -> Any:
        side = np.ones(self.n_features_in_) if self.side is None else self.side
        return super()._solve(X, y, side=side)


class PairwiseQAlpha(LoopSelector):
    """Select features that cluster the samples and respect known pairs, see `pairwise.solve`.

    Parameters
    ----------
    apart, together : two arrays of shape (n_pairs, n_features), optional
        The first and the second sample of every pair that belongs to different clusters
        (`apart`) or to the same cluster (`together`), in the units in which X reaches the
        estimator. Only `pairwise.solve` takes row numbers. Without pairs only the clusters count.
    k, tradeoff, representation, scale, method, criterion, init, n_init, tol, max_iter, \
random_state
        As in `pairwise.solve`.
    n_features_to_select, threshold, diverse, reweight, verbose
        As in `QAlpha`; its attributes are there too.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import PairwiseQAlpha
    >>> X = np.random.default_rng(0).standard_normal((60, 20))
    >>> X[:30, :3] += 6
    >>> X[1::2, 3:6] += 4
    >>> selector = PairwiseQAlpha(apart=(X[::2], X[1::2]), k=1, n_features_to_select=3)
    >>> selector.fit(X).get_support(indices=True).tolist()
    [3, 4, 5]
    """

    _solver = staticmethod(pairwise.solve)

    apart: Sequence[ArrayLike] | None = None
    together: Sequence[ArrayLike] | None = None
    k: _validate.Directions = "auto"
    tradeoff: float = 1.0
    representation: _validate.Representation = "parts"
    scale: _validate.Scale = "unit"
    method: _validate.PairBasisStep = "ascent"
    criterion: _validate.Criterion = "energy"

    def _solve(self, X: Any, y: Any, **changes: Any) -> Any:
        for name in ("apart", "together"):
            pairs = getattr(self, name)
            if pairs is not None and not pairwise.are_samples(pairs, name):
                raise ValueError(
                    f"{name} = {_validate.brief(pairs)}: two arrays of samples are needed, the "
                    "first and the second of every pair; only pairwise.solve takes row numbers"
                )
        if self.apart is None and self.together is None:
            changes = {"apart": [(0, 1)], "tradeoff": 0.0}
        return super()._solve(X, y, **changes)


class AlignmentSelector(Selector):
    """Select features that represent the data or classes, see `alignment.solve`.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all. By default up to the peak of the scores.
    target : {"neighbours", "classes"}, Weights, array, sparse matrix or operator, optional
        By default "classes" where classes are passed to `fit`, and else "neighbours". Name
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

    takes_sparse = _takes_blocks = True

    n_features_to_select: int | float | None = None
    target: Any = None
    neighbours: int = 5
    components: int = 20
    scale: _validate.Scale = "unit"
    always: ArrayLike = ()
    never: ArrayLike = ()

    def _read(self, X: Any, y: Any) -> tuple[Any, Any]:
        X, _ = super()._read(X, None)
        named = isinstance(self.target, str) and self.target == "classes"
        return X, y if self.target is None or named else None

    def _solve(self, X: Any, y: Any, **changes: Any) -> Aligned:
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


class SubsetSelector(Selector):
    """A selector that keeps the features that are best together, as many as requested."""

    needs_classes = takes_sparse = True

    n_features_to_select: int | float = 0.5
    shrinkage: float | None = None
    always: Sequence[int | str] = ()
    never: Sequence[int | str] = ()
    criterion: _validate.Worth | None = None

    def _choose(self, found: Any, X: Any) -> tuple[np.ndarray, int]:
        subset: Subset = found
        self.scores_ = np.abs(subset.direction)
        self.alpha_ = self.scores_ / np.linalg.norm(self.scores_)
        self.objective_, self.n_iter_ = subset.value, max(subset.nodes, 1)
        left_out = ~np.isin(np.arange(self.n_features_in_), subset.support)
        return np.lexsort((-self.scores_, left_out)), len(subset.support)

    def _count(self) -> int:
        """Return how many features to select; `always` and `never` must allow as many."""
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


class GreedySparseLDA(SubsetSelector):
    """Select few features that together separate classes well, see `gslda.solve`.

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

    direction: _validate.Direction = "both"
    refine: bool = True

    def _solve(self, X: Any, y: Any, **changes: Any) -> Subset:
        count = self._count()
        path = gslda.solve(X, y, max_size=count, **self._options())
        if "interrupted" in path.statuses:
            raise KeyboardInterrupt
        return path[count]


class ExactSparseLDA(SubsetSelector):
    """Select the few features that together separate classes best, see `eslda.solve`.

    Parameters
    ----------
    time_limit : float or None
        Seconds for the search. When they are over, the best set so far is selected, a warning is
        issued, and no other set can exceed `result_.bound`.
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

    progress = "value {:.6g}, bound {:.6g}, {} nodes, {:.0f} s"

    time_limit: float | None = 60.0
    gap: float = 0
    node_limit: int | None = None
    bound: _validate.Bounds = "best"
    verbose: bool | int = False

    def _solve(self, X: Any, y: Any, **changes: Any) -> Any:
        found: Any = eslda.solve(X, y, self._count(), **self._options())
        if found.status not in ("optimal", "gap"):
            warnings.warn(
                f"search ended early ({found.status}): another set may be better by "
                f"{found.gap:.2g} times the value; allow more time or nodes, or fewer features",
                stacklevel=_validate.caller(),
            )
        return found


class StableSelector(Selector):
    """A selector that keeps features whose principal subspace is stable."""

    takes_sparse = True
    progress = "{} features removed, gap {:.4g}, which must exceed {:.4g}"
    _solver = staticmethod(sbs.solve)
    _matrices: ClassVar[Any]

    retain: float = 0.5
    at_least: int = 1
    confidence: float = 0.9
    n_boot: int | Literal["auto"] = 1000
    random_state: RandomState = None
    verbose: bool | int = False

    def _solve(self, X: Any, y: Any, **changes: Any) -> Any:
        _validate.check_choice("matrix", vars(self)["matrix"], self._matrices)
        return super()._solve(X, y)

    def _choose(self, found: Any, X: Any) -> tuple[np.ndarray, int]:
        self.objective_, self.n_iter_, self.k_ = found.share, max(len(found.trace), 1), found.k
        self.scores_ = np.zeros(self.n_features_in_)
        self.scores_[found.support] = (found.vectors**2).sum(axis=1)
        self.alpha_ = np.sqrt(self.scores_ / max(found.k, 1))
        kept = found.support[np.argsort(-self.scores_[found.support], kind="stable")]
        order = np.concatenate((kept, found.removed[::-1], found.intervals.constant))
        return order, len(kept)


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

    _matrices = _validate.PCAMatrix

    matrix: _validate.PCAMatrix = "covariance"


class StableLSI(StableSelector):
    """Select features whose latent semantic subspace is stable, see `sbs.solve`.

    It is meant for counts of words: features are compared by their cosine or inner product.

    Parameters
    ----------
    matrix : {"cosine", "inner"}
        Matrix whose leading eigenvectors span the subspace.
    retain, at_least, confidence, n_boot, random_state, verbose
        As in `StablePCA`.

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

    _matrices = _validate.LSIMatrix

    matrix: _validate.LSIMatrix = "cosine"
