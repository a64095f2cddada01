"""The loop of the weighting algorithms: starts, history, convergence, callback, k = "auto"."""

from functools import partial

import numpy as np
import pytest
from oracles import weighing as oracle
from samples import quiet

from specsel import (
    _iterate,
    datasets,
    kernel,
    laplacian,
    pairwise,
    qalpha,
    side_info,
    topography,
)


def best_of_random(X, k, count):
    options = {"init": "random", "n_init": count, "random_state": 0, "max_iter": 10_000}
    return qalpha.solve(X, k, tol=1e-9, **options).objective


@pytest.mark.parametrize("k", [4, 6, 7])
def test_continuation_is_capped_at_the_rank(k, rng):
    X = rng.standard_normal((7, 50))
    found = qalpha.solve(X, k, method="power")
    assert found.basis.shape == (7, k)
    assert found.objective == pytest.approx(qalpha.solve(X, k).objective, rel=1e-3)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_default_start_finds_the_best_maximum_known(k):
    """A random start often ends on a trivial maximum; the default must not."""
    shares = []
    for seed in range(3):
        X = datasets.weston_linear(60, random_state=seed).X
        best = best_of_random(X, k, 12)
        shares.append(qalpha.solve(X, k, tol=1e-9, max_iter=1000).objective / best)
    assert np.mean(shares) >= 0.99


def test_seeded_start_is_no_worse(rng):
    X = datasets.weston_linear(60, random_state=0).X
    seeded = qalpha.solve(X, 2, init="seeded", tol=1e-9)
    assert seeded.objective >= 0.999 * qalpha.solve(X, 2, tol=1e-9).objective


def test_best_of_several_random_starts_is_returned():
    X = datasets.weston_linear(60, random_state=2).X
    generator = np.random.default_rng(5)
    singles = [
        qalpha.solve(X, 1, init="random", n_init=1, random_state=generator).objective
        for _ in range(6)
    ]
    together = qalpha.solve(X, 1, init="random", n_init=6, random_state=5)
    assert together.objective == pytest.approx(max(singles), rel=1e-12)
    assert max(singles) > 1.01 * min(singles)


@pytest.mark.parametrize("method", ["power", "basic", "ritz"])
@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("shape", [(20, 100), (40, 12), (15, 15)])
def test_objective_never_decreases(method, criterion, shape, rng):
    X = rng.standard_normal(shape) + rng.integers(0, 2, (shape[0], 1)) * rng.random(shape[1])
    for init in ("continuation", "random"):
        for k in (1, 3):
            options = {"init": init, "n_init": 1, "random_state": 1, "tol": 1e-9, "max_iter": 25}
            weights = quiet(qalpha.solve)(X, k, method=method, criterion=criterion, **options)
            steps = np.diff(weights.history)
            assert (steps >= -1e-9 * np.abs(weights.history[1:])).all()
            assert len(weights.history) == weights.n_iter


def test_iterate_ends_when_the_objective_settles(clustered):
    weights = qalpha.solve(clustered, 2, method="power", tol=1e-4)
    last, before = weights.history[-1], weights.history[-2]
    assert weights.converged
    assert abs(last - before) <= 1e-4 * last
    # The change before the last may be as small, if the weights were not yet exact enough.
    earlier = np.abs(np.diff(weights.history[:-2]))
    assert (earlier > 1e-4 * weights.history[1:-2]).all()


def test_not_converging_warns_and_is_said_in_the_result(clustered):
    with pytest.warns(UserWarning, match="not converged after 2 iterations: raise max_iter"):
        weights = qalpha.solve(clustered, 2, tol=1e-14, max_iter=2)
    assert not weights.converged
    assert weights.n_iter == 2
    assert "not converged" in repr(weights)


def test_callback_sees_every_iteration_and_can_stop(clustered):
    seen = []
    weights = qalpha.solve(
        clustered, 2, tol=0, callback=lambda *args: seen.append(args) or len(seen) == 3
    )
    assert [iteration for iteration, _ in seen] == [1, 2, 3]
    assert [objective for _, objective in seen] == weights.history.tolist()
    assert not weights.converged


