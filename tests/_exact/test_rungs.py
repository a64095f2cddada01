"""Sparse PCA by the ladder against enumeration, and every way in which a climb may end."""

import numpy as np
import pytest
from instances import Clock
from oracles import pencil as oracle

from specsel import _exact, _pencil


def limits(**changes):
    values = {
        "time_limit": None,
        "gap": 0.0,
        "node_limit": None,
        "report": None,
        "clock": Clock(0.0),
        "began": 0.0,
        "caught": [],
    }
    return _exact.Limits(**(values | changes))


def data(seed, n, duplicates=False):
    """A few features vary more than the others."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, n)) * rng.exponential(1, n)
    X[:, :4] += rng.standard_normal((12, 1)) * 2
    if duplicates:
        X = X[:, rng.integers(0, n, n)]
    return X[:, rng.permutation(n)]


def pencils(seed, n):
    yield _pencil.from_data(data(seed, n))
    yield _pencil.from_data(data(seed, n, duplicates=True))
    yield _pencil.from_data(data(seed, n), matrix="correlation")
    A = np.random.default_rng(seed).standard_normal((n, n))
    yield _pencil.from_pair(A + A.T, np.eye(n))
    yield _pencil.from_pair(-A @ A.T, np.eye(n))


def climbed(pencil, sizes, always=(), candidates=None, features_limit=300, **changes):
    candidates = np.arange(pencil.n_features) if candidates is None else candidates
    always = np.array(always, dtype=int)
    return _exact.climb(pencil, candidates, sizes, always, limits(**changes), features_limit)


@pytest.mark.parametrize("seed", range(6))
def test_every_size_is_the_enumerated_optimum(seed):
    for pencil in pencils(seed, 10):
        A, B = pencil.matrices
        always = [7, 3][: seed % 3]
        sizes = range(max(len(always), 1), 6)
        candidates = np.setdiff1d(np.arange(10), [seed] if seed not in always else [])
        rows, _ = climbed(pencil, sizes, sorted(always), candidates)
        never = np.setdiff1d(np.arange(10), candidates).tolist()
        for row in rows:
            [(support, value)] = oracle.best_subsets(A, B, row.size, always=always, never=never)
            assert row.support.tolist() == support
            assert row.value == pytest.approx(value, rel=1e-9, abs=1e-12)
            assert row.bound == pytest.approx(row.value, rel=1e-8)
            assert row.status == "optimal"


def test_the_larger_sizes_are_proved_by_those_below():
    pencil = _pencil.from_data(data(1, 60))
    rows, left = climbed(pencil, [2, 5])
    again, _ = climbed(pencil, range(1, 6))
    assert [row.size for row in rows] == [2, 5]
    assert [row.support.tolist() for row in rows] == [again[i].support.tolist() for i in (1, 4)]
    assert left < 60


def test_what_too_many_survive_is_left_open_with_a_bound_that_holds():
    pencil = _pencil.from_data(np.random.default_rng(0).standard_normal((30, 14)))
    A, B = pencil.matrices
    rows, left = climbed(pencil, [1, 2, 3, 4], features_limit=3)
    assert rows[0].status == "optimal"
    assert rows[-1].status == "features"
    assert left == 14
    for row in rows:
        best = oracle.best_subsets(A, B, row.size)[0][1]
        assert row.value <= best * (1 + 1e-9) <= row.bound * (1 + 1e-8)


@pytest.mark.parametrize("features_limit", [1, 300])
def test_a_multiple_of_the_identity_moves_bounds_and_changes_nothing_else(features_limit):
    A = _pencil.from_data(data(0, 20)).matrices[0]
    (rows, left), (moved, left_moved) = (
        climbed(_pencil.from_pair(one, np.eye(20)), [2, 4], features_limit=features_limit)
        for one in (A, A - 5 * np.eye(20))
    )
    assert left == left_moved
    assert (left < 20) == (features_limit == 300)
    for row, other in zip(rows, moved, strict=True):
        assert row.support.tolist() == other.support.tolist()
        assert (row.status, row.value) == (other.status, pytest.approx(other.value + 5))
        assert row.bound == pytest.approx(other.bound + 5)


def test_bounds_of_open_sizes_hold_however_poor_the_starts(monkeypatch, rng):
    """Two features that are always held vary little, and most others are nearly alike."""
    starts = _exact.rungs.Starts
    monkeypatch.setattr(starts, "grown", lambda self, support: np.arange(len(support) + 1))
    monkeypatch.setattr(starts, "best", lambda self, k, supports: supports[0])
    X = rng.standard_normal((30, 1)) + 0.1 * rng.standard_normal((30, 12))
    X[:, :6] *= 0.1
    pencil = _pencil.from_data(X)
    A, B = pencil.matrices
    rows, _ = climbed(pencil, [3, 4, 5], [0, 1], features_limit=1)
    for row in rows:
        best = oracle.best_subsets(A, B, row.size, always=[0, 1])[0][1]
        assert row.value < 0.5 * best < row.bound
        assert best <= row.bound * (1 + 1e-9)


@pytest.mark.parametrize("step", [1e-4, 0.01, 0.05, 0.3])
def test_a_climb_that_runs_out_of_time_gives_valid_bounds(step):
    for seed in range(3):
        pencil = _pencil.from_data(np.random.default_rng(seed).standard_normal((30, 12)))
        A, B = pencil.matrices
        rows, _ = climbed(pencil, [2, 3, 5], time_limit=1.0, clock=Clock(step))
        for row in rows:
            best = oracle.best_subsets(A, B, row.size)[0][1]
            assert len({*row.support.tolist()}) == row.size
            assert row.status in ("time", "optimal")
            assert row.value <= best * (1 + 1e-9) <= row.bound * (1 + 1e-8)


def test_no_time_at_all_or_control_c_before_it_begins():
    pencil = _pencil.from_data(data(0, 30))
    for changes, status in (({"time_limit": 0.0}, "time"), ({"caught": [2]}, "interrupted")):
        rows, _ = climbed(pencil, [1, 4], [], **changes)
        assert [row.status for row in rows] == ["optimal", status]
        assert rows[1].nodes == 0
        assert rows[1].bound >= rows[1].value
        assert len(rows[1].support) == 4


def test_a_callback_that_stops_ends_the_climb():
    pencil = _pencil.from_data(np.random.default_rng(0).standard_normal((40, 25)))
    rows, _ = climbed(pencil, range(1, 9), report=lambda *state: True)
    statuses = [row.status for row in rows]
    assert "interrupted" in statuses
    assert set(statuses[statuses.index("interrupted") :]) == {"interrupted"}


def test_a_gap_ends_the_last_size_alone():
    """The sizes below are proved in full, for the ladder lives on their bounds."""
    pencil = _pencil.from_data(np.random.default_rng(3).standard_normal((40, 18)))
    A, B = pencil.matrices
    rows, _ = climbed(pencil, [3, 4], gap=0.2)
    assert rows[0].status == "optimal"
    assert rows[1].status == "gap"
    assert oracle.best_subsets(A, B, 4)[0][1] <= rows[1].bound * (1 + 1e-9)


def test_the_second_half_of_the_time_is_for_what_is_open():
    """A search that takes all the time it gets is called twice for every size."""
    pencil, given, clock = _pencil.from_data(data(2, 20)), [], Clock(0.0)

    def search(A, B, k, start, *, time_limit, **options):
        given.append((k, time_limit))
        clock.now += time_limit
        return _exact.Outcome([tuple(int(i) for i in start)], [1.0], 1e9, 1, "time")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("specsel._exact.rungs.best_supports", search)
        rows, _ = climbed(pencil, [2, 3], time_limit=12.0, clock=clock)
    assert [k for k, _ in given] == [2, 3, 2, 3]
    assert sum(seconds for _, seconds in given) == pytest.approx(12.0)
    assert [row.nodes for row in rows] == [2, 2]
    assert all(row.bound < 1e9 for row in rows)


def test_a_matrix_of_the_user_is_read_as_it_is():
    """No entry of it goes through a factorisation."""
    A = np.array([[1.0, 0.5, 0.0], [0.5, -7.0, 0.1], [0.0, 0.1, 1.0]])
    pencil = _pencil.from_pair(A, np.eye(3))
    np.testing.assert_array_equal(pencil.block_of_a(np.arange(2), np.arange(3)), A[:2])
    assert pencil.is_pca
    assert not _pencil.from_pair(A, np.eye(3) + 0.1).is_pca
    assert not _pencil.from_data(
        np.random.default_rng(0).normal(size=(9, 3)), [0, 1, 2] * 3
    ).is_pca
