"""The stacks of the tree that excludes features: what they share, and what they leave open."""

import itertools
from concurrent.futures import ThreadPoolExecutor

from instances import wishart

from specsel._exact import descent, exclude, problem, search


def supports_of(nodes):
    """All supports of some nodes, each as often as nodes hold it."""
    return [
        tuple(sorted((*kept.tolist(), *rest)))
        for kept, free, choose in nodes
        for rest in itertools.combinations(free.tolist(), choose)
    ]


def test_the_root_holds_all_supports():
    tree = exclude.Exclude(6, 3)
    assert sorted(supports_of(tree.remaining())) == list(itertools.combinations(range(6), 3))
    assert not tree.done
    assert tree.nodes == 0


def test_work_that_is_handed_out_is_neither_lost_nor_done_twice(rng):
    A, B = wishart(rng, 14), wishart(rng, 14)
    tree = search.Search(problem.Problem(A, B, 6), range(6))
    tree.plant()
    stacks, shared = tree.exclude, 0
    with ThreadPoolExecutor(2) as threads:
        while not stacks.done:
            before = supports_of(stacks.remaining())
            assert len(before) == len({*before})
            stacks._hand_out()
            assert sorted(supports_of(stacks.remaining())) == sorted(before)
            shared += sum(stack.state[descent.DEPTH] >= 0 for stack in stacks.stacks) > 1
            found = stacks.advance(threads, tree.rules, 1.0)
            assert {*supports_of(stacks.remaining())} <= {*before}
            assert all(mask.sum() == 6 for mask in found)
    assert shared
    assert stacks.nodes > 0
