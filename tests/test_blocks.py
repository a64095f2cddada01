"""Passes over the data against their definitions, for every way in which data may lie."""

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsel import blocks

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
    M = naive.standardise(X, center)
    q, n = shape
    for name, variant in layouts(X, tmp_path).items():
        data = blocks.read(variant, center=center)
        for k in (1, 2, 5):
            B, Q, alpha = arguments(rng, q, k, n)
            R = rng.standard_normal((q, k + 1))
            weights = np.einsum("ij,jk,lk,il->i", M, B, Q, M)
            expected = {
                "forward": (data.forward(B, Q), weights),
                "adjoint": (data.adjoint(alpha, Q), naive.affinity(M, alpha) @ Q),
                "fused weights": (data.fused(B, Q)[0], weights),
                "fused": (data.fused(B, Q)[1], naive.affinity(M, weights) @ Q),
                "fused again": (data.fused(B, Q)[1], naive.affinity(M, weights) @ Q),
                "fused, other": (data.fused(B, Q, R)[1], naive.affinity(M, weights) @ R),
                "fused, whole": (data.fused(B, Q, None)[1], naive.affinity(M, weights)),
            }
            for what, (got, wanted) in expected.items():
                np.testing.assert_allclose(got, wanted, atol=1e-11, err_msg=f"{name}, {what}")
        square = rng.standard_normal((q, q))
        weights = np.einsum("ij,jk,ik->i", M, square, M)
        np.testing.assert_allclose(data.forward(square, None), weights, atol=1e-11)
        image = data.fused(square, None)[1]
        np.testing.assert_allclose(image, naive.affinity(M, weights), atol=1e-11)


@pytest.mark.parametrize("order", ["C", "F"])
def test_kept_products_change_no_bit(order, rng):
    X = np.array(rng.standard_normal((30, 700)), order=order)
    B, Q = rng.standard_normal((2, 30, 2))
    fresh, warm = blocks.read(X), blocks.read(X)
    warm.adjoint(np.ones(700), Q)
    assert warm._kept_basis is Q
    for got, wanted in zip(warm.fused(B, Q), fresh.fused(B, Q), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_products_are_kept_only_where_they_are_small(rng):
    data = blocks.read(rng.standard_normal((25, 50)))
    data.adjoint(np.ones(50), rng.standard_normal((25, 2)))
    assert data._kept.size == 100
    data.adjoint(np.ones(50), rng.standard_normal((25, 3)))
    assert data._kept.size == 100


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_new_basis_of_the_same_width_reuses_the_array(order, rng):
    X = np.array(rng.standard_normal((30, 700)), order=order)
    B, Q, R = rng.standard_normal((3, 30, 2))
    data = blocks.read(X)
    data.adjoint(np.ones(700), Q)
    array = data._kept
    got = data.fused(B, Q, R)
    assert data._kept is array
    assert data._kept_basis is R
    for mine, wanted in zip(got, blocks.read(X).fused(B, Q, R), strict=True):
        np.testing.assert_array_equal(mine, wanted)


@pytest.mark.parametrize("order", ["C", "F"])
def test_float32_keeps_float64_sums(order, rng):
    X = np.array(rng.standard_normal((50, 3000)), order=order, dtype=np.float32)
    exact = blocks.read(X.astype(np.float64))
    data = blocks.read(X)
    assert data.features.dtype == np.float32
    assert np.shares_memory(data.features, X)
    B, Q = rng.standard_normal((2, 50, 4))
    for got, wanted in zip(data.fused(B, Q), exact.fused(B, Q), strict=True):
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, wanted, atol=2e-6 * np.abs(wanted).max())


def test_float32_survives_a_large_offset(rng):
    X = (rng.standard_normal((60, 40)) + 1e4).astype(np.float32)
    data, exact = blocks.read(X), blocks.read(X.astype(float))
    Q = np.linalg.qr(rng.standard_normal((60, 3)))[0]
    got, wanted = data.adjoint(np.ones(40), Q), exact.adjoint(np.ones(40), Q)
    np.testing.assert_allclose(got, wanted, atol=2e-6 * np.abs(wanted).max())


