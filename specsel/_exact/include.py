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
)
from specsel._runtime import jit
from specsel._validate import Bools, Floats

# Iterations of x whenever a node is examined, if it is not the first of a stack.
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
        self.place(self.stacks[0], (np.empty(0, np.int64), np.arange(n), choose))
        self.renew(rules)

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
                part = complement(matrix[np.ix_(chosen, chosen)], len(free))
                if part is not None:
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
    out, order = np.empty(len(rules.groups)), np.empty(len(rules.groups), np.int64)
    work = 0
    while state[DEPTH] >= 0 and work < budget and state[FOUND] == 0:
        depth = state[DEPTH]
        size, left = table[depth, SIZE], table[depth, CHOOSE]
        part, x = stack.matrices[depth], stack.marks[depth, 0]
        work += size
        _collect(stack)
        if size < left or (rules.ties and not _may_precede(stack, rules.incumbent)):
            state[DEPTH] -= 1
            continue
        position = -1
        for i in range(size):
            if part[i, i] <= 0:
                position = i
        hit = position >= 0
        if hit:
            stack.found[stack.features[depth, position]] = True
            state[FOUND] = SUPPORT
            if not rules.ties:
                continue
        else:
            state[NODES] += 1
            steps = STEPS if state[NODES] > 1 else ROOT_STEPS
            work += TERM * STEPS * size * size
            position = undominated(part, size, left - 1, x, out, steps)
            if position < 0:
                state[DEPTH] -= 1
                continue
            position = _first_alike(stack.features[depth], size, position, rules.groups)
            work += 2 * size * size
            if eliminate(part, size, position, stack.matrices[depth + 1]) > rules.largest:
                state[FOUND] = GROWN
                return
            _include(stack, depth, position)
            state[DEPTH] += 1
        table[depth, SIZE] = _exclude(stack, depth, position, rules.groups, order)


@jit(inline=True)
def _include(stack, depth, position):
    """Set the features and the x of the child that includes the feature at `position`."""
    size, child = stack.table[depth, SIZE], depth + 1
    for i in range(size - 1):
        source = i + (i >= position)
        stack.features[child, i] = stack.features[depth, source]
        stack.marks[child, 0, i] = stack.marks[depth, 0, source]
    stack.table[child, SIZE] = size - 1
    stack.table[child, CHOOSE] = stack.table[depth, CHOOSE] - 1
    stack.table[child, TAKEN] = stack.features[depth, position]


@jit(inline=True)
def _exclude(stack, depth, position, groups, order):
    """Delete a feature, and the later ones that are exactly like it; return how many are left."""
    features, scale, part = stack.features[depth], stack.marks[depth, 0], stack.matrices[depth]
    excluded, count = features[position], 0
    for i in range(stack.table[depth, SIZE]):
        alike = groups[excluded] >= 0 and groups[features[i]] == groups[excluded]
        if features[i] != excluded and not (alike and features[i] > excluded):
            order[count] = i
            count += 1
    for i in range(count):
        features[i] = features[order[i]]
        scale[i] = scale[order[i]]
        for j in range(count):
            part[i, j] = part[order[i], order[j]]
    return count


@jit(inline=True)
def _first_alike(features, size, position, groups):
    """Return the position of the first of the features that are exactly like the one there."""
    group = groups[features[position]]
    for i in range(size):
        if group >= 0 and groups[features[i]] == group and features[i] < features[position]:
            position = i
    return position


@jit(inline=True)
def _collect(stack):
    """Mark the features that the deepest node includes."""
    mask = stack.found
    for i in range(len(mask)):
        mask[i] = False
    for i in range(stack.state[BASE]):
        mask[stack.base[i]] = True
    for level in range(1, stack.state[DEPTH] + 1):
        mask[stack.table[level, TAKEN]] = True


@jit(inline=True)
def _may_precede(stack, incumbent):
    """Return whether a support of the deepest node may precede the incumbent.

    The smallest one takes the first free features, for these ascend.
    """
    node, features = stack.table[stack.state[DEPTH]], stack.features[stack.state[DEPTH]]
    first = 0
    for i in range(len(incumbent)):
        held = stack.found[i]
        if first < node[CHOOSE] and features[first] == i:
            held = True
            first += 1
        if held != incumbent[i]:
            return held
    return False
