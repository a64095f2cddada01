"""The perspective bound: no support exceeds it, whatever W, e and T it is given."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from instances import wishart
from oracles import pencil as oracle

from specsel._exact import perspective
from specsel._exact.perspective import Effort

SHORT = Effort(rounds=3, sweeps=10, step=0.4, stop=0.0)
NONE = Effort(rounds=0, sweeps=0, step=0.4, stop=0.0)


def instances(count):
    for seed in range(count):
        rng = np.random.default_rng(seed)
        n, rank = int(rng.integers(3, 9)), int(rng.integers(1, 4))
        U = rng.standard_normal((rank, n))
        B = wishart(rng, n)
        if seed % 3 == 1:
            B = wishart(rng, n, max(n // 2, 1)) + 10.0 ** -rng.integers(2, 9) * np.eye(n)
        if seed % 3 == 2:
            copies = rng.integers(0, n, n)
            U, B = U[:, copies], B[np.ix_(copies, copies)] + 0.01 * np.eye(n)
        scale = 1 / np.sqrt(np.diag(B))
        yield (
            rng,
            np.ascontiguousarray(U * scale),
            B * scale * scale[:, None],
            int(rng.integers(1, n)),
        )


def best_value(U, B, k, concave):
    criterion = "logdet" if concave else "trace"
    return oracle.best_subsets(U.T @ U, B, k, criterion=criterion)[0][1]


@pytest.mark.parametrize("concave", [False, True])
def test_no_support_exceeds_the_bound(concave):
    for rng, U, B, k in instances(150):
        best = best_value(U, B, k, concave)
        split = rng.uniform(0.1, 1, len(B)) * np.linalg.eigvalsh(B)[0]
        weights = rng.standard_normal(U.shape) * rng.choice([0.0, 0.1])
        for effort in (NONE, SHORT):
            found = perspective.bound(B, U, concave, split, weights, k, -np.inf, effort)
            assert found.value >= best * (1 - 1e-9)
            assert np.linalg.eigvalsh(B - np.diag(found.split))[0] > 0
            assert (found.split > 0).all()


@pytest.mark.parametrize("concave", [False, True])
def test_exchanges_of_features_bound_those_with_and_without_them(concave):
    criterion = "logdet" if concave else "trace"
    for _, U, B, k in instances(60):
        n = len(B)
        split = np.full(n, 0.9 * np.linalg.eigvalsh(B)[0])
        found = perspective.bound(B, U, concave, split, 0 * U, k, -np.inf, SHORT)
        ordered = np.sort(found.scores)[::-1]
        for i in range(n):
            supports = [*itertools.combinations(range(n), k)]
            values = {S: oracle.pencil_value(U.T @ U, B, S, criterion) for S in supports}
            without = max(value for S, value in values.items() if i not in S)
            within = max(value for S, value in values.items() if i in S)
            if found.scores[i] >= ordered[k - 1]:
                left = found.value - found.scores[i] + ordered[k]
                assert without <= left + 1e-9 * found.value
            else:
                left = found.value - ordered[k - 1] + found.scores[i]
                assert within <= left + 1e-9 * found.value


def test_the_bound_ends_at_its_goal_and_effort_lowers_it():
    lower = 0
    for _, U, B, k in instances(30):
        split = np.full(len(B), 0.9 * np.linalg.eigvalsh(B)[0])
        few, many = (
            perspective.bound(B, U, False, split, 0 * U, k, -np.inf, Effort(n, 30, 0.3, 0.0))
            for n in (0, 30)
        )
        assert many.value <= few.value
        lower += many.value < few.value * (1 - 1e-3)
        early = perspective.bound(B, U, False, split, 0 * U, k, 2 * few.value, SHORT)
        assert early.rounds == 0
    assert lower > 10


def test_too_large_a_split_shrinks_until_the_rest_is_definite():
    for _, _, B, _ in instances(30):
        least, out = np.linalg.eigvalsh(B)[0], np.empty(len(B))
        assert perspective.certified(B, np.full(len(B), 5 * least), out)
        assert np.linalg.eigvalsh(B - np.diag(out))[0] > 0
        assert out[0] > 0.5 * least
    assert not perspective.certified(-np.eye(3), np.ones(3), np.empty(3))


def exact(array):
    return np.vectorize(Fraction, otypes=[object])(array)


def test_rounding_makes_no_bound_too_small(rng):
    """Against fractions, in which nothing is rounded."""
    for seed in range(100):
        U, W, split = *rng.standard_normal((2, 1, 5)), rng.random(5) + 0.1
        B, scores = wishart(rng, 5), np.empty(5)
        if seed % 2:
            U = W @ (B - np.diag(split))  # the scores are next to nothing
        value = perspective.evaluate(B, U, split, W, 2, scores)
        rest = exact(B) - np.diag(exact(split))
        image = (exact(W) @ rest)[0]
        a = (exact(U)[0] - image) ** 2 / exact(split)
        assert value >= exact(W)[0] @ image + sum(sorted(a)[-2:])
        assert (scores >= a).all()


def test_what_rounding_hides_is_not_taken_for_definite(rng):
    """What is left of B is singular but for rounding; fractions tell of which sign that is."""
    for _ in range(100):
        F, split, out = rng.standard_normal((4, 3)), rng.random(4) + 0.1, np.empty(4)
        B = F @ F.T + np.diag(split)
        assert perspective.certified(B, split, out)
        rest = exact(B) - np.diag(exact(out))
        for i in range(4):
            assert rest[i, i] > 0
            rest = rest - np.outer(rest[:, i], rest[i]) / rest[i, i]


def test_a_step_keeps_the_rest_definite(rng):
    for _, _, B, _ in instances(60):
        split = np.full(len(B), 0.9 * np.linalg.eigvalsh(B)[0])
        gradient = rng.random(len(B)) * (rng.random(len(B)) < 0.5) + 1e-9
        moved = perspective.raised(B, split, gradient, 1.0)
        assert (moved > 0).all()
        assert np.linalg.eigvalsh(B - np.diag(moved))[0] > -1e-12


def test_the_tangent_of_log_det_lies_above_it(rng):
    for _ in range(50):
        rank, n = int(rng.integers(1, 5)), 6
        U, W = rng.standard_normal((2, rank, n))
        factor, turn = np.eye(rank), np.eye(rank)
        constant = perspective.linearised(U, rng.choice([0.1, 1]) * W, factor, turn)
        np.testing.assert_allclose(factor @ turn, np.eye(rank), atol=1e-9)
        H = wishart(rng, rank)
        tangent = np.trace(turn @ H @ turn.T) + constant
        assert np.linalg.slogdet(np.eye(rank) + H)[1] <= tangent + 1e-9
        # It touches where W says.
        constant = perspective.linearised(U, U, factor, turn)
        tangent = np.trace(turn @ U @ U.T @ turn.T) + constant
        assert np.linalg.slogdet(np.eye(rank) + U @ U.T)[1] == pytest.approx(tangent)
