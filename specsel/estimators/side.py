"""Q-α with side data and with pairs of samples as scikit-learn estimators, see `estimators`.

Row numbers mean nothing once cross-validation has split the samples: side data and pairs are
arrays of samples, in the units in which X reaches the estimator.
"""

import numpy as np

from specsel import _input, pairwise, side_info
from specsel.estimators.base import LoopSelector, parameters


@parameters
class SideInfoQAlpha(LoopSelector):
    """Select features that cluster the samples and vary little in side data.

    Parameters
    ----------
    side : array of shape (n_side_samples, n_features), list of such arrays, or (n_features,)
        As in `side_info.solve`, in the units in which X reaches the estimator. Without it the
        weights are those of `QAlpha`.
    k : int or "auto"
        As in `QAlpha`.
    tradeoff, method, criterion, init, n_init, tol, max_iter, random_state
        As in `side_info.solve`.
    n_features_to_select, threshold, diverse, reweight
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

    side: object = None
    k: int | str = "auto"
    tradeoff: float = 0.1
    method: str = "power"
    criterion: str = "energy"

    def _solve(self, X, y):
        options = self._options()
        if self.side is None:
            options["side"] = np.ones(self.n_features_in_)
        return side_info.solve(X, **options)


@parameters
class PairwiseQAlpha(LoopSelector):
    """Select features that cluster the samples and heed pairs of samples, see `pairwise.solve`.

    Parameters
    ----------
    apart, together : two arrays of shape (n_pairs, n_features), optional
        First and second samples of pairs in different clusters, or in the same, in the units in
        which X reaches the estimator. Row numbers are for `pairwise.solve`. Without pairs nothing
        but the clusters counts.
    k : int or "auto"
        As in `QAlpha`.
    tradeoff, representation, criterion, init, n_init, tol, max_iter, random_state
        As in `pairwise.solve`.
    n_features_to_select, threshold, diverse, reweight
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

    apart: object = None
    together: object = None
    k: int | str = "auto"
    tradeoff: float = 1.0
    representation: str = "parts"
    criterion: str = "energy"

    def _solve(self, X, y):
        options = self._options()
        for name in ("apart", "together"):
            if options[name] is not None and not pairwise.are_samples(options[name]):
                raise ValueError(
                    f"{name} = {_input.brief(options[name])}: two arrays of samples are needed, "
                    "first and second of every pair; row numbers are for pairwise.solve"
                )
        if self.apart is None and self.together is None:
            options |= {"apart": [(0, 1)], "tradeoff": 0.0}
        return pairwise.solve(X, **options)
