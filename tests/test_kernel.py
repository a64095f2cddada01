"""Kernel Q-α against the literal definition, against Q-α, and its properties."""

import numpy as np
import pytest
from oracles import kernels as oracle
from oracles import weighing
from samples import projector, quiet, sample

from specsel import _data, datasets, kernel, qalpha

SHAPES = [(8, 20), (20, 20), (30, 9), (12, 1), (60, 82), (5, 70), (2, 3)]
KERNELS = {
    "linear": {},
    "poly": {"degree": 3, "offset": 0.5},
    "rbf": {"sigma": 0.8},
    "sectioned": {"sections": 3},
}


solve = quiet(kernel.solve)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("criterion", ["energy", "gap"])
def test_precomputed_and_callable_are_the_same_as_built_in(criterion, order):
    X = sample((15, 30))
    V = np.array(oracle.kernel_matrix(oracle.features(X), "poly"), order=order)
    V.flags.writeable = False
    options = {"criterion": criterion, "tol": 0, "max_iter": 3, "method": "power"}
    expected = solve(X, 2, kernel="poly", **options)
    for got in (
        solve(V, 2, kernel="precomputed", **options),
        solve(X, 2, kernel=lambda M: (M @ M.T + 1) ** 2, **options),
    ):
        np.testing.assert_allclose(got.alpha, expected.alpha, atol=1e-9)
    given = solve(V, 2, kernel="precomputed", **options)
    assert not given.mean.any()
    assert (given.norm == 1).all()


def test_a_callable_takes_features_as_rows():
    X, seen = sample((15, 7)), []
    solve(X, 2, kernel=lambda M: seen.append(M) or M @ M.T)
    np.testing.assert_allclose(seen[0], oracle.features(X), atol=1e-14)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("shape", [(20, 30), (40, 12), (6, 50)])
@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("kind", KERNELS)
def test_iterations_are_those_of_the_definition(kind, criterion, shape, center):
    X = sample(shape)
    V = oracle.kernel_matrix(oracle.features(X, center), kind, **KERNELS[kind])
    start = np.random.default_rng(1).random(shape[1])
    for k in (1, 2, 4):
        alpha, E, history = oracle.definition_14(
            V, oracle.first_coefficients(V, start, k), 3, criterion
        )
        options = {"init": start, "tol": 0, "max_iter": 3, "method": "power"} | KERNELS[kind]
        got = solve(X, k, kernel=kind, criterion=criterion, center=center, **options)
        np.testing.assert_allclose(got.alpha, alpha, atol=1e-9)
        np.testing.assert_allclose(got.history, history[: got.n_iter], rtol=1e-9)
        np.testing.assert_allclose(projector(got.basis), projector(V @ E), atol=1e-7)


@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("shape", SHAPES)
def test_linear_kernel_is_q_alpha(shape, criterion):
    X, rank = sample(shape), min(shape[0] - 1, shape[1])
    for k in {min(k, rank) for k in (1, 3, rank)}:
        options = {"criterion": criterion, "tol": 0, "max_iter": 3, "method": "power"}
        expected = quiet(qalpha.solve)(X, k, **options)
        got = solve(X, k, kernel="linear", **options)
        np.testing.assert_allclose(got.alpha, expected.alpha, atol=1e-10)
        np.testing.assert_allclose(got.objective, expected.objective, rtol=1e-10)
        np.testing.assert_allclose(got.eigenvalues, expected.eigenvalues, atol=1e-10)
        scores = oracle.features(X) @ expected.basis
        np.testing.assert_allclose(projector(got.basis), projector(scores), atol=1e-9)


def test_features_that_are_alike_and_k_at_the_rank_and_past_it():
    X = sample((9, 6))
    X = np.hstack([X, X[:, :3], -X])
    V = oracle.kernel_matrix(oracle.features(X), "linear")
    start = np.random.default_rng(1).random(15)
    alpha, *_ = oracle.definition_14(V, oracle.first_coefficients(V, start, 6), 3)
    for k in (6, 8, 15):
        got = solve(V, k, kernel="precomputed", init=start, method="power", tol=0, max_iter=3)
        np.testing.assert_allclose(got.alpha, alpha, atol=1e-8)
        assert (np.abs(got.eigenvalues[6:]) < 1e-12).all()
        assert not got.basis[:, 6:].any()
    np.testing.assert_allclose(got.alpha[:3], got.alpha[6:9], atol=1e-10)
    for init in ("continuation", "equal", "random", "seeded"):
        got = solve(V, 6, kernel="precomputed", init=init, random_state=0)
        assert np.isfinite(got.alpha).all()


