"""Exact search for the k features of largest ``λ_max(A_S, B_S)`` by including features.

With ``M = t B - A`` a support S is worth more than t exactly if ``M_S`` is not positive
semi-definite. A node includes the features F and may take k' more of the free ones R; it carries
the Schur complement N of ``M_F`` in M, for then ``M_S`` is positive semi-definite exactly if the
part of N that belongs to the rest of S is. To include a feature is one step of elimination, to
exclude one deletes a row and a column.

For any x > 0, if ``N_ii x_i`` is at least the sum of the k' - 1 largest ``|N_ij| x_j``, j ≠ i, for
every i, then no support of the node is worth more than t, as all those parts are diagonally
dominant once scaled by x. If the inequality fails for some rows, a support worth more takes one of
them: the node includes the worst of them, then excludes it and looks again. The best x is found
by iterating the map of the inequality.

This suits small k, or any k where the entries of A are of one sign; it departs from the paper,
which has neither the bound nor the tree.
"""

import numpy as np

from specsel import linalg
from specsel._exact.exclude import precedes
from specsel.linalg import jit

# Subtrees searched at a time.
SLOTS = 8

# Iterations of x at the root and at every visit of a node, and the least share of it kept.
ROOT_STEPS = 30
STEPS = 2
LEAST = 1e-3
SMALLEST = 1e-100

# What the sums may come to, of the diagonal: rounding is on the safe side.
MARGIN = 1 - 1e-10

# Complements may have entries so many times those of the matrix, and B, its diagonal scaled to 1,
# no smaller eigenvalue: beyond that, rounding might prove what is false.
GROWTH = 1e5
LEAST_EIGENVALUE = 1e-5

# What a term of the sums costs, in multiplications.
TERM = 3

# Doubles that the stacks of all slots may take.
ROOM = 2.5e7

# Of a slot: its deepest node or -1, features included by all of it, how many more those take,
# nodes, and whether it found a support (1) or met with growth (2).
DEPTH, BASE, CHOOSE, NODES, FOUND = range(5)


@jit
def ratios(matrix, size, others, scale, out):
    """Sum of the `others` largest ``|N_ij| x_j`` of every row over ``N_ii x_i``; the worst row."""
    largest = np.empty(max(others, 1))
    worst = 0
    for i in range(size):
        count, total = 0, 0.0
        for j in range(size):
            if j == i or others == 0:
                continue
            entry = abs(matrix[i, j]) * scale[j]
            if count < others:
                place, count = count, count + 1
                while place > 0 and largest[place - 1] > entry:
                    largest[place] = largest[place - 1]
                    place -= 1
                largest[place] = entry
                total += entry
            elif entry > largest[0]:
                total += entry - largest[0]
                place = 0
                while place + 1 < others and largest[place + 1] < entry:
                    largest[place] = largest[place + 1]
                    place += 1
                largest[place] = entry
        out[i] = total / (matrix[i, i] * scale[i])
        if out[i] > out[worst]:
            worst = i
    return worst


@jit
def dominated(matrix, size, others, scale, out, steps):
    """The worst row after some iterations of x, or -1 if the inequality holds for every row."""
    worst = 0
    for step in range(steps):
        worst = ratios(matrix, size, others, scale, out)
        if out[worst] <= MARGIN:
            return -1
        if step + 1 < steps:
            most = out[worst]
            for i in range(size):
                scale[i] = max(scale[i] * np.sqrt(max(out[i] / most, LEAST)), SMALLEST)
    return worst


@jit
def eliminate(matrix, size, pivot, target):
    """Schur complement of one diagonal entry; return the largest number in it."""
    row, largest = 0, 0.0
    for i in range(size):
        if i == pivot:
            continue
        factor = matrix[i, pivot] / matrix[pivot, pivot]
        column = 0
        for j in range(size):
            if j != pivot:
                entry = matrix[i, j] - factor * matrix[pivot, j]
                target[row, column] = entry
                largest = max(largest, abs(entry))
                column += 1
        row += 1
    return largest


@jit
def complement(matrix, n_free):
    """Schur complement of the last rows; whether their part of the matrix is positive definite."""
    work = matrix.copy()
    for last in range(len(matrix) - 1, n_free - 1, -1):
        if work[last, last] <= 0:
            return work[:n_free, :n_free].copy(), False
        eliminate(work, last + 1, last, work)
    return work[:n_free, :n_free].copy(), True


