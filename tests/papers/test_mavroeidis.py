"""Mavroeidis and Vazirgiannis (2007): what its experiment must show."""

from reports import ours

from specsel.papers import mavroeidis


def test_subspaces_are_stable_after_as_many_removals_as_found():
    found = ours(mavroeidis.run_stability(runs=1))
    assert 39 <= found["spambase, 0.25 to retain: features removed"] <= 41
    assert 15 <= found["spambase, 0.25 to retain: dimension"] <= 17
    assert found["segmentation, 0.45 to retain: features removed"] == 0
    assert found["segmentation, 0.45 to retain: dimension"] == 1
    assert 0.55 <= found["segmentation, 0.55 to retain: share"] < 0.56
    assert found["segmentation, 0.65 to retain: share"] < 0.65
    assert 8 <= found["ionosphere, 0.33 to retain: features removed"] <= 10
    assert found["ionosphere, 0.33 to retain: dimension"] == 1
    assert found["ionosphere, 0.33 to retain: share"] >= 0.33


def test_the_columns_of_the_paper_come_nearer_to_its_numbers():
    found = ours(mavroeidis.run_stability(runs=1))
    assert 41 <= found["spambase with its label, 0.25 to retain: features removed"] <= 45
    assert 12 <= found["spambase with its label, 0.25 to retain: dimension"] <= 16
    constant = "segmentation without its constant column, 0.55 to retain"
    assert found[f"{constant}: features removed"] > 0