def test_nothing_is_copied(rng):
    for X in (rng.standard_normal((5, 8)), np.asfortranarray(rng.standard_normal((5, 8)))):
        before = X.copy()
        data = blocks.read(X)
        assert np.shares_memory(data.features, X)
        assert X.flags.writeable
        data.fused(*rng.standard_normal((2, 5, 2)))
        np.testing.assert_array_equal(X, before)


@given(scale=st.floats(1e-150, 1e150), offset=st.floats(-1e3, 1e3))
def test_mean_and_norm_neither_overflow_nor_underflow(scale, offset):
    X = np.array([[1.0, 0.0], [2.0, 5.0], [4.0, -1.0]]) + offset
    data = blocks.read(X * scale)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(data.mean, X.mean(axis=0) * scale, rtol=1e-12, atol=1e-12 * scale)
    np.testing.assert_allclose(data.norm, np.linalg.norm(centred, axis=0) * scale, rtol=1e-9)


def test_constant_features_have_no_norm_and_are_counted(rng):
    X = rng.standard_normal((30, 5))
    X[:, 1], X[:, 3] = 0.1, 0.0
    with pytest.warns(UserWarning, match=r"^2 of 5 features are constant and get weight 0$"):
        data = blocks.read(X)
    assert (data.norm == 0).tolist() == [False, True, False, True, False]
    assert not data.feature(1).any()
    with pytest.warns(UserWarning, match=r"^1 of 5 features is zero and gets weight 0$"):
        blocks.read(X, center=False)


@pytest.mark.parametrize("offset", [1e10, 1e14, 1e15])
def test_what_varies_at_a_large_offset_is_kept(offset, rng):
    X = rng.standard_normal((50, 6)) + offset
    assert (blocks.read(X).norm > 0).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_constant_among_very_many_samples(order, rng):
    X = np.array(rng.standard_normal((10**5, 3)), order=order)
    X[:, 1] = 0.1
    with pytest.warns(UserWarning, match="1 of 3 features is constant"):
        assert (blocks.read(X).norm > 0).tolist() == [True, False, True]


def test_tiny_float32_values_are_refused(rng):
    with pytest.raises(ValueError, match="too large or too small"):
        blocks.read((rng.standard_normal((5, 4)) * 1e-40).astype(np.float32))


def test_jitter_of_a_constant_is_not_variation():
    X = np.ones((9, 2))
    X[::2, 1] += np.finfo(float).eps
    X[:, 0] = np.arange(9)
    with pytest.warns(UserWarning, match="1 of 2 features is constant"):
        assert blocks.read(X).norm[1] == 0


def test_a_small_variation_on_a_large_offset_is_not_constant():
    X = 1e6 + 1e-6 * np.arange(12.0).reshape(4, 3) ** 2
    assert (blocks.read(X).norm > 0).all()


def test_tall_data_keep_their_inner_products(rng):
    X = rng.standard_normal((9000, 6)) @ rng.standard_normal((6, 6)) + 3
    X[:, 5] = X[:, 4]  # a duplicate: no Cholesky factor
    data = blocks.read(X)
    small, restrict, lift = data.reduced()
    M = naive.standardise(X)
    assert (small.n_samples, small.n_features) == (6, 6)
    np.testing.assert_allclose(small.features @ small.features.T, M @ M.T, atol=1e-12)
    Q = np.linalg.qr(rng.standard_normal((9000, 2)))[0]
    np.testing.assert_allclose(small.features @ restrict(Q), M @ Q, atol=1e-12)
    inside = np.linalg.qr(M.T @ rng.standard_normal((6, 2)))[0]
    np.testing.assert_allclose(lift(restrict(inside)), inside, atol=1e-11)
    assert data.passes == 5


def test_lifted_bases_are_orthonormal_without_full_rank(rng):
    X = np.repeat(rng.standard_normal((500, 8)), 2, axis=1)
    _, _, lift = blocks.read(X).reduced()
    basis = lift(np.linalg.qr(rng.standard_normal((16, 10)))[0])
    np.testing.assert_allclose(basis.T @ basis, np.eye(10), atol=1e-12)


def test_passes_are_counted(rng):
    data = blocks.read(rng.standard_normal((5, 8)))
    assert data.passes == 1
    data.forward(*rng.standard_normal((2, 5, 2)))
    data.adjoint(np.ones(8), None)
    data.fused(*rng.standard_normal((2, 5, 2)))
    assert data.passes == 4


