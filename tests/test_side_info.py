"""Q-α with side information against its definition."""

import numpy as np
import pandas as pd
import polars
import pytest
from oracles import weighing as oracle
from samples import quiet, random_basis, sample

from specsel import qalpha, side_info

SHAPES = [(8, 20), (20, 20), (30, 9), (60, 202)]
CYCLES = 3


solve = quiet(side_info.solve)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("n_sides", [1, 3])
@pytest.mark.parametrize("tradeoff", [0, 0.1, 10])
def test_iterations_are_the_generalised_eigenproblem(shape, criterion, n_sides, tradeoff):
    X = sample(shape)
    sides = [sample((7 + i, shape[1]), seed=i + 1) for i in range(n_sides)]
    M, D = oracle.standardise(X), oracle.side_diagonal(X, sides)
    for k in (1, 3):
        # At a random basis the gap criterion may have no direction in which it is positive.
        Q = (
            random_basis(shape[0], k)
            if criterion == "energy"
            else oracle.by_modulus(M.T @ M, k)[1]
        )
        alpha, basis, history = oracle.side_iterations(M, Q, CYCLES, D, tradeoff, criterion)
        options = {"criterion": criterion, "method": "power", "init": Q}
        options |= {"tol": 0, "max_iter": CYCLES}
        for side in (sides if n_sides > 1 else sides[0], D):
            got = solve(X, side, k, tradeoff=tradeoff, **options)
            np.testing.assert_allclose(got.alpha, alpha, atol=1e-8)
            np.testing.assert_allclose(got.history, history[: got.n_iter], rtol=1e-8)
            np.testing.assert_allclose(got.basis @ got.basis.T, basis @ basis.T, atol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
def test_without_centring_the_features_have_unit_norm_alone(shape):
    X, side = sample(shape), sample((9, shape[1]), seed=1)
    M, D = oracle.standardise(X, center=False), oracle.side_diagonal(X, [side], center=False)
    Q = random_basis(shape[0], 2)
    alpha, _, history = oracle.side_iterations(M, Q, CYCLES, D, 0.1)
    options = {"method": "power", "init": Q, "tol": 0, "max_iter": CYCLES, "center": False}
    got = solve(X, side, 2, tradeoff=0.1, **options)
    np.testing.assert_allclose(got.alpha, alpha, atol=1e-8)
    np.testing.assert_allclose(got.history, history, rtol=1e-8)


def test_result_is_consistent():
    X, side = sample((20, 60)), sample((9, 60), 1)
    M, D = oracle.standardise(X), oracle.side_diagonal(X, [side])
    got = solve(X, side, 2)
    penalty = (D + 0.1) @ got.alpha**2
    assert got.objective == pytest.approx(
        oracle.objective(M, got.alpha, got.basis) / penalty, rel=1e-10
    )
    assert got.history[-1] == pytest.approx(got.objective)
    assert np.linalg.norm(got.alpha) == pytest.approx(1)
    ritz = got.basis.T @ oracle.affinity(M, got.alpha) @ got.basis
    np.testing.assert_allclose(ritz, np.diag(got.eigenvalues), atol=1e-9)
    np.testing.assert_allclose(got.mean, X.mean(axis=0))
    np.testing.assert_allclose(got.norm, np.linalg.norm(X - X.mean(axis=0), axis=0))


@pytest.mark.parametrize("method", ["power", "ritz", "basic"])
def test_objective_never_decreases(method):
    X, side = sample((20, 60)), sample((9, 60), 1)
    got = solve(X, side, 2, method=method, tol=1e-10)
    assert (np.diff(got.history) >= -1e-10 * got.objective).all()


def test_scaling_a_feature_changes_nothing(rng):
    X, side = sample((20, 60)), sample((9, 60), 1)
    factors = rng.uniform(1e-3, 1e3, 60) * rng.choice([-1, 1], 60)
    plain = solve(X, side, 2, tol=1e-10)
    scaled = solve(X * factors + 5, side * factors - 3, 2, tol=1e-10)
    np.testing.assert_allclose(scaled.alpha, plain.alpha, atol=1e-7)


def test_a_large_tradeoff_gives_qalpha():
    X, side = sample((20, 60)), sample((9, 60), 1)
    got = solve(X, side, 2, tradeoff=1e12, tol=1e-12)
    plain = qalpha.solve(X, 2, tol=1e-12)
    np.testing.assert_allclose(got.alpha, plain.alpha, atol=1e-6)
    assert got.objective == pytest.approx(plain.objective / 1e12, rel=1e-9)


def test_unwanted_variation_is_avoided(rng):
    X, side = rng.standard_normal((60, 20)), rng.standard_normal((30, 20))
    X[:, :3] += 4 * rng.integers(0, 2, (60, 1))
    unwanted = np.zeros((90, 1))
    unwanted[:, 0] = 8 * rng.integers(0, 2, 90)
    X[:, 3:6] += unwanted[:60]
    side[:, 3:6] += unwanted[60:]
    assert set(qalpha.solve(X, 1).select(3)) == {3, 4, 5}
    assert set(solve(X, side, 1).select(3)) == {0, 1, 2}


def test_a_constant_side_feature_needs_a_tradeoff():
    X, side = sample((20, 10)), sample((9, 10), 1)
    side[:, 4] = 1.0
    with pytest.raises(ValueError) as caught:
        solve(X, side, 2, tradeoff=0)
    assert str(caught.value) == (
        "tradeoff = 0: feature 4 does not vary in the side data; must be at least 1e-100 then"
    )
    assert solve(X, side, 2, tradeoff=0.1).alpha[4] > 0


def test_constant_features_weigh_nothing():
    X, side = sample((20, 10)), sample((9, 10), 1)
    X[:, 4] = 1.0
    for tradeoff in (0, 0.1):
        with pytest.warns(UserWarning, match="1 of 10 features is constant and gets weight 0"):
            got = solve(X, side, 2, tradeoff=tradeoff)
        assert got.alpha[4] == 0
        assert np.isfinite(got.alpha).all()


def test_frames_keep_their_names():
    X, side = sample((20, 4)), sample((9, 4), 1)
    names = list("abcd")
    got = solve(pd.DataFrame(X, columns=names), pd.DataFrame(side, columns=names), 2)
    assert got.names == tuple(names)
    with pytest.raises(ValueError, match=r"^side: has other column names than X"):
        solve(pd.DataFrame(X, columns=names), pd.DataFrame(side, columns=names[::-1]), 2)


def test_named_variances_are_taken_by_name():
    X, D, names = sample((20, 4)), np.array([1.0, 2, 3, 4]), list("abcd")
    frame, series = pd.DataFrame(X, columns=names), pd.Series(D, index=names)
    expected = solve(X, D, 2).alpha
    np.testing.assert_allclose(solve(frame, series[::-1], 2).alpha, expected, atol=1e-12)
    for given in (D, D.tolist(), tuple(D), pd.Series(D), polars.Series(D)):
        np.testing.assert_allclose(solve(frame, given, 2).alpha, expected, atol=1e-12)
    with pytest.raises(
        ValueError, match=r"^side: has shape \(0,\) and dtype float64; side samples"
    ):
        solve(frame, [], 2)


BAD = {
    "side: has 3 features; X has 10": {"side": np.ones((4, 3))},
    "side: has 1 sample; at least 2 are needed": {"side": np.ones((1, 10))},
    "side: has shape (3,) and dtype float64; side samples x 10 features, or a number a feature, "
    "are needed": {"side": np.ones(3)},
    "side: holds a negative or infinite number or NaN; variances are needed": {
        "side": -np.ones(10)
    },
    "side: 1 value is NaN or infinite, first at sample 1, feature 2; finite numbers are needed": {
        "side": np.where(np.arange(30).reshape(3, 10) == 12, np.nan, 1.0)
    },
    "side: has dtype <U1; real numbers are needed": {"side": [["a", "b"]]},
    "tradeoff = -1: must be a finite number at least 0": {"tradeoff": -1},
    "tradeoff = 'x': must be a finite number at least 0": {"tradeoff": "x"},
    "method = 'x': must be one of ascent, power, ritz, basic": {"method": "x"},
    'k = 0: must be from 1 to 10, min(n_samples, n_features), or "auto"': {"k": 0},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_refused_in_one_line(message):
    X, side = sample((20, 10)), sample((9, 10), 1)
    with pytest.raises(ValueError) as caught:
        solve(X, **({"side": side, "k": 2} | BAD[message]))
    assert str(caught.value) == message
