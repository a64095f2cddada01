"""Safe feature elimination: sparse PCA of many features, one size after the other.

Sparse PCA means B = I. Suppose some support of k features is worth t, and no support of k - 1
features is worth more than c < t. Let S be a support of k features that is worth more than t, and
i one of its features. The rest of S is worth at most c, so over that rest ``M = t I - A`` is at
least ``(t - c) I``. M has a negative eigenvalue over S, hence its Schur complement at i is
negative, and

    ``Σ of the k - 1 largest A_ij², j ≠ i,  >  (t - A_ii) (t - c).``

A feature for which this is false can go. The sums then run over what is left, so that more
features may go, and so on until all stay. A bound c for k - 1 features comes from solving that
size in the same way, so all smaller sizes are solved first. Only the features that survive are
searched by the trees. If too many survive, the size stays open, with a bound that follows from
that of one feature less; the sizes after it then hardly eliminate any, and stay open too. The rule
asks nothing of A; the bound of a size that was not solved needs ``A ⪰ 0``.

In finite precision an elimination must not drop a tie. So t is just below the value that is
reached, and c just above the bound of one feature less, each by what the trees take for rounding.

Where all features are alike, as in iid noise, a further one adds next to nothing, so t - c is tiny
against the squares, and everything survives.

Searches start from truncated power iteration (Yuan and Zhang 2013, JMLR 14): multiply a sparse
vector by A, keep its k largest entries, and repeat. It begins with the rows of the most
promising features, all at once, and over these features alone. One more start grows from the best
support of one feature less.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numba import prange

from specsel import linalg
from specsel._exact.search import (
    OPEN,
    TIE,
    Limits,
    SearchTask,
    search_in_turn,
    search_size,
    slack,
)
from specsel._pencil import Pencil
from specsel._runtime import jit
from specsel._validate import Floats, Integers
from specsel.results.subsets import SizeRow

# What rounding may take from the inequality, as a share of t². A margin relative to its right-hand
# side would be none where t - c is tiny.
MARGIN = 1e-14

# Entries of A that are computed at a time: a block of rows.
BLOCK_ENTRIES = 2**22

# The largest squares that are kept of every row. For more, the last one stands for all further.
SQUARES = 64

# Another round over many survivors is worth it if the last one eliminated this share of them.
WORTHWHILE = 0.02

# Up to so many survivors a round costs nothing, and rounds go on until all stay.
FEW = 1000

# Power iteration: how many features are tried, and with how many of them it begins; how often it
# multiplies by A; and of how many of the final vectors the supports are solved for.
POOL = 1000
STARTS = 150
STEPS = 10
SOLVED = 5

# Returns whether to stop now.
Stop = Callable[[], bool]


def search_components(
    pencil: Pencil,
    members: Integers,
    always: Integers,
    sizes: Sequence[int],
    limits: Limits,
    features_limit: int,
) -> tuple[list[SizeRow], int]:
    """Find the best supports of several sizes among the members.

    A size of which more than `features_limit` features survive stays open. Also return how many
    survive at the size searched last.
    """
    work = Elimination(pencil, members, always, sizes[-1], limits, features_limit)
    rows = search_in_turn(range(max(len(always), 1), sizes[-1] + 1), limits, work.search)
    return [rows[k] for k in sizes], work.n_left


class Elimination:
    """What the sizes have in common: the pencil (A, I), and the largest squares of its rows.

    Attributes
    ----------
    n_left : int
        How many features survived at the size searched last.
    """

    def __init__(
        self,
        pencil: Pencil,
        members: Integers,
        always: Integers,
        last: int,
        limits: Limits,
        features_limit: int,
    ) -> None:
        self._pencil, self._members, self._always = pencil, members, always
        self._last, self._limits, self._features_limit = last, limits, features_limit
        self._diagonal = np.einsum("ij,ij->i", pencil.factor, pencil.factor)
        self._largest = float(self._diagonal[members].max())
        self._squares = largest_squares(pencil.block_of_a, members, last - 1, limits.reached)
        scores = self._diagonal[members]
        if self._squares is not None:
            scores = scores + np.sqrt(self._squares).sum(axis=1)
        promising = members[np.argsort(-scores, kind="stable")[:POOL]]
        self._pool = np.union1d(promising, always)
        self._rows = pencil.factor[promising[:STARTS]] @ pencil.factor[self._pool].T
        self.n_left = len(members)

    def search(self, k: int, rows: dict[int, SizeRow], seconds: float) -> SizeRow:
        """Search for supports of k features for so many seconds; one feature less is done."""
        row = rows[k]._replace(nodes=0, seconds=0.0) if k in rows else self._begin(k, rows)
        if row.status in OPEN and not self._halted and seconds > 0:
            row = self._search(row, rows[k - 1], seconds)
        return row

    @property
    def _halted(self) -> str:
        """Why nothing is searched any more: "interrupted", "time" or nothing."""
        if self._limits.caught:
            return "interrupted"
        return "time" if self._squares is None or self._limits.reached() else ""

    def _begin(self, k: int, rows: dict[int, SizeRow]) -> SizeRow:
        """Return a start, with the bound that follows from one feature less."""
        pencil, below = self._pencil, rows.get(k - 1)
        if below is None:  # the features of every support, or the one of the largest variance
            support = self._always
            if len(support) < k:
                variances = self._diagonal[self._members]
                support = self._members[variances >= self._largest - self._slack(self._largest)][
                    :1
                ]
            value = pencil.solve(support)[0]
            return SizeRow(k, support, value, value, value, "optimal")
        starts = [self._grown(below.support)]
        if not self._halted and len(self._pool) >= k > len(self._always):
            starts += self._powers(k)
        parts = (pencil.factor[support] for support in starts)
        support = starts[np.argmax([linalg.eigen(part @ part.T)[0][-1] for part in parts])]
        value = pencil.solve(support)[0]
        bound = max(self._ceiling(k, below), value)
        return SizeRow(k, support, value, value, bound, self._halted or "time")

    def _search(self, row: SizeRow, below: SizeRow, seconds: float) -> SizeRow:
        """Search what elimination leaves."""
        limits, pencil, k, began = self._limits, self._pencil, row.size, self._limits.clock()
        assert self._squares is not None  # or the search had been halted
        left = survivors(
            pencil.block_of_a,
            self._diagonal,
            self._members,
            self._squares,
            k,
            row.value + pencil.shift - 2 * self._slack(row.value),
            below.bound + pencil.shift + self._slack(below.bound),
            np.union1d(row.support, self._always),
            limits.reached,
        )
        self.n_left = len(left)
        bound = min(row.bound, max(self._ceiling(k, below), row.value))
        if self._halted or len(left) > self._features_limit:
            return row._replace(bound=bound, status=self._halted or "features")
        task = SearchTask(*pencil.block(left), always=np.searchsorted(left, self._always))
        gap = limits.gap if k == self._last else 0.0
        rest = max(seconds - (limits.clock() - began), 0.0)
        result = search_size(pencil, task, left, k, row.support, limits, rest, gap)
        if result.status != "optimal":
            result = result._replace(bound=max(min(bound, result.bound), result.value))
        return result._replace(start=row.start, seconds=limits.clock() - began)

    def _ceiling(self, k: int, below: SizeRow) -> float:
        """Bound the values of k features by the bound of one feature less."""
        shift = self._pencil.shift
        c = below.bound + shift + self._slack(below.bound)
        return ceiling(c, k - len(self._always), self._largest) - shift

    def _slack(self, value: float) -> float:
        return slack(value, TIE, len(self._members), self._largest)

    def _grown(self, support: Integers) -> Integers:
        """Add the feature that, with the component of a support, explains most."""
        part, factor = self._pencil.factor[support], self._pencil.factor[self._members]
        values, vectors = linalg.eigen(part @ part.T)
        half = (values[-1] - self._diagonal[self._members]) / 2
        raised = np.hypot(half, factor @ (vectors[:, -1] @ part)) - half
        raised[np.isin(self._members, support)] = -np.inf
        return np.union1d(support, self._members[np.argmax(raised)])

    def _powers(self, k: int) -> list[Integers]:
        """Return the supports of k features that truncated power iteration ends on."""
        factor, vectors = self._pencil.factor[self._pool], self._rows
        always = np.isin(self._pool, self._always)
        for _ in range(STEPS):
            sizes = np.where(always, np.inf, np.abs(vectors))
            columns = np.argpartition(-sizes, k - 1, axis=1)[:, :k]
            entries = np.take_along_axis(vectors, columns, 1)
            entries = entries / np.maximum(np.linalg.norm(entries, axis=1), 1e-150)[:, None]
            images = np.matmul(entries[:, None, :], factor[columns])[:, 0]
            vectors = images @ factor.T
        order = np.argsort(-np.linalg.norm(images, axis=1), kind="stable")[:SOLVED]
        return [self._pool[np.sort(columns[i])] for i in order]


def survivors(
    block_of_a: Callable[[Integers, Integers], Floats],
    diagonal: Floats,
    members: Integers,
    squares: Floats,
    k: int,
    t: float,
    c: float,
    needed: Integers,
    stop: Stop,
) -> Integers:
    """Return the members that a support of k of them worth more than t may hold, ascending.

    No support of k - 1 features is worth more than c, and `needed` features stay anyway.
    `block_of_a` returns some rows and columns of A, `squares` are the `largest_squares` of the
    members. A multiple of the identity may have been added to A, if it was added to t and c too.
    """
    left, before = members, members
    while c < t:
        sums = sums_of(squares, k - 1)
        stays = sums >= (t - diagonal[left]) * (t - c) - MARGIN * t * t
        left, before = left[stays | np.isin(left, needed)], left
        if len(left) == len(before):
            break
        if len(left) > FEW and len(left) > (1 - WORTHWHILE) * len(before):
            break
        among = largest_squares(block_of_a, left, k - 1, stop)
        if among is None:
            break
        squares = among
    return left


def sums_of(squares: Floats, count: int) -> Floats:
    """Add up the `count` largest squares of every row, or bound that sum if fewer are kept."""
    sums: Floats = squares[:, :count].sum(axis=1)
    if SQUARES == squares.shape[1] < count:
        sums = sums + (count - SQUARES) * squares[:, -1]
    return sums


def ceiling(c: float, free: int, largest: float) -> float:
    """Bound the values of k features by a bound c of those of k - 1, if ``A = F Fᵀ``.

    `free` of the k features may be left out, and `largest` is the largest diagonal entry of A. The
    value of S is ``Σ (f_i · u)²`` for some unit vector u. Leave out each of its free features in
    turn: on average the sum falls to ``(free - 1) / free`` of itself, or less. And the feature
    left out adds no more than its diagonal entry.
    """
    return min(c + largest, c * free / (free - 1) if free > 1 else np.inf)


def largest_squares(
    block_of_a: Callable[[Integers, Integers], Floats], members: Integers, count: int, stop: Stop
) -> Floats | None:
    """Return for every member the largest squares ``A_ij²`` among the other members, descending.

    This takes O(n²) entries of A for n members, a block at a time. Return None if it has to stop.
    """
    squares = np.zeros((len(members), max(min(count, SQUARES, len(members) - 1), 0)))
    if squares.shape[1] == 0:
        return squares
    step = max(BLOCK_ENTRIES // len(members), 1)
    for first in range(0, len(members), step):
        if stop():
            return None
        rows = slice(first, first + step)
        _largest_squares(block_of_a(members[rows], members), first, squares[rows])
    return squares


@jit(parallel=True)
def _largest_squares(block, first, out):
    """Insert the squares of every row into a row of `out`, but for the diagonal entry of A."""
    last = out.shape[1] - 1
    for i in prange(len(block)):
        for j in range(block.shape[1]):
            square = block[i, j] * block[i, j]
            if square <= out[i, last] or j == first + i:
                continue
            position = last
            while position > 0 and out[i, position - 1] < square:
                out[i, position] = out[i, position - 1]
                position -= 1
            out[i, position] = square
