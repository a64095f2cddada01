"""Shashua and Wolf (ECCV 2004): what its experiments must show."""

import numpy as np
import pytest
from reports import ours
from sklearn.metrics import pair_confusion_matrix

from specsel.papers import facts, shashua_wolf, sources


def test_the_map_tells_two_groupings_apart():
    assert ours(shashua_wolf.run_topography(runs=20))["groupings told apart"] >= 0.8


def test_wine_clusters_without_the_variation_of_a_class():
    found = ours(shashua_wolf.run_side_info(names=("wine",), runs=1))
    assert found["wine: raw"] == pytest.approx(0.7280, abs=5e-5)
    assert found["wine: three best, trade-off 0.01"] >= 0.9635
    assert found["wine: weighted, trade-off 0.1"] >= 0.94
    assert found["wine: weighted, trade-off 0.1"] > found["wine: standardised"]


def test_published_numbers_stand_beside_the_trade_off_of_the_paper():
    report = shashua_wolf.run_side_info(names=("wine",), runs=1)
    published = {row.what: row.published for row in report.rows}
    assert published["wine: weighted, trade-off 0.1"] == "0.9635"
    assert published["wine: three best, trade-off 0.01"] == "-"
    weights = "wine: weights of alcohol and proline over others, trade-off 0.1"
    assert published[weights] == facts.WINE_WEIGHTS.value
    assert ours(report)[weights] < 1
    assert 0.4 < ours(report)["wine: standardised, labels shuffled"] < 0.6


def test_pairs_say_which_grouping_is_meant():
    found = ours(shashua_wolf.run_pairwise(tradeoffs=(0.0, 1.0, 3.0), runs=3))
    assert found["parts, trade-off 1: share of the meant grouping"] > 0.95
    assert found["parts, trade-off 3: share of the meant grouping"] > 0.95
    assert found["centered, trade-off 3: negative share"] > 0.3


def test_precision_is_one_for_tight_classes_and_none_at_random(rng):
    y = np.repeat(np.arange(5), 10)
    assert shashua_wolf.normalised_precision(np.eye(5)[y] + 1e-3 * rng.random((50, 5)), y) == 1
    random = [shashua_wolf.normalised_precision(rng.random((50, 3)), y) for _ in range(20)]
    assert np.mean(random) == pytest.approx(0, abs=0.03)


def test_faces_of_a_person_lie_near_each_other():
    found = ours(shashua_wolf.run_precision(runs=1))
    assert all(0.5 < score <= 1 for score in found.values())


def test_agreement_is_over_pairs_of_samples(rng):
    for count in (2, 4):
        classes, clusters = rng.integers(0, count, (2, 50))
        (apart, joined), (split, together) = pair_confusion_matrix(classes, clusters)
        expected = (apart + together) / (apart + joined + split + together)
        if count > 2:
            expected = (together / (together + split) + apart / (apart + joined)) / 2
        assert shashua_wolf.agreement(classes, clusters) == pytest.approx(expected)


SHAPES = {
    "arrhythmia": (452, 279, 13),
    "boston": (506, 13, 3),
    "dermatology": (366, 34, 6),
    "ecoli": (336, 7, 8),
    "glass": (214, 9, 6),
    "ionosphere": (351, 34, 2),
    "segmentation": (2310, 19, 7),
    "sonar": (208, 60, 2),
    "spambase": (4601, 57, 2),
    "wine": (178, 13, 3),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_data_are_there(name):
    X, y = sources.uci(name)
    assert (*X.shape, len(np.unique(y))) == SHAPES[name]
    assert np.isfinite(X).all()


def test_the_data_that_travel_are_small_and_named():
    folder = sources.files("specsel.papers") / "data"
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) < 2**20
    origins = (folder / "README").read_text(encoding="utf-8")
    for file in folder.iterdir():
        if file.name.endswith(".npz"):
            assert file.name.removesuffix(".npz") in origins
