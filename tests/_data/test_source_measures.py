"""Means, norms and medians of data that are read block by block."""

import numpy as np
import pytest

from specsel import _data
from specsel._data import source_measures
from specsel._data.sources import Source

BOUNDS = {True: (0, 3, 9, 14), False: (0, 1, 20, 31)}


@pytest.fixture(params=[True, False], ids=["features", "samples"])
def source(request, rng):
    X = np.round(3 * rng.standard_normal((31, 14))) + 2
    X[:, 5] = 0.1
    return Source(X, request.param, BOUNDS[request.param])


@pytest.mark.parametrize("center", [True, False])
def test_means_and_norms(source, center):
    wanted = _data.moments(source.array, center=center)
    found = source_measures.measure_source(source, center)
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("parts", [1, 2])
def test_minima_and_medians(source, parts, monkeypatch):
    fraction = 0.5 if parts == 2 else 0.0
    monkeypatch.setenv("SPECSEL_MEMORY", "20kB")  # room for five columns at a time
    middle, norms = source_measures.without_negative(source, fraction, parts)
    np.testing.assert_array_equal(middle, np.quantile(source.array, fraction, axis=0))
    about = source.array - middle
    features = [about] if parts == 1 else [np.maximum(about, 0), np.maximum(-about, 0)]
    np.testing.assert_allclose(norms, [np.linalg.norm(part, axis=0) for part in features])


def test_sums_and_ranges(rng):
    X = rng.standard_normal((31, 14))
    found = source_measures.totals(Source(X, False, BOUNDS[False]))
    np.testing.assert_allclose(found, [X.sum(axis=0), X.min(axis=0), X.max(axis=0)])
