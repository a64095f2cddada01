"""The three trees alone: what they find, prove and leave open, against enumeration."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import mpmath
import numpy as np
import pytest
from instances import KINDS, enumerate_all, factored, pencil, tolerance, value, wishart
from oracles import pencil as oracle

from specsel import datasets
from specsel._exact import best_first, exclude, include
from specsel._exact.search import Limits, Search, SearchTask


@pytest.fixture(scope="module")
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def started(A, B, k, support, **limits):
    return Search(SearchTask(A, B), k, support, Limits([], **limits))


def supports_of(nodes):
    """All supports of some nodes, each as often as nodes hold it."""
    return [
        tuple(sorted((*kept.tolist(), *rest)))
        for kept, free, choose in nodes
        for rest in itertools.combinations(free.tolist(), choose)
    ]


def walk(search):
    """Descend `exclude` a node at a time; yield what was found so far."""
    stack, known = search.exclude.stacks[0], []
    while stack.state[exclude.DEPTH] >= 0:
        exclude.descend(stack, search.rules, 1.0)
        if stack.state[exclude.FOUND]:
            known.append(search.task.support(stack.found))
            stack.state[exclude.FOUND] = 0
        yield known


def comes_first(support, groups):
    """Whether it holds the first features of every group of those that are alike."""
    for group in {*groups[groups >= 0].tolist()}:
        held = np.isin(np.flatnonzero(groups == group), support)
        if (np.diff(held.astype(int)) > 0).any():
            return False
    return True


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_better_support_is_found_or_open(kind, plain):
    better, ties = 0, 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        A, B = pencil(rng, kind, 8)
        k = int(rng.integers(2, 7))
        supports, values = enumerate_all(A, B, k)
        error = tolerance(A, B, values.max())
        last_of_best = max(supports[i] for i in np.flatnonzero(values > values.max() - error))
        like_median = np.abs(values - np.sort(values)[len(values) // 2]) < error
        first_of_middle = min(supports[i] for i in np.flatnonzero(like_median))
        for start in (supports[int(values.argmin())], last_of_best, first_of_middle):
            search = started(A, B, k, start, bound="interlacing" if plain else "best")
            wanted = {
                support
                for support, worth in zip(supports, values, strict=True)
                if comes_first(support, search.task.groups)
                and (
                    worth > search.level + 2 * error
                    or (worth > search.level - error / 8 and support < start)
                )
            }
            known = []
            for known in walk(search):
                assert wanted <= {*known, *supports_of(search.exclude.remaining())}
            assert all(value(A, B, support) >= search.level - error for support in known)
            better += len(wanted)
            ties += len([s for s in wanted if value(A, B, s) < search.level + error])
    assert better > 50
    assert ties > 0 or kind not in ("duplicates", "zero", "block")


def test_nothing_is_lost_where_parts_are_singular():
    """Dropping feature 0 leaves a singular matrix: its diagonal in the inverse is rounding."""
    negative = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        axes = np.linalg.qr(rng.standard_normal((7, 7)))[0]
        matrix = np.eye(8)
        matrix[1:, 1:] = axes * [-2, -1, 0, 1, 1, 2, 2] @ axes.T
        matrix[0, 1:] = matrix[1:, 0] = rng.standard_normal(7)
        search = started(np.zeros((8, 8)), np.eye(8), 4, range(4))
        search.rules = search.rules._replace(
            above=matrix, below=matrix, groups=np.full(8, -1), incumbent=np.zeros(8, bool)
        )
        wanted = {
            support
            for support in itertools.combinations(range(8), 4)
            if np.linalg.eigvalsh(matrix[np.ix_(support, support)])[0] < -1e-6
        }
        for known in walk(search):
            assert wanted <= {*known, *supports_of(search.exclude.remaining())}
        negative += len(wanted)
    assert negative > 1000


@pytest.mark.parametrize("exponent", range(3, 11))
def test_no_false_proof_where_nearly_singular(exponent):
    """The start claims to be next to the optimum, so that all else has to be found by signs."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((10, 20))
        A, B = wishart(rng, 20, 1 if seed % 2 else None), rows.T @ rows / 10
        B += 10.0**-exponent * np.eye(20)
        k = (3, 17)[seed // 2 % 2]
        supports = list(itertools.combinations(range(20), k))
        index = np.array(supports)
        parts = [matrix[index[:, :, None], index[:, None]] for matrix in (A, B)]
        lower = np.linalg.inv(np.linalg.cholesky(parts[1]))
        values = np.linalg.eigvalsh(lower @ parts[0] @ lower.transpose(0, 2, 1))[:, -1]
        best = values.max()
        start = supports[int(values.argmin())]

        def claimed(support, A=A, B=B, start=start, best=best):
            return best * (1 - 1e-5) if support == start else value(A, B, support)

        task = SearchTask(A, B)
        task.value = claimed
        search = Search(task, k, start, Limits([]))
        assert search.run_until(np.inf) == "optimal"
        assert search.best[0][0] > best * (1 - 1e-6)


def test_children_carry_the_inverse_of_what_is_left(rng):
    search = started(wishart(rng, 12), wishart(rng, 12), 5, range(5))
    stack, compared = search.exclude.stacks[0], 0
    for _ in range(60):
        exclude.descend(stack, search.rules, 1.0)
        stack.state[exclude.FOUND] = 0
        depth = stack.state[exclude.DEPTH]
        node = stack.table[depth]
        if depth < 1 or node[exclude.VERSION] < 0:
            continue
        kept, free, _ = search.exclude.node(stack, depth)
        first = node[exclude.KEPT] - node[exclude.FIRST]
        matrix = search.rules.above if node[exclude.STRICT] else search.rules.below
        members = np.concatenate((free, kept)).astype(int)
        inverse = np.linalg.inv(matrix[np.ix_(members, members)])[: len(free), : len(free)]
        carried = exclude._inverse(stack, depth).reshape(2 * [len(free) + first])[first:, first:]
        upper = np.triu_indices(len(free))
        error = 1e-6 * np.abs(inverse).max()
        np.testing.assert_allclose(carried[upper], inverse[upper], atol=error)
        compared += 1
    assert compared > 20


def test_what_cancellation_left_rules_out_nothing(rng):
    inverse = np.linalg.inv(wishart(rng, 6))
    peaks = np.diag(inverse).copy()
    peaks[4] /= exclude.CANCELLED / 2
    losses, partners = np.zeros((2, 6))
    inverse[4, 4] = 1e-9  # would rule out all pairs with it
    exclude.couple(inverse.ravel(), 6, peaks, losses, partners)
    assert partners.tolist() == [6] * 6
    assert losses[4] == 0
    exclude.couple(inverse.ravel(), 6, np.zeros(6), losses, partners)
    assert partners[4] < 6


def test_work_that_is_handed_out_is_neither_lost_nor_done_twice(rng, threads):
    search = started(wishart(rng, 14), wishart(rng, 14), 6, range(6))
    tree, shared = search.exclude, 0
    everything = list(itertools.combinations(range(14), 6))
    assert sorted(supports_of(tree.remaining())) == everything
    while not tree.done:
        before = supports_of(tree.remaining())
        assert len(before) == len({*before})
        tree._hand_out()
        assert sorted(supports_of(tree.remaining())) == sorted(before)
        shared += sum(stack.state[exclude.DEPTH] >= 0 for stack in tree.stacks) > 1
        found = tree.advance(threads, search.rules, 1.0)
        assert {*supports_of(tree.remaining())} <= {*before}
        assert all(mask.sum() == 6 for mask in found)
    assert shared
    assert tree.nodes > 0


def rules(matrix, incumbent, groups=None):
    groups = np.full(len(incumbent), -1) if groups is None else groups
    return exclude.Rules(matrix, matrix, incumbent, groups, 0, False)


def test_include_ends_with_the_optimum_from_any_start(rng, threads):
    """What is found sets the next threshold, as in a search."""
    for seed in range(30):
        n = 4 + seed % 5
        make = datasets.brownian_pair if seed % 2 else datasets.wishart_pair
        A, B = make(n, rank=(None, 1, 2)[seed % 3], random_state=seed)
        if seed % 7 == 3:
            A = A - 2 * np.diag(np.arange(n))
        for k in range(1, n + 1):
            best = oracle.best_subsets(A, B, k)[0][1]
            support = np.isin(np.arange(n), rng.permutation(n)[:k])
            level = known = oracle.pencil_value(A, B, np.flatnonzero(support))
            first = rules((level + 1e-9 * max(abs(level), 1e-3)) * B - A, support)
            tree = include.Include(n, k, first)
            while not tree.done:
                assert not tree.doubtful
                for mask in tree.advance(threads, 1e4):
                    more = np.flatnonzero(~mask).tolist()
                    for rest in itertools.combinations(more, k - int(mask.sum())):
                        members = np.sort([*np.flatnonzero(mask), *rest])
                        if oracle.pencil_value(A, B, members) > level:
                            level = oracle.pencil_value(A, B, members)
                            support = np.isin(np.arange(n), members)
                if level > known:
                    known = level
                    tree.renew(rules((level + 1e-9 * max(abs(level), 1e-3)) * B - A, support))
            assert level == pytest.approx(best, rel=1e-8)


def test_include_with_features_that_are_always_included(threads):
    A, B = datasets.wishart_pair(8, random_state=4)
    order = [0, 1, 3, 4, 6, 7, 2, 5]  # the last two are in every support
    best, level = oracle.best_subsets(A, B, 4, always=[2, 5])[0]
    for factor, expected in ((1 + 1e-7, 0), (1 - 1e-7, 1)):
        matrix = (level * factor * B - A)[np.ix_(order, order)]
        tree, found = include.Include(6, 2, rules(matrix, np.zeros(6, bool))), []
        while not tree.done and not found:
            found = tree.advance(threads, 1e6)
        assert len(found) == expected
        for mask in found:
            assert {order[i] for i in np.flatnonzero(mask)} <= {*best}


def test_include_searches_ties_for_smaller_supports_alone(threads):
    """All features are alike: any support ties, and those before the incumbent are found."""
    n, k = 6, 3
    matrix = (1.6 - 1e-9) * np.eye(n) - np.full((n, n), 0.3) - 0.7 * np.eye(n)
    tree, found = include.Include(n, k, rules(matrix, np.arange(n) >= 3), ties=True), []
    while not tree.done:
        found += [np.flatnonzero(mask).tolist() for mask in tree.advance(threads, 1e6)]
    assert all(support < [3, 4, 5] for support in found)
    assert [0, 1, 2] in found
    tree = include.Include(n, k, rules(matrix, np.arange(n) < 3), ties=True)
    assert tree.advance(threads, 1e6) == []
    assert tree.done


def test_open_nodes_of_include_cover_what_is_left(threads):
    """Wherever it stops, the optimum lies in an open node, until it is found."""
    A, B = datasets.brownian_pair(10, random_state=1)
    best, level = oracle.best_subsets(A, B, 5)[0]
    tree = include.Include(10, 5, rules(0.999 * level * B - A, np.zeros(10, bool)))
    for _ in range(200):
        if tree.done or tree.advance(threads, 50):
            break
        assert tuple(best) in supports_of(tree.remaining())
    else:
        pytest.fail("nothing found")


def test_include_leaves_nearly_singular_pencils_to_the_other_trees(threads):
    b = np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    assert include.Include.suits(b, 3, 2)
    assert not include.Include.suits(b, 3, 0)
    assert not include.Include.suits(b, 3000, 2)  # its stacks would not have room
    for least, suits in ((1e-4, True), (1e-6, False)):
        b[0, 1] = b[1, 0] = 1 - least
        assert include.Include.suits(b, 3, 2) is suits
    for pivot, doubtful in ((1e-2, False), (1e-7, True)):
        matrix = np.array([[pivot, 0.5, 0.5], [0.5, 1, 0], [0.5, 0, 1]])
        tree = include.Include(3, 2, rules(matrix, np.zeros(3, bool)))
        tree.advance(threads, 1e6)
        assert tree.doubtful is doubtful


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("criterion", ["trace", "logdet"])
def test_decisions_about_a_node_lose_no_better_support(criterion, plain):
    pruned = decided = 0
    for seed in range(150):
        rng, U, B = factored(seed)
        n = len(B)
        k = int(rng.integers(1, n + 1))
        order = rng.permutation(n)
        included = order[: rng.integers(0, min(k, n - 1) + 1)]
        free = order[len(included) : n - rng.integers(0, 2)]
        split = np.full(len(free), 0.9 * np.linalg.eigvalsh(B)[0])
        node = best_first.OpenNode(included, free, split, np.zeros((len(U), len(free))))
        values = {
            frozenset(S): oracle.pencil_value(U.T @ U, B, S, criterion)
            for S in supports_of([(included, free, k - len(included))])
        }
        best = max(values.values(), default=0.0)
        task = best_first.FactoredTask(B, U, k, criterion == "logdet", plain)
        for share in (0.0, 0.5, 0.9, 0.999, 1.0):
            threshold = share * best
            bound, after, branch, found, _ = best_first.examine(task, node, threshold)
            better = {S for S, worth in values.items() if worth > threshold + 1e-7 * best}
            if bound == -np.inf:
                assert better <= ({frozenset(found.tolist())} if len(found) == k else set())
                pruned += 1
                continue
            kept = {*after.included.tolist()}
            for S in better:
                assert kept <= S <= kept | {*after.free.tolist()}
                assert values[S] <= bound * (1 + 1e-9)
            decided += len(after.free) < len(free)
            assert 0 <= branch < len(after.free)
            assert not len(found) or frozenset(found.tolist()) in values
    assert pruned > 50
    assert plain or decided > 30


@pytest.mark.parametrize("concave", [False, True])
def test_what_is_left_by_deletions_is_not_too_small_where_b_is_nearly_singular(concave, rng):
    """Next to nothing is left of a large value; against 60 digits."""

    def exact(B, U):
        with mpmath.workdps(60):
            B, U = mpmath.matrix(B.tolist()), mpmath.matrix(U.tolist())
            H = U * mpmath.inverse(B) * U.T
            return mpmath.log(mpmath.det(mpmath.eye(2) + H)) if concave else H[0, 0] + H[1, 1]

    for _ in range(10):
        F, U = rng.standard_normal((2, 5)), rng.standard_normal((2, 5))
        B = F.T @ F + 10.0 ** -rng.uniform(9, 12) * np.eye(5)
        scale = 1 / np.sqrt(np.diag(B))
        B, U = B * scale * scale[:, None], U * scale
        total, losses = best_first._deletions(B, U, concave)
        assert total >= exact(B, U)
        for i, loss in enumerate(losses):
            rest = np.arange(5) != i
            assert total - loss >= exact(B[np.ix_(rest, rest)], U[:, rest])


def test_best_first_has_a_valid_bound_at_every_moment(threads):
    for seed in range(10):
        A, B = datasets.wishart_pair(12, rank=1 + seed % 3, random_state=seed)
        criterion = ("trace", "logdet")[seed % 2]
        task = SearchTask(A, B, criterion)
        best = oracle.best_subsets(A, B, 5, criterion=criterion)[0][1]
        concave, mask = criterion == "logdet", task.mask(range(5))
        factored = best_first.FactoredTask(task.b, task.factor, 5, concave, False)
        tree = best_first.BestFirst(factored, task.groups)
        low, before = task.value((0, 1, 2, 3, 4)), np.inf
        while not tree.done:
            found = tree.advance(threads, low, low, mask, 1.0)
            low = max([low, *(task.value(task.support(one)) for one in found)])
            assert max(tree.bound, low) >= best * (1 - 1e-9)
            assert tree.bound <= before
            before = tree.bound
        assert low == pytest.approx(best)


def test_the_incumbents_are_the_best_and_of_ties_the_smallest(rng):
    """In whatever order they come; values that differ by rounding are ties."""
    A, B = wishart(rng, 7), wishart(rng, 7)
    nearly = np.diag([0.5, 1, 1 + 1e-15, 1 - 1e-15])
    for matrices, k, top in (((A, B), 3, 4), ((np.eye(5), np.eye(5)), 2, 3), ((nearly,), 1, 3)):
        pair = (*matrices, np.eye(len(matrices[0])))[:2]
        n = len(pair[0])
        expected = [tuple(S) for S, _ in oracle.best_subsets(*pair, k, top=top)]
        everything = list(itertools.combinations(range(n), k))
        for _ in range(5):
            search = started(*pair, k, everything[0], top=top)
            for i in rng.permutation(len(everything)):
                search._join_best(np.isin(np.arange(n), everything[i]))
            assert [support for _, support in search.best] == expected
