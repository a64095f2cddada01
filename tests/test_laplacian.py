"""Q-α on the Laplacian against its definition, and what it finds."""

import numpy as np
import pytest
from oracles import weighing as oracle
from samples import quiet, random_basis
from sklearn.datasets import load_breast_cancer, load_wine

from specsel import laplacian

SHAPES = [(10, 25), (30, 8), (12, 12), (40, 60)]
CYCLES = 3

solve = quiet(laplacian.solve)


def positive(shape, seed=0):
    return np.random.default_rng(seed).gamma(2.0, size=shape) * np.linspace(0.5, 5, shape[1])


def planted(seed, n_samples=60):
    """Two clusters of samples in 20 of 60 features."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n_samples, 60)), np.repeat([-1.0, 1.0], n_samples // 2)
    X[:, :20] += 2 * y[:, None] * rng.choice([-1, 1], 20)
    return X, y / np.linalg.norm(y)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("shift", ["degree", "definition"])
@pytest.mark.parametrize("representation", ["parts", "shift", "ranks", "as-is"])
def test_iterations_are_those_of_the_definition(shape, shift, representation):
    X = positive(shape)
    M = oracle.represent(X, representation)
    for k in (1, 2, 3):
        Q = random_basis(shape[0], k)
        alpha, basis, history = oracle.laplacian_iterations(M, Q, CYCLES, shift)
        got = solve(
            X, k, shift=shift, representation=representation, init=Q, tol=0, max_iter=CYCLES
        )
        np.testing.assert_allclose(got.history, history, rtol=1e-8)
        expected = oracle.join(alpha) if representation == "parts" else alpha
        np.testing.assert_allclose(got.alpha, expected, atol=1e-8)
        np.testing.assert_allclose(got.basis @ got.basis.T, basis @ basis.T, atol=1e-7)
        assert got.objective == got.history[-1]


def projections(shift, seeds):
    found = []
    for seed in seeds:
        X, partition = planted(seed)
        found.append(np.linalg.norm(solve(X, 2, shift=shift).basis.T @ partition))
    return np.array(found)


def test_degree_shift_recovers_the_planted_partition():
    assert (projections("degree", range(6)) >= 0.95).all()


def test_printed_shift_does_not():
    assert (projections("definition", range(6)) < 0.5).all()


def test_relevant_features_come_first():
    X, _ = planted(0)
    assert set(solve(X, 2).select(20)) == set(range(20))


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_the_limit_is_returned_though_the_objective_was_higher_before(load):
    """Every shift has its own scale of objectives; the weights lead at the last one."""
    X = load().data
    got = laplacian.solve(X, 3)
    assert got.converged
    assert got.objective == got.history[-1]
    M, alpha = oracle.represent(X, "parts"), got.parts.ravel()
    shift = oracle.laplacian_shift(M, alpha, "degree")
    leading = oracle.leading(oracle.laplacian_gram(M, got.basis, shift))[0]
    assert alpha @ leading > 0.999


def test_result_is_consistent():
    X, _ = planted(1)
    got = laplacian.solve(X, 2)
    M = oracle.represent(X, "parts")
    alpha = got.parts.ravel()
    np.testing.assert_allclose(oracle.join(alpha), got.alpha, atol=1e-12)
    L = np.tensordot(
        alpha, oracle.laplacian_matrices(M, oracle.laplacian_shift(M, alpha, "degree")), axes=1
    )
    assert got.objective == pytest.approx(np.sum((L @ got.basis) ** 2), rel=1e-10)
    np.testing.assert_allclose(got.basis.T @ L @ got.basis, np.diag(got.eigenvalues), atol=1e-9)
    assert got.converged


def test_constant_direction_has_the_shift_as_its_eigenvalue():
    """``L_α 1 = d Σα 1``: the degrees cancel."""
    X, _ = planted(2)
    got = laplacian.solve(X, 2)
    M = oracle.represent(X, "parts")
    shift = oracle.laplacian_shift(M, got.parts.ravel(), "degree") * got.parts.sum()
    assert got.eigenvalues[0] == pytest.approx(shift, rel=1e-6)


def test_negative_values_are_warned_of():
    X = np.random.default_rng(0).standard_normal((20, 10))
    with pytest.warns(UserWarning, match='take representation="parts"'):
        solve(X, 2, representation="as-is", max_iter=3)


def test_constant_features_weigh_nothing():
    X, _ = planted(0)
    without = laplacian.solve(np.delete(X, 30, axis=1), 2)
    X[:, 30] = 4.0
    with pytest.warns(UserWarning, match="1 of 60 features is constant and gets weight 0"):
        got = laplacian.solve(X, 2)
    assert got.alpha[30] == 0
    np.testing.assert_allclose(np.delete(got.alpha, 30), without.alpha, atol=1e-9)
    assert got.objective == pytest.approx(without.objective, rel=1e-10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, 'k = 0: must be from 1 to 10, min(n_samples, n_features), or "auto"'),
        ({"shift": "max"}, "shift = 'max': must be one of degree, definition"),
        (
            {"representation": "centered"},
            "representation = 'centered': must be one of parts, shift, ranks, as-is",
        ),
    ],
)
def test_bad_options_are_refused_in_one_line(options, message):
    with pytest.raises(ValueError) as caught:
        laplacian.solve(positive((20, 10)), **({"k": 2} | options))
    assert str(caught.value) == message


@pytest.mark.parametrize("shift", ["degree", "definition"])
def test_of_more_than_two_thousand_samples_no_matrix_is_formed(shift):
    """Products at a basis take passes of their own there."""
    X = positive((2001, 3))
    M, Q = oracle.represent(X, "as-is"), random_basis(2001, 2)
    _, _, history = oracle.laplacian_iterations(M, Q, 2, shift)
    got = solve(X, 2, shift=shift, representation="as-is", init=Q, tol=0, max_iter=2)
    np.testing.assert_allclose(got.history, history, rtol=1e-8)


def test_the_start_of_more_than_two_thousand_samples_is_near_enough():
    X, partition = planted(0, n_samples=2100)
    assert np.linalg.norm(laplacian.solve(X, 2).basis.T @ partition) > 0.95
