"""Sparse PCA of many features: sizes in turn, each searched over what the ladder leaves.

Every size takes its start from truncated power iteration, and from the best support of one feature
less. The bound of one feature less then eliminates features, see `ladder`. If few enough survive,
the trees search them. If not, the size stays open, with a bound that follows from that of one
feature less; the sizes after it then hardly eliminate any, and stay open too.

In finite precision an elimination must not drop a tie. So t is just below the value that is
reached, and c just above the bound of one feature less, each by what the trees take for rounding.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from specsel._exact import ladder
from specsel._exact.limits import Limits
from specsel._exact.one_size import best_supports
from specsel._exact.proofs import joined
from specsel._exact.starts import Starts
from specsel._validate import Floats, Integers
from specsel.results.subsets import Found

# A size whose search may go on if there is time left. More features may go once the sizes below
# are proved.
OPEN = ("time", "features")


class Components(Protocol):
    """What is asked of the pair (A, I)."""

    @property
    def factor(self) -> Floats:
        """F of ``A + shift I = F Fᵀ``."""

    @property
    def shift(self) -> float:
        """0 unless A has negative eigenvalues."""

    def block(self, support: Integers) -> tuple[Floats, Floats]:
        """Return A and I of some features."""

    def block_of_a(self, rows: Integers, columns: Integers) -> Floats:
        """Return some rows and columns of A."""

    def solve(self, support: Integers) -> tuple[float, Floats]:
        """Return the largest eigenvalue over a support, and its eigenvector."""


def climb(
    pencil: Components,
    candidates: Integers,
    sizes: Sequence[int],
    always: Integers,
    limits: Limits,
    features_limit: int,
) -> tuple[list[Found], int]:
    """Find the best supports of several sizes among the candidates.

    The first half of the time is divided among all sizes up to the largest, and what is left after
    that among those still open. A size of which more than `features_limit` features survive stays
    open. Also return how many survive at the largest size.
    """
    rungs = range(max(len(always), 1), sizes[-1] + 1)
    work = Climb(pencil, candidates, always, sizes[-1], limits, features_limit)
    for part in limits.passes(len(rungs)):
        left = [k for k in rungs if k not in work.found or work.found[k].status in OPEN]
        for i, k in enumerate(left):
            work.visit(k, limits.share(part, len(left) - i))
    return [work.found[k] for k in sizes], work.n_left


class Climb:
    """What is known of every size so far.

    Attributes
    ----------
    found : dict
        A `Found` for every size visited.
    n_left : int
        How many features survived at the size visited last.
    """

    def __init__(
        self,
        pencil: Components,
        candidates: Integers,
        always: Integers,
        last: int,
        limits: Limits,
        features_limit: int,
    ) -> None:
        self._pencil, self._candidates, self._always = pencil, candidates, always
        self._last, self._limits, self._features_limit = last, limits, features_limit
        self._diagonal = np.einsum("ij,ij->i", pencil.factor, pencil.factor)
        self._largest = float(self._diagonal[candidates].max())
        self._squares = ladder.largest_squares(pencil, candidates, last - 1, limits.reached)
        scores = self._diagonal[candidates]
        if self._squares is not None:
            scores = scores + np.sqrt(self._squares).sum(axis=1)
        self._starts = Starts(pencil.factor, candidates, scores, always)
        self.found: dict[int, Found] = {}
        self.n_left = len(candidates)

    def visit(self, k: int, seconds: float) -> None:
        """Search for supports of k features for so many seconds."""
        before = self.found.get(k)
        row = before._replace(nodes=0, seconds=0.0) if before else self._begin(k)
        if row.status in OPEN and not self._halted and seconds > 0:
            row = self._search(row, seconds)
        self.found[k] = joined(before, row) if before else row

    @property
    def _halted(self) -> str:
        """Why nothing is searched any more: "interrupted", "time" or nothing."""
        if self._limits.caught or any(row.status == "interrupted" for row in self.found.values()):
            return "interrupted"
        return "time" if self._squares is None or self._limits.reached() else ""

    def _begin(self, k: int) -> Found:
        """Return a start, with the bound that follows from one feature less."""
        below = self.found.get(k - 1)
        if below is None:
            return self._first(k)
        support = self._starts.grown(below.support)
        if not self._halted:
            support = self._starts.best(k, [support])
        value = self._pencil.solve(support)[0]
        bound = max(self._ceiling(k, below), value)
        return Found(k, support, value, value, bound, self._halted or "time")

    def _first(self, k: int) -> Found:
        """Solve the smallest size: the features that are always held, or the largest variance."""
        support = self._always
        if len(support) < k:
            variances = self._diagonal[self._candidates]
            ties = variances >= self._largest - self._slack(self._largest)
            support = self._candidates[ties][:1]
        value = self._pencil.solve(support)[0]
        return Found(k, support, value, value, value, "optimal")

    def _search(self, row: Found, seconds: float) -> Found:
        """Search what the ladder leaves."""
        began = self._limits.clock()
        k, below, shift = row.size, self.found[row.size - 1], self._pencil.shift
        assert self._squares is not None  # or the climb had been halted
        left = ladder.survivors(
            self._pencil,
            self._diagonal,
            self._candidates,
            self._squares,
            k,
            row.value + shift - 2 * self._slack(row.value),
            below.bound + shift + self._slack(below.bound),
            np.union1d(row.support, self._always),
            self._limits.reached,
        )
        self.n_left = len(left)
        bound = min(row.bound, max(self._ceiling(k, below), row.value))
        if self._halted:
            return row._replace(bound=bound, status=self._halted)
        if len(left) > self._features_limit:
            return row._replace(bound=bound, status="features")
        spent = self._limits.clock() - began
        result = best_supports(
            *self._pencil.block(left),
            k,
            np.searchsorted(left, row.support),
            always=np.searchsorted(left, self._always),
            time_limit=None if self._limits.time_limit is None else max(seconds - spent, 0.0),
            gap=self._limits.gap if k == self._last else 0.0,
            node_limit=self._limits.node_limit,
            report=self._limits.report,
            clock=self._limits.clock,
        )
        support = left[list(result.supports[0])]
        value = self._pencil.solve(support)[0]
        optimal = result.status == "optimal"
        return row._replace(
            support=support,
            value=value,
            bound=result.bound if optimal else max(min(bound, result.bound), value),
            status=result.status,
            nodes=result.nodes,
            seconds=self._limits.clock() - began,
        )

    def _ceiling(self, k: int, below: Found) -> float:
        """Bound the values of k features by the bound of one feature less."""
        shift = self._pencil.shift
        c = below.bound + shift + self._slack(below.bound)
        return ladder.ceiling(c, k - len(self._always), self._largest) - shift

    def _slack(self, value: float) -> float:
        return ladder.slack(value, len(self._candidates), self._largest)
