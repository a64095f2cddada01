"""Tables of any kind of file: their columns, what is missing, and files that are damaged."""

import io
import sys

import numpy as np
import pandas
import polars
import pytest
from commands import NAMES, X, alpha_of, assert_refused, run, run_json
from scipy import sparse

from specsel import qalpha
from specsel.cli import tables

KINDS = [["x", "y"][i % 2] for i in range(len(X))]
FRAME = polars.DataFrame(X, schema=NAMES).with_columns(kind=polars.Series(KINDS))

CELLS = [[f"s{i}", i * i % 7 + 0.5, i * 3 % 11, i % 5 + 0.1, "xy"[i % 2]] for i in range(20)]
CELLS[2][1] = CELLS[5][1] = ""
CELLS[2][3] = "NA"
GAPS = "\n".join(",".join(map(str, row)) for row in [["who", *"abc", "kind"], *CELLS])


def test_columns_that_are_left_out(write, tmp_path):
    path = write("data.csv", "id,a,b,kind,c\nx1,1,,p,3\nx2,4,5,q,6\n")
    table = tables.read(path, target="kind", drop=["id", "b"])
    assert (table.names, table.left_out) == (["a", "c"], ("id", "b", "kind"))
    np.testing.assert_array_equal(table.values, [[1, 3], [4, 6]])
    assert table.y.tolist() == ["p", "q"]
    numbers = np.arange(12.0).reshape(3, 4)
    sparse.save_npz(tmp_path / "data.npz", sparse.csr_array(numbers))
    for path in (write("data.npy", numbers), tmp_path / "data.npz"):
        table = tables.read(path, target="1", drop=["0"])
        np.testing.assert_array_equal(table.values, numbers[:, 2:])
        np.testing.assert_array_equal(table.y, numbers[:, 1])
        assert table.names == ["2", "3"]
        assert tables.read(path, index="0").rows == ["0", "4", "8"]
        np.testing.assert_array_equal(tables.read(path, drop=["1"]).values, numbers[:, [0, 2, 3]])


def test_side_data_may_lack_the_columns_that_are_left_out(write):
    path = write("side.csv", "a,b\n1,2\n3,4\n")
    assert tables.read(path, drop=["zz", "a"], index="id", lenient=True).names == ["b"]


@pytest.mark.parametrize(
    ("content", "target", "message"),
    [
        ("a,b\n1,2\n", "c", "has no column 'c'; it has a, b"),
        ("a,b,c,d,e,f,g\n", "h", "has no column 'h'; it has a, b, c, d, e, f, ..."),
        (",b\n1,2\n", "column 1", "has no column 'column 1'; it has b"),
        ("a,kind\n1,2\n", "knd", "has no column 'knd'; did you mean 'kind'?"),
        ("a,a\n1,2\n", "a", "has 2 columns 'a'"),
        ("1,2\n3,4\n", "2", "has columns 0 to 1, without names; no column '2'"),
        ("1,2\n3,4\n", "-1", "has columns 0 to 1, without names; no column '-1'"),
        ("a,b\n", "b", "holds a header but no samples"),
        (np.ones((3, 2)), "2", "has columns 0 to 1, without names; no column '2'"),
        (np.ones(3), "0", "has 1 dimension; 2 are needed"),
    ],
)
def test_a_bad_column_is_refused(capsys, write, content, target, message):
    path = write("data.npy" if isinstance(content, np.ndarray) else "data.csv", content)
    result = run(capsys, "select", path, "--method", "supervised", "--target", target)
    assert result == (2, "", f"specsel: {path}: {message}\n")


def test_labels_are_not_to_be_left_out(write):
    with pytest.raises(ValueError, match=r"data\.csv: column 'b' holds the labels; it cannot be"):
        tables.read(write("data.csv", "a,b\n1,2\n3,4\n"), target="b", drop=["b"])


