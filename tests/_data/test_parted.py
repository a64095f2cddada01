"""Data that are read block by block, against the same data in memory."""

import warnings

import numpy as np
import pytest

from specsel import _containers, _data, _validate
from specsel._data import sources
from specsel._data.parted import ByFeature
from specsel._data.samples import BySample

SHAPE = (33, 90)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Stream small memory maps, in blocks of a few features or samples."""
    monkeypatch.setattr(_containers, "MAPPED", 0)
    monkeypatch.setattr(sources, "BLOCK", 6000)
    monkeypatch.setattr(sources, "PIECE", 8)


def with_ties(shape, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(3 * rng.standard_normal(shape)) + rng.integers(0, 5, shape[1])
    X[:, 0] = np.arange(shape[0]) == 1
    X[:, 4] = 7
    return X


def mapped(X, folder, order="C"):
    np.save(folder / "X.npy", np.asarray(X, order=order))
    return np.load(folder / "X.npy", mmap_mode="r")


KINDS = {"features": ByFeature, "samples": BySample}


@pytest.fixture(params=KINDS)
def kind(request, monkeypatch):
    """Cut into blocks of features, or of samples."""
    if request.param == "samples":
        monkeypatch.setattr(sources, "PIECE", 2**20)
    return request.param


def both(X, folder, representation, order="C"):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* (is|are) (constant|zero)")
        found = [
            _data.represent(form, representation=representation)
            for form in (X, mapped(X, folder, order))
        ]
    return found


def assert_same(found, wanted):
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11)


@pytest.mark.parametrize("representation", sorted({*_validate.REPRESENTATIONS} - {"ranks"}))
def test_passes_are_those_of_data_in_memory(kind, representation, rng, tmp_path):
    X = with_ties(SHAPE)
    dense, data = both(X, tmp_path, representation)
    assert type(data) is KINDS[kind]
    assert len(data.source.parts) > 3
    B, Q = rng.standard_normal((2, 33, 3)) / 6
    R, square = rng.standard_normal((33, 4)), rng.standard_normal((33, 33))
    assert_same((data.norms, data.mean, data.norm), (dense.norms, dense.mean, dense.norm))
    alpha = dense.forward(B, Q)
    assert_same([data.forward(B, Q)], [alpha])
    for target in (Q, R, None):
        assert_same(data.fused(B, Q, target), dense.fused(B, Q, target))
        assert_same([data.adjoint(alpha, target)], [dense.adjoint(alpha, target)])
    assert_same(data.fused(R, R), dense.fused(R, R))
    assert_same([data.forward(square, None)], [dense.forward(square, None)])
    pairs = _data.Pairs.sort(np.array([(0, 1), (0, 2), (5, 9), (9, 5), (7, 7)]), 33)
    values = rng.standard_normal(5)
    found = data.fused_pairs(B, Q, pairs, values, R)
    assert_same(found, dense.fused_pairs(B, Q, pairs, values, R))
    assert_same(data.adjoint_pairs(alpha, Q, pairs), dense.adjoint_pairs(alpha, Q, pairs))


@pytest.mark.parametrize("representation", sorted({*_validate.REPRESENTATIONS} - {"ranks"}))
def test_questions_are_answered_as_by_data_in_memory(kind, representation, rng, tmp_path):
    dense, data = both(with_ties(SHAPE), tmp_path, representation)
    assert_same([data.rows(2, 9), data.rows(30, 40)], [dense.rows(2, 9), dense.rows(30, 40)])
    assert_same([data.feature(i) for i in (1, 2, 89)], [dense.feature(i) for i in (1, 2, 89)])
    if representation != "parts":
        for part in (slice(2, 6), np.array([3, 1, 70])):
            assert_same([data.block(part)], [dense.block(part)])
    spans = [np.concatenate([out for _, out in one.spans()], axis=2) for one in (data, dense)]
    assert_same(spans[:1], spans[1:])
    centered, Q = (data.centered(), dense.centered()), rng.standard_normal((33, 2))
    assert_same([centered[0].adjoint(np.ones(90), Q)], [centered[1].adjoint(np.ones(90), Q)])
    scaled = [one.rescaled(np.linspace(0.5, 2, data.n_features)) for one in (data, dense)]
    assert_same(scaled[0].fused(Q, Q), scaled[1].fused(Q, Q))


def test_ranks_are_made_in_memory(tmp_path, monkeypatch):
    X = with_ties(SHAPE)
    dense, data = both(X, tmp_path, "ranks")
    assert_same([data.rows(0, 33)], [dense.rows(0, 33)])
    monkeypatch.setenv("SPECSEL_MEMORY", "30kB")
    with pytest.raises(MemoryError, match=r"^representation = 'ranks': X in memory and its ranks"):
        both(X, tmp_path, "ranks")


@pytest.mark.parametrize("representation", ["centered", "parts"])
def test_the_bits_do_not_depend_on_the_budget_or_the_threads(
    kind, representation, rng, tmp_path, monkeypatch, set_threads
):
    X, Q = with_ties(SHAPE), rng.standard_normal((33, 3))
    found = []
    for budget, threads in (("7kB", 1), ("1GB", 2), ("200MB", 2)):
        monkeypatch.setenv("SPECSEL_MEMORY", budget)
        set_threads(threads)
        data = both(X, tmp_path, representation)[1]
        found.append([data.norms, *data.fused(Q, Q)])
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_passes_are_counted(kind, rng, tmp_path):
    data = both(with_ties(SHAPE), tmp_path, "centered")[1]
    B, Q = rng.standard_normal((2, 33, 2))
    counted = [data.passes]
    for name, given in (("forward", B), ("fused", B), ("adjoint", np.ones(90))):
        before = data.passes
        getattr(data, name)(given, Q)
        counted.append(data.passes - before)
    assert counted == ([1, 1, 1, 1] if kind == "features" else [2, 1, 2, 2])


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.float16])
def test_other_numbers(kind, dtype, rng, tmp_path):
    X, Q = with_ties(SHAPE)[:, 5:].astype(dtype), rng.standard_normal((33, 3))
    dense, data = _data.represent(X.astype(float)), _data.represent(mapped(X, tmp_path))
    np.testing.assert_allclose(data.fused(Q, Q)[1], dense.fused(Q, Q)[1], atol=2e-4)


def test_columns_of_extreme_scale(kind, rng, tmp_path):
    X = with_ties(SHAPE)
    X[:, 5:20] *= 1e-200
    X[:, 20:30] *= 1e200
    dense, data = both(X, tmp_path, "parts")
    B, Q = rng.standard_normal((2, 33, 3))
    assert_same(data.fused(B, Q), dense.fused(B, Q))
    np.testing.assert_allclose(data.norm, dense.norm)


def test_values_that_are_not_finite_are_named(kind, tmp_path):
    X = with_ties(SHAPE)
    X[3, 7] = np.inf
    with pytest.raises(
        ValueError, match=r"^X: 1 value is NaN or infinite, first at sample 3, fea"
    ):
        _data.represent(mapped(X, tmp_path))


@pytest.mark.parametrize("order", ["C", "F"])
def test_tall_data_are_reduced(order, tmp_path, rng):
    X = with_ties((200, 9))
    dense, data = both(X, tmp_path, "centered", order)
    assert data.is_tall()
    one, other = data.reduced(), dense.reduced()
    ones, Q = np.ones(9), rng.standard_normal((200, 2))
    assert_same([one.lift(one.restrict(Q))], [other.lift(other.restrict(Q))])
    inner = [small.data.rows(0, 9).T @ small.data.rows(0, 9) for small in (one, other)]
    assert_same(inner[:1], inner[1:])
    assert_same([data.adjoint(ones, Q)], [dense.adjoint(ones, Q)])
