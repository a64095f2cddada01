"""The tree that starts with no feature and includes some.

A node includes the features F and may take k' more of its free ones R. It carries the Schur
complement N of ``M_F`` in ``M = t B - A``, where t is the value to beat, and a positive vector x.
If every row of N is dominated (see `bounds`), no support of the node is worth more than t, and
the node is pruned. If some rows are not, a support worth more takes one of their features: the
child includes that of the worst row, and the node itself excludes it and is examined again. If a
diagonal entry of N is not positive, F with that feature is already worth more than t. To include a
feature takes one step of elimination, to exclude one deletes a row and a column.

This tree suits small k, or any k where the entries of A are of one sign. The paper has neither
this tree nor its bound.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from specsel import linalg
from specsel._exact.bounds import ROOT_STEPS, Node, complement, eliminate, undominated
from specsel._exact.exclude import (
    BASE,
    CHOOSE,
    DEPTH,
    FOUND,
    GROWN,
    NODES,
    SIZE,
    STACKS,
    SUPPORT,
    Rules,
    Stack,
    Tree,
    may_precede,
)
from specsel._runtime import jit
from specsel._validate import Bools, Floats

# Iterations of x whenever a node is examined.
STEPS = 2

# Beyond these limits rounding might prove what is false: how many times larger than the matrix its
# complements may be, and how small an eigenvalue B may have, its diagonal scaled to 1.
GROWTH = 1e5
LEAST_EIGENVALUE = 1e-5

# What a term of the sums costs, in multiplications.
TERM = 3

# Doubles that all stacks may take.
BUFFER = 2.5e7

# Columns of `Stack.table` besides SIZE, how many features are free, and CHOOSE, how many more the
# node takes. The one row of marks is x; the matrices are the complements N.
TAKEN = 2  # the feature that a node includes beyond those of its parent
NODE_COLUMNS = 3


class Include(Tree):
    """The tree over the first n features of M; the features after them are always included.

    It proves that nothing is better than the incumbent or, with `ties`, looks for ties that
    precede the incumbent alone.
    """

    def __init__(self, n: int, choose: int, rules: Rules, *, ties: bool = False) -> None:
        """Start from the root."""
        levels = choose + 1
        super().__init__(n, levels, NODE_COLUMNS, 1, (levels, n, n))
        self._n, self.ties, self._pending = n, ties, list[Bools]()
        root = self.stacks[0]
        self.place(root, (np.empty(0, np.int64), np.arange(n), choose))
        self.renew(rules)
        if root.table[0, SIZE] == n and (root.matrices[0].diagonal() > 0).all():
            scale, out = root.marks[0, 0], np.empty(n)
            undominated(root.matrices[0], n, choose - 1, scale, out, ROOT_STEPS)

    @staticmethod
    def suits(b: Floats, n: int, choose: int) -> bool:
        """Return whether the stacks fit, and B, its diagonal scaled to 1, is far from singular."""
        fits = STACKS * (choose + 1) * n**2 <= BUFFER
        return bool(fits and choose > 0 and linalg.eigen(b)[0][0] >= LEAST_EIGENVALUE)

    def renew(self, rules: Rules) -> None:
        """Go on with another threshold and another incumbent: compute all complements anew.

        There is none if the features that a node includes are worth more than the threshold by
        themselves. Among ties these features are reported, and the node is finished; otherwise
        only rounding can be the reason.
        """
        matrix = rules.below if self.ties else rules.above
        largest = float(GROWTH * np.abs(matrix).max())
        self._rules = rules._replace(largest=largest, ties=self.ties)
        for stack in self.stacks:
            for depth in range(stack.state[DEPTH] + 1):
                base, free, _ = self.node(stack, depth)
                chosen = np.concatenate((free, base, np.arange(self._n, len(matrix))))
                part, positive = complement(matrix[np.ix_(chosen, chosen)], len(free))
                if positive:
                    stack.matrices[depth, : len(free), : len(free)] = part
                elif self.ties:
                    self._pending.append(np.isin(np.arange(self._n), base))
                    stack.table[depth, SIZE] = 0
                else:
                    stack.state[FOUND] = GROWN

    def advance(self, threads: ThreadPoolExecutor, budget: float) -> list[Bools]:
        """Search every stack for so many multiplications.

        List masks of features that together are worth more than the threshold; they may be fewer
        than a support has.
        """
        pending, self._pending = self._pending, []
        return pending + self.search(threads, descend, self._rules, budget)

    @property
    def doubtful(self) -> bool:
        """Whether rounding grew too much for proofs."""
        return any(stack.state[FOUND] == GROWN for stack in self.stacks)

    @property
    def done(self) -> bool:
        """Whether no node is left, and nothing found that is not yet listed."""
        return not self._pending and super().done

    def node(self, stack: Stack, depth: int) -> Node:
        size, choose = stack.table[depth, [SIZE, CHOOSE]]
        included = np.concatenate(
            (stack.base[: stack.state[BASE]], stack.table[1 : depth + 1, TAKEN])
        )
        return included, stack.features[depth, :size].copy(), int(choose)

    def n_free(self, stack: Stack, depth: int) -> int:
        size, choose = stack.table[depth, [SIZE, CHOOSE]]
        return int(size) if size >= choose else -1

    def move(self, donor: Stack, depth: int, stack: Stack) -> None:
        node = self.node(donor, depth)
        size = len(node[1])
        self.place(stack, node)
        stack.marks[0, 0, :size] = donor.marks[depth, 0, :size]
        stack.matrices[0, :size, :size] = donor.matrices[depth, :size, :size]
        donor.table[depth, SIZE] = 0


@jit
def descend(stack, rules, budget):
    """Search depth first, until the budget is spent or something is found."""
    state, table = stack.state, stack.table
    out = np.empty(len(rules.groups))
    work = 0
    while state[DEPTH] >= 0 and work < budget and state[FOUND] == 0:
        depth = state[DEPTH]
        size, left = table[depth, SIZE], table[depth, CHOOSE]
        part = stack.matrices[depth]
        work += size
        if size < left or (rules.ties and not _may_precede(stack, rules.incumbent)):
            state[DEPTH] -= 1
            continue
        hit = -1
        for i in range(size):
            if part[i, i] <= 0:
                hit = i
        if hit >= 0:
            _collect(stack, stack.found)
            stack.found[stack.features[depth, hit]] = True
            state[FOUND] = SUPPORT
            if rules.ties:
                table[depth, SIZE] = _exclude(stack, depth, hit, rules.groups)
            continue
        state[NODES] += 1
        work += TERM * STEPS * size * size
        worst = undominated(part, size, left - 1, stack.marks[depth, 0], out, STEPS)
        if worst < 0:
            state[DEPTH] -= 1
            continue
        worst = _first_alike(stack.features[depth], size, worst, rules.groups)
        work += 2 * size * size
        if eliminate(part, size, worst, stack.matrices[depth + 1]) > rules.largest:
            state[FOUND] = GROWN
            return
        _include(stack, depth, worst)
        table[depth, SIZE] = _exclude(stack, depth, worst, rules.groups)
        state[DEPTH] += 1


@jit
def _include(stack, depth, position):
    """Set the features and the x of the child that includes the feature at `position`."""
    size = stack.table[depth, SIZE]
    left = size - 1
    stack.features[depth + 1, :left] = np.delete(stack.features[depth, :size], position)
    stack.marks[depth + 1, 0, :left] = np.delete(stack.marks[depth, 0, :size], position)
    stack.table[depth + 1, SIZE] = left
    stack.table[depth + 1, CHOOSE] = stack.table[depth, CHOOSE] - 1
    stack.table[depth + 1, TAKEN] = stack.features[depth, position]


@jit
def _exclude(stack, depth, position, groups):
    """Delete a feature, and the later ones that are exactly like it; return how many are left."""
    size = stack.table[depth, SIZE]
    features, scale = stack.features[depth, :size], stack.marks[depth, 0, :size]
    part, group = stack.matrices[depth], groups[features[position]]
    stays = np.arange(size) != position
    if group >= 0:
        stays &= (groups[features] != group) | (features < features[position])
    kept = np.flatnonzero(stays)
    for i in range(len(kept)):
        features[i] = features[kept[i]]
        scale[i] = scale[kept[i]]
        for j in range(len(kept)):
            part[i, j] = part[kept[i], kept[j]]
    return len(kept)


@jit
def _first_alike(features, size, position, groups):
    """Return the position of the first of the features that are exactly like the one there."""
    group = groups[features[position]]
    for i in range(size):
        if group >= 0 and groups[features[i]] == group and features[i] < features[position]:
            position = i
    return position


@jit
def _collect(stack, mask):
    """Mark the features that the deepest node includes."""
    mask[:] = False
    for i in range(stack.state[BASE]):
        mask[stack.base[i]] = True
    for level in range(1, stack.state[DEPTH] + 1):
        mask[stack.table[level, TAKEN]] = True


@jit
def _may_precede(stack, incumbent):
    """Return whether a support of the deepest node may precede the incumbent."""
    mask = np.empty(len(incumbent), np.bool_)
    _collect(stack, mask)
    node = stack.table[stack.state[DEPTH]]
    free = stack.features[stack.state[DEPTH], : node[SIZE]]
    return may_precede(mask, free, node[CHOOSE], incumbent)
