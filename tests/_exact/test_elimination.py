"""Safe elimination: no feature of an optimal support may go, against enumeration."""

import itertools
import tracemalloc

import numpy as np
import pytest
from instances import Clock
from oracles import pencil as oracle

from specsel import _pencil
from specsel._exact import elimination
from specsel._exact.search import TIE, Limits, slack


def block_of(A):
    return lambda rows, columns: A[np.ix_(rows, columns)]


def go_on():
    return False


def squares_of(A, count, stop=go_on):
    return elimination.largest_squares(block_of(A), np.arange(len(A)), count, stop)


def left_of(A, k, t, c, needed=(), stop=go_on):
    return elimination.survivors(
        block_of(A),
        np.diag(A),
        np.arange(len(A)),
        squares_of(A, k - 1),
        k,
        t,
        c,
        np.array(needed, dtype=int),
        stop,
    )


def enumerated(A, k):
    """All supports of k features and their values."""
    supports = np.array(list(itertools.combinations(range(len(A)), k)))
    return supports, np.linalg.eigvalsh(A[supports[:, :, None], supports[:, None, :]])[:, -1]


def gram(rng, n, rank):
    F = rng.standard_normal((n, rank))
    return F @ F.T


def two_blocks(rng, n):
    A, half = np.zeros((n, n)), n // 2
    A[:half, :half] = A[half : 2 * half, half : 2 * half] = gram(rng, half, 2)
    return A


def planted(rng, n):
    v = np.where(np.arange(n) < 3, 1.0, 0.0)
    return 5 * np.outer(v, v) + np.eye(n) + 1e-3 * gram(rng, n, n)


def duplicated(rng, n):
    pick = rng.integers(0, n // 2, n)
    return gram(rng, n // 2, 3)[np.ix_(pick, pick)]


def symmetric(A):
    return A + A.T


# Symmetric matrices; many of them have ties, or t - c next to nothing.
MATRICES = {
    "data": lambda rng, n: gram(rng, n, 5) * np.outer(*2 * [rng.uniform(0.1, 3, n)]),
    "indefinite": lambda rng, n: symmetric(rng.standard_normal((n, n))),
    "negative": lambda rng, n: -gram(rng, n, n),
    "integers": lambda rng, n: symmetric(rng.integers(-2, 3, (n, n)).astype(float)),
    "duplicates": duplicated,
    "planted": planted,
    "next to diagonal": lambda rng, n: (
        10.0 ** rng.integers(-12, -3) * symmetric(rng.standard_normal((n, n)))
        + np.diag(rng.choice([1.0, 1.0, 2.0], n))
    ),
    "blocks": two_blocks,
}


@pytest.mark.parametrize(
    "seeds", [range(30), pytest.param(range(30, 100), marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", MATRICES)
def test_no_feature_of_an_optimal_support_goes(kind, seeds):
    """With the tightest t and c that a search can have, ties of the optimum stay, too."""
    gone = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 10))
        A = MATRICES[kind](rng, n)
        size = np.abs(A).max()
        shift = rng.choice([0.0, max(-np.linalg.eigvalsh(A)[0], 0.0)])
        c = np.diag(A).max()
        for k in range(2, min(n, 6)):
            supports, values = enumerated(A, k)
            best = values.max()
            t = best - 2 * slack(best, TIE, n, size)
            high = c + slack(c, TIE, n, size)
            left = left_of(A + shift * np.eye(n), k, t + shift, high + shift)
            ties = supports[values >= best - slack(best, TIE, n, size)]
            assert np.isin(ties, left).all(), (seed, k)
            gone += n - len(left)
            c = best
    assert gone > 0 or kind in ("indefinite", "negative", "integers", "blocks")


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 60), marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", MATRICES)
def test_no_feature_of_a_better_support_goes(kind, seeds):
    """With any t and any c that holds."""
    for seed in seeds:
        rng = np.random.default_rng([seed, 1])
        n = int(rng.integers(4, 10))
        A = MATRICES[kind](rng, n)
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
        A = list(MATRICES.values())[seed % len(MATRICES)](rng, n)
        c = np.diag(A).max() + rng.uniform(0, 1)
        t = c + rng.uniform(0, 3)
        left, before = [*range(n)], []
        while left != before:
            before, left = left, []
            for i in before:
                others = sorted((A[i, j] ** 2 for j in before if j != i), reverse=True)
                if sum(others[: k - 1]) >= (t - A[i, i]) * (t - c) - 1e-14 * t * t:
                    left.append(i)
        assert left_of(A, k, t, c).tolist() == left


def test_a_tiny_difference_of_t_and_c_drops_nothing_wrongly():
    """As a quotient with a relative margin the rule would fail here."""
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        eps = 10.0 ** rng.uniform(-9, -5)
        A = np.diag([1.0, 1.0, 1.0, 1.0, 0.5])
        A[0, 1] = A[1, 0] = eps
        A[2, 3] = A[3, 2] = eps * (1 - 1e-6)
        order = rng.permutation(5)
        A = A[np.ix_(order, order)]
        supports, values = enumerated(A, 2)
        t = values.max() * (1 - rng.choice([1e-16, 2e-16, 1e-15, 1e-12]))
        assert np.isin(supports[values > t], left_of(A, 2, t, 1.0)).all()


def test_a_bound_that_reaches_t_eliminates_nothing():
    A = np.diag([3.0, 2.0, 1.0])
    assert left_of(A, 2, 3.0, 3.0).tolist() == [0, 1, 2]
    assert left_of(A, 2, 3.0, 2.9).tolist() == [0]
    assert left_of(A, 2, 3.0, 2.9, [2]).tolist() == [0, 2]


@pytest.mark.parametrize("count", [0, 3, 20, 90])
def test_the_largest_squares_are_those_of_a_sorted_row(count):
    """No more than 64 are kept, and the sums of more are bounded."""
    A = MATRICES["indefinite"](np.random.default_rng(count), 100)
    squares = squares_of(A, count)
    expected = np.sort(np.where(np.eye(100), -1, A**2))[:, ::-1]
    np.testing.assert_allclose(squares, expected[:, : squares.shape[1]], rtol=1e-15)
    sums, exact = elimination.sums_of(squares, count), expected[:, :count].sum(axis=1)
    assert (sums >= exact * (1 - 1e-12)).all()
    if count <= 64:
        np.testing.assert_allclose(sums, exact)


def test_the_ceiling_of_a_size_that_was_not_solved_holds():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 9))
        A = MATRICES[("data", "duplicates", "planted")[seed % 3]](rng, n)
        n_always = int(rng.integers(0, 3))
        sizes = range(max(n_always, 1), n + 1)
        always = range(n_always)
        bests = [oracle.best_subsets(A, np.eye(n), k, always=always)[0][1] for k in sizes]
        for k, (c, best) in enumerate(itertools.pairwise(bests), sizes[0] + 1):
            high = elimination.ceiling(c, k - n_always, np.diag(A).max())
            assert best <= high * (1 + 1e-12) + 1e-12


