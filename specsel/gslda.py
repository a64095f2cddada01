"""Greedy sparse LDA and sparse PCA (Moghaddam, Weiss and Avidan, ICML 2006, Sec. 2.3).

Find supports S of every size with a large value. What a support is worth follows from the
eigenvalues λ of the pair (A_S, B_S): the largest of them, or all of them by one of the criteria of
Sec. 4, their sum (trace) or ``Σ log(1 + λ)`` (log-det). Forward selection adds the feature that
raises the value most, backward elimination removes the one that lowers it least, and the better of
the two is taken at every size. With ``B = I`` this is sparse PCA. `renormalize` is Proposition 2:
the entries of a sparse vector are replaced by the eigenvector of its support.

With more than two classes there are several discriminants. The largest eigenvalue, and often the
sum, takes features that all separate the same classes; log-det gains more from another
discriminant than from a better first one. Accuracy of LDA on the features found by each criterion,
cross-validated, with their number (at most 15) chosen on the training samples:

========= ====== ====== ====== ====== ====== =========== ============
          wine   iris   digits glass  ecoli  dermatology segmentation
leading   98.3 % 96.7 % 85.3 % 64.3 % 88.2 % 88.7 %      91.6 %
trace     98.6 % 96.7 % 90.1 % 64.3 % 88.5 % 92.7 %      91.6 %
log-det   98.6 % 96.7 % 90.8 % 63.8 % 87.6 % 96.5 %      91.5 %
========= ====== ====== ====== ====== ====== =========== ============

With ``A = U Uᵀ`` of rank r, the eigenvalues over a support S are those of ``H = U_Sᵀ B_S⁻¹ U_S``,
an r x r matrix whatever the size of S. To add feature j adds ``g gᵀ/s`` to H, where g and s are
what the support does not explain of ``U_j`` and ``B_jj``. To remove feature i subtracts
``w wᵀ/p``, where w is its row of ``B_S⁻¹ U_S`` and p its diagonal entry of ``B_S⁻¹``. So every
candidate costs O(r²). Forward selection reads one row of B a step, which for data takes one pass.
Backward elimination keeps the inverse of B.

Departures. Refinement swaps a feature of the support for another one, at every size, as long as
that helps. Where A has negative eigenvalues, ``A + c B`` takes its place, which shifts all values
by c.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from time import perf_counter
from typing import Any, Unpack, overload

import numpy as np
from numba import get_num_threads, prange
from numba.core.event import TimingListener, install_listener

from specsel import _pencil, _runtime, _validate, linalg
from specsel._pencil import Pencil
from specsel._runtime import jit
from specsel._validate import (
    WORTHS,
    ArrayLike,
    Bools,
    Direction,
    Floats,
    Integers,
    Names,
    PCAMatrix,
    Worth,
)
from specsel.results import Path, Subset
from specsel.results.subsets import SizeRow

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

# Backward elimination takes this many features at most, and stores this many matrices of
# features x features at once.
BACKWARD_LIMIT, BACKWARD_MATRICES = 10_000, 2

# The inverse is computed anew when its largest diagonal entry has fallen below this share of what
# it was, for it has then lost digits.
REFRESH = 1e-2

# From so many features on, B is inverted in blocks of this size: a single call would not stop for
# seconds.
BLOCKS_FROM, BLOCK = 1000, 256

# From so many entries on, several threads update a matrix sooner than one does.
PARALLEL_SIZE = 10**5

# From so many multiplications on, several threads look for a swap, each for so many members.
PARALLEL_WORK, ROWS = 2 * 10**5, 4

# A change must raise the value by this share, or rounding would decide.
GAIN = 1e-11

# If a support leaves less than this share of a feature unexplained, what is left is rounding.
NOTHING_LEFT = 1e-13

# A support is built up anew when ``B_S⁻¹ U_S`` solves its equation with a larger relative error.
DRIFT = 1e-9

# The criteria as kernels know them: places in `WORTHS`.
LEADING, TRACE = WORTHS.index("leading"), WORTHS.index("trace")

# Halvings of an interval that holds an eigenvalue, down to rounding.
BISECTIONS = 60

# Replaces a distance of zero between a target and an eigenvalue.
APART = 1e-150

# Sizes with the value and the support of the best one found.
Best = dict[int, tuple[float, Integers]]

# What `search` takes: sizes, direction, sizes at which to swap, the features of all supports, and
# those allowed.
Plan = tuple[range, Direction, Sequence[int], Integers, Integers]

# Returns whether to stop now.
Stop = Callable[[], bool]


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
        Added to the diagonal of B, the scatter of the standardised features within the classes
        over the number of samples. By default 0, or, if that scatter is rank deficient, a
        thousandth of its smallest eigenvalue that is not zero.
    always, never : list of int or str
        Features that every support must hold, and features that none may hold, by number or by
        column name.
    matrix : {"covariance", "correlation"}
        The matrix whose principal components are sought, without y.
    criterion : {"leading", "trace", "logdet"}, optional
        What a support is worth: the largest of the eigenvalues λ of its pencil, the sum of all, or
        ``Σ log(1 + λ)``. By default "logdet" for more than two classes, which classifies best
        (see the docstring of the module), and otherwise "leading"; the result says which.
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
        _validate.check_number("time_limit", time_limit, 0)
    data = _pencil.read(X, y, shrinkage=shrinkage, matrix=matrix, criterion=criterion)
    n_samples, n = data.array.shape
    last = n if n <= ALL_SIZES_LIMIT else n_samples
    plan = _plan(n, data.names, direction, refine, max_size, last, always, never, [data.need])
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
        _validate.check_number("time_limit", time_limit, 0)
    pencil = _pencil.from_pair(A, B, criterion)
    n = pencil.n_features
    plan = _plan(n, pencil.names, direction, refine, max_size, n, always, never)
    return _solve(pencil, plan, time_limit)


def _plan(
    n_features: int,
    names: Names,
    direction: Direction,
    refine: bool,
    max_size: int | None,
    last: int,
    always: Iterable[int | str],
    never: Iterable[int | str],
    needs: Sequence[_runtime.Need] = (),
) -> Plan:
    """Check the options, and that the search fits in memory together with `needs`.

    `last` is the largest size by default.
    """
    _validate.check_choice("direction", direction, _validate.Direction)
    _validate.check_flag("refine", refine)
    always, never = _validate.check_sets(always, never, n_features, names)
    members = np.setdiff1d(np.arange(n_features), never)
    count, first = len(members), max(len(always), 1)
    if max_size is not None:
        last = _validate.check_integer("max_size", max_size, first, count, "the features allowed")
    last = max(first, min(last, count))
    tables = 1 + refine
    search = _runtime.Need(
        8 * tables * last * n_features,
        f"max_size = {max_size}: {tables} table{'s' * refine} of {last} x {n_features} features",
        "give max_size" if max_size is None else "take a smaller one",
    )
    needs = [*needs, search]
    if direction != "forward":
        if count > BACKWARD_LIMIT:
            raise ValueError(
                f"direction = {direction!r}: would form a matrix of {count} x {count} numbers; "
                f"take 'forward' for more than {BACKWARD_LIMIT} features"
            )
        what = f"direction = {direction!r}: matrices of {count} x {count} features"
        needs.append(_runtime.Need(8 * BACKWARD_MATRICES * count**2, what, "take 'forward'"))
    _runtime.check_together(needs)
    sizes = range(first, last + 1)
    return sizes, direction, sizes if refine else (), always, members


def check_sizes(k: object, least: int, most: int, limit: str) -> list[int]:
    """Return one or several numbers of features, checked, without repetition and ascending."""
    sizes: list[Any] = list(k) if _validate.is_list(k) else [k]
    if not sizes:
        raise ValueError("k: holds no size; at least one is needed")
    return sorted({_validate.check_integer("k", size, least, most, limit) for size in sizes})


def _solve(pencil: Pencil, plan: Plan, time_limit: float | None) -> Path:
    """Return the supports of all sizes that were reached in time."""
    status, (sizes, *_, always, members) = "greedy", plan

    def stop() -> bool:
        nonlocal status
        if caught:
            status = "interrupted"
        elif time_limit is not None and clock() >= time_limit:
            status = "time"
        return status != "greedy"

    with _runtime.catch_interrupts() as caught, stopwatch() as clock:
        best = search(pencil, *plan, stop)
    best = best or filled(pencil, {}, sizes[:1], always, members)
    rows = [_row(pencil, *best[k], status) for k in sorted(best)]
    return Path.from_rows(pencil, rows, clock.compiling)


class Stopwatch(TimingListener):
    """Seconds of work: they stand still while numba compiles, or loads what it compiled."""

    def __init__(self) -> None:
        super().__init__()
        self._began = perf_counter()

    def __call__(self) -> float:
        return perf_counter() - self._began - self.compiling

    @property
    def compiling(self) -> float:
        """Seconds that compiling and loading took."""
        return float(self.duration) if self.done else 0.0


def stopwatch() -> AbstractContextManager[Stopwatch]:
    """Start a stopwatch; inside it takes note of what numba compiles in any thread."""
    watch: AbstractContextManager[Stopwatch] = install_listener("numba:compiler_lock", Stopwatch())
    return watch


def _row(pencil: Pencil, value: float, support: Integers, status: str = "greedy") -> SizeRow:
    """Return the row of a support, with the bound of Eq. (8)."""
    if pencil.n_features <= SOLVED_FEATURES:
        value = pencil.solve(support)[0]
    bound = max(pencil.bounds(len(support))[1], value)
    return SizeRow(len(support), support, value, value, bound, status)


def search(
    pencil: Pencil,
    sizes: Sequence[int],
    direction: Direction,
    refined: Sequence[int],
    always: Integers,
    members: Integers,
    stop: Stop = lambda: False,
) -> Best:
    """Find a value and a support for every size, with swaps for the sizes in `refined`.

    Supports hold `always` and other `members`. If it has to stop, return the sizes that were
    reached; see `filled`.
    """
    best: Best = {}

    def supports() -> Iterator[tuple[float, Integers]]:
        if direction != "backward":
            yield from _forward(pencil, max(sizes), always, members, stop)
        if direction != "forward" and not stop():
            yield from _backward(pencil, min(sizes), always, members, stop)

    for value, support in supports():
        k, value = len(support), value - pencil.shift
        if k in sizes and (k not in best or value > best[k][0]):
            best[k] = value, np.sort(support)
    reached = [size for size in refined if size in best]
    if reached and not stop():
        _refine(pencil, best, reached, always, members, stop)
    return best


def filled(
    pencil: Pencil, best: Best, sizes: Sequence[int], always: Integers, members: Integers
) -> Best:
    """Return a support for each of some sizes, also for those that were not reached in time.

    Where there is none, the first members join the support of the size before.
    """
    complete, before = dict(best), always
    for size in sizes:
        if size not in complete:
            others = np.setdiff1d(members, before)
            support = np.union1d(before, others[: size - len(before)])
            complete[size] = pencil.solve(support)[0], support
        before = complete[size][1]
    return complete


def _forward(
    pencil: Pencil, last: int, always: Integers, members: Integers, stop: Stop
) -> Iterator[tuple[float, Integers]]:
    """Add one feature at a time, up to `last`; yield every value and support.

    The rows are those of the Cholesky factor of B, extended to all features.
    """
    rows = np.empty((last, pencil.n_features))
    gains, rest = pencil.factor.copy(), pencil.diagonal
    floor = NOTHING_LEFT * rest
    inner = np.zeros((gains.shape[1],) * 2)
    values, axes = linalg.eigen(inner)
    allowed = np.isin(np.arange(pencil.n_features), members)
    chosen: list[int] = []
    for step in range(last):
        if step < len(always):
            j = always[step]
        else:
            j, _ = best_addition(values, gains @ axes, rest, floor, allowed, pencil.criterion)
        chosen.append(j)
        allowed[j] = False
        root = np.sqrt(max(rest[j], floor[j]))
        row = (pencil.row(j) - rows[:step, j] @ rows[:step]) / root
        share = gains[j] / root
        rows[step] = row
        inner += np.outer(share, share)
        gains -= row[:, None] * share
        rest -= row**2
        values, axes = linalg.eigen(inner)
        if step + 1 >= len(always):
            yield linalg.worth(values, pencil.criterion), np.array(chosen)
            if stop():
                return


def _backward(
    pencil: Pencil, first: int, always: Integers, members: Integers, stop: Stop
) -> Iterator[tuple[float, Integers]]:
    """Remove one feature at a time, down to `first`; yield every value and support.

    The last member takes the place of the one removed, so that members, weights and inverse stay
    in the leading rows.
    """
    members, free = members.copy(), ~np.isin(members, always)
    inverse, highest = None, np.inf
    for size in range(len(members), first - 1, -1):
        if inverse is None or inverse.diagonal()[:size].max() < REFRESH * highest:
            inverse = _inverse(pencil, members[:size], stop)
            if inverse is None:
                return
            highest = inverse.diagonal().max()
            factor = pencil.factor[members[:size]]
            weights = inverse @ factor
            inner = factor.T @ weights
        values, axes = linalg.eigen(inner)
        yield linalg.worth(values, pencil.criterion), members[:size]
        if size == first or stop():
            return
        powers = inverse.diagonal()[:size].copy()
        i = best_deletion(values, weights[:size] @ axes, powers, free[:size], pencil.criterion)
        column, power, weight = inverse[i, :size].copy(), inverse[i, i], weights[i].copy()
        inner -= np.outer(weight, weight / power)
        weights[:size] -= np.outer(column / power, weight)
        rank_one(inverse[:size, :size], column / power, column)
        for array in (members, weights, free, inverse, inverse.T):
            array[i] = array[size - 1]


def _inverse(pencil: Pencil, members: Integers, stop: Stop) -> Floats | None:
    """Return ``B_S⁻¹``, or None if it has to stop."""
    if len(members) < BLOCKS_FROM:
        return linalg.inverse(pencil.block_of_b(members))
    inverse = np.empty((len(members), len(members)))
    for rows in _blocks(len(members)):
        if stop():
            return None
        inverse[rows] = pencil.within.cross(members[rows], members)
    inverse[np.diag_indices(len(members))] += pencil.ridge[members]
    return inverse if _invert_in_blocks(inverse, stop) else None


def _blocks(count: int) -> Iterator[slice]:
    """Yield the rows of every block."""
    return (slice(first, min(first + BLOCK, count)) for first in range(0, count, BLOCK))


def _invert_in_blocks(matrix: Floats, stop: Stop) -> bool:
    """Invert a positive definite matrix in place by sweeping it, block by block.

    Return whether it was done: if it has to stop, the matrix is left half inverted. To sweep a
    block P turns P into -P⁻¹, the rest R of its rows into P⁻¹ R, and the part of the matrix
    outside of its rows and columns into what P does not explain.
    """
    for pivots in _blocks(len(matrix)):
        inverse = linalg.inverse(matrix[pivots, pivots])
        panel = matrix[pivots].copy()
        share = inverse @ panel
        for rows in _blocks(len(matrix)):
            if stop():
                return False
            matrix[rows] -= panel[:, rows].T @ share
        matrix[pivots], matrix[:, pivots] = share, share.T
        matrix[pivots, pivots] = -inverse
    np.negative(matrix, out=matrix)
    return True


def _refine(
    pencil: Pencil,
    best: Best,
    sizes: Sequence[int],
    always: Integers,
    members: Integers,
    stop: Stop,
) -> None:
    """Swap at every size, starting from the better of two supports.

    One is the best support known of that size, the other the refined support of the size before
    with the best feature added.
    """
    state = Tableau(pencil, always, members, max(sizes))
    for size in sizes:
        if stop():
            return
        value, support = best[size]
        j, raised = state.best_addition()
        follows = len(state.members) == size - 1 >= len(always)
        if follows and raised - pencil.shift > value:
            state.add(j)
        else:
            state.move_to(support)
        state.swap(stop)
        if state.value - pencil.shift > value:
            best[size] = state.value - pencil.shift, np.sort(state.members)


class Tableau:
    """A support, and what adding, removing and swapping need to know of it, kept up to date.

    Attributes
    ----------
    members : list of int
        The support S.
    inverse, weights : ndarray
        ``B_S⁻¹`` and ``B_S⁻¹ U_S``.
    coefficients : ndarray
        ``B_S⁻¹ B_S,all``: how the members explain all features.
    rest, gains : ndarray
        What they leave unexplained of the diagonal of B, and of U.
    inner : ndarray
        H, whose eigenvalues give the value.
    """

    def __init__(self, pencil: Pencil, always: Integers, allowed: Integers, size: int) -> None:
        """Start from no feature; supports hold at most `size` of those allowed."""
        self.pencil, self.always = pencil, always
        self.allowed = np.isin(np.arange(pencil.n_features), allowed)
        self._all_coefficients = np.empty((size + 1, pencil.n_features))
        self._all_inverse = np.empty((size + 1, size + 1))
        self._all_weights = np.empty((size + 1, pencil.factor.shape[1]))
        self.diagonal = pencil.diagonal
        self.floor = NOTHING_LEFT * self.diagonal
        self._clear()

    def _clear(self) -> None:
        """Start again from no feature."""
        self.rest, self.gains = self.diagonal.copy(), self.pencil.factor.copy()
        self.inner = np.zeros((self.gains.shape[1],) * 2)
        self._set_members([])

    def _set_members(self, members: list[int]) -> None:
        self.members, size = members, len(members)
        self.coefficients, self.weights = self._all_coefficients[:size], self._all_weights[:size]
        self.inverse = self._all_inverse[:size, :size]

    @property
    def value(self) -> float:
        """The value of the support, with the shift of the pencil."""
        return linalg.worth(linalg.eigen(self.inner)[0], self.pencil.criterion)

    @property
    def _open(self) -> Bools:
        """Mask of the features that may be added."""
        outside = self.allowed.copy()
        outside[self.members] = False
        return outside

    def best_addition(self) -> tuple[int, float]:
        """Return the feature whose addition raises the value most, and the value then."""
        values, axes = linalg.eigen(self.inner)
        gains, criterion = self.gains @ axes, self.pencil.criterion
        return best_addition(values, gains, self.rest, self.floor, self._open, criterion)

    def add(self, j: int) -> None:
        """Add feature j."""
        size = len(self.members)
        row = self.pencil.row(j)
        row -= row[self.members] @ self.coefficients
        left = max(self.rest[j], self.floor[j])
        column, gain = self.coefficients[:, j].copy(), self.gains[j].copy()
        rank_one(self.coefficients, column / left, row)
        rank_one(self.inverse, column / left, -column)
        self.weights -= np.outer(column / left, gain)
        self._all_inverse[size, :size] = self._all_inverse[:size, size] = -column / left
        self._all_inverse[size, size] = 1 / left
        self._all_coefficients[size], self._all_weights[size] = row / left, gain / left
        self.inner += np.outer(gain, gain / left)
        self.gains -= row[:, None] * (gain / left)
        self.rest -= row**2 / left
        self._set_members([*self.members, j])

    def remove(self, j: int) -> None:
        """Remove feature j; the last member takes its place."""
        i, last = self.members.index(j), len(self.members) - 1
        row, column = self.coefficients[i].copy(), self.inverse[i].copy()
        weight, power = self.weights[i].copy(), self.inverse[i, i]
        self.inner -= np.outer(weight, weight / power)
        self.gains += row[:, None] * (weight / power)
        self.rest += row**2 / power
        rank_one(self.coefficients, column / power, row)
        rank_one(self.inverse, column / power, column)
        self.weights -= np.outer(column / power, weight)
        for array in (self.members, self.coefficients, self.weights, self.inverse, self.inverse.T):
            array[i] = array[last]
        self._set_members(self.members[:last])

    def move_to(self, support: Integers) -> None:
        """Go to another support by the fewest changes, and start again if rounding has grown."""
        wanted, known = {*support.tolist()}, {*self.members}
        if len(wanted ^ known) > len(wanted):
            self._clear()
            known = set()
        for j in sorted(known - wanted):
            self.remove(j)
        for j in sorted(wanted - known):
            self.add(j)
        if self._drift() > DRIFT:
            self._clear()
            for j in sorted(wanted):
                self.add(j)

    def _drift(self) -> float:
        """Measure the relative error of `weights` as the solution of ``B_S weights = U_S``."""
        factor = self.pencil.factor[self.members]
        error = self.pencil.times_b(self.members, self.weights) - factor
        return float(np.abs(error).max() / (np.abs(factor).max() or 1.0))

    def swap(self, stop: Stop) -> None:
        """Swap one member for another feature, the best pair each time, as long as that helps."""
        while not stop():
            values, axes = linalg.eigen(self.inner)
            before = linalg.worth(values, self.pencil.criterion)
            out = self._best_swaps(values, axes, before)
            i = np.argmax(out[:, 1])
            if out[i, 0] < 0:
                return
            member, other = self.members[i], int(out[i, 0])
            self.remove(member)
            self.add(other)
            if self.value <= before * (1 + GAIN / 2):  # only rounding
                self.remove(other)
                self.add(member)
                return

    def _best_swaps(self, values: Floats, axes: Floats, before: float) -> Floats:
        """Return for every member the best feature to take its place, or -1, and the value."""
        criterion, out = (
            WORTHS.index(self.pencil.criterion),
            np.tile((-1.0, before), (len(self.members), 1)),
        )
        weights, gains, allowed = self.weights @ axes, self.gains @ axes, self._open
        powers, free = self.inverse.diagonal().copy(), ~np.isin(self.members, self.always)

        def find(rows: slice) -> None:
            best_changes(
                values, weights[rows], powers[rows], self.coefficients[rows], gains, self.rest,
                self.floor, free[rows], allowed, before, False, criterion, out[rows],
            )  # fmt: skip

        count = len(out)
        if _runtime.is_serial() or count * gains.size < PARALLEL_WORK:
            find(slice(count))
            return out
        with ThreadPoolExecutor(get_num_threads()) as threads:
            list(threads.map(find, (slice(i, i + ROWS) for i in range(0, count, ROWS))))
        return out


def rank_one(matrix: Floats, left: Floats, right: Floats) -> None:
    """Subtract ``left rightᵀ`` from a matrix, in place."""
    if matrix.size < PARALLEL_SIZE:
        matrix -= np.outer(left, right)
    else:
        _rank_one(matrix, left, right)


@jit(parallel=True)
def _rank_one(matrix, left, right):
    for i in prange(len(left)):
        for j in range(len(right)):
            matrix[i, j] -= left[i] * right[j]


def best_addition(
    values: Floats, gains: Floats, rest: Floats, floor: Floats, allowed: Bools, criterion: Worth
) -> tuple[int, float]:
    """Return the feature that raises the value most, and that value.

    If none raises it, return the first that is allowed.
    """
    value = linalg.worth(values, criterion)
    out, nothing = np.array([[-1.0, value]]), np.zeros((1, len(values)))
    one, none, kind = np.ones(1), np.zeros((1, len(rest))), WORTHS.index(criterion)
    best_changes(
        values, nothing, one, none, gains, rest, floor, one > 0, allowed, value, False, kind, out
    )
    return int(out[0, 0] if out[0, 0] >= 0 else allowed.argmax()), float(out[0, 1])


def best_deletion(
    values: Floats, weights: Floats, powers: Floats, free: Bools, criterion: Worth
) -> int:
    """Return which of the members lowers the value least."""
    value = linalg.worth(values, criterion)
    out, nothing = np.array([[-1.0, -GAIN * abs(value)]]), np.zeros((1, len(values)))
    one, none, kind = np.ones(1), np.zeros((1, len(powers))), WORTHS.index(criterion)
    best_changes(
        values, nothing, one, none, weights, powers, none[0], one > 0, free, value, True, kind, out
    )
    return int(out[0, 0] if out[0, 0] >= 0 else free.argmax())


@jit
def best_changes(
    values, weights, powers, coefficients, gains, rest, floor, free, allowed, before, removes,
    criterion, out,
):  # fmt: skip
    """Find for every free member the best feature to take its place, and the value then.

    `powers` are the diagonal of ``B_S⁻¹``, and `before` is what the eigenvalues are worth. Row i
    of `out` gets the feature and the value if that exceeds the value there. Without a member a
    feature is added. With `removes` the features are those to remove, not those to add.
    """
    member, other = np.empty(len(values)), np.empty(len(values))
    lowered, raised = (other, member) if removes else (member, other)
    for i in range(len(weights)):
        if not free[i]:
            continue
        for r in range(len(values)):
            member[r] = weights[i, r] / np.sqrt(powers[i])
        for j in range(len(rest)):
            share = coefficients[i, j] / powers[i]
            left = rest[j] + share * coefficients[i, j]
            if not allowed[j] or left <= floor[j]:
                continue
            for r in range(len(values)):
                other[r] = (gains[j, r] + share * weights[i, r]) / np.sqrt(left)
            target = out[i, 1] + GAIN * abs(out[i, 1])
            value = improved(target, before, values, lowered, raised, criterion)
            if value > target:
                out[i, 0], out[i, 1] = j, value


@jit(inline=True)
def improved(target, before, values, lowered, raised, criterion):
    """Return what ``diag(values) - lowered loweredᵀ + raised raisedᵀ`` is worth.

    If that does not exceed the target, return minus infinity. `before` is what the values are
    worth.
    """
    if criterion == LEADING:
        return largest(target, values, lowered, raised)
    value = before
    if criterion == TRACE:
        for i in range(len(values)):
            value += raised[i] * raised[i] - lowered[i] * lowered[i]
    else:
        value += _gain(values, lowered, raised)
    return value if value > target else -np.inf


@jit(inline=True)
def _gain(values, lowered, raised):
    """Return by how much a change raises ``log det(I + H)``, by the determinant lemma."""
    less, more, both = 1.0, 1.0, 0.0
    for i in range(len(values)):
        share = 1.0 / (1.0 + max(values[i], 0.0))
        less -= share * lowered[i] * lowered[i]
        more += share * raised[i] * raised[i]
        both += share * lowered[i] * raised[i]
    determinant = less * more + both * both
    return np.log(determinant) if determinant > 0 else -np.inf


@jit(inline=True)
def largest(target, values, lowered, raised):
    """Return the largest eigenvalue of the same matrix, or minus infinity below the target."""
    low = high = values[-1]
    for i in range(len(values)):
        high += raised[i] * raised[i]
    middle = target
    for step in range(BISECTIONS + 1):
        if exceeds(middle, values, lowered, raised):
            low = middle
        elif step == 0:
            return -np.inf
        else:
            high = middle
        middle = 0.5 * (low + high)
    return low


@jit(inline=True)
def exceeds(target, values, lowered, raised):
    """Return whether an eigenvalue exceeds the target after a change of ``diag(values)``.

    Border ``target - diag(values)`` by both vectors. The signs of its diagonal, and those of the
    2 x 2 Schur complement of the border, count the eigenvalues above the target (inertia adds up).
    The eigenvalue nearest to the target is kept out of the sums: its term would drown the others,
    while in the determinant its square cancels.
    """
    near, above = 0, 0
    for i in range(len(values)):
        if abs(target - values[i]) < abs(target - values[near]):
            near = i
    a, b, c = 1.0, 0.0, -1.0
    for i in range(len(values)):
        distance = target - values[i] or APART
        above += distance < 0
        if i != near:
            a += lowered[i] * lowered[i] / distance
            b += lowered[i] * raised[i] / distance
            c += raised[i] * raised[i] / distance
    low, high, distance = lowered[near], raised[near], target - values[near] or APART
    determinant = (a * c - b * b) * distance + a * high * high + c * low * low - 2 * b * low * high
    trace = (a + c) * distance + low * low + high * high
    if distance < 0:
        determinant, trace = -determinant, -trace
    if determinant < 0:
        return above >= 1
    return above + 2 * (trace > 0) >= 2


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
    return _path(pencil, [support])[len(support)]


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
    return _path(pencil, [support])[len(support)]


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


def _thresholded(pencil: Pencil, k: object) -> Path:
    """Take the largest entries of the leading eigenvector, for every size."""
    sizes = check_sizes(k, 1, pencil.n_features, "the number of features")
    order = np.argsort(-np.abs(pencil.leading_axis), kind="stable")
    return _path(pencil, [np.sort(order[:size]) for size in sizes])


def _path(pencil: Pencil, supports: list[Integers]) -> Path:
    """Return the path of supports that no search found."""
    return Path.from_rows(pencil, [_row(pencil, pencil.solve(S)[0], S) for S in supports])


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
