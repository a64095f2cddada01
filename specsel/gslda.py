"""Greedy sparse LDA and sparse PCA (Moghaddam, Weiss and Avidan, ICML 2006, Sec. 2.3).

Looks for supports S of every size with a large ``λ_max(A_S, B_S)``. Forward selection adds the
feature that raises it most, backward elimination removes the one that lowers it least, and the
better of the two is taken at every size. With ``B = I`` this is sparse PCA. `renormalize` is
Proposition 2: the entries of a sparse vector give way to the eigenvector of its support.

`tableau` computes what a change of one feature does to the value. Forward selection keeps n
numbers a step, namely what the support leaves unexplained of every feature, and reads one row of
B, which for data takes one pass. Backward elimination keeps the inverse of B.

Departures. Refinement swaps a feature of the support for another one, at every size, as long as
that helps. Where A has negative eigenvalues, ``A + c B`` takes its place, which shifts all values
by c.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from specsel import _input, _pencil, linalg
from specsel._input.annotations import ArrayLike, Bools, Floats, Integers
from specsel._input.choices import Direction, PCAMatrix
from specsel._pencil import tableau
from specsel.results import Path, Subset
from specsel.results.subsets import Found

__all__ = ["correlation_ranking", "renormalize", "simple_threshold", "solve", "solve_pair"]

# Backward elimination forms matrices of features x features; this many features are the most.
BACKWARD_LIMIT = 10_000

# Up to this many features all sizes are found by default, and otherwise as many as samples.
ALL_SIZES_LIMIT = 2000

# Up to this many features every value is solved for again at the end, free of the rounding of many
# updates.
SOLVED_FEATURES = 200

# The inverse is computed anew when its largest diagonal entry has fallen below this share of what
# it was, for it has then lost digits.
REFRESH = 1e-2

# Sizes with the value and the support of the best one found.
Best = dict[int, tuple[float, Integers]]


def solve(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    direction: Direction = "both",
    refine: bool = True,
    max_size: int | None = None,
    shrinkage: float | None = None,
    always: Iterable[int | str] = (),
    never: Iterable[int | str] = (),
    matrix: PCAMatrix = "covariance",
) -> Path:
    """Find good supports of every size for discriminating classes, or for a principal component.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers or a data frame. With y, features are scaled to mean 0 and variance 1.
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
    shrinkage : float, optional
        Added to the diagonal of the scatter within the classes. By default 0, or, if that scatter
        is rank deficient, a thousandth of its smallest eigenvalue that is not zero.
    always, never : list of int or str
        Features that every support must hold, and features that none may hold, by number or by
        column name.
    matrix : {"covariance", "correlation"}
        The matrix whose principal components are sought, without y.

    Returns
    -------
    Path
        ``path[k]`` is the `Subset` of k features. Nothing is proved: its bound is infinite.

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
    pencil = _pencil.from_data(X, y, shrinkage=shrinkage, matrix=matrix)
    last = pencil.n_features if pencil.n_features <= ALL_SIZES_LIMIT else np.shape(X)[0]
    return _solve(pencil, direction, refine, max_size, last, always, never)


