"""Shashua and Wolf (ECCV 2004): what its experiments must show."""

from specsel.papers import topography


def ours(report):
    return {row.what: row.ours for row in report.rows}


def test_the_map_tells_two_groupings_apart():
    assert ours(topography.run(runs=20))["groupings told apart"] >= 0.8
