"""No feature of an optimal support may be eliminated, against enumeration."""

import itertools
import tracemalloc

import numpy as np
import pytest

from specsel._exact import ladder


class Whole:
    """A matrix that is there."""

    def __init__(self, A):
        self.A = A

    def block_of_a(self, rows, columns):
        return self.A[np.ix_(rows, columns)]


def never():
    return False


def enumerated(A, k):
    """All supports of k features and their values."""
    supports = np.array(list(itertools.combinations(range(len(A)), k)))
    blocks = A[supports[:, :, None], supports[:, None, :]]
    return supports, np.linalg.eigvalsh(blocks)[:, -1]


def gram(rng, n, rank):
    F = rng.standard_normal((n, rank))
    return F @ F.T


def instance(rng, kind, n):
    """A symmetric matrix; many of them have ties, or t - c next to nothing."""
    if kind == "data":
        F = rng.standard_normal((n, 5)) * rng.uniform(0.1, 3, (n, 1))
        return F @ F.T
    if kind == "indefinite":
        A = rng.standard_normal((n, n))
        return A + A.T
    if kind == "negative":
        return -gram(rng, n, n)
    if kind == "integers":
        A = rng.integers(-2, 3, (n, n)).astype(float)
        return A + A.T
    if kind == "signs":
        F = rng.choice([-1.0, 0.0, 1.0], (n, 3))
        return F @ F.T
    if kind == "duplicates":
        pick = rng.integers(0, n // 2, n)
        return gram(rng, n // 2, 3)[np.ix_(pick, pick)]
    if kind == "planted":
        v = np.where(np.arange(n) < 3, 1.0, 0.0)
        return 5 * np.outer(v, v) + np.eye(n) + 1e-3 * gram(rng, n, n)
    if kind == "next to diagonal":
        A = 10.0 ** rng.integers(-12, -3) * rng.standard_normal((n, n))
        return A + A.T + np.diag(rng.choice([1.0, 1.0, 2.0], n))
    half = n // 2  # two blocks alike
    A = np.zeros((n, n))
    A[:half, :half] = A[half : 2 * half, half : 2 * half] = gram(rng, half, 2)
    return A


KINDS = (
    "data",
    "indefinite",
    "negative",
    "integers",
    "signs",
    "duplicates",
    "planted",
    "next to diagonal",
    "blocks",
)


def left_of(A, k, t, c, needed=()):
    everything = np.arange(len(A))
    squares = ladder.largest_squares(Whole(A), everything, k - 1, never)
    needed = np.array(needed, dtype=int)
    return ladder.survivors(Whole(A), np.diag(A), everything, squares, k, t, c, needed, never)


@pytest.mark.parametrize("kind", KINDS)
def test_no_feature_of_an_optimal_support_goes(kind):
    """With the tightest t and c that a search can have, ties of the optimum stay, too."""
    gone = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 10))
        A = instance(rng, kind, n)
        size = np.abs(A).max()
        shift = rng.choice([0.0, max(-np.linalg.eigvalsh(A)[0], 0.0)])
        c = np.diag(A).max()
        for k in range(2, min(n, 6)):
            supports, values = enumerated(A, k)
            best = values.max()
            t = best - 2 * ladder.slack(best, n, size)
            high = c + ladder.slack(c, n, size)
            left = left_of(A + shift * np.eye(n), k, t + shift, high + shift)
            ties = supports[values >= best - ladder.slack(best, n, size)]
            assert np.isin(ties, left).all(), (seed, k)
            gone += n - len(left)
            c = best
    assert gone > 0 or kind in ("indefinite", "negative", "integers", "blocks")


@pytest.mark.parametrize("kind", KINDS)
def test_no_feature_of_a_better_support_goes(kind):
    """With any t and any c that holds."""
    for seed in range(60):
        rng = np.random.default_rng([seed, 1])
        n = int(rng.integers(4, 10))
        A = instance(rng, kind, n)
        for k in range(2, min(n, 6)):
            supports, values = enumerated(A, k)
            c = enumerated(A, k - 1)[1].max() + rng.exponential() * rng.choice([0, 1e-9, 0.1])
            t = np.quantile(values, rng.uniform(0.5, 1))
            better = supports[values > t + 1e-12 * np.abs(A).max()]
            assert np.isin(better, left_of(A, k, t, c)).all(), (seed, k)