@pytest.mark.parametrize(
    ("how", "names", "count", "fact"),
    [
        ("median", "abc", 20, "3 missing values set to the median of the column"),
        ("drop-columns", "b", 20, "2 of 3 columns dropped for 3 missing values"),
        ("drop-rows", "abc", 18, "2 of 20 rows dropped for 3 missing values"),
    ],
)
def test_missing_values(write, how, names, count, fact):
    table = tables.read(write("data.csv", GAPS), target="kind", index="who", impute=how)
    assert table.names == [*names]
    assert table.facts == (fact,)
    assert len(table.values) == len(table.rows) == len(table.y) == count
    assert ("s2" in table.rows) == (how != "drop-rows")
    assert table.y.tolist() == ["xy"[int(row[1:]) % 2] for row in table.rows]
    known = [[np.nan if cell in ("", "NA") else cell for cell in row[1:4]] for row in CELLS]
    columns = np.array(known)[[int(row[1:]) for row in table.rows]]
    filled = np.where(np.isnan(columns), np.nanmedian(columns, axis=0), columns)
    np.testing.assert_array_equal(table.values, filled[:, ["abc".index(name) for name in names]])


def test_missing_values_are_counted_and_the_file_is_not_written_to(write):
    X = np.array([[1.0, 2, 3, 4, 5, 6], [np.nan] * 6, [1, 2, np.nan, 4, 5, 6], [0, 1, 2, 3, 4, 5]])
    path = write("data.npy", X)
    message = (
        r"7 missing values: 2 in column 2 \(from 0\), 1 in column 0 \(from 0\), 1 in column 1 "
        r"\(from 0\), 1 in column 3 \(from 0\) and 2 more columns$"
    )
    with pytest.raises(ValueError, match=message):
        tables.read(path)
    assert tables.read(path, impute="median").values[1].tolist() == [1, 2, 2.5, 4, 5, 6]
    np.testing.assert_array_equal(np.load(path), X)
    with pytest.raises(ValueError, match="every column has missing values; none is left"):
        tables.read(path, impute="drop-columns")
    path = write("empty.npy", X * [1, np.nan, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="1 column without any value; --impute drop-columns"):
        tables.read(path, impute="median")


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather"])
def test_columns_of_frames(tmp_path, suffix):
    path = tmp_path / f"data{suffix}"
    FRAME.write_parquet(path) if suffix == ".parquet" else FRAME.write_ipc(path)
    table = tables.read(path, target="kind")
    assert (table.names, table.y.tolist()) == (NAMES, KINDS)
    np.testing.assert_array_equal(table.values, X)
    with pytest.raises(ValueError, match=r"column 'kind' is not numeric; drop or encode it"):
        tables.read(path)
    with pytest.raises(ValueError, match=r"no column 'kin'; did you mean 'kind'\?"):
        tables.read(path, target="kin")


@pytest.mark.parametrize("name", ["run*", "run?", "run[12]", "year=2020/run", "{run}", "%run#"])
@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".xlsx"])
def test_a_name_is_no_pattern_and_names_no_column(tmp_path, name, suffix):
    path = tmp_path / f"{name}{suffix}"
    path.parent.mkdir(exist_ok=True)
    frame = pandas.DataFrame(X, columns=NAMES)
    save = {".parquet": frame.to_parquet, ".feather": frame.to_feather}.get(suffix, frame.to_excel)
    for place in ("run1", "run2", "other"):  # which some of the patterns match
        with open(path.with_name(f"{place}{suffix}"), "wb") as file:
            save(file)
    with open(path, "wb") as file:
        save(file)
    table = tables.read(path)
    assert (table.names, table.values.shape) == (NAMES, X.shape)


