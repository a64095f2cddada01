"""Greedy sparse LDA and sparse PCA (Moghaddam, Weiss and Avidan, ICML 2006, Sec. 2.3).

Maximises ``λ_max(A_S, B_S)`` over supports S of every size: forward selection adds the feature
that raises it most, backward elimination removes the one that lowers it least, and the better of
the two is taken at every size. With ``B = I`` it is sparse PCA. Proposition 2, the eigenvector of
the support in the place of any approximate one, is `renormalize`.

What a change of one feature does to the value is `tableau`. Forward selection keeps what the
support leaves of every feature, n numbers a step, and reads a row of B, which for data is one
pass; backward elimination keeps the inverse of B.

Departures. Refinement swaps a feature of the support for another one, at every size, as long as
that helps. Where A has negative eigenvalues, ``A + c B`` takes its place, which shifts all values
by c.
"""

import numpy as np

from specsel import _input, _pencil, linalg
from specsel._pencil import tableau
from specsel.results import Path, Subset
from specsel.results.subsets import Found

__all__ = ["correlation_ranking", "renormalize", "simple_threshold", "solve", "solve_pair"]

# Backward elimination forms matrices of features x features, up to this many features; up to that
# many all sizes are found unless told otherwise, and else as many as samples.
BACKWARD_LIMIT = 10_000
ALL_SIZES_LIMIT = 2000

# Up to so many features values come from an eigen-solve of their own in the end, without the
# rounding of many updates.
SOLVED_FEATURES = 200

# The inverse is computed anew when its diagonal fell below this share of what it was.
REFRESH = 1e-2


