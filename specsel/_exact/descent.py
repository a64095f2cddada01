"""The compiled descent of the tree that starts with all features and drops some.

A node keeps some features and chooses the rest of its supports from its free ones. Its children
drop the first free feature; keep the first and drop the second; keep the first two and drop the
third; and so on, until enough are kept. The node carries the inverse P of M over its features; a
child's inverse follows from it by one update of rank one. The signs in P prune: without a negative
eigenvalue no support below is better than the incumbent, and with one they tell which features
must be kept (see `inverses`).

The children that come first have most descendants, so the features go first that are most likely
to be needed: then those children end soonest (as in leaps and bounds). Such a feature is the one
whose drop takes most from the diagonal of the inverse.

A stack holds a node and its ancestors, each with its inverse. What an ancestor keeps, all nodes
above it on the stack keep; its free features start with those it keeps.
"""

from typing import NamedTuple

import numpy as np

from specsel._exact.incumbent import is_better, list_chosen, precedes
from specsel._exact.inverses import (
    CANCELLED,
    couple,
    drop,
    exchange,
    invert,
    submatrix,
    uncouple,
)
from specsel._runtime import jit

# The cost of looking at a node or keeping a feature, beyond one for every free feature, in
# multiplications.
VISIT = 500

# Columns of `Stack.table`, which has a row for each node.
SIZE = 0  # how many features are free in the node, the kept ones among them
FIRST = 1  # how many of those were kept before the inverse was computed; it leaves them out
KEPT = 2  # how many of those are kept now: they come first
CHOOSE = 3  # how many are to be kept in the end
NEGATIVE = 4  # how many negative eigenvalues M has over the node
STRICT = 5  # 1 if a tie is of no use in the node: it is pruned just above the incumbent
VERSION = 6  # the version of the rules that the inverse belongs to; -1 asks for a new inverse
FRESH = 7  # 1 if the node is still to be examined
CLOSED = 8  # 1 if what is left of the node was given to another stack
NODE_COLUMNS = 9

# Entries of `Stack.state`.
DEPTH = 0  # row of the deepest node, or -1 if the stack is idle
BASE = 1  # how many features all nodes of the stack keep: those in `Stack.base`
NODES = 2  # how many nodes were examined
FOUND = 3  # 1 if `Stack.found` is a better support
STATE_ENTRIES = 4

# Rows of `Stack.marks`, which have an entry for each free feature.
PEAK = 0  # its largest diagonal entry in the inverse since that was last computed anew
LOSS = 1  # how much its drop takes from the diagonal entries of the others
PARTNERS = 2  # how many features can go if it goes, itself included
MARK_ROWS = 3


class Stack(NamedTuple):
    """A node and its ancestors; depth 0 is the root of the stack."""

    state: np.ndarray  # see above
    base: np.ndarray  # features that all nodes keep
    table: np.ndarray  # nodes x columns, see above
    features: np.ndarray  # nodes x features: the free ones
    marks: np.ndarray  # nodes x rows x features, see above
    inverse: np.ndarray  # the inverses of all nodes, one after the other
    found: np.ndarray  # mask of a support


class Rules(NamedTuple):
    """What the nodes are pruned by. M is ``t B - A``, see `inverses`."""

    above: np.ndarray  # M with t just above the value of the incumbent
    below: np.ndarray  # M with t just below it, where ties still count as better
    incumbent: np.ndarray  # mask of the support to beat
    groups: np.ndarray  # group of each feature among those that are exactly alike, or -1
    version: int  # of the incumbent
    plain: bool  # whether only the number of negative eigenvalues prunes (Eq. 8)


@jit
def descend(stack, rules, budget):
    """Search depth first, until the budget is spent or a better support is found."""
    state, table = stack.state, stack.table
    work = 0
    while state[DEPTH] >= 0 and work < budget and state[FOUND] == 0:
        depth = state[DEPTH]
        if table[depth, CLOSED]:
            state[DEPTH] -= 1
            continue
        if table[depth, VERSION] != rules.version:
            work += _refresh(stack, rules)
        kept = table[depth, KEPT]
        fathomed = _fathom(stack, rules)
        work += (VISIT + table[depth, SIZE]) * (1 + table[depth, KEPT] - kept)
        if fathomed:
            state[DEPTH] -= 1
        elif table[depth, KEPT] < table[depth, CHOOSE]:
            work += _branch(stack, rules.groups)
        else:
            _collect(stack, depth, table[depth, KEPT], stack.found)
            smaller = precedes(stack.found, rules.incumbent)
            tie = is_better(rules.below, stack.found)
            state[DEPTH] -= 1
            if tie and (smaller or is_better(rules.above, stack.found)):
                state[FOUND] = 1
            elif tie:
                state[DEPTH] = _retreat(stack, rules.incumbent)


