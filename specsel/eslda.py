"""Exact sparse LDA and sparse PCA (Moghaddam, Weiss and Avidan, ICML 2006, Sec. 2.2, 2.3 and 4).

Finds the support S of k features with the largest ``λ_max(A_S, B_S)``, or with the largest value
of another criterion of Sec. 4, and proves that there is no better one, by branch and bound from
the best greedy support of `gslda`; the search itself is `_exact`. Several sizes share one run of
the greedy selection. And a bound proved for one size holds for all smaller sizes, because the
value never falls when a feature joins (Theorem 1). For sparse PCA of many features, safe
elimination, which the paper does not have, first drops those that no good support can hold.

Problems that are out of reach, and why:

- Sparse PCA where all features are alike, as in iid noise, or in a planted component once k
  exceeds the planted count. One feature more then adds next to nothing to the value, and that
  little is what eliminates.
- Sparse LDA of strongly correlated features with fewer than about three samples for each, or with
  next to no shrinkage. The smallest eigenvalue of B is then near 0. The bound for two classes, for
  trace and for log-det splits a diagonal off B that leaves it positive definite; so this diagonal
  is near 0 too, and the bound, which divides by it, is far too large.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict, Unpack, overload

import numpy as np

from specsel import _pencil, _runtime, _validate, gslda
from specsel._exact.elimination import search_components
from specsel._exact.search import Limits, Report, close, search_sizes, with_error
from specsel._pencil import Pencil
from specsel._validate import ArrayLike, Bounds, Integers, Names, PCAMatrix, Worth
from specsel.results import Path, Subset
from specsel.results.subsets import SizeRow

__all__ = ["solve", "solve_pair"]

# The most features to search: every level of the trees keeps a matrix of features x features. For
# sparse PCA this limit holds for what safe elimination leaves.
FEATURES_LIMIT = 300

# Several sizes.
Sizes = Iterable[int] | Literal["all"]


class Common(TypedDict, total=False):
    """The options that `solve` and `solve_pair` share."""

    time_limit: float | None
    gap: float
    node_limit: int | None
    always: Iterable[int | str]
    never: Iterable[int | str]
    top: int
    bound: Bounds
    callback: Report | None


class Options(Common, _pencil.Options, total=False):
    """The options of `solve`."""


@overload
def solve(
    X: ArrayLike, y: ArrayLike | None = ..., k: int = ..., **options: Unpack[Options]
) -> Subset: ...


@overload
def solve(X: ArrayLike, y: ArrayLike | None, k: Sizes, **options: Unpack[Options]) -> Path: ...


@overload
def solve(
    X: ArrayLike, y: ArrayLike | None = ..., *, k: Sizes, **options: Unpack[Options]
) -> Path: ...


def solve(
    X: ArrayLike,
    y: ArrayLike | None = None,
    k: int | Sizes | None = None,
    *,
    time_limit: float | None = None,
    gap: float = 0,
    node_limit: int | None = None,
    always: Iterable[int | str] = (),
    never: Iterable[int | str] = (),
    top: int = 1,
    bound: Bounds = "best",
    shrinkage: float | None = None,
    matrix: PCAMatrix = "covariance",
    criterion: Worth | None = None,
    callback: Report | None = None,
) -> Subset | Path:
    """Find the best k features for discriminating classes, or for a principal component.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers, a data frame or, with y, a sparse matrix, which stays sparse; one that is
        not compressed by columns is copied. With y, features are scaled to mean 0 and variance 1.
        The search takes 300 features, not counting `never`; without y it takes any number of
        which no more than 300 survive safe elimination.
    y : array of shape (n_samples,), optional
        Class labels, of two classes or more: sparse LDA. Without them sparse PCA.
    k : int, list of int or "all"
        How many features: one size, several, or all sizes.
    time_limit : float, optional
        Seconds for all sizes together. When they are over, the best support so far is returned
        with a bound. The greedy start counts, too; what a first call compiles does not.
    gap : float
        End a search when nothing can be better by more than this share of the value. With more
        than 300 features only the largest size ends so, and `gap` applies to that one.
    node_limit : int, optional
        Nodes of the search trees, for every size.
    always, never : list of int or str
        Features that every support must hold, and features that none may hold, by number or by
        column name.
    top : int
        How many of the best supports to find; those after the first are `others`. The gap is then
        a share of the value of the last.
    bound : {"best", "interlacing"}
        Use all bounds, or only the paper's own (Eq. 8), which takes far more nodes.
    shrinkage : float, optional
        As in `gslda.solve`.
    matrix : {"covariance", "correlation"}
        The matrix whose principal components are sought, without y.
    criterion : {"leading", "trace", "logdet"}, optional
        As in `gslda.solve`: what a set of features is worth. The result says which was taken.
    callback : callable, optional
        Called as ``callback(value, bound, nodes, seconds)`` a few times a second; true stops.

    Returns
    -------
    Subset or, for several sizes, Path
        Ctrl-C ends the search, too, and returns the best support so far with a valid bound. The
        second Ctrl-C is raised. In a path, sizes of which too many features survive are not
        searched; if that holds for all sizes, the call is refused.
        "optimal" and the bound hold within `Subset.error`.

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
    limits = _checked(Limits([], time_limit, gap, node_limit, top, bound, callback))
    eliminates = y is None and criterion in (None, "leading")
    data = _pencil.read(X, y, shrinkage=shrinkage, matrix=matrix, criterion=criterion)
    task = _task(data.array.shape[1], data.names, k, always, never, limits, eliminates)
    pencil = _pencil.from_reading(data)
    del data  # which may be a copy of X
    return _solve(pencil, k, *task, limits)


