"""Exact sparse LDA and sparse PCA (Moghaddam, Weiss and Avidan, ICML 2006, Sec. 2.2 and 2.3).

Maximises ``λ_max(A_S, B_S)`` over all supports S of k features, with a proof: a branch and bound
search from the best greedy support, refined by swaps. The search itself, its bounds and what they
depart in from the paper's are `trees`; here is what surrounds it.

Several sizes share the greedy start, and what is proved of a size bounds all smaller ones, for the
value never falls as features join (Theorem 1).
"""

import functools
import time
from collections.abc import Iterable

import numpy as np

from specsel import _input, _pencil, gslda
from specsel._exact import search
from specsel.results import Path, Subset
from specsel.results.subsets import Found

__all__ = ["solve", "solve_pair"]

# A gap of at most so much, twice that of ties, is a proof.
PROVED = 2e-9

# Matrices of features x features are kept at every level of the tree.
FEATURES_LIMIT = 300


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
        Seconds, for all sizes together. What is then the best comes back with a bound. The greedy
        start is not cut short, and what a first call compiles does not count.
    gap : float
        End a search when nothing can be better by more than this share of the value.
    node_limit : int, optional
        Nodes of the search tree, for every size.
    always, never : list of int or str
        Features that every support holds, and that none may hold, by number or by column name.
    top : int
        How many of the best supports to find; those after the first are `others`. A gap is then
        a share of the value of the last.
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
        Ctrl-C, too, ends the search with the best support so far and a valid bound; pressed twice,
        it is raised.

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
    pencil = _pencil.from_data(X, y, shrinkage=shrinkage, matrix=matrix)
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
    return _solve(_pencil.from_pair(A, B), k, always, never, options)


def _options(time_limit, gap, node_limit, top, bound, callback):
    """The options of the search, checked."""
    if time_limit is not None:
        _input.check_not_negative("time_limit", time_limit)
    if node_limit is not None:
        _input.check_integer("node_limit", node_limit, 1)
    _input.check_not_negative("gap", gap)
    _input.check_integer("top", top, 1)
    _input.check_choice("bound", bound, _input.choices.BOUNDS)
    _input.check_callback(callback)
    return {
        "time_limit": time_limit,
        "gap": float(gap),
        "node_limit": node_limit,
        "top": top,
        "bound": bound,
        "report": callback,
    }


def _solve(pencil, k, always, never, options):
    always, never = _input.check_sets(always, never, pencil.n_features, pencil.names)
    sizes = _sizes(k, len(always), pencil.n_features - len(never))
    members = np.setdiff1d(np.arange(pencil.n_features), never)
    if len(members) > FEATURES_LIMIT:
        raise ValueError(
            f"X: leaves {len(members)} features to search; at most {FEATURES_LIMIT} are possible: "
            "take gslda, or name others in never"
        )
    with _input.catch_interrupts() as caught:
        _compile()
        began = time.perf_counter()
        wanted = range(sizes[0], sizes[-1] + 1)
        starts = gslda.search(pencil, wanted, "both", sizes, always, never)
        found = _search(pencil, sizes, starts, members, always, options, began, caught)
    path = Path(pencil, found)
    return path if _is_several(k) else path[sizes[0]]


@functools.cache
def _compile():
    """Search a small problem, once: no limit and no time told includes what compiling takes."""
    factor = np.random.default_rng(0).standard_normal((12, 12))
    pencil = _pencil.from_pair(factor @ factor.T, np.eye(12) + 0.1)
    always, never = _input.check_sets([0], [], 12)
    starts = gslda.search(pencil, range(2, 6), "both", [2, 5], always, never)
    options = _options(None, 0, None, 1, "best", None)
    _search(pencil, [2, 5], starts, np.arange(12), always, options, 0.0, [])


def _is_several(k):
    return isinstance(k, Iterable)


def _sizes(k, least, most):
    """The sizes asked for, ascending."""
    if isinstance(k, str) and k == "all":
        return list(range(max(least, 1), most + 1))
    if k is None:
        raise ValueError('k: is needed: a number of features, a list of them, or "all"')
    several = list(k) if _is_several(k) and not isinstance(k, str) else [k]
    if not several:
        raise ValueError("k: holds no size; at least one is needed")
    for size in several:
        _input.check_integer("k", size, max(least, 1), most, "the features allowed")
    return sorted({int(size) for size in several})


def _search(pencil, sizes, starts, members, always, options, began, caught):
    """Search every size; with a time limit half of it first, then the rest where that is open."""
    problem = pencil.block(members), members, np.searchsorted(members, always)
    highest = search.highest(*problem[0])
    found, open_sizes, limit = {}, sizes, options["time_limit"]
    for share in (1.0,) if limit is None else (0.5, 1.0):
        for i, size in enumerate(open_sizes):
            seconds = None
            if limit is not None:
                left = share * limit - (time.perf_counter() - began)
                seconds = max(left, 0.0) / (len(open_sizes) - i)
            halted = caught or any(one.status == "interrupted" for one in found.values())
            if not halted and seconds != 0:
                start = found[size].support if size in found else starts[size][1]
                row = _search_size(pencil, problem, size, start, options | {"time_limit": seconds})
                found[size] = _joined(found[size], row) if size in found else row
            elif size not in found:
                status = "interrupted" if halted else "time"
                found[size] = _unsearched(pencil, size, starts[size][1], highest, status)
        open_sizes = [size for size in sizes if found[size].status == "time"]
    return _closed([found[size] for size in sizes])


def _joined(before, after):
    """Two searches of one size, the second from where the first left off."""
    return after._replace(
        start=before.start,
        bound=min(before.bound, after.bound),
        nodes=before.nodes + after.nodes,
        seconds=before.seconds + after.seconds,
    )


def _unsearched(pencil, size, start, highest, status):
    """The start as it is, for want of time."""
    value = pencil.solve(start)[0]
    return Found(size, start, value, value, max(highest, value), status)


def _search_size(pencil, problem, size, start, options):
    (A, B), members, always = problem
    began = time.perf_counter()
    result = search.best_supports(
        A, B, size, np.searchsorted(members, start), always=always, **options
    )
    supports = [members[list(support)] for support in result.supports]
    return Found(
        size=size,
        support=supports[0],
        value=pencil.solve(supports[0])[0],
        start=pencil.solve(start)[0],
        bound=result.bound,
        status=result.status,
        nodes=result.nodes,
        seconds=time.perf_counter() - began,
        others=tuple(zip(supports[1:], result.values[1:], strict=True)),
    )


def _closed(found):
    """What bounds a size bounds all smaller ones, and where no gap is left the value is proved."""
    rows, ceiling = [], np.inf
    for row in found[::-1]:
        ceiling = min(ceiling, row.bound)
        closed = not row.others and ceiling - row.value <= PROVED * abs(row.value)
        if row.status == "optimal" or closed:
            row, ceiling = row._replace(status="optimal"), row.value
        rows.append(row._replace(bound=ceiling))
    return rows[::-1]