def test_sign_of_the_weights():
    assert _iterate.orientation(np.array([-1.0, 0.5])) == -1
    assert _iterate.orientation(np.array([1.0, -0.5])) == 1
    assert _iterate.orientation(np.array([1.0, -2.0, 1.0])) == -1
    assert _iterate.orientation(np.array([-1.0, 2.0, -1.0])) == 1


@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_basis_orthogonal_to_the_data_is_refused(criterion, dtype, clustered):
    constant = np.full((40, 1), 40**-0.5)
    with pytest.raises(ValueError, match=r"^init: the basis is orthogonal to every feature"):
        qalpha.solve(clustered.astype(dtype), 1, init=constant, criterion=criterion)


def test_seeds_are_the_features_of_largest_parameter_free_weight():
    X = datasets.weston_linear(60, random_state=0).X[:, ::-1]
    M = oracle.standardise(X)
    best = np.argmax(oracle.leading(oracle.squared(M))[0])
    basis = oracle.by_modulus(oracle.affinity(M, oracle.squared(M)[best]), 2)[1]
    options = {"method": "power", "tol": 1e-9, "max_iter": 1000}
    seeded = qalpha.solve(X, 2, init="seeded", n_init=1, **options)
    np.testing.assert_allclose(
        seeded.history, qalpha.solve(X, 2, init=basis, **options).history, rtol=1e-6
    )


