"""Q-α with side data and with pairs of samples, as scikit-learn estimators.

Cross-validation splits the samples, and row numbers then point to other rows. Side data and pairs
are therefore arrays of samples, in the units in which X reaches the estimator.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from specsel import _validate, pairwise, side_info
from specsel._validate import (
    ArrayLike,
    BasisStep,
    Criterion,
    Directions,
    PairBasisStep,
    Representation,
)
from specsel.estimators.base import LoopSelector, with_parameters
from specsel.results import Weights


@with_parameters
class SideInfoQAlpha(LoopSelector):
    """Select the features that make the samples cluster and vary little in side data.

    The solver is `side_info.solve`.

    Parameters
    ----------
    side : array of shape (n_side_samples, n_features), list of such arrays, or (n_features,)
        Samples of the same features whose variation is unwanted, in the units in which X reaches
        the estimator; see `side_info.solve`. Without side data the weights are those of `QAlpha`.
    k : int or "auto"
        As in `QAlpha`.
    tradeoff, method, criterion, center, init, n_init, tol, max_iter, random_state
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

    side: ArrayLike | Sequence[ArrayLike] | None = None
    k: Directions = "auto"
    tradeoff: float = 0.1
    method: BasisStep = "ascent"
    criterion: Criterion = "energy"
    center: bool = True

    def _solve(self, X: Any, y: Any) -> Weights:
        options = self._options()
        if self.side is None:
            options["side"] = np.ones(self.n_features_in_)
        return side_info.solve(X, **options)


@with_parameters
class PairwiseQAlpha(LoopSelector):
    """Select the features that make the samples cluster and respect pairs of samples.

    The solver is `pairwise.solve`.

    Parameters
    ----------
    apart, together : two arrays of shape (n_pairs, n_features), optional
        The first and the second sample of every pair that belongs to different clusters
        (`apart`) or to the same cluster (`together`), in the units in which X reaches the
        estimator. Only `pairwise.solve` takes row numbers. Without pairs only the clusters count.
    k : int or "auto"
        As in `QAlpha`.
    tradeoff, representation, method, criterion, init, n_init, tol, max_iter, random_state
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

    apart: Sequence[ArrayLike] | None = None
    together: Sequence[ArrayLike] | None = None
    k: Directions = "auto"
    tradeoff: float = 1.0
    representation: Representation = "parts"
    method: PairBasisStep = "ascent"
    criterion: Criterion = "energy"

    def _solve(self, X: Any, y: Any) -> Weights:
        options = self._options()
        for name in ("apart", "together"):
            if options[name] is not None and not pairwise.are_samples(options[name], name):
                raise ValueError(
                    f"{name} = {_validate.brief(options[name])}: two arrays of samples are "
                    "needed, the first and the second of every pair; only pairwise.solve takes "
                    "row numbers"
                )
        if self.apart is None and self.together is None:
            options |= {"apart": [(0, 1)], "tradeoff": 0.0}
        return pairwise.solve(X, **options)
