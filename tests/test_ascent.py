"""The ascent: a maximum of what the alternation maximises, in fewer passes, and safe steps.

Through `qalpha.solve`, and where a part has a mathematical contract of its own: the gradient, the
retraction, the tangents, the inverse curvature, and BFGS.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import weighing as oracle

from specsel import _ascent, _data, datasets, qalpha, side_info, topography

TIGHT = {"tol": 1e-13, "max_iter": 2000}


def planted(q, n, n_classes, seed=0):
    """Classes that show in an eighth of the features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((q, n))
    relevant = max(n // 8, 2)
    X[:, :relevant] += 2 * rng.standard_normal((n_classes, relevant))[np.arange(q) % n_classes]
    return X


@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("shape", [(30, 200), (90, 25)])
@pytest.mark.parametrize("center", [True, False])
def test_the_end_is_a_maximum_of_what_the_paper_maximises(shape, k, center, criterion):
    X = planted(*shape, 4) + 0.5
    weights = qalpha.solve(X, k, center=center, criterion=criterion, **TIGHT)
    assert weights.converged
    M = oracle.standardise(X, center)
    G = oracle.gram(M, weights.basis)
    form = G if criterion == "energy" else 2 * G - oracle.squared(M)
    values, vectors = np.linalg.eigh(form)
    assert abs(vectors[:, -1] @ weights.alpha) == pytest.approx(1, abs=1e-6)
    assert weights.objective == pytest.approx(values[-1], rel=1e-9)
    image = oracle.affinity(M, weights.alpha) @ weights.basis
    np.testing.assert_allclose(
        image, weights.basis * weights.eigenvalues, atol=1e-6 * abs(weights.eigenvalues).max()
    )
    spectrum = abs(np.linalg.eigvalsh(oracle.affinity(M, weights.alpha)))
    np.testing.assert_allclose(abs(weights.eigenvalues), np.sort(spectrum)[::-1][:k], rtol=1e-6)
    assert criterion == "gap" or weights.alpha.min() >= -1e-12


@pytest.mark.parametrize("criterion", ["energy", "gap"])
def test_it_is_as_good_as_the_alternation_on_average_and_reads_less(criterion):
    ratios, passes = [], []
    for seed in range(6):
        for k in (1, 3, 6):
            X = datasets.growing_classes(4, random_state=seed).X
            ours, theirs = (
                qalpha.solve(X, k, criterion=criterion, method=m) for m in ("ascent", "power")
            )
            ratios.append(ours.objective / theirs.objective)
            passes.append((ours.n_passes, theirs.n_passes))
    assert np.mean(ratios) >= 0.9999
    assert min(ratios) >= 0.97
    ours, theirs = np.median(passes, axis=0)
    assert ours <= 60
    assert ours < theirs / (3 if criterion == "gap" else 1)


@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("k", [1, 4, 8])
def test_the_tolerance_is_kept(k, criterion):
    for seed in range(4):
        X = planted(40, 150, 3, seed)
        weights = qalpha.solve(X, k, criterion=criterion, tol=1e-6)
        limit = qalpha.solve(X, k, criterion=criterion, **TIGHT)
        assert weights.converged
        assert weights.objective >= (1 - 1e-6) * limit.objective


@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from(["energy", "gap"]))
def test_the_history_never_falls(seed, k, criterion):
    X = np.random.default_rng(seed).standard_normal((15, 25))
    history = qalpha.solve(X, k, criterion=criterion, tol=1e-9).history
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


@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("init", ["equal", "random", "seeded", "continuation"])
def test_every_start_ascends(init, criterion):
    X = planted(30, 80, 3)
    got = qalpha.solve(X, 3, criterion=criterion, init=init, n_init=3, random_state=0)
    assert got.converged
    M = oracle.standardise(X)
    G = oracle.gram(M, got.basis)
    form = G if criterion == "energy" else 2 * G - oracle.squared(M)
    assert got.objective == pytest.approx(np.linalg.eigvalsh(form)[-1], rel=1e-3)
    assert criterion == "gap" or got.alpha.min() >= -1e-12
    assert (np.diff(got.history) >= -1e-9 * got.objective).all()


def test_side_information_and_rounds_ascend_on_rescaled_features():
    rng = np.random.default_rng(0)
    X, side = planted(30, 60, 3), rng.standard_normal((20, 60)) * np.linspace(0.2, 4, 60)
    ours, theirs = (
        side_info.solve(X, side, 3, method=method, **TIGHT) for method in ("ascent", "power")
    )
    assert ours.objective >= (1 - 1e-6) * theirs.objective
    assert ours.alpha.min() >= -1e-12
    assert all(part.alpha.min() >= -1e-12 for part in topography.solve(X, 3, rounds=3).weights)


