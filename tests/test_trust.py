"""Whatever finite numbers come in: weights of unit norm or one line, at every scale and rank."""

import numpy as np
import pytest

from specsel import (
    alignment,
    eslda,
    evidence,
    gslda,
    kernel,
    laplacian,
    pairwise,
    positivity,
    qalpha,
    side_info,
    supervised,
    weighting,
)

X = np.random.default_rng(1).standard_normal((8, 6))
Y = np.arange(8) % 2
SOLVERS = {
    "qalpha": lambda X: qalpha.solve(X, 2),
    "not centred": lambda X: qalpha.solve(X, 2, center=False),
    "weighting": weighting.solve,
    "weighting classes": lambda X: weighting.solve(X[:4], Y[:4], tradeoff=0.1),
    "pairwise": lambda X: pairwise.solve(X, 2, apart=[[0, 1]]),
    "pairwise samples": lambda X: pairwise.solve(X, 2, apart=(X[:2], X[2:4])),
    "pairwise gap": lambda X: pairwise.solve(X, 2, apart=[[0, 1]], criterion="gap"),
    "laplacian": lambda X: laplacian.solve(X, 2),
    "definition": lambda X: laplacian.solve(X, 2, shift="definition", representation="shift"),
    "supervised": lambda X: supervised.solve(X, Y),
    "side_info": lambda X: side_info.solve(X, X[:4] + X[4:], 2),
    "kernel": lambda X: kernel.solve(X, 2, kernel="rbf"),
}


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", SOLVERS)
def test_a_power_of_two_changes_no_weight(name, dtype):
    data = X.astype(dtype)
    expected = SOLVERS[name](data)
    for exponent in (-100, 100) if dtype == "f4" else (-1000, -565, 565, 1000):
        got = SOLVERS[name](np.ldexp(data, exponent))
        np.testing.assert_allclose(got.alpha, expected.alpha, atol=1e-12)
        np.testing.assert_array_equal(got.norm, np.ldexp(expected.norm, exponent))
        np.testing.assert_array_equal(got.mean, np.ldexp(expected.mean, exponent))


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("name", SOLVERS)
def test_every_feature_may_have_a_scale_of_its_own(name):
    exponents = np.array([-900, 0, 600, -333, 1000, 20])
    got, expected = SOLVERS[name](np.ldexp(X, exponents)), SOLVERS[name](X)
    np.testing.assert_allclose(got.alpha, expected.alpha, atol=1e-9)


def test_side_data_that_vary_beyond_all_measure_are_refused():
    with pytest.raises(ValueError, match=r"side: feature \d varies more than 1e50 times as much"):
        side_info.solve(X, X * 1e160, 2)


def test_a_part_that_is_nothing_beside_the_other_weighs_nothing():
    data = X.copy()
    data[:, 0] = [0, 0, 0, 0, 0, 1, -1e-200, 0]
    got = pairwise.solve(data, 2, apart=[[0, 5], [5, 6]])
    assert np.linalg.norm(got.alpha) == pytest.approx(1)
    assert got.parts[1, 0] == 0


@pytest.mark.filterwarnings("ignore:tradeoff = 1.0")
def test_float32_with_classes_is_as_good_as_float64():
    """The directions that centred data lack must not pass for short ones, and be inverted."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        shape = rng.integers(4, 8), rng.integers(12, 45)
        data, y = rng.standard_normal(shape).astype("f4"), np.arange(shape[0]) % 2
        got, expected = weighting.solve(data, y), weighting.solve(data.astype(float), y)
        assert np.linalg.norm(got.alpha) == pytest.approx(1, abs=1e-5)
        assert got.objective == pytest.approx(expected.objective, rel=1e-3, abs=1e-5)


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("representation", ["parts", "shift"])
def test_float32_with_classes_that_do_only_harm(representation):
    """Directions that only rounding tells from nothing must not pass for the leading one."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        data = rng.standard_normal((10, rng.integers(3, 10))).astype("f4")
        y = rng.permutation(np.arange(10) % 4)
        found = supervised.solve(data, y, gamma=3, representation=representation)
        assert np.linalg.norm(found.alpha) == pytest.approx(1, abs=1e-3)


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize(
    ("k", "seeds"),
    [(1, range(20)), (2, range(2)), pytest.param(2, range(2, 20), marks=pytest.mark.slow)],
)
def test_where_all_weights_are_worth_nothing_any_of_unit_norm_will_do(k, seeds):
    """Two samples, centred and apart, λ = 1: the pair takes away all that the cluster gives."""
    for seed in seeds:
        data = np.random.default_rng(seed).standard_normal((2, 3))
        got = pairwise.solve(data, k, apart=[[0, 1]], representation="centered")
        assert np.linalg.norm(got.alpha) == pytest.approx(1)
        assert got.objective == pytest.approx(0, abs=1e-12)


