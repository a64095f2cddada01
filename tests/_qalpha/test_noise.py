"""Whether anything stands out from noise: what k = "auto" answers where nothing does."""

import warnings

import numpy as np
import pytest

from specsel import _data, datasets, qalpha
from specsel._qalpha import noise

NONE = r'^k = "auto": found no clusters, the columns have no more in common than shuffled ones'


def finds_none(X, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        weights = qalpha.solve(X, "auto", tol=1e-3, **options)
    none = any("no clusters" in str(one.message) for one in caught)
    assert not none or weights.basis.shape[1] == 1
    return none


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("shape", [(20, 20), (30, 100), (200, 10)])
def test_noise_has_no_clusters(shape, center):
    rng = np.random.default_rng(0)
    found = [finds_none(rng.standard_normal(shape) + 3, center=center) for _ in range(12)]
    assert np.mean(found) >= 0.75
    assert finds_none((rng.random(shape) < 0.3).astype(float), center=center)


def test_the_warning_is_one_line_and_the_weights_are_those_of_one_direction():
    X = np.random.default_rng(0).standard_normal((30, 20))
    with pytest.warns(UserWarning, match=NONE) as caught:
        weights = qalpha.solve(X, "auto")
    assert [str(one.message).count("\n") for one in caught] == [0]
    assert weights.objective == qalpha.solve(X, 1).objective


def test_structure_is_counted_as_before():
    """Of many features, of few, of more samples than features, and of two features."""
    assert not finds_none(datasets.example().X)
    for seed in range(5):
        assert not finds_none(datasets.growing_classes(4, random_state=seed).X)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 30)) + 3 * np.repeat([0, 1], 30)[:, None]
    assert qalpha.solve(X, "auto").basis.shape[1] == 2
    line = rng.standard_normal(40)
    assert not finds_none(np.column_stack((line, line + 0.1 * rng.standard_normal(40))))


def test_few_features_that_agree_are_found_below_the_edge():
    """Their eigenvalue is hidden among those of noise; the shuffles tell."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 400))
    X[:, :4] += 6 * rng.standard_normal((3, 4))[np.arange(60) % 3]
    data = _data.read(X)
    assert not noise._beyond_edge(data, data)
    assert not finds_none(X)


def test_independent_features_stay_below_the_edge():
    rng = np.random.default_rng(0)
    for shape in ((20, 10), (30, 30), (40, 500), (300, 20)):
        for _ in range(25):
            data = _data.read(rng.standard_normal(shape))
            small = data.reduced()[0] if shape[0] > shape[1] else data
            assert not noise._beyond_edge(data, small)


def test_one_feature_and_large_data_are_not_asked(monkeypatch):
    X = np.random.default_rng(0).standard_normal((30, 20))
    assert not finds_none(X[:, :1])
    monkeypatch.setattr(noise, "MOST_NUMBERS", 599)
    assert not finds_none(X)
