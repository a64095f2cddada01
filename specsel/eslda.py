"""Exact sparse LDA and sparse PCA (Moghaddam, Weiss and Avidan, ICML 2006, Sec. 2.2 and 2.3).

Finds the support S of k features with the largest ``λ_max(A_S, B_S)`` and proves that there is no
better one, by branch and bound from the best greedy support. The search itself is the room
`_exact`: its bounds, its two trees, and where they depart from the paper. This file prepares the
problem, divides the time among several sizes, and packs what was found.

Several sizes share one run of the greedy selection. And a bound proved for one size holds for all
smaller sizes, because the value never falls when a feature joins (Theorem 1).
"""

import functools
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any, Literal, NamedTuple, TypedDict, Unpack, overload

import numpy as np

from specsel import _exact, _input, _pencil, gslda
from specsel._input.annotations import ArrayLike, Floats, Integers
from specsel._input.choices import Bounds, PCAMatrix
from specsel.results import Path, Subset
from specsel.results.subsets import Found

__all__ = ["solve", "solve_pair"]

# A gap of at most this share, which is twice that of ties, counts as proof.
PROVED = 2e-9

# The most features to search: every level of the trees keeps a matrix of features x features.
FEATURES_LIMIT = 300

# Several sizes.
Sizes = Iterable[int] | Literal["all"]


class PairOptions(TypedDict, total=False):
    """The options of `solve_pair`."""

    time_limit: float | None
    gap: float
    node_limit: int | None
    always: Iterable[int | str]
    never: Iterable[int | str]
    top: int
    bound: Bounds
    callback: _exact.Report | None


class Options(PairOptions, total=False):
    """The options of `solve`."""

    shrinkage: float | None
    matrix: PCAMatrix


class Limits(TypedDict):
    """The options of the search of one size, checked."""

    time_limit: float | None
    gap: float
    node_limit: int | None
    top: int
    bound: Bounds
    report: _exact.Report | None


class Problem(NamedTuple):
    """What the searches of all sizes have in common."""

    A: Floats  # over `members` alone, as B
    B: Floats
    members: Integers  # the features that supports may hold
    always: Integers  # places in `members` of those that every support holds


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
    callback: _exact.Report | None = None,
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
        Seconds for all sizes together. When they are over, the best support so far is returned
        with a bound. The greedy start counts, but is not cut short; what a first call compiles
        does not count.
    gap : float
        End a search when nothing can be better by more than this share of the value.
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
    callback : callable, optional
        Called as ``callback(value, bound, nodes, seconds)`` a few times a second; true stops.

    Returns
    -------
    Subset or, for several sizes, Path
        Ctrl-C ends the search, too, and returns the best support so far with a valid bound. The
        second Ctrl-C is raised. "optimal" and the bound hold within `Subset.error`.

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
    limits = _limits(time_limit, gap, node_limit, top, bound, callback)
    return _solve(pencil, k, always, never, limits)


@overload
def solve_pair(A: ArrayLike, B: ArrayLike, k: int, **options: Unpack[PairOptions]) -> Subset: ...


@overload
def solve_pair(A: ArrayLike, B: ArrayLike, k: Sizes, **options: Unpack[PairOptions]) -> Path: ...


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
    callback: _exact.Report | None = None,
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
    limits = _limits(time_limit, gap, node_limit, top, bound, callback)
    return _solve(_pencil.from_pair(A, B), k, always, never, limits)


def _limits(
    time_limit: float | None,
    gap: float,
    node_limit: int | None,
    top: int,
    bound: Bounds,
    callback: _exact.Report | None,
) -> Limits:
    """Check the options of the search."""
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


def _solve(
    pencil: _pencil.Pencil,
    k: int | Sizes | None,
    always: Iterable[int | str],
    never: Iterable[int | str],
    limits: Limits,
) -> Subset | Path:
    """Check sizes and sets of features, search, and pack."""
    held, banned = _input.check_sets(always, never, pencil.n_features, pencil.names)
    sizes = _sizes(k, len(held), pencil.n_features - len(banned))
    members = np.setdiff1d(np.arange(pencil.n_features), banned)
    if len(members) > FEATURES_LIMIT:
        raise ValueError(
            f"X: leaves {len(members)} features to search; at most {FEATURES_LIMIT} are possible: "
            "take gslda, or name others in never"
        )
    with _input.catch_interrupts() as caught:
        _compile()
        began = perf_counter()
        wanted = range(sizes[0], sizes[-1] + 1)
        starts = gslda.search(pencil, wanted, "both", sizes, held, banned)
        problem = Problem(*pencil.block(members), members, np.searchsorted(members, held))
        found = _search(pencil, sizes, starts, problem, limits, began, caught)
    path = Path.from_rows(pencil, found)
    return path if isinstance(k, str) or _input.is_list(k) else path[sizes[0]]


