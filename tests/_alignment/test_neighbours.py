"""The nearest neighbours of every sample, against all distances."""

import numpy as np
import pytest

from specsel._alignment import neighbours


def expected(places, count):
    """Of equally near samples those count that come next by number, the first after the last."""
    size = len(places)
    links = np.zeros((size, size), dtype=bool)
    for s in range(size):
        distances = np.round(np.linalg.norm(places - places[s], axis=1), 6)
        order = np.lexsort(((np.arange(size) - s - 1) % size, distances))
        links[s, order[order != s][:count]] = True
    return links


def found(places, count):
    links = np.zeros((len(places),) * 2, dtype=bool)
    samples, others = neighbours.find(places, count, 1e-13)
    assert len(samples) == count * len(places)
    links[samples, others] = True
    return links


PLACES = {
    "apart": lambda rng: rng.standard_normal((60, 3)),
    "copies": lambda rng: np.repeat(rng.standard_normal((4, 3)), 15, axis=0)[rng.permutation(60)],
    "all the same": lambda rng: np.ones((30, 2)),
    "on a grid": lambda rng: rng.integers(0, 4, (80, 2)).astype(float),
    "a corner each": lambda rng: np.eye(20),
    "three": lambda rng: np.array([[0.0], [1.0], [2.0]]),
}


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("count", [1, 5])
def test_equally_near_samples_are_told_apart_by_their_numbers(kind, count, rng):
    places = PLACES[kind](rng)
    count = min(count, (len(places) - 1) // 2)
    wanted = expected(places, count)
    np.testing.assert_array_equal(found(places, count), wanted)
    turned = places + 1e-13 * rng.standard_normal(places.shape)
    np.testing.assert_array_equal(found(turned, count), wanted)


def test_no_sample_is_a_neighbour_of_many_others_because_it_comes_first():
    links = found(np.zeros((500, 2)), 5)
    np.testing.assert_array_equal(links.sum(axis=0), 5)
