"""The map of rounds against its definition, and the sets that it tells apart."""

import numpy as np
import pytest
from oracles import weighing as oracle

from specsel import datasets, qalpha, side_info, topography


def two_groupings(n_features, seed=0, n_samples=60, relevant=40):
    """Two independent groupings of the samples, in `relevant` features each."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    for start in (0, relevant):
        y = rng.permutation(np.repeat([-1.0, 1.0], n_samples // 2))
        X[:, start : start + relevant] += (2.0 if start else 2.5) * y[:, None]
    return X


def cosine(a, b):
    return abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b)


@pytest.mark.parametrize(
    "options", [{"tol": 1e-9}, {"criterion": "gap"}, {"center": False}, {"tradeoff": 0.1}]
)
def test_rounds_are_side_information_with_the_squares_of_earlier_weights(options):
    X = datasets.two_solutions(random_state=0).X
    X = X - X.min(axis=0) if "center" in options else X
    chart = topography.solve(X, 2, rounds=3, **options)
    seen = np.zeros(20)
    for weights in chart.weights:
        expected = side_info.solve(X, seen, 2, **({"tradeoff": 2 / 20} | options))
        np.testing.assert_allclose(weights.alpha, expected.alpha, atol=1e-5)
        np.testing.assert_allclose(weights.basis.T @ weights.basis, np.eye(2), atol=1e-9)
        seen += weights.alpha**2


@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_positions_are_angles_in_the_leading_eigenvectors(shape):
    X = datasets.two_solutions(random_state=1).X if shape == "tall" else two_groupings(100)
    chart = topography.solve(X, 2, tol=1e-9)
    M = oracle.standardise(X)
    for i, weights in enumerate(chart.weights):
        G = oracle.gram(M, weights.basis)
        size = np.hypot(*np.linalg.eigh(G)[1][:, -2:].T)
        expected = oracle.position(G)
        clear = size > 0.05
        assert clear.sum() > 5
        np.testing.assert_allclose(
            np.cos(2 * (chart.positions[clear, i] - expected[clear])), 1, atol=1e-4
        )
    assert (np.abs(chart.positions) <= np.pi / 2).all()


def test_coordinates_are_entries_of_the_leading_eigenvectors():
    X = datasets.two_solutions(random_state=1).X
    chart = topography.solve(X, 2, tol=1e-9)
    for i, weights in enumerate(chart.weights):
        leading = np.linalg.eigh(oracle.gram(oracle.standardise(X), weights.basis))[1][:, :-3:-1]
        found = chart.coordinates[:, i] / np.linalg.norm(chart.coordinates[:, i], axis=0)
        np.testing.assert_allclose(np.abs(found), np.abs(leading), atol=1e-3)


def test_default_tradeoff_tells_rounds_apart_among_many_features():
    X = two_groupings(5000, relevant=300)
    apart, alike = (topography.solve(X, 1, tradeoff=t).relevances.T for t in (None, 0.1))
    assert cosine(*apart) < 0.9
    assert cosine(*alike) > 0.9


def test_selection_over_rounds_covers_both_groupings():
    X = two_groupings(2000)
    chart = topography.solve(X, 1, tradeoff=1 / 2000)
    one = qalpha.solve(X, 1).select(6)
    assert len({i // 40 for i in one}) == 1
    chosen = chart.select(6, diverse=X)
    assert {i // 40 for i in chosen} >= {0, 1}


def test_passes_of_the_rounds_add_up():
    chart = topography.solve(two_groupings(300), 2, rounds=3)
    assert sum(weights.n_passes for weights in chart.weights) == chart.n_passes - 1


@pytest.mark.parametrize("X", [np.arange(5.0)[:, None], np.outer(np.arange(5.0), [1, 2, 3])])
def test_without_a_second_eigenvector_positions_are_zero(X):
    np.testing.assert_allclose(topography.solve(X, 1).positions, 0, atol=1e-6)


def test_one_feature_may_have_two_rounds_but_no_more():
    X = np.arange(5.0)[:, None]
    assert len(topography.solve(X, 1).weights) == 2
    with pytest.raises(ValueError, match=r"^rounds = 3: must be from 1 to 2$"):
        topography.solve(X, 1, rounds=3)


BAD = {
    "rounds = 0: must be from 1 to 20": {"rounds": 0},
    "rounds = 21: must be from 1 to 20": {"rounds": 21},
    "tradeoff = 0: must be a finite number above 0": {"tradeoff": 0},
    "tradeoff = 'x': must be a finite number above 0": {"tradeoff": "x"},
    'k = 30: must be from 1 to 20, min(n_samples, n_features), or "auto"': {"k": 30},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_refused_in_one_line(message):
    X = datasets.two_solutions().X
    with pytest.raises(ValueError) as caught:
        topography.solve(X, **({"k": 2} | BAD[message]))
    assert str(caught.value) == message
