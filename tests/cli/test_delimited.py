"""CSV and TSV: delimiters, headers, missing values, and what is wrong where."""

import tracemalloc

import numpy as np
import pytest
from commands import NAMES, X, alpha_of, assert_refused, run, run_json, table

from specsel import (
    qalpha,
)
from specsel.cli import reading, tables

IMPUTE = "--impute median, drop-columns or drop-rows"


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
    counted = tables.read(write("r.csv", "a,b\n1,5,6\n2,7,8\n3,9,9\n"))
    assert (counted.X.columns, counted.rows) == (["a", "b"], ["1", "2", "3"])
    wavelengths = tables.read(write("r.tsv", "1100\t1102\ns1\t5\t6\ns2\t7\t8\n"))
    assert (wavelengths.X.columns, wavelengths.rows) == (["1100", "1102"], ["s1", "s2"])
    path = write("slow.tsv", "a\tb\ns1\t1\ttrue\ns2\t3\n")
    with pytest.raises(ValueError, match=r"line 3: has 2 cells, the row before has 3$"):
        tables.read(path)


@pytest.mark.parametrize("mark", ["N/A", "?", "-", ".", "null", "None"])
def test_a_sample_with_a_missing_value_is_no_header(write, mark):
    with pytest.raises(reading.MissingError, match=r"1 missing value: 1 in column 1 \(from 0\)"):
        tables.read(write("data.csv", f"1,{mark}\n2,3\n"))


def test_labels_that_look_missing_are_labels(write):
    path = write("data.csv", "a,kind\n1,Na\n2,-\n3,none\n4,NA\n5,nan\n")
    assert tables.read(path, "kind").y.tolist() == ["Na", "-", "none", None, None]


def test_missing_labels_are_none(write):
    table = tables.read(write("data.csv", "a,b,kind\n1,3,x\n2,4,\n"), "kind")
    assert table.y.tolist() == ["x", None]


def test_columns_that_are_left_out_may_lack_values(write):
    path = write("data.csv", "a,b,c\n1,,x\n2,NA,y\n")
    np.testing.assert_array_equal(tables.read(path, drop=["b", "c"]).X.to_numpy(), [[1], [2]])


def test_text_of_columns_left_out_is_not_kept(write):
    rows = "".join(f"{'x' * 200}{i},{i}.5,{i % 7}.5\n" for i in range(5000))
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


