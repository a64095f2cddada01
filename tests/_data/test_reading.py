"""The door through which data come in: checks, constant features, names, representations."""

import numpy as np
import pandas as pd
import pytest
from oracles import weighing as oracle
from scipy import sparse

from specsel import _data, _validate


def with_ties(shape, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(3 * rng.standard_normal(shape)) + rng.integers(0, 5, shape[1])
    X[:, 0] = np.arange(shape[0]) == 1  # most values at the median: one part is empty
    return X


def test_nothing_is_copied(rng):
    for X in (rng.standard_normal((5, 8)), np.asfortranarray(rng.standard_normal((5, 8)))):
        before = X.copy()
        data = _data.read(X)
        assert np.shares_memory(data.features, X)
        assert X.flags.writeable
        data.fused(*rng.standard_normal((2, 5, 2)))
        np.testing.assert_array_equal(X, before)


def test_constant_features_have_no_norm_and_are_counted(rng):
    X = rng.standard_normal((30, 5))
    X[:, 1], X[:, 3] = 0.1, 0.0
    with pytest.warns(UserWarning, match=r"^2 of 5 features are constant and get weight 0: 1, 3$"):
        data = _data.read(X)
    assert (data.norm == 0).tolist() == [False, True, False, True, False]
    assert not data.feature(1).any()
    with pytest.warns(UserWarning, match=r"^1 of 5 features is zero and gets weight 0: 3$"):
        _data.read(X, center=False)


def test_tiny_float32_values_are_refused(rng):
    with pytest.raises(ValueError, match="too large or too small"):
        _data.read((rng.standard_normal((5, 4)) * 1e-40).astype(np.float32))


def test_names_of_a_frame_are_kept(rng):
    frame = pd.DataFrame(rng.standard_normal((4, 2)), columns=["a", 7])
    assert _data.read(frame).names == ("a", "7")
    assert _data.read(frame.to_numpy()).names is None


def test_frames_with_nullable_and_integer_columns(rng):
    frame = pd.DataFrame({"a": pd.array([1, 2, 4], dtype="Int64"), "b": [0, 1, 0], "c": [1, 2, 9]})
    data = _data.read(frame)
    np.testing.assert_allclose(data.mean, [7 / 3, 1 / 3, 4])


@pytest.mark.parametrize("representation", _validate.REPRESENTATIONS)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(9, 31), (10, 4), (7, 300), (70, 130)])
def test_representations_are_their_definitions(representation, order, shape):
    X = np.array(with_ties(shape), order=order)
    M = oracle.represent(X, representation)
    data = _data.represent(X, representation=representation)
    assert data.n_features == len(M)
    np.testing.assert_allclose(data.rows(0, len(X)), M.T, atol=1e-13)
    np.testing.assert_allclose([data.feature(i) for i in (0, len(M) - 1)], M[[0, -1]], atol=1e-13)
    spans = np.concatenate([out for _, out in data.spans()], axis=2)
    least, greatest, total = spans.reshape(3, -1)
    np.testing.assert_allclose(least, M.min(axis=1), atol=1e-13)
    np.testing.assert_allclose(greatest, M.max(axis=1), atol=1e-13)
    np.testing.assert_allclose(total, M.sum(axis=1), atol=1e-12)


def test_values_far_from_zero_and_far_apart_keep_their_parts(rng):
    X = rng.standard_normal((20, 6)) * np.array([1e-150, 1e150, 1, 1, 1, 1]) + 0
    M = oracle.represent(X / np.abs(X).max(axis=0), "parts")
    got = _data.represent(X, representation="parts").rows(0, 20).T
    np.testing.assert_allclose(got, M, atol=1e-12)


def test_the_parts_of_data_are_read_only(rng):
    data = _data.read(rng.standard_normal((5, 8)))
    for array in (data.features, data.norms, data.columns.middle, data.mean, data.norm):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def in_memory_map(X, path):
    np.save(path / "X.npy", X)
    return np.load(path / "X.npy", mmap_mode="r")


CONTAINERS = {
    "dense": lambda X, path: X,
    "mapped": in_memory_map,
    "csr": lambda X, path: sparse.csr_array(X),
    "csc": lambda X, path: sparse.csc_array(X),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_ranks_keep_to_the_budget(container, rng, tmp_path, monkeypatch, peak_memory):
    X = CONTAINERS[container](rng.standard_normal((500, 2000)), tmp_path)
    monkeypatch.setenv("SPECSEL_MEMORY", "7MB")

    def refused():
        with pytest.raises(
            MemoryError, match=r"^representation = 'ranks': the ranks of X: would t"
        ):
            _data.represent(X, representation="ranks")

    assert peak_memory(refused) < 10**6
    monkeypatch.setenv("SPECSEL_MEMORY", "50MB")
    _data.represent(X, representation="ranks")