def test_names_of_a_frame_are_kept(rng):
    frame = pd.DataFrame(rng.standard_normal((4, 2)), columns=["a", 7])
    assert blocks.read(frame).names == ("a", "7")
    assert blocks.read(frame.to_numpy()).names is None


def test_frames_with_nullable_and_integer_columns(rng):
    frame = pd.DataFrame({"a": pd.array([1, 2, 4], dtype="Int64"), "b": [0, 1, 0], "c": [1, 2, 9]})
    data = blocks.read(frame)
    np.testing.assert_allclose(data.mean, [7 / 3, 1 / 3, 4])


BAD = {
    "X: has 1 dimension; 2 are needed, samples x features": np.ones(3),
    "X: has 3 dimensions; 2 are needed, samples x features": np.ones((2, 2, 2)),
    "X: has 0 dimensions; 2 are needed, samples x features": 3.0,
    "X: has shape (0, 4); it must not be empty": np.ones((0, 4)),
    "X: has shape (4, 0); it must not be empty": np.ones((4, 0)),
    "X: has 1 sample; at least 2 are needed": np.ones((1, 4)),
    "X: has dtype <U1; real numbers are needed": [["a", "b"], ["c", "d"]],
    "X: has dtype complex128; real numbers are needed": np.ones((2, 2)) * 1j,
    "X: has dtype object; real numbers are needed": np.array([[1, None], ["b", 2]], dtype=object),
    "X: has dtype object; real numbers are needed ": np.array([["1", 2], [3, 4]], dtype=object),
    "X: rows differ in length; a matrix is needed": [[1.0, 2.0], [3.0]],
    "X: all 3 features are constant; at least one must vary": np.ones((4, 3)),
    "X: holds masked values; remove or fill them first": np.ma.masked_equal([[1, 2], [3, 4]], 3),
    "X: column 'kind' is not numeric; drop or encode it": pd.DataFrame(
        {"size": [1.0, 2.0], "kind": ["cat", "dog"]}
    ),
    "X: column 'day' is not numeric; drop or encode it": pd.DataFrame(
        {"size": [1.0, 2.0], "day": pd.to_datetime(["2020-01-01", "2020-01-02"])}
    ),
    "X: column 'text' is not numeric; drop or encode it": pd.DataFrame(
        {"size": [1.0, 2.0], "text": ["1.5", "2.5"]}
    ),
    "X: column 'when' is not numeric; drop or encode it": pd.DataFrame(
        {"when": pd.to_timedelta([1, 2], unit="s"), "size": [1.0, 2.0]}
    ),
    "X: values are too large or too small to be standardised; rescale them": np.eye(3) * 1e-309,
    "X: 1 value is NaN or infinite, first at sample 1, feature 0; finite numbers are needed": [
        [1.0, 2.0],
        [np.nan, 3.0],
    ],
    "X: 3 values are NaN or infinite, first at sample 0, feature 1 ('b'); "
    "finite numbers are needed": pd.DataFrame({"a": [1.0, np.inf], "b": [-np.inf, np.nan]}),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        blocks.read(BAD[message])
    assert str(caught.value) == message.strip()


def test_sparse_input_is_refused():
    from scipy import sparse

    with pytest.raises(ValueError, match="X: is a sparse matrix; dense"):
        blocks.read(sparse.eye_array(4, format="csr"))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("center", [True, False])
def test_no_bad_value_goes_unseen(value, dtype, center, rng):
    for index in [(0, 0), (9, 3), (19, 299), (7, 150)]:
        X = rng.standard_normal((20, 300)).astype(dtype)
        X[index] = value
        with pytest.raises(ValueError, match=f"sample {index[0]}, feature {index[1]};"):
            blocks.read(X, center=center)


def test_blocks_depend_on_sizes_alone():
    assert blocks._block_span(100) == 104
    assert -(-(10**6) // blocks._block_span(10**6)) <= blocks.MAX_BLOCKS
    assert blocks._block_span(10**6) == blocks._block_span(10**6, partial=600, size=10**8)
    assert blocks._block_span(10**4, partial=10**7, size=10**7) >= 10**4