def test_the_rule_as_it_is_written():
    """One feature at a time, with the sums over what is left, until all stay."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(4, 12)), int(rng.integers(2, 5))
        A = instance(rng, KINDS[seed % len(KINDS)], n)
        c = np.diag(A).max() + rng.uniform(0, 1)
        t = c + rng.uniform(0, 3)
        left = [*range(n)]
        while True:
            stay = []
            for i in left:
                others = sorted((A[i, j] ** 2 for j in left if j != i), reverse=True)
                total = sum(others[: k - 1])
                if total >= (t - A[i, i]) * (t - c) - 1e-14 * t * t:
                    stay.append(i)
            if stay == left:
                break
            left = stay
        assert left_of(A, k, t, c).tolist() == left


def test_a_tiny_difference_of_t_and_c_drops_nothing_wrongly():
    """As a quotient with a relative margin the rule would fail here."""
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        n = 5
        eps = 10.0 ** rng.uniform(-9, -5)
        A = np.diag([1.0, 1.0, 1.0, 1.0, 0.5])
        A[0, 1] = A[1, 0] = eps
        A[2, 3] = A[3, 2] = eps * (1 - 1e-6)
        order = rng.permutation(n)
        A = A[np.ix_(order, order)]
        supports, values = enumerated(A, 2)
        t = values.max() * (1 - rng.choice([1e-16, 2e-16, 1e-15, 1e-12]))
        left = left_of(A, 2, t, 1.0)
        assert np.isin(supports[values > t], left).all()


def test_a_bound_that_reaches_t_eliminates_nothing():
    A = np.diag([3.0, 2.0, 1.0])
    assert left_of(A, 2, 3.0, 3.0).tolist() == [0, 1, 2]
    assert left_of(A, 2, 3.0, 2.9).tolist() == [0]
    assert left_of(A, 2, 3.0, 2.9, [2]).tolist() == [0, 2]


def test_the_largest_squares_are_those_of_a_sorted_row(monkeypatch):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, count = int(rng.integers(1, 40)), int(rng.integers(0, 12))
        A = instance(rng, "indefinite", n)
        monkeypatch.setattr(ladder, "BLOCK_ENTRIES", int(rng.integers(1, 200)))
        members = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False))
        squares = ladder.largest_squares(Whole(A), members, count, never)
        for row, i in zip(squares, members, strict=True):
            expected = sorted((A[i, j] ** 2 for j in members if j != i), reverse=True)
            np.testing.assert_allclose(row, expected[:count], rtol=1e-15)


def test_sums_of_more_squares_than_are_kept_are_bounded(monkeypatch):
    A = instance(np.random.default_rng(0), "indefinite", 30)
    exact = ladder.sums_of(ladder.largest_squares(Whole(A), np.arange(30), 20, never), 20)
    all_of_them = ladder.sums_of(ladder.largest_squares(Whole(A), np.arange(30), 29, never), 29)
    np.testing.assert_allclose(all_of_them, (A**2).sum(axis=1) - np.diag(A) ** 2)
    monkeypatch.setattr(ladder, "SQUARES", 5)
    few = ladder.largest_squares(Whole(A), np.arange(30), 20, never)
    assert few.shape == (30, 5)
    assert (ladder.sums_of(few, 20) >= exact).all()
    assert ladder.sums_of(np.ones((1, ladder.SQUARES)), 20).item() == 20


def test_the_ceiling_holds():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 9))
        A = instance(rng, ("data", "signs", "duplicates", "planted")[seed % 4], n)
        n_always = int(rng.integers(0, 3))
        bests = []
        for k in range(max(n_always, 1), n + 1):
            supports, values = enumerated(A, k)
            bests.append(values[(supports[:, :n_always] == np.arange(n_always)).all(axis=1)].max())
        for k, (c, best) in enumerate(itertools.pairwise(bests), max(n_always, 1) + 1):
            high = ladder.ceiling(c, k - n_always, np.diag(A).max())
            assert best <= high * (1 + 1e-12) + 1e-12


def test_it_ends_when_told_to():
    A = instance(np.random.default_rng(0), "data", 30)
    assert ladder.largest_squares(Whole(A), np.arange(30), 3, lambda: True) is None
    squares = ladder.largest_squares(Whole(A), np.arange(30), 3, never)
    options = (Whole(A), np.diag(A), np.arange(30), squares, 4, 40.0, 30.0, np.arange(2))
    stopped = ladder.survivors(*options, lambda: True)
    assert {*ladder.survivors(*options, never)} <= {*stopped}


def test_no_matrix_of_features_is_formed():
    """Three thousand squared would take 72 MB."""
    factor = np.random.default_rng(0).standard_normal((3000, 4))

    class Product:
        def block_of_a(self, rows, columns):
            return factor[rows] @ factor[columns].T

    ladder.largest_squares(Product(), np.arange(100), 5, never)  # compiles
    tracemalloc.start()
    ladder.largest_squares(Product(), np.arange(3000), 5, never)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6
