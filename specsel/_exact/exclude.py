"""The compiled descent of the exact search, from all features to the supports by dropping some.

A node keeps some features and chooses the rest from its free ones. Its children drop the first,
keep the first and drop the second, keep the first two and drop the third, and so on, in an order
that puts first what cannot be spared: those children, which have most descendants, end soonest
(as in leaps and bounds). First is the feature whose drop takes most from the diagonal of the
inverse. A stack holds a node and its ancestors, each with its inverse.
"""

from typing import NamedTuple

import numpy as np

from specsel._exact.inertia import (
    CANCELLED,
    couple,
    drop,
    exchange,
    invert,
    is_negative,
    submatrix,
    uncouple,
)
from specsel.linalg import jit

# What looking at a node costs, and each feature kept, besides the features: in multiplications.
VISIT = 500

# Columns of the table of nodes: free features, those of them kept before the inverse was computed,
# those kept now, those to be kept in all, negative eigenvalues, whether pruned just above the
# incumbent, the incumbent they were computed for, whether still to be examined, and whether
# what is left of the node was given away.
SIZE, FIRST, KEPT, CHOOSE, NEGATIVE, STRICT, VERSION, FRESH, CLOSED = range(9)

# Of a stack: its deepest node or -1, features kept by all of it, nodes examined, support found.
DEPTH, BASE, NODES, FOUND = range(4)

# Of each feature of a node: its largest diagonal in the inverse since that was computed, what its
# drop takes from the others, and how many can go if it goes, itself included.
PEAK, LOSS, PARTNERS = range(3)


class Stack(NamedTuple):
    """A stack of nodes, each with its ancestors below it."""

    state: np.ndarray
    base: np.ndarray  # features kept by all nodes
    table: np.ndarray  # a row for each node
    features: np.ndarray
    marks: np.ndarray
    inverse: np.ndarray  # of all nodes, one after the other
    found: np.ndarray  # mask of a support


class Rules(NamedTuple):
    """What the nodes are pruned by."""

    tight: np.ndarray  # M just above the incumbent
    loose: np.ndarray  # M just below it
    rival: np.ndarray  # mask of the support to beat
    groups: np.ndarray
    version: int
    plain: bool


@jit
def descend(stack, rules, budget):
    """Depth first, until the work is done or a support is found."""
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
            below = precedes(stack.found, rules.rival)
            tie = _is_better(rules.loose, stack.found)
            state[DEPTH] -= 1
            if tie and (below or _is_better(rules.tight, stack.found)):
                state[FOUND] = 1
            elif tie:
                state[DEPTH] = _retreat(stack, rules.rival)


@jit
def _collect(stack, depth, kept, mask):
    """Mark what a node keeps: so many of its own features, and what its ancestors kept."""
    mask[:] = False
    for i in range(stack.state[BASE]):
        mask[stack.base[i]] = True
    for level in range(depth):
        for i in range(stack.table[level, KEPT] - 1):
            mask[stack.features[level, i]] = True
    for i in range(kept):
        mask[stack.features[depth, i]] = True


@jit
def precedes(mask, rival):
    """Whether a support is lexicographically smaller: it has the first feature they differ in."""
    for i in range(len(mask)):
        if mask[i] != rival[i]:
            return mask[i]
    return False


@jit
def _is_better(matrix, mask):
    """Whether a support is negative, with the features that all have, which come last."""
    chosen = np.empty(len(matrix), np.int64)
    count = _list_kept(mask, chosen, 0)
    return is_negative(submatrix(matrix, chosen[:count]))


@jit
def _list_kept(mask, chosen, count):
    """List behind the first `count` the features of a mask, and those always chosen."""
    for feature in range(len(chosen)):
        if feature >= len(mask) or mask[feature]:
            chosen[count] = feature
            count += 1
    return count


@jit
def _is_hopeless(stack, depth, kept, rival):
    """Whether the smallest support of a node is no smaller than the rival."""
    mask, free = np.empty(len(rival), np.bool_), np.zeros(len(rival), np.bool_)
    _collect(stack, depth, kept, mask)
    for i in range(kept, stack.table[depth, SIZE]):
        free[stack.features[depth, i]] = True
    lacking = stack.table[depth, CHOOSE] - kept
    for feature in range(len(rival)):
        if free[feature] and lacking > 0:
            mask[feature] = True
            lacking -= 1
    return not precedes(mask, rival)


