"""Dense data: passes over every representation, changed records, counting."""

import numpy as np
import pytest
from oracles import weighing as oracle

from specsel import _data, _validate


def test_passes_are_counted(rng):
    data = _data.read(rng.standard_normal((5, 8)))
    assert data.passes == 1
    data.forward(*rng.standard_normal((2, 5, 2)))
    data.adjoint(np.ones(8), None)
    data.fused(*rng.standard_normal((2, 5, 2)))
    assert data.passes == 4


def with_ties(shape, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(3 * rng.standard_normal(shape)) + rng.integers(0, 5, shape[1])
    X[:, 0] = np.arange(shape[0]) == 1  # most values at the median: one part is empty
    return X


@pytest.mark.parametrize("representation", _validate.REPRESENTATIONS)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-11), (np.float32, 1e-4)])
def test_passes_over_every_representation(representation, order, dtype, tolerance, rng):
    X = np.array(with_ties((33, 301)), dtype=dtype, order=order)
    M = oracle.represent(X, representation)
    data = _data.represent(X, representation=representation)
    B, Q, R = rng.standard_normal((3, 33, 3)) / 6
    alpha = np.einsum("is,sk,tk,it->i", M, B, Q, M)
    np.testing.assert_allclose(data.forward(B, Q), alpha, atol=tolerance)
    np.testing.assert_allclose(data.adjoint(alpha, Q), (M.T * alpha) @ M @ Q, atol=tolerance)
    np.testing.assert_allclose(data.forward(np.eye(33, 33), None), (M**2).sum(1), atol=tolerance)
    image = data.fused(B, Q, R)[1]
    np.testing.assert_allclose(image, (M.T * alpha) @ M @ R, atol=tolerance)
    again = data.fused(B, R)[0]  # from products that may have been kept
    np.testing.assert_allclose(again, np.einsum("is,sk,tk,it->i", M, B, R, M), atol=tolerance)


def test_rescaled_data_are_those_with_features_multiplied(rng):
    X, factors = rng.standard_normal((9, 31)), rng.uniform(0.1, 10, 31)
    M = oracle.standardise(X) * factors[:, None]
    data = _data.read(X)
    scaled = data.rescaled(factors)
    Q = rng.standard_normal((9, 2))
    np.testing.assert_allclose(scaled.adjoint(np.ones(31), Q), M.T @ M @ Q, rtol=1e-11)
    np.testing.assert_allclose(scaled.feature(3), M[3], atol=1e-13)
    assert scaled.passes == data.passes == 2


def test_weights_of_parts_are_joined(rng):
    data = _data.represent(rng.standard_normal((9, 31)), representation="parts")
    alpha = rng.standard_normal(62)
    np.testing.assert_allclose(data.joined(alpha), oracle.join(alpha), atol=1e-14)


def test_other_samples_are_scaled_as_the_data_are(rng):
    X, others = rng.standard_normal((9, 31)), rng.standard_normal((4, 31))
    data = _data.read(X)
    alike = _data.alike(data, others)
    np.testing.assert_allclose(alike.rows(0, 4), (others - data.mean) / data.norm, atol=1e-13)
    assert (alike.n_samples, alike.passes, data.passes) == (4, 0, 1)
    assert others.flags.writeable


def test_centred_data_are_those_of_the_columns(rng):
    X = rng.random((9, 31))
    centred = _data.represent(X, representation="parts").centered()
    assert (centred.n_features, centred.rank_bound, centred.mean_free) == (31, 8, True)
    np.testing.assert_allclose(centred.rows(0, 9).T, oracle.standardise(X), atol=1e-13)