@pytest.mark.filterwarnings("ignore:loadtxt")  # it says so too where nothing follows the header
@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("", None, "is empty"),
        ("a,b\n", None, "holds a header but no samples"),
        ("a,b\n1,2\n3\n", None, "line 3: has 1 cell, the row before has 2"),
        ("a,b\n1,x\n", None, "column 'b', line 2: 'x' is not a number"),
        ("a,b\n1,2\n1,NA\n", None, "1 missing value: 1 in column 'b'"),
        (",a,b\nx,1,nan\n", None, "1 missing value: 1 in column 'b'"),
        (
            "a;b\n1.5;2\n3;4,5\n",
            None,
            "column 'b', line 3: '4,5' is not a number; --decimal , reads it as one",
        ),
        (
            "a;b\n1,5;2\n3;4.321,5\n",
            None,
            "column 'b', line 3: '4.321,5' is not a number; write numbers without a mark between "
            "thousands",
        ),
        (
            "a;b\n1,500;2\n3;4\n",
            None,
            "'1,500' may have a decimal comma, or a mark between thousands; say --decimal , or "
            "write the thousands without a mark",
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


class TestCommand:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("header.csv", table(X, NAMES)),
            ("quoted.csv", table(X, NAMES, quote=True)),
            ("bom.csv", "\ufeff" + table(X, NAMES)),
            ("crlf.csv", table(X, NAMES).replace("\n", "\r\n")),
            ("semicolon.csv", table(X, NAMES, ";")),
            ("tab.tsv", table(X, NAMES, "\t")),
            ("tab.txt", table(X, NAMES, "\t")),
            ("blank.csv", "\n" + table(X, NAMES).replace("\n", "\n\n")),
            ("blank.txt", "\n" + table(X, NAMES, ";")),
            ("UPPER.TSV", table(X, NAMES, "\t")),
        ],
    )
    def test_header_names_the_features(self, capsys, write, name, content):
        answer = run_json(capsys, write(name, content))
        np.testing.assert_allclose(alpha_of(answer), qalpha.solve(X, "auto").alpha, atol=1e-10)
        assert [row["feature"] for row in answer["ranking"]] == [
            NAMES[row["index"]] for row in answer["ranking"]
        ]

    def test_quoted_names_keep_delimiters_and_fill_in_for_empty_ones(self, capsys, write):
        header = ['"a, b"', '"said ""c"""', '"two\nlines"', "", *NAMES[4:]]
        answer = run_json(capsys, write("data.csv", table(X, header)))
        names = {row["index"]: row["feature"] for row in answer["ranking"]}
        assert [names[i] for i in range(5)] == [
            "a, b",
            'said "c"',
            "two lines",
            "column 4",
            NAMES[4],
        ]
        np.testing.assert_allclose(alpha_of(answer), qalpha.solve(X, "auto").alpha, atol=1e-10)

    @pytest.mark.parametrize(
        ("name", "header", "delimiter"),
        [
            ("data.csv", ['"' + "a, b" * 20 + '"', *NAMES[1:]], ";"),
            ("data.tsv", ["a, b" * 20, *NAMES[1:]], "\t"),
        ],
    )
    def test_commas_in_names_do_not_hide_the_delimiter(
        self, capsys, write, name, header, delimiter
    ):
        answer = run_json(capsys, write(name, table(X, header, delimiter)))
        np.testing.assert_allclose(alpha_of(answer), qalpha.solve(X, "auto").alpha, atol=1e-10)
        assert "a, b" * 20 in [row["feature"] for row in answer["ranking"]]

    def test_half_a_row_of_text_makes_a_header(self, capsys, write):
        header = [str(i) if i % 2 else f"name {i}" for i in range(X.shape[1])]
        answer = run_json(capsys, write("data.csv", table(X, header)))
        assert answer["n_samples"] == len(X)

    @pytest.mark.parametrize("labelled", [False, True])
    def test_a_row_that_numbers_the_columns_is_a_header(self, capsys, write, labelled):
        header = [str(i) for i in range(X.shape[1])]
        plain = run_json(capsys, write("data.csv", table(X)))
        if labelled:
            lines = table(X, header).splitlines()
            content = "\n".join([f",{lines[0]}", *(f"r,{line}" for line in lines[1:])])
        else:
            content = table(X, header)
        answer = run_json(capsys, write("numbered.csv", content))
        assert answer["n_samples"] == len(X)
        assert answer["objective"] == pytest.approx(plain["objective"], rel=1e-9)

    @pytest.mark.parametrize(
        ("content", "parts"),
        [
            ("a,species\n1,setosa\n2,b\n", ["column 'species', line 2: 'setosa' is not a number"]),
            ("a,b\n1,2\n2,x\n3,y\n", ["column 'b', line 3: 'x'"]),
            ("1,2\n3,4\n5,x6\n", ["column 1 (from 0), line 3: 'x6'"]),
            ('a,b\n\n1,"2\n3"\n', ["column 'b', line 4"]),
            ("a,b\n1,2 # two\n2,3\n", ["column 'b', line 2: '2 # two'"]),
            ("a,b\n1,1_000\n2,3\n", ["column 'b', line 2: '1_000'"]),
            ("a,b\n1,2\n3\n4,5\n", ["line 3: has 1 cell, the row before has 2"]),
            ("a,b\n1,2\n3,4,5\n", ["line 3: has 3 cells"]),
            ("a,b\n1,2,3\n4,5,6\n", ["line 2: has 3 cells"]),
            ("1,2\n3,4\n\n5\n", ["line 4: has 1 cell, the row before has 2"]),
            ("a,b\n" + "1,2\n" * 3000 + "1,2 kg\n", ["column 'b', line 3002: '2 kg'"]),
            ("a,b\n1," + "x" * 5000 + "\n2,3\n", ["column 'b', line 2: 'xxx", "xxx...xxx"]),
            ('a,b\n1,"' + "x" * 200_000 + '"\n', ["field"]),
            ("", ["is empty"]),
            ("\n\n", ["is empty"]),
            ("a,b\n", ["no samples"]),
            (b"\xff\xfe\x00a,b\n1,2\n", ["is not text in utf-16; --encoding names another"]),
            (b"a,b\n1,2\n3,\xe9\n", ["column 'b', line 3: 'é' is not a number"]),
            (b"a,b\n1,2\n3,\x81\n", ["is not text in cp1252; --encoding names another"]),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", ["is not text"]),
            (b"\x1f\x8bnonsense", ["is a damaged .gz file"]),
            ('a,b\n1,"2\n3,4\n', ["line 2: a quote is opened here and not closed"]),
            ('a,b\n1,"2"3\n', ["line 2: a quote stands within a quoted cell; write it twice"]),
        ],
    )
    def test_bad_text(self, capsys, write, content, parts):
        path = write("data.csv", content)
        result = run(capsys, "select", path)
        assert_refused(result, f"specsel: {path}: ", *parts)
        assert len(result[2]) < len(str(path)) + 200

    @pytest.mark.parametrize("cell", ["", "NA", "na", "nan", " ", '""', "N/A", "?", "-"])
    @pytest.mark.parametrize("header", [True, False])
    def test_missing_values_are_found(self, capsys, write, cell, header):
        rows = ["a,b,c"] * header + ["3,1,1", f"1,{cell},3", f"2,{cell},4", "4,2,7"]
        path = write("data.csv", "\n".join(rows))
        place = "column 'b'" if header else "column 1 (from 0)"
        assert run(capsys, "select", path) == (
            2,
            "",
            f"specsel: {path}: 2 missing values: 2 in {place}; {IMPUTE}; "
            "--drop leaves a column out\n",
        )

    @pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
    def test_infinite_values_are_found(self, capsys, write, cell):
        path = write("data.csv", f"a,b\n1,2\n{cell},3\n4,7\n")
        assert_refused(run(capsys, "select", path), f"column 'a', line 3: '{cell}' is not finite")

    def test_values_whose_sum_is_no_number_are_read(self, write):
        values = np.array([[1e308, 1e308], [1.5e308, 1.0]])
        table_read = tables.read(write("data.csv", table(values)))
        np.testing.assert_array_equal(table_read.X, values)

    def test_a_first_column_without_a_name_labels_the_rows(self, capsys, write):
        lines = table(X, [f"f{i}" for i in range(X.shape[1])]).splitlines()
        labelled = ["," + lines[0], *(f"sample {i},{line}" for i, line in enumerate(lines[1:]))]
        answer = run_json(capsys, write("data.csv", "\n".join(labelled)))
        assert answer["n_features"] == X.shape[1]
        np.testing.assert_allclose(alpha_of(answer), qalpha.solve(X, "auto").alpha, atol=1e-10)

    def test_one_bad_cell_does_not_make_a_header(self, capsys, write):
        path = write("typo.csv", "1,2,1e5x\n2,3,4\n5,1,2\n")
        question = "its first row, '1', '2', '1e5x', may be a header or a sample"
        assert_refused(run(capsys, "select", path), question)
        answer = ["--header", "no"]
        fault = "column 2 (from 0), line 1: '1e5x' is not"
        assert_refused(run(capsys, "select", path, *answer), fault)
