"""Blocks of samples: how often they are read, and what takes the place of tall data."""

import numpy as np
import pytest

from specsel import _data
from specsel._data import held, samples
from specsel._data.samples import BySample


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(held, "SAMPLES", 50)
    monkeypatch.setattr(held, "STEP", 16)


def tall(rng, representation="centered"):
    X = np.round(rng.standard_normal((70, 6)) * 4)
    data = _data.represent(X, representation=representation)
    assert type(data) is BySample
    return data, data.rows(0, 70)


def test_reads_are_counted(rng):
    data, _ = tall(rng)
    Q = rng.standard_normal((70, 2))
    for call, reads in [
        (lambda: data.forward(Q, Q), 1),
        (lambda: data.adjoint(np.ones(6), Q), 2),
        (lambda: data.fused(Q, Q), 2),
        (lambda: [*data.spans()], 1),
        (lambda: data.reduced(), 1),
    ]:
        before = data.passes
        call()
        assert data.passes - before == reads


@pytest.mark.parametrize("representation", ["centered", "parts", "as-is"])
def test_spans_are_least_greatest_and_sum(representation, rng):
    data, M = tall(rng, representation)
    [(features, spans)] = data.spans()
    assert features == slice(0, 6)
    expected = M.min(axis=0), M.max(axis=0), M.sum(axis=0)
    np.testing.assert_allclose(spans.reshape(3, -1), expected, atol=1e-12)


@pytest.mark.parametrize("columns", [1, 64, 100])
def test_the_identity_is_multiplied_in_pieces(columns, rng, monkeypatch):
    monkeypatch.setattr(samples, "COLUMNS", columns)
    data, M = tall(rng)
    alpha = rng.random(6)
    np.testing.assert_allclose(data.adjoint(alpha, None), (M * alpha) @ M.T, atol=1e-12)
    square = rng.standard_normal((70, 70))
    np.testing.assert_allclose(
        data.forward(square, None), np.einsum("si,st,ti->i", M, square, M), atol=1e-11
    )


@pytest.mark.parametrize("representation", ["centered", "parts", "as-is"])
@pytest.mark.parametrize("chosen", [slice(None), slice(3, 40)])
def test_what_tall_data_are_replaced_by(representation, chosen, rng):
    """Inner products stay; what is restricted and lifted back are combinations of features."""
    data, M = tall(rng, representation)
    members = np.zeros(70, dtype=bool)
    members[chosen] = True
    small, restrict, lift = data.reduced(None if members.all() else members)
    R, M = small.rows(0, small.n_samples), M[members]
    np.testing.assert_allclose(R.T @ R, M.T @ M, atol=1e-10)
    combination = np.linalg.qr(M @ rng.standard_normal((M.shape[1], 2)))[0]
    np.testing.assert_allclose(
        np.linalg.norm(restrict(combination), axis=0), np.linalg.norm(combination, axis=0)
    )
    lifted = lift(restrict(combination))
    np.testing.assert_allclose(np.abs(lifted), np.abs(combination), atol=1e-9)


def test_only_the_paired_samples_are_held(rng, monkeypatch):
    data, M = tall(rng)
    pairs = _data.Pairs.sort(np.array([(1, 60), (60, 2)]), 70)
    nothing = np.zeros((70, 1))
    alpha = data.fused_pairs(nothing, nothing, pairs, np.array([2.0, 3.0]))[0]
    np.testing.assert_allclose(alpha, M[60] * (2 * M[1] + 3 * M[2]), atol=1e-12)
    monkeypatch.setenv("SPECSEL_MEMORY", "100")
    with pytest.raises(MemoryError, match=r"^X: 3 samples in pairs"):
        data.adjoint_pairs(np.ones(6), nothing, pairs)
