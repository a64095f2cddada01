"""Every bound that prunes, and those of unfinished searches, against enumeration."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from instances import KINDS, factored, pencil, tolerance, value, wishart
from oracles import pencil as oracle
from scipy.linalg import eigh
from scipy.optimize import minimize

from specsel import datasets
from specsel._exact import bounds


def nodes(count):
    """Pairs, the free features of a node, how many it chooses, and its best value."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 9))
        A, B = pencil(rng, KINDS[seed % len(KINDS)], n)
        n_free = int(rng.integers(1, n + 1))
        choose = int(rng.integers(0, n_free + 1))
        kept = tuple(range(n_free, n))
        if choose + len(kept):
            rests = itertools.combinations(range(n_free), choose)
            yield A, B, n_free, choose, max(value(A, B, (*rest, *kept)) for rest in rests)


def test_no_node_that_holds_a_negative_support_counts_as_empty():
    shown = {"signs": 0, "dominance": 0, "relaxation": 0}
    for A, B, n_free, choose, best in nodes(300):
        error = tolerance(A, B, best)
        below = (best - error) * B - A
        for plain in (False, True):
            assert not bounds.is_empty(below, n_free, choose, plain)
        assert choose == 0 or not bounds.is_dominated(below, n_free, choose)
        assert not bounds.is_empty_relaxed(below, n_free, choose)
        highest = eigh(A, B, eigvals_only=True)[-1]
        above = (highest + tolerance(A, B, highest)) * B - A
        assert bounds.is_empty(above, n_free, choose, False)
        if highest > best + 100 * error:
            level = (best + 0.7 * (highest - best)) * B - A
            shown["signs"] += bounds.is_empty(level, n_free, choose, False)
            shown["dominance"] += choose > 0 and bounds.is_dominated(level, n_free, choose)
            shown["relaxation"] += bounds.is_empty_relaxed(level, n_free, choose)
    assert min(shown.values()) > 20


def test_the_inverse_and_its_inertia(rng):
    for n in (1, 2, 3, 7, 20):
        for zero_diagonal in (False, True):
            matrix = rng.standard_normal((n, n))
            matrix += matrix.T
            if zero_diagonal and n > 1:
                np.fill_diagonal(matrix, 0.0)
            inverse = matrix.copy()
            negative = bounds.invert(inverse)
            assert negative == (np.linalg.eigvalsh(matrix) < 0).sum()
            error = 1e-12 * np.linalg.cond(matrix) * np.abs(inverse).max()
            np.testing.assert_allclose(inverse, np.linalg.inv(matrix), rtol=0, atol=error)


def test_inverses_and_factors_of_definite_matrices(rng):
    for n in (1, 2, 7):
        B = wishart(rng, n) + 0.1 * np.eye(n)
        inverse, factor = B.copy(), B.copy()
        assert bounds.invert_definite(inverse)
        np.testing.assert_allclose(inverse @ B, np.eye(n), atol=1e-9)
        assert bounds.lower_factor(factor)
        np.testing.assert_allclose(factor @ factor.T, B)
        turn = np.zeros((n, n))
        bounds.lower_inverse(factor, turn)
        np.testing.assert_allclose(turn @ factor, np.eye(n), atol=1e-9)
        for kernel in (bounds.invert_definite, bounds.lower_factor):
            assert not kernel(B - 2 * np.linalg.eigvalsh(B)[-1] * np.eye(n))
            assert not kernel(np.zeros((n, n)))
            assert not kernel(np.full((n, n), np.nan))


def test_dominated_rows_leave_no_support_worth_more():
    held = 0
    for seed in range(30):
        n = 4 + seed % 5
        make = datasets.brownian_pair if seed % 2 else datasets.wishart_pair
        A, B = make(n, rank=(None, 1, 2)[seed % 3], random_state=seed)
        for k in range(1, n + 1):
            best = oracle.best_subsets(A, B, k)[0][1]
            for factor in (0.9, 0.999, 1.001, 1.1, 1.5, 3.0):
                matrix = best * factor * B - A
                if (matrix.diagonal() <= 0).any():
                    continue
                scale, out = np.ones(n), np.empty(n)
                if bounds.undominated(matrix, n, k - 1, scale, out, 20) < 0:
                    held += 1
                    assert factor > 1
    assert held > 200


def test_rows_are_sums_of_the_largest(rng):
    matrix = rng.standard_normal((7, 7))
    np.fill_diagonal(matrix, 1 + rng.random(7))
    scale, out = 1 + rng.random(7), np.empty(7)
    for others in range(7):
        worst = bounds.ratios(matrix, 7, others, scale, out)
        entries = np.abs(matrix) * scale
        np.fill_diagonal(entries, 0)
        sums = np.sort(entries, axis=1)[:, 7 - others :].sum(axis=1)
        np.testing.assert_allclose(out, sums / (matrix.diagonal() * scale))
        assert worst == np.argmax(out)


