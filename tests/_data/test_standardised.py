"""What data know of their features, whatever holds the numbers."""

import numpy as np
import pytest

from specsel import _data, qalpha, side_info


@pytest.fixture
def values(rng):
    X = rng.standard_normal((10, 4)) + 2
    X[:, 2] = 1.0
    return X


@pytest.fixture
def data(values):
    with pytest.warns(UserWarning, match="constant"):
        return _data.represent(values)


@pytest.fixture
def parts(values):
    with pytest.warns(UserWarning, match="constant"):
        return _data.represent(values, representation="parts")


def test_sizes(data, parts):
    assert (data.n_columns, data.n_features, data.rank_bound) == (4, 4, 4)
    assert (parts.n_columns, parts.n_features, parts.rank_bound) == (4, 8, 8)
    assert _data.read(np.eye(3)).rank_bound == 2  # centring costs one dimension


def test_squared_norms_are_0_for_constant_features_and_know_of_rescaling(data):
    np.testing.assert_array_equal(data.squares, [1, 1, 0, 1])
    np.testing.assert_allclose(data.rescaled(np.array([2.0, 3, 5, 1])).squares, [4, 9, 0, 1])


def test_weights_of_parts_are_joined(parts, data):
    alpha = np.array([3.0, -1, 0, 0, 4, 2, 0, 0])
    np.testing.assert_allclose(parts.joined(alpha), np.array([5, 2, 0, 0]) / np.sqrt(29))
    np.testing.assert_array_equal(data.joined(alpha[:4]), alpha[:4])


def test_samples_are_standardised_as_the_data(values, data, parts):
    for one in (data, parts):
        np.testing.assert_allclose(one.standardised(values), one.rows(0, 10), atol=1e-12)
    some = np.array([3, 0])
    np.testing.assert_allclose(
        data.standardised(values[:, some], some), data.rows(0, 10)[:, some], atol=1e-12
    )


def test_reads_are_shared_by_data_of_the_same_array(data):
    before = data.passes
    data.rescaled(np.ones(4)).count_pass()
    assert data.passes == before + 1


def test_negative_values_that_count_as_alike_are_told():
    X = np.array([[1.0, -2.0], [3.0, 1.0], [2.0, 5.0]])
    data = _data.represent(X, representation="as-is")
    with pytest.warns(UserWarning, match=r"^X has negative values, and two samples with large"):
        data.warn_if_negative("as-is")
    _data.represent(np.abs(X), representation="as-is").warn_if_negative("as-is")


@pytest.mark.parametrize("shape", [(20, 30), (300, 8)])
def test_who_watches_is_told_of_every_read_of_x_alone(shape, rng):
    X, side = rng.standard_normal(shape), rng.standard_normal((9, shape[1]))
    seen = []
    with _data.watched(seen.append):
        found = side_info.solve(X, side, 2)
    assert seen == [*range(2, found.n_passes + 1)]  # the first read measured X
    count = len(seen)
    qalpha.solve(X, 2)
    assert len(seen) == count
