"""What features are shifted and scaled by, kernel by kernel, against numpy."""

import numpy as np
import pytest
from oracles import weighing as oracle

from specsel._data import representations

SPAN = 8


@pytest.fixture(params=[(19, 4), (19, 7), (3, 12)], ids=str)
def features(request):
    """Features as rows, with ties and on scales far apart."""
    n, q = request.param
    rng = np.random.default_rng(1)
    return np.round(4 * rng.standard_normal((n, q))) * np.geomspace(1e-3, 1e3, n)[:, None]


@pytest.mark.parametrize(("fraction", "expected"), [(0.5, np.median), (0.0, np.min)])
def test_middles_are_medians_and_minima(features, fraction, expected):
    middle = np.empty(len(features))
    representations.middles(features, fraction, middle, SPAN)
    np.testing.assert_allclose(middle, expected(features, axis=1), rtol=1e-15)


def both_parts(features, middle):
    deviation = features - middle[:, None]
    return np.stack((np.maximum(deviation, 0), np.maximum(-deviation, 0)))


def test_norms_and_spans_of_parts(features):
    middle = np.median(features, axis=1)
    expected = both_parts(features, middle)
    norms = np.zeros((2, len(features)))
    representations.part_norms(features, middle, 2, norms, SPAN)
    np.testing.assert_allclose(norms, np.linalg.norm(expected, axis=2), rtol=1e-13)
    out = np.empty((3, *norms.shape))
    representations.spans(features, middle, norms, out, SPAN)
    unit = expected / np.where(norms > 0, norms, 1)[:, :, None]
    for found, reduce in zip(out, (np.min, np.max, np.sum), strict=True):
        np.testing.assert_allclose(found, reduce(unit, axis=2), atol=1e-13)


def test_norms_and_spans_of_whole_features(features):
    middle, norms = features.mean(axis=1), np.zeros((1, len(features)))
    representations.part_norms(features, middle, 1, norms, SPAN)
    deviation = features - middle[:, None]
    np.testing.assert_allclose(norms[0], np.linalg.norm(deviation, axis=1), rtol=1e-13)
    out = np.empty((3, *norms.shape))
    representations.spans(features, middle, norms, out, SPAN)
    np.testing.assert_allclose(out[0, 0], (deviation / norms.T).min(axis=1), atol=1e-13)
    np.testing.assert_allclose(out[1, 0], (deviation / norms.T).max(axis=1), atol=1e-13)


def test_norms_neither_overflow_nor_vanish():
    features = np.array([[1e200, -1e200, 3e200], [1e-200, 4e-200, 0.0]])
    norms = np.zeros((2, 2))
    representations.part_norms(features, np.zeros(2), 2, norms, SPAN)
    np.testing.assert_allclose(norms, [[10**0.5 * 1e200, 17**0.5 * 1e-200], [1e200, 0]])


def test_equal_values_share_their_rank(features):
    out = np.empty_like(features)
    representations.ranks(features, out, SPAN)
    np.testing.assert_array_equal(out, oracle.average_ranks(features.T).T)
    np.testing.assert_array_equal(out.sum(axis=1), features.shape[1] * (features.shape[1] + 1) / 2)


@pytest.mark.parametrize("center", [True, False])
def test_standardise_finds_mean_and_norm(features, center):
    mean, norm = np.zeros((2, len(features)))
    representations.standardise(features, center, mean, norm, SPAN)
    expected = features.mean(axis=1) if center else np.zeros(len(features))
    np.testing.assert_allclose(mean, expected, atol=1e-12)
    deviation = features - expected[:, None]
    np.testing.assert_allclose(norm, np.linalg.norm(deviation, axis=1), rtol=1e-12)


def test_a_constant_feature_has_norm_zero():
    mean, norm = np.zeros((2, 2))
    representations.standardise(np.array([[0.1] * 7, [0.0] * 7]), True, mean, norm, SPAN)
    np.testing.assert_array_equal(norm, 0)
