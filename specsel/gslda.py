"""Greedy sparse LDA and sparse PCA (Moghaddam, Weiss and Avidan, ICML 2006, Sec. 2.3).

Looks for supports S of every size that are worth much. What a support is worth follows from the
eigenvalues λ of the pair (A_S, B_S): the largest of them, or all of them by one of the criteria of
Sec. 4, their sum (trace) or ``Σ log(1 + λ)`` (log-det). Forward selection adds the feature that
raises the value most, backward elimination removes the one that lowers it least, and the better of
the two is taken at every size. With ``B = I`` this is sparse PCA. `renormalize` is Proposition 2:
the entries of a sparse vector give way to the eigenvector of its support.

With more than two classes there are several discriminants. The largest eigenvalue, and often the
sum, takes features that all tell the same classes apart; log-det gains more from another
discriminant than from a better first one.

The steps themselves are in `_pencil.selection`. Forward selection reads one row of B a step, which
for data takes one pass. Backward elimination keeps the inverse of B.

Departures. Refinement swaps a feature of the support for another one, at every size, as long as
that helps. Where A has negative eigenvalues, ``A + c B`` takes its place, which shifts all values
by c.
"""

from collections.abc import Iterable
from typing import Any, Unpack, overload

import numpy as np

from specsel import _pencil, _runtime, _validate
from specsel._validate import ArrayLike, Direction, Integers, PCAMatrix, Worth
from specsel.results import Path, Subset
from specsel.results.subsets import Found

__all__ = [
    "correlation_ranking",
    "renormalize",
    "renormalize_data",
    "simple_threshold",
    "solve",
    "solve_pair",
    "threshold",
]

# Up to this many features all sizes are found by default, and otherwise as many as samples.
ALL_SIZES_LIMIT = 2000

# Up to this many features every value is solved for again at the end, free of the rounding of many
# updates.
SOLVED_FEATURES = 200


def solve(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    direction: Direction = "both",
    refine: bool = True,
    max_size: int | None = None,
    time_limit: float | None = None,
    shrinkage: float | None = None,
    always: Iterable[int | str] = (),
    never: Iterable[int | str] = (),
    matrix: PCAMatrix = "covariance",
    criterion: Worth | None = None,
) -> Path:
    """Find good supports of every size for discriminating classes, or for a principal component.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers, a data frame or, with y, a sparse matrix, which stays sparse; adding
        features takes a copy of one that is not compressed by columns. With y, features are
        scaled to mean 0 and variance 1.
    y : array of shape (n_samples,), optional
        Class labels, of two classes or more: sparse LDA. Without them sparse PCA.
    direction : {"both", "forward", "backward"}
        Add features one by one, remove them one by one, or the better of the two at every size.
        Removing forms matrices of features x features.
    refine : bool
        Swap single features as long as that helps. For n features and all sizes this takes
        O(n³) operations, as the rest does, with a much larger constant.
    max_size : int, optional
        Largest support. By default all sizes up to 2,000 features, and otherwise at most as many
        as there are samples.
    time_limit : float, optional
        Seconds. When they are over, what was found so far is returned: the sizes that were
        reached, with the status "time". What a first call compiles does not count, nor does the
        preparation of the data.
    shrinkage : float, optional
        Added to the diagonal of the scatter within the classes. By default 0, or, if that scatter
        is rank deficient, a thousandth of its smallest eigenvalue that is not zero.
    always, never : list of int or str
        Features that every support must hold, and features that none may hold, by number or by
        column name.
    matrix : {"covariance", "correlation"}
        The matrix whose principal components are sought, without y.
    criterion : {"leading", "trace", "logdet"}, optional
        What a support is worth: the largest of the eigenvalues λ of its pencil, the sum of all, or
        ``Σ log(1 + λ)``. By default "logdet" for more than two classes, which classifies best
        (README, Few features with a proof), and otherwise "leading"; the result says which.
        For two classes all three find the same features.

    Returns
    -------
    Path
        ``path[k]`` is the `Subset` of k features. Nothing is searched: its bound is what all
        features together are worth, by Eq. (8), and the same equation gives `lower`. Ctrl-C
        ends the selection as `time_limit` does, with the status "interrupted". The second Ctrl-C
        is raised.

    References
    ----------
    Moghaddam, B., Weiss, Y. and Avidan, S. (2006). Generalized spectral bounds for sparse LDA.
    ICML 2006.

    Examples
    --------
    >>> from specsel import datasets, gslda
    >>> data = datasets.lda_problem(60, n_samples=300, n_relevant=4)
    >>> path = gslda.solve(data.X, data.y, max_size=6)
    >>> path[4].support.tolist(), data.relevant.tolist()
    ([0, 15, 30, 45], [0, 15, 30, 45])
    >>> bool(path[4].value < path[5].value)
    True
    """
    if time_limit is not None:
        _validate.check_not_negative("time_limit", time_limit)
    data = _pencil.read(X, y, shrinkage=shrinkage, matrix=matrix, criterion=criterion)
    n_samples, n = data.array.shape
    last = n if n <= ALL_SIZES_LIMIT else n_samples
    plan = _pencil.plan(
        n, data.names, direction, refine, max_size, last, always, never, [data.need]
    )
    pencil = _pencil.from_reading(data)
    del data  # which may be a copy of X
    return _solve(pencil, plan, time_limit)