def test_types_of_frames(tmp_path):
    path = tmp_path / "data.parquet"
    columns = {"a": [1, None, 3], "b": [1.5, 2.5, None], "c": [True, False, True]}
    polars.DataFrame(columns).write_parquet(path)
    with pytest.raises(ValueError, match="2 missing values: 1 in column 'a', 1 in column 'b'"):
        tables.read(path)
    values = tables.read(path, impute="median").values
    np.testing.assert_array_equal(values, [[1, 1.5, 1], [2, 2.5, 0], [3, 2, 1]])
    pandas.DataFrame({"a": pandas.array([1, None], "Int8"), "b": [1, 2]}).to_parquet(path)
    assert tables.read(path, impute="drop-rows").values.tolist() == [[1, 1]]
    pandas.DataFrame(X.astype(np.float32), columns=NAMES).to_parquet(path)
    assert tables.read(path).values.dtype == np.float32
    pandas.DataFrame({"a": pandas.to_datetime(["2020-01-01"]), "b": [1]}).to_parquet(path)
    with pytest.raises(ValueError, match=r"column 'a' is not numeric"):
        tables.read(path)
    labels = pandas.Categorical(["p", None, "q"])
    pandas.DataFrame({"a": [1, 2, 3], "k": labels}).to_parquet(path)
    assert tables.read(path, target="k").y.tolist() == ["p", None, "q"]


def test_names_of_rows(tmp_path):
    path = tmp_path / "data.parquet"
    rows = [f"s{i}" for i in range(len(X))]
    for name in (None, "who"):
        pandas.DataFrame(X, pandas.Index(rows, name=name), NAMES).to_parquet(path)
        table = tables.read(path)
        assert (table.rows, table.names) == (rows, NAMES)
        assert table.facts == (f"rows named by {name or tables.INDEX!r}",)
    FRAME.with_columns(polars.Series("who", rows)).write_parquet(path)
    assert tables.read(path, drop=["kind"], index="who").rows == rows


def test_excel(tmp_path, capsys):
    pytest.importorskip("python_calamine")
    path = tmp_path / "data.xlsx"
    rows = [f"s{i}" for i in range(len(X))]
    with pandas.ExcelWriter(path) as book:
        pandas.DataFrame(X, rows, NAMES).assign(kind=KINDS).to_excel(book, sheet_name="one")
        pandas.DataFrame([[1]]).to_excel(book, sheet_name="two")
    table = tables.read(path, target="kind")
    np.testing.assert_allclose(table.values, X, rtol=1e-15)
    assert (table.names, table.rows, table.y.tolist()) == (NAMES, rows, KINDS)
    assert table.facts[0] == "sheet 'one', the first of 2 (--sheet takes another)"
    for sheet in ("2", "two"):
        assert tables.read(path, sheet=sheet, header="yes").values.tolist() == [[1.0]]
    assert tables.read(path, sheet="1", drop=["kind"]).facts == ("rows named by the first column",)
    refused = run(capsys, "select", path, "--sheet", "3")
    assert_refused(refused, "has no sheet '3'; it has one, two")
    assert_refused(run(capsys, "select", path, "--sheet", "Two"), "did you mean 'two'?")
    wavelengths = pandas.DataFrame(X, columns=[1100 + 2 * i for i in range(X.shape[1])])
    wavelengths.to_excel(path, index=False)
    assert_refused(run(capsys, "select", path), "may be a header or a sample; say --header yes")
    assert run_json(capsys, path, "--header", "yes")["n_samples"] == len(X)


@pytest.mark.parametrize("suffix", [*tables.FRAMES, *tables.EXCEL])
def test_damaged_files_are_refused_in_one_line(capsys, write, monkeypatch, suffix):
    path = write(f"data{suffix}", b"PAR1 and no more")
    missing = path.with_name(f"no{suffix}")
    if suffix in tables.FRAMES or "python_calamine" in sys.modules:
        assert_refused(run(capsys, "select", path), f"{path}: is not a complete {suffix} file")
        assert_refused(run(capsys, "select", missing), f"{missing}: No such file")
    for package in ("pyarrow", "python_calamine"):
        monkeypatch.setitem(sys.modules, package, None)
    result = run(capsys, "select", path)
    assert_refused(result, f"{path}: {suffix} needs py", "pip install 'specsel[files]'")


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.npy", "a.npz", "a.parquet", "a.h5ad"])
def test_nothing(capsys, write, name):
    path = write(name, b"")
    assert_refused(run(capsys, "select", path), f"specsel: {path}: is ")


