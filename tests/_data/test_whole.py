"""Passes with the whole affinity, of which only half is computed, against their definitions."""

import numpy as np
import pytest
from oracles import weighing as oracle

from specsel import _data, _validate


@pytest.mark.parametrize("representation", _validate.REPRESENTATIONS)
@pytest.mark.parametrize("shape", [(2, 1), (5, 3), (8, 300), (33, 1100), (101, 130)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 1e-5)])
def test_weights_and_affinity(representation, shape, order, dtype, tolerance, rng):
    X = np.array(rng.standard_normal(shape) + 3, dtype=dtype, order=order)
    X[0] -= 1  # for two samples: else a part may be empty
    M = oracle.represent(X, representation)
    data = _data.represent(X, representation=representation)
    B = rng.standard_normal((len(X), len(X)))
    alpha = np.einsum("is,st,it->i", M, B, M)
    affinity = (M.T * alpha) @ M
    size = np.abs(alpha).sum()
    np.testing.assert_allclose(data.forward(B, None), alpha, atol=tolerance * size)
    np.testing.assert_allclose(data.adjoint(alpha, None), affinity, atol=tolerance * size)
    both = data.fused(B, None)
    np.testing.assert_allclose(both[0], alpha, atol=tolerance * size)
    np.testing.assert_allclose(both[1], affinity, atol=tolerance * size)
    np.testing.assert_array_equal(both[1], both[1].T)


def test_many_samples_make_narrow_tiles(rng):
    X = rng.standard_normal((1500, 40))
    M = oracle.standardise(X)
    alpha = rng.standard_normal(40)
    affinity = _data.read(X).adjoint(alpha, None)
    np.testing.assert_allclose(affinity, oracle.affinity(M, alpha), atol=1e-12)