def orthogonal_blocks(seed):
    """Return data of several blocks that share nothing, and a k."""
    generator = np.random.default_rng([99, seed])
    count, m = int(generator.integers(2, 8)), int(generator.integers(3, 7))
    width = int(generator.integers(m + 1, 3 * m + 6))
    X = np.zeros((count * m, count * width))
    for b in range(count):
        block = generator.standard_normal((m, width))
        X[b * m : (b + 1) * m, b * width : (b + 1) * width] = block - block.mean(axis=0)
    return X, int(generator.integers(2, count * (m - 1)))


def test_orthogonal_blocks_with_more_directions_than_they_fill():
    """Numbers in s that go to 0 change sign on the way, which must not cost what was learnt."""
    passes = 0
    for X, k in map(orthogonal_blocks, (91, 72, 49, 35)):
        found = qalpha.solve(X, k)
        assert found.converged
        limit = qalpha.solve(X, k, tol=1e-12, max_iter=2000)
        assert found.objective == pytest.approx(limit.objective, rel=1e-6)
        passes += found.n_passes
    assert passes <= 4 * 55


def test_wide_data_use_the_spectrum_of_the_affinity_and_read_less():
    """Many features for few samples: the eigenvalues outside of the basis are computed once."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6000))
    X[:, :300] += rng.standard_normal((3, 300))[np.arange(60) % 3]
    for k in (8, 10):
        found = qalpha.solve(X, k)
        assert found.converged
        assert found.n_passes <= 60
        assert found.objective >= (1 - 1e-5) * qalpha.solve(X, k, **TIGHT).objective


# The parts that have a contract of their own.

Q, N, K = 12, 30, 3


@pytest.fixture
def point(rng):
    """A random positive matrix W of rank 3, for 30 features, and two pairs of samples."""
    data = _data.read(rng.standard_normal((Q, N)))
    pairs = _data.Pairs.sort(np.array([[0, 3], [4, 1]]), Q)
    objective = _ascent.Objective(data, pairs, np.array([2.0, 0.5]))
    return objective.evaluate(orthonormal(rng, K), *_ascent._unit(rng.random(K), rng.random(2)))


def orthonormal(rng, k):
    return np.linalg.qr(rng.standard_normal((Q, k)))[0]


def tangents(point, rng, count):
    """Some tangents as rows."""
    inside, outside = rng.standard_normal((count, K, K)), rng.standard_normal((count, Q, K))
    outside -= point.basis @ (point.basis.T @ outside)
    return _ascent._join(inside + inside.swapaxes(1, 2), outside, rng.standard_normal((count, 2)))


def matrices(rows, basis):
    """The matrices that tangents stand for, and the changes of p."""
    inside, outside, p = _ascent._split(rows, basis)
    half = outside / np.sqrt(2) @ basis.T
    return basis @ inside @ basis.T + half + half.swapaxes(-1, -2), p


def value(point, W, p):
    M = point.objective.data.rows(0, Q)
    alpha = np.einsum("si,st,ti->i", M, W, M)
    for number, root, (s, t) in zip(p, np.sqrt([2.0, 0.5]), [(0, 3), (4, 1)], strict=True):
        alpha += number * root * M[s] * M[t]
    return (alpha**2).sum()


def test_value_and_gradient_are_those_of_the_definition(point, rng):
    W = point.basis * point.spectrum @ point.basis.T
    assert point.value == pytest.approx(value(point, W, point.p), rel=1e-12)
    for row in tangents(point, rng, 5):
        # Along the sphere: the gradient is that of f less f (|W|² + |p|²), f being of degree 4.
        step, p = matrices(row, point.basis)
        radial = np.vdot(step, W) + p @ point.p
        step, p = step - radial * W, p - radial * point.p
        d = 1e-6
        rise = value(point, W + d * step, point.p + d * p)
        rise -= value(point, W - d * step, point.p - d * p)
        assert point.gradient @ row == pytest.approx(rise / (2 * d) / 2, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("size", [1e-3, 0.3, 5.0])
def test_a_step_leads_to_the_nearest_matrix_of_rank_k(size, point):
    step = point.gradient * (size / np.linalg.norm(point.gradient))
    basis, spectrum, p = _ascent._retracted(point, step)
    np.testing.assert_allclose(basis.T @ basis, np.eye(K), atol=1e-12)
    assert spectrum @ spectrum + p @ p == pytest.approx(1)
    assert min(spectrum.min(), p.min()) >= 0
    change, change_of_p = matrices(step, point.basis)
    values, vectors = np.linalg.eigh(point.basis * point.spectrum @ point.basis.T + change)
    leading = np.argsort(-np.abs(values))[:K]
    nearest = vectors[:, leading] * np.abs(values[leading]) @ vectors[:, leading].T
    length = np.sqrt((values[leading] ** 2).sum() + ((point.p + change_of_p) ** 2).sum())
    np.testing.assert_allclose(basis * spectrum @ basis.T, nearest / length, atol=1e-10)
    np.testing.assert_allclose(p, np.abs(point.p + change_of_p) / length, atol=1e-12)


def test_tangents_are_moved_by_projection(point, rng):
    """Products of rows are inner products of tangents, before and after."""
    rows, target = tangents(point, rng, 4), orthonormal(rng, K)
    given, p = matrices(rows, point.basis)
    products = np.einsum("aij,bij->ab", given, given) + p @ p.T
    np.testing.assert_allclose(rows @ rows.T, products, atol=1e-10)
    moved = _ascent._moved(rows, point.basis, target)
    rest = np.eye(Q) - target @ target.T
    found, p_found = matrices(moved, target)
    np.testing.assert_allclose(found, given - rest @ given @ rest, atol=1e-11)
    np.testing.assert_array_equal(p_found, p)
    outside = _ascent._split(moved, target)[1]
    np.testing.assert_allclose(target.T @ outside, np.zeros((4, K, K)), atol=1e-12)
    np.testing.assert_allclose(_ascent._moved(moved, target, target), moved, atol=1e-12)


@pytest.mark.parametrize("by_spectrum", [False, True])
def test_the_inverse_curvature_outside_is_that_of_the_affinity(by_spectrum, point, rng):
    point = point._replace(spectrum=np.full(K, 1.5))
    M, apart = point.objective.data.rows(0, Q).T, np.eye(Q) - point.basis @ point.basis.T
    affinity = apart @ oracle.affinity(M, point.alpha) @ apart / point.value
    if not by_spectrum:
        affinity = np.eye(Q) * np.trace(affinity) / (Q - K)
    known = _ascent._spectrum_outside(point) if by_spectrum else None
    rows = tangents(point, rng, 2)
    found = _ascent._split(_ascent._inverse_curvature(point, known)(rows), point.basis)
    inside, outside, p = _ascent._split(rows, point.basis)
    wanted = inside, np.linalg.solve(np.eye(Q) - affinity / 1.5, outside), p
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other / point.value, atol=1e-10 / point.value)


@pytest.mark.parametrize("length", [0.0, 1e-300, 0.1, 100.0])
def test_the_inverse_curvature_is_positive_even_where_an_old_spectrum_says_otherwise(
    length, point, rng
):
    known = _ascent._spectrum_outside(point)
    basis = np.linalg.qr(point.basis + 0.1 * rng.standard_normal((Q, K)))[0]
    point = point._replace(basis=basis, spectrum=np.full(K, length))
    rows = tangents(point, rng, 6)
    for spectrum in (None, known):
        form = _ascent._inverse_curvature(point, spectrum)(rows) @ rows.T
        np.testing.assert_allclose(form, form.T, atol=1e-10)
        assert np.linalg.eigvalsh(form)[0] > 0


def test_directions_are_those_of_bfgs_pair_by_pair(rng):
    """The compact form against products with one pair after another, as in the textbook."""
    size = 20
    memory = _ascent.Memory(size)
    bend, gradient = rng.standard_normal((size, size)), rng.standard_normal(size)
    memory.steps = rng.standard_normal((3, size))
    memory.losses = memory.steps @ (bend @ bend.T + np.eye(size))
    memory.products = memory.steps @ memory.losses.T
    factors = rng.random(size) + 0.5
    inverse = np.diag(factors)
    for s, y in zip(memory.steps, memory.losses, strict=True):
        side = np.eye(size) - np.outer(s, y) / (s @ y)
        inverse = side @ inverse @ side.T + np.outer(s, s) / (s @ y)
    direction = memory.direction(gradient, lambda rows: factors * rows)
    np.testing.assert_allclose(direction, inverse @ gradient)


def test_a_memory_holds_steps_and_losses_at_the_new_point(point, rng):
    """The newest step is what its loss stands for (the secant equation), at every point."""
    memory, factors = _ascent.Memory(len(point.gradient)), np.ones(len(point.gradient))
    steps = losses = np.zeros((0, len(factors)))
    for _ in range(3):
        after = point._replace(basis=orthonormal(rng, K))
        step, gradient = tangents(point, rng, 2)
        left = _ascent._moved((gradient - 2 * step)[None], point.basis, after.basis)[0]
        before = point._replace(gradient=gradient, value=1.0)
        memory.update(before, after._replace(gradient=left), step, lambda rows: factors * rows)
        steps = _ascent._moved(np.vstack((steps, step)), point.basis, after.basis)
        losses = _ascent._moved(np.vstack((losses, 2 * step)), point.basis, after.basis)
        np.testing.assert_allclose(memory.steps, steps, atol=1e-12)
        np.testing.assert_allclose(memory.losses, losses, atol=1e-12)
        direction = memory.direction(memory.losses[-1], lambda rows: factors * rows)
        np.testing.assert_allclose(direction, memory.steps[-1], atol=1e-10)
        point = after
