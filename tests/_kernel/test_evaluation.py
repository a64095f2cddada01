"""V of data against the kernels as they are written."""

import os
import subprocess
import sys

import numpy as np
import pytest
from oracles import kernels as oracle

from specsel import _data, _kernel
from specsel._kernel import evaluation

KERNELS = {
    "linear": {},
    "poly": {"degree": 3, "offset": 0.5},
    "rbf": {"sigma": 0.8},
    "sectioned": {"sections": 3},
}


def sample(shape):
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 2, (shape[0], 1)) * rng.random(shape[1]) * 3
    return (rng.standard_normal(shape) + groups) * rng.uniform(0.1, 10, shape[1]) + 2


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("kind", KERNELS)
def test_kernels_are_those_written(kind, center):
    X = sample((10, 150))  # several bands
    data = _data.read(X, center=center)
    V = _kernel.evaluate(data, kind, **KERNELS[kind])
    expected = oracle.kernel_matrix(oracle.features(X, center), kind, **KERNELS[kind])
    np.testing.assert_allclose(V, expected, rtol=1e-13, atol=1e-14)
    np.testing.assert_array_equal(V, V.T)


def test_inner_products_of_many_samples_add_up():
    X = sample((2 * evaluation.ROW_BLOCK + 5, 70))
    expected = oracle.kernel_matrix(oracle.features(X), "poly")
    np.testing.assert_allclose(_kernel.evaluate(_data.read(X), "poly"), expected, atol=1e-13)


def test_width_is_the_median_distance():
    X = sample((10, 31))
    expected = oracle.kernel_matrix(oracle.features(X), "rbf")
    np.testing.assert_allclose(_kernel.evaluate(_data.read(X), "rbf"), expected, rtol=1e-13)
    one = _kernel.evaluate(_data.read(X[:, :1]), "rbf")
    alike = _kernel.evaluate(_data.read(np.tile(X[:, :1], 3)), "rbf")
    np.testing.assert_allclose(one, 1.0)
    np.testing.assert_allclose(alike, np.ones((3, 3)))
    assert np.isfinite(_kernel.evaluate(_data.read(X), "rbf", 1e-200)).all()


def test_median_is_that_of_evenly_spaced_features(monkeypatch):
    X = sample((10, 31))
    monkeypatch.setattr(evaluation, "MEDIAN_FEATURES", 7)
    M = oracle.features(X)[[0, 5, 10, 15, 20, 25, 30]]
    sigma = np.median([np.linalg.norm(M[i] - M[j]) for i in range(7) for j in range(i)])
    expected = oracle.kernel_matrix(oracle.features(X), "rbf", sigma=sigma)
    np.testing.assert_allclose(_kernel.evaluate(_data.read(X), "rbf"), expected, rtol=1e-13)


def test_sections_may_be_labels():
    X = sample((12, 40))
    for labels in ([0, 1, 2] * 4, list("aabbbbbccaab")):
        expected = oracle.kernel_matrix(oracle.features(X), "sectioned", sections=labels)
        V = _kernel.evaluate(_data.read(X), "sectioned", sections=labels)
        np.testing.assert_allclose(V, expected, rtol=1e-13)


def test_rows_of_constant_features_are_0():
    X = sample((12, 6))
    X[:, 2] = 4.0
    with pytest.warns(UserWarning, match="1 of 6 features is constant"):
        data = _data.read(X)
    for kind in (*KERNELS, lambda features: np.exp(features @ features.T)):
        V = _kernel.evaluate(data, kind)
        assert not V[2].any()
        assert not V[:, 2].any()
        assert (np.delete(V.diagonal(), 2) > 0).all()


THREADS = """
import numpy as np
from specsel import _data, _kernel
X = np.random.default_rng(0).standard_normal((30, 500))
for name in ("rbf", "poly", "sectioned"):
    V = _kernel.evaluate(_data.read(X), name)
    print(V.tobytes().hex())
"""


def test_bits_do_not_depend_on_the_number_of_threads():
    runs = {
        subprocess.run(
            [sys.executable, "-c", THREADS],
            env=os.environ | {"NUMBA_NUM_THREADS": count},
            capture_output=True,
            check=True,
        ).stdout
        for count in ("1", "2", "3")
    }
    assert len(runs) == 1
