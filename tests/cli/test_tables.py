"""Tables in files: what is read, and how what cannot be read is refused."""

import errno
import os
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from specsel.cli import tables


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        if isinstance(content, np.ndarray):
            np.save(path, content)
        else:
            path.write_text(content, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t"])
def test_header_and_values(write, delimiter):
    text = "a,b,c\n1,2,3\n4,5.5,-6e1\n".replace(",", delimiter)
    table = tables.read(write("data.csv", text))
    assert table.X.columns == ["a", "b", "c"]
    np.testing.assert_array_equal(table.X.to_numpy(), [[1, 2, 3], [4, 5.5, -60]])
    assert len(table.X) == 2
    assert table.y is None
    assert table.origin.endswith("data.csv")


def test_without_a_header_columns_have_no_names(write):
    table = tables.read(write("data.csv", "1,2,3\n4,5,6\n"))
    np.testing.assert_array_equal(table.X, [[1, 2, 3], [4, 5, 6]])
    assert table.origin.endswith("data.csv, no header")


@pytest.mark.parametrize("text", ["0,1,2\n7,8,9\n", ",0,1,2\nfirst,7,8,9\n"])
def test_a_row_that_numbers_the_columns_is_a_header(write, text):
    table = tables.read(write("data.csv", text))
    assert table.X.columns == ["0", "1", "2"]
    np.testing.assert_array_equal(table.X.to_numpy(), [[7, 8, 9]])


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("0,1,2,3,kind", "0123"),
        ("kind,1,2,3,4", "1234"),
        (",1,2,3,kind", "123"),
        ("7,8,9,kind,2", "7892"),
    ],
)
def test_a_row_that_counts_beside_names_or_has_a_name_that_is_meant_is_a_header(
    write, header, names
):
    rows = [["x" if cell in ("", "kind") else "5" for cell in header.split(",")]] * 2
    path = write("data.csv", "\n".join([header, *map(",".join, rows)]))
    table = tables.read(path, "kind")
    assert table.X.columns == [*names]
    np.testing.assert_array_equal(table.X.to_numpy(), np.full((2, len(names)), 5.0))
    assert table.y.tolist() == ["x", "x"]
    assert tables.read(path, drop=["kind"]).X.columns == [*names]
    assert tables.read(path, " kind ").y.tolist() == ["x", "x"]


@pytest.mark.parametrize("row", ["1,2,x,3", "0,2,1,x", "2,3,4,x", "0,1,x"])
def test_a_row_that_does_not_count_is_a_sample(write, row):
    label = row.split(",").index("x")
    table = tables.read(write("data.csv", f"{row}\n{row}\n"), str(label))
    assert len(table.X) == 2
    assert table.origin.endswith("no header")


def test_names_of_rows_without_a_name_above_them(write):
    table = tables.read(write("data.tsv", "a\tb\tkind\ns1\t1\t2\tx\ns2\t3\t4\ty\n"), "kind")
    assert table.X.columns == ["a", "b"]
    np.testing.assert_array_equal(table.X.to_numpy(), [[1, 2], [3, 4]])
    assert table.y.tolist() == ["x", "y"]
    for text in (",a,b\nx,1,2,3\n", "kind,a,b\nx,1,2,\ny,3,4,\n", "a,b\n1,2,3\n"):
        with pytest.raises(ValueError, match=r"line 2: has \d cells, the row before has \d$"):
            tables.read(write("data.csv", text))
    path = write("slow.tsv", "a\tb\ns1\t1\ttrue\ns2\t3\n")
    with pytest.raises(ValueError, match=r"line 3: has 2 cells, the row before has 3$"):
        tables.read(path)


@pytest.mark.parametrize("mark", ["N/A", "?", "-", ".", "null", "None"])
def test_a_sample_with_a_missing_value_is_no_header(write, mark):
    with pytest.raises(
        tables.CellError, match=r"column 1 \(from 0\), line 1: a number is missing"
    ):
        tables.read(write("data.csv", f"1,{mark}\n2,3\n"))


def test_labels_that_look_missing_are_labels(write):
    path = write("data.csv", "a,kind\n1,Na\n2,-\n3,none\n4,NA\n5,nan\n")
    assert tables.read(path, "kind").y.tolist() == ["Na", "-", "none", None, None]


