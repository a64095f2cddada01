"""k-means: clusters that are apart, what it minimises, and what the seed decides."""

import itertools

import numpy as np
import pytest

from specsel.results import clusters
from specsel.results.clusters import kmeans


def cost(points, labels):
    return sum(
        ((points[labels == c] - points[labels == c].mean(axis=0)) ** 2).sum()
        for c in np.unique(labels)
    )


def test_clusters_that_are_apart_are_found(rng):
    y = np.repeat([0, 1, 2, 3], [40, 10, 25, 5])
    points = rng.standard_normal((80, 3)) + 12 * rng.standard_normal((4, 3))[y]
    order = rng.permutation(80)
    labels = kmeans(points[order], 4)
    pairs = {*zip(y[order].tolist(), labels.tolist(), strict=True)}
    assert len(pairs) == 4


def test_labels_are_a_fixed_point(rng):
    """Every point is nearest to the mean of its own group, but for what the tolerance leaves."""
    points = rng.standard_normal((500, 3))
    labels = kmeans(points, 4)
    centres = np.array([points[labels == c].mean(axis=0) for c in range(4)])
    nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (labels != nearest).sum() <= 2


def test_groups_are_numbered_by_their_first_member(rng):
    labels = kmeans(rng.standard_normal((30, 2)), 5)
    _, first = np.unique(labels, return_index=True)
    assert (np.diff(first) > 0).all()
    assert labels[0] == 0


def test_few_points_are_clustered_as_well_as_can_be(rng):
    for _ in range(10):
        points = rng.standard_normal((7, 2))
        best = min(
            cost(points, np.array(labels))
            for labels in itertools.product(range(3), repeat=7)
            if len({*labels}) == 3
        )
        assert cost(points, kmeans(points, 3)) == pytest.approx(best, rel=1e-9)


def test_equal_points_and_as_many_clusters_as_points():
    assert kmeans(np.zeros((5, 2)), 2).max() <= 1
    assert sorted(kmeans(np.arange(4.0)[:, None], 4).tolist()) == [0, 1, 2, 3]


def test_centres_without_points_move_to_different_ones():
    points, centres = np.array([[0.0], [1.0], [9.0], [5.0]]), np.zeros((3, 1))
    clusters._move(points, np.zeros(4, dtype=np.intp), points[:, 0] ** 2, centres)
    assert centres.ravel().tolist() == [3.75, 9, 5]


def test_the_seed_decides(rng):
    points = rng.standard_normal((50, 4))
    assert (kmeans(points, 6, seed=3) == kmeans(points, 6, seed=3)).all()