def problems(count):
    for seed in range(count):
        rng, U, B = factored(seed)
        yield rng, U, B, int(rng.integers(1, len(B)))


# Rounds, sweeps, step and the gain at which to stop.
SHORT, NONE = (3, 10, 0.4, 0.0), (0, 0, 0.4, 0.0)
CRITERIA = pytest.mark.parametrize("criterion", ["trace", "logdet"])


@CRITERIA
def test_no_support_exceeds_the_perspective_bound(criterion):
    for rng, U, B, k in problems(150):
        best = oracle.best_subsets(U.T @ U, B, k, criterion=criterion)[0][1]
        split = rng.uniform(0.1, 1, len(B)) * np.linalg.eigvalsh(B)[0]
        weights = rng.standard_normal(U.shape) * rng.choice([0.0, 0.1])
        for effort in (NONE, SHORT):
            concave = criterion == "logdet"
            least, e, *_ = bounds.bound(B, U, concave, split, weights, k, -np.inf, *effort)
            assert least >= best * (1 - 1e-9)
            assert np.linalg.eigvalsh(B - np.diag(e))[0] > 0
            assert (e > 0).all()


@CRITERIA
def test_exchanges_of_features_bound_those_with_and_without_them(criterion):
    for _, U, B, k in problems(60):
        n, split = len(B), np.full(len(B), 0.9 * np.linalg.eigvalsh(B)[0])
        found = bounds.bound(B, U, criterion == "logdet", split, 0 * U, k, -np.inf, *SHORT)
        least, scores = found[0], found[3]
        ordered = np.sort(scores)[::-1]
        supports = itertools.combinations(range(n), k)
        values = {S: oracle.pencil_value(U.T @ U, B, S, criterion) for S in supports}
        for i in range(n):
            if scores[i] >= ordered[k - 1]:
                others, left = (i not in S for S in values), least - scores[i] + ordered[k]
            else:
                others, left = (i in S for S in values), least - ordered[k - 1] + scores[i]
            best = max(itertools.compress(values.values(), others))
            assert best <= left + 1e-9 * least


def test_the_bound_ends_at_its_goal_and_effort_lowers_it():
    lower = 0
    for _, U, B, k in problems(30):
        split = np.full(len(B), 0.9 * np.linalg.eigvalsh(B)[0])
        few, many = (
            bounds.bound(B, U, False, split, 0 * U, k, -np.inf, rounds, 30, 0.3, 0.0)[0]
            for rounds in (0, 30)
        )
        assert many <= few
        lower += many < few * (1 - 1e-3)
        assert bounds.bound(B, U, False, split, 0 * U, k, 2 * few, 3, 30, 0.4, 0.0)[-1] == 0
    assert lower > 10


def exact(array):
    return np.vectorize(Fraction, otypes=[object])(array)


def test_rounding_makes_no_bound_too_small(rng):
    """Against fractions, in which nothing is rounded."""
    for seed in range(100):
        U, W, split = *rng.standard_normal((2, 1, 5)), rng.random(5) + 0.1
        B, scores = wishart(rng, 5), np.empty(5)
        if seed % 2:
            U = W @ (B - np.diag(split))  # the scores are next to nothing
        found = bounds.evaluate(B, U, split, W, 2, scores)
        image = (exact(W) @ (exact(B) - np.diag(exact(split))))[0]
        a = (exact(U)[0] - image) ** 2 / exact(split)
        assert found >= exact(W)[0] @ image + sum(sorted(a)[-2:])
        assert (scores >= a).all()


def test_what_rounding_hides_does_not_count_as_definite(rng):
    """What is left of B is singular but for rounding; fractions tell of which sign that is."""
    for _ in range(100):
        F, split, out = rng.standard_normal((4, 3)), rng.random(4) + 0.1, np.empty(4)
        B = F @ F.T + np.diag(split)
        assert bounds.certified(B, split, out)
        rest = exact(B) - np.diag(exact(out))
        for i in range(4):
            assert rest[i, i] > 0
            rest = rest - np.outer(rest[:, i], rest[i]) / rest[i, i]
    for _, _, B, _ in problems(30):
        least, out = np.linalg.eigvalsh(B)[0], np.empty(len(B))
        assert bounds.certified(B, np.full(len(B), 5 * least), out)
        assert np.linalg.eigvalsh(B - np.diag(out))[0] > 0
        assert out[0] > 0.5 * least
    assert not bounds.certified(-np.eye(3), np.ones(3), np.empty(3))


def test_a_step_of_the_diagonal_keeps_the_rest_definite(rng):
    for _, _, B, _ in problems(60):
        split = np.full(len(B), 0.9 * np.linalg.eigvalsh(B)[0])
        gradient = rng.random(len(B)) * (rng.random(len(B)) < 0.5) + 1e-9
        moved = bounds.raised(B, split, gradient, 1.0)
        assert (moved > 0).all()
        assert np.linalg.eigvalsh(B - np.diag(moved))[0] > -1e-12