@pytest.mark.parametrize("column", [0, 1, 2])
def test_the_target_is_taken_out_wherever_it_stands(write, column):
    rows = [["1", "2"], ["3", "4"], ["5", "6"]]
    names = ["a", "b"]
    for row, label in zip([names, *rows], ["kind", "x", "y", "x"], strict=True):
        row.insert(column, label)
    text = "\n".join(map(",".join, [names, *rows]))
    table = tables.read(write("data.csv", text), "kind")
    assert table.X.columns == ["a", "b"]
    np.testing.assert_array_equal(table.X.to_numpy(), [[1, 2], [3, 4], [5, 6]])
    assert table.y.tolist() == ["x", "y", "x"]


def test_missing_labels_are_none(write):
    table = tables.read(write("data.csv", "a,b,kind\n1,3,x\n2,4,\n"), "kind")
    assert table.y.tolist() == ["x", None]


def test_columns_that_are_left_out_may_lack_values(write):
    path = write("data.csv", "a,b,c\n1,,x\n2,NA,y\n")
    np.testing.assert_array_equal(tables.read(path, drop=["b", "c"]).X.to_numpy(), [[1], [2]])


def test_text_of_columns_left_out_is_not_kept(write):
    rows = "".join(f"{'x' * 200}{i},{i},{i % 7}\n" for i in range(5000))
    path = write("data.csv", "id,a,b\n" + rows)
    tracemalloc.start()
    X = tables.read(path, drop=["id"]).X.to_numpy()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert X.shape == (5000, 2)
    assert peak < 10**6  # the names alone are a megabyte


def test_words_of_truth_are_numbers(write):
    path = write("data.csv", "a,b\n1,True\n2,FALSE\n")
    np.testing.assert_array_equal(tables.read(path).X.to_numpy(), [[1, 1], [2, 0]])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk here")
def test_a_full_disk_is_named(tmp_path):
    path = tmp_path / "out.csv"
    path.symlink_to("/dev/full")
    with pytest.raises(OSError) as caught:
        tables.save(path, [{"a": 1}])
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))


def test_npy_is_mapped_and_its_target_a_number(write):
    values = np.arange(12.0).reshape(4, 3)
    path = write("data.npy", values)
    assert isinstance(tables.read(path).X, np.memmap)
    table = tables.read(path, "2")
    np.testing.assert_array_equal(table.X.to_numpy(), values[:, :2])
    assert isinstance(table.X.to_numpy(), np.memmap)
    np.testing.assert_array_equal(table.y, values[:, 2])


@pytest.mark.filterwarnings("ignore:loadtxt")  # it says so too where nothing follows the header
@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("", None, "is empty"),
        ("a,b\n", None, "holds a header but no samples"),
        ("a,b\n1,2\n3\n", None, "line 3: has 1 cell, the row before has 2"),
        ("a,b\n1,x\n", None, "column 'b', line 2: 'x' is not a number"),
        ("a,b\n1,2\n1,NA\n", None, "column 'b', line 3: a number is missing"),
        (",a,b\nx,1,nan\n", None, "column 'b', line 2: a number is missing"),
        (
            "a;b\n1;2\n3;4,5\n",
            None,
            "column 'b', line 3: '4,5' is not a number; write decimals with a point",
        ),
        (
            "1,5;2,5\n3,0;4,5\n",
            None,
            "column 0 (from 0), line 1: '1,5' is not a number; write decimals with a point",
        ),
        ("a,b\n1,1_0\n", None, "column 'b', line 2: '1_0' is not a number"),
        ("1,2\n-inf,1\n", None, "column 0 (from 0), line 2: '-inf' is not finite"),
        ("a,b\n1,2\n", "c", "has no column 'c'; it has a, b"),
        ("a,b,c,d,e,f,g\n", "h", "has no column 'h'; it has a, b, c, d, e, f, ..."),
        ("a,a,b\n1,2,3\n", "a", "has 2 columns 'a'"),
        ("1,2\n3,4\n", "a", "has columns 0 to 1, without names; no column 'a'"),
    ],
)
def test_bad_text_is_refused_with_its_path(write, text, target, message):
    path = write("data.csv", text)
    with pytest.raises(ValueError) as caught:
        tables.read(path, target)
    assert str(caught.value) == f"{path}: {message}"


