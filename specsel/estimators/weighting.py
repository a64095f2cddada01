"""The methods that give every feature a weight, as scikit-learn estimators.

There is no algorithm here: `fit` calls the solver, `transform` keeps the best features. The
parameters are those of the solver, with the same defaults unless the docstring says otherwise.
`result_` is what the solver returned.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from specsel import _validate, kernel, laplacian, qalpha, supervised, topography, weighting
from specsel._validate import (
    ArrayLike,
    BasisStep,
    ClassBasisStep,
    Criterion,
    Directions,
    Init,
    Kernel,
    KernelBasisStep,
    NonNegative,
    Shift,
)
from specsel.estimators.base import LoopSelector, WeightSelector, with_parameters
from specsel.results import Map, Weights


@with_parameters
class QAlpha(LoopSelector):
    """Select the features that make the samples cluster, see `qalpha.solve`.

    Parameters
    ----------
    k : int or "auto"
        Number of leading directions that should carry the structure: about the number of
        clusters. "auto" takes it from the largest gap between eigenvalues.
    rounds : int
        With more than one round, every round looks for a grouping that the rounds before have not
        found. The solver is `topography.solve`, with a trade-off of 1 over the number of features,
        and the weights are those of all rounds together. `method` must then be "ascent".
    method, criterion, center, init, n_init, tol, max_iter, random_state
        As in `qalpha.solve`.
    n_features_to_select : "gap", int or float, optional
        How many features to select: those above the sparsity gap, a number, or a share of all,
        rounded down. By default the gap decides; with `reweight` all features are kept.
    threshold : float, optional
        Select the features whose weight is at least this, instead of a number of features.
    diverse : bool
        Features of large weight often say the same thing several times. With `diverse`, take the
        same number of features, but those that best span the weighted rest.
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

    k: Directions = "auto"
    rounds: int = 1
    method: BasisStep = "ascent"
    criterion: Criterion = "energy"
    center: bool = True

    def _solve(self, X: Any, y: Any) -> Weights | Map:
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


@with_parameters
class ParameterFreeWeighting(WeightSelector):
    """Select the features that have most in common with all others, see `weighting.solve`.

    Parameters
    ----------
    tol, rank
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

    rank: int | None = None
    tol: float = 1e-6

    def _solve(self, X: Any, y: Any) -> Weights:
        return weighting.solve(X, **self._options())


@with_parameters
class FisherWeighting(WeightSelector):
    """Select features for discriminant analysis, see `weighting.solve` with labels.

    Give `k` unless there are more features than samples. Without it, if the features are linearly
    independent, one of them gets all the weight, and a warning says so.

    Parameters
    ----------
    k, tradeoff, tol, max_iter
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

    k: int | None = None
    tradeoff: float = 1.0
    tol: float = 1e-6
    max_iter: int = 200
    needs_classes = True

    def _solve(self, X: Any, y: Any) -> Weights:
        return weighting.solve(X, y, **self._options())


@with_parameters
class LaplacianQAlpha(LoopSelector):
    """Select features that form clusters in the graph of the samples, see `laplacian.solve`.

    Parameters
    ----------
    k : int or "auto"
        As in `QAlpha`.
    shift, representation, init, n_init, tol, max_iter, random_state
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

    k: Directions = "auto"
    shift: Shift = "degree"
    representation: NonNegative = "parts"
    init: Init | np.ndarray = "equal"

    def _solve(self, X: Any, y: Any) -> Weights:
        return laplacian.solve(X, **self._options())


@with_parameters
class SupervisedQAlpha(LoopSelector):
    """Select features that tell known classes apart, see `supervised.solve`.

    Parameters
    ----------
    k_within, k_between, k_blocks, gamma, representation, method, init, n_init, tol, max_iter, \
random_state
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

    k_within: int = 2
    k_between: int = 1
    k_blocks: ArrayLike | None = None
    gamma: float = 0.5
    representation: NonNegative = "parts"
    method: ClassBasisStep = "power"
    needs_classes = True

    def _solve(self, X: Any, y: Any) -> Weights:
        return supervised.solve(X, y, **self._options())


@with_parameters
class KernelQAlpha(LoopSelector):
    """Select the features that make the samples cluster, by a kernel, see `kernel.solve`.

    Parameters
    ----------
    k : int or "auto"
        As in `QAlpha`.
    kernel, sigma, degree, offset, sections, center, method, criterion, init, n_init, tol, \
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

    k: Directions = "auto"
    kernel: Kernel | Callable[..., ArrayLike] = "rbf"
    sigma: float | None = None
    degree: int = 2
    offset: float = 1.0
    sections: int | np.ndarray = 8
    center: bool = True
    method: KernelBasisStep = "ascent"
    criterion: Criterion = "energy"

    def _solve(self, X: Any, y: Any) -> Weights:
        given = isinstance(self.kernel, str) and self.kernel == "precomputed"
        for name in ("diverse", "reweight"):
            if given and getattr(self, name):
                raise ValueError(f"{name} = True: needs samples; a precomputed kernel has none")
        return kernel.solve(X, **self._options())
