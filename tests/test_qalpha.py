"""Q-α against the literal algorithm, and its properties."""

import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import weighing as oracle

from specsel import _data, datasets, qalpha

SHAPES = [(8, 20), (20, 20), (30, 9), (12, 1), (60, 202), (5, 300), (2, 3)]
CYCLES = 3


def sample(shape, seed=0):
    """Noise with a few features that differ between two groups, on different scales."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 2, (shape[0], 1)) * rng.random(shape[1]) * 3
    return (rng.standard_normal(shape) + groups) * rng.uniform(0.1, 10, shape[1]) + 2


def random_basis(q, k, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((q, k)))[0]


def solve(X, k, **options):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "not converged")
        return qalpha.solve(X, k, **options)


def sizes(shape):
    return [k for k in (1, 2, 3, min(shape)) if k <= min(shape)]


def projector(Q):
    return Q @ Q.T


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


def test_ritz_recomputes_the_weights():
    X, Q = sample((60, 202)), random_basis(60, 3)
    options = {"init": Q, "tol": 0, "max_iter": 1}
    ritz, power = (solve(X, 3, method=method, **options) for method in ("ritz", "power"))
    assert np.abs(ritz.alpha - power.alpha).max() > 1e-3


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-9), (np.float32, 2e-4)])
def test_iterations_in_every_order_and_precision(order, dtype, tolerance):
    X = np.array(sample((20, 150)), dtype=dtype, order=order)
    Q = random_basis(20, 3)
    alpha, *_ = oracle.power_iterations(oracle.standardise(X), Q, 2)
    tol = 0 if dtype == np.float64 else 1e-12
    got = solve(X, 3, method="power", init=Q, tol=tol, max_iter=2)
    np.testing.assert_allclose(got.alpha, alpha, atol=tolerance)


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


THREADS = """
import sys, numpy as np
from specsel import qalpha, weighting
X = np.random.default_rng(0).standard_normal((30, 2000))
for Y in (X, np.asfortranarray(X)):
    for alpha in (qalpha.solve(Y, 3, tol=1e-4).alpha, weighting.solve(Y).alpha):
        print(alpha.tobytes().hex())
"""


def test_bits_do_not_depend_on_the_number_of_threads():
    runs = []
    for count in ("1", "2", "3"):
        environment = os.environ | {"NUMBA_NUM_THREADS": count}
        runs.append(
            subprocess.run(
                [sys.executable, "-c", THREADS],
                env=environment,
                capture_output=True,
                check=True,
            ).stdout
        )
    assert len(runs[0]) > 1000
    assert runs[0] == runs[1] == runs[2]


PROCESSES = """
import multiprocessing, sys
import numpy as np
from specsel import qalpha
X = np.random.default_rng(0).standard_normal((20, 300))
def work(_):
    return qalpha.solve(X, 2, tol=1e-4).objective
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        in_children = pool.map(work, range(2))
    assert in_children == [work(0)] * 2
    print("same")
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_started_before_the_first_solve_give_the_same(method, tmp_path):
    script = tmp_path / "processes.py"
    script.write_text(PROCESSES)
    run = subprocess.run([sys.executable, script, method], capture_output=True, text=True)
    assert run.stdout.strip() == "same", run.stderr


CONCURRENT = """
import threading, numpy as np
from specsel import qalpha
X = np.random.default_rng(0).standard_normal((20, 3000))
expected = qalpha.solve(X, 2, tol=1e-4).alpha
results = [None] * 4
def work(i):
    results[i] = qalpha.solve(X, 2, tol=1e-4).alpha
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
assert all((r == expected).all() for r in results)
print("same")
"""


def test_concurrent_threads_give_the_same():
    environment = os.environ | {"NUMBA_THREADING_LAYER": "omp"}
    run = subprocess.run(
        [sys.executable, "-c", CONCURRENT], env=environment, capture_output=True, text=True
    )
    assert run.stdout.strip() == "same", run.stderr


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
def test_bad_options_are_refused_in_one_line(message, monkeypatch):
    monkeypatch.setattr(_data, "Dense", None)  # nothing may be computed
    with pytest.raises(ValueError) as caught:
        qalpha.solve(sample((20, 30)), **({"k": 2} | BAD[message]))
    assert str(caught.value) == message


def test_the_calling_thread_may_be_any(clustered):
    results = []
    thread = threading.Thread(target=lambda: results.append(qalpha.solve(clustered, 2).alpha))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(results[0], qalpha.solve(clustered, 2).alpha)
