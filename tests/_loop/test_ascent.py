"""The ascent: a maximum of what the alternation maximises, in fewer passes, and safe steps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import weighing as oracle

from specsel import _data, datasets, qalpha, side_info, topography
from specsel._loop import Samples, ascent, tangents

TIGHT = {"tol": 1e-13, "max_iter": 2000}


def planted(q, n, n_classes, seed=0):
    """Classes that show in an eighth of the features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((q, n))
    relevant = max(n // 8, 2)
    X[:, :relevant] += 2 * rng.standard_normal((n_classes, relevant))[np.arange(q) % n_classes]
    return X


def place_of(M, k, seed=0):
    """A random positive matrix W of rank k and unit norm, and data for the features M."""
    rng = np.random.default_rng(seed)
    data = _data.read(M.T, center=False)
    basis = np.linalg.qr(rng.standard_normal((M.shape[1], k)))[0]
    lengths = rng.random(k) + 0.1
    lengths /= np.linalg.norm(lengths)
    return data, ascent.look(Samples(data), basis, lengths, np.zeros(0))


def matrix(place):
    return place.basis * place.lengths @ place.basis.T


def value(M, W):
    return (np.einsum("is,st,it->i", M, W, M) ** 2).sum()


def tangent(place, row):
    U = place.basis
    inside, outside, _ = tangents.parts(row, U)
    half = outside @ U.T
    return U @ inside @ U.T + half + half.T


def random_row(place, seed):
    """A tangent along the sphere of matrices of unit norm."""
    noise, U, s = np.random.default_rng(seed), place.basis, place.lengths
    inside, outside = noise.standard_normal((len(s), len(s))), noise.standard_normal(U.shape)
    inside = (inside + inside.T) / 2
    inside -= np.diag(s) * (s @ np.diag(inside))
    return tangents.row(inside, outside - U @ (U.T @ outside), np.zeros(0))


def test_value_and_gradient_are_those_of_the_definition(rng):
    M = oracle.standardise(rng.standard_normal((12, 30)))
    _, place = place_of(M, 3)
    W = matrix(place)
    assert place.value == pytest.approx(value(M, W), rel=1e-12)
    for seed in range(5):
        step = random_row(place, seed)
        d = 1e-6
        rise = value(M, W + d * tangent(place, step)) - value(M, W - d * tangent(place, step))
        # The gradient is that of f less f |W|², and f has four times the weights in it.
        assert place.gradient @ step == pytest.approx(rise / (2 * d) / 2, rel=1e-6, abs=1e-8)


def test_a_step_leads_to_a_positive_matrix_of_unit_norm(rng):
    M = oracle.standardise(rng.standard_normal((12, 30)))
    _, place = place_of(M, 3)
    for size in (1e-3, 0.3, 5.0):
        step = place.gradient * (size / np.linalg.norm(place.gradient))
        basis, lengths, *_ = ascent._retracted(place, step)
        np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-12)
        assert np.linalg.norm(lengths) == pytest.approx(1)
        assert (lengths >= 0).all()
        whole = matrix(place) + tangent(place, step)
        values, vectors = np.linalg.eigh(whole)
        leading = np.argsort(-np.abs(values))[:3]
        nearest = vectors[:, leading] * np.abs(values[leading]) @ vectors[:, leading].T
        found = basis * lengths @ basis.T
        np.testing.assert_allclose(found, nearest / np.linalg.norm(nearest), atol=1e-10)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("shape", [(30, 200), (90, 25)])
@pytest.mark.parametrize("center", [True, False])
def test_the_end_is_a_maximum_of_what_the_paper_maximises(shape, k, center):
    X = planted(*shape, 3) + 0.5
    weights = qalpha.solve(X, k, center=center, **TIGHT)
    M = oracle.standardise(X, center)
    G = oracle.gram(M, weights.basis)
    values, vectors = np.linalg.eigh(G)
    assert abs(vectors[:, -1] @ weights.alpha) == pytest.approx(1, abs=1e-6)
    assert weights.objective == pytest.approx(values[-1], rel=1e-9)
    image = oracle.affinity(M, weights.alpha) @ weights.basis
    np.testing.assert_allclose(
        image, weights.basis * weights.eigenvalues, atol=1e-6 * weights.eigenvalues[0]
    )
    spectrum = np.linalg.eigvalsh(oracle.affinity(M, weights.alpha))[::-1]
    np.testing.assert_allclose(weights.eigenvalues, spectrum[:k], rtol=1e-6)
    assert weights.alpha.min() >= -1e-12


@pytest.mark.parametrize("seed", range(4))
def test_the_literal_alternation_finds_no_more_from_there(seed):
    X = planted(25, 60, 4, seed)
    weights = qalpha.solve(X, 3, **TIGHT)
    M = oracle.standardise(X)
    *_, history = oracle.power_iterations(M, weights.basis, 30)
    assert history[-1] == pytest.approx(weights.objective, rel=1e-9)


def test_it_is_as_good_as_the_alternation_on_average_and_reads_less():
    ratios, passes = [], []
    for seed in range(6):
        for k in (1, 3, 6):
            X = datasets.growing_classes(4, random_state=seed).X
            ours, theirs = (qalpha.solve(X, k, method=m) for m in ("ascent", "power"))
            ratios.append(ours.objective / theirs.objective)
            passes.append((ours.n_passes, theirs.n_passes))
    assert np.mean(ratios) >= 0.9999
    assert min(ratios) >= 0.97
    ours, theirs = np.median(passes, axis=0)
    assert ours <= 60
    assert ours < theirs


