"""The incumbents: the best supports found so far, which every node has to beat.

A node is pruned if it holds nothing better than the worst of the incumbents. Most searches want
one support, and then there is one incumbent. Values within rounding of each other are ties, and of
ties the lexicographically smallest support wins, so that the outcome does not depend on the order
in which supports are found. Hence a tie is also better than the incumbent if it precedes it.
Supports are masks over the free features here, see `problem`.
"""

import itertools

import numpy as np

from specsel._exact.inverses import is_negative, submatrix
from specsel._exact.problem import TIE, Members, Problem, Support
from specsel._runtime import jit
from specsel._validate import Bools

# For each support wanted, so many neighbours of the start are looked at, at most.
NEIGHBOURS = 4


class Incumbents:
    """The `top` best supports found so far.

    Attributes
    ----------
    best : list of (value, support)
        Best first; of ties, the lexicographically smallest first.
    version : int
        How often they changed.
    """

    def __init__(self, problem: Problem, top: int) -> None:
        self._problem, self._top = problem, top
        self.best: list[tuple[float, Support]] = []
        self.version = 0

    @property
    def value(self) -> float:
        """The value to beat, which is that of the worst of them."""
        return self.best[-1][0]

    @property
    def mask(self) -> Bools:
        """Mask of the support to beat."""
        return self._problem.mask(self.best[-1][1])

    def begin(self, start: Members) -> None:
        """Set out from a support, and from its neighbours if several are wanted."""
        mask = self._problem.mask(start)
        self.admit(mask)
        seen = {mask.tobytes()}
        queue = [mask]
        while len(self.best) < self._top and queue:
            mask = queue.pop(0)
            for late in np.flatnonzero(mask):
                for early in np.flatnonzero(~mask):
                    near = mask.copy()
                    near[[late, early]] = False, True
                    if near.tobytes() not in seen and len(seen) < NEIGHBOURS * self._top:
                        seen.add(near.tobytes())
                        queue.append(near)
                        self.admit(near)

    def admit(self, mask: Bools) -> None:
        """Let a support join if it is better than one of them, or if there are too few."""
        support = self._problem.support(mask)
        if any(support == other for _, other in self.best):
            return
        known = [*self.best, (self._problem.value(support), support)]
        known.sort(key=lambda pair: (-pair[0], pair[1]))
        ties = [0]
        for (before, _), (after, _) in itertools.pairwise(known):
            ties.append(ties[-1] + (before - after > self._problem.slack(before, TIE)))
        keys = [(tie, support) for tie, (_, support) in zip(ties, known, strict=True)]
        order = sorted(range(len(keys)), key=keys.__getitem__)[: self._top]
        known = [known[i] for i in order]
        self.version += known != self.best
        self.best = known


@jit
def precedes(mask, incumbent):
    """Tell if a support is lexicographically smaller: it has the first feature they differ in."""
    for i in range(len(mask)):
        if mask[i] != incumbent[i]:
            return mask[i]
    return False


@jit
def is_better(matrix, mask):
    """Tell if a support is negative in M, with the features that all supports hold."""
    chosen = np.empty(len(matrix), np.int64)
    count = list_chosen(mask, chosen, 0)
    return is_negative(submatrix(matrix, chosen[:count]))


@jit
def list_chosen(mask, chosen, count):
    """Append the features of a mask, and those that all supports hold, to the first `count`."""
    for feature in range(len(chosen)):
        if feature >= len(mask) or mask[feature]:
            chosen[count] = feature
            count += 1
    return count


@jit
def lowest(matrix, support):
    """Exchange features for earlier ones as long as the support stays negative in M."""
    mask = np.zeros(len(support), np.bool_)
    for i in range(len(support)):
        mask[i] = support[i]
    changed = True
    while changed:
        changed = False
        for early in range(len(mask)):
            if mask[early]:
                continue
            for late in range(len(mask) - 1, early, -1):
                if not mask[late]:
                    continue
                mask[early], mask[late] = True, False
                if is_better(matrix, mask):
                    changed = True
                    break
                mask[early], mask[late] = False, True
    return mask