@jit
def _collect(stack, depth, kept, mask):
    """Mark what a node keeps: the first `kept` of its free features, and what its ancestors keep.

    An ancestor counts its dropped feature as kept, which is the last one; it is left out.
    """
    mask[:] = False
    for i in range(stack.state[BASE]):
        mask[stack.base[i]] = True
    for level in range(depth):
        for i in range(stack.table[level, KEPT] - 1):
            mask[stack.features[level, i]] = True
    for i in range(kept):
        mask[stack.features[depth, i]] = True


@jit
def _is_hopeless(stack, depth, kept, incumbent):
    """Tell if a node holds no support that is lexicographically smaller than the incumbent."""
    mask, free = np.empty(len(incumbent), np.bool_), np.zeros(len(incumbent), np.bool_)
    _collect(stack, depth, kept, mask)
    for i in range(kept, stack.table[depth, SIZE]):
        free[stack.features[depth, i]] = True
    lacking = stack.table[depth, CHOOSE] - kept
    for feature in range(len(incumbent)):
        if free[feature] and lacking > 0:
            mask[feature] = True
            lacking -= 1
    return not precedes(mask, incumbent)


@jit
def _retreat(stack, incumbent):
    """Return the depth at which to go on after a tie that is no smaller than the incumbent.

    It is that of the highest node which can hold only such ties. That node is computed anew, to be
    pruned just above the incumbent's value; otherwise the search would visit all ties.
    """
    table = stack.table
    for depth in range(stack.state[DEPTH] + 1):
        if table[depth, STRICT] or table[depth, CLOSED]:
            continue
        if _is_hopeless(stack, depth, table[depth, KEPT] - 1, incumbent):
            table[depth, KEPT] -= 1
            table[depth, VERSION] = -1
            return depth
    return stack.state[DEPTH]


@jit
def _refresh(stack, rules):
    """Compute the inverse of the deepest node from M itself; return what that cost."""
    depth = stack.state[DEPTH]
    node = stack.table[depth]
    mask = np.empty(len(rules.incumbent), np.bool_)
    _collect(stack, depth, node[KEPT], mask)
    chosen = np.empty(len(rules.above), np.int64)
    size = node[SIZE] - node[KEPT]
    for i in range(size):
        chosen[i] = stack.features[depth, node[KEPT] + i]
    count = list_chosen(mask, chosen, size)
    node[FIRST] = node[KEPT]
    node[STRICT] = _is_hopeless(stack, depth, node[KEPT], rules.incumbent)
    node[VERSION] = rules.version
    node[FRESH] = 1
    matrix = submatrix(rules.above if node[STRICT] else rules.below, chosen[:count])
    node[NEGATIVE] = invert(matrix)
    inverse = _inverse(stack, depth)
    for i in range(size):
        stack.marks[depth, PEAK, node[FIRST] + i] = abs(matrix[i, i])
        for j in range(size):
            inverse[i * size + j] = matrix[i, j]
    return count**3


@jit
def _inverse(stack, depth):
    """Return the place of a node's inverse.

    A node at some depth has lost that many features at least, so level d needs (n - d)² numbers.
    """
    n = stack.features.shape[1]
    start = depth * n * n - n * depth * (depth - 1) + (depth - 1) * depth * (2 * depth - 1) // 6
    size = stack.table[depth, SIZE] - stack.table[depth, FIRST]
    return stack.inverse[start : start + size * size]


