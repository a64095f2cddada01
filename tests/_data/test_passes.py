"""Passes over the data against their definitions, for every way in which data may lie."""

import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from oracles import weighing as oracle

from specsel import _data
from specsel._data import passes

SHAPES = [(2, 1), (5, 3), (7, 7), (6, 40), (13, 500), (24, 1100), (100, 9)]


def layouts(X, folder):
    np.save(folder / "X.npy", X)
    frozen = X.copy()
    frozen.flags.writeable = False
    wide = np.zeros((2 * X.shape[0], X.shape[1] + 3))
    wide[::2, 1:-2] = X
    return {
        "C": np.ascontiguousarray(X),
        "F": np.asfortranarray(X),
        "read-only": frozen,
        "strided": wide[::2, 1:-2],
        "reversed": X[::-1, ::-1].copy()[::-1, ::-1],
        "memory map": np.load(folder / "X.npy", mmap_mode="r"),
        "big-endian": X.astype(">f8"),
        "frame": pd.DataFrame(X),
        "list": X.tolist(),
    }


def arguments(rng, q, k, n):
    return rng.standard_normal((q, k)), rng.standard_normal((q, k)), rng.standard_normal(n)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("center", [True, False])
def test_passes_meet_their_definitions_in_every_layout(shape, center, rng, tmp_path):
    X = rng.standard_normal(shape) + 5
    M = oracle.standardise(X, center)
    q, n = shape
    for name, variant in layouts(X, tmp_path).items():
        data = _data.read(variant, center=center)
        for k in (1, 2, 5):
            B, Q, alpha = arguments(rng, q, k, n)
            R = rng.standard_normal((q, k + 1))
            weights = np.einsum("ij,jk,lk,il->i", M, B, Q, M)
            expected = {
                "forward": (data.forward(B, Q), weights),
                "adjoint": (data.adjoint(alpha, Q), oracle.affinity(M, alpha) @ Q),
                "fused weights": (data.fused(B, Q)[0], weights),
                "fused": (data.fused(B, Q)[1], oracle.affinity(M, weights) @ Q),
                "fused again": (data.fused(B, Q)[1], oracle.affinity(M, weights) @ Q),
                "fused, other": (data.fused(B, Q, R)[1], oracle.affinity(M, weights) @ R),
                "fused, whole": (data.fused(B, Q, None)[1], oracle.affinity(M, weights)),
            }
            for what, (got, wanted) in expected.items():
                np.testing.assert_allclose(got, wanted, atol=1e-11, err_msg=f"{name}, {what}")
        square = rng.standard_normal((q, q))
        weights = np.einsum("ij,jk,ik->i", M, square, M)
        np.testing.assert_allclose(data.forward(square, None), weights, atol=1e-11)
        image = data.fused(square, None)[1]
        np.testing.assert_allclose(image, oracle.affinity(M, weights), atol=1e-11)


@pytest.mark.parametrize("order", ["C", "F"])
def test_float32_keeps_float64_sums(order, rng):
    X = np.array(rng.standard_normal((50, 3000)), order=order, dtype=np.float32)
    exact = _data.read(X.astype(np.float64))
    data = _data.read(X)
    assert data.features.dtype == np.float32
    assert np.shares_memory(data.features, X)
    B, Q = rng.standard_normal((2, 50, 4))
    for got, wanted in zip(data.fused(B, Q), exact.fused(B, Q), strict=True):
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, wanted, atol=2e-6 * np.abs(wanted).max())


def test_float32_survives_a_large_offset(rng):
    X = (rng.standard_normal((60, 40)) + 1e4).astype(np.float32)
    data, exact = _data.read(X), _data.read(X.astype(float))
    Q = np.linalg.qr(rng.standard_normal((60, 3)))[0]
    got, wanted = data.adjoint(np.ones(40), Q), exact.adjoint(np.ones(40), Q)
    np.testing.assert_allclose(got, wanted, atol=2e-6 * np.abs(wanted).max())


def test_blocks_depend_on_sizes_alone():
    assert passes.block_span(100) == 112
    assert -(-(10**6) // passes.block_span(10**6)) <= passes.MAX_BLOCKS
    assert passes.block_span(10**6) == passes.block_span(10**6, partial=600, size=10**8)
    assert passes.block_span(10**4, partial=10**7, size=10**7) >= 10**4


def test_small_data_wake_no_threads():
    script = """
        import numpy as np
        from numba.np.ufunc import parallel
        from specsel import datasets, qalpha
        qalpha.solve(datasets.example().X, 3)
        print(parallel._is_initialized)
        qalpha.solve(np.random.default_rng(0).standard_normal((20, 600)), 3, max_iter=1)
        print(parallel._is_initialized)
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