@pytest.mark.parametrize("content", ["one,other\n0,1\n2,3\n", np.array([[0, 1], [2, 3]])])
def test_pairs_are_whole_numbers(write, content):
    path = write("pairs.npy" if isinstance(content, np.ndarray) else "pairs.csv", content)
    pairs = tables.read_pairs(path)
    assert pairs.dtype == np.intp
    np.testing.assert_array_equal(pairs, [[0, 1], [2, 3]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n2,3\n", "its first row, 0 and 1, may be a header; name the columns"),
        ("4,1.5\n", "1.5 is not a row number of a sample"),
        (f"4,{2**53}\n", f"{2.0**53} is not a row number of a sample"),
        ("4,1,3\n", "is 1 x 3 float64; two columns of row numbers needed"),
    ],
)
def test_what_are_no_pairs_is_refused(write, text, message):
    path = write("pairs.csv", text)
    with pytest.raises(ValueError) as caught:
        tables.read_pairs(path)
    assert str(caught.value) == f"{path}: {message}"


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.coo_array, sparse.csc_matrix])
def test_sparse_matrices(tmp_path, make):
    dense = np.array([[0, 1.5, 0, 2], [3, 0, 0, 1], [0, 0, 4, 2]])
    path = tmp_path / "data.npz"
    sparse.save_npz(path, make(dense))
    table = tables.read(path)
    np.testing.assert_array_equal(table.X, dense)
    assert table.origin == str(path)
    kept = tables.read(path, sparse=True).X
    assert sparse.issparse(kept)
    np.testing.assert_array_equal(kept.toarray(), dense)
    labelled = tables.read(path, "3", sparse=True)
    np.testing.assert_array_equal(labelled.X.toarray(), dense[:, :3])
    assert labelled.names == ["0", "1", "2"]
    np.testing.assert_array_equal(labelled.y, [2, 1, 2])
    with pytest.raises(ValueError, match=r"has columns 0 to 3, without names; no column '4'$"):
        tables.read(path, "4")


def test_other_archives_are_refused(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=np.eye(3))
    message = f"{path}: is not a sparse matrix of scipy.sparse.save_npz; dense arrays go into .npy"
    for content in (None, b"PK no archive", b""):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ValueError) as caught:
            tables.read(path)
        assert str(caught.value) == message


def test_columns_that_are_left_out(write, tmp_path):
    path = write("data.csv", "id,a,b,kind,c\nx1,1,2,p,3\nx2,4,5,q,6\n")
    table = tables.read(path, "kind", drop=["id", "b"])
    assert table.X.columns == ["a", "c"]
    np.testing.assert_array_equal(table.X.to_numpy(), [[1, 3], [4, 6]])
    assert table.y.tolist() == ["p", "q"]
    numbers = np.arange(12.0).reshape(3, 4)
    sparse.save_npz(tmp_path / "data.npz", sparse.csr_array(numbers))
    for path in (write("data.npy", numbers), tmp_path / "data.npz"):
        table = tables.read(path, "1", drop=["0"])
        np.testing.assert_array_equal(table.X.to_numpy(), numbers[:, 2:])
        np.testing.assert_array_equal(table.y, numbers[:, 1])
        X = tables.read(path, drop=["1"]).X
        np.testing.assert_array_equal(X.to_numpy(), numbers[:, [0, 2, 3]])


def test_columns_without_names_keep_their_numbers_when_others_are_left_out(write):
    path = write("data.csv", "1,2,x,3\n4,5,y,6\n")
    table = tables.read(path, "2", drop=["0"])
    assert table.names == table.X.columns == ["1", "3"]
    assert table.origin.endswith(", no header")
    assert tables.read(write("data.npy", np.eye(3))).names is None


def test_labels_are_not_to_be_left_out(write):
    path = write("data.csv", "a,b\n1,2\n3,4\n")
    with pytest.raises(ValueError, match=r"data\.csv: column 'b' holds the labels; it cannot be"):
        tables.read(path, "b", drop=["b"])