@jit
def _fathom(stack, rules):
    """Tell if the deepest node holds no better support; if it may, keep what must stay."""
    depth = stack.state[DEPTH]
    node = stack.table[depth]
    if node[KEPT] > node[CHOOSE] or node[NEGATIVE] == 0:
        return True
    if node[SIZE] == node[CHOOSE]:
        node[KEPT] = node[SIZE]
        return False
    first, size = node[FIRST], node[SIZE] - node[FIRST]
    inverse, marks = _inverse(stack, depth), stack.marks[depth, :, first:]
    if node[FRESH]:
        stack.state[NODES] += 1
        node[FRESH] = 0
        if rules.plain or node[NEGATIVE] > 1:
            for i in range(size):
                feature = stack.features[depth, first + i]
                marks[LOSS, i] = -inverse[i * (size + 1)] * rules.above[feature, feature]
            return False
        for i in range(size):
            if inverse[i * (size + 1)] < -CANCELLED * marks[PEAK, i]:
                _swap(stack, depth, inverse, node[KEPT] - first, i)
                node[KEPT] += 1
        couple(inverse, size, node[KEPT] - first, marks[PEAK], marks[LOSS], marks[PARTNERS])
    if rules.plain or node[NEGATIVE] > 1:
        return False
    i = node[KEPT] - first
    while i < size and node[KEPT] <= node[CHOOSE]:
        i += 1
        if marks[PARTNERS, i - 1] < node[SIZE] - node[CHOOSE]:
            _keep(stack, depth, inverse, i - 1)
            i = node[KEPT] - first
    return node[KEPT] > node[CHOOSE]


@jit
def _keep(stack, depth, inverse, i):
    """Keep feature i of a node: it joins the kept ones and can no longer go with others."""
    node = stack.table[depth]
    first, size, row = node[FIRST], node[SIZE] - node[FIRST], node[KEPT] - node[FIRST]
    _swap(stack, depth, inverse, row, i)
    node[KEPT] += 1
    if node[NEGATIVE] == 1:
        marks = stack.marks[depth, :, first:]
        uncouple(inverse, size, row, marks[PEAK], marks[LOSS], marks[PARTNERS])


@jit
def _swap(stack, depth, inverse, i, j):
    """Exchange features i and j of a node, with their marks and their rows of the inverse."""
    if i == j:
        return
    features, marks, first = stack.features[depth], stack.marks[depth], stack.table[depth, FIRST]
    exchange(inverse, stack.table[depth, SIZE] - first, i, j)
    i += first
    j += first
    features[i], features[j] = features[j], features[i]
    for mark in range(len(marks)):
        marks[mark, i], marks[mark, j] = marks[mark, j], marks[mark, i]


@jit
def _branch(stack, groups):
    """Make the child that drops the feature with the largest loss; return what that cost.

    The node itself keeps that feature from now on. The child goes on the stack unless it has too
    few features left.
    """
    depth = stack.state[DEPTH]
    node, child = stack.table[depth], stack.table[depth + 1]
    features, marks, inverse = stack.features[depth], stack.marks[depth], _inverse(stack, depth)
    place, first = node[KEPT], node[FIRST]
    costliest = place
    for i in range(place, node[SIZE]):
        if marks[LOSS, i] > marks[LOSS, costliest]:
            costliest = i
    _keep(stack, depth, inverse, costliest - first)
    size, row, rest = node[SIZE] - first, place - first, node[SIZE] - place - 1
    pivot = inverse[row * (size + 1)]
    afresh = abs(pivot) <= CANCELLED * marks[PEAK, place]
    child[:] = 0
    child[SIZE] = rest
    child[CHOOSE] = node[CHOOSE] - place
    child[NEGATIVE] = node[NEGATIVE] - (pivot < 0)
    child[STRICT] = node[STRICT]
    child[FRESH] = 1
    for i in range(rest):
        stack.features[depth + 1, i] = features[place + 1 + i]
    if groups[features[place]] >= 0:
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
        stack.marks[depth + 1, PEAK, i] = max(peak, marks[PEAK, place + 1 + i])
    return 2 * rest * rest


@jit
def _without_followers(stack, groups):
    """Drop the later features that are exactly like the one dropped; return how many are left.

    If a later one is kept, the child holds nothing that another node does not hold: return -1.
    """
    depth = stack.state[DEPTH]
    place = stack.table[depth, KEPT] - 1
    dropped = stack.features[depth, place]
    mask = np.empty(stack.features.shape[1], np.bool_)
    _collect(stack, depth, place, mask)
    for later in range(dropped + 1, len(mask)):
        if mask[later] and groups[later] == groups[dropped]:
            return -1
    left = 0
    for i in range(place + 1, stack.table[depth, SIZE]):
        feature = stack.features[depth, i]
        if feature < dropped or groups[feature] != groups[dropped]:
            stack.features[depth + 1, left] = feature
            left += 1
    return left