@pytest.mark.parametrize("k", [1, 4, 8])
def test_the_tolerance_is_kept(k):
    for seed in range(4):
        X = planted(40, 150, 3, seed)
        weights = qalpha.solve(X, k, tol=1e-6)
        limit = qalpha.solve(X, k, **TIGHT)
        assert weights.converged
        assert weights.objective >= (1 - 1e-6) * limit.objective


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_the_history_never_falls(seed, k):
    X = np.random.default_rng(seed).standard_normal((15, 25))
    history = qalpha.solve(X, k, tol=1e-9).history
    assert (np.diff(history) >= -1e-12 * history[1:]).all()


def test_orthogonal_blocks_keep_the_directions_that_lead():
    """Features of separate blocks of samples: a direction that is lost is looked for again."""
    rng = np.random.default_rng(0)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = np.zeros((40, 60))
        for block in range(4):
            rows, columns = slice(10 * block, 10 * block + 10), slice(15 * block, 15 * block + 15)
            X[rows, columns] = rng.standard_normal((10, 15)) + 3
        for k in (1, 2, 4):
            weights = qalpha.solve(X, k, center=False, **TIGHT)
            M = oracle.standardise(X, center=False)
            spectrum = np.linalg.eigvalsh(oracle.affinity(M, weights.alpha))[::-1]
            np.testing.assert_allclose(weights.eigenvalues, spectrum[:k], rtol=1e-5, atol=1e-9)


def test_single_precision_ends_at_its_floor():
    X = planted(40, 300, 3).astype(np.float32)
    found = qalpha.solve(X, 4, tol=0, max_iter=500)
    assert found.converged
    exact = qalpha.solve(X.astype(float), 4, **TIGHT)
    assert found.objective == pytest.approx(exact.objective, rel=1e-5)


def test_iterations_are_counted_told_and_limited():
    X, told = planted(30, 80, 3), []
    with pytest.warns(UserWarning, match="not converged after 3 iterations: raise max_iter"):
        weights = qalpha.solve(
            X, 3, tol=1e-12, max_iter=3, callback=lambda *state: told.append(state)
        )
    assert [count for count, _ in told] == [1, 2, 3]
    assert [value for _, value in told] == weights.history.tolist()
    stopped = qalpha.solve(X, 3, tol=1e-12, callback=lambda count, _: count == 2)
    assert (stopped.n_iter, stopped.converged) == (2, False)


@pytest.mark.parametrize("init", ["equal", "random", "seeded", "continuation"])
def test_every_start_climbs(init):
    weights = qalpha.solve(planted(30, 80, 3), 3, init=init, n_init=3, random_state=0)
    assert weights.converged
    assert weights.alpha.min() >= -1e-12


def test_side_information_and_rounds_climb_on_rescaled_features():
    rng = np.random.default_rng(0)
    X, side = planted(30, 60, 3), rng.standard_normal((20, 60)) * np.linspace(0.2, 4, 60)
    ours, theirs = (
        side_info.solve(X, side, 3, method=method, **TIGHT) for method in ("ascent", "power")
    )
    assert ours.objective >= (1 - 1e-6) * theirs.objective
    assert ours.alpha.min() >= -1e-12
    assert all(part.alpha.min() >= -1e-12 for part in topography.solve(X, 3, rounds=3).weights)


@pytest.mark.parametrize("representation", ["centered", "as-is", "parts"])
def test_squares_are_the_squared_norms_of_the_features(rng, representation):
    X = np.abs(rng.standard_normal((20, 7)))
    X[:, 3] = 0.0
    with pytest.warns(UserWarning, match="weight 0"):
        data = _data.represent(X, None, representation=representation)
    columns = data.rows(0, 20)
    np.testing.assert_allclose(data.squares, (columns**2).sum(axis=0), atol=1e-12)
    if representation == "centered":
        factors = rng.random(7) + 0.5
        rescaled = data.rescaled(factors)
        expected = ((columns * factors) ** 2).sum(axis=0)
        np.testing.assert_allclose(rescaled.squares, expected, rtol=1e-12)


def test_a_failed_search_on_a_slope_is_not_convergence(monkeypatch, rng):
    """Where products are wrong, slopes promise what no step finds."""
    data = _data.read(rng.standard_normal((12, 30)))
    basis = np.linalg.qr(rng.standard_normal((12, 2)))[0]
    first = ascent.start(Samples(data), np.full(30, 30**-0.5), basis)
    monkeypatch.setattr(ascent, "_search", lambda *given, plain: (None, 0.0))
    options = {"tol": 1e-6, "max_iter": 9, "tell": lambda *_: False}
    assert not ascent.climb(first, **options).converged
    level = first._replace(gradient=1e-9 * data.floor * first.gradient)
    assert ascent.climb(level, **options).converged


@pytest.mark.parametrize("seed", [91, 72, 49, 35])
def test_orthogonal_blocks_with_more_directions_than_they_fill(seed):
    """Numbers in s that go to 0 change sign on the way, which must not cost what was learnt."""
    generator = np.random.default_rng([99, seed])
    count, m = int(generator.integers(2, 8)), int(generator.integers(3, 7))
    width = int(generator.integers(m + 1, 3 * m + 6))
    X = np.zeros((count * m, count * width))
    for b in range(count):
        block = generator.standard_normal((m, width))
        X[b * m : (b + 1) * m, b * width : (b + 1) * width] = block - block.mean(axis=0)
    k = int(generator.integers(2, count * (m - 1)))
    found = qalpha.solve(X, k)
    assert found.converged
    assert found.n_passes <= 60
    limit = qalpha.solve(X, k, tol=1e-12, max_iter=2000)
    assert found.objective == pytest.approx(limit.objective, rel=1e-6)
