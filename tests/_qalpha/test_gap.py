"""The gap criterion's own method: a maximum of what the alternation maximises, in fewer reads."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import weighing as oracle

from specsel import datasets, qalpha
from specsel._qalpha import whole

TIGHT = {"criterion": "gap", "tol": 1e-13, "max_iter": 2000}


@pytest.mark.parametrize("k", [1, 3, 6])
@pytest.mark.parametrize("shape", [(25, 90), (80, 20)])
@pytest.mark.parametrize("center", [True, False])
def test_the_end_is_a_maximum_of_what_the_paper_maximises(shape, k, center):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape) + 0.5
    X[:, :8] += 2 * rng.standard_normal((4, 8))[np.arange(len(X)) % 4]
    got = qalpha.solve(X, k, center=center, **TIGHT)
    assert got.converged
    M = oracle.standardise(X, center)
    values, vectors = np.linalg.eigh(2 * oracle.gram(M, got.basis) - oracle.squared(M))
    assert got.objective == pytest.approx(values[-1], rel=1e-9)
    assert abs(vectors[:, -1] @ got.alpha) == pytest.approx(1, abs=1e-6)
    spectrum = np.linalg.eigvalsh(oracle.affinity(M, got.alpha))
    largest = np.sort(np.abs(spectrum))[::-1][:k]
    np.testing.assert_allclose(np.abs(got.eigenvalues), largest, rtol=1e-6)


def test_it_is_as_good_as_the_alternation_on_average_and_reads_less():
    ratios, passes = [], []
    for seed in range(6):
        for k in (2, 4, 7):
            X = datasets.growing_classes(4, random_state=seed).X
            ours, theirs = (
                qalpha.solve(X, k, criterion="gap", method=m) for m in ("ascent", "power")
            )
            ratios.append(ours.objective / theirs.objective)
            passes.append((ours.n_passes, theirs.n_passes))
    assert np.mean(ratios) >= 0.9999
    assert min(ratios) >= 0.97
    ours, theirs = np.median(passes, axis=0)
    assert ours <= theirs / 3


@pytest.mark.parametrize("k", [1, 4, 8])
def test_the_tolerance_is_kept(k):
    for seed in range(3):
        X = datasets.growing_classes(5, random_state=seed).X
        found = qalpha.solve(X, k, criterion="gap", tol=1e-6)
        assert found.objective >= (1 - 1e-6) * qalpha.solve(X, k, **TIGHT).objective


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_the_history_never_falls(seed, k):
    X = np.random.default_rng(seed).standard_normal((15, 25))
    history = qalpha.solve(X, k, criterion="gap", tol=1e-9).history
    assert (np.diff(history) >= -1e-12 * history[1:]).all()


@pytest.mark.parametrize("init", ["equal", "random", "seeded", "continuation"])
def test_every_start_climbs_with_few_weights_kept(init, monkeypatch):
    monkeypatch.setattr(whole, "MOST_KEPT", 6)
    X = datasets.growing_classes(3, random_state=0).X
    got = qalpha.solve(X, 3, criterion="gap", init=init, n_init=3, random_state=0)
    assert got.converged
    M = oracle.standardise(X)
    largest = np.linalg.eigvalsh(2 * oracle.gram(M, got.basis) - oracle.squared(M))[-1]
    assert got.objective == pytest.approx(largest, rel=1e-3)
    assert (np.diff(got.history) >= -1e-9 * largest).all()


def test_iterations_are_counted_told_and_limited():
    X, told = datasets.growing_classes(3, random_state=0).X, []
    with pytest.warns(UserWarning, match="not converged after 3 iterations: raise max_iter"):
        got = qalpha.solve(X, 3, **(TIGHT | {"max_iter": 3}), callback=lambda *s: told.append(s))
    assert [count for count, _ in told] == [1, 2, 3]
    assert [value for _, value in told] == got.history.tolist()
    stopped = qalpha.solve(X, 3, **TIGHT, callback=lambda count, _: count == 2)
    assert (stopped.n_iter, stopped.converged) == (2, False)


def test_single_precision_is_near():
    X = datasets.growing_classes(3, random_state=0).X
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        single = qalpha.solve(X.astype(np.float32), 3, criterion="gap")
    double = qalpha.solve(X, 3, criterion="gap")
    assert single.objective == pytest.approx(double.objective, rel=1e-5)
