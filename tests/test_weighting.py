"""The parameter-free weighting against its definition."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import weighing as oracle

from specsel import _containers, _data, datasets, qalpha, weighting


@pytest.mark.parametrize("shape", [(8, 20), (20, 20), (30, 9), (12, 1), (5, 300), (2, 3)])
def test_weights_lead_the_matrix_of_squares(shape, rng):
    X = rng.standard_normal(shape) * rng.uniform(0.1, 10, shape[1]) + 3
    M = oracle.standardise(X)
    expected, largest = oracle.leading(oracle.squared(M))
    got = weighting.solve(X, tol=0)
    np.testing.assert_allclose(got.alpha, np.abs(expected), atol=1e-9)
    assert got.objective == pytest.approx(largest, rel=1e-10)
    A = oracle.affinity(M, got.alpha)
    assert got.objective == pytest.approx(np.trace(A @ A), rel=1e-10)
    np.testing.assert_allclose(got.basis * got.eigenvalues @ got.basis.T, A, atol=1e-9)


@given(seed=st.integers(0, 2**20), n=st.integers(1, 40), q=st.integers(2, 20))
def test_weights_are_never_negative(seed, n, q):
    X = np.random.default_rng(seed).standard_normal((q, n))
    got = weighting.solve(X, tol=0)
    assert (got.alpha >= 0).all()
    assert got.negative_share == 0
    H = oracle.squared(oracle.standardise(X))
    residual = H @ got.alpha - got.objective * got.alpha
    assert np.linalg.norm(residual) <= 1e-8 * got.objective


def clustered(shape, strength, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal(shape)
    groups = rng.integers(0, 3, shape[0])
    X[:, : shape[1] // 10] += strength * rng.standard_normal((3, shape[1] // 10))[groups]
    return X


@pytest.mark.parametrize(("strength", "most"), [(2.0, 0.01), (0.0, 0.15)])
def test_a_flat_remainder_is_near_the_truth_and_tells_how_near(strength, most):
    X = clustered((90, 600), strength)
    wanted, found = weighting.solve(X, tol=1e-9), weighting.solve(X, rank=20)
    error = np.abs(found.alpha - wanted.alpha).max() / wanted.alpha.max()
    assert wanted.error is None
    assert error <= most
    assert 0.5 * error <= found.error <= 10 * error
    assert found.basis.shape == (90, 20)
    assert found.objective == pytest.approx(wanted.objective, rel=0.05)
    np.testing.assert_allclose(found.eigenvalues, wanted.eigenvalues[:20], rtol=0.05)
    assert "approximate to" in repr(found)


@pytest.mark.parametrize("shape", [(12, 30), (30, 8)])
def test_with_all_directions_nothing_is_approximate(shape):
    X = clustered(shape, 1.0)
    wanted, found = weighting.solve(X, tol=0), weighting.solve(X, rank=min(shape), tol=1e-14)
    np.testing.assert_allclose(found.alpha, wanted.alpha, atol=1e-6)
    assert found.objective == pytest.approx(wanted.objective)
    assert found.error < 1e-9
    assert len(found.basis) == shape[0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_tolerance_of_0_is_working_precision(dtype):
    X = clustered((90, 600), 5.0).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = weighting.solve(X, rank=2, tol=0)
    assert found.converged
    *_, before, last = found.history
    assert last == pytest.approx(before, rel=_data.read(X).floor)


def test_a_flat_remainder_needs_no_matrix_of_samples(monkeypatch, peak_memory):
    X = clustered((3000, 3500), 2.0).astype(np.float32)
    monkeypatch.setenv("SPECSEL_MEMORY", "64MiB")
    with pytest.raises(MemoryError, match=r"; take rank = 40, which is rough, fewer samples, or "):
        weighting.solve(X)
    assert peak_memory(lambda: weighting.solve(X, rank=5)) < 8 * len(X) ** 2 / 2
    found = weighting.solve(X, rank=5)
    assert set(found.select(300)) <= set(range(350))


def test_a_rank_that_does_not_fit_is_neither_advised_nor_accepted(monkeypatch):
    X = clustered((30, 40), 5.0)
    monkeypatch.setenv("SPECSEL_MEMORY", "7000B")
    with pytest.raises(MemoryError, match=r"; take fewer samples, or the energy criterion of qal"):
        weighting.solve(X)
    message = "rank = 4: matrices of 30 samples x 30: would take .*; take a smaller rank"
    with pytest.raises(MemoryError, match=message):
        weighting.solve(X, rank=4, tol=0.1)
    monkeypatch.setenv("SPECSEL_MEMORY", "7200B")
    weighting.solve(X, rank=4, tol=0.1)


def test_where_nothing_stands_out_it_may_not_settle():
    X = clustered((30, 40), 0.0)
    with pytest.warns(UserWarning, match=r"^not converged after 100 steps: raise tol; where no f"):
        found = weighting.solve(X, rank=3, tol=0)
    assert not found.converged
    A = oracle.affinity(oracle.standardise(X), found.alpha)
    inside = found.basis.T @ A @ found.basis
    np.testing.assert_allclose(inside, np.diag(found.eigenvalues), atol=1e-9)
    rest = np.trace(A) - np.trace(inside)
    flat_rest = rest**2 / (_data.read(X).rank_bound - 3)
    assert found.objective == pytest.approx(np.vdot(inside, inside) + flat_rest, rel=1e-9)


def literal(M, k, size, steps):
    """Weights with a flat remainder, with all matrices written out; `size` bounds the rank."""
    squares = (M**2).sum(axis=1)
    alpha = np.sqrt(squares) / np.linalg.norm(np.sqrt(squares))
    basis, history = oracle.by_modulus(oracle.affinity(M, alpha), k)[1], []
    while True:
        A = oracle.affinity(M, alpha)
        values, rotation = oracle.by_modulus(basis.T @ A @ basis, k)
        basis = basis @ rotation
        rest = max((np.trace(A) - values.sum()) / (size - k), 0) if size > k else 0.0
        history.append((values**2).sum() + (size - k) * rest**2)
        R = A - basis * (values - rest) @ basis.T - rest * np.eye(len(A))
        found = (M @ basis) ** 2 @ (values - rest) + rest * squares
        if len(history) == steps:
            errors = np.einsum("is,st,it->i", M, R, M) / found.max()
            return alpha, history, np.abs(errors).max()
        alpha, basis = found / np.linalg.norm(found), np.linalg.qr(A @ basis)[0]


@pytest.mark.parametrize("shape", [(30, 50), (50, 12)])
@pytest.mark.parametrize("tol", [0.1, 1e-3, 1e-5])
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.filterwarnings("ignore:.* constant")
def test_steps_with_a_flat_remainder_are_those_of_the_definition(shape, tol, constant):
    X = clustered(shape, 4.0)
    X[:, 4] = 1.0 if constant else X[:, 4]
    found = weighting.solve(X, rank=3, tol=tol)
    assert found.converged
    bound = _data.read(X).rank_bound
    alpha, history, _ = literal(oracle.standardise(X), 3, bound, found.n_iter)
    np.testing.assert_allclose(found.alpha, alpha, atol=1e-10)
    np.testing.assert_allclose(found.history, history, rtol=1e-10)
    assert found.alpha[4] == 0 or not constant


@pytest.mark.parametrize("strength", [1.0, 4.0])
def test_the_estimated_error_is_at_least_that_of_the_definition(strength):
    X = clustered((60, 200), strength)
    found = weighting.solve(X, rank=5, tol=1e-2)
    bound = _data.read(X).rank_bound
    error = literal(oracle.standardise(X), 5, bound, found.n_iter)[-1]
    assert error <= found.error <= 5 * error


def test_two_uncorrelated_groups_do_not_mix_signs():
    """H is block diagonal with equal blocks: any combination leads, but |α| does too."""
    signal = np.kron(np.array([[1, 1], [1, -1], [-1, 1], [-1, -1.0]]), np.ones((1, 3)))
    got = weighting.solve(signal, tol=0)
    assert (got.alpha >= 0).all()
    assert got.objective == pytest.approx(3)


def test_float32_takes_no_more_passes(rng):
    X = rng.standard_normal((20, 600))
    single, double = weighting.solve(X.astype(np.float32)), weighting.solve(X, tol=0)
    assert single.n_passes <= double.n_passes
    np.testing.assert_allclose(single.alpha, double.alpha, atol=1e-5)


def test_basis_has_no_more_columns_than_the_rank(rng):
    got = weighting.solve(np.repeat(rng.standard_normal((300, 5)), 3, axis=1))
    assert got.basis.shape == (300, 5)
    np.testing.assert_allclose(got.basis.T @ got.basis, np.eye(5), atol=1e-12)


def test_trace_of_the_affinity_is_the_sum_of_the_weights(rng):
    got = weighting.solve(rng.standard_normal((10, 30)))
    assert got.eigenvalues.sum() == pytest.approx(got.alpha.sum())


def test_relevant_features_stand_out_but_less_than_in_qalpha():
    def contrast(alpha, relevant):
        return alpha[relevant].mean() / np.delete(alpha, relevant).mean()

    for seed in range(3):
        data = datasets.four_gaussians(spread=8.0, random_state=seed)
        plain = contrast(weighting.solve(data.X).alpha, data.relevant)
        sharp = contrast(qalpha.solve(data.X, 3, method="basic").alpha, data.relevant)
        assert 1.1 < plain < sharp


def features(rng, n=9, q=15):
    """Features of several norms, some of them correlated; none is standardised."""
    M = rng.standard_normal((n, q)) * rng.uniform(0.5, 2, n)[:, None]
    M[:3] += rng.standard_normal(q)
    return M


def test_with_the_identity_normalised_features_weigh_the_same():
    data = datasets.four_gaussians(spread=8.0, random_state=0)
    got = weighting.solve(data.X[:, :30])
    equal = oracle.quadratic_programme(oracle.standardise(data.X[:, :30]), 1, 0)
    np.testing.assert_allclose(equal, 30**-0.5, atol=1e-6)
    assert got.eigenvalues.sum() < equal.sum()  # the trace, which is bad for generalisation
    assert got.alpha[:3].min() > got.alpha[3:].max()


def test_the_quadratic_programme_without_a_linear_term_is_algorithm_2(rng):
    X = features(rng).T
    expected = oracle.quadratic_programme(oracle.standardise(X), 0, 1)
    np.testing.assert_allclose(weighting.solve(X, tol=0).alpha, expected, atol=1e-5)


CLASSES = [(20, 45, 2), (20, 45, 4), (30, 31, 3), (7, 200, 2)]


def in_classes(n_samples, n_features, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = rng.standard_normal((n_samples, n_features))
    X[:, :4] += 3 * y[:, None]
    return X * rng.uniform(0.1, 10, n_features) + 3, y


@pytest.mark.parametrize("size", CLASSES)
@pytest.mark.parametrize("tradeoff", [0, 0.3, 1, 5])
def test_fisher_form_is_that_of_the_traces_in_the_definition(size, tradeoff, rng):
    X, y = in_classes(*size)
    M, rows = oracle.standardise(X), oracle.class_rows(y)
    data = _data.read(X)
    means = weighting.class_means(_containers.as_classes(y, len(X)))
    form = weighting.fisher_form(data, means, tradeoff)
    for _ in range(3):
        alpha = rng.standard_normal(X.shape[1])
        affinity = oracle.affinity(M, alpha)
        expected = np.trace(oracle.fisher_matrix(M, alpha, rows, tradeoff))
        assert np.vdot(affinity, form(affinity)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("size", CLASSES)
@pytest.mark.parametrize("tradeoff", [0, 1, 5])
def test_fisher_weights_lead_the_form(size, tradeoff):
    X, y = in_classes(*size)
    form = oracle.fisher_form(oracle.standardise(X), oracle.class_rows(y), tradeoff)
    expected, largest = oracle.leading(form)
    got = weighting.solve(X, y, tradeoff=tradeoff, tol=0)
    assert got.objective == pytest.approx(largest, rel=1e-9)
    assert got.converged
    np.testing.assert_allclose(np.abs(got.alpha), np.abs(expected), atol=1e-6)
    assert got.alpha.sum() > 0


FACTORS = np.array(list(itertools.product([-1.0, 1.0], repeat=3)))
EXCHANGEABLE = {
    "one-hot columns": np.hstack([np.repeat(np.eye(3), 4, axis=0), np.tile(np.eye(4), (3, 1))]),
    "factorial": np.hstack([FACTORS, FACTORS[:, [0, 0, 1]] * FACTORS[:, [1, 2, 2]]]),
    "cyclic": np.array([np.roll([1.0, 1.0, 0, 0, 0, 0, 0, 0], i) for i in range(8)]),
    "groups": np.tile(np.repeat(np.eye(3), 4, axis=0), (2, 1)),
}


@pytest.mark.filterwarnings("ignore:tradeoff")
@pytest.mark.filterwarnings("ignore:X. its features are linearly independent")
@pytest.mark.parametrize("tradeoff", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("design", EXCHANGEABLE)
def test_fisher_weights_lead_where_features_are_exchangeable(design, tradeoff):
    """Equal weights would stay among those that permutations of the features leave alone."""
    X = EXCHANGEABLE[design]
    for y in (np.arange(len(X)) % 2, np.arange(len(X)) // 4 % 2):
        form = oracle.fisher_form(oracle.standardise(X), oracle.class_rows(y), tradeoff)
        alpha = weighting.solve(X, y, tradeoff=tradeoff).alpha
        largest = np.linalg.eigvalsh(form)[-1]
        assert alpha @ form @ alpha == pytest.approx(largest, abs=1e-6)


def test_fisher_weights_of_tall_data_with_dependent_features():
    X, y = in_classes(60, 12, 3)
    X = np.hstack((X, X[:, :6] + X[:, 6:], X[:, :3] * 2))
    expected, largest = oracle.leading(
        oracle.fisher_form(oracle.standardise(X), oracle.class_rows(y), 1.0)
    )
    got = weighting.solve(X, y, tol=0)
    assert got.objective == pytest.approx(largest, rel=1e-9)
    np.testing.assert_allclose(got.alpha, expected, atol=1e-6)


@pytest.mark.parametrize("constant", [False, True])
def test_fisher_weights_of_independent_features_fall_on_one_with_a_warning(constant):
    X, y = in_classes(60, 12, 3)
    X[:, 3] = 1 if constant else X[:, 3]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        got = weighting.solve(X, y, tol=0)
    assert any("features are linearly independent" in str(w.message) for w in caught)
    form = oracle.fisher_form(oracle.standardise(X), oracle.class_rows(y), 1.0)
    best = np.argmax(np.where(np.arange(12) == 3, -np.inf, form.diagonal()))
    np.testing.assert_allclose(got.alpha, np.arange(12) == best, atol=1e-9)


@pytest.mark.parametrize("tradeoff", [1.0, 5.0])
def test_constant_features_do_not_weigh_where_all_else_does_harm(tradeoff, rng):
    X, y = rng.standard_normal((60, 12)), rng.permutation(np.arange(60) % 3)
    X[:, 3] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = weighting.solve(X, y, tradeoff=tradeoff, tol=0)
        without = weighting.solve(np.delete(X, 3, axis=1), y, tradeoff=tradeoff, tol=0)
    assert without.objective < 0
    assert got.objective == pytest.approx(without.objective, rel=1e-9)
    np.testing.assert_allclose(np.delete(got.alpha, 3), without.alpha, atol=1e-9)
    assert got.alpha[3] == 0


def test_fisher_weights_select_what_tells_classes_apart():
    data = datasets.weston_linear(60, random_state=0)
    got = weighting.solve(data.X, data.y)
    assert len(set(got.select(6)) & set(range(6))) >= 4
    assert 0.1 < got.negative_share < 0.6
    assert (got.reweight(data.X)[:, got.alpha < 0] == 0).all()


@pytest.mark.parametrize("size", CLASSES)
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("tradeoff", [0.3, 1])
def test_weights_and_discriminants_lead_each_other(size, k, tradeoff):
    X, y = in_classes(*size)
    M, rows = oracle.standardise(X), oracle.class_rows(y)
    got = weighting.solve(X, y, k=k, tradeoff=tradeoff, tol=1e-12, max_iter=1000)
    assert got.converged
    phi, reached = oracle.fisher_directions(M, got.alpha, rows, tradeoff, k)
    alpha, largest = oracle.leading(oracle.fisher_gram(M, phi, rows, tradeoff))
    assert got.objective == pytest.approx(reached, rel=1e-8)
    assert got.objective == pytest.approx(largest, rel=1e-8)
    np.testing.assert_allclose(got.alpha, alpha, atol=1e-4)
    assert (np.diff(got.history) >= -1e-9 * got.objective).all()


def test_all_discriminants_together_are_algorithm_3():
    X, y = in_classes(20, 45, 3)
    every = weighting.solve(X, y, k=20, tol=1e-10)
    plain = weighting.solve(X, y, tol=0)
    np.testing.assert_allclose(every.alpha, plain.alpha, atol=1e-5)
    assert every.objective == pytest.approx(plain.objective)


def test_k_discriminants_leave_k_directions():
    X, y = in_classes(30, 60, 3)
    for k in (1, 2):
        found = weighting.solve(X, y, k=k)
        assert found.k_ == k
        assert found.basis.shape == (30, k)
        affinity = _data.read(X).adjoint(found.alpha, None)
        values = np.linalg.eigvalsh(affinity)
        expected = values[np.argsort(-np.abs(values))][:k]
        assert found.eigenvalues == pytest.approx(expected)


def test_k_discriminants_of_tall_data():
    X, y = in_classes(60, 12, 3)
    M, rows = oracle.standardise(X), oracle.class_rows(y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # independent features are no harm
        got = weighting.solve(X, y, k=2)
    assert sorted(got.select(4)) == [0, 1, 2, 3]
    phi, reached = oracle.fisher_directions(M, got.alpha, rows, 1.0, 2)
    largest = oracle.leading(oracle.fisher_gram(M, phi, rows, 1.0))[1]
    assert got.objective == pytest.approx(reached, rel=1e-9)
    assert got.objective <= largest <= (1 + 1e-4) * got.objective
    image = oracle.affinity(M, got.alpha) @ got.basis
    np.testing.assert_allclose(got.basis * got.eigenvalues, image, atol=1e-9)


def test_one_discriminant_finds_what_tells_two_classes_apart():
    found = {None: 0, 1: 0}
    for seed in range(4):
        data = datasets.weston_linear(60, random_state=seed)
        for k in found:
            weights = weighting.solve(data.X, data.y, k=k)
            found[k] += len(set(weights.select(6)) & set(range(6)))
    assert found[1] >= found[None] + 4


def test_fisher_weights_do_not_depend_on_order_or_names_of_classes(rng):
    X, y = in_classes(20, 45, 3)
    order = rng.permutation(20)
    a = weighting.solve(X, y, tol=0)
    b = weighting.solve(X[order], np.array(["u", "a", "k"])[y][order], tol=0)
    np.testing.assert_allclose(a.alpha, b.alpha, atol=1e-6)


def test_no_matrix_of_features_by_features_is_formed(peak_memory):
    X, y = in_classes(12, 4000, 2)
    assert peak_memory(lambda: weighting.solve(X, y, tol=0)) < 8 * 4000 * 400


HALVES = {"y": np.arange(20) % 2}
MOST = "from 1 to 20, min(n_samples, n_features)"
BAD = {
    "k = 2: needs y; without labels take qalpha, which has k components": {"k": 2},
    f"k = 0: must be {MOST}": {"k": 0, **HALVES},
    f"k = 'auto': must be a whole number {MOST}": {"k": "auto", **HALVES},
    f"rank = 21: must be {MOST}": {"rank": 21},
    f"rank = 0: must be {MOST}": {"rank": 0},
    "rank = 2: is for weights without labels, and y is given": {"rank": 2, **HALVES},
    "y: has one class, 1.0; at least 2 are needed": {"y": np.ones(20)},
    "y: has shape (3,); labels of shape (20,) are needed": {"y": np.ones(3)},
    "tradeoff = -1: must be a finite number at least 0": {"tradeoff": -1, **HALVES},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        weighting.solve(np.random.default_rng(0).random((20, 30)), **BAD[message])
    assert str(caught.value) == message


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("seed", [14, 17, 25, 27, 32, 35])
def test_weights_of_discriminants_that_do_only_harm_have_unit_norm(seed):
    """In noise the best objective is 0. Products lose digits near it, and the norm was off."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((13, 5)), rng.integers(0, 2, 13)
    with pytest.warns(UserWarning, match="no weights make classes differ"):
        found = weighting.solve(X, y, k=2)
    assert np.linalg.norm(found.alpha) == pytest.approx(1, abs=1e-12)
    M, rows = oracle.standardise(X), oracle.class_rows(y)
    reached = oracle.fisher_directions(M, found.alpha, rows, 1.0, 2)[1]
    assert found.objective == pytest.approx(reached, abs=1e-9)