@overload
def solve_pair(
    A: ArrayLike, B: ArrayLike, k: int, *, criterion: Worth = ..., **options: Unpack[Common]
) -> Subset: ...


@overload
def solve_pair(
    A: ArrayLike, B: ArrayLike, k: Sizes, *, criterion: Worth = ..., **options: Unpack[Common]
) -> Path: ...


def solve_pair(
    A: ArrayLike,
    B: ArrayLike,
    k: int | Sizes,
    *,
    time_limit: float | None = None,
    gap: float = 0,
    node_limit: int | None = None,
    always: Iterable[int | str] = (),
    never: Iterable[int | str] = (),
    top: int = 1,
    bound: Bounds = "best",
    criterion: Worth = "leading",
    callback: Report | None = None,
) -> Subset | Path:
    """Find the support of k features with the largest value for a pair of matrices.

    Parameters
    ----------
    A, B : array of shape (n_features, n_features)
        Symmetric; B positive definite.
    k, time_limit, gap, node_limit, always, never, top, bound
        As in `solve`.
    criterion : {"leading", "trace", "logdet"}
        As in `solve`; for the last two A must have no negative eigenvalue.
    callback
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
    limits = _checked(Limits([], time_limit, gap, node_limit, top, bound, callback))
    pencil = _pencil.from_pair(A, B, criterion)
    eliminates = pencil.is_pca and criterion == "leading"
    task = _task(pencil.n_features, pencil.names, k, always, never, limits, eliminates)
    return _solve(pencil, k, *task, limits)


def _checked(limits: Limits) -> Limits:
    """Check the options of the search; the gap becomes a float, or thresholds lose digits."""
    if limits.time_limit is not None:
        _validate.check_number("time_limit", limits.time_limit, 0)
    if limits.node_limit is not None:
        _validate.check_integer("node_limit", limits.node_limit, 1)
    _validate.check_number("gap", limits.gap, 0)
    _validate.check_integer("top", limits.top, 1)
    _validate.check_choice("bound", limits.bound, _validate.Bounds)
    _validate.check_callback(limits.callback)
    return limits._replace(gap=float(limits.gap))


def _task(
    n_features: int,
    names: Names,
    k: int | Sizes | None,
    always: Iterable[int | str],
    never: Iterable[int | str],
    limits: Limits,
    eliminates: bool,
) -> tuple[list[int], Integers, Integers]:
    """Return the sizes, the features of every support and those allowed, all ascending."""
    always, never = _validate.check_sets(always, never, n_features, names)
    members = np.setdiff1d(np.arange(n_features), never)
    least, most = max(len(always), 1), len(members)
    if isinstance(k, str) and k == "all":
        sizes = list(range(least, most + 1))
    elif k is None:
        raise ValueError('k: is needed: a number of features, a list of them, or "all"')
    else:
        sizes = gslda.check_sizes(k, least, most, "the features allowed")
    eliminates = eliminates and limits.top == 1 and limits.bound == "best"
    if most > FEATURES_LIMIT and not (eliminates and sizes[-1] <= FEATURES_LIMIT):
        raise _too_many(most)
    return sizes, always, members


def _too_many(count: int) -> ValueError:
    return ValueError(
        f"X: leaves {count} features to search; at most {FEATURES_LIMIT} are possible: "
        "take gslda, or name others in never"
    )


def _solve(
    pencil: Pencil,
    k: int | Sizes | None,
    sizes: list[int],
    always: Integers,
    members: Integers,
    limits: Limits,
) -> Subset | Path:
    """Search, and return a `Subset` or a `Path` as k asks for."""
    with _runtime.catch_interrupts() as caught, gslda.stopwatch() as clock:
        limits = limits._replace(clock=clock, caught=caught)
        search = _search if len(members) <= FEATURES_LIMIT else _search_many
        rows = search(pencil, sizes, always, members, limits)
    path = Path.from_rows(pencil, rows, clock.compiling)
    return path if isinstance(k, str) or _validate.is_list(k) else path[sizes[0]]


def _search(
    pencil: Pencil, sizes: Sequence[int], always: Integers, members: Integers, limits: Limits
) -> list[SizeRow]:
    """Search every size from the greedy supports, which share one run."""
    steps = range(max(len(always), 1), sizes[-1] + 1)
    refined = steps if pencil.is_sum else sizes
    starts = gslda.search(pencil, steps, "both", refined, always, members, limits.reached)
    starts = gslda.filled(pencil, starts, steps, always, members)
    return search_sizes(pencil, members, always, sizes, starts, limits)


def _search_many(
    pencil: Pencil, sizes: Sequence[int], always: Integers, members: Integers, limits: Limits
) -> list[SizeRow]:
    """Search sparse PCA of many features; refuse if safe elimination leaves too many."""
    rows, n_left = search_components(pencil, members, always, sizes, limits, FEATURES_LIMIT)
    if all(row.status == "features" for row in rows):
        raise _too_many(n_left)
    # B is the identity, and a part of A + shift is no larger than its value.
    epsilon = len(members) * np.finfo(float).eps
    return close([with_error(row, lambda v: epsilon * (abs(pencil.shift) + v)) for row in rows])
