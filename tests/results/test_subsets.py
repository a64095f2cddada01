"""Subsets and paths: frozen records; a direction is solved for once, when it is asked for."""

import dataclasses
import pickle

import numpy as np
import pytest

from specsel import Path, Subset, datasets, eslda, gslda
from specsel.results.subsets import Found


class Counting:
    """A pencil of four features that counts how often it is solved."""

    n_features = 4
    names = tuple("abcd")
    shrinkage = 0.5
    criterion = "leading"
    is_pca = False

    def __init__(self):
        self.solved = []

    def bounds(self, k):
        return 0.1 * k, 10.0 * k

    def solve(self, support):
        self.solved.append(support.tolist())
        direction = np.zeros(4)
        direction[support] = 1.0
        return float(len(support)), direction


@pytest.fixture
def path():
    rows = [
        Found(1, np.array([2]), 1.0, 0.5, 3.0, "time", 7, 0.25),
        Found(3, np.array([0, 1, 3]), 3.0, 3.0, 3.0, "optimal", 9, 0.5, ((np.arange(3), 2.0),)),
    ]
    return Path.from_rows(Counting(), rows)


def test_columns_are_those_of_the_rows(path):
    assert path.sizes.tolist() == [1, 3]
    assert [support.tolist() for support in path.supports] == [[2], [0, 1, 3]]
    assert path.values.tolist() == [1.0, 3.0]
    assert path.starts.tolist() == [0.5, 3.0]
    assert path.bounds.tolist() == [3.0, 3.0]
    assert path.statuses == ("time", "optimal")
    assert path.nodes.tolist() == [7, 9]
    assert path.seconds.tolist() == [0.25, 0.5]
    assert (path.names, path.shrinkage) == (("a", "b", "c", "d"), 0.5)
    assert len(path) == 2
    assert list(path) == [1, 3]
    assert repr(path) == "Path(sizes 1, 3 of 4 features, values 1 to 3, 1 proved)"


def test_a_direction_is_solved_for_once_and_on_demand(path):
    assert path.pencil.solved == []
    path.to_frame()
    path._repr_html_()
    repr(path)
    assert path.pencil.solved == []
    assert path[3] is path[3]
    assert path.pencil.solved == [[0, 1, 3]]
    assert path[np.int64(1)] is path[1]
    assert path.pencil.solved == [[0, 1, 3], [2]]


def test_the_subset_of_a_size(path):
    subset = path[3]
    assert isinstance(subset, Subset)
    assert subset.direction.tolist() == [1, 1, 0, 1]
    assert (subset.value, subset.bound, subset.gap) == (3.0, 3.0, 0.0)
    assert (subset.status, subset.nodes, subset.seconds) == ("optimal", 9, 0.5)
    assert subset.others[0][1] == 2.0
    assert (subset.names, subset.shrinkage) == (("a", "b", "c", "d"), 0.5)
    with pytest.raises(KeyError, match="2: sizes are 1, 3"):
        path[2]


def test_nothing_in_it_changes(path):
    for name in ("values", "supports", "names"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(path, name, None)
    for array in (path.sizes, path.values, path.supports[0], path[1].direction, path[1].support):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        path[1].value = 2.0


def test_a_pickled_path_is_the_same():
    found = gslda.solve_pair(*datasets.wishart_pair(6, random_state=0))
    known = found[3].direction
    copied = pickle.loads(pickle.dumps(found))
    assert repr(copied) == repr(found)
    np.testing.assert_array_equal(copied[3].direction, known)
    np.testing.assert_array_equal(copied[2].direction, found[2].direction)


@pytest.mark.parametrize(
    ("value", "bound", "gap"),
    [(2.0, 3.0, 0.5), (-2.0, -1.0, 0.5), (2.0, 1.0, 0.0), (0.0, 1.0, np.inf), (0.0, 0.0, 0.0)],
)
def test_the_gap_is_what_may_be_missing(value, bound, gap):
    subset = Subset(np.array([0]), value, bound, np.ones(1), "time", 0, 0.0)
    assert subset.gap == gap


def test_what_is_sparse_pca_says_so(clustered):
    path = eslda.solve(clustered, k=[2, 3])
    assert repr(path).startswith("Path(sparse PCA, sizes 2 to 3 of ")
    assert repr(path[2]).startswith("Subset(sparse PCA, 2 features: ")
    assert path[2].is_pca
