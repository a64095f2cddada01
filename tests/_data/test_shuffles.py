"""Shuffles: columns keep their values, and every order is as likely."""

import numpy as np

from specsel import _data


def test_columns_keep_their_values_and_every_order_is_as_likely():
    X = np.arange(12.0).reshape(3, 4)
    orders = []
    for seed in range(2000):
        out = _data.shuffled(X, seed)
        assert (np.sort(out, axis=1) == X).all()
        orders += [tuple(np.argsort(row)) for row in out]
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    # 6,000 orders: 250 of each, give or take four standard deviations.
    assert (np.abs(counts - 250) < 65).all()


def test_memory_order_and_type_make_no_difference():
    X = np.random.default_rng(0).standard_normal((20, 30)).astype(np.float32)
    expected = _data.shuffled(X, 3)
    for other in (np.asfortranarray(X), X[::-1][::-1], X.astype(float)):
        np.testing.assert_array_equal(_data.shuffled(other, 3), expected)
    assert expected.dtype == np.float32
    assert (_data.shuffled(X, 4) != expected).any()
