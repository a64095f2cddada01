"""The tree that starts with all features and drops some; and the stacks of depth-first trees.

A node keeps some features and chooses the rest of its supports from its free ones. Its children
drop the first free feature; keep the first and drop the second; keep the first two and drop the
third; and so on, until enough are kept. The node carries the inverse P of M over its features; a
child's inverse follows from it by one update of rank one. The signs in P prune: without a negative
eigenvalue no support below is better than the incumbent, and with one they show which features
must be kept (see `bounds`).

The children that come first have most descendants, so the features go first that are most likely
to be needed: then those children end soonest (as in leaps and bounds). Such a feature is the one
whose drop takes most from the diagonal of the inverse.

A stack holds a node and its ancestors, each with its inverse. What an ancestor keeps, all nodes
above it on the stack keep; its free features start with those it keeps. Several stacks are
searched at a time; one that has run out of work takes the largest node of the others. Stacks
exchange nothing while they run, and their number and their work are fixed, so the outcome does not
depend on the number of threads.

The inverses of nodes are flat arrays, one row after the other.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from specsel._exact.bounds import CANCELLED, SPARED, Node, invert, lower_factor, submatrix
from specsel._runtime import jit
from specsel._validate import Bools, Integers

# Stacks searched at a time.
STACKS = 8

# The cost of looking at a node or keeping a feature, beyond one for every free feature, in
# multiplications.
OVERHEAD = 500

# Entries of `Stack.state`.
DEPTH = 0  # row of the deepest node, or -1 if the stack is idle
BASE = 1  # how many features all nodes of the stack keep: those in `Stack.base`
NODES = 2  # how many nodes were examined
FOUND = 3  # SUPPORT, GROWN or LEAF if the stack had to stop for that, else 0
STATE_ENTRIES = 4

# What `FOUND` may say: a better support is in `Stack.found`; rounding grew too large; the deepest
# node is down to one support. Without the latter two a node is pruned, or branches.
SUPPORT, GROWN, LEAF = 1, 2, 3
PRUNED, BRANCHES = 0, 1

# What a feature is in a node: held by all supports, or free.
HELD, FREE = 1, 2

# Columns of `Stack.table`, which has a row for each node; those from CHOOSE on are for this tree.
SIZE = 0  # how many features are free in the node, the kept ones among them
CHOOSE = 1  # how many are to be kept in the end
FIRST = 2  # how many were kept before the inverse was computed; it leaves them out
KEPT = 3  # how many of the free features are kept now: they come first
NEGATIVE = 4  # how many negative eigenvalues M has over the node
STRICT = 5  # 1 if a tie is of no use in the node: it is pruned just above the incumbent
VERSION = 6  # the version of the rules that the inverse belongs to; -1 asks for a new inverse
FRESH = 7  # 1 if the node is still to be examined
CLOSED = 8  # 1 if what is left of the node went to another stack
NODE_COLUMNS = 9

# Rows of `Stack.marks`, which have an entry for each free feature.
PEAK = 0  # its largest diagonal entry in the inverse since that was last computed anew
LOSS = 1  # how much its drop takes from the diagonal entries of the others
PARTNERS = 2  # how many features can go if it goes, itself included
MARK_ROWS = 3


class Rules(NamedTuple):
    """What the nodes of the two depth-first trees are pruned by. M is ``t B - A``."""

    above: np.ndarray  # M with t just above the value of the incumbent, the support to beat
    below: np.ndarray  # M with t just below it, where ties still count as better
    incumbent: np.ndarray  # mask of the support to beat
    groups: np.ndarray  # group of each feature among those that are exactly alike, or -1
    version: int  # of the incumbent
    plain: bool  # whether only the number of negative eigenvalues prunes (Eq. 8)
    largest: float = np.inf  # Schur complements with larger entries prove nothing
    ties: bool = False  # whether only supports that precede the incumbent are of use


class Stack(NamedTuple):
    """A node and its ancestors; depth 0 is the root of the stack."""

    state: np.ndarray  # see above
    base: np.ndarray  # features that all nodes keep
    table: np.ndarray  # nodes x columns, see above
    features: np.ndarray  # nodes x features: the free ones
    marks: np.ndarray  # nodes x rows x features, see above
    matrices: np.ndarray  # what the nodes carry
    found: np.ndarray  # mask of a support


class Tree(ABC):
    """A tree over n free features that is searched depth first, as several stacks at a time."""

    def __init__(self, n: int, levels: int, columns: int, mark_rows: int, shape: object) -> None:
        """Make idle stacks for so many levels, with matrices of that shape."""
        self.stacks = tuple(
            Stack(
                state=np.array([-1, *[0] * (STATE_ENTRIES - 1)]),
                base=np.zeros(n, np.int64),
                table=np.zeros((levels, columns), np.int64),
                features=np.zeros((levels, n), np.int64),
                marks=np.ones((levels, mark_rows, n)),
                matrices=np.empty(shape),  # type: ignore[call-overload]
                found=np.zeros(n, np.bool_),
            )
            for _ in range(STACKS)
        )

    @abstractmethod
    def node(self, stack: Stack, depth: int) -> Node:
        """Return what is left of a node of a stack, without the children it already made."""

    @abstractmethod
    def n_free(self, stack: Stack, depth: int) -> int:
        """Return how many features are free in it, or -1 if nothing is left of it."""

    @abstractmethod
    def move(self, donor: Stack, depth: int, stack: Stack) -> None:
        """Make what is left of a node the root of an idle stack, and close it."""

    @staticmethod
    def place(stack: Stack, node: Node) -> None:
        """Give an idle stack a node, without what it carries."""
        base, free, choose = node
        stack.state[[DEPTH, BASE]] = 0, len(base)
        stack.base[: len(base)] = base
        stack.table[0] = 0
        stack.table[0, [SIZE, CHOOSE]] = len(free), choose
        stack.features[0, : len(free)] = free

    @property
    def done(self) -> bool:
        """Whether no node is left."""
        return all(stack.state[DEPTH] < 0 for stack in self.stacks)

    @property
    def nodes(self) -> int:
        """How many nodes were examined."""
        return int(sum(stack.state[NODES] for stack in self.stacks))

    def remaining(self) -> list[Node]:
        """List the open nodes."""
        return [
            self.node(stack, depth)
            for stack in self.stacks
            for depth in range(stack.state[DEPTH] + 1)
            if self.n_free(stack, depth) >= 0
        ]

    def search(
        self,
        threads: ThreadPoolExecutor,
        descend: Callable[..., None],
        rules: tuple[object, ...],
        budget: float,
    ) -> list[Bools]:
        """Search every stack for so many multiplications; list masks of what was found."""
        self._hand_out()
        busy = [stack for stack in self.stacks if stack.state[DEPTH] >= 0]
        for chunk in [threads.submit(descend, stack, rules, budget) for stack in busy]:
            chunk.result()
        found = [stack for stack in busy if stack.state[FOUND] == SUPPORT]
        for stack in found:
            stack.state[FOUND] = 0
        return [stack.found.copy() for stack in found]

    def _hand_out(self) -> None:
        """Give idle stacks nodes of the others, those with most features first."""
        for stack in self.stacks:
            if stack.state[DEPTH] >= 0:
                continue
            donors = [
                (self.n_free(donor, depth), -number, depth)
                for number, donor in enumerate(self.stacks)
                for depth in range(donor.state[DEPTH])
                if self.n_free(donor, depth) >= 0
            ]
            if not donors:
                return
            _, number, depth = max(donors)
            self.move(self.stacks[-number], depth, stack)


class Exclude(Tree):
    """The tree over n free features, of which supports hold `choose`."""

    def __init__(self, n: int, choose: int) -> None:
        """Give the root to the first stack."""
        levels = n - choose + 2
        size = sum((n - level) ** 2 for level in range(min(levels, n)))
        super().__init__(n, levels, NODE_COLUMNS, MARK_ROWS, size)
        self._place(self.stacks[0], (np.empty(0, np.int64), np.arange(n), choose))

    def _place(self, stack: Stack, node: Node) -> None:
        self.place(stack, node)
        stack.table[0, VERSION] = -1

    def advance(self, threads: ThreadPoolExecutor, rules: Rules, budget: float) -> list[Bools]:
        """Search every stack for so many multiplications; list masks of better supports."""
        return self.search(threads, descend, rules, budget)

    def node(self, stack: Stack, depth: int) -> Node:
        return _node(stack, depth)

    def n_free(self, stack: Stack, depth: int) -> int:
        node = stack.table[depth]
        return -1 if node[CLOSED] else int(node[SIZE] - node[KEPT])

    def move(self, donor: Stack, depth: int, stack: Stack) -> None:
        self._place(stack, self.node(donor, depth))
        donor.table[depth, CLOSED] = 1


def descend(stack: Stack, rules: Rules, budget: float) -> None:
    """Search depth first, until the budget is spent or a better support is found."""
    state = stack.state
    while budget > 0 and state[DEPTH] >= 0 and state[FOUND] == 0:
        budget -= _descend(stack, rules, budget)
        if state[FOUND] == LEAF:
            _leave_leaf(stack, rules)


def _leave_leaf(stack: Stack, rules: Rules) -> None:
    """Go on from a support worth no less than a tie; stop if it is better or precedes."""
    state = stack.state
    members = _node(stack, state[DEPTH])[0]
    stack.found[:] = np.isin(np.arange(len(stack.found)), members)
    members = np.concatenate((members, np.arange(len(stack.found), len(rules.above))))
    state[DEPTH] -= 1
    if precedes(stack.found, rules.incumbent) or is_better(rules.above, members):
        state[FOUND] = SUPPORT
    else:
        state[FOUND], state[DEPTH] = 0, _retreat(stack, rules.incumbent)


def _retreat(stack: Stack, incumbent: Bools) -> int:
    """Return the depth at which to go on after a tie that is no smaller than the incumbent.

    It is that of the highest node which can hold only such ties. That node is computed anew, to be
    pruned just above the incumbent's value; otherwise the search would examine all ties.
    """
    for depth in range(stack.state[DEPTH] + 1):
        node = stack.table[depth]
        if node[STRICT] or node[CLOSED]:
            continue
        kept, free, choose = _node(stack, depth)
        if not may_precede(kept[:-1], np.append(free, kept[-1]), choose + 1, incumbent):
            node[KEPT] -= 1
            node[VERSION] = -1
            return depth
    return int(stack.state[DEPTH])


def _node(stack: Stack, depth: int) -> Node:
    """Return what is left of a node, without the children it already made.

    An ancestor counts its dropped feature as kept, which is the last one; it is left out.
    """
    kept = [stack.base[: stack.state[BASE]]]
    kept += [stack.features[level, : stack.table[level, KEPT] - 1] for level in range(depth)]
    own = stack.features[depth]
    size, count, choose = stack.table[depth, [SIZE, KEPT, CHOOSE]]
    return np.concatenate((*kept, own[:count])), own[count:size].copy(), int(choose - count)


def may_precede(kept: Integers, free: Integers, lacking: int, incumbent: Bools) -> bool:
    """Return whether features can precede the incumbent once so many free ones join them."""
    chosen = np.concatenate((kept, np.sort(free)[: max(lacking, 0)]))
    return precedes(np.isin(np.arange(len(incumbent)), chosen), incumbent)


def precedes(mask: Bools, incumbent: Bools) -> bool:
    """Return whether a support is lexicographically smaller than the incumbent."""
    places = np.flatnonzero(mask != incumbent)
    return len(places) > 0 and bool(mask[places[0]])


@jit
def _descend(stack, rules, budget):
    """Search depth first, until the budget is spent or a leaf is reached; return the work."""
    state, table = stack.state, stack.table
    work = 0
    while state[DEPTH] >= 0 and work < budget and state[FOUND] == 0:
        node = table[state[DEPTH]]
        if node[CLOSED]:
            state[DEPTH] -= 1
            continue
        if node[VERSION] != rules.version:
            work += _refresh(stack, rules)
        kept = node[KEPT]
        verdict = _examine(stack, rules)
        work += (OVERHEAD + node[SIZE]) * (node[KEPT] - kept + (verdict != BRANCHES))
        if verdict == BRANCHES:
            work += _branch(stack, rules.groups)
        elif verdict == LEAF and _is_tie(stack, rules.below):
            state[FOUND] = LEAF
        else:
            state[DEPTH] -= 1
    return work


@jit(inline=True)
def _is_tie(stack, below):
    """Return whether the support that the deepest node has come down to is negative."""
    depth = stack.state[DEPTH]
    roles, members = np.empty(stack.features.shape[1], np.int64), np.empty(len(below), np.int64)
    _mark_kept(stack, depth, stack.table[depth, KEPT], roles)
    count = 0
    for i in range(len(below)):
        if i >= len(roles) or roles[i] == HELD:
            members[count] = i
            count += 1
    return is_better(below, members[:count])


@jit
def is_better(matrix, members):
    """Return whether a support is negative in M: whether its part has no Cholesky factor."""
    return not lower_factor(submatrix(matrix, members))


@jit(inline=True)
def _refresh(stack, rules):
    """Compute the inverse of the deepest node from M itself; return what that cost."""
    depth = stack.state[DEPTH]
    node, features, incumbent = stack.table[depth], stack.features[depth], rules.incumbent
    n, count = len(incumbent), node[SIZE] - node[KEPT]
    roles = np.empty(n, np.int64)
    _mark_kept(stack, depth, node[KEPT], roles)
    node[FIRST] = node[KEPT]
    node[VERSION] = rules.version
    node[FRESH] = 1
    chosen = np.empty(len(rules.above), np.int64)
    for i in range(count):
        chosen[i] = features[node[KEPT] + i]
        roles[chosen[i]] = FREE
    lacking, undecided = node[CHOOSE] - node[KEPT], True
    node[STRICT] = 1
    size = count
    for i in range(len(chosen)):
        role = roles[i] if i < n else HELD
        if role == HELD:
            chosen[size] = i
            size += 1
        if undecided and i < n:  # whether the smallest support that is left precedes it
            held = role == HELD or (role == FREE and lacking > 0)
            lacking -= role == FREE
            undecided = held == incumbent[i]
            node[STRICT] = undecided or not held
    source = rules.above if node[STRICT] else rules.below
    matrix = submatrix(source, chosen[:size])
    node[NEGATIVE] = invert(matrix)
    inverse = _inverse(stack, depth)
    for i in range(count):
        stack.marks[depth, PEAK, node[FIRST] + i] = abs(matrix[i, i])
        for j in range(count):
            inverse[i * count + j] = matrix[i, j]
    return size**3


@jit(inline=True)
def _examine(stack, rules):
    """Keep what must stay in the deepest node, and the feature that its next child drops.

    Return whether the node holds no better support, a single one, or branches.
    """
    depth = stack.state[DEPTH]
    node, marks = stack.table[depth], stack.marks[depth]
    if node[KEPT] > node[CHOOSE] or node[NEGATIVE] == 0:
        return PRUNED
    if node[SIZE] == node[CHOOSE]:
        node[KEPT] = node[SIZE]
        return LEAF
    inverse, first = _inverse(stack, depth), node[FIRST]
    shows = node[NEGATIVE] == 1 and not rules.plain
    if node[FRESH]:
        stack.state[NODES] += 1
        node[FRESH] = 0
        size = node[SIZE] - first
        if shows:
            peaks, losses, partners = (
                marks[PEAK, first:],
                marks[LOSS, first:],
                marks[PARTNERS, first:],
            )
            couple(inverse, size, peaks, losses, partners)
        else:
            for i in range(size):
                feature = stack.features[depth, first + i]
                marks[LOSS, first + i] = -inverse[i * (size + 1)] * rules.above[feature, feature]
    while node[KEPT] <= node[CHOOSE]:
        stays = node[SIZE]
        if shows:
            stays = node[KEPT]
            while stays < node[SIZE] and marks[PARTNERS, stays] >= node[SIZE] - node[CHOOSE]:
                stays += 1
        branches = stays == node[SIZE]
        if branches:
            if node[KEPT] == node[CHOOSE]:
                return LEAF
            stays = node[KEPT]
            for i in range(node[KEPT], node[SIZE]):
                if marks[LOSS, i] > marks[LOSS, stays]:
                    stays = i
        _keep(stack, depth, inverse, stays)
        if branches:
            return BRANCHES
    return PRUNED


@jit(inline=True)
def _keep(stack, depth, inverse, i):
    """Let a feature join the kept ones of a node: it can no longer go with others."""
    node, features, marks = stack.table[depth], stack.features[depth], stack.marks[depth]
    first, position = node[FIRST], node[KEPT]
    size, row = node[SIZE] - first, position - first
    if i > position:
        features[i], features[position] = features[position], features[i]
        for mark in range(MARK_ROWS):
            marks[mark, i], marks[mark, position] = marks[mark, position], marks[mark, i]
        exchange(inverse, size, row, i - first)
    node[KEPT] += 1
    if node[NEGATIVE] == 1:
        peaks, losses, partners = marks[PEAK, first:], marks[LOSS, first:], marks[PARTNERS, first:]
        uncouple(inverse, size, row, peaks, losses, partners)


@jit(inline=True)
def _branch(stack, groups):
    """Make the child that drops the feature kept last; return what that cost.

    The child goes on the stack unless it has too few features left.
    """
    depth = stack.state[DEPTH]
    node, child = stack.table[depth], stack.table[depth + 1]
    features, marks, inverse = stack.features[depth], stack.marks[depth], _inverse(stack, depth)
    position, first = node[KEPT] - 1, node[FIRST]
    size, row, rest = node[SIZE] - first, position - first, node[SIZE] - position - 1
    pivot = inverse[row * (size + 1)]
    afresh = abs(pivot) <= CANCELLED * marks[PEAK, position]
    for column in range(NODE_COLUMNS):
        child[column] = 0
    child[SIZE] = rest
    child[CHOOSE] = node[CHOOSE] - position
    child[NEGATIVE] = node[NEGATIVE] - (pivot < 0)
    child[STRICT] = node[STRICT]
    child[FRESH] = 1
    for i in range(rest):
        stack.features[depth + 1, i] = features[position + 1 + i]
    if groups[features[position]] >= 0:
        child[SIZE] = _without_followers(stack, groups)
        afresh = afresh or child[SIZE] < rest
    child[VERSION] = -1 if afresh else node[VERSION]
    if child[SIZE] < child[CHOOSE]:
        return rest
    stack.state[DEPTH] += 1
    if afresh:
        return rest
    part = _inverse(stack, depth + 1)
    drop(inverse, part, size, row)
    for i in range(rest):
        peak = abs(part[i * (rest + 1)])
        stack.marks[depth + 1, PEAK, i] = max(peak, marks[PEAK, position + 1 + i])
    return 2 * rest * rest


@jit(inline=True)
def _without_followers(stack, groups):
    """Drop the later features that are exactly like the one dropped; return how many are left.

    If a later one is kept, the child holds nothing that another node does not hold: return -1.
    """
    depth = stack.state[DEPTH]
    position = stack.table[depth, KEPT] - 1
    dropped = stack.features[depth, position]
    roles = np.empty(len(groups), np.int64)
    _mark_kept(stack, depth, position, roles)
    for later in range(dropped + 1, len(roles)):
        if roles[later] == HELD and groups[later] == groups[dropped]:
            return -1
    left = 0
    for i in range(position + 1, stack.table[depth, SIZE]):
        feature = stack.features[depth, i]
        if feature < dropped or groups[feature] != groups[dropped]:
            stack.features[depth + 1, left] = feature
            left += 1
    return left


@jit
def _mark_kept(stack, depth, kept, roles):
    """Mark the first `kept` free features of a node as held, and what its ancestors keep."""
    for i in range(len(roles)):
        roles[i] = 0
    for i in range(stack.state[BASE]):
        roles[stack.base[i]] = HELD
    for level in range(depth):
        for i in range(stack.table[level, KEPT] - 1):
            roles[stack.features[level, i]] = HELD
    for i in range(kept):
        roles[stack.features[depth, i]] = HELD


@jit(inline=True)
def _inverse(stack, depth):
    """Return the part of the stack that holds a node's inverse.

    A node at some depth has lost that many features at least, so level d needs (n - d)² numbers.
    """
    n = stack.features.shape[1]
    start = depth * n * n - n * depth * (depth - 1) + (depth - 1) * depth * (2 * depth - 1) // 6
    size = stack.table[depth, SIZE] - stack.table[depth, FIRST]
    return stack.matrices[start : start + size * size]


@jit
def drop(parent, child, size, row):
    """Compute the inverse for a child node from that of its parent.

    The features before `row` are kept and need no column; the feature at `row` is dropped.
    """
    rest = size - row - 1
    top = parent[row * size + row + 1 : row * size + size]
    pivot = parent[row * (size + 1)]
    for i in range(rest):
        factor = top[i] / pivot
        source = parent[(row + 1 + i) * size + row + 1 : (row + 2 + i) * size]
        target = child[i * rest : (i + 1) * rest]
        for j in range(rest):
            target[j] = source[j] - factor * top[j]


@jit
def exchange(matrix, size, i, j):
    """Exchange two features, i before j, in an inverse; columns before i are not needed."""
    one, other = matrix[i * size + i : (i + 1) * size], matrix[j * size + i : (j + 1) * size]
    for c in range(size - i):
        one[c], other[c] = other[c], one[c]
    one, other = matrix[i * size + i :: size], matrix[i * size + j :: size]
    for c in range(size - i):
        one[c], other[c] = other[c], one[c]


@jit
def couple(matrix, size, peaks, losses, partners):
    """Compute for each feature its loss, and with how many it can go.

    Dropping i takes the share ``P_ij² / (P_ii P_jj)`` of the diagonal entry of j. The loss of i is
    the sum of these shares; i can go with those j that keep some. Where only rounding is left of
    an entry, everything can go with it. A feature whose entry is negative goes with none.
    """
    diagonal, shares = np.empty(size), np.empty(size)
    for i in range(size):
        entry = matrix[i * (size + 1)]
        if entry < -CANCELLED * peaks[i]:
            diagonal[i] = shares[i] = 0.0
        else:
            diagonal[i] = entry if entry > CANCELLED * peaks[i] else np.inf
            shares[i] = 1.0 / diagonal[i]
    for i in range(size):
        row = matrix[i * size : (i + 1) * size]
        bound = SPARED * diagonal[i]
        loss, count = 0.0, 0.0
        for j in range(size):
            square = row[j] * row[j]
            loss += square * shares[j]
            count += 1.0 if square < bound * diagonal[j] else 0.0
        losses[i] = loss * shares[i]
        partners[i] = count


@jit
def uncouple(matrix, size, row, peaks, losses, partners):
    """Take a feature, which stays, out of the losses and numbers of those after it."""
    line = matrix[row * size + row + 1 : (row + 1) * size]
    diagonal = matrix[(row + 1) * (size + 1) :: size + 1]
    own = matrix[row * (size + 1)]
    if own <= CANCELLED * peaks[row]:
        return
    for j in range(len(line)):
        square, both = line[j] * line[j], own * diagonal[j]
        losses[row + 1 + j] -= square / both
        partners[row + 1 + j] -= 1.0 if square < SPARED * both else 0.0
