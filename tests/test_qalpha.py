"""Q-α against the literal algorithm, and its properties."""

import itertools
import warnings
from collections import namedtuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import weighing as oracle
from samples import projector, quiet, random_basis, sample
from scipy import sparse

from specsel import _data, datasets, qalpha

SHAPES = [(8, 20), (20, 20), (30, 9), (12, 1), (60, 202), (5, 300), (2, 3)]
CYCLES = 3


solve = quiet(qalpha.solve)


def sizes(shape):
    return [k for k in (1, 2, 3, min(shape)) if k <= min(shape)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("method", ["power", "basic"])
def test_iterations_are_those_of_the_definition(shape, criterion, method):
    X = sample(shape)
    M = oracle.standardise(X)
    literal = {"power": oracle.power_iterations, "basic": oracle.basic_iterations}[method]
    for k in sizes(shape):
        Q = random_basis(shape[0], k)
        alpha, basis, history = literal(M, Q, CYCLES, criterion)
        got = solve(X, k, method=method, criterion=criterion, init=Q, tol=0, max_iter=CYCLES)
        np.testing.assert_allclose(got.alpha, alpha, atol=1e-9)
        np.testing.assert_allclose(got.objective, history[-1], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(got.history, history[: got.n_iter], rtol=1e-8)
        np.testing.assert_allclose(projector(got.basis), projector(basis), atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
def test_ritz_is_the_definition_with_its_missing_factor(shape):
    X = sample(shape)
    M = oracle.standardise(X)
    for k in sizes(shape):
        Q = random_basis(shape[0], k)
        alpha, basis, values = oracle.ritz_iterations(M, Q, CYCLES)
        got = solve(X, k, method="ritz", init=Q, tol=0, max_iter=CYCLES)
        np.testing.assert_allclose(got.alpha, alpha, atol=1e-9)
        np.testing.assert_allclose(got.eigenvalues, values, atol=1e-8)
        np.testing.assert_allclose(projector(got.basis), projector(basis), atol=1e-8)
        power = solve(X, k, method="power", init=Q, tol=0, max_iter=CYCLES)
        np.testing.assert_allclose(projector(got.basis), projector(power.basis), atol=1e-8)


def test_without_centring():
    X, Q = np.abs(sample((20, 30))), random_basis(20, 2)
    M = oracle.standardise(X, center=False)
    alpha, *_ = oracle.power_iterations(M, Q, CYCLES)
    got = solve(X, 2, method="power", center=False, init=Q, tol=0, max_iter=CYCLES)
    np.testing.assert_allclose(got.alpha, alpha, atol=1e-9)
    assert not got.mean.any()


@pytest.mark.parametrize("method", ["ascent", "power", "basic", "ritz"])
@pytest.mark.parametrize("shape", [(20, 200), (50, 10)])
def test_result_is_a_fixed_point(method, shape):
    """α leads G at the basis, and the basis spans an invariant subspace of A_α."""
    X = sample(shape)
    M = oracle.standardise(X)
    got = solve(X, 2, method=method, tol=1e-14, max_iter=2000)
    gram = oracle.gram(M, got.basis)
    assert np.linalg.norm(gram @ got.alpha - got.objective * got.alpha) < 1e-5 * got.objective
    assert got.objective == pytest.approx(np.linalg.eigvalsh(gram)[-1], rel=1e-9)
    A = oracle.affinity(M, got.alpha)
    residual = A @ got.basis - got.basis * got.eigenvalues
    assert np.linalg.norm(residual) < 1e-4 * np.abs(got.eigenvalues).max()
    assert got.objective == pytest.approx((got.eigenvalues**2).sum(), rel=1e-6)


def test_default_tolerance_leaves_a_small_dual_residual():
    X = datasets.weston_linear(60, random_state=1).X
    got = qalpha.solve(X, 3)
    M = oracle.standardise(X)
    gram = oracle.gram(M, got.basis)
    residual = gram @ got.alpha - (got.alpha @ gram @ got.alpha) * got.alpha
    assert np.linalg.norm(residual) < 0.02 * got.objective


@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("shape", [(20, 200), (50, 10), (4, 40)])
def test_result_is_consistent(criterion, shape):
    X = sample(shape)
    got = solve(X, 2, criterion=criterion)
    M = oracle.standardise(X)
    assert got.objective == pytest.approx(
        oracle.objective(M, got.alpha, got.basis, criterion), rel=1e-10
    )
    np.testing.assert_allclose(got.basis.T @ got.basis, np.eye(2), atol=1e-10)
    ritz = got.basis.T @ oracle.affinity(M, got.alpha) @ got.basis
    np.testing.assert_allclose(ritz, np.diag(got.eigenvalues), atol=1e-9)
    assert np.linalg.norm(got.alpha) == pytest.approx(1)
    assert got.alpha.sum() > 0


@given(seed=st.integers(0, 2**20), k=st.integers(1, 3))
def test_order_sign_and_scale_do_not_matter(seed, k):
    X = sample((15, 40), seed)
    rng = np.random.default_rng(seed)
    weights = solve(X, k, tol=1e-10)
    columns, rows = rng.permutation(40), rng.permutation(15)
    factors = rng.choice([-1, 1], 40) * rng.uniform(1e-3, 1e3, 40)
    changed = solve((X * factors + rng.standard_normal(40))[rows][:, columns], k, tol=1e-10)
    np.testing.assert_allclose(changed.alpha, weights.alpha[columns], atol=1e-6)


@given(seed=st.integers(0, 2**20))
def test_duplicates_weigh_the_same(seed):
    X = sample((15, 25), seed)
    doubled = solve(np.hstack([X, X[:, :5], 3 - X[:, :5]]), 2, tol=1e-10)
    np.testing.assert_allclose(doubled.alpha[:5], doubled.alpha[25:30], atol=1e-10)
    np.testing.assert_allclose(doubled.alpha[:5], doubled.alpha[30:], atol=1e-10)


def test_relevant_features_stand_out():
    for seed in range(5):
        data = datasets.growing_classes(3, random_state=seed)
        weights = solve(data.X, 3)
        rest = np.delete(weights.alpha, data.relevant)
        assert weights.alpha[data.relevant].mean() > 5 * rest.mean()
        assert weights.negative_share < 0.05


def test_constant_features_weigh_nothing(clustered):
    X = np.insert(clustered, 3, 7.0, axis=1)
    with pytest.warns(UserWarning, match="1 of 31 features is constant and gets weight 0"):
        weights = qalpha.solve(X, 2, tol=1e-13)
    assert weights.alpha[3] == 0
    expected = qalpha.solve(clustered, 2, tol=1e-13).alpha
    np.testing.assert_allclose(np.delete(weights.alpha, 3), expected, atol=1e-7)


BAD = {
    'k = 0: must be from 1 to 20, min(n_samples, n_features), or "auto"': {"k": 0},
    'k = 21: must be from 1 to 20, min(n_samples, n_features), or "auto"': {"k": 21},
    'k = 2.5: must be a whole number from 1 to 20, min(n_samples, n_features), or "auto"': {
        "k": 2.5
    },
    'k = True: must be a whole number from 1 to 20, min(n_samples, n_features), or "auto"': {
        "k": True
    },
    "method = 'lasso': must be one of ascent, power, ritz, basic": {"method": "lasso"},
    "criterion = 'x': must be one of energy, gap": {"criterion": "x"},
    "init = 'best': must be one of continuation, equal, seeded, random, or a basis": {
        "init": "best"
    },
    "init: has shape (20, 3); a basis of shape (20, 2) is needed": {"init": np.eye(20, 3)},
    "init: has dtype complex128; a name or a basis of numbers is needed": {
        "init": np.eye(20, 2) * 1j
    },
    "random_state = -1: must be None, a whole number at least 0, or a Generator": {
        "random_state": -1
    },
    "callback = 3: must be a function or None": {"callback": 3},
    "init: columns must be orthonormal; they are off by 3": {"init": 2 * np.eye(20, 2)},
    "n_init = 0: must be at least 1": {"n_init": 0},
    "max_iter = 0: must be at least 1": {"max_iter": 0},
    "tol = -1: must be a number from 0 to 1, 1 excluded": {"tol": -1},
    "tol = nan: must be a number from 0 to 1, 1 excluded": {"tol": float("nan")},
    "tol = 'small': must be a number from 0 to 1, 1 excluded": {"tol": "small"},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        qalpha.solve(sample((20, 30)), **({"k": 2} | BAD[message]))
    assert str(caught.value) == message


FACTORS = np.array(list(itertools.product([-1.0, 1.0], repeat=3)))
GROUPS = np.tile(np.eye(4), (2, 1))
CYCLIC = np.array([np.roll([1.0, 1, 0, 0, 0, 0, 0, 0], i) for i in range(8)])


@pytest.mark.parametrize(
    ("X", "options"),
    [
        (CYCLIC, {}),
        (CYCLIC, {"init": "equal"}),
        (CYCLIC, {"criterion": "gap"}),
        (GROUPS, {"criterion": "gap"}),
        (np.hstack([FACTORS, FACTORS]), {}),
    ],
)
def test_exchangeable_features_are_told_apart(X, options):
    """No start is a saddle that permutations of the features leave alone."""
    best = max(
        qalpha.solve(X, 2, **options | {"init": "random", "random_state": seed}).objective
        for seed in range(3)
    )
    assert qalpha.solve(X, 2, **options).objective >= (1 - 1e-5) * best


def test_the_gap_in_single_precision_is_near():
    X = datasets.growing_classes(3, random_state=0).X
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        single = qalpha.solve(X.astype(np.float32), 3, criterion="gap")
    double = qalpha.solve(X, 3, criterion="gap")
    assert single.objective == pytest.approx(double.objective, rel=1e-5)


# Parameter-free weights, with their affinity.


Found = namedtuple("Found", "alpha affinity history converged")


def leading_weights(data, form=None, **options):
    return Found(*qalpha.leading_weights(data, form, **options))


def grouped(q, n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((q, n))
    X[:, : n // 10] += 3 * rng.standard_normal(q)[:, None]
    return X


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("seed", range(3))
def test_the_tolerance_is_kept(tol, seed):
    X = grouped(20, 300, seed)
    largest = oracle.leading(oracle.squared(oracle.standardise(X)))[1]
    found = leading_weights(_data.read(X), tol=tol)
    assert found.converged
    assert largest * (1 - tol) <= found.history[-1] <= largest * (1 + 1e-12)
    assert (np.diff(found.history) >= -1e-12 * largest).all()


def test_a_pass_a_value_and_few_of_them():
    data = _data.read(grouped(50, 2000))
    before = data.passes
    found = leading_weights(data, tol=1e-6)
    assert data.passes - before == len(found.history) <= 5


@pytest.mark.parametrize("q", [12, 400])  # of large affinities few are kept
def test_weights_are_exact_however_few_are_kept(q):
    """A form with eigenvalues of both signs, near each other: many passes and restarts."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((q, 60))
    M, J = oracle.standardise(X), rng.standard_normal((q, q))
    J = J + J.T

    def form(affinity):
        product = J @ affinity
        return product + product.T

    found = leading_weights(_data.read(X), form, tol=0)
    matrix = np.array([np.einsum("is,st,it->i", M, form(np.outer(m, m)), M) for m in M])
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    assert found.converged
    assert found.history[-1] == pytest.approx(values[-1], rel=1e-11)
    assert abs(found.alpha @ vectors[:, -1]) == pytest.approx(1, abs=1e-10)
    np.testing.assert_allclose(found.affinity, oracle.affinity(M, found.alpha), atol=1e-9)


def test_a_loose_tolerance_is_kept_where_values_far_below_are_found_first():
    """Most of what the form takes away is found in the first step."""
    X = np.random.default_rng(0).standard_normal((12, 60))

    def form(affinity):
        return affinity - 10 * np.trace(affinity) * np.eye(12)

    exact = leading_weights(_data.read(X), form, tol=0).history[-1]
    found = leading_weights(_data.read(X), form, tol=1e-3).history[-1]
    assert found == pytest.approx(exact, rel=1e-3)


def test_values_below_0_are_not_taken_for_the_leading_one(rng):
    """Equal weights are next to a vector of the least eigenvalue, which is large."""
    X = rng.standard_normal((20, 60))
    M = oracle.standardise(X)
    found = leading_weights(_data.read(X), lambda A: A - 100 * A.trace() * np.eye(20), tol=1e-6)
    largest = np.linalg.eigvalsh(oracle.squared(M) - 100)[-1]
    assert found.history[-1] == pytest.approx(largest, rel=1e-6)


def test_weights_are_found_though_equal_ones_have_no_part_in_them():
    X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    entry = np.outer([1.0, 0, 0, 0], [0, 1.0, 0, 0])
    found = leading_weights(_data.read(X), (entry + entry.T).__mul__, tol=1e-6)
    assert found.history[-1] == pytest.approx(1 / 4)
    np.testing.assert_allclose(np.abs(found.alpha), 0.5**0.5)


def test_affinities_are_those_of_their_weights_after_many_steps():
    """Differences of affinities lose digits from step to step; they are computed again then."""
    X = np.random.default_rng(0).standard_normal((60, 12))
    data = _data.read(X)
    shift = 5 * np.eye(60)
    space = qalpha.Krylov(data, lambda affinity: affinity - shift * affinity.trace(), np.ones(12))
    while space.extend():
        pass
    alphas = np.array(space.alphas)
    np.testing.assert_allclose(alphas @ alphas.T, np.eye(len(alphas)), atol=1e-12)
    M = oracle.standardise(X)
    for alpha, affinity in zip(alphas, space.affinities, strict=True):
        np.testing.assert_allclose(affinity, oracle.affinity(M, alpha), atol=1e-11)


# Noise, for which k = "auto" finds no clusters.

NONE = r'^k = "auto": found no clusters, the columns have no more in common than shuffled ones'


def finds_none(X, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        weights = qalpha.solve(X, "auto", tol=1e-3, **options)
    none = any("no clusters" in str(one.message) for one in caught)
    assert not none or weights.basis.shape[1] == 1
    return none


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("shape", [(20, 20), (30, 100), (200, 10)])
def test_noise_has_no_clusters(shape, center):
    rng = np.random.default_rng(0)
    found = [finds_none(rng.standard_normal(shape) + 3, center=center) for _ in range(12)]
    assert np.mean(found) >= 0.75
    assert finds_none((rng.random(shape) < 0.3).astype(float), center=center)


def test_the_warning_is_one_line_and_the_weights_are_those_of_one_direction():
    X = np.random.default_rng(0).standard_normal((30, 20))
    with pytest.warns(UserWarning, match=NONE) as caught:
        weights = qalpha.solve(X, "auto")
    assert [str(one.message).count("\n") for one in caught] == [0]
    assert weights.objective == qalpha.solve(X, 1).objective


def test_structure_is_counted_as_before():
    """Of many features, of few, of more samples than features, and of two features."""
    assert not finds_none(datasets.example().X)
    for seed in range(5):
        assert not finds_none(datasets.growing_classes(4, random_state=seed).X)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 30)) + 3 * np.repeat([0, 1], 30)[:, None]
    assert qalpha.solve(X, "auto").basis.shape[1] == 2
    line = rng.standard_normal(40)
    assert not finds_none(np.column_stack((line, line + 0.1 * rng.standard_normal(40))))


def test_few_features_that_agree_are_found_below_the_edge():
    """Their eigenvalue is hidden among those of noise; the shuffles tell."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 400))
    X[:, :4] += 6 * rng.standard_normal((3, 4))[np.arange(60) % 3]
    data = _data.read(X)
    assert not qalpha._beyond_edge(data, data)
    assert not finds_none(X)


def test_independent_features_stay_below_the_edge():
    rng = np.random.default_rng(0)
    for shape in ((20, 10), (30, 30), (40, 500), (300, 20)):
        for _ in range(25):
            data = _data.read(rng.standard_normal(shape))
            small = data.reduced()[0] if shape[0] > shape[1] else data
            assert not qalpha._beyond_edge(data, small)


# Entries of G, and the relevance of subsets.


def test_gram_is_the_definition_and_keeps_to_the_budget(rng, monkeypatch):
    X, Q = rng.standard_normal((12, 30)), rng.standard_normal((12, 3))
    np.testing.assert_allclose(
        qalpha.gram(X, Q), oracle.gram(oracle.standardise(X), Q), atol=1e-13
    )
    with pytest.raises(ValueError, match=r"^basis: has shape \(3, 12\); \(12, k\) is needed"):
        qalpha.gram(X, Q.T)
    monkeypatch.setenv("SPECSEL_MEMORY", "15kB")
    with pytest.raises(MemoryError, match=r"^X: the matrix G of 30 features: would take 16.9 KiB"):
        qalpha.gram(X, Q)


@pytest.mark.parametrize("center", [True, False])
def test_relevance_is_the_energy_of_the_leading_eigenvalues(rng, center):
    X = rng.standard_normal((25, 12)) + 1
    subset = [1, 4, 5, 9]
    M = oracle.standardise(X[:, subset], center)
    values = np.sort(np.linalg.eigvalsh(oracle.affinity(M, np.ones(4))))[::-1]
    expected = (values[:2] ** 2).sum()
    assert qalpha.relevance(X, subset, 2, center=center) == pytest.approx(expected, rel=1e-12)
    names = [f"f{i}" for i in range(12)]
    found = qalpha.relevance(
        pd.DataFrame(X, columns=names), ["f9", "f1", "f4", "f5"], 2, center=center
    )
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("subset", "k", "message"),
    [
        ([], 1, "subset: holds no feature"),
        ([12], 1, "subset: holds 12; must be from 0 to 11"),
        ([0.5], 1, "subset = "),
        ([0, 1], 0, "k = 0: must be"),
    ],
)
def test_relevance_refuses(rng, subset, k, message):
    with pytest.raises(ValueError, match=message):
        qalpha.relevance(rng.standard_normal((25, 12)), subset, k)


@pytest.mark.parametrize("budget", ["20MB", "30MB"])
def test_relevance_keeps_to_the_budget(budget, rng, monkeypatch, peak_memory):
    X = rng.standard_normal((50_000, 70))
    qalpha.relevance(X[:5000], range(60), 2)  # compiles
    monkeypatch.setenv("SPECSEL_MEMORY", budget)
    if budget == "30MB":
        assert peak_memory(lambda: qalpha.relevance(X, range(60), 2)) < 40e6
        return

    def refused():
        with pytest.raises(
            MemoryError, match=r"^subset: 60 features of 50000 samples: would take "
        ):
            qalpha.relevance(X, range(60), 2)

    assert peak_memory(refused) < 1e6


@pytest.mark.filterwarnings("ignore:.* features are constant")
def test_relevance_of_many_sparse_features_forms_no_affinity(rng, peak_memory):
    X = sparse.random_array((5000, 6000), density=1e-3, random_state=rng, format="lil")
    X[:5, :30] = X[5:10, 30:50] = 1.0
    X, subset = X.tocsr(), np.arange(1, 6000)
    assert peak_memory(lambda: qalpha.relevance(X, subset, 1)) < 8 * 5000**2 / 10
    assert qalpha.relevance(X, subset, 1) > 500
