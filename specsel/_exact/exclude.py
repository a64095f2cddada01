"""The tree that starts with all features and drops some, searched as several stacks at a time.

A node keeps some features and chooses the rest of its supports from its free ones; each child
drops one of these. `descent` says what a node carries and why it is pruned, and searches one stack
for a given amount of work. Here the nodes are handed to the stacks: one that has run out of work
takes the node with most free features from the others. Stacks exchange nothing while they run, and
their number and their work are fixed, so the outcome does not depend on the number of threads.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from specsel._exact.descent import (
    BASE,
    CHOOSE,
    CLOSED,
    DEPTH,
    FOUND,
    KEPT,
    MARK_ROWS,
    NODE_COLUMNS,
    NODES,
    SIZE,
    STATE_ENTRIES,
    VERSION,
    Rules,
    Stack,
    descend,
)
from specsel._validate import Bools, Integers

# Stacks searched at a time.
STACKS = 8

# A node: the features it keeps, its free features, and how many of these its supports hold.
Node = tuple[Integers, Integers, int]


class Exclude:
    """The tree over n free features, of which supports hold `choose`."""

    def __init__(self, n_free: int, choose: int) -> None:
        """Give the root to the first stack."""
        self.stacks = tuple(_idle_stack(n_free, n_free - choose + 2) for _ in range(STACKS))
        _place(self.stacks[0], (np.empty(0, np.int64), np.arange(n_free), choose))

    @property
    def done(self) -> bool:
        """Whether no node is left."""
        return all(stack.state[DEPTH] < 0 for stack in self.stacks)

    @property
    def nodes(self) -> int:
        """How many nodes were examined."""
        return int(sum(stack.state[NODES] for stack in self.stacks))

    def advance(self, threads: ThreadPoolExecutor, rules: Rules, budget: float) -> list[Bools]:
        """Search every stack for so many multiplications; list masks of better supports."""
        self._hand_out()
        busy = [stack for stack in self.stacks if stack.state[DEPTH] >= 0]
        chunks = [threads.submit(descend, stack, rules, budget) for stack in busy]
        for chunk in chunks:
            chunk.result()
        found = []
        for stack in self.stacks:
            if stack.state[FOUND]:
                found.append(stack.found.copy())
                stack.state[FOUND] = 0
        return found

    def remaining(self) -> list[Node]:
        """List the open nodes."""
        return [
            open_part(stack, depth)
            for stack in self.stacks
            for depth in range(stack.state[DEPTH] + 1)
            if not stack.table[depth, CLOSED]
        ]

    def _hand_out(self) -> None:
        """Give idle stacks nodes of the others, those with most free features first."""
        for stack in self.stacks:
            if stack.state[DEPTH] >= 0:
                continue
            donors = [
                (donor.table[depth, SIZE] - donor.table[depth, KEPT], -number, depth)
                for number, donor in enumerate(self.stacks)
                for depth in range(donor.state[DEPTH])
                if not donor.table[depth, CLOSED]
            ]
            if not donors:
                return
            _, number, depth = max(donors)
            donor = self.stacks[-number]
            _place(stack, open_part(donor, depth))
            donor.table[depth, CLOSED] = 1


def open_part(stack: Stack, depth: int) -> Node:
    """Return what is left of a node of a stack, without the children it already made."""
    kept = [stack.base[: stack.state[BASE]]]
    kept += [stack.features[level, : stack.table[level, KEPT] - 1] for level in range(depth)]
    own = stack.features[depth]
    size, count, choose = stack.table[depth, [SIZE, KEPT, CHOOSE]]
    return np.concatenate((*kept, own[:count])), own[count:size].copy(), choose - count


def _idle_stack(n: int, levels: int) -> Stack:
    """Make a stack without a node, with room for so many levels of n free features."""
    state = np.zeros(STATE_ENTRIES, np.int64)
    state[DEPTH] = -1
    return Stack(
        state=state,
        base=np.zeros(n, np.int64),
        table=np.zeros((levels, NODE_COLUMNS), np.int64),
        features=np.zeros((levels, n), np.int64),
        marks=np.zeros((levels, MARK_ROWS, n)),
        inverse=np.empty(sum((n - level) ** 2 for level in range(min(levels, n)))),
        found=np.zeros(n, np.bool_),
    )


def _place(stack: Stack, node: Node) -> None:
    """Give an idle stack a node."""
    base, free, choose = node
    stack.base[: len(base)] = base
    stack.table[0] = 0
    stack.table[0, [SIZE, CHOOSE, VERSION]] = len(free), choose, -1
    stack.features[0, : len(free)] = free
    stack.state[[DEPTH, BASE]] = 0, len(base)