def test_npy_is_mapped_and_its_target_a_number(write):
    values = np.arange(12.0).reshape(4, 3)
    path = write("data.npy", values)
    assert isinstance(tables.read(path).X, np.memmap)
    table = tables.read(path, target="2")
    np.testing.assert_array_equal(table.values, values[:, :2])
    assert isinstance(table.values, np.memmap)
    np.testing.assert_array_equal(table.y, values[:, 2])


@pytest.mark.parametrize("values", [X, np.asfortranarray(X), X.astype(np.float32)])
def test_npy_is_not_converted(capsys, write, values):
    answer = run_json(capsys, write("data.npy", values))
    expected = qalpha.solve(values, "auto").alpha
    np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)
    assert all(row["feature"] == str(row["index"]) for row in answer["ranking"])


OBJECTS = np.array([[1, "a"], [2, None]], dtype=object)
SAVED = io.BytesIO()
np.save(SAVED, X)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"1,2\n3,4\n", "is not a complete .npy"),
        (b"PK\x03\x04 and no more", "is not a complete .npy"),
        (b"\x93NUMPY\x01\x00", "is not a complete .npy"),
        *[(SAVED.getvalue()[:count], "is not a complete .npy") for count in (1, 60, 130, -8)],
        (OBJECTS, "is not a complete .npy"),
        (np.arange(5.0), "1 dimension"),
        (np.array(5.0), "0 dimensions"),
        (np.array([["a", "b"]]), "real numbers"),
    ],
)
def test_bad_npy(capsys, write, content, part):
    assert_refused(run(capsys, "select", write("data.npy", content)), part)


class Writes:
    """An object that writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("save", [np.save, np.savez])
def test_npy_of_objects_is_not_unpickled(capsys, tmp_path, save):
    path = tmp_path / f"data.{'npy' if save is np.save else 'npz'}"
    save(path, np.array([[Writes(tmp_path / "written")]], dtype=object))
    assert_refused(run(capsys, "select", path), path.name)
    assert not (tmp_path / "written").exists()


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_sparse_matrices(tmp_path, kind):
    dense = np.array([[0, 1.5, 0, 2], [3, 0, 0, 1], [0, 0, 4, 2]])
    path = tmp_path / "data.npz"
    sparse.save_npz(path, sparse.csr_array(dense).asformat(kind))
    table = tables.read(path)
    np.testing.assert_array_equal(table.X, dense)
    kept = tables.read(path, as_stored=True).X
    assert kept.format == ("csc" if kind == "csc" else "csr")
    labelled = tables.read(path, target="3", as_stored=True)
    np.testing.assert_array_equal(labelled.values.toarray(), dense[:, :3])
    assert labelled.names == ["0", "1", "2"]
    np.testing.assert_array_equal(labelled.y, [2, 1, 2])
    with pytest.raises(ValueError, match=r"has columns 0 to 3, without names; no column '4'$"):
        tables.read(path, target="4")


@pytest.mark.parametrize("content", [None, b"PK no archive", b""])
def test_other_archives_are_refused(tmp_path, content):
    path = tmp_path / "data.npz"
    np.savez(path, X=np.eye(3)) if content is None else path.write_bytes(content)
    with pytest.raises(ValueError) as caught:
        tables.read(path)
    message = "is not a sparse matrix of scipy.sparse.save_npz; dense arrays go into .npy"
    assert str(caught.value) == f"{path}: {message}"


def test_selected_columns_in_any_order(write, tmp_path):
    for values in (X, sparse.csc_array(X)):
        found = tables.Table(values, None, "").selection([3, 1, 3])
        np.testing.assert_array_equal(found, X[:, [3, 1, 3]])
