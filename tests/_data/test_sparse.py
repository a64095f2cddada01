"""Sparse data: every pass and every question against the same data, dense."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from specsel import _data, _validate
from specsel._data import sparse_passes, stored
from specsel._data.lanes import LANES
from specsel._data.sparse import Room

SHAPES = [(33, 301), (40, 9)]


def mostly_zero(shape, seed=0):
    """Whole numbers with ties; a column with one number, a row with none, a column with all."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(shape) < 0.2, np.round(3 * rng.standard_normal(shape)), 0.0)
    X[:, 1], X[0, 1] = 0, 1
    X[3] = 0
    X[:, 2] = np.arange(shape[0]) + 1
    X[:, 4] = 0
    return X


@pytest.fixture
def in_small_blocks(monkeypatch):
    """Cut even small data into several bands and blocks."""
    monkeypatch.setattr(sparse_passes, "MIN_BLOCK", 32)
    monkeypatch.setattr(stored, "BAND", 64)


def both(X, container, representation="centered"):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* (is|are) (constant|zero)")
        return [
            _data.represent(form(X), representation=representation)
            for form in (np.asarray, container)
        ]


def assert_same(found, wanted):
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11)


@pytest.mark.parametrize("container", [sparse.csc_array, sparse.csr_array])
@pytest.mark.parametrize("representation", _validate.REPRESENTATIONS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.usefixtures("in_small_blocks")
def test_passes_are_those_of_dense_data(shape, representation, container, rng):
    dense, data = both(mostly_zero(shape), container, representation)
    q = shape[0]
    B, Q = rng.standard_normal((2, q, 5)) / 6
    R, square = rng.standard_normal((q, 11)), rng.standard_normal((q, q))
    assert_same((data.norms, data.mean), (dense.norms, dense.mean))
    alpha = dense.forward(B, Q)
    for target in (Q, R, None):
        assert_same(data.fused(B, Q, target), dense.fused(B, Q, target))
        assert_same([data.adjoint(alpha, target)], [dense.adjoint(alpha, target)])
    assert_same(data.fused(R, R), dense.fused(R, R))
    assert_same([data.forward(B, Q)], [alpha])
    assert_same([data.forward(square, None)], [dense.forward(square, None)])
    assert_same(data.fused(square, None), dense.fused(square, None))


@pytest.mark.parametrize("container", [sparse.csc_array, sparse.csr_array])
@pytest.mark.parametrize("representation", _validate.REPRESENTATIONS)
@pytest.mark.usefixtures("in_small_blocks")
def test_questions_are_answered_as_by_dense_data(representation, container, rng):
    dense, data = both(mostly_zero((33, 301)), container, representation)
    assert_same([data.rows(2, 9), data.rows(30, 40)], [dense.rows(2, 9), dense.rows(30, 40)])
    assert_same([data.feature(i) for i in (1, 2, 300)], [dense.feature(i) for i in (1, 2, 300)])
    if representation != "parts":
        for part in (slice(2, 6), np.array([3, 1, 200])):
            assert_same([data.block(part)], [dense.block(part)])
    spans = [np.concatenate([out for _, out in one.spans()], axis=2) for one in (data, dense)]
    assert_same(spans[:1], spans[1:])
    centered = data.centered(), dense.centered()
    assert_same([centered[0].norm], [centered[1].norm])
    ones, Q = np.ones(301), rng.standard_normal((33, 2))
    assert_same([centered[0].adjoint(ones, Q)], [centered[1].adjoint(ones, Q)])
    factors = rng.uniform(0.5, 2, data.n_features)
    scaled = data.rescaled(factors), dense.rescaled(factors)
    assert_same([scaled[0].squares], [scaled[1].squares])
    assert_same(scaled[0].fused(Q, Q), scaled[1].fused(Q, Q))


@pytest.mark.parametrize("container", [sparse.csc_array, sparse.csr_array])
@pytest.mark.parametrize("representation", _validate.REPRESENTATIONS)
@pytest.mark.usefixtures("in_small_blocks")
def test_pairs_of_samples(representation, container, rng):
    dense, data = both(mostly_zero((33, 301)), container, representation)
    pairs = _data.Pairs.sort(np.array([(0, 1), (0, 2), (5, 9), (9, 5), (7, 7)]), 33)
    B, Q, R = rng.standard_normal((3, 33, 3)) / 6
    values = rng.standard_normal(5)
    found = data.fused_pairs(B, Q, pairs, values, R)
    assert_same(found, dense.fused_pairs(B, Q, pairs, values, R))
    alpha, nothing = found[0], R[:, :0]
    for basis in (Q, nothing):
        assert_same(
            data.adjoint_pairs(alpha, basis, pairs), dense.adjoint_pairs(alpha, basis, pairs)
        )


@pytest.mark.parametrize("container", [sparse.csc_array, sparse.csr_array])
@pytest.mark.usefixtures("in_small_blocks")
def test_threads_change_no_bit(container, set_threads, rng):
    X = mostly_zero((60, 900))
    B, Q = rng.standard_normal((2, 60, 5))
    found = []
    for count in (1, 2):
        set_threads(count)
        data = both(X, container, "parts")[1]
        found.append([*data.fused(B, Q), data.adjoint(np.ones(data.n_features), None), data.norms])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("representation", ["centered", "parts"])
def test_threads_share_features_where_these_are_many(representation, set_threads, rng):
    dense, data = both(mostly_zero((33, 301)), sparse.csr_array, representation)
    assert len(data.stored.segments) > 3
    B, Q = rng.standard_normal((2, 33, 5))
    found = []
    for count in (1, 2):
        set_threads(count)
        found.append(data.fused(B, Q))
    assert_same(found[0], dense.fused(B, Q))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_passes_are_counted(rng):
    """Where the numbers of a sample lie together, an image takes a second read."""
    B, Q = rng.standard_normal((2, 33, 2))
    for container, reads in ((sparse.csc_array, (1, 1, 1)), (sparse.csr_array, (1, 2, 2))):
        data = both(mostly_zero((33, 301)), container)[1]
        assert data.passes == 1
        counted = []
        for name, given in (("forward", B), ("fused", B), ("adjoint", np.ones(301))):
            before = data.passes
            getattr(data, name)(given, Q)
            counted.append(data.passes - before)
        assert tuple(counted) == reads


@pytest.mark.parametrize("container", [sparse.csc_array, sparse.csr_array])
def test_columns_of_extreme_scale(container, rng):
    X = mostly_zero((33, 301))
    X[:, 5:20] *= 1e-200
    X[:, 20:30] *= 1e200
    dense, data = both(X, container, "parts")
    B, Q = rng.standard_normal((2, 33, 3))
    assert_same(data.fused(B, Q), dense.fused(B, Q))
    np.testing.assert_allclose(data.norm, dense.norm)


@pytest.mark.parametrize("container", [sparse.csc_array, sparse.csr_array])
def test_only_short_data_of_few_features_are_reduced(container, rng):
    tall = both(mostly_zero((100, 20)), container)[1]
    assert tall.is_tall()
    assert not tall.is_tall(5)
    assert not both(mostly_zero((600, 400)), container)[1].is_tall()


@pytest.mark.parametrize("container", [sparse.csc_array, sparse.csr_array])
def test_other_samples_are_scaled_as_the_data_are(container, rng):
    X, others = mostly_zero((33, 301)), mostly_zero((5, 301), 1)
    dense, data = both(X, container, "parts")
    wanted = _data.alike(dense, others).rows(0, 5)
    for one in (dense, data):
        for form in (np.asarray, container):
            assert_same([_data.alike(one, form(others)).rows(0, 5)], [wanted])


def test_memory_for_sums_is_used_again_and_is_zero():
    room = Room()
    first = room.zeros(2, 30)
    first[...] = 7.0
    smaller = room.zeros(3, 5)
    assert smaller.shape == (3, 5, LANES)
    assert not smaller.any()
    assert np.shares_memory(first, smaller)
    larger = room.zeros(100)
    assert larger.shape == (100, LANES)
    assert not larger.any()
    assert smaller.ctypes.data % 64 == larger.ctypes.data % 64 == 0


def test_passes_over_samples_leave_nothing_for_the_next(rng):
    data = both(mostly_zero((33, 301)), sparse.csr_array)[1]
    B, Q = rng.standard_normal((2, 33, 5))
    first = data.fused(B, Q)
    data.fused(Q, Q, rng.standard_normal((33, 20)))
    for one, again in zip(first, data.fused(B, Q), strict=True):
        np.testing.assert_array_equal(one, again)
    assert data.rescaled(np.ones(301)).room is data.room