def test_constant_features_weigh_nothing():
    X = sample((20, 30))
    wide = np.insert(X, 3, 7.0, axis=1)
    kinds = [*KERNELS, lambda M: np.exp(M @ M.T)]
    for kind in kinds:
        for criterion in ("energy", "gap"):
            options = {"kernel": kind, "criterion": criterion, "method": "power"}
            options |= {"tol": 0, "max_iter": 2}
            with pytest.warns(UserWarning, match="1 of 31 features is constant and gets weight 0"):
                got = solve(wide, 2, **options)
            assert got.alpha[3] == 0
            expected = solve(X, 2, **options).alpha
            np.testing.assert_allclose(np.delete(got.alpha, 3), expected, atol=1e-9)
    V = np.zeros((31, 31))
    V[:30, :30] = oracle.kernel_matrix(oracle.features(X), "rbf")
    got = solve(V, 2, kernel="precomputed", tol=0, max_iter=2)
    assert got.alpha[30] == got.norm[30] == 0


def test_float32_is_read_as_it_is():
    X = sample((20, 30)).astype(np.float32)
    expected = solve(X.astype(float), 2, tol=0, max_iter=2)
    np.testing.assert_allclose(solve(X, 2, tol=0, max_iter=2).alpha, expected.alpha, atol=1e-5)
    M = oracle.features(X).astype(np.float32)
    got = solve(M @ M.T, 2, kernel="precomputed", tol=0, max_iter=2)  # rank 19 of 30
    expected = solve(X, 2, kernel="linear", tol=0, max_iter=2)
    np.testing.assert_allclose(got.alpha, expected.alpha, atol=1e-4)


BAD = {
    'k = 0: must be from 1 to 30, n_features, or "auto"': {"k": 0},
    'k = 31: must be from 1 to 30, n_features, or "auto"': {"k": 31},
    'k = 21: must be from 1 to 20, min(n_samples, n_features), or "auto"': {
        "k": 21,
        "kernel": "linear",
    },
    "kernel = 'x': must be one of linear, poly, rbf, sectioned, precomputed": {"kernel": "x"},
    "kernel = ndarray of shape (9, 9): must be one of linear, poly, rbf, sectioned, precomputed": {
        "kernel": np.eye(9)
    },
    "criterion = 'x': must be one of energy, gap": {"criterion": "x"},
    "center = 'no': must be True or False": {"center": "no"},
    "sigma = 0: must be a finite number at least 1e-07": {"sigma": 0},
    "sigma = nan: must be a finite number at least 1e-07": {"sigma": float("nan")},
    "degree = 0: must be at least 1": {"degree": 0},
    "degree = 2.5: must be a whole number at least 1": {"degree": 2.5},
    "degree = 600: too large with offset = 1.0": {"degree": 600},
    "offset = -1: must be a finite number at least 0": {"offset": -1},
    "sections = 21: must be from 1 to 20, n_samples": {"kernel": "sectioned", "sections": 21},
    "sections: has shape (3,); (20,) is needed": {"kernel": "sectioned", "sections": [1, 2, 3]},
    "init = 'best': must be one of continuation, equal, seeded, random, or weights": {
        "init": "best"
    },
    "init: has shape (3,); weights of shape (30,) is needed": {"init": np.ones(3)},
    "init: weights must be finite and not negative, and one of them not 0": {"init": np.zeros(30)},
    "tol = -1: must be a number from 0 to 1, 1 excluded": {"tol": -1},
}


def test_weights_of_constant_features_alone_are_no_start():
    X = np.insert(sample((20, 4)), 1, 3.0, axis=1)
    with (
        pytest.warns(UserWarning, match="constant"),
        pytest.raises(ValueError, match=r"^init: weighs constant features alone"),
    ):
        kernel.solve(X, 2, init=[0, 1, 0, 0, 0])


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("kind", KERNELS)
def test_the_ascent_ends_where_the_definition_stays(kind, k):
    """α leads G at the directions, which span the k leading ones of the affinity.

    With V the inner products of the mapped features, ``V D W`` holds their scores on ``A_α Q``.
    """
    X = sample((20, 40))
    V = oracle.kernel_matrix(oracle.features(X), kind, **KERNELS[kind])
    got = solve(X, k, kernel=kind, tol=1e-13, max_iter=3000, **KERNELS[kind])
    assert got.converged
    values, vectors = np.linalg.eigh(V * (got.basis @ got.basis.T))
    assert got.objective == pytest.approx(values[-1], rel=1e-9)
    assert abs(vectors[:, -1] @ got.alpha) == pytest.approx(1, abs=1e-6)
    assert got.alpha.min() >= -1e-12
    image = V @ (got.alpha[:, None] * got.basis)
    scale = 1e-6 * np.abs(got.basis).max() * got.eigenvalues[0]
    np.testing.assert_allclose(image, got.basis * got.eigenvalues, atol=scale)
    root = np.sqrt(np.maximum(got.alpha, 0))
    spectrum = np.linalg.eigvalsh(root[:, None] * V * root)[::-1]
    np.testing.assert_allclose(got.eigenvalues, spectrum[:k], rtol=1e-6)
    inside = got.basis.T @ (got.alpha[:, None] * got.basis)
    np.testing.assert_allclose(inside, np.diag(got.eigenvalues), atol=1e-9)
    E = np.linalg.lstsq(V, got.basis, rcond=1e-12)[0]
    np.testing.assert_allclose(got.basis.T @ E, np.eye(k), atol=1e-6)
    assert got.objective == pytest.approx((got.eigenvalues**2).sum(), rel=1e-6)
    assert np.linalg.norm(got.alpha) == pytest.approx(1)
    assert (np.diff(got.history) >= -1e-12 * got.objective).all()