@jit
def is_dominated(matrix, n_free, choose):
    """Whether no support of a node is negative; its free features come first in the matrix."""
    part, positive = complement(matrix, n_free)
    if not positive or np.diag(part).min() <= 0:
        return False
    scale, out = np.ones(n_free), np.empty(n_free)
    return dominated(part, n_free, choose - 1, scale, out, ROOT_STEPS) < 0


@jit
def _descend(state, sizes, taken, features, scales, parts, base, found, rules, budget):
    """Depth first, until the work is done or a support is found."""
    groups, rival, most, ties = rules
    out = np.empty(len(groups))
    work = 0
    while state[DEPTH] >= 0 and work < budget and state[FOUND] == 0:
        depth = state[DEPTH]
        size, left = sizes[depth], state[CHOOSE] - depth
        work += size
        if size < left or (ties and _hopeless(state, taken, features, sizes, base, rival)):
            state[DEPTH] -= 1
            continue
        hit = -1
        for i in range(size):
            if parts[depth, i, i] <= 0:
                hit = i
        if hit >= 0:
            _collect(state, taken, base, found)
            found[features[depth, hit]] = True
            state[FOUND] = 1
            if ties:
                sizes[depth] = _exclude(features, scales, parts, depth, size, hit, groups)
            continue
        state[NODES] += 1
        work += TERM * STEPS * size * size
        worst = dominated(parts[depth], size, left - 1, scales[depth], out, STEPS)
        if worst < 0:
            state[DEPTH] -= 1
            continue
        worst = _first_alike(features[depth], size, worst, groups)
        work += 2 * size * size
        if eliminate(parts[depth], size, worst, parts[depth + 1]) > most:
            state[FOUND] = 2
            return
        place = 0
        for i in range(size):
            if i != worst:
                features[depth + 1, place] = features[depth, i]
                scales[depth + 1, place] = scales[depth, i]
                place += 1
        sizes[depth + 1], taken[depth + 1] = size - 1, features[depth, worst]
        sizes[depth] = _exclude(features, scales, parts, depth, size, worst, groups)
        state[DEPTH] += 1


@jit
def _first_alike(features, size, place, groups):
    """Of the features that are exactly like one, the first: it is taken before the others."""
    group = groups[features[place]]
    for i in range(size):
        if group >= 0 and groups[features[i]] == group and features[i] < features[place]:
            place = i
    return place


@jit
def _exclude(features, scales, parts, depth, size, out, groups):
    """Delete a feature, and the later ones that are exactly like it; return how many are left."""
    feature = features[depth, out]
    group = groups[feature]
    kept = np.empty(size, np.int64)
    left = 0
    for i in range(size):
        other = features[depth, i]
        if i != out and (group < 0 or groups[other] != group or other < feature):
            kept[left] = i
            left += 1
    for i in range(left):
        features[depth, i] = features[depth, kept[i]]
        scales[depth, i] = scales[depth, kept[i]]
        for j in range(left):
            parts[depth, i, j] = parts[depth, kept[i], kept[j]]
    return left


@jit
def _collect(state, taken, base, mask):
    """Mark the features that the deepest node includes."""
    mask[:] = False
    for i in range(state[BASE]):
        mask[base[i]] = True
    for level in range(1, state[DEPTH] + 1):
        mask[taken[level]] = True


@jit
def _hopeless(state, taken, features, sizes, base, rival):
    """Whether the smallest support of the deepest node is not smaller than the rival."""
    mask = np.empty(len(rival), np.bool_)
    _collect(state, taken, base, mask)
    depth = state[DEPTH]
    rest = np.sort(features[depth, : sizes[depth]])
    for i in range(state[CHOOSE] - depth):
        mask[rest[i]] = True
    return not precedes(mask, rival)


