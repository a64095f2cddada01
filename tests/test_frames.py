"""Tables of other libraries: their values and names, or one line that says what to do."""

import numpy as np
import pandas
import polars
import pytest

from specsel import _containers, pairwise, qalpha

X = np.random.default_rng(0).normal(size=(30, 4))
NAMES = ("a", "b", "c", "d")


def check(table, names=NAMES):
    values, found = _containers.as_matrix(table)
    np.testing.assert_array_equal(values, X)
    assert found == names


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_frames(make):
    check(make({name: X[:, i] for i, name in enumerate(NAMES)}))
    with pytest.raises(ValueError, match=r"^X: is a lazy frame; pass X.collect\(\)$"):
        qalpha.solve(polars.DataFrame(X).lazy(), 2)


def test_nullable_columns():
    frame = pandas.DataFrame(X, columns=list(NAMES)).convert_dtypes(dtype_backend="numpy_nullable")
    check(frame)
    whole = pandas.DataFrame({"a": [1, None, 3], "b": [True, False, None]})
    values, _ = _containers.as_matrix(whole.astype({"a": "Int64", "b": "boolean"}))
    np.testing.assert_array_equal(values, [[1, 1], [np.nan, 0], [3, np.nan]])


def test_levels_of_names_are_joined():
    columns = pandas.MultiIndex.from_tuples([("x", 1), ("x", 2), ("y", ""), ("z", "w")])
    check(pandas.DataFrame(X, columns=columns), ("x/1", "x/2", "y", "z/w"))


def test_xarray():
    xarray = pytest.importorskip("xarray")
    check(xarray.DataArray(X), None)
    array = xarray.DataArray(X, dims=("sample", "band"), coords={"band": [1, 2, 3, 4]})
    check(array, ("1", "2", "3", "4"))
    with pytest.raises(ValueError, match=r"^X: is an xarray Dataset; pass X.to_dataframe\(\)"):
        qalpha.solve(array.to_dataset(name="x"), 2)


def test_xarray_of_dask_is_read_in_blocks(monkeypatch):
    xarray, array_of = pytest.importorskip("xarray"), pytest.importorskip("dask.array")
    data = array_of.from_array(X, chunks=(-1, 2))
    plain = xarray.DataArray(data)
    array = xarray.DataArray(data, dims=("sample", "band"), coords={"band": list(NAMES)})
    for one, names in ((plain, None), (array, NAMES)):
        assert _containers.is_streamed(one)
        found, own = _containers.as_data(one)
        assert found is data
        assert own == names
        check(one, names)
        chosen = _containers.take_features(one, np.array([3, 1]))
        np.testing.assert_array_equal(chosen.compute(), X[:, [3, 1]])
    pairs = array[:5], array[5:10]
    with pytest.raises(ValueError, match=r"^apart: has other column names than X, or in another"):
        pairwise.solve(array.assign_coords(band=[4, 3, 2, 1]), 2, apart=pairs)
    wanted = pairwise.solve(X, 2, apart=(X[:5], X[5:10])).alpha
    monkeypatch.setattr(array_of.Array, "__array__", None)  # which would read all of it
    np.testing.assert_allclose(qalpha.solve(array, 2).alpha, qalpha.solve(X, 2).alpha, atol=1e-9)
    np.testing.assert_allclose(pairwise.solve(array, 2, apart=pairs).alpha, wanted, atol=1e-9)
    monkeypatch.setenv("SPECSEL_MEMORY", "500")
    with pytest.raises(MemoryError, match=r"^X: all of it in memory: would take 960 B"):
        _containers.as_matrix(array)
    with pytest.raises(ValueError, match=r"^X: is an xarray Dataset"):
        qalpha.solve(array.to_dataset(name="data"), 2)


def test_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({name: X[:, i] for i, name in enumerate(NAMES)})
    check(table)
    check(table.to_batches()[0])
    gaps = pyarrow.table({"a": [1, None], "b": [1.5, 2.5]})
    np.testing.assert_array_equal(_containers.as_matrix(gaps)[0], [[1, 1.5], [np.nan, 2.5]])
    with pytest.raises(ValueError, match=r"^X: column 'b' is not numeric; drop or encode it$"):
        _containers.as_matrix(pyarrow.table({"a": [1, 2], "b": ["x", "y"]}))
    kinds = pyarrow.table({"a": pyarrow.array([1, 2]).dictionary_encode()})
    with pytest.raises(ValueError, match="'a' is categorical"):
        _containers.as_matrix(kinds)


@pytest.mark.parametrize(
    ("make", "column"),
    [
        (pandas.DataFrame, pandas.Series([1, 2, 1] * 10, dtype="category")),
        (pandas.DataFrame, pandas.Categorical(["u", "v", "u"] * 10)),
        (polars.DataFrame, polars.Series(["u", "v", "u"] * 10, dtype=polars.Categorical)),
    ],
)
def test_categories_are_refused_in_one_line(make, column):
    message = r"^X: column 'kind' is categorical; drop it, or encode it by indicators$"
    with pytest.raises(ValueError, match=message):
        qalpha.solve(make({"a": X[:, 0], "b": X[:, 1], "kind": column}), 2)