def test_the_ascent_is_as_good_as_the_alternation():
    ratios = []
    for seed in range(3):
        for kind in KERNELS:
            for k in (1, 3, 6):
                X = datasets.growing_classes(4, random_state=seed).X
                ours, theirs = (
                    solve(X, k, kernel=kind, method=method, **KERNELS[kind])
                    for method in ("ascent", "power")
                )
                ratios.append(ours.objective / theirs.objective)
    assert np.mean(ratios) >= 0.9999
    assert min(ratios) >= 0.97


def test_the_ascent_takes_features_that_are_alike_and_k_past_the_rank():
    X = sample((9, 6))
    V = oracle.kernel_matrix(oracle.features(np.hstack([X, X[:, :3], -X])), "linear")
    for k in (6, 8, 15):
        got = solve(V, k, kernel="precomputed", tol=1e-12, max_iter=1000)
        assert got.converged
        assert (np.abs(got.eigenvalues[6:]) < 1e-10).all()
        np.testing.assert_allclose(got.alpha[:3], got.alpha[6:9], atol=1e-9)
        expected = weighing.leading(V * V)[0]
        np.testing.assert_allclose(got.alpha, np.abs(expected), atol=1e-6)


def test_ritz_gives_the_weights_of_the_last_directions():
    X = sample((20, 30))
    V = oracle.kernel_matrix(oracle.features(X), "poly")
    for criterion in ("energy", "gap"):
        got = solve(X, 2, kernel="poly", criterion=criterion, method="ritz", tol=0, max_iter=3)
        G = V * (got.basis @ got.basis.T)
        form = G if criterion == "energy" else 2 * G - V * V
        assert got.objective == pytest.approx(np.linalg.eigvalsh(form)[-1], rel=1e-9)


@pytest.mark.parametrize("seed", [8, 307, 904, 942, 1311])
def test_features_of_very_different_lengths(seed):
    rng = np.random.default_rng(seed)
    n, q = rng.integers(2, 12), rng.integers(2, 15)
    X = rng.standard_normal((q, n)) * 10.0 ** rng.uniform(-rng.integers(0, 6), 0, n)
    if rng.random() < 0.3:
        X = X[:, rng.integers(0, n, n)]
    products = X.T @ X
    products /= products.max()
    k = int(rng.integers(1, n + 1))
    found = kernel.solve(products, k, kernel="precomputed")
    stepwise = kernel.solve(products, k, kernel="precomputed", method="power")
    assert found.objective == pytest.approx(stepwise.objective, rel=1e-6)
    assert found.alpha.min() >= -1e-9


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        kernel.solve(sample((20, 30)), **({"k": 2} | BAD[message]))
    assert str(caught.value) == message


INDEFINITE = {
    "is not positive semi-definite, its smallest eigenvalue is -0.31": np.diag([1.0, 2, -0.3125]),
    "is not positive semi-definite, its smallest eigenvalue is -1": np.diag([-1.0, -1.0, -1.0]),
    "is not positive semi-definite, its smallest eigenvalue is -1e-07": np.diag([1.0, 1, -1e-7]),
    "is not symmetric, mirrored entries differ by 0.5": np.eye(3) + np.eye(3, k=1) / 2,
    "holds NaN or infinity; finite numbers are needed": np.full((3, 3), np.nan),
    "is 0; at least one feature must vary": np.zeros((3, 3)),
    "has shape (2, 3); (3, 3) is needed": np.ones((2, 3)),
}


@pytest.mark.parametrize("fault", INDEFINITE)
def test_a_matrix_that_is_no_kernel_is_refused(fault):
    for X, kind in (
        (INDEFINITE[fault], "precomputed"),
        (sample((5, 3)), lambda M: INDEFINITE[fault]),
    ):
        with pytest.raises(ValueError) as caught:
            kernel.solve(X, 1, kernel=kind)
        assert str(caught.value) == f"kernel: the matrix {fault}"