def test_one_feature_gets_all_weight_even_if_it_is_worth_nothing():
    got = supervised.solve(
        np.array([[0.0], [0], [1], [1]]), [0, 1, 0, 1], gamma=1, representation="shift"
    )
    assert (got.alpha.tolist(), got.objective) == ([1.0], pytest.approx(0, abs=1e-12))


@pytest.mark.filterwarnings("ignore:not converged")
def test_the_gap_of_a_few_float32_samples():
    for seed in range(30):
        data = np.random.default_rng(seed).standard_normal((3, 17)).astype("f4")
        for pairs in ({"apart": [[0, 1]]}, {"together": [[0, 1]]}):
            for k in (1, 2, 3):
                got = pairwise.solve(data, k, criterion="gap", **pairs)
                exact = pairwise.solve(data.astype(float), k, criterion="gap", **pairs)
                assert np.linalg.norm(got.alpha) == pytest.approx(1, abs=1e-4)
                assert got.objective == pytest.approx(exact.objective, rel=1e-2, abs=1e-3)


REFUSED = {
    "a whole number": lambda: qalpha.solve(X, 10**400),
    "no scalar": lambda: qalpha.solve(X, np.array(5)),
    "sizes": lambda: eslda.solve(X, k=np.array(5)),
    "iterations": lambda: qalpha.solve(X, 2, max_iter=10**400),
    "tolerance": lambda: qalpha.solve(X, 2, tol=10**400),
    "sigma": lambda: kernel.solve(X, 2, kernel="rbf", sigma=1e200),
    "gamma": lambda: supervised.solve(X, Y, gamma=1e200),
    "tradeoff": lambda: pairwise.solve(X, 2, apart=[[0, 1]], tradeoff=1e200),
    "shrinkage": lambda: gslda.solve(X, Y, shrinkage=1e200),
    "wide": lambda: positivity.hoeffding_tail(5, 1, width=1e200),
    "narrow": lambda: positivity.hoeffding_tail(5, 1, width=1e-200),
    "mean": lambda: positivity.probability(5, 1e160, 1),
    "relevant": lambda: evidence.detectability(1e200, 1, 9),
}


@pytest.mark.parametrize("name", REFUSED)
def test_numbers_beyond_all_measure_are_refused_in_one_line(name):
    with pytest.raises(ValueError, match=r"^\w+ = .{1,100}: must be .*$"):
        REFUSED[name]()


def test_whole_numbers_of_few_bits_do_not_overflow():
    few = {"trials": 2, "random_state": 0}
    n, short = 100, np.int8(100)
    for solve in (
        lambda n: positivity.wishart_moments(n, n, **few).expected.tolist(),
        lambda n: positivity.triple_product(n, n, **few).product,
        lambda n: positivity.hoeffding_tail(n, 0.1, **few),
        lambda n: positivity.norm_tail(n, 0.5, **few),
        lambda n: positivity.semicircle(n, 0.0, 1.0, bins=3, **few).share.tolist(),
        lambda n: evidence.detectability(n, n, n),
    ):
        assert solve(short) == solve(n)
    wide = np.random.default_rng(0).standard_normal((5, 40))
    path = gslda.solve(wide, max_size=np.int8(4))
    assert path.sizes.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("scale", "options", "ranking"),
    [
        (10.0 ** np.array([-126, 68, -40, -104, 150, -140]), {"always": [4]}, [4]),
        ([1e-90, 1.0, 1e-90], {"n": 3, "always": [0]}, [0, 1, 2]),  # whose fourth powers are lost
    ],
)
def test_features_that_are_nothing_beside_others_are_aligned(scale, options, ranking):
    data = np.random.default_rng(0).standard_normal((12, len(scale))) * scale
    found = alignment.solve(data, np.arange(12) % 2, scale="native", **options)
    assert np.isfinite(found.scores).all()
    assert found.ranking[: len(ranking)].tolist() == ranking


def test_a_graph_of_features_that_are_nothing_beside_others():
    data = np.random.default_rng(0).standard_normal((12, 3)) * np.array([1e160, 1.0, 1e-150])
    expected = alignment.graph(data[:, :1], neighbours=2)
    assert (alignment.graph(data, neighbours=2) != expected).nnz == 0


def test_log_det_of_a_pencil_whose_small_eigenvalues_are_lost_in_rounding():
    factor = np.random.default_rng(0).standard_normal((3, 2)) * [1e20, 1.0]
    A, B = factor @ factor.T, np.eye(3)
    assert np.linalg.eigvalsh(A)[0] < -1
    for path in (
        gslda.solve_pair(A, B, criterion="logdet"),
        eslda.solve_pair(A, B, [1, 2, 3], criterion="logdet"),
    ):
        assert (np.diff(path.values) >= -1e-9 * path.values[:-1]).all()
        assert path.values[0] >= np.log1p(A[0, 0]) * (1 - 1e-12)