class Include:
    """The search over the first n features of a matrix; those after them are always included."""

    def __init__(self, n_free, choose, groups):
        self.n, self.choose, self.groups = n_free, choose, groups
        self.ties = False

    @staticmethod
    def suits(b, n_free, choose):
        """Whether the stacks have room and B, of unit diagonal, is not nearly singular."""
        room = SLOTS * (choose + 1) * n_free**2 <= ROOM
        return room and choose > 0 and linalg.eigen(b)[0][0] >= LEAST_EIGENVALUE

    def begin(self, matrix, rival, *, ties=False):
        """Start from the root; with `ties` look for supports that precede the rival alone."""
        n, levels = self.n, self.choose + 1
        self.ties, self.pending = ties, []
        self.states = np.zeros((SLOTS, 5), np.int64)
        self.states[:, DEPTH] = -1
        self.sizes = np.zeros((SLOTS, levels), np.int64)
        self.taken = np.zeros((SLOTS, levels), np.int64)
        self.features = np.zeros((SLOTS, levels, n), np.int64)
        self.scales = np.ones((SLOTS, levels, n))
        self.parts = np.empty((SLOTS, levels, n, n))
        self.bases = np.zeros((SLOTS, n), np.int64)
        self.found = np.zeros((SLOTS, n), np.bool_)
        self._place(0, (np.empty(0, np.int64), np.arange(n), self.choose), np.ones(n))
        self.renew(matrix, rival)
        if self.sizes[0, 0] == n and (self.parts[0, 0].diagonal() > 0).all():
            scale = self.scales[0, 0]
            dominated(self.parts[0, 0], n, self.choose - 1, scale, np.empty(n), ROOT_STEPS)

    def renew(self, matrix, rival):
        """Go on with another threshold and another best support."""
        self.matrix, self.rival = matrix, rival
        for slot in range(SLOTS):
            for depth in range(self.states[slot, DEPTH] + 1):
                self._renew(slot, depth)

    def _renew(self, slot, depth):
        """Compute what a node carries; if its features alone are worth more, it is done with."""
        base, free, _ = self._node(slot, depth)
        fixed = np.arange(self.n, len(self.matrix))
        chosen = np.concatenate((free, base, fixed))
        part, positive = complement(self.matrix[np.ix_(chosen, chosen)], len(free))
        if positive:
            self.parts[slot, depth, : len(free), : len(free)] = part
        elif self.ties:
            self.pending.append(np.isin(np.arange(self.n), base))
            self.sizes[slot, depth] = 0
        else:
            self.states[slot, FOUND] = 2

    def advance(self, threads, budget):
        """Search on and list what is worth more than the threshold, perhaps a smaller support."""
        found, self.pending = self.pending, []
        self._share()
        stacks = (self.sizes, self.taken, self.features, self.scales, self.parts, self.bases)
        rules = (self.groups, self.rival, GROWTH * np.abs(self.matrix).max(), self.ties)
        chunks = [
            threads.submit(_descend, *arrays, rules, budget)
            for arrays in zip(self.states, *stacks, self.found, strict=True)
        ]
        for chunk in chunks:
            chunk.result()
        for slot in np.flatnonzero(self.states[:, FOUND] == 1):
            self.states[slot, FOUND] = 0
            found.append(self.found[slot].copy())
        return found

    @property
    def doubtful(self) -> bool:
        """Whether rounding grew too much for proofs."""
        return (self.states[:, FOUND] == 2).any()

    @property
    def done(self) -> bool:
        return not self.pending and not (self.states[:, DEPTH] >= 0).any()

    @property
    def nodes(self) -> int:
        return int(self.states[:, NODES].sum())

    def remaining(self):
        """List the open nodes: what they include, their free features, how many they take."""
        nodes = [
            self._node(slot, depth)
            for slot in range(SLOTS)
            for depth in range(self.states[slot, DEPTH] + 1)
        ]
        return [node for node in nodes if len(node[1]) >= node[2]]

    def _node(self, slot, depth):
        base = self.bases[slot, : self.states[slot, BASE]]
        free = self.features[slot, depth, : self.sizes[slot, depth]]
        included = np.concatenate((base, self.taken[slot, 1 : depth + 1]))
        return included, free.copy(), int(self.states[slot, CHOOSE] - depth)

    def _place(self, slot, node, scale):
        """Give an idle slot a node."""
        base, free, choose = node
        self.states[slot, [DEPTH, BASE, CHOOSE]] = 0, len(base), choose
        self.bases[slot, : len(base)] = base
        self.sizes[slot, 0] = len(free)
        self.features[slot, 0, : len(free)] = free
        self.scales[slot, 0, : len(free)] = scale

    def _share(self):
        """Give idle slots the highest nodes of the others."""
        for slot in np.flatnonzero(self.states[:, DEPTH] < 0):
            donors = [
                (self.sizes[donor, depth] + self.states[donor, CHOOSE] - depth, -donor, depth)
                for donor in range(SLOTS)
                for depth in range(self.states[donor, DEPTH])
                if self.sizes[donor, depth] >= self.states[donor, CHOOSE] - depth
            ]
            if not donors:
                return
            _, donor, depth = max(donors)
            node = self._node(-donor, depth)
            size = len(node[1])
            self._place(slot, node, self.scales[-donor, depth, :size])
            self.parts[slot, 0, :size, :size] = self.parts[-donor, depth, :size, :size]
            self.sizes[-donor, depth] = 0
