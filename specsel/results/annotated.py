"""What a solver found, written back to the variables of an AnnData object."""

from typing import Any

import numpy as np

from specsel import _validate
from specsel._validate import Floats, Integers
from specsel.results.aligned import Aligned
from specsel.results.chart import Map
from specsel.results.subsets import Path, Subset
from specsel.results.weights import Weights


def annotate(
    adata: Any,
    found: Weights | Map | Aligned | Subset,
    n: int | None = None,
    *,
    key: str = "specsel",
) -> None:
    """Write scores, ranks and the selection to ``adata.var``, as scanpy's tools do.

    The solvers take AnnData as they take arrays: ``qalpha.solve(adata, k=3)`` reads ``adata.X``.
    For a layer give ``adata.layers[...]``. Where both know the names of the features, these must
    agree, in the same order. Of a `Path` pass ``path[k]``.

    Parameters
    ----------
    adata : AnnData
        Gets three columns in ``var``: ``<key>_score``, ``<key>_rank`` (from 1, the best; 0 for
        features without a rank) and ``<key>_selected``.
    found : Weights, Map, Aligned or Subset
        What a solver found in it.
    n : int, optional
        How many features to select, for results that rank them. By default as the result selects
        by itself.
    key : str
        What the names of the columns begin with.

    Examples
    --------
    >>> from types import SimpleNamespace  # stands for an AnnData object here
    >>> from specsel import datasets, qalpha
    >>> from specsel.results import annotate
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> adata = SimpleNamespace(X=data.X, var={}, n_vars=data.X.shape[1])
    >>> annotate(adata, qalpha.solve(adata.X, k=3))
    >>> adata.var["specsel_selected"].nonzero()[0].tolist()
    [0, 1, 2, 3, 4]
    """
    if not (hasattr(adata, "var") and hasattr(adata, "n_vars")):
        kind = type(adata).__name__
        raise ValueError(f"adata: is of type {kind}; an AnnData object is needed")
    scores, ranking, selected = _told(found, n)
    if len(scores) != adata.n_vars:
        raise ValueError(
            f"adata: has {adata.n_vars} variables; the result is for {len(scores)} features"
        )
    known = (found.combined if isinstance(found, Map) else found).names
    for i, names in enumerate(zip(getattr(adata, "var_names", ()), known or (), strict=False)):
        if str(names[0]) != names[1]:
            raise ValueError(
                f"adata: variable {i} is {_validate.brief(str(names[0]))}; the result has "
                f"{_validate.brief(names[1])} there"
            )
    ranks = np.zeros(len(scores), dtype=np.intp)
    ranks[ranking] = np.arange(1, len(ranking) + 1)
    mask = np.zeros(len(scores), dtype=bool)
    mask[selected] = True
    for name, values in (("score", scores), ("rank", ranks), ("selected", mask)):
        adata.var[f"{key}_{name}"] = values


def _told(found: Any, n: int | None) -> tuple[Floats, Integers, Integers]:
    """Scores of all features, the ranked ones in order, and those selected."""
    if isinstance(found, Map):
        found = found.combined
    if isinstance(found, Weights):
        return found.alpha.copy(), found.ranking, found.select(n)
    if isinstance(found, Aligned):
        if n is None:
            return found.relevance.copy(), found.ranking, found.support
        _validate.check_integer("n", n, 1, len(found.ranking), "the features that were looked at")
        return found.relevance.copy(), found.ranking, found.ranking[:n]
    if isinstance(found, Subset):
        if n is not None:
            raise ValueError(f"n = {n}: the result is a set of {len(found.support)} features")
        scores = np.abs(found.direction)
        order = found.support[np.argsort(-scores[found.support], kind="stable")]
        return scores, order, found.support
    if isinstance(found, Path):
        sizes = found.sizes.tolist()
        raise ValueError(f"found: is a path of sizes {sizes[0]} to {sizes[-1]}; pass path[k]")
    kind = type(found).__name__
    raise ValueError(f"found: is of type {kind}; Weights, Map, Aligned or Subset is needed")
