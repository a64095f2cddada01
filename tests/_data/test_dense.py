"""What wraps the data: means, norms, reduction, counting, names."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import weighing as oracle

from specsel import _data


def test_nothing_is_copied(rng):
    for X in (rng.standard_normal((5, 8)), np.asfortranarray(rng.standard_normal((5, 8)))):
        before = X.copy()
        data = _data.read(X)
        assert np.shares_memory(data.features, X)
        assert X.flags.writeable
        data.fused(*rng.standard_normal((2, 5, 2)))
        np.testing.assert_array_equal(X, before)


@given(scale=st.floats(1e-150, 1e150), offset=st.floats(-1e3, 1e3))
def test_mean_and_norm_neither_overflow_nor_underflow(scale, offset):
    X = np.array([[1.0, 0.0], [2.0, 5.0], [4.0, -1.0]]) + offset
    data = _data.read(X * scale)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(data.mean, X.mean(axis=0) * scale, rtol=1e-12, atol=1e-12 * scale)
    np.testing.assert_allclose(data.norm, np.linalg.norm(centred, axis=0) * scale, rtol=1e-9)


def test_constant_features_have_no_norm_and_are_counted(rng):
    X = rng.standard_normal((30, 5))
    X[:, 1], X[:, 3] = 0.1, 0.0
    with pytest.warns(UserWarning, match=r"^2 of 5 features are constant and get weight 0: 1, 3$"):
        data = _data.read(X)
    assert (data.norm == 0).tolist() == [False, True, False, True, False]
    assert not data.feature(1).any()
    with pytest.warns(UserWarning, match=r"^1 of 5 features is zero and gets weight 0: 3$"):
        _data.read(X, center=False)


@pytest.mark.parametrize("offset", [1e10, 1e14, 1e15])
def test_what_varies_at_a_large_offset_is_kept(offset, rng):
    X = rng.standard_normal((50, 6)) + offset
    assert (_data.read(X).norm > 0).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_constant_among_very_many_samples(order, rng):
    X = np.array(rng.standard_normal((10**5, 3)), order=order)
    X[:, 1] = 0.1
    with pytest.warns(UserWarning, match="1 of 3 features is constant"):
        assert (_data.read(X).norm > 0).tolist() == [True, False, True]


def test_tiny_float32_values_are_refused(rng):
    with pytest.raises(ValueError, match="too large or too small"):
        _data.read((rng.standard_normal((5, 4)) * 1e-40).astype(np.float32))


def test_jitter_of_a_constant_is_not_variation():
    X = np.ones((9, 2))
    X[::2, 1] += np.finfo(float).eps
    X[:, 0] = np.arange(9)
    with pytest.warns(UserWarning, match="1 of 2 features is constant"):
        assert _data.read(X).norm[1] == 0


def test_a_small_variation_on_a_large_offset_is_not_constant():
    X = 1e6 + 1e-6 * np.arange(12.0).reshape(4, 3) ** 2
    assert (_data.read(X).norm > 0).all()


def test_tall_data_keep_their_inner_products(rng):
    X = rng.standard_normal((9000, 6)) @ rng.standard_normal((6, 6)) + 3
    X[:, 5] = X[:, 4]  # a duplicate: no Cholesky factor
    data = _data.read(X)
    small, restrict, lift = data.reduced()
    M = oracle.standardise(X)
    assert (small.n_samples, small.n_features) == (6, 6)
    np.testing.assert_allclose(small.features @ small.features.T, M @ M.T, atol=1e-12)
    Q = np.linalg.qr(rng.standard_normal((9000, 2)))[0]
    np.testing.assert_allclose(small.features @ restrict(Q), M @ Q, atol=1e-12)
    inside = np.linalg.qr(M.T @ rng.standard_normal((6, 2)))[0]
    np.testing.assert_allclose(lift(restrict(inside)), inside, atol=1e-11)
    assert data.passes == 5


def test_lifted_bases_are_orthonormal_without_full_rank(rng):
    X = np.repeat(rng.standard_normal((500, 8)), 2, axis=1)
    _, _, lift = _data.read(X).reduced()
    basis = lift(np.linalg.qr(rng.standard_normal((16, 10)))[0])
    np.testing.assert_allclose(basis.T @ basis, np.eye(10), atol=1e-12)


def test_passes_are_counted(rng):
    data = _data.read(rng.standard_normal((5, 8)))
    assert data.passes == 1
    data.forward(*rng.standard_normal((2, 5, 2)))
    data.adjoint(np.ones(8), None)
    data.fused(*rng.standard_normal((2, 5, 2)))
    assert data.passes == 4


def test_names_of_a_frame_are_kept(rng):
    frame = pd.DataFrame(rng.standard_normal((4, 2)), columns=["a", 7])
    assert _data.read(frame).names == ("a", "7")
    assert _data.read(frame.to_numpy()).names is None


def test_frames_with_nullable_and_integer_columns(rng):
    frame = pd.DataFrame({"a": pd.array([1, 2, 4], dtype="Int64"), "b": [0, 1, 0], "c": [1, 2, 9]})
    data = _data.read(frame)
    np.testing.assert_allclose(data.mean, [7 / 3, 1 / 3, 4])


REPRESENTATIONS = ["parts", "shift", "ranks", "as-is", "centered"]


def with_ties(shape, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(3 * rng.standard_normal(shape)) + rng.integers(0, 5, shape[1])
    X[:, 0] = np.arange(shape[0]) == 1  # most values at the median: one part is empty
    return X


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(9, 31), (10, 4), (7, 300), (70, 130)])
def test_representations_are_their_definitions(representation, order, shape):
    X = np.array(with_ties(shape), order=order)
    M = oracle.represent(X, representation)
    data = _data.represent(X, representation=representation)
    assert data.n_features == len(M)
    np.testing.assert_allclose(data.rows(0, len(X)), M.T, atol=1e-13)
    np.testing.assert_allclose([data.feature(i) for i in (0, len(M) - 1)], M[[0, -1]], atol=1e-13)
    spans = np.concatenate([out for _, out in data.spans()], axis=2)
    least, greatest, total = spans.reshape(3, -1)
    np.testing.assert_allclose(least, M.min(axis=1), atol=1e-13)
    np.testing.assert_allclose(greatest, M.max(axis=1), atol=1e-13)
    np.testing.assert_allclose(total, M.sum(axis=1), atol=1e-12)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
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


def test_pairs_of_one_first_sample_are_together():
    given = np.array([[5, 1], [1, 2], [0, 3], [1, 2], [1, 5], [4, 1], [1, 0]])
    pairs = _data.Pairs.sort(given, 6)
    firsts = np.searchsorted(pairs.starts, pairs.places, side="right") - 1
    np.testing.assert_array_equal(firsts, given.min(axis=1))
    np.testing.assert_array_equal(pairs.seconds[pairs.places], given.max(axis=1))
    assert (np.diff(pairs.starts) % 4 == 0).all()
    assert len(set(pairs.places)) == len(given)


def test_values_far_from_zero_and_far_apart_keep_their_parts(rng):
    X = rng.standard_normal((20, 6)) * np.array([1e-150, 1e150, 1, 1, 1, 1]) + 0
    M = oracle.represent(X / np.abs(X).max(axis=0), "parts")
    got = _data.represent(X, representation="parts").rows(0, 20).T
    np.testing.assert_allclose(got, M, atol=1e-12)
