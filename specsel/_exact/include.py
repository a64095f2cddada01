"""The tree that starts with no feature and includes some.

A node includes the features F and may take k' more of its free ones R. It carries the Schur
complement N of ``M_F`` in ``M = t B - A``, where t is the value to beat, and a positive vector x.
If every row of N is dominated (see `dominance`), no support of the node is worth more than t, and
the node is pruned. If some rows are not, a support worth more takes one of their features: the
child includes that of the worst row, and the node itself excludes it and is examined again. If a
diagonal entry of N is not positive, F with that feature is already worth more than t. To include a
feature takes one step of elimination, to exclude one deletes a row and a column.

This tree suits small k, or any k where the entries of A are of one sign. The paper has neither
this tree nor its bound.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from specsel import linalg
from specsel._exact.dominance import ROOT_STEPS, complement, eliminate, undominated
from specsel._exact.exclude import Node
from specsel._exact.incumbent import precedes
from specsel._runtime import jit
from specsel._validate import Bools, Floats, Integers

# Stacks searched at a time.
STACKS = 8

# Iterations of x at every visit of a node.
STEPS = 2

# Beyond these limits rounding might prove what is false: how many times larger than the matrix its
# complements may be, and how small an eigenvalue B may have, its diagonal scaled to 1.
GROWTH = 1e5
LEAST_EIGENVALUE = 1e-5

# What a term of the sums costs, in multiplications.
TERM = 3

# Doubles that all stacks may take.
ROOM = 2.5e7

# Entries of `Stack.state`.
DEPTH = 0  # row of the deepest node, or -1 if the stack is idle
BASE = 1  # how many features all nodes of the stack include: those in `Stack.base`
CHOOSE = 2  # how many more features the root of the stack takes; a node takes its depth less
NODES = 3  # how many nodes were examined
FOUND = 4  # SUPPORT or GROWN if the stack had to stop for that, else 0
STATE_ENTRIES = 5

# What `FOUND` may say: a support worth more is in `Stack.found`; or complements grew too large.
SUPPORT, GROWN = 1, 2


class Stack(NamedTuple):
    """A node and its ancestors; depth 0 is the root of the stack."""

    state: np.ndarray  # see above
    base: np.ndarray  # features that all nodes include
    taken: np.ndarray  # for each node but the root, the feature it includes beyond its parent's
    sizes: np.ndarray  # for each node, how many features are free
    features: np.ndarray  # nodes x features: the free ones
    scales: np.ndarray  # nodes x features: the vectors x
    parts: np.ndarray  # nodes x features x features: the complements N
    found: np.ndarray  # mask of features that together are worth more


class Rules(NamedTuple):
    """What the nodes are pruned by, beside their complements."""

    groups: np.ndarray  # group of each feature among those that are exactly alike, or -1
    incumbent: np.ndarray  # mask of the support to beat
    largest: float  # complements with larger entries prove nothing
    ties: bool  # whether only supports that precede the incumbent are of use


@jit
def _descend(stack, rules, budget):
    """Search depth first, until the budget is spent or something is found."""
    state, sizes = stack.state, stack.sizes
    out = np.empty(len(rules.groups))
    work = 0
    while state[DEPTH] >= 0 and work < budget and state[FOUND] == 0:
        depth = state[DEPTH]
        size, left = sizes[depth], state[CHOOSE] - depth
        part = stack.parts[depth]
        work += size
        if size < left or (rules.ties and _is_hopeless(stack, rules.incumbent)):
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
                sizes[depth] = _exclude(stack, depth, hit, rules.groups)
            continue
        state[NODES] += 1
        work += TERM * STEPS * size * size
        worst = undominated(part, size, left - 1, stack.scales[depth], out, STEPS)
        if worst < 0:
            state[DEPTH] -= 1
            continue
        worst = _first_alike(stack.features[depth], size, worst, rules.groups)
        work += 2 * size * size
        if eliminate(part, size, worst, stack.parts[depth + 1]) > rules.largest:
            state[FOUND] = GROWN
            return
        _include(stack, depth, worst)
        sizes[depth] = _exclude(stack, depth, worst, rules.groups)
        state[DEPTH] += 1


@jit
def _include(stack, depth, place):
    """Give the child of a node its features and its x; it includes the feature at `place`."""
    left = 0
    for i in range(stack.sizes[depth]):
        if i != place:
            stack.features[depth + 1, left] = stack.features[depth, i]
            stack.scales[depth + 1, left] = stack.scales[depth, i]
            left += 1
    stack.sizes[depth + 1] = left
    stack.taken[depth + 1] = stack.features[depth, place]


@jit
def _exclude(stack, depth, place, groups):
    """Delete a feature, and the later ones that are exactly like it; return how many are left."""
    features, scales, part = stack.features[depth], stack.scales[depth], stack.parts[depth]
    feature, size = features[place], stack.sizes[depth]
    group = groups[feature]
    kept = np.empty(size, np.int64)
    left = 0
    for i in range(size):
        other = features[i]
        if i != place and (group < 0 or groups[other] != group or other < feature):
            kept[left] = i
            left += 1
    for i in range(left):
        features[i] = features[kept[i]]
        scales[i] = scales[kept[i]]
        for j in range(left):
            part[i, j] = part[kept[i], kept[j]]
    return left


@jit
def _first_alike(features, size, place, groups):
    """Return the place of the first of the features that are exactly like the one at `place`."""
    group = groups[features[place]]
    for i in range(size):
        if group >= 0 and groups[features[i]] == group and features[i] < features[place]:
            place = i
    return place


@jit
def _collect(stack, mask):
    """Mark the features that the deepest node includes."""
    mask[:] = False
    for i in range(stack.state[BASE]):
        mask[stack.base[i]] = True
    for level in range(1, stack.state[DEPTH] + 1):
        mask[stack.taken[level]] = True


@jit
def _is_hopeless(stack, incumbent):
    """Tell if the deepest node holds no support lexicographically smaller than the incumbent."""
    mask = np.empty(len(incumbent), np.bool_)
    _collect(stack, mask)
    depth = stack.state[DEPTH]
    rest = np.sort(stack.features[depth, : stack.sizes[depth]])
    for i in range(stack.state[CHOOSE] - depth):
        mask[rest[i]] = True
    return not precedes(mask, incumbent)


class Include:
    """The tree over the first n features of M; the features after them are always included.

    It first proves that nothing is better than the incumbent. Then, begun again with `ties`, it
    looks for ties that precede the incumbent.
    """

    def __init__(self, n_free: int, choose: int, groups: Integers) -> None:
        self.n, self.choose, self.groups = n_free, choose, groups
        self.ties = False

    @staticmethod
    def suits(b: Floats, n_free: int, choose: int) -> bool:
        """Tell if the stacks have room and B, its diagonal scaled to 1, is far from singular."""
        room = STACKS * (choose + 1) * n_free**2 <= ROOM
        return bool(room and choose > 0 and linalg.eigen(b)[0][0] >= LEAST_EIGENVALUE)

    def begin(self, matrix: Floats, incumbent: Bools, *, ties: bool = False) -> None:
        """Start from the root; with `ties`, look only for supports that precede the incumbent."""
        n = self.n
        self.ties = ties
        self._pending: list[Bools] = []
        self._stacks = [_idle_stack(n, self.choose + 1) for _ in range(STACKS)]
        root = self._stacks[0]
        _place(root, (np.empty(0, np.int64), np.arange(n), self.choose), np.ones(n))
        self.renew(matrix, incumbent)
        part = root.parts[0]
        if root.sizes[0] == n and (part.diagonal() > 0).all():
            undominated(part, n, self.choose - 1, root.scales[0], np.empty(n), ROOT_STEPS)

    def renew(self, matrix: Floats, incumbent: Bools) -> None:
        """Go on with another threshold and another incumbent: compute all complements anew."""
        self._matrix = matrix
        self._rules = Rules(
            self.groups, incumbent, float(GROWTH * np.abs(matrix).max()), self.ties
        )
        for stack in self._stacks:
            for depth in range(stack.state[DEPTH] + 1):
                self._renew(stack, depth)

    def _renew(self, stack: Stack, depth: int) -> None:
        """Compute the complement of a node.

        There is none if the features it includes are worth more than the threshold by themselves.
        Among ties these features are reported, and the node is finished; otherwise only rounding
        can be the reason.
        """
        base, free, _ = _node(stack, depth)
        fixed = np.arange(self.n, len(self._matrix))
        chosen = np.concatenate((free, base, fixed))
        part, positive = complement(self._matrix[np.ix_(chosen, chosen)], len(free))
        if positive:
            stack.parts[depth, : len(free), : len(free)] = part
        elif self.ties:
            self._pending.append(np.isin(np.arange(self.n), base))
            stack.sizes[depth] = 0
        else:
            stack.state[FOUND] = GROWN

    def advance(self, threads: ThreadPoolExecutor, budget: float) -> list[Bools]:
        """Search every stack for so many multiplications.

        List masks of features that together are worth more than the threshold; they may be fewer
        than a support has.
        """
        found, self._pending = self._pending, []
        self._hand_out()
        chunks = [threads.submit(_descend, stack, self._rules, budget) for stack in self._stacks]
        for chunk in chunks:
            chunk.result()
        for stack in self._stacks:
            if stack.state[FOUND] == SUPPORT:
                stack.state[FOUND] = 0
                found.append(stack.found.copy())
        return found

    @property
    def doubtful(self) -> bool:
        """Whether rounding grew too much for proofs."""
        return any(stack.state[FOUND] == GROWN for stack in self._stacks)

    @property
    def done(self) -> bool:
        """Whether no node is left, and nothing found that is not yet listed."""
        return not self._pending and all(stack.state[DEPTH] < 0 for stack in self._stacks)

    @property
    def nodes(self) -> int:
        """How many nodes were examined since the tree was begun."""
        return int(sum(stack.state[NODES] for stack in self._stacks))

    def remaining(self) -> list[Node]:
        """List the open nodes: what they include, their free features, how many they take."""
        nodes = [
            _node(stack, depth)
            for stack in self._stacks
            for depth in range(stack.state[DEPTH] + 1)
        ]
        return [node for node in nodes if len(node[1]) >= node[2]]

    def _hand_out(self) -> None:
        """Give idle stacks nodes of the others, those with most features first."""
        for stack in self._stacks:
            if stack.state[DEPTH] >= 0:
                continue
            donors = [
                (donor.sizes[depth] + donor.state[CHOOSE] - depth, -number, depth)
                for number, donor in enumerate(self._stacks)
                for depth in range(donor.state[DEPTH])
                if donor.sizes[depth] >= donor.state[CHOOSE] - depth
            ]
            if not donors:
                return
            _, number, depth = max(donors)
            donor = self._stacks[-number]
            node = _node(donor, depth)
            size = len(node[1])
            _place(stack, node, donor.scales[depth, :size])
            stack.parts[0, :size, :size] = donor.parts[depth, :size, :size]
            donor.sizes[depth] = 0


def _idle_stack(n: int, levels: int) -> Stack:
    """Make a stack without a node, with room for so many levels of n free features."""
    state = np.zeros(STATE_ENTRIES, np.int64)
    state[DEPTH] = -1
    return Stack(
        state=state,
        base=np.zeros(n, np.int64),
        taken=np.zeros(levels, np.int64),
        sizes=np.zeros(levels, np.int64),
        features=np.zeros((levels, n), np.int64),
        scales=np.ones((levels, n)),
        parts=np.empty((levels, n, n)),
        found=np.zeros(n, np.bool_),
    )


def _place(stack: Stack, node: Node, scale: Floats) -> None:
    """Give an idle stack a node, with its x."""
    base, free, choose = node
    stack.state[[DEPTH, BASE, CHOOSE]] = 0, len(base), choose
    stack.base[: len(base)] = base
    stack.sizes[0] = len(free)
    stack.features[0, : len(free)] = free
    stack.scales[0, : len(free)] = scale


def _node(stack: Stack, depth: int) -> Node:
    """Return a node of a stack: what it includes, its free features, and how many it takes."""
    base = stack.base[: stack.state[BASE]]
    free = stack.features[depth, : stack.sizes[depth]]
    included = np.concatenate((base, stack.taken[1 : depth + 1]))
    return included, free.copy(), int(stack.state[CHOOSE] - depth)