def clusters(count, seed, *, n_samples=90, n_features=100, n_relevant=30):
    """As many samples in every cluster, apart in the first features; of all scales and offsets."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    X[:, :n_relevant] += 3 * rng.standard_normal((count, n_relevant))[np.arange(n_samples) % count]
    return X * np.exp(rng.standard_normal(n_features)) + 5


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("shape", [(90, 100), (60, 200), (400, 60)])
def test_auto_finds_as_many_directions_as_clusters(count, shape):
    found = []
    for seed in range(4):
        X = clusters(count, seed, n_samples=shape[0], n_features=shape[1])
        found.append(qalpha.solve(X, "auto").basis.shape[1])
    assert found == [count] * 4


AUTO = {
    "gap": lambda X: qalpha.solve(X, "auto", criterion="gap"),
    "laplacian": lambda X: laplacian.solve(X, "auto"),
    "kernel": lambda X: kernel.solve(X, "auto", kernel="linear"),
    "side_info": lambda X: side_info.solve(X, np.zeros(X.shape[1]), "auto"),
    "pairwise": lambda X: pairwise.solve(X, "auto", apart=[(0, 1)], tradeoff=0),
    "topography": lambda X: topography.solve(X, "auto", rounds=1).weights[0],
}


@pytest.mark.parametrize("solve", AUTO.values(), ids=AUTO)
@pytest.mark.parametrize("count", [2, 4, 6])
def test_auto_finds_clusters_by_every_method(solve, count):
    assert solve(clusters(count, 0)).basis.shape[1] == count


@pytest.mark.parametrize(("kernel_name", "offset"), [("poly", 1.0), ("rbf", 0.0)])
def test_auto_leaves_the_mean_aside_where_the_kernel_has_one(kernel_name, offset):
    found = [
        kernel.solve(clusters(3, seed), "auto", kernel=kernel_name, offset=offset).basis.shape[1]
        for seed in range(4)
    ]
    assert found == [3] * 4


@pytest.mark.parametrize("count", [2, 3, 5])
def test_auto_counts_data_that_are_centred_like_those_that_are_not(count):
    X = clusters(count, 0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    offsets = 20 * np.sign(np.arange(X.shape[1]) % 2 - 0.5)
    kernels = [
        {"kernel": "linear", "center": False},
        {"kernel": lambda features: features @ features.T},
        {"kernel": "poly", "degree": 1, "offset": 0.0},
        {"kernel": "poly", "degree": 1, "offset": 0.3},
    ]
    found = [
        qalpha.solve(X, "auto", center=False),
        qalpha.solve(X + offsets, "auto", center=False),
        kernel.solve(X + offsets, "auto", kernel="linear", center=False),
        kernel.solve(X.T @ X, "auto", kernel="precomputed"),
        kernel.solve(
            X + offsets, "auto", kernel=lambda features: features @ features.T, center=False
        ),
        *(kernel.solve(X, "auto", **options) for options in kernels),
    ]
    assert [weights.basis.shape[1] for weights in found] == [count] * len(found)


def test_auto_warns_and_refuses_as_a_number_does():
    X = clusters(3, 0) + 5
    X[:, 7] = 3.0
    assert qalpha.solve(X, "auto", center=False).alpha[7] > 0  # without a word
    assert qalpha.solve(np.ones((10, 4)) * np.arange(1, 5), "auto", center=False).basis.shape == (
        10,
        1,
    )
    for solve in (laplacian.solve, partial(kernel.solve, kernel="linear")):
        with pytest.warns(UserWarning, match="1 of 100 features is constant") as caught:
            solve(X, "auto")
        assert len(caught) == 1


@pytest.mark.parametrize("center", [True, False])
def test_auto_reads_tall_data_a_few_times(center):
    assert qalpha.solve(clusters(3, 0, n_samples=3000), "auto", center=center).n_passes < 9


def test_auto_does_not_count_features_where_few_are_relevant():
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((2000, 30))
        X[:, :10] += 3 * rng.standard_normal((2, 10))[np.arange(2000) % 2]
        found.append(qalpha.solve(X, "auto").basis.shape[1])
    assert found == [2] * 10


@pytest.mark.parametrize("count", [2, 9, 10])
@pytest.mark.parametrize("solve", [qalpha.solve, partial(kernel.solve, kernel="linear")])
def test_auto_counts_as_far_without_centring(solve, count):
    rng = np.random.default_rng(1)
    X = 20 + rng.standard_normal((90, 60))
    X[:, :30] += 3 * rng.standard_normal((count, 30))[np.arange(90) % count]
    assert solve(X, "auto", center=False).basis.shape[1] == count


@pytest.mark.parametrize("count", [2, 3, 4, 7])
def test_an_ascent_counts_on_its_way(count):
    """One pass asks whether there is anything; up to four clusters cost none, more a new start."""
    X = clusters(count, 0)
    auto, given = qalpha.solve(X, "auto"), qalpha.solve(X, count)
    assert auto.basis.shape[1] == count
    assert auto.n_passes == given.n_passes + (1 if count <= 4 else 5)
    np.testing.assert_array_equal(auto.alpha, given.alpha)


@pytest.mark.filterwarnings("ignore:k = .auto.. found no clusters")
@pytest.mark.parametrize("shape", [(2, 1), (9, 1), (2, 9), (3, 2), (4, 30), (30, 4)])
def test_auto_is_never_more_than_there_can_be(shape, rng):
    found = qalpha.solve(rng.standard_normal(shape), "auto").basis.shape[1]
    assert 1 <= found <= min(shape)


def test_auto_is_the_only_word_and_needs_a_named_start(clustered):
    message = r"^k = 'many': must be a whole number from 1 to 30, min\(.*\), or \"auto\"$"
    with pytest.raises(ValueError, match=message):
        qalpha.solve(clustered, "many")
    message = r"^k = 'auto': needs a start by name; init = {}$"
    with pytest.raises(ValueError, match=message.format(r"ndarray of shape \(40, 2\)")):
        qalpha.solve(clustered, "auto", init=np.eye(40)[:, :2])
    with pytest.raises(ValueError, match=message.format(r"ndarray of shape \(30,\)")):
        kernel.solve(clustered, "auto", init=np.ones(30))
    for init in (None, 3):
        with pytest.raises(ValueError, match=rf"^init = {init}: must be one of .*, or a basis$"):
            qalpha.solve(clustered, "auto", init=init)