def solve_pair(
    A: ArrayLike,
    B: ArrayLike,
    *,
    direction: Direction = "both",
    refine: bool = True,
    max_size: int | None = None,
    time_limit: float | None = None,
    always: Iterable[int | str] = (),
    never: Iterable[int | str] = (),
    criterion: Worth = "leading",
) -> Path:
    """Find good supports of every size for a pair of matrices.

    Parameters
    ----------
    A, B : array of shape (n_features, n_features)
        Symmetric; B positive definite.
    direction, refine, max_size, time_limit, always, never
        As in `solve`.
    criterion : {"leading", "trace", "logdet"}
        As in `solve`; for the last two A must have no negative eigenvalue.

    Returns
    -------
    Path

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import gslda
    >>> path = gslda.solve_pair(np.outer([3, 2, 1], [3, 2, 1]), np.eye(3))
    >>> path.values.round(9).tolist()
    [9.0, 13.0, 14.0]
    """
    if time_limit is not None:
        _validate.check_not_negative("time_limit", time_limit)
    pencil = _pencil.from_pair(A, B, criterion)
    n = pencil.n_features
    plan = _pencil.plan(n, pencil.names, direction, refine, max_size, n, always, never)
    return _solve(pencil, plan, time_limit)


def _solve(pencil: _pencil.Pencil, plan: _pencil.Plan, time_limit: float | None) -> Path:
    """Search and pack."""
    sizes, direction, refine, held, banned = plan
    refined = sizes if refine else ()
    with _runtime.catch_interrupts() as caught:
        _pencil.compile_search()
        limit = _pencil.Limit(time_limit, caught)
        best = _pencil.search(pencil, sizes, direction, refined, held, banned, limit.reached)
    best = best or _pencil.filled(pencil, {}, sizes[:1], held, banned)
    rows = [_found(pencil, k, *best[k], limit.status) for k in sorted(best)]
    return Path.from_rows(pencil, rows)


def _found(
    pencil: _pencil.Pencil, size: int, value: float, support: Integers, status: str
) -> Found:
    """Pack what was found of one size."""
    if pencil.n_features <= SOLVED_FEATURES:
        value = pencil.solve(support)[0]
    bound = max(pencil.bounds(size)[1], value)
    return Found(size, support, value, value, bound, status)


def renormalize(x: ArrayLike, A: ArrayLike, B: ArrayLike) -> Subset:
    """Replace the entries of a sparse vector by those of the eigenvector of its support (Prop. 2).

    Parameters
    ----------
    x : array of shape (n_features,)
        Any vector. Its entries that are not zero make the support; their values do not matter.
    A, B : array of shape (n_features, n_features)
        Symmetric; B positive definite.

    Returns
    -------
    Subset

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import gslda
    >>> gslda.renormalize([1, 1, 0], np.diag([2.0, 1.0, 3.0]), np.eye(3)).direction.tolist()
    [1.0, 0.0, 0.0]
    """
    pencil = _pencil.from_pair(A, B)
    support = _pencil.support_of(x, pencil.n_features)
    return _packed(pencil, [support])[len(support)]