def test_it_ends_when_it_has_to_stop():
    A = MATRICES["data"](np.random.default_rng(0), 30)
    assert squares_of(A, 3, lambda: True) is None
    stopped = left_of(A, 4, 40.0, 30.0, [0, 1], lambda: True)
    assert {*left_of(A, 4, 40.0, 30.0, [0, 1])} <= {*stopped}


def test_no_matrix_of_features_is_formed():
    """Three thousand squared would take 72 MB."""
    factor = np.random.default_rng(0).standard_normal((3000, 4))

    def block_of_a(rows, columns):
        return factor[rows] @ factor[columns].T

    elimination.largest_squares(block_of_a, np.arange(100), 5, go_on)  # compiles
    tracemalloc.start()
    elimination.largest_squares(block_of_a, np.arange(3000), 5, go_on)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


def data(seed, n, duplicates=False):
    """A few features vary more than the others."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, n)) * rng.exponential(1, n)
    X[:, :4] += rng.standard_normal((12, 1)) * 2
    if duplicates:
        X = X[:, rng.integers(0, n, n)]
    return X[:, rng.permutation(n)]


def noise(seed, n_samples, n):
    return _pencil.from_data(np.random.default_rng(seed).standard_normal((n_samples, n)))


def pencils(seed, n):
    yield _pencil.from_data(data(seed, n))
    yield _pencil.from_data(data(seed, n, duplicates=True))
    yield _pencil.from_data(data(seed, n), matrix="correlation")
    A = np.random.default_rng(seed).standard_normal((n, n))
    yield _pencil.from_pair(A + A.T, np.eye(n))
    yield _pencil.from_pair(-A @ A.T, np.eye(n))


def searched(pencil, sizes, always=(), members=None, features_limit=300, **limits):
    members = np.arange(pencil.n_features) if members is None else members
    limits = Limits(**({"caught": [], "clock": Clock(0.0)} | limits))
    always = np.array(always, dtype=int)
    return elimination.search_components(pencil, members, always, sizes, limits, features_limit)


def best_of(pencil, k, **sets):
    A, B = pencil.matrices
    return oracle.best_subsets(A, B, k, **sets)[0]


@pytest.mark.parametrize("seed", range(6))
def test_every_size_is_the_enumerated_optimum(seed):
    for pencil in pencils(seed, 10):
        always = sorted([7, 3][: seed % 3])
        never = [seed] if seed not in always else []
        rows, _ = searched(
            pencil, range(max(len(always), 1), 6), always, np.setdiff1d(np.arange(10), never)
        )
        for row in rows:
            support, value = best_of(pencil, row.size, always=always, never=never)
            assert row.support.tolist() == support
            assert row.value == pytest.approx(value, rel=1e-9, abs=1e-12)
            assert row.bound == pytest.approx(row.value, rel=1e-8)
            assert row.status == "optimal"


def test_sizes_that_were_not_asked_for_are_solved_all_the_same():
    pencil = _pencil.from_data(data(1, 60))
    rows, left = searched(pencil, [2, 5])
    again, _ = searched(pencil, range(1, 6))
    assert [row.size for row in rows] == [2, 5]
    assert [row.support.tolist() for row in rows] == [again[i].support.tolist() for i in (1, 4)]
    assert left < 60


def test_where_too_many_survive_a_size_stays_open_with_a_bound_that_holds():
    pencil = noise(0, 30, 14)
    rows, left = searched(pencil, [1, 2, 3, 4], features_limit=3)
    assert (rows[0].status, rows[-1].status, left) == ("optimal", "features", 14)
    for row in rows:
        best = best_of(pencil, row.size)[1]
        assert row.value <= best * (1 + 1e-9) <= row.bound * (1 + 1e-8)


def test_bounds_hold_where_features_that_are_always_held_vary_little(rng):
    X = rng.standard_normal((30, 1)) + 0.1 * rng.standard_normal((30, 12))
    X[:, :6] *= 0.1
    pencil = _pencil.from_data(X)
    for row in searched(pencil, [3, 4, 5], [0, 1], features_limit=1)[0]:
        assert best_of(pencil, row.size, always=[0, 1])[1] <= row.bound * (1 + 1e-9)


@pytest.mark.parametrize("features_limit", [1, 300])
def test_a_multiple_of_the_identity_moves_bounds_and_changes_nothing_else(features_limit):
    A = _pencil.from_data(data(0, 20)).matrices[0]
    (rows, left), (moved, left_moved) = (
        searched(_pencil.from_pair(one, np.eye(20)), [2, 4], features_limit=features_limit)
        for one in (A, A - 5 * np.eye(20))
    )
    assert left == left_moved
    assert (left < 20) == (features_limit == 300)
    for row, other in zip(rows, moved, strict=True):
        assert row.support.tolist() == other.support.tolist()
        assert (row.status, row.value) == (other.status, pytest.approx(other.value + 5))
        assert row.bound == pytest.approx(other.bound + 5)


@pytest.mark.parametrize("step", [1e-4, 0.01, 0.05, 0.3])
def test_a_search_that_runs_out_of_time_gives_valid_bounds(step):
    for seed in range(3):
        pencil = noise(seed, 30, 12)
        rows, _ = searched(pencil, [2, 3, 5], time_limit=1.0, clock=Clock(step))
        for row in rows:
            best = best_of(pencil, row.size)[1]
            assert len({*row.support.tolist()}) == row.size
            assert row.status in ("time", "optimal")
            assert row.value <= best * (1 + 1e-9) <= row.bound * (1 + 1e-8)


@pytest.mark.parametrize(
    ("limits", "status"), [({"time_limit": 0.0}, "time"), ({"caught": [2]}, "interrupted")]
)
def test_no_time_at_all_or_control_c_before_it_begins(limits, status):
    rows, _ = searched(_pencil.from_data(data(0, 30)), [1, 4], **limits)
    assert [row.status for row in rows] == ["optimal", status]
    assert (rows[1].nodes, len(rows[1].support)) == (0, 4)
    assert rows[1].bound >= rows[1].value


def test_a_callback_that_stops_ends_all_sizes():
    rows, _ = searched(noise(0, 40, 25), range(1, 9), callback=lambda *state: True)
    statuses = [row.status for row in rows]
    assert "interrupted" in statuses
    assert set(statuses[statuses.index("interrupted") :]) == {"interrupted"}


def test_a_gap_ends_the_last_size_alone():
    """The sizes below are proved in full, for elimination needs their bounds."""
    pencil = noise(3, 40, 18)
    rows, _ = searched(pencil, [3, 4], gap=0.2)
    assert [row.status for row in rows] == ["optimal", "gap"]
    assert best_of(pencil, 4)[1] <= rows[1].bound * (1 + 1e-9)


def test_starts_are_those_of_a_literal_truncated_power_iteration():
    for seed in range(20):
        pencil, k = _pencil.from_data(data(seed, 20)), 4
        A, literal = pencil.matrices[0], []
        for vector in A:
            for _ in range(elimination.STEPS):
                support = np.sort(np.argsort(-np.abs(vector))[:k])
                sparse = np.where(np.isin(np.arange(20), support), vector, 0.0)
                vector = A @ (sparse / np.linalg.norm(sparse))
            literal.append(support.tolist())
        work = elimination.Elimination(
            pencil, np.arange(20), np.empty(0, int), k, Limits([]), features_limit=300
        )
        assert all(support.tolist() in literal for support in work._powers(k))
