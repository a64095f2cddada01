"""Missing values are counted by column, and filled or left out as the user says."""

import json

import numpy as np
import pytest
from commands import assert_refused, run

from specsel.cli import missing, tables

CELLS = [[f"s{i}", i * i % 7 + 0.5, i * 3 % 11, i % 5 + 0.1, "xy"[i % 2]] for i in range(20)]
CELLS[2][1] = CELLS[5][1] = ""
CELLS[2][3] = "NA"
TEXT = "\n".join(",".join(map(str, row)) for row in [["who", *"abc", "kind"], *CELLS])
X = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, 6.0], [7.0, 8.0, np.nan], [np.nan, 8.0, 1.0]])


def test_counts():
    assert missing.by_column(X).tolist() == [1, 1, 1]
    told = missing.describe(np.array([0, 2, 5, 1, 1, 1, 1]), list("abcdefg"))
    assert told == (
        "11 missing values: 5 in column 'c', 2 in column 'b', 1 in column 'd', 1 in column 'e' "
        "and 2 more columns"
    )


def test_medians():
    found = missing.impute(X.copy(), "median", missing.by_column(X))
    np.testing.assert_array_equal(found.X[[1, 2, 3], [1, 2, 0]], [8.0, 3.0, 4.0])
    assert found.fact == "3 missing values set to the median of the column"
    read_only = X.copy()
    read_only.flags.writeable = False
    missing.impute(read_only, "median", missing.by_column(X))
    np.testing.assert_array_equal(read_only, X)
    with pytest.raises(ValueError, match="1 column holds no value at all"):
        missing.impute(X * [1, 1, np.nan], "median", np.array([1, 1, 4]))


def test_dropped():
    found = missing.impute(X, "drop-rows", missing.by_column(X))
    np.testing.assert_array_equal(found.X, X[:1])
    assert found.rows.tolist() == [0]
    assert found.fact == "3 of 4 rows dropped for 3 missing values"
    with pytest.raises(ValueError, match="every column has missing values; none is left"):
        missing.impute(X, "drop-columns", missing.by_column(X))
    wide = np.insert(X, 1, 5.0, axis=1)
    found = missing.impute(wide, "drop-columns", missing.by_column(wide))
    assert found.columns.tolist() == [1]


@pytest.mark.parametrize(
    ("how", "shape"), [("median", (20, 3)), ("drop-columns", (20, 1)), ("drop-rows", (18, 3))]
)
def test_rows_labels_and_names_stay_together(write, how, shape):
    table = tables.read(write("data.csv", TEXT), "kind", index="who", impute=how)
    assert table.X.to_numpy().shape == shape
    assert table.names == (["b"] if how == "drop-columns" else ["a", "b", "c"])
    assert len(table.rows) == len(table.y) == shape[0]
    assert [row for row in table.rows if row in ("s2", "s5")] == (
        [] if how == "drop-rows" else ["s2", "s5"]
    )
    assert table.y.tolist() == ["xy"[int(row[1:]) % 2] for row in table.rows]
    assert "missing values" in table.origin


class TestCommand:
    def test_what_is_missing_is_counted_with_what_to_do(self, capsys, write):
        path = write("data.csv", TEXT)
        assert_refused(
            run(capsys, "select", path, "--drop", "who,kind"),
            f"{path}: 3 missing values: 2 in column 'a', 1 in column 'c'; --impute median, "
            "drop-columns or drop-rows; --drop leaves a column out",
        )

    @pytest.mark.parametrize("how", ["median", "drop-columns", "drop-rows"])
    def test_the_output_says_what_was_done(self, capsys, write, how):
        path = write("data.csv", TEXT)
        options = ("--index", "who", "--drop", "kind", "--impute", how, "-k", "1")
        code, out, _ = run(capsys, "select", path, *options, "--json")
        assert code == 0
        assert "3 missing values" in json.loads(out)["data"]
