"""Q-α with classes against its block construction, and what it selects."""

import numpy as np
import pytest
from oracles import weighing as oracle
from samples import quiet

from specsel import datasets, supervised

CYCLES = 3

solve = quiet(supervised.solve)


def classes_and_data(n_classes, n_features=25, seed=0, per_class=9):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(n_classes), per_class))[: n_classes * per_class - 2]
    X = rng.gamma(2.0, size=(len(y), n_features))
    X[:, :4] += 3 * rng.random((n_classes, 4))[y]
    return X * np.linspace(0.5, 5, n_features), y


def table(n_classes, k_within=2, k_between=1):
    """The table of ``k^gh``."""
    return k_between + (k_within - k_between) * np.eye(n_classes, dtype=int)


def literal(X, y, start, cycles, gamma, method, widths=None, representation="parts"):
    M, rows = oracle.represent(X, representation), oracle.class_rows(y)
    alpha = np.tile(start, len(M) // len(start))
    bases = oracle.supervised_bases(M, alpha, rows, table(len(rows)) if widths is None else widths)
    return oracle.supervised_iterations(M, bases, rows, cycles, gamma, method)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("gamma", [0.0, 0.5])
@pytest.mark.parametrize("method", ["power", "basic"])
@pytest.mark.parametrize("representation", ["parts", "shift", "ranks", "as-is"])
def test_iterations_are_those_of_the_definition(n_classes, gamma, method, representation):
    X, y = classes_and_data(n_classes)
    start = np.random.default_rng(1).random(X.shape[1])
    arguments = (X, y, start)
    alpha, _, history = literal(*arguments, CYCLES, gamma, method, representation=representation)
    options = {"representation": representation, "init": start, "tol": 0, "max_iter": CYCLES}
    got = solve(X, y, gamma=gamma, method=method, **options)
    np.testing.assert_allclose(got.history, history[: got.n_iter], rtol=1e-8)
    expected = oracle.join(alpha) if representation == "parts" else alpha
    np.testing.assert_allclose(got.alpha, expected, atol=1e-7)


@pytest.mark.filterwarnings("ignore:1 of 5 features is constant")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("method", ["power", "basic"])
@pytest.mark.parametrize("representation", ["parts", "ranks"])
def test_iterations_of_tall_data_are_those_of_the_definition(n_classes, method, representation):
    X, y = classes_and_data(n_classes, n_features=5, per_class=40)
    X[:, 3] = 1.0
    few = np.flatnonzero(y == 0)[3:]  # of the first class three are left
    X, y = np.delete(X, few, axis=0), np.delete(y, few)
    assert len(X) > n_classes * 10
    M, rows, start = oracle.represent(X, representation), oracle.class_rows(y), np.ones(5)
    bases = oracle.supervised_bases(M, np.tile(start, len(M) // 5), rows, table(n_classes))
    _, _, history = oracle.supervised_iterations(M, bases, rows, CYCLES, 0.5, method)
    options = {"method": method, "representation": representation}
    got = solve(X, y, init=start, tol=0, max_iter=CYCLES, **options)
    np.testing.assert_allclose(got.history, history[: got.n_iter], rtol=1e-8)
    assert got.alpha[3] == 0
    np.testing.assert_allclose(got.basis.T @ got.basis, np.eye(2 * n_classes), atol=1e-10)
    found = got.alpha if got.parts is None else got.parts.ravel()
    for value, column in zip(got.eigenvalues, got.basis.T, strict=True):
        assert len(set(y[np.abs(column) > 1e-12])) == 1
        assert column @ oracle.affinity(M, found) @ column == pytest.approx(value)


@pytest.mark.parametrize("representation", ["parts", "shift"])
def test_tall_data_may_be_sorted_by_class(representation):
    """A block of samples then lacks most of the classes."""
    dask = pytest.importorskip("dask.array")
    X, y = classes_and_data(3, n_features=5, per_class=40)
    order = np.argsort(y, kind="stable")
    one = solve(dask.from_array(X[order], chunks=(16, 5)), y[order], representation=representation)
    other = solve(X, y, representation=representation)
    assert one.objective == pytest.approx(other.objective, rel=1e-6)
    np.testing.assert_allclose(one.alpha, other.alpha, atol=1e-4)


@pytest.mark.parametrize(("k_within", "k_between"), [(1, 1), (3, 2), (20, 20)])
def test_any_number_of_directions(k_within, k_between):
    X, y = classes_and_data(3)
    start = np.ones(X.shape[1])
    _, _, history = literal(X, y, start, 2, 0.5, "basic", table(3, k_within, k_between))
    options = {"method": "basic", "init": start, "tol": 0, "max_iter": 2}
    got = solve(X, y, k_within=k_within, k_between=k_between, **options)
    np.testing.assert_allclose(got.history, history, rtol=1e-8)


BLOCKS = [[3, 1, 2], [1, 1, 4], [2, 4, 2]]


@pytest.mark.parametrize("method", ["power", "basic"])
def test_every_block_may_have_its_own_number_of_directions(method):
    X, y = classes_and_data(3)
    start = np.random.default_rng(1).random(X.shape[1])
    alpha, _, history = literal(X, y, start, CYCLES, 0.5, method, BLOCKS)
    options = {"method": method, "init": start, "tol": 0, "max_iter": CYCLES}
    got = solve(X, y, k_blocks=BLOCKS, **options)
    np.testing.assert_allclose(got.history, history[: got.n_iter], rtol=1e-8)
    np.testing.assert_allclose(got.alpha, oracle.join(alpha), atol=1e-7)
    owners = [y[np.abs(column) > 1e-12] for column in got.basis.T]
    assert sorted(classes[0] for classes in owners) == [0, 0, 0, 1, 2, 2]


def test_a_table_of_equal_numbers_is_what_two_numbers_are():
    X, y = classes_and_data(3)
    one, other = solve(X, y, k_within=3, k_between=2), solve(X, y, k_blocks=table(3, 3, 2))
    np.testing.assert_array_equal(one.alpha, other.alpha)


def test_the_table_is_in_the_order_of_the_labels():
    X, y = classes_and_data(3)
    renamed = np.array(["third", "first", "second"])[y]
    order = [1, 2, 0]
    one = solve(X, y, k_blocks=BLOCKS, tol=1e-10)
    other = solve(X, renamed, k_blocks=np.array(BLOCKS)[np.ix_(order, order)], tol=1e-10)
    np.testing.assert_allclose(one.alpha, other.alpha, atol=1e-6)


@pytest.mark.parametrize("init", ["continuation", "equal", "seeded", "random"])
def test_blocks_between_classes_may_be_the_wider_ones(init):
    X, y = classes_and_data(2)
    M, rows = oracle.represent(X, "parts"), oracle.class_rows(y)
    got = solve(X, y, k_within=2, k_between=3, init=init, n_init=2, random_state=0, tol=1e-12)
    alpha = got.parts.ravel()
    bases = oracle.supervised_bases(M, alpha, rows, table(2, 2, 3))
    expected = oracle.supervised_objective(M, alpha, bases, rows, 0.5)
    assert got.objective == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("method", ["power", "basic"])
@pytest.mark.parametrize("init", ["continuation", "equal"])
def test_objective_never_decreases_without_gamma(method, init):
    for seed in range(4):
        X, y = classes_and_data(3, seed=seed)
        got = solve(X, y, gamma=0, method=method, init=init, tol=1e-10)
        assert (np.diff(got.history) >= -1e-10 * got.objective).all()


def test_without_gamma_only_the_blocks_within_count():
    X, y = classes_and_data(2)
    M, rows = oracle.represent(X, "parts"), oracle.class_rows(y)
    got = solve(X, y, gamma=0, tol=1e-12)
    energies = [
        (np.linalg.svd(oracle.cross_affinity(M, got.parts.ravel(), r, r))[1][:2] ** 2).sum()
        for r in rows
    ]
    assert got.objective == pytest.approx(sum(energies), rel=1e-8)


@pytest.mark.parametrize(("method", "error"), [("power", 1e-2), ("basic", 1e-6)])
def test_the_loop_settles_where_that_of_the_paper_does_not(method, error):
    """On the objective of the definition, which never falls where the bases are exact."""
    rng = np.random.default_rng(3)
    for seed in range(12):
        X, y = classes_and_data(2, seed=seed)
        X += 20 * rng.random(X.shape)
        got = supervised.solve(X, y, gamma=3.0, method=method, max_iter=500)
        assert got.converged
        M, rows, alpha = oracle.represent(X, "parts"), oracle.class_rows(y), got.parts.ravel()
        bases = oracle.supervised_bases(M, alpha, rows, table(2))
        expected = oracle.supervised_objective(M, alpha, bases, rows, 3.0)
        assert got.objective == pytest.approx(expected, rel=error)
        if method == "basic":
            assert (np.diff(got.history) >= -1e-9 * got.objective).all()


def test_result_is_a_fixed_point():
    X, y = classes_and_data(2, per_class=20)
    M, rows = oracle.represent(X, "parts"), oracle.class_rows(y)
    got = solve(X, y, tol=1e-13, max_iter=500)
    alpha = got.parts.ravel()
    bases = oracle.supervised_bases(M, alpha, rows, table(2))
    gram = oracle.supervised_gram(M, bases, rows, 0.5)
    assert np.linalg.norm(gram @ alpha - got.objective * alpha) < 1e-4 * got.objective
    assert got.objective == pytest.approx(np.linalg.eigvalsh(gram)[-1], rel=1e-7)


def test_basis_is_that_of_the_classes():
    X, y = classes_and_data(3)
    got = solve(X, y)
    M = oracle.represent(X, "parts")
    np.testing.assert_allclose(got.basis.T @ got.basis, np.eye(6), atol=1e-10)
    for column in got.basis.T:
        assert len(set(y[np.abs(column) > 1e-12])) == 1
    for value, column in zip(got.eigenvalues, got.basis.T, strict=True):
        assert column @ oracle.affinity(M, got.parts.ravel()) @ column == pytest.approx(value)


@pytest.mark.parametrize("init", ["continuation", "equal", "seeded", "random"])
def test_every_start_finds_the_same_maximum(init):
    data = datasets.weston_linear(60, random_state=0)
    best = supervised.solve(data.X, data.y)
    got = supervised.solve(data.X, data.y, init=init, n_init=2, random_state=0)
    assert got.objective == pytest.approx(best.objective, rel=1e-4)


def test_of_more_than_two_thousand_samples_no_affinity_is_formed(rng):
    X, y = rng.standard_normal((2100, 600)), np.arange(2100) % 2
    X[:, :6] += 2.0 * y[:, None]
    assert sorted(supervised.solve(X, y).select(6).tolist()) == list(range(6))


def test_negative_values_are_warned_of():
    X = np.random.default_rng(0).standard_normal((20, 10))
    with pytest.warns(UserWarning, match='take representation="parts"'):
        solve(X, np.arange(20) % 2, representation="as-is")


def test_an_objective_of_zero_ends_the_iterate():
    got = solve(np.ones((4, 3)), [0, 0, 1, 1], gamma=1.0, representation="as-is")
    assert got.objective == pytest.approx(0, abs=1e-12)


def test_labels_without_meaning_end_the_iterate_early(rng):
    X = rng.standard_normal((178, 13))
    got = supervised.solve(X, rng.integers(0, 3, 178), gamma=3.0, max_iter=1000)
    assert got.n_iter < 1000
    assert got.converged


def test_order_of_samples_and_names_of_classes_do_not_matter(rng):
    X, y = classes_and_data(3)
    order = rng.permutation(len(y))
    names = np.array(["third", "first", "second"])
    a = solve(X, y, tol=1e-10)
    b = solve(X[order], names[y][order], tol=1e-10)
    np.testing.assert_allclose(a.alpha, b.alpha, atol=1e-6)


BAD = {
    "y: has one class, 1; at least 2 are needed": {"y": np.ones(20, int)},
    "y: has shape (3,); labels of shape (20,) are needed": {"y": [1, 2, 3]},
    "y: 10 labels are missing, first of sample 0; every sample needs one": {
        "y": [None] * 10 + [1] * 10
    },
    "y: has 11 classes among 20 samples; at most half as many classes as samples are allowed": {
        "y": [*range(11), *range(9)]
    },
    "k_within = 0: must be at least 1": {"k_within": 0},
    "k_between = 1.5: must be a whole number at least 1": {"k_between": 1.5},
    "k_blocks: has shape (2, 3); (2, 2) is needed, a row and a column for each class": {
        "k_blocks": np.ones((2, 3), int)
    },
    "k_blocks: rows differ in length; shape (2, 2) is needed, a row and a column for each class": {
        "k_blocks": [[1, 2], [2]]
    },
    "k_blocks: holds 0 in row 0, column 1; whole numbers at least 1 are needed": {
        "k_blocks": [[1, 0], [0, 1]]
    },
    "k_blocks: holds 2.5 in row 1, column 0; whole numbers at least 1 are needed": {
        "k_blocks": [[1, 2], [2.5, 1]]
    },
    "k_blocks: holds True in row 0, column 0; whole numbers at least 1 are needed": {
        "k_blocks": np.ones((2, 2), bool)
    },
    "k_blocks: holds None in row 0, column 1; whole numbers at least 1 are needed": {
        "k_blocks": [[1, None], [None, 1]]
    },
    "k_blocks: holds 2 in row 0, column 1, and 3 in row 1, column 0; must be symmetric": {
        "k_blocks": [[1, 2], [3, 1]]
    },
    "gamma = -1: must be a finite number at least 0": {"gamma": -1},
    "representation = 'centered': must be one of parts, shift, ranks, as-is": {
        "representation": "centered"
    },
    "method = 'ritz': must be one of power, basic": {"method": "ritz"},
    "init: has shape (3,); weights of shape (25,) is needed": {"init": np.ones(3)},
    "init: weights must be finite and not negative, and one of them not 0": {"init": -np.ones(25)},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_refused_in_one_line(message):
    X = np.random.default_rng(0).random((20, 25))
    with pytest.raises(ValueError) as caught:
        supervised.solve(X, **({"y": np.arange(20) % 2} | BAD[message]))
    assert str(caught.value) == message
