"""Exact sparse LDA and sparse PCA (Moghaddam, Weiss and Avidan, ICML 2006, Sec. 2.2 and 2.3).

Maximises ``λ_max(A_S, B_S)`` over all supports S of k features, with a proof: a branch and bound
search from the best greedy support, refined by swaps. The search itself, its bounds and what they
depart in from the paper's are `trees`; here is what surrounds it.

Several sizes share the greedy start, and what is proved of a size bounds all smaller ones, for the
value never falls as features join (Theorem 1).
"""

import time

import numpy as np

from specsel import checks, gslda, pencils, trees
from specsel.results import Found, Path, Subset

BOUNDS = ("best", "interlacing")

# Matrices of features x features are kept at every level of the tree.
FEATURES_LIMIT = 500


def solve(
    X,
    y=None,
    k=None,
    *,
    time_limit=None,
    gap=0,
    node_limit=None,
    always=(),
    never=(),
    top=1,
    bound="best",
    shrinkage=None,
    matrix="covariance",
    callback=None,
) -> Subset | Path:
    """Find the best k features for discriminating classes, or for a principal component.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers or a data frame. With y, features are scaled to mean 0 and variance 1.
    y : array of shape (n_samples,), optional
        Class labels, of two classes or more: sparse LDA. Without them sparse PCA.
    k : int, list of int or "all"
        How many features: one size, several, or all sizes.
    time_limit : float, optional
        Seconds, for all sizes together. What is then the best comes back with a bound.
    gap : float
        End a search when nothing can be better by more than this share of the value.
    node_limit : int, optional
        Nodes of the search tree, for every size.
    always, never : list of int
        Features that every support holds, and that none may hold.
    top : int
        How many of the best supports to find; those after the first are `others`.
    bound : {"best", "interlacing"}
        All bounds, or the paper's own alone (Eq. 8), which takes far more nodes.
    shrinkage : float, optional
        As in `gslda.solve`.
    matrix : {"covariance", "correlation"}
        What sparse PCA is of.
    callback : callable, optional
        Called as ``callback(value, bound, nodes, seconds)`` a few times a second; true stops.

    Returns
    -------
    Subset or, for several sizes, Path
        Ctrl-C, too, ends the search with the best support so far and a valid bound.

    References
    ----------
    Moghaddam, B., Weiss, Y. and Avidan, S. (2006). Generalized spectral bounds for sparse LDA.
    ICML 2006.

    Examples
    --------
    >>> from specsel import datasets, eslda
    >>> data = datasets.lda_problem(40, n_samples=300, n_relevant=4)
    >>> best = eslda.solve(data.X, data.y, k=4)
    >>> best.support.tolist(), best.status, best.gap
    ([0, 10, 20, 30], 'optimal', 0.0)
    >>> eslda.solve(data.X, data.y, k=[3, 4, 5])
    Path(sizes 3 to 5 of 40 features, values ..., 3 proved)
    """
    pencil = pencils.from_data(X, y, shrinkage=shrinkage, matrix=matrix)
    options = _options(time_limit, gap, node_limit, top, bound, callback)
    return _solve(pencil, k, always, never, options)


def solve_pair(
    A,
    B,
    k,
    *,
    time_limit=None,
    gap=0,
    node_limit=None,
    always=(),
    never=(),
    top=1,
    bound="best",
    callback=None,
) -> Subset | Path:
    """Find the support of k features with the largest ``λ_max(A_S, B_S)``.

    Parameters
    ----------
    A, B : array of shape (n_features, n_features)
        Symmetric; B positive definite.
    k, time_limit, gap, node_limit, always, never, top, bound, callback
        As in `solve`.

    Returns
    -------
    Subset or, for several sizes, Path

    Examples
    --------
    >>> from specsel import datasets, eslda
    >>> A, B = datasets.wishart_pair(20, random_state=1)
    >>> best = eslda.solve_pair(A, B, 5)
    >>> best.status, best.bound == best.value
    ('optimal', True)
    """
    options = _options(time_limit, gap, node_limit, top, bound, callback)
    return _solve(pencils.from_pair(A, B), k, always, never, options)


def _options(time_limit, gap, node_limit, top, bound, callback):
    """The options of the search, checked."""
    if time_limit is not None:
        checks.check_not_negative("time_limit", time_limit)
    if node_limit is not None:
        checks.check_integer("node_limit", node_limit, 1)
    checks.check_not_negative("gap", gap)
    checks.check_integer("top", top, 1)
    checks.check_choice("bound", bound, BOUNDS)
    if callback is not None and not callable(callback):
        raise ValueError(f"callback = {callback!r}: must be a function or None")
    return {
        "time_limit": time_limit,
        "gap": float(gap),
        "node_limit": node_limit,
        "top": top,
        "bound": bound,
        "report": callback,
    }


def _solve(pencil, k, always, never, options):
    always, never = pencils.check_sets(always, never, pencil.n_features)
    sizes = _sizes(k, len(always), pencil.n_features - len(never))
    members = np.setdiff1d(np.arange(pencil.n_features), never)
    if len(members) > FEATURES_LIMIT:
        raise ValueError(
            f"X: leaves {len(members)} features to search; at most {FEATURES_LIMIT} are possible: "
            "take gslda, or name others in never"
        )
    began = time.perf_counter()
    starts = gslda.search(pencil, range(sizes[0], sizes[-1] + 1), "both", sizes, always, never)
    found = _search(pencil, sizes, starts, members, always, options, began)
    path = Path(pencil, found)
    return path if np.ndim(k) or isinstance(k, str) else path[sizes[0]]


def _sizes(k, least, most):
    """The sizes asked for, ascending."""
    if isinstance(k, str) and k == "all":
        return list(range(max(least, 1), most + 1))
    several = [k] if np.ndim(k) == 0 else list(k)
    if not several:
        raise ValueError("k: holds no size; at least one is needed")
    for size in several:
        checks.check_integer("k", size, max(least, 1), most, "the features allowed")
    return sorted({int(size) for size in several})


def _search(pencil, sizes, starts, members, always, options, began):
    """Search the sizes from the largest on; each gets an equal share of the time left."""
    A, B = pencil.block(members)
    fixed = np.searchsorted(members, always)
    limit, options = options["time_limit"], dict(options)
    found, ceiling, interrupted = [], np.inf, False
    for i, size in enumerate(sizes[::-1]):
        if limit is not None:
            left = limit - (time.perf_counter() - began)
            options["time_limit"] = max(left, 0.0) / (len(sizes) - i)
        if interrupted:
            options["node_limit"], options["report"] = 0, None
        began_size = time.perf_counter()
        start = np.searchsorted(members, starts[size][1])
        result = trees.search(A, B, size, start, always=fixed, **options)
        interrupted = interrupted or result.status == "interrupted"
        supports = [members[list(support)] for support in result.supports]
        status = "interrupted" if interrupted else result.status
        value = pencil.solve(supports[0])[0]
        ceiling = value if status == "optimal" else max(min(ceiling, result.bound), value)
        found.append(
            Found(
                size=size,
                support=supports[0],
                value=value,
                bound=ceiling,
                status=status,
                nodes=result.nodes,
                seconds=time.perf_counter() - began_size,
                others=tuple(zip(supports[1:], result.values[1:], strict=True)),
            )
        )
    return found[::-1]
