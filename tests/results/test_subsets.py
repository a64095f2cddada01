"""Subsets and paths: frozen records, tables, what they report."""

import dataclasses
import pickle

import numpy as np
import pytest

from specsel import Subset, datasets, eslda, gslda


@pytest.fixture
def path():
    return eslda.solve_pair(*datasets.wishart_pair(8, random_state=0), [1, 3])


def test_a_path_has_a_row_for_every_size(path):
    assert (path.sizes.tolist(), list(path), len(path)) == ([1, 3], [1, 3], 2)
    assert [len(support) for support in path.supports] == [1, 3]
    assert path.statuses == ("optimal", "optimal")
    assert (path.starts <= path.values).all()
    assert (path.lowers <= path.values).all()
    assert repr(path).startswith("Path(sizes 1, 3 of 8 features, values ")
    assert repr(path).endswith(", 2 proved)")
    table = path.to_frame()
    assert table["features"].tolist() == [tuple(support) for support in path.supports]
    np.testing.assert_array_equal(table["value"], path.values)


def test_the_subset_of_a_size(path):
    subset = path[3]
    assert isinstance(subset, Subset)
    assert path[3] is subset is path[np.int64(3)]
    assert np.flatnonzero(subset.direction).tolist() == subset.support.tolist()
    assert (subset.value, subset.bound) == pytest.approx((path.values[1], path.bounds[1]))
    assert (subset.status, subset.nodes) == ("optimal", path.nodes[1])
    assert (subset.seconds, subset.lower) == (path.seconds[1], path.lowers[1])
    np.testing.assert_array_equal(subset.to_frame()["direction"], subset.direction[subset.support])
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
