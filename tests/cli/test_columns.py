"""Columns that hold labels or are left out, by name or by number."""

import numpy as np
import pytest
from commands import run
from scipy import sparse

from specsel.cli import tables


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


class TestCommand:
    @pytest.mark.parametrize(
        ("content", "target", "message"),
        [
            ("a,b\n1,2\n", "c", "has no column 'c'; it has a, b"),
            ("a,b\n1,2\n", "0", "has no column '0'; it has a, b"),
            (",b\n1,2\n", "column 1", "has no column 'column 1'; it has b"),
            ("a,a\n1,2\n", "a", "has 2 columns 'a'"),
            ("1,2\n3,4\n", "2", "has columns 0 to 1, without names; no column '2'"),
            ("1,2\n3,4\n", "-1", "has columns 0 to 1, without names; no column '-1'"),
            ("1,2\n3,4\n", "a", "has columns 0 to 1, without names; no column 'a'"),
            (
                "a,b\n1,2\n3,y\nz,4\n",
                "b",
                "column 'a', line 4: 'z' is not a number; --drop leaves a column out",
            ),
            ("a,b\n1,2\n3\n", "b", "line 3: has 1 cell, the row before has 2"),
            ("a,b\n", "b", "holds a header but no samples"),
            (np.ones((3, 2)), "2", "has columns 0 to 1, without names; no column '2'"),
            (np.ones(3), "0", "has 1 dimension; 2 are needed"),
        ],
    )
    def test_a_bad_column_is_refused(self, capsys, write, content, target, message):
        path = write("data.npy" if isinstance(content, np.ndarray) else "data.csv", content)
        result = run(capsys, "select", path, "--method", "supervised", "--target", target)
        assert result == (2, "", f"specsel: {path}: {message}\n")
