"""Means and norms of the columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsel import _data


@given(scale=st.floats(1e-150, 1e150), offset=st.floats(-1e3, 1e3))
def test_mean_and_norm_neither_overflow_nor_underflow(scale, offset):
    X = np.array([[1.0, 0.0], [2.0, 5.0], [4.0, -1.0]]) + offset
    data = _data.read(X * scale)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(data.mean, X.mean(axis=0) * scale, rtol=1e-12, atol=1e-12 * scale)
    np.testing.assert_allclose(data.norm, np.linalg.norm(centred, axis=0) * scale, rtol=1e-9)


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


def test_jitter_of_a_constant_is_not_variation():
    X = np.ones((9, 2))
    X[::2, 1] += np.finfo(float).eps
    X[:, 0] = np.arange(9)
    with pytest.warns(UserWarning, match="1 of 2 features is constant"):
        assert _data.read(X).norm[1] == 0


def test_a_small_variation_on_a_large_offset_is_not_constant():
    X = 1e6 + 1e-6 * np.arange(12.0).reshape(4, 3) ** 2
    assert (_data.read(X).norm > 0).all()


def test_features_far_from_zero_are_mostly_not_zero(rng):
    X = rng.standard_normal((40, 3)) + np.array([0.0, 5.0, -5.0])
    mean, norm = _data.moments(X)
    assert _data.far_from_zero(mean, norm, 40).tolist() == [False, True, True]


def test_values_that_are_not_finite_are_located(rng):
    X = rng.standard_normal((9, 3))
    X[4, 1] = np.nan
    with pytest.raises(ValueError, match=r"^side: 1 value .* sample 4, feature 1 \('b'\)"):
        _data.moments(X, ("a", "b", "c"), name="side")
