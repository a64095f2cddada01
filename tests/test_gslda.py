"""Greedy supports against a literal search with an eigen-solve a candidate."""

import itertools
import os
import signal
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from instances import PAIRS, pencil
from oracles import pencil as oracle
from scipy import sparse

from specsel import _pencil, _validate, datasets, gslda

SETS = [((), ()), ((4, 2), (0,)), ((5,), ())]


def pair(kind, seed):
    return pencil(np.random.default_rng(seed), kind, 11)


def classes_problem(n_classes, n_samples=60, n_features=12, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % n_classes
    X = rng.standard_normal((n_samples, n_features)) @ rng.standard_normal((n_features,) * 2)
    X[:, :4] += rng.standard_normal((n_classes, 4))[y]
    return X, y


def stop_after(count):
    """Return a function that asks to stop once it was called so many times."""
    calls = itertools.count()
    return lambda: next(calls) >= count


def lists(path):
    return [support.tolist() for support in path.supports]


@pytest.mark.parametrize("sets", SETS)
@pytest.mark.parametrize("kind", PAIRS)
def test_picks_are_those_of_a_literal_search(kind, sets):
    always, never = sets
    for seed in range(3):
        A, B = pair(kind, seed)
        options = {"always": always, "never": never, "refine": False}
        forward = gslda.solve_pair(A, B, direction="forward", **options)
        count = len(A) - len(never)
        assert lists(forward) == oracle.greedy_forward(A, B, count, always, never)
        backward = gslda.solve_pair(A, B, direction="backward", **options)
        assert lists(backward)[::-1] == oracle.greedy_backward(A, B, 1, always, never)
        for path in (forward, backward):
            expected = [oracle.pencil_value(A, B, support) for support in path.supports]
            scale = np.abs(expected).max()
            np.testing.assert_allclose(path.values, expected, rtol=1e-9, atol=1e-11 * scale)


@pytest.mark.parametrize(
    ("options", "first", "last"),
    [
        ({}, 1, 11),
        ({"max_size": 2}, 1, 2),
        ({"always": [1, 4]}, 2, 11),
        ({"never": [0, 1, 2]}, 1, 8),
        ({"never": range(8), "always": [8, 9, 10]}, 3, 3),
    ],
)
def test_sizes_from_all_that_are_held_to_all_that_are_allowed(options, first, last):
    path = gslda.solve_pair(*datasets.wishart_pair(11), **options)
    assert path.sizes.tolist() == list(range(first, last + 1))


@pytest.mark.parametrize("criterion", ["trace", "logdet"])
@pytest.mark.parametrize("rank", [1, 3, None])
def test_picks_by_the_other_criteria(criterion, rank):
    for seed in range(3):
        A, B = datasets.wishart_pair(9, rank=rank, random_state=seed)
        options = {"always": [4], "never": [0], "refine": False, "criterion": criterion}
        forward = gslda.solve_pair(A, B, direction="forward", **options)
        backward = gslda.solve_pair(A, B, direction="backward", **options)
        sets = {"always": [4], "never": [0], "criterion": criterion}
        assert lists(forward) == oracle.greedy_forward(A, B, 8, **sets)
        assert lists(backward)[::-1] == oracle.greedy_backward(A, B, 1, **sets)
        refined = gslda.solve_pair(A, B, always=[4], never=[0], criterion=criterion)
        for k in refined:
            best = oracle.best_subsets(A, B, k, **sets)[0][1]
            value = oracle.pencil_value(A, B, refined[k].support, criterion)
            assert refined[k].value == pytest.approx(value)
            assert 0.98 * best <= value <= best * (1 + 1e-9) <= refined[k].bound * (1 + 1e-8)


def test_more_than_two_classes_take_log_det_and_say_so():
    X, y = classes_problem(3)
    path = gslda.solve(X, y)
    assert path.criterion == path[2].criterion == "logdet"
    assert "log-det" in repr(path[2])
    assert gslda.solve(X, y % 2).criterion == gslda.solve(X).criterion == "leading"
    for name in ("leading", "trace"):
        assert gslda.solve(X, y, criterion=name).criterion == name
    with pytest.raises(ValueError, match="criterion = 'sum'"):
        gslda.solve(X, y, criterion="sum")


def test_both_directions_are_the_better_one_at_every_size():
    for seed in range(5):
        A, B = datasets.brownian_pair(12, random_state=seed)
        paths = [
            gslda.solve_pair(A, B, direction=direction, refine=False)
            for direction in ("forward", "backward", "both")
        ]
        values = [path.values for path in paths]
        np.testing.assert_array_equal(np.maximum(values[0], values[1]), values[2])


@pytest.mark.parametrize("sets", SETS)
@pytest.mark.parametrize("kind", PAIRS)
def test_no_single_swap_helps_after_refinement(kind, sets):
    always, never = sets
    A, B = pair(kind, 7)
    plain = gslda.solve_pair(A, B, refine=False, always=always, never=never)
    path = gslda.solve_pair(A, B, always=always, never=never)
    scale = np.abs(path.values).max()
    assert (path.values >= plain.values - 1e-12 * scale).all()
    for value, support in zip(path.values, path.supports, strict=True):
        support = support.tolist()
        assert value == pytest.approx(oracle.pencil_value(A, B, support), rel=1e-9)
        assert {*always} <= {*support}
        assert not {*never} & {*support}
        _, swapped = oracle.best_swap(A, B, support, always, never)
        assert swapped <= value + 1e-9 * scale


@pytest.mark.parametrize("kind", ["wishart", "brownian", "rank one"])
def test_refined_supports_come_near_the_optimum(kind):
    ratios = []
    for seed in range(8):
        make = datasets.brownian_pair if kind == "brownian" else datasets.wishart_pair
        rank = 1 if kind == "rank one" else None
        A, B = make(9, rank=rank, random_state=seed)
        path = gslda.solve_pair(A, B)
        best = [oracle.best_subsets(A, B, k)[0][1] for k in path]
        ratios.extend(path.values / best)
    assert max(ratios) <= 1 + 1e-9
    assert np.mean(ratios) >= 0.99


@pytest.mark.parametrize("n_classes", [2, 4])
def test_data_give_the_scatter_of_standardised_features(n_classes):
    X, y = classes_problem(n_classes)
    A, B = oracle.class_scatter(X, y)
    ours = gslda.solve(X, y, refine=False, criterion="leading")
    other = gslda.solve_pair(A, B, refine=False)
    assert lists(ours) == lists(other)
    np.testing.assert_allclose(ours.values, other.values, rtol=1e-9)
    for k in (1, 5, 12):
        subset = ours[k]
        x = subset.direction
        assert np.flatnonzero(x).tolist() == subset.support.tolist()
        assert x @ B @ x == pytest.approx(1)
        assert x @ A @ x == pytest.approx(subset.value, rel=1e-9)


def test_two_classes_are_best_subset_regression():
    X, y = classes_problem(2)
    path = gslda.solve(X, y)
    for k in (1, 3, 8):
        columns = np.column_stack((np.ones(len(X)), X[:, path[k].support]))
        left = np.linalg.lstsq(columns, y.astype(float), rcond=None)[1][0]
        explained = 1 - left / (len(y) * y.var())
        assert path[k].value == pytest.approx(explained / (1 - explained))


@pytest.mark.parametrize("shape", [(40, 9), (8, 15)])
@pytest.mark.parametrize("matrix", ["covariance", "correlation"])
def test_without_labels_it_is_sparse_principal_components(shape, matrix, rng):
    X = rng.standard_normal(shape) * rng.uniform(1, 3, shape[1])
    C = np.cov(X.T) if matrix == "covariance" else np.corrcoef(X.T)
    path = gslda.solve(X, matrix=matrix, refine=False, direction="forward")
    identity = np.eye(shape[1])
    assert lists(path)[:6] == oracle.greedy_forward(C, identity, 6)
    np.testing.assert_allclose(path.values[-1], np.linalg.eigvalsh(C)[-1])
    assert np.linalg.norm(path[3].direction) == pytest.approx(1)


def test_more_features_than_samples_are_shrunk_by_the_smallest_eigenvalue():
    X, y = classes_problem(2, n_samples=12, n_features=30)
    A, B = oracle.class_scatter(X, y)
    values = np.linalg.eigvalsh(B)
    ridge = 1e-3 * values[values > 1e-10 * values[-1]][0]
    path = gslda.solve(X, y, direction="forward", refine=False, max_size=8)
    assert lists(path) == oracle.greedy_forward(A, B + ridge * np.eye(30), 8)
    given = gslda.solve(X, y, shrinkage=0.5, direction="forward", refine=False, max_size=8)
    assert given.shrinkage == given[3].shrinkage == 0.5
    assert lists(given) == oracle.greedy_forward(A, B + 0.5 * np.eye(30), 8)
    assert given[8].value == pytest.approx(
        oracle.pencil_value(A, B + 0.5 * np.eye(30), given[8].support)
    )


def test_a_long_chain_of_changes_stays_exact():
    """The inverse is near singular at first, and thousands of updates follow."""
    rng = np.random.default_rng(0)
    G = rng.standard_normal((60, 25))
    B = G @ G.T / 60 + 1e-7 * np.eye(60)
    d = rng.standard_normal(60)
    pencil, sizes = _pencil.from_pair(np.outer(d, d), B), range(1, 61)
    path = gslda.search(pencil, sizes, "both", sizes, np.empty(0, int), np.arange(60))
    exact = [oracle.pencil_value(np.outer(d, d), B, support) for _, support in path.values()]
    np.testing.assert_allclose([value for value, _ in path.values()], exact, rtol=1e-6)


def test_duplicated_and_constant_features_are_legal():
    X, y = classes_problem(2)
    X = np.column_stack((X, X[:, 0], np.ones(len(X))))
    with pytest.warns(UserWarning, match="1 of 14 features is constant and never worth taking"):
        path = gslda.solve(X, y)
    assert np.isfinite(path.values).all()
    assert (np.diff(path.values) >= -1e-9 * path.values[-1]).all()
    assert len(X.T) - 1 not in path[len(X.T) - 2].support


def test_features_are_never_formed_into_a_matrix_by_forward_selection():
    """Ten thousand squared would take 800 MB."""
    X, y = np.random.default_rng(0).standard_normal((20, 10_000)), np.arange(20) % 2
    tracemalloc.start()
    path = gslda.solve(X, y, direction="forward", max_size=5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(path) == 5
    assert peak < 20 * X.nbytes
    assert len(gslda.solve(pd.DataFrame(X), y, direction="forward", refine=False)) == 20


def test_renormalised_vectors_are_eigenvectors_of_their_support(rng):
    A, B = datasets.wishart_pair(10, random_state=3)
    x = np.where(rng.random(10) < 0.5, rng.standard_normal(10), 0.0)
    ours = gslda.renormalize(x, A, B)
    expected = oracle.renormalised(x, A, B)
    np.testing.assert_allclose(np.abs(ours.direction), np.abs(expected), atol=1e-9)
    assert ours.value >= x @ A @ x / (x @ B @ x)


def test_thresholded_supports_and_correlations():
    for seed in range(4):
        A, B = datasets.wishart_pair(10, random_state=seed)
        for k in (1, 4, 10):
            ours = gslda.simple_threshold(A, B, k)
            assert ours.support.tolist() == oracle.thresholded(A, B, k)
    X, y = classes_problem(2)
    assert gslda.correlation_ranking(X, y).tolist() == oracle.correlation_order(X, y)


def test_the_result_says_what_it_is():
    X, y = classes_problem(2)
    path = gslda.solve(pd.DataFrame(X, columns=[f"gene{i}" for i in range(12)]), y, max_size=4)
    assert list(path) == [1, 2, 3, 4]
    subset = path[2]
    assert (subset.status, subset.error, subset.criterion) == ("greedy", np.inf, "leading")
    assert subset.lower == 0 <= subset.value < subset.bound < np.inf
    assert subset.to_frame()["feature"].tolist() == [f"gene{i}" for i in subset.support]


X_BAD, Y_BAD = classes_problem(2)
BAD = {
    "direction = 'up': must be one of both, forward, backward": {"direction": "up"},
    "refine = 1: must be True or False": {"refine": 1},
    "max_size = 13: must be from 1 to 12, the features allowed": {"max_size": 13},
    "max_size = 1: must be from 2 to 12, the features allowed": {"max_size": 1, "always": [0, 3]},
    "max_size = 12: must be from 1 to 11, the features allowed": {"max_size": 12, "never": [0]},
    "never: holds feature 3, as always does": {"always": [3], "never": [1, 3]},
    "never: holds 12; must be from 0 to 11": {"never": [12]},
    "always = 'x': must be a list of numbers of features": {"always": "x"},
    "always = [0.5]: must be a list of numbers of features": {"always": [0.5]},
    "shrinkage = -1: must be a finite number at least 0": {"shrinkage": -1},
    "matrix = 'gram': must be one of covariance, correlation": {"matrix": "gram"},
    "matrix = 'correlation': is for sparse PCA, without y": {"matrix": "correlation"},
    "y: has one class, 1; at least 2 are needed": {"y": np.ones(60, int)},
    "never: holds all 12 features; at least one must be left": {"never": range(12)},
    "shrinkage = 0.5: is for data with classes, and y is None": {"y": None, "shrinkage": 0.5},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_refused_in_one_line(message):
    options = {"y": Y_BAD} | BAD[message]
    with pytest.raises(ValueError) as caught:
        gslda.solve(X_BAD, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize("solve", [gslda.solve, gslda.solve_pair])
def test_a_bad_time_limit_is_refused_before_the_data_are_looked_at(solve):
    with pytest.raises(ValueError, match=r"^time_limit = -1: must be a finite number at least 0$"):
        solve(None, None, time_limit=-1)


def test_features_by_name():
    frame = pd.DataFrame(X_BAD, columns=[*"abcdefghijk", "k"])
    path = gslda.solve(frame, Y_BAD, always=["c", 0], never=["e"])
    assert (
        path[3].support.tolist()
        == gslda.solve(X_BAD, Y_BAD, always=[2, 0], never=[4])[3].support.tolist()
    )
    for name, message in {
        "x": "always: no feature is named 'x'",
        "k": "always: 2 features are named 'k'",
    }.items():
        with pytest.raises(ValueError) as caught:
            gslda.solve(frame, Y_BAD, always=[name])
        assert str(caught.value) == message
    with pytest.raises(ValueError, match="never: holds feature 'a', as always does"):
        gslda.solve(frame, Y_BAD, always=["a"], never=["a"])


def test_too_many_features_for_backward_elimination():
    X = np.zeros((4, gslda.BACKWARD_LIMIT + 1))
    X[0] = 1.0
    with pytest.raises(ValueError, match="take 'forward' for more than 10000 features"):
        gslda.solve(X, [0, 0, 1, 1])


SHORT = {
    "direction = 'both': matrices of 300 x 300 features": (
        "1.5MiB",
        "take 'forward'",
        {"max_size": 9},
    ),
    "max_size = None: 2 tables of 300 x 300 features": ("2MiB", "give max_size", {}),
    "max_size = 250: 1 table of 250 x 300 features": (
        "700KiB",
        "take a smaller one",
        {"max_size": 250, "direction": "forward", "refine": False},
    ),
}


@pytest.mark.parametrize("largest", SHORT)
def test_what_is_held_at_the_same_time_must_fit_together(largest, monkeypatch):
    """Every part alone would fit."""
    budget, advice, options = SHORT[largest]
    X, y = np.random.default_rng(0).standard_normal((40, 300)), np.arange(40) % 2
    monkeypatch.setenv("SPECSEL_MEMORY", budget)
    with pytest.raises(MemoryError) as caught:
        gslda.solve(X, y, **options)
    assert str(caught.value).startswith(f"{largest} and what is needed beside: would take ")
    assert str(caught.value).endswith(f"; {advice}")
    gslda.solve(X, y, direction="forward", max_size=20)


def test_baselines_refuse_what_they_cannot_use():
    A, B = datasets.wishart_pair(4)
    for x in (np.ones(3), np.zeros(4), np.full(4, np.nan), np.array(["a"] * 4)):
        with pytest.raises(ValueError, match=r"^x: "):
            gslda.renormalize(x, A, B)
    with pytest.raises(ValueError, match="k = 5: must be from 1 to 4"):
        gslda.simple_threshold(A, B, 5)
    X, y = classes_problem(3)
    with pytest.raises(ValueError, match="y: has 3 classes; 2 are needed"):
        gslda.correlation_ranking(X, y)


@pytest.mark.parametrize("direction", ["both", "forward", "backward"])
def test_what_was_found_in_time_comes_back(direction):
    """From no time at all to enough of it."""
    X, y = classes_problem(3)
    complete = gslda.solve(X, y, direction=direction)
    sizes, always, reached = range(1, 13), np.empty(0, int), set()
    for count in (0, 1, 5, 12, 20, 60, 1000):
        stop, members = stop_after(count), np.arange(12)
        found = gslda.search(complete.pencil, sizes, direction, sizes, always, members, stop)
        reached.add(len(found))
        for k, (value, support) in found.items():
            assert len({*support.tolist()}) == k
            assert value <= complete[k].value * (1 + 1e-9)
    assert len(reached) > 2
    assert [found[k][1].tolist() for k in sizes] == lists(complete)
    path = gslda.solve(X, y, direction=direction, time_limit=0)
    assert {*path.statuses} == {"time"}
    assert 1 <= len(path[path.sizes[-1]].support) == path.sizes[-1]


def test_control_c_returns_what_was_found(monkeypatch):
    X, y = classes_problem(2)
    gslda.solve(X, y)  # compiles
    path = gslda.solve(X, y, always=[3, 5], never=[0])
    before, calls = gslda.search, []

    def search(*options):
        def stop():
            calls.append(1)
            if len(calls) == 3:
                os.kill(os.getpid(), signal.SIGINT)
            return options[-1]()

        return before(*options[:-1], stop)

    monkeypatch.setattr(gslda, "search", search)
    cut = gslda.solve(X, y, always=[3, 5], never=[0])
    assert {*cut.statuses} == {"interrupted"}
    assert list(cut) == [2, 3, 4]
    assert (cut.values <= path.values[:3] * (1 + 1e-9)).all()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_backward_elimination_of_many_features(form):
    """So many are inverted in blocks; all but six are always held."""
    n, held = 1030, np.arange(1024)
    X, y = classes_problem(2, n_features=n)
    options = {"direction": "backward", "refine": False, "always": held, "shrinkage": 1e-3}
    path = gslda.solve(form(X), y, **options)
    A, B = oracle.class_scatter(X, y)
    A, B = A, B + 1e-3 * np.eye(n)
    mean = A[:, 0] / np.sqrt(A[0, 0])  # A = mean meanᵀ
    support = list(range(n))
    for k in range(n - 1, len(held) - 1, -1):
        shrunk = [[j for j in support if j != i] for i in support if i not in held]
        worth = [mean[S] @ np.linalg.solve(B[np.ix_(S, S)], mean[S]) for S in shrunk]
        support = shrunk[int(np.argmax(worth))]
        assert path[k].support.tolist() == support
        assert path[k].value == pytest.approx(max(worth), rel=1e-7)
    for count in (1, 6, 11):  # it stops while it inverts
        members, sizes, stop = np.arange(n), range(len(held), n + 1), stop_after(count)
        assert gslda.search(path.pencil, sizes, "backward", (), held, members, stop) == {}


def test_many_equal_eigenvalues():
    """LAPACK's driver for a few eigenvalues returns none here."""
    with pytest.warns(UserWarning, match="23 of 32 features are constant"):
        path = gslda.solve(np.eye(9, 32), matrix="correlation")
    assert len(path) == 32
    for k in path:
        assert path[k].direction @ path[k].direction == pytest.approx(1)


@pytest.mark.parametrize("n_samples", [60, 8])
@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_thresholds_and_renormalises_data(n_samples, n_classes):
    X, y = classes_problem(n_classes or 2, n_samples)
    y = y if n_classes else None
    path = gslda.threshold(X, y, range(1, 13))
    A, B = gslda.solve(X, y).pencil.matrices
    for k in path:
        found = gslda.threshold(X, y, k)
        assert found.support.tolist() == path[k].support.tolist()
        assert found.support.tolist() == oracle.thresholded(A, B, k)
        expected = oracle.pencil_value(A, B, found.support, path.criterion)
        assert found.value == pytest.approx(expected, rel=1e-7)
        vector = np.zeros(12)
        vector[found.support] = 1 + np.arange(k)
        again = gslda.renormalize_data(vector, X, y)
        assert again.value == found.value <= again.bound
        np.testing.assert_array_equal(again.direction, found.direction)
    with pytest.raises(ValueError, match="k = 13"):
        gslda.threshold(X, y, 13)
    with pytest.raises(ValueError, match="k: holds no size"):
        gslda.threshold(X, y, [])


def changes(rng):
    """Diagonals, some of them repeated or zero, and two vectors, some of them zero or tiny."""
    for _ in range(3000):
        rank = rng.integers(1, 6)
        values = np.sort(rng.random(rank) * (rng.random(rank) < 0.7))
        if rng.random() < 0.3:
            values[:] = values[-1]
        scales = rng.choice([0.0, 0.3, 1e-3], 2)
        yield values, *(scales[:, None] * rng.standard_normal((2, rank)))


def test_signs_tell_whether_a_change_takes_the_value_above_a_number(rng):
    for values, lowered, raised in changes(rng):
        matrix = np.diag(values) - np.outer(lowered, lowered) + np.outer(raised, raised)
        largest = np.linalg.eigvalsh(matrix)[-1]
        scale = max(abs(largest), 1e-3)
        for share in (-1e-2, -1e-9, -1e-11, 1e-11, 1e-9, 1e-2):
            target = largest + share * scale
            assert gslda.exceeds(target, values, lowered, raised) == (share < 0)


@pytest.mark.parametrize("name", _validate.WORTHS)
def test_the_value_after_a_change_is_that_of_its_eigenvalues(name, rng):
    criterion, compared = _validate.WORTHS.index(name), 0
    for values, lowered, raised in changes(rng):
        matrix = np.diag(values) - np.outer(lowered, lowered) + np.outer(raised, raised)
        after = np.linalg.eigvalsh(matrix)
        if after[0] < -1e-12:
            continue
        before = oracle.worth(values, name)
        expected = oracle.worth(after, name)
        found = gslda.improved(before, before, values, lowered, raised, criterion)
        if expected > before + 1e-9:
            assert found == pytest.approx(expected, rel=1e-9)
            compared += 1
        elif expected < before - 1e-9:
            assert found == -np.inf
    assert compared > 100


@pytest.mark.parametrize("rank", [1, 3, None])
def test_updates_of_a_support_equal_a_fresh_solve(rank, rng):
    A, B = datasets.wishart_pair(12, rank=rank, random_state=2)
    scale = 1 / np.sqrt(np.diag(B))
    A, B = (matrix * scale * scale[:, None] for matrix in (A, B))
    state = gslda.Tableau(_pencil.from_pair(A, B), (), np.arange(12), 12)
    for _ in range(40):
        state.move_to(np.flatnonzero(rng.permutation(12) < rng.integers(1, 8)))
        if len(state.members) > 2:
            state.remove(state.members[1])
        S = state.members
        part = np.linalg.inv(B[np.ix_(S, S)])
        assert state.value == pytest.approx(oracle.pencil_value(A, B, S))
        np.testing.assert_allclose(state.inverse, part, atol=1e-9)
        np.testing.assert_allclose(state.coefficients, part @ B[S], atol=1e-9)
        rest = B.diagonal() - np.einsum("ij,ij->j", B[S], state.coefficients)
        np.testing.assert_allclose(state.rest, rest, atol=1e-9)
    value = state.value
    state.weights[:] += 1e-3  # rounding that has grown
    state.move_to(np.sort(S))
    assert state.value == pytest.approx(value)
    np.testing.assert_allclose(state.weights, state.inverse @ state.pencil.factor[state.members])


def test_ties_do_not_swap_for_ever():
    """All features are alike: no swap helps, whatever rounding says."""
    A = np.full((8, 8), 0.3) + 0.7 * np.eye(8)
    path = gslda.solve_pair(A, np.eye(8))
    np.testing.assert_allclose(path.values, 0.7 + 0.3 * path.sizes)


@pytest.mark.parametrize("shape", [(3, 5), (400, 300)])
def test_rank_one_updates_by_one_thread_and_by_several(shape, rng):
    matrix = rng.standard_normal(shape)
    left, right = rng.standard_normal(shape[0]), rng.standard_normal(shape[1])
    expected = matrix - np.outer(left, right)
    gslda.rank_one(matrix, left, right)
    np.testing.assert_allclose(matrix, expected, atol=1e-15)