@jit
def _retreat(stack, rival):
    """Where to go on from a tie of no use: from the highest node that can hold only such ties.

    It is computed afresh, to be pruned just above the incumbent, or else all ties would be seen.
    """
    table = stack.table
    for depth in range(stack.state[DEPTH] + 1):
        if table[depth, STRICT] or table[depth, CLOSED]:
            continue
        if _is_hopeless(stack, depth, table[depth, KEPT] - 1, rival):
            table[depth, KEPT] -= 1
            table[depth, VERSION] = -1
            return depth
    return stack.state[DEPTH]


@jit
def _refresh(stack, rules):
    """Compute the inverse of the deepest node from the matrix itself."""
    depth = stack.state[DEPTH]
    node = stack.table[depth]
    mask = np.empty(len(rules.rival), np.bool_)
    _collect(stack, depth, node[KEPT], mask)
    chosen = np.empty(len(rules.tight), np.int64)
    size = node[SIZE] - node[KEPT]
    for i in range(size):
        chosen[i] = stack.features[depth, node[KEPT] + i]
    count = _list_kept(mask, chosen, size)
    node[FIRST] = node[KEPT]
    node[STRICT] = _is_hopeless(stack, depth, node[KEPT], rules.rival)
    node[VERSION] = rules.version
    node[FRESH] = 1
    matrix = submatrix(rules.tight if node[STRICT] else rules.loose, chosen[:count])
    node[NEGATIVE] = invert(matrix)
    inverse = _inverse(stack, depth)
    for i in range(size):
        stack.marks[depth, PEAK, node[FIRST] + i] = abs(matrix[i, i])
        for j in range(size):
            inverse[i * size + j] = matrix[i, j]
    return count**3


@jit
def _inverse(stack, depth):
    """The inverse of a node, which has at least `depth` features less than there are."""
    n = stack.features.shape[1]
    start = depth * n * n - n * depth * (depth - 1) + (depth - 1) * depth * (2 * depth - 1) // 6
    size = stack.table[depth, SIZE] - stack.table[depth, FIRST]
    return stack.inverse[start : start + size * size]


@jit
def _fathom(stack, rules):
    """Whether the deepest node holds no better support; else keep what cannot be spared."""
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
                marks[LOSS, i] = -inverse[i * (size + 1)] * rules.tight[feature, feature]
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
    """Keep a feature of a node, which is no longer one to drop with the others."""
    node = stack.table[depth]
    first, size, row = node[FIRST], node[SIZE] - node[FIRST], node[KEPT] - node[FIRST]
    _swap(stack, depth, inverse, row, i)
    node[KEPT] += 1
    if node[NEGATIVE] == 1:
        marks = stack.marks[depth, :, first:]
        uncouple(inverse, size, row, marks[PEAK], marks[LOSS], marks[PARTNERS])


@jit
def _swap(stack, depth, inverse, i, j):
    """Exchange two features of a node."""
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
    """Put the child that drops the dearest feature on the stack, if it may hold a support."""
    depth = stack.state[DEPTH]
    node, child = stack.table[depth], stack.table[depth + 1]
    features, marks, inverse = stack.features[depth], stack.marks[depth], _inverse(stack, depth)
    place, first = node[KEPT], node[FIRST]
    dearest = place
    for i in range(place, node[SIZE]):
        if marks[LOSS, i] > marks[LOSS, dearest]:
            dearest = i
    _keep(stack, depth, inverse, dearest - first)
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
    """Drop with a feature the later ones of its group, and count what is left for the child.

    If one of them is kept the child is superfluous: that is -1.
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


@jit
def lowest(matrix, support):
    """Exchange features for earlier ones as long as the support stays negative."""
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
                if _is_better(matrix, mask):
                    changed = True
                    break
                mask[early], mask[late] = False, True
    return mask