def solve(
    X,
    y=None,
    *,
    direction="both",
    refine=True,
    max_size=None,
    shrinkage=None,
    always=(),
    never=(),
    matrix="covariance",
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
        O(n³) operations, as the rest does, but many more of them.
    max_size : int, optional
        Largest support. By default all sizes up to 2,000 features, and otherwise at most as many
        as there are samples.
    shrinkage : float, optional
        Added to the diagonal of the scatter within the classes. By default nothing, or, where that
        is rank deficient, a thousandth of its smallest eigenvalue that is not zero.
    always, never : list of int or str
        Features that every support holds, and that none may hold, by number or by column name.
    matrix : {"covariance", "correlation"}
        What sparse PCA is of.

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
    last = pencil.n_features if pencil.n_features <= ALL_SIZES_LIMIT else len(X)
    return _solve(pencil, direction, refine, max_size, last, always, never)


def solve_pair(A, B, *, direction="both", refine=True, max_size=None, always=(), never=()) -> Path:
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


def _solve(pencil, direction, refine, max_size, last, always, never):
    _input.check_choice("direction", direction, _input.choices.DIRECTIONS)
    _input.check_flag("refine", refine)
    always, never = _input.check_sets(always, never, pencil.n_features, pencil.names)
    count = pencil.n_features - len(never)
    first = max(len(always), 1)
    if max_size is not None:
        _input.check_integer("max_size", max_size, first, count, "the features allowed")
    last = min(last if max_size is None else max_size, count)
    sizes = range(first, max(first, last) + 1)
    if direction != "forward" and count > BACKWARD_LIMIT:
        raise ValueError(
            f"direction = {direction!r}: would form a matrix of {count} x {count} numbers; "
            f"take 'forward' for more than {BACKWARD_LIMIT} features"
        )
    path = search(pencil, sizes, direction, sizes if refine else (), always, never)
    return Path(pencil, [_found(pencil, k, *path[k]) for k in sizes])


def _found(pencil, size, value, support):
    if pencil.n_features <= SOLVED_FEATURES:
        value = pencil.solve(support)[0]
    return Found(size, support, value, value)


def search(pencil, sizes, direction, refined, always, never) -> dict:
    """Value and support of the best one found of every size, the `refined` ones after swaps."""
    allowed = np.ones(pencil.n_features, dtype=bool)
    allowed[never] = False
    path = {size: (-np.inf, None) for size in sizes}
    if direction != "backward":
        _keep_better(path, _forward(pencil, max(sizes), always, allowed), pencil.shift)
    if direction != "forward":
        _keep_better(path, _backward(pencil, min(sizes), always, allowed), pencil.shift)
    if len(refined):
        _refine(pencil, path, refined, always, allowed)
    return path


def _keep_better(path, supports, shift):
    for value, support in supports:
        if len(support) in path and value - shift > path[len(support)][0]:
            path[len(support)] = value - shift, np.sort(support)


def _forward(pencil, last, always, allowed):
    """Yield the value and the support of every size, a feature more each time."""
    rows = np.empty((last, pencil.n_features))
    allowed, gains, rest = allowed.copy(), pencil.factor.copy(), pencil.diagonal
    floor = tableau.NOTHING_LEFT * rest
    inner, chosen = np.zeros((gains.shape[1],) * 2), []
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


def _backward(pencil, first, always, allowed):
    """Yield the value and the support of every size, a feature fewer each time."""
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


def _inverse(pencil, members):
    """``B_S⁻¹``, ``B_S⁻¹ U_S`` and ``H``."""
    factor = pencil.factor[members]
    inverse = linalg.inverse(pencil.block_of_b(members))
    weights = inverse @ factor
    return inverse, weights, factor.T @ weights


def _refine(pencil, path, sizes, always, allowed):
    """Swap at every size, from the best support known, or the last one and one feature more."""
    state = tableau.Tableau(pencil, always, allowed, max(sizes))
    for size in sizes:
        value, support = path[size]
        j, raised = state.best_addition()
        follows = len(state.members) == size - 1 >= len(always)
        if follows and raised - pencil.shift > value:
            state.add(j)
        else:
            state.move_to(support)
        state.swap()
        if state.value - pencil.shift > value:
            path[size] = state.value - pencil.shift, np.sort(state.members)


def renormalize(x, A, B) -> Subset:
    """Replace the entries of a sparse vector by those of the eigenvector of its support (Prop. 2).

    Parameters
    ----------
    x : array of shape (n_features,)
        Any vector; where it is zero decides.
    A, B : array of shape (n_features, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import gslda
    >>> gslda.renormalize([1, 1, 0], np.diag([2.0, 1.0, 3.0]), np.eye(3)).direction.tolist()
    [1.0, 0.0, 0.0]
    """
    pencil = _pencil.from_pair(A, B)
    x = np.asarray(x)
    if x.shape != (pencil.n_features,) or x.dtype.kind not in "biuf":
        raise ValueError(f"x: has shape {x.shape}; a vector of {pencil.n_features} is needed")
    if not np.isfinite(x).all() or not x.any():
        raise ValueError("x: must be finite and have an entry that is not zero")
    return _subset(pencil, np.flatnonzero(x))


def simple_threshold(A, B, k) -> Subset:
    """Take the k largest entries, by modulus, of the leading eigenvector of ``B^(-½) A B^(-½)``.

    Parameters
    ----------
    A, B : array of shape (n_features, n_features)
        Symmetric; B positive definite.
    k : int

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import gslda
    >>> gslda.simple_threshold(np.outer([3, 2, 1], [3, 2, 1]), np.eye(3), 2).support.tolist()
    [0, 1]
    """
    pencil = _pencil.from_pair(A, B)
    _input.check_integer("k", k, 1, pencil.n_features, "the number of features")
    A, B = pencil.matrices
    values, axes = np.linalg.eigh(B)
    root = axes / np.sqrt(values) @ axes.T
    leading = np.linalg.eigh(root @ A @ root)[1][:, -1]
    return _subset(pencil, np.sort(np.argsort(-np.abs(leading), kind="stable")[:k]))


def _subset(pencil, support):
    value, direction = pencil.solve(support)
    return Subset(support, value, np.inf, direction, "greedy", 0, 0.0)


def correlation_ranking(X, y) -> np.ndarray:
    """Features by the modulus of their correlation with the labels of two classes, best first.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)

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
