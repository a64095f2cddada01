"""How selections are judged: the numbers of features, the score, the sets."""

import numpy as np
import pytest

from specsel.papers import selection


def test_how_many_features_are_selected():
    assert selection.sizes_for(5000) == [20, 50, 100, 200]
    assert selection.sizes_for(60) == [15, 20, 30, 50]
    assert selection.sizes_for(4) == [2]


def test_clusters_are_matched_to_classes():
    y = np.array([0, 0, 0, 1, 1, 2])
    assert selection.accuracy(y, np.array([2, 2, 2, 0, 0, 1])) == 1
    assert selection.accuracy(y, np.array([2, 2, 1, 0, 0, 1])) == pytest.approx(5 / 6)
    assert selection.accuracy(y, np.zeros(6, int)) == 0.5


def test_the_score_is_full_where_classes_are_clear_and_low_by_chance(rng):
    y = np.repeat([0, 1], 30)
    noise = rng.standard_normal((60, 3))
    assert selection.score(noise + 20 * y[:, None], y) == 100
    assert selection.score(noise, y) < 50


def test_a_resample_is_four_fifths_of_the_samples():
    X, y = selection.load("wine")
    Z, classes = selection.resampled(X, y, 3)
    assert Z.shape == (int(0.8 * len(X)), X.shape[1])
    np.testing.assert_array_equal(np.unique(classes), [0, 1, 2])
    assert not np.array_equal(Z, selection.resampled(X, y, 4)[0])


def test_planted_features_are_for_qalpha():
    found = selection.planted()
    assert [*found] == ["example", "growing_classes"]
    assert len(found["growing_classes"]["qalpha"]) == 25
    for precision in found.values():
        assert np.mean(precision["qalpha"]) >= 90
        assert np.mean(precision["alignment"]) < np.mean(precision["qalpha"])


def test_every_method_is_scored_for_every_size():
    found = selection.scores_on(*selection.load("wine"), resamples=2, draws=2)
    assert [*found] == [*selection.METHODS, "random", "all features"]
    assert [len(scores) for scores in found.values()] == [2, 2, 2, 2, 1]
    assert np.mean(found["alignment"]) > np.mean(found["random"])


@pytest.mark.parametrize("name", selection.LOADERS)
def test_sets_are_numbers_with_classes_from_zero(name):
    X, y = selection.load(name)
    assert len(X) == len(y) <= selection.MOST_SAMPLES
    assert np.isfinite(X).all()
    assert (np.ptp(X, axis=0) > 0).all()
    np.testing.assert_array_equal(np.unique(y), np.arange(y.max() + 1))
