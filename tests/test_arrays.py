"""Arrays as users pass them, in memory and not: viewed as what solvers need, or refused."""

import dask
import dask.array
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import specsel
from specsel import _containers, _data, gslda, qalpha

BAD = {
    "X: has 1 dimension; 2 are needed, samples x features  ": dask.array.zeros(3),
    "X: has 3 dimensions; 2 are needed, samples x features ": dask.array.zeros((3, 3, 3)),
    "X: has shape (3, 0); it must not be empty": dask.array.zeros((3, 0)),
    "X: has 1 sample; at least 2 are needed ": dask.array.zeros((1, 3)),
    "X: has dtype complex128; real numbers are needed ": dask.array.zeros((3, 3), dtype=complex),
    "X: has 1 dimension; 2 are needed, samples x features": np.ones(3),
    "X: has 1 dimension; 2 are needed, samples x features ": pd.Series([1.0, 2.0]),
    "X: has 3 dimensions; 2 are needed, samples x features": np.ones((2, 2, 2)),
    "X: has 0 dimensions; 2 are needed, samples x features": 3.0,
    "X: has shape (0, 4); it must not be empty": np.ones((0, 4)),
    "X: has shape (4, 0); it must not be empty": np.ones((4, 0)),
    "X: has 1 sample; at least 2 are needed": np.ones((1, 4)),
    "X: has dtype <U1; real numbers are needed": [["a", "b"], ["c", "d"]],
    "X: has dtype complex128; real numbers are needed": np.ones((2, 2)) * 1j,
    "X: has dtype object; real numbers are needed": np.array([[1, None], ["b", 2]], dtype=object),
    "X: has dtype object; real numbers are needed ": np.array([["1", 2], [3, 4]], dtype=object),
    "X: rows differ in length; a matrix is needed": [[1.0, 2.0], [3.0]],
    "X: all 3 features are constant; at least one must vary": np.ones((4, 3)),
    "X: holds masked values; remove or fill them first": np.ma.masked_equal([[1, 2], [3, 4]], 3),
    "X: column 'kind' is not numeric; drop or encode it": pd.DataFrame(
        {"size": [1.0, 2.0], "kind": ["cat", "dog"]}
    ),
    "X: column 'day' is not numeric; drop or encode it": pd.DataFrame(
        {"size": [1.0, 2.0], "day": pd.to_datetime(["2020-01-01", "2020-01-02"])}
    ),
    "X: column 'text' is not numeric; drop or encode it": pd.DataFrame(
        {"size": [1.0, 2.0], "text": ["1.5", "2.5"]}
    ),
    "X: column 'when' is not numeric; drop or encode it": pd.DataFrame(
        {"when": pd.to_timedelta([1, 2], unit="s"), "size": [1.0, 2.0]}
    ),
    "X: values are too large or too small to be standardised; rescale them": np.eye(3) * 1e-309,
    "X: 1 value is NaN or infinite, first at sample 1, feature 0; finite numbers are needed": [
        [1.0, 2.0],
        [np.nan, 3.0],
    ],
    "X: 1 value is NaN or infinite, first at sample 0, feature 1 ('b'); finite numbers are "
    "needed": pd.DataFrame({"a": [1, 2], "b": pd.Series([pd.NA, 1], dtype=object)}),
    "X: 3 values are NaN or infinite, first at sample 0, feature 1 ('b'); "
    "finite numbers are needed": pd.DataFrame({"a": [1.0, np.inf], "b": [-np.inf, np.nan]}),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        _data.read(BAD[message])
    assert str(caught.value) == message.strip()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("center", [True, False])
def test_no_bad_value_goes_unseen(value, dtype, center, rng):
    for index in [(0, 0), (9, 3), (19, 299), (7, 150)]:
        X = rng.standard_normal((20, 300)).astype(dtype)
        X[index] = value
        with pytest.raises(ValueError, match=f"sample {index[0]}, feature {index[1]};"):
            _data.read(X, center=center)


@pytest.mark.parametrize("labels", [["b", "a"] * 2, [1.0, 0.0] * 2, [True, False] * 2])
def test_classes_are_numbers_from_zero_in_order(labels):
    np.testing.assert_array_equal(_containers.as_classes(labels, 4), [1, 0, 1, 0])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "a", "a"], "y: has one class, a; at least 2 are needed"),
        ([1, 1, 1], "y: has one class, 1; at least 2 are needed"),
        ([1.0, 2.5, 1.0], "y: holds 2.5, a measurement; classes are needed"),
        (None, "y: is None; labels of shape (3,) are needed"),
        ([1, 2], "y: has shape (2,); labels of shape (3,) are needed"),
        ([[1], [2], [3]], "y: has shape (3, 1); labels of shape (3,) are needed"),
        ([1, np.nan, 2], "y: 1 label is missing, first of sample 1; every sample needs one"),
        ([1, "a", None], "y: 1 label is missing, first of sample 2; every sample needs one"),
        (np.array([1, "a", 1], object), "y: mixes labels that cannot be compared; use one type"),
        (
            [1, 2, 3],
            "y: has 3 classes among 3 samples; at most half as many classes as samples are "
            "allowed",
        ),
        ([[1], [2, 3], [1]], "y: rows differ in length; one label for each sample is needed"),
        (sparse.eye_array(3, format="csr"), "y: is a sparse matrix; an array of labels is needed"),
        (np.ma.masked_equal([1, 2, 1], 2), "y: holds masked values; remove or fill them first"),
        ([pd.NA, "a", "b"], "y: 1 label is missing, first of sample 0; every sample needs one"),
    ],
)
def test_bad_classes(y, message):
    with pytest.raises(ValueError) as caught:
        _containers.as_classes(y, 3)
    assert str(caught.value) == message


def test_no_pairs_are_an_empty_array():
    for pairs in (None, [], np.empty((0, 2))):
        assert _containers.as_pairs("apart", pairs, 3).shape == (0, 2)


def test_small_maps_come_as_they_are(tmp_path):
    np.save(tmp_path / "X.npy", np.eye(4))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    found, names = _containers.as_data(X)
    assert np.shares_memory(found, X)
    assert names is None


ASKED = [
    _containers.as_data,
    _containers.as_matrix,
    lambda X: qalpha.solve(X, 2),
    lambda X: gslda.solve(X, np.arange(30) % 2, max_size=2),
    lambda X: specsel.QAlpha(k=2).fit(X),
    lambda X: specsel.QAlpha(k=2).fit(np.random.default_rng(0).random((30, 4))).transform(X),
]


@pytest.mark.parametrize("asked", ASKED)
def test_what_has_no_shape_is_refused_in_one_line(asked, tmp_path):
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
