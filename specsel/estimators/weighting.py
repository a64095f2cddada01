"""The algorithms that weigh features as scikit-learn estimators.

`fit` solves, `transform` keeps the best features. There is no algorithm here: parameters are those
of the solver, with its defaults unless the docstring says otherwise, and what it returns is
`result_`.

What they share is in `selectors`; those with side data and with pairs of samples are in
`side_estimators`, sparse LDA and stable subspaces in `subset_estimators`.
"""

import numpy as np

from specsel import _input, kernel, laplacian, qalpha, supervised, topography, weighting
from specsel.estimators.base import LoopSelector, WeightSelector, parameters


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
        rounds = _input.check_integer("rounds", options.pop("rounds"), 1)
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