def solve_pair(
    A: ArrayLike,
    B: ArrayLike,
    *,
    direction: Direction = "both",
    refine: bool = True,
    max_size: int | None = None,
    always: Iterable[int | str] = (),
    never: Iterable[int | str] = (),
) -> Path:
    """Find good supports of every size for ``λ_max(A_S, B_S)``.

    Parameters
    ----------
    A, B : array of shape (n_features, n_features)
        Symmetric; B positive definite.
    direction, refine, max_size, always, never
        As in `solve`.

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
    pencil = _pencil.from_pair(A, B)
    return _solve(pencil, direction, refine, max_size, pencil.n_features, always, never)


def _solve(
    pencil: _pencil.Pencil,
    direction: Direction,
    refine: bool,
    max_size: int | None,
    last: int,
    always: Iterable[int | str],
    never: Iterable[int | str],
) -> Path:
    """Check the options, search, and pack; `last` is the largest size by default."""
    _input.check_choice("direction", direction, _input.choices.DIRECTIONS)
    _input.check_flag("refine", refine)
    held, banned = _input.check_sets(always, never, pencil.n_features, pencil.names)
    count = pencil.n_features - len(banned)
    first = max(len(held), 1)
    if max_size is not None:
        _input.check_integer("max_size", max_size, first, count, "the features allowed")
    last = min(last if max_size is None else max_size, count)
    sizes = range(first, max(first, last) + 1)
    if direction != "forward" and count > BACKWARD_LIMIT:
        raise ValueError(
            f"direction = {direction!r}: would form a matrix of {count} x {count} numbers; "
            f"take 'forward' for more than {BACKWARD_LIMIT} features"
        )
    best = search(pencil, sizes, direction, sizes if refine else (), held, banned)
    return Path.from_rows(pencil, [_found(pencil, k, *best[k]) for k in sizes])


def _found(pencil: _pencil.Pencil, size: int, value: float, support: Integers) -> Found:
    """Pack what was found of one size."""
    if pencil.n_features <= SOLVED_FEATURES:
        value = pencil.solve(support)[0]
    return Found(size, support, value, value)


def search(
    pencil: _pencil.Pencil,
    sizes: Sequence[int],
    direction: Direction,
    refined: Sequence[int],
    always: Integers,
    never: Integers,
) -> Best:
    """Find a value and a support for every size, with swaps for the sizes in `refined`."""
    allowed = np.ones(pencil.n_features, dtype=bool)
    allowed[never] = False
    best: Best = {size: (-np.inf, np.empty(0, np.intp)) for size in sizes}
    if direction != "backward":
        _keep_better(best, _forward(pencil, max(sizes), always, allowed), pencil.shift)
    if direction != "forward":
        _keep_better(best, _backward(pencil, min(sizes), always, allowed), pencil.shift)
    if len(refined):
        _refine(pencil, best, refined, always, allowed)
    return best


def _keep_better(best: Best, supports: Iterator[tuple[float, Integers]], shift: float) -> None:
    """Put the supports into `best` that have a larger value than those there."""
    for value, support in supports:
        if len(support) in best and value - shift > best[len(support)][0]:
            best[len(support)] = value - shift, np.sort(support)


def _forward(
    pencil: _pencil.Pencil, last: int, always: Integers, allowed: Bools
) -> Iterator[tuple[float, Integers]]:
    """Add one feature at a time, up to `last`; yield every value and support.

    The rows are those of the Cholesky factor of B, extended to all features.
    """
    rows = np.empty((last, pencil.n_features))
    allowed, gains, rest = allowed.copy(), pencil.factor.copy(), pencil.diagonal
    floor = tableau.NOTHING_LEFT * rest
    inner = np.zeros((gains.shape[1],) * 2)
    chosen: list[int] = []
    for step in range(last):
        values, axes = linalg.eigen(inner)
        if step < len(always):
            j = always[step]
        else:
            j, _ = tableau.best_addition(values, gains @ axes, rest, floor, allowed)
        chosen.append(j)
        allowed[j] = False
        root = np.sqrt(max(rest[j], floor[j]))
        row = (pencil.row(j) - rows[:step, j] @ rows[:step]) / root
        share = gains[j] / root
        rows[step] = row
        inner += np.outer(share, share)
        gains -= row[:, None] * share
        rest -= row**2
        if step + 1 >= len(always):
            yield linalg.eigen(inner)[0][-1], np.array(chosen)


def _backward(
    pencil: _pencil.Pencil, first: int, always: Integers, allowed: Bools
) -> Iterator[tuple[float, Integers]]:
    """Remove one feature at a time, down to `first`; yield every value and support.

    The last member takes the place of the one removed, so that members, weights and inverse stay
    in the leading rows.
    """
    members = np.flatnonzero(allowed)
    inverse, weights, inner = _inverse(pencil, members)
    highest = inverse.diagonal().max()
    free = ~np.isin(members, always)
    for size in range(len(members), first - 1, -1):
        values, axes = linalg.eigen(inner)
        yield values[-1], members[:size]
        if size == first:
            return
        i, _ = tableau.best_deletion(values, weights[:size] @ axes, inverse, size, free)
        column, power, weight = inverse[i, :size].copy(), inverse[i, i], weights[i].copy()
        inner -= np.outer(weight, weight / power)
        weights[:size] -= np.outer(column / power, weight)
        linalg.rank_one(inverse[:size, :size], column / power, column)
        for array in (members, weights, free, inverse, inverse.T):
            array[i] = array[size - 1]
        if inverse.diagonal()[: size - 1].max() < REFRESH * highest:
            inverse, weights, inner = _inverse(pencil, members[: size - 1])
            highest = inverse.diagonal().max()


def _inverse(pencil: _pencil.Pencil, members: Integers) -> tuple[Floats, Floats, Floats]:
    """Return ``B_S⁻¹``, ``B_S⁻¹ U_S`` and H, see `tableau`."""
    factor = pencil.factor[members]
    inverse = linalg.inverse(pencil.block_of_b(members))
    weights = inverse @ factor
    return inverse, weights, factor.T @ weights


def _refine(
    pencil: _pencil.Pencil, best: Best, sizes: Sequence[int], always: Integers, allowed: Bools
) -> None:
    """Swap at every size, starting from the better of two supports.

    One is the best support known of that size, the other the refined support of the size before
    with the best feature added.
    """
    state = tableau.Tableau(pencil, always, allowed, max(sizes))
    for size in sizes:
        value, support = best[size]
        j, raised = state.best_addition()
        follows = len(state.members) == size - 1 >= len(always)
        if follows and raised - pencil.shift > value:
            state.add(j)
        else:
            state.move_to(support)
        state.swap()
        if state.value - pencil.shift > value:
            best[size] = state.value - pencil.shift, np.sort(state.members)


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
    vector: np.ndarray[Any, np.dtype[Any]] = np.asarray(x)
    if vector.shape != (pencil.n_features,):
        raise ValueError(f"x: has shape {vector.shape}; ({pencil.n_features},) is needed")
    if vector.dtype.kind not in "biuf":
        raise ValueError(f"x: holds {vector.dtype}; real numbers are needed")
    if not np.isfinite(vector).all() or not vector.any():
        raise ValueError("x: must be finite and have an entry that is not zero")
    return _subset(pencil, np.flatnonzero(vector))


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
    pencil = _pencil.from_pair(A, B)
    _input.check_integer("k", k, 1, pencil.n_features, "the number of features")
    a, b = pencil.matrices
    values, axes = np.linalg.eigh(b)
    root = axes / np.sqrt(values) @ axes.T
    leading = np.linalg.eigh(root @ a @ root)[1][:, -1]
    return _subset(pencil, np.sort(np.argsort(-np.abs(leading), kind="stable")[:k]))


def _subset(pencil: _pencil.Pencil, support: Integers) -> Subset:
    """Pack a support about which nothing is proved."""
    value, direction = pencil.solve(support)
    return Subset(support, value, np.inf, direction, "greedy", 0, 0.0)


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