@functools.cache
def _compile() -> None:
    """Search a small problem, once, so that compiling counts in no limit and in no time shown."""
    factor = np.random.default_rng(0).standard_normal((12, 12))
    pencil = _pencil.from_pair(factor @ factor.T, np.eye(12) + 0.1)
    always, never = _input.check_sets([0], [], 12)
    starts = gslda.search(pencil, range(2, 6), "both", [2, 5], always, never)
    limits = _limits(None, 0, None, 1, "best", None)
    problem = Problem(*pencil.matrices, np.arange(12), always)
    _search(pencil, [2, 5], starts, problem, limits, perf_counter(), [])


def _sizes(k: int | Sizes | None, least: int, most: int) -> list[int]:
    """Return the sizes asked for, ascending."""
    if isinstance(k, str) and k == "all":
        return list(range(max(least, 1), most + 1))
    if k is None:
        raise ValueError('k: is needed: a number of features, a list of them, or "all"')
    several: list[Any] = list(k) if _input.is_list(k) else [k]
    if not several:
        raise ValueError("k: holds no size; at least one is needed")
    for size in several:
        _input.check_integer("k", size, max(least, 1), most, "the features allowed")
    return sorted({int(size) for size in several})


def _search(
    pencil: _pencil.Pencil,
    sizes: Sequence[int],
    starts: gslda.Best,
    problem: Problem,
    limits: Limits,
    began: float,
    caught: list[int],
) -> list[Found]:
    """Search every size, within the time limit.

    The first half of the time is divided among all sizes, and what is left after that among those
    still open, so that sizes which are easy to prove leave their time to the others.
    """
    highest = _exact.highest(problem.A, problem.B)
    rounding = _exact.Rounding.of_pair(problem.A, problem.B)
    found: dict[int, Found] = {}
    open_sizes, limit = sizes, limits["time_limit"]
    for part in (1.0,) if limit is None else (0.5, 1.0):
        for i, size in enumerate(open_sizes):
            seconds = None
            if limit is not None:
                left = part * limit - (perf_counter() - began)
                seconds = max(left, 0.0) / (len(open_sizes) - i)
            halted = caught or any(one.status == "interrupted" for one in found.values())
            if not halted and seconds != 0:
                start = found[size].support if size in found else starts[size][1]
                row = _search_size(pencil, problem, size, start, limits, seconds)
                found[size] = _joined(found[size], row) if size in found else row
            elif size not in found:
                status = "interrupted" if halted else "time"
                found[size] = _unsearched(pencil, size, starts[size][1], highest, status)
        open_sizes = [size for size in sizes if found[size].status == "time"]
    errors = [rounding.error(found[k].value, found[k].bound) for k in sizes]
    rows = [found[k]._replace(error=error) for k, error in zip(sizes, errors, strict=True)]
    return _closed(rows, several=limits["top"] > 1)


def _joined(before: Found, after: Found) -> Found:
    """Join two searches of one size; the second set out from what the first found."""
    return after._replace(
        start=before.start,
        bound=min(before.bound, after.bound),
        nodes=before.nodes + after.nodes,
        seconds=before.seconds + after.seconds,
    )


def _unsearched(
    pencil: _pencil.Pencil, size: int, start: Integers, highest: float, status: str
) -> Found:
    """Return the greedy support of a size for which no time was left."""
    value = pencil.solve(start)[0]
    return Found(size, start, value, value, max(highest, value), status)


def _search_size(
    pencil: _pencil.Pencil,
    problem: Problem,
    size: int,
    start: Integers,
    limits: Limits,
    seconds: float | None,
) -> Found:
    """Search one size for so many seconds."""
    members = problem.members
    began = perf_counter()
    result = _exact.best_supports(
        problem.A,
        problem.B,
        size,
        np.searchsorted(members, start),
        always=problem.always,
        clock=perf_counter,
        **(limits | {"time_limit": seconds}),
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
        seconds=perf_counter() - began,
        others=tuple(zip(supports[1:], result.values[1:], strict=True)),
    )


def _closed(found: list[Found], *, several: bool = False) -> list[Found]:
    """Let the bound of a size hold for all smaller ones; where no gap is left, it is a proof.

    Where several supports are wanted, it proves the first of them alone.
    """
    rows, ceiling, error = [], np.inf, 0.0
    for row in found[::-1]:
        if row.bound < ceiling:
            ceiling, error = row.bound, row.error
        alone = not (several or row.others)
        closed = alone and ceiling - row.value <= PROVED * abs(row.value)
        if row.status == "optimal" or closed:
            row, ceiling = row._replace(status="optimal"), row.value
        error = max(error, row.error)
        rows.append(row._replace(bound=ceiling, error=error))
    return rows[::-1]
