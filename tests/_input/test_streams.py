"""Arrays that are not in memory: recognised, checked, read."""

import dask
import dask.array
import numpy as np
import pytest

import specsel
from specsel import _containers, gslda, qalpha


def mapped(folder, X):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def test_what_is_streamed(tmp_path, monkeypatch):
    X = mapped(tmp_path, np.eye(4))
    assert not _containers.is_streamed(X)
    monkeypatch.setattr(_containers, "MAPPED", 100)
    assert _containers.is_streamed(X)
    assert _containers.is_streamed(dask.array.eye(4))
    for other in (np.eye(400), [[1.0]], "h5py", None):
        assert not _containers.is_streamed(other)


def test_small_maps_and_arrays_come_as_they_are(tmp_path):
    X = mapped(tmp_path, np.eye(4))
    found, names = _containers.as_data(X)
    assert np.shares_memory(found, X)
    assert names is None


def test_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(_containers, "MAPPED", 0)
    X = np.eye(4)
    for array in (X, mapped(tmp_path, X), dask.array.from_array(X, chunks=2)):
        np.testing.assert_array_equal(_containers.in_memory(array), X)
        np.testing.assert_array_equal(_containers.take_samples(array, np.array([2, 0])), X[[2, 0]])


BAD = {
    "X: has 1 dimension; 2 are needed, samples x features": dask.array.zeros(3),
    "X: has 3 dimensions; 2 are needed, samples x features": dask.array.zeros((3, 3, 3)),
    "X: has shape (3, 0); it must not be empty": dask.array.zeros((3, 0)),
    "X: has 1 sample; at least 2 are needed": dask.array.zeros((1, 3)),
    "X: has dtype complex128; real numbers are needed": dask.array.zeros((3, 3), dtype=complex),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_arrays_are_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        _containers.as_data(BAD[message])
    assert str(caught.value) == message


ASKED = [
    _containers.as_data,
    _containers.as_matrix,
    lambda X: qalpha.solve(X, 2),
    lambda X: gslda.solve(X, np.arange(30) % 2, max_size=2),
    lambda X: specsel.QAlpha(k=2).fit(X),
    lambda X: specsel.QAlpha(k=2).fit(np.random.default_rng(0).random((30, 4))).transform(X),
]


@pytest.mark.parametrize("asked", ASKED)
def test_what_tells_no_shape_is_refused_in_one_line(asked, tmp_path):
    for delayed in (dask.delayed(np.eye(4)), dask.delayed(np.eye)(4)):
        with pytest.raises(ValueError) as caught:
            asked(delayed)
        assert str(caught.value) == (
            "X: is a Delayed of Dask, of unknown shape; "
            "pass dask.array.from_delayed(X, shape, dtype)"
        )
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "X.h5", "w") as file:
        stored = file.create_dataset("X", data=np.eye(4))
    with pytest.raises(ValueError, match=r"^X: is in a file of h5py that is closed; open it ag"):
        asked(stored)