def renormalize_data(
    x: ArrayLike,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    shrinkage: float | None = None,
    matrix: PCAMatrix = "covariance",
    criterion: Worth | None = None,
) -> Subset:
    """Replace the entries of a sparse vector by those of the best discriminant on its support.

    Whatever found the vector: no other one on the same features does better (Prop. 2).

    Parameters
    ----------
    x : array of shape (n_features,)
        Any vector. Its entries that are not zero make the support; their values do not matter.
    X, y, shrinkage, matrix, criterion
        As in `solve`.

    Returns
    -------
    Subset

    Examples
    --------
    >>> from specsel import datasets, gslda
    >>> data = datasets.lda_problem(4, n_samples=300, n_relevant=2)
    >>> gslda.renormalize_data([1, 0, 1, 0], data.X, data.y).direction.round(2).tolist()
    [0.78, 0.0, 0.77, 0.0]
    """
    pencil = _pencil.from_data(X, y, shrinkage=shrinkage, matrix=matrix, criterion=criterion)
    support = _pencil.support_of(x, pencil.n_features)
    return _packed(pencil, [support])[len(support)]


def simple_threshold(A: ArrayLike, B: ArrayLike, k: int) -> Subset:
    """Take the k largest entries, by modulus, of the leading eigenvector of ``B^(-½) A B^(-½)``.

    Parameters
    ----------
    A, B : array of shape (n_features, n_features)
        Symmetric; B positive definite.
    k : int
        Number of features.

    Returns
    -------
    Subset

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import gslda
    >>> gslda.simple_threshold(np.outer([3, 2, 1], [3, 2, 1]), np.eye(3), 2).support.tolist()
    [0, 1]
    """
    return _thresholded(_pencil.from_pair(A, B), k)[k]


@overload
def threshold(
    X: ArrayLike, y: ArrayLike | None, k: int, **options: Unpack[_pencil.Options]
) -> Subset: ...


@overload
def threshold(
    X: ArrayLike, y: ArrayLike | None, k: Iterable[int], **options: Unpack[_pencil.Options]
) -> Path: ...


def threshold(
    X: ArrayLike,
    y: ArrayLike | None,
    k: int | Iterable[int],
    *,
    shrinkage: float | None = None,
    matrix: PCAMatrix = "covariance",
    criterion: Worth | None = None,
) -> Subset | Path:
    """Take the k largest entries, by modulus, of the leading eigenvector, and renormalise.

    This is simple thresholding, the baseline of the paper. The eigenvector is that of
    ``B^(-½) A B^(-½)``, as in `simple_threshold`.

    Parameters
    ----------
    X, y : array
        As in `solve`; None for y is sparse PCA.
    k : int or list of int
        Number of features, or several.
    shrinkage, matrix, criterion
        As in `solve`.

    Returns
    -------
    Subset or, for several sizes, Path

    Examples
    --------
    >>> from specsel import datasets, gslda
    >>> data = datasets.lda_problem(60, n_samples=300, n_relevant=4)
    >>> gslda.threshold(data.X, data.y, 4).support.tolist()
    [0, 15, 30, 45]
    """
    pencil = _pencil.from_data(X, y, shrinkage=shrinkage, matrix=matrix, criterion=criterion)
    path = _thresholded(pencil, k)
    return path if _validate.is_list(k) else path[int(path.sizes[0])]


def _thresholded(pencil: _pencil.Pencil, k: int | Iterable[int]) -> Path:
    """Take the largest entries of the leading eigenvector, for every size."""
    sizes: list[Any] = list(k) if _validate.is_list(k) else [k]
    if not sizes:
        raise ValueError("k: holds no size; at least one is needed")
    for size in sizes:
        _validate.check_integer("k", size, 1, pencil.n_features, "the number of features")
    order = np.argsort(-np.abs(pencil.leading_axis), kind="stable")
    return _packed(pencil, [np.sort(order[:size]) for size in sorted({*sizes})])


def _packed(pencil: _pencil.Pencil, supports: list[Integers]) -> Path:
    """Pack supports that no search found."""
    rows = [_found(pencil, len(S), pencil.solve(S)[0], S, "greedy") for S in supports]
    return Path.from_rows(pencil, rows)


def correlation_ranking(X: ArrayLike, y: ArrayLike) -> Integers:
    """Rank features by the modulus of their correlation with the labels of two classes.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers or a data frame.
    y : array of shape (n_samples,)
        Labels of two classes.

    Returns
    -------
    ndarray of int
        All features, best first.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import gslda
    >>> gslda.correlation_ranking([[0, 5], [1, 0], [5, 1], [6, 5]], [0, 0, 1, 1]).tolist()
    [0, 1]
    """
    pencil = _pencil.from_data(X, y, shrinkage=1.0)
    if pencil.factor.shape[1] > 1:
        raise ValueError(f"y: has {pencil.factor.shape[1] + 1} classes; 2 are needed")
    return np.argsort(-np.abs(pencil.factor[:, 0]), kind="stable")