def test_the_tangent_of_log_det_lies_above_it(rng):
    for _ in range(50):
        rank, n = int(rng.integers(1, 5)), 6
        U, W = rng.standard_normal((2, rank, n))
        factor, turn = np.eye(rank), np.eye(rank)
        constant = bounds.linearised(U, rng.choice([0.1, 1]) * W, factor, turn)
        np.testing.assert_allclose(factor @ turn, np.eye(rank), atol=1e-9)
        H = wishart(rng, rank)
        tangent = np.trace(turn @ H @ turn.T) + constant
        assert np.linalg.slogdet(np.eye(rank) + H)[1] <= tangent + 1e-9
        constant = bounds.linearised(U, U, factor, turn)  # it touches where W says
        tangent = np.trace(turn @ U @ U.T @ turn.T) + constant
        assert np.linalg.slogdet(np.eye(rank) + U @ U.T)[1] == pytest.approx(tangent)


def signs(matrix, n_free, choose):
    return bounds.is_empty(matrix, n_free, choose, False)


@pytest.mark.parametrize("kind", KINDS)
def test_no_support_of_open_nodes_exceeds_their_ceiling(kind):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        A, B = pencil(rng, kind, 9)
        k = int(rng.integers(2, 7))
        order = rng.permutation(8)
        left = [
            (order[:1], order[1:6], k - 2),  # feature 8 is in every support
            (order[2:4], np.sort(order[4:]), k - 3) if k > 3 else (order[:0], order[3:], k - 1),
        ]
        supports = {
            (*kept.tolist(), *rest, 8)
            for kept, free, choose in left
            for rest in itertools.combinations(free.tolist(), choose)
        }
        values = [value(A, B, sorted(support)) for support in supports]
        error = tolerance(A, B, max(values))
        high = eigh(A, B, eigvals_only=True)[-1] + error
        for tests in ([signs], [signs, bounds.is_empty_relaxed]):
            found = bounds.ceiling(A, B, 8, left, min(values), high, tests)
            assert max(values) - error <= found <= high


def test_the_relaxation_lowers_the_ceiling_where_few_are_chosen():
    for seed in range(5):
        A, B = pencil(np.random.default_rng(seed), "rank one", 30)
        root = [(np.empty(0, int), np.arange(30), 3)]
        high = eigh(A, B, eigvals_only=True)[-1]
        low = max(value(A, B, [i, i + 1, i + 2]) for i in range(28))
        bare = bounds.ceiling(A, B, 30, root, low, high, [signs])
        both = bounds.ceiling(A, B, 30, root, low, high, [signs, bounds.is_empty_relaxed])
        assert both < bare


def test_the_largest_values_are_those_of_a_sort(rng):
    for n in (1, 2, 3, 10, 60):
        for values in (rng.standard_normal(n), rng.integers(0, 3, n).astype(float), np.ones(n)):
            for count in range(1, n + 1):
                ordered = np.sort(values)[n - count :]
                total, least = bounds.largest(values, count)
                assert (total, least) == (pytest.approx(ordered.sum()), ordered[0])


def test_the_threshold_makes_the_shares_add_up():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 12))
        choose = int(rng.integers(1, n))
        lengths = np.where(rng.random(n) < 0.7, rng.exponential(1, n), 0.0)
        if seed % 3 == 0:
            lengths = lengths.round(1)
        found = bounds.threshold_of(lengths, choose, 8.0)
        if (lengths > 0).sum() <= choose:
            assert found == 4.0
        else:
            assert np.minimum(1, lengths / found).sum() == pytest.approx(choose)


def test_the_perspective_bound_is_minimised():
    """Compare with a general solver."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n, choose = 12, 3
        rows = rng.standard_normal((20, n)) / 4
        rest, split, u = rows.T @ rows, np.full(n, 0.3), rng.standard_normal(n)

        def relaxed(w, rest=rest, u=u, choose=choose):
            scores = np.sort((u - rest @ w) ** 2)
            return w @ rest @ w + scores[-choose:].sum() / 0.3

        weights, scores = u[None] / 0.3, np.empty(n)
        bounds.relax(rest + np.diag(split), u[None], split, weights, choose, 0.0, 100)
        found = bounds.evaluate(rest + np.diag(split), u[None], split, weights, choose, scores)
        assert found == pytest.approx(relaxed(weights[0]))
        begins = [np.zeros(n), np.linalg.solve(rest + np.diag(split), u)]
        options = {"maxiter": 40_000, "maxfev": 40_000, "adaptive": True, "xatol": 1e-9}
        best = min(
            minimize(relaxed, begin, method="Nelder-Mead", options=options).fun for begin in begins
        )
        assert found <= best * 1.01
