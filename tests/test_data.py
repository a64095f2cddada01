"""Every kind of data against a literal dense computation, for every option of a pass."""

from contextlib import nullcontext
from typing import get_args

import dask.array
import numpy as np
import pytest
from oracles import weighing as oracle
from samples import in_disorder
from scipy import sparse

from specsel import _data, _validate
from specsel._data.sources import Source

SHAPE = (33, 400)


def example(shape=SHAPE, seed=0):
    """Many values are 0, some tie; one column is far from 0, and of one a part is empty."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(shape) < 0.4, np.round(3 * rng.standard_normal(shape)) / 2, 0.0)
    X[:, 0] = np.arange(shape[0]) == 1
    X[:, 3] = rng.standard_normal(shape[0]) + 1000
    return X


KINDS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "csc": sparse.csc_array,
    "csr": sparse.csr_array,
    "disorder": in_disorder,
    "blocks of features": lambda X: Source(X, True, (0, 2, X.shape[1])),
    "blocks of samples": lambda X: Source(X, False, (0, 5, len(X))),
    "tall": lambda X: Source(X, False, (0, 9, len(X)), in_memory=True),
    "dask by feature": lambda X: dask.array.from_array(X, chunks=(-1, X.shape[1] // 3)),
    "dask by sample": lambda X: dask.array.from_array(X, chunks=(8, -1)),
}


def made(kind, X, representation="centered"):
    """Data of a kind, and their standardised features as samples x features."""
    with pytest.warns() if (X.min(axis=0) == X.max(axis=0)).any() else nullcontext():
        data = _data.represent(KINDS[kind](X), representation=representation)
    return data, oracle.represent(X.astype(float), representation).T


def literal(M, pairs, dual, basis, alpha, target, values):
    """What `sweep` gives, by the whole affinity."""
    if dual is not None:
        square = dual if basis is None else dual @ basis.T
        alpha = np.einsum("si,st,ti->i", M, square, M, optimize=True)
        if values is not None:
            alpha = alpha + values @ (M[pairs[:, 0]] * M[pairs[:, 1]])
    affinity = (M * alpha) @ M.T
    entries = np.zeros(0) if values is None else affinity[pairs[:, 0], pairs[:, 1]]
    return alpha, affinity if target is None else affinity @ target, entries


def assert_sweeps(data, M, atol):
    rng = np.random.default_rng(1)
    q, n = M.shape
    dual, basis, other = rng.standard_normal((3, q, 3)) / 6
    square, nothing, alpha = rng.standard_normal((q, q)), np.empty((q, 0)), rng.random(n)
    pairs, values = np.array([(0, 1), (0, 2), (5, 9), (9, 5), (7, 7)]), rng.standard_normal(5)
    sorted_pairs = _data.Pairs.sort(pairs, q)
    for given in (
        (dual, basis, None, other),
        (dual, basis, None, basis),
        (dual, dual, None, dual),
        (dual, basis, None, nothing),
        (None, None, alpha, other),
        (None, None, alpha, None),
        (square, None, None, None),
        (square, None, None, nothing),
        (square, None, None, other),
        (dual, basis, None, None),
    ):
        for some in (None, values):
            with_values = None if some is None else sorted_pairs.with_values(some)
            found = data.sweep(*given, with_values)
            for one, two in zip(found, literal(M, pairs, *given, some), strict=True):
                assert one.shape == two.shape
                np.testing.assert_allclose(one, two, atol=atol * max(1, abs(two).max(initial=0)))


def cases():
    for kind in KINDS:
        for representation in get_args(_validate.Representation):
            if representation != "ranks" or kind in ("C", "F", "csc", "csr", "dask by sample"):
                yield kind, representation


@pytest.mark.parametrize(("kind", "representation"), [*cases()])
def test_a_pass_is_its_definition(kind, representation):
    data, M = made(kind, example(), representation)
    assert_sweeps(data, M, 1e-11)


@pytest.mark.parametrize("kind", ["C", "F", "csc", "blocks of samples", "dask by feature"])
def test_float32(kind):
    X = example().astype(np.float32)
    X[:, 3] -= 1000
    data, M = made(kind, X)
    assert_sweeps(data, M, 1e-4)


@pytest.mark.parametrize("kind", ["C", "csc", "blocks of samples"])
def test_parts_about_medians_that_are_not_0(kind, rng):
    X = rng.integers(0, 5, (33, 60)) * np.where(np.arange(60) % 2, 1.0, -1.0)
    assert np.median(X, axis=0).any()
    data, M = made(kind, X, "parts")
    assert_sweeps(data, M, 1e-11)


@pytest.mark.parametrize("kind", ["C", "csr", "dask by sample"])
@pytest.mark.parametrize("dtype", [np.int16, bool])
def test_other_numbers_become_float64(kind, dtype, rng):
    X = rng.integers(0, 2, (33, 50)).astype(dtype)
    found, wanted = _data.read(KINDS[kind](X)), oracle.represent(X, "centered").T
    np.testing.assert_allclose(found.rows(0, 33), wanted, atol=1e-13)


@pytest.mark.parametrize(("kind", "representation"), [*cases()])
def test_features_samples_and_spans(kind, representation):
    data, M = made(kind, example(), representation)
    q, n = M.shape
    assert (data.n_samples, data.n_features) == (q, n)
    np.testing.assert_allclose(data.rows(2, 9), M[2:9], atol=1e-12)
    np.testing.assert_allclose(data.rows(q - 2, q + 9), M[q - 2 :], atol=1e-12)
    for i in (0, n - 1):
        np.testing.assert_allclose(data.feature(i), M[:, i], atol=1e-12)
    if representation != "parts":
        for part in (slice(2, 6), slice(n - 2, None), np.array([3, 1, n - 5])):
            np.testing.assert_allclose(data.block(part), M[:, part], atol=1e-12)
    spans = np.concatenate([out for _, out in data.spans()], axis=2).reshape(3, -1)
    np.testing.assert_allclose(spans, [M.min(axis=0), M.max(axis=0), M.sum(axis=0)], atol=1e-11)
    factors, Q = np.linspace(0.5, 2, n), np.eye(q, 2)
    scaled = data.rescaled(factors)
    np.testing.assert_allclose(scaled.adjoint(np.ones(n), Q), (M * factors**2) @ (M.T @ Q))
    np.testing.assert_allclose(scaled.squares, (M**2).sum(axis=0) * factors**2)


@pytest.mark.parametrize("kind", KINDS)
def test_centred_anew(kind):
    X = example()
    data, _ = made(kind, X, "as-is")
    centred, wanted = data.centered(), oracle.represent(X, "centered").T
    np.testing.assert_allclose(centred.rows(0, len(X)), wanted, atol=1e-12)
    np.testing.assert_allclose(centred.mean, X.mean(axis=0), atol=1e-12)
    assert_sweeps(centred, wanted, 1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("representation", ["centered", "parts"])
@pytest.mark.parametrize("some", [False, True])
def test_tall_data_are_reduced(kind, representation, some, rng):
    """Inner products stay; what is restricted and lifted back are combinations of features."""
    X = example((90, 9))
    data, M = made(kind, X, representation)
    assert data.is_tall()
    members = np.arange(90) % 3 > 0 if some else None
    small, restrict, lift = data.reduced(members)
    M = M[members] if some else M
    R = small.rows(0, small.n_samples)
    assert len(R) <= R.shape[1]
    np.testing.assert_allclose(R.T @ R, M.T @ M, atol=1e-10)
    basis = np.linalg.qr(M @ rng.standard_normal((M.shape[1], 2)))[0]
    np.testing.assert_allclose(np.linalg.norm(restrict(basis), axis=0), 1)
    np.testing.assert_allclose(abs(lift(restrict(basis))), abs(basis), atol=1e-9)


@pytest.mark.parametrize("kind", ["C", "csc", "blocks of samples", "dask by feature"])
@pytest.mark.parametrize("others", [np.asarray, sparse.csr_array])
def test_pairs_of_other_samples(kind, others, rng):
    X, more = example(), example((6, 400), 2)
    more[:, 3] += 500
    data, M = made(kind, X)
    others = _data.with_others(data, others(more))
    N = (more - X.mean(axis=0)) / np.linalg.norm(X - X.mean(axis=0), axis=0)
    pairs, values = np.array([(0, 1), (4, 2)]), np.array([2.0, -3.0])
    dual, basis = rng.standard_normal((2, 33, 2))
    alpha = np.einsum("sc,tc,si,ti->i", dual, basis, M, M, optimize=True)
    alpha += values @ (N[pairs[:, 0]] * N[pairs[:, 1]])
    found = others.sweep(dual, basis, None, basis, _data.Pairs.sort(pairs, 6).with_values(values))
    entries = (N[pairs[:, 0]] * N[pairs[:, 1]]) @ alpha
    for one, two in zip(found, (alpha, (M * alpha) @ (M.T @ basis), entries), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-9 * abs(two).max())


@pytest.mark.parametrize("kind", ["C", "csc"])
@pytest.mark.parametrize("others", [np.asarray, sparse.csr_array])
def test_pairs_of_other_samples_in_columns_of_extreme_scale(kind, others):
    X, more, alpha = example(), example((6, 400), 2), np.ones(400)
    pairs = _data.Pairs.sort(np.array([(0, 1), (4, 2)]), 6)
    plain, extreme = (
        _data.with_others(_data.represent(KINDS[kind](X * scale)), others(more * scale))
        for scale in (1.0, np.where(np.arange(400) % 3, 1.0, 1e200))
    )
    found = extreme.pair_entries(alpha, pairs)
    np.testing.assert_allclose(found, plain.pair_entries(alpha, pairs), rtol=1e-9)


def test_dense_numbers_are_not_copied(rng):
    for X in (rng.standard_normal((5, 8)), np.asfortranarray(rng.standard_normal((5, 8)))):
        before = X.copy()
        data = _data.read(X)
        assert np.shares_memory(data.numbers, X)
        assert X.flags.writeable
        data.fused(*rng.standard_normal((2, 5, 2)))
        np.testing.assert_array_equal(X, before)
        X.flags.writeable = False
        _data.read(X).fused(*rng.standard_normal((2, 5, 2)))


def test_csr_is_converted_where_it_fits_and_read_in_bands_where_not(monkeypatch, rng):
    X = sparse.random_array((300, 1000), density=0.1, random_state=rng, format="csr")
    Q = rng.standard_normal((300, 2))
    found = {}
    for budget in ("1GB", "100kB"):
        monkeypatch.setenv("SPECSEL_MEMORY", budget)
        data = _data.represent(X)
        found[data.numbers.matrix.format] = (*data.fused(Q, Q), data.rows(3, 9), data.norm)
    for one, two in zip(found["csc"], found["csr"], strict=True):
        np.testing.assert_allclose(one, two, atol=1e-12 * abs(two).max())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("representation", ["centered", "as-is", "parts"])
def test_columns_of_extreme_scale(kind, representation):
    X = example()
    scale = np.where(np.arange(400) % 3, 1.0, 1e200) * np.where(np.arange(400) % 4, 1.0, 1e-150)
    data = _data.represent(KINDS[kind](X * scale), representation=representation)
    plain, M = made(kind, X, representation)
    np.testing.assert_allclose(data.rows(0, 33), M, atol=1e-12)
    np.testing.assert_allclose(data.norm, plain.norm * scale)


@pytest.mark.parametrize("kind", ["C", "F", "csc", "csr", "blocks of features"])
def test_differences_of_a_column_may_exceed_the_largest_number(kind):
    X = example()
    X[:, 5] = 1e290
    X[:2, 5] = 1e308, -1e308
    data = _data.represent(KINDS[kind](X))
    np.testing.assert_allclose(data.norm[5], np.sqrt(2) * 1e308)


@pytest.mark.parametrize("kind", KINDS)
def test_constant_columns_get_no_weight_and_are_named(kind, rng):
    X = rng.standard_normal((30, 5))
    X[:, 1], X[:, 3] = 0.1, 0.0
    with pytest.warns(UserWarning, match=r"^2 of 5 features are constant and get weight 0: 1, 3$"):
        data = _data.represent(KINDS[kind](X))
    assert (data.norm == 0).tolist() == [False, True, False, True, False]
    assert not data.feature(1).any()
    assert not data.forward(*np.ones((2, 30, 1)))[[1, 3]].any()
    with pytest.raises(ValueError, match=r"^X: all 4 features are constant; at least one must"):
        _data.represent(KINDS[kind](np.ones((6, 4))))


@pytest.mark.parametrize("offset", [0.0, 1e8, 1e14])
@pytest.mark.parametrize("kind", KINDS)
def test_means_and_norms_keep_their_digits(kind, offset, rng):
    X = np.round(rng.standard_normal((50, 6)) * 8) + offset
    data = _data.represent(KINDS[kind](X))
    centred = np.round(X - offset)
    centred -= centred.mean(axis=0)
    np.testing.assert_allclose(data.mean, X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(data.norm, np.linalg.norm(centred, axis=0), rtol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_values_below_0_as_they_are(kind):
    data, M = made(kind, -np.abs(example()), "as-is")
    np.testing.assert_allclose(data.rows(0, 33), M, atol=1e-12)


@pytest.mark.parametrize("kind", ["C", "csc", "blocks of features", "blocks of samples"])
def test_passes_are_counted(kind, rng):
    data, _ = made(kind, example())
    Q, seen = rng.standard_normal((33, 2)), [data.passes]
    for ask in (
        lambda: data.forward(Q, Q),
        lambda: data.fused(Q, Q),
        lambda: data.adjoint(np.ones(400), Q),
    ):
        before = data.passes
        ask()
        seen.append(data.passes - before)
    assert seen == ([2, 1, 2, 2] if kind == "blocks of samples" else [1, 1, 1, 1])


@pytest.mark.parametrize("kind", ["blocks of features", "blocks of samples"])
def test_no_budget_changes_a_bit_and_too_small_ones_are_refused(kind, rng, monkeypatch):
    Q, found = rng.standard_normal((33, 3)), []
    for budget in ("110kB", "1GB"):
        monkeypatch.setenv("SPECSEL_MEMORY", budget)
        data, _ = made(kind, example())
        found.append([data.norms, *data.fused(Q, Q)])
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)
    monkeypatch.setenv("SPECSEL_MEMORY", "5kB")
    with pytest.raises(MemoryError, match=r"^X: a block of it: would .*; raise it to 1MiB at le"):
        data.fused(Q, Q)


def test_only_paired_samples_of_blocks_are_held(monkeypatch):
    data, _ = made("blocks of samples", example())
    pairs = _data.Pairs.sort(np.array([(1, 30), (30, 2)]), 33)
    monkeypatch.setenv("SPECSEL_MEMORY", "9000")
    with pytest.raises(MemoryError, match=r"^X: 3 samples in pairs"):
        data.sweep(None, None, np.ones(400), np.eye(33, 1), pairs)


def test_tiny_values_are_refused(rng):
    with pytest.raises(ValueError, match="too large or too small"):
        _data.read((rng.standard_normal((5, 4)) * 1e-40).astype(np.float32))


@pytest.mark.parametrize("kind", ["C", "csr", "dask by sample"])
def test_ranks_keep_to_the_budget(kind, rng, monkeypatch):
    X = KINDS[kind](rng.standard_normal((100, 200)))
    monkeypatch.setenv("SPECSEL_MEMORY", "100kB")
    with pytest.raises(MemoryError, match=r"^representation = 'ranks': (the ranks of )?X"):
        _data.represent(X, representation="ranks")


def test_diverse_features_span_the_others(rng):
    """QR with column pivoting of the weighted features takes the same."""
    from scipy.linalg import qr

    X, alpha = rng.standard_normal((12, 40)), rng.random(40)
    data, M = made("C", X)
    order = qr(M * np.sqrt(alpha), mode="r", pivoting=True)[1]
    np.testing.assert_array_equal(_data.pivoted(data, alpha, 8), order[:8])
    assert len(set(_data.pivoted(data, alpha, 30).tolist())) == 30
