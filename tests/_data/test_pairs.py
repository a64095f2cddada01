"""Pairs of samples, and pairs of other samples than the data's."""

import numpy as np
from oracles import weighing as oracle

from specsel import _data


def test_pairs_of_one_first_sample_are_together():
    given = np.array([[5, 1], [1, 2], [0, 3], [1, 2], [1, 5], [4, 1], [1, 0]])
    pairs = _data.Pairs.sort(given, 6)
    firsts = np.searchsorted(pairs.starts, pairs.places, side="right") - 1
    np.testing.assert_array_equal(firsts, given.min(axis=1))
    np.testing.assert_array_equal(pairs.seconds[pairs.places], given.max(axis=1))
    assert (np.diff(pairs.starts) % 4 == 0).all()
    assert len(set(pairs.places)) == len(given)


def test_values_stand_where_their_pairs_do():
    pairs = _data.Pairs.sort(np.array([[2, 0], [1, 2], [0, 1]]), 3)
    values = np.array([5.0, 6.0, 7.0])
    filled = pairs.with_values(values).values
    np.testing.assert_array_equal(filled[pairs.places], values)
    assert filled.sum() == values.sum()
    assert not pairs.with_values(None).values.any()


def test_pairs_of_other_samples_are_the_definition(rng):
    X, others = rng.standard_normal((9, 31)), rng.standard_normal((6, 31))
    data = _data.read(X)
    M = oracle.standardise(X)
    N = ((others - data.mean) / data.norm).T
    given = np.array([[0, 1], [5, 2], [3, 4]])
    pairs, beside = _data.Pairs.sort(given, 6), _data.Beside(data, others)
    B, Q, R = rng.standard_normal((3, 9, 2))
    values = rng.standard_normal(3)
    products = N[:, given[:, 0]] * N[:, given[:, 1]]
    expected = np.einsum("is,sk,tk,it->i", M, B, Q, M) + products @ values
    for target in (Q, R):
        chosen = {} if target is Q else {"target": R}
        alpha, image, entries = beside.fused_pairs(B, Q, pairs, values, **chosen)
        np.testing.assert_allclose(alpha, expected, atol=1e-12)
        np.testing.assert_allclose(image, oracle.affinity(M, expected) @ target, atol=1e-11)
        np.testing.assert_allclose(entries, products.T @ expected, atol=1e-11)