def test_what_rounding_leaves_of_a_kernel_is_accepted():
    V = np.ones((3, 3))
    V[0, 1] += 1e-9
    V[2, 2] -= 1e-9
    before = V.copy()
    assert np.isfinite(kernel.solve(V, 1, kernel="precomputed").alpha).all()
    np.testing.assert_array_equal(V, before)


@pytest.mark.parametrize("criterion", ["energy", "gap"])
def test_seeded_starts_are_the_features_like_a_leading_one(criterion):
    """The features with the largest weights in the leading eigenvector of V ∘ V, in order."""
    X = sample((20, 30))
    V = oracle.kernel_matrix(oracle.features(X), "rbf")
    order = np.argsort(-np.abs(weighing.leading(V * V)[0]))
    options = {"criterion": criterion, "tol": 1e-9, "max_iter": 2000}
    ends = [solve(X, 2, init=V[:, seed] ** 2, **options).objective for seed in order[:3]]
    for count in (1, 3):
        seeded = solve(X, 2, init="seeded", n_init=count, **options)
        assert seeded.objective == pytest.approx(max(ends[:count]), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_linear_kernel_is_qalpha_at_the_end(seed):
    """More features than samples: V has a null space."""
    rng = np.random.default_rng([31, seed])
    X = rng.standard_normal((18, 354))
    X[:, :35] += 2 * rng.standard_normal((3, 35))[rng.integers(0, 3, 18)]
    wanted = qalpha.solve(X, 4, tol=1e-12, max_iter=1000)
    M = oracle.features(X)
    for found in (
        kernel.solve(X, 4, kernel="linear", tol=1e-12, max_iter=1000),
        kernel.solve(M @ M.T, 4, kernel="precomputed", tol=1e-12, max_iter=1000),
    ):
        assert found.objective == pytest.approx(wanted.objective, rel=1e-10)
        np.testing.assert_allclose(found.alpha, wanted.alpha, atol=1e-5)
        scores = M @ wanted.basis
        np.testing.assert_allclose(projector(found.basis), projector(scores), atol=1e-3)


def test_more_than_two_thousand_features_and_one_array_of_the_size_of_v(peak_memory):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2100))
    X[:15, :40] += 4.0
    found = []
    peak = peak_memory(lambda: found.append(solve(X, 2, tol=1e-8, max_iter=200)))
    assert peak < 1.75 * 8 * 2100**2
    np.testing.assert_array_equal(found[0].alpha, found[1].alpha)
    assert (found[0].ranking[:40] < 40).mean() > 0.9
    stepwise = solve(X, 2, method="power", tol=1e-8, max_iter=200)
    assert found[0].objective == pytest.approx(stepwise.objective, rel=1e-4)


# The matrix V itself.


def evaluate(X, kind, *, center=True, **options):
    return kernel._evaluate(_data.read(X, center=center), kind, **options)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("shape", [(10, 150), (261, 70)])  # several bands, several blocks of rows
def test_kernels_are_those_written(kind, center, shape):
    X = sample(shape)
    V = evaluate(X, kind, center=center, **KERNELS[kind])
    expected = oracle.kernel_matrix(oracle.features(X, center), kind, **KERNELS[kind])
    np.testing.assert_allclose(V, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(V, V.T)


def test_width_is_the_median_distance():
    X = sample((10, 31))
    expected = oracle.kernel_matrix(oracle.features(X), "rbf")
    np.testing.assert_allclose(evaluate(X, "rbf"), expected, rtol=1e-13)
    np.testing.assert_allclose(evaluate(X[:, :1], "rbf"), 1.0)
    np.testing.assert_allclose(evaluate(np.tile(X[:, :1], 3), "rbf"), np.ones((3, 3)))
    assert np.isfinite(evaluate(X, "rbf", sigma=1e-200)).all()


def test_width_of_many_features_is_that_of_evenly_spaced_ones():
    X = sample((5, 1500))
    M = oracle.features(X)
    chosen = M[np.linspace(0, 1499, 1000).astype(int)]
    distances = np.sqrt(np.maximum(2 - 2 * chosen @ chosen.T, 0))[np.tril_indices(1000, -1)]
    expected = np.exp((M @ M.T - 1) / np.median(distances) ** 2)
    np.testing.assert_allclose(evaluate(X, "rbf"), expected, rtol=1e-9)


def test_sections_may_be_labels():
    X = sample((12, 40))
    for labels in ([0, 1, 2] * 4, list("aabbbbbccaab")):
        expected = oracle.kernel_matrix(oracle.features(X), "sectioned", sections=labels)
        np.testing.assert_allclose(evaluate(X, "sectioned", sections=labels), expected, rtol=1e-13)
