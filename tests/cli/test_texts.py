"""CSV and TSV: what the five rules find, what they ask for, and what is wrong where."""

import gzip
import io
import os
import threading
import tracemalloc

import numpy as np
import pytest
from commands import X, assert_refused, run, table

from specsel.cli import tables

VALUES = np.random.default_rng(0).normal(0.5, 0.2, (12, 6)).round(3).tolist()
NO_HEADER = ("no header",)


def text(first, rows=VALUES, delimiter=","):
    lines = [first, *[delimiter.join(map(str, row)) for row in rows]]
    return "\n".join(lines) + "\n"


# A text, how it is asked for, and what is read: names, the first row, the facts.
READ = {
    "plain": ("a,b,c\n1,2,3\n4,5.5,-6e1\n", {}, ["a", "b", "c"], [1, 2, 3], ()),
    "semicolons": ("a;b\n1;2\n", {}, ["a", "b"], [1, 2], ("divided by semicolons",)),
    "bars": ("a|b\n1|2\n", {}, ["a", "b"], [1, 2], ("divided by bars",)),
    "tabs": ("a\tb\n1\t2\n", {}, ["a", "b"], [1, 2], ("divided by tabs",)),
    "no header": ("1,2,3\n4,5,6\n", {}, None, [1, 2, 3], NO_HEADER),
    "one column": ("x\n1\n2\n", {}, ["x"], [1], ()),
    "one column of numbers": ("1\n2\n3\n", {}, None, [1], NO_HEADER),
    "names with spaces": ("a b\n1\n2\n", {}, ["a b"], [1], ()),
    "counted from 0": ("0,1,2\n7,8,9\n", {}, ["0", "1", "2"], [7, 8, 9], ("header of numbers",)),
    "quotes": ('"a, b","said ""c""","two\nlines",\n1,2,3,4\n', {},
               ["a, b", 'said "c"', "two lines", "column 4"], [1, 2, 3, 4], ()),
    "quoted numbers": ('"x","y"\n"1","2"\n', {}, ["x", "y"], [1, 2], ()),
    "commas in names": ("a, b; c\n1;2\n3;4\n", {}, ["a, b", "c"], [1, 2],
                        ("divided by semicolons",)),
    "a mark": ("\ufeffa,b\n1,2\n", {}, ["a", "b"], [1, 2], ()),
    "blank lines": ("\n\na,b\n\n1,2\n\n3,4\n\n", {}, ["a", "b"], [1, 2], ()),
    "returns": ("a,b\r\n1,2\r\n", {}, ["a", "b"], [1, 2], ()),
    "comments": ("# by hand\n\n# twice\na,b\n1,2\n", {}, ["a", "b"], [1, 2], ()),
    "truth": ("a,b\n1,True\n2,FALSE\n", {}, ["a", "b"], [1, 1], ()),
    "forms of numbers": ("a,b\n1e3,2E-4\n+3,-.5\n", {}, ["a", "b"], [1000, 2e-4], ()),
    "decimal commas": ("a;b\n1;2,5\n3,25;4\n", {}, ["a", "b"], [1, 2.5],
                       ("divided by semicolons", "decimal commas")),
    "decimal commas, no header": ("0,5;1,5\n0,25;2\n", {}, None, [0.5, 1.5],
                                  ("divided by semicolons", "decimal commas", *NO_HEADER)),
    "commas as asked for": ("a;b\n1,500;2\n", {"decimal": ","}, ["a", "b"], [1.5, 2],
                            ("divided by semicolons",)),
    "row names": (",a,b\ns1,1,2\ns2,3,4\n", {}, ["a", "b"], [1, 2],
                  ("rows named by the first column",)),
    "R": ("a,b\ns1,1,2\ns2,3,4\n", {}, ["a", "b"], [1, 2], ("rows named by the first column",)),
    "R with tabs": ("a, a\tb\ns1\t1\t2\ns2\t3\t4\n", {}, ["a, a", "b"], [1, 2],
                    ("divided by tabs", "rows named by the first column")),
    "R with numbers": ("a,b\n1,5,6\n2,7,8\n3,9,9\n", {}, ["a", "b"], [5, 6],
                       ("rows named by the first column",)),
    "pandas": (",0,1,2\nx,7,8,9\n", {}, ["0", "1", "2"], [7, 8, 9],
               ("header of numbers", "rows named by the first column")),
    "labels over labels": ("5.1,3.5,setosa\n4.9,3.0,setosa\n", {"target": "2"}, ["0", "1"],
                           [5.1, 3.5], NO_HEADER),
    "a named column": ("7,8,kind\n5,5,x\n5,5,x\n", {"target": "kind"}, ["7", "8"], [5, 5], ()),
    "text left out": ("id,a\nx,1\ny,2\n", {"drop": ["id"]}, ["a"], [1], ()),
    "an index": ("gene,s1,s2\nBRCA,1,2\n", {"index": "gene"}, ["s1", "s2"], [1, 2], ()),
    "an index beside names": (",who,a\ns1,x,1\ns2,y,2\n", {"index": "who"}, ["a"], [1],
                              ("rows named by the first column",)),
    "utf-16": ("a,é\n1,2\n".encode("utf-16"), {}, ["a", "é"], [1, 2], ()),
    "cp1252": ("a,é\n1,2\n".encode("cp1252"), {}, ["a", "é"], [1, 2], ("encoding cp1252",)),
    "late cp1252": (b"a,b,kind\n" + b"1,2,x\n" * 10**5 + b"3,4,\xe9\n", {"drop": ["kind"]},
                    ["a", "b"], [1, 2], ("encoding cp1252",)),
    "latin-2": ("a,ż\n1,2\n".encode("cp1250"), {"encoding": "cp1250"}, ["a", "ż"], [1, 2], ()),
    "all at once": (gzip.compress("a;é\n1,5;2\n".encode("cp1252")), {}, ["a", "é"], [1.5, 2],
                    ("encoding cp1252", "divided by semicolons", "decimal commas")),
    "gz": (gzip.compress(b"a,b\n1,2\n"), {}, ["a", "b"], [1, 2], ()),
    "like those below": (text("6,7,8", np.arange(36).reshape(12, 3).tolist()), {}, None,
                         [6, 7, 8], NO_HEADER),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_what_is_read(write, name):
    content, options, names, first, facts = READ[name]
    found = tables.read(write("data.csv", content), **options)
    assert found.names == names
    assert found.values[0].tolist() == first
    assert found.facts == facts
    assert found.origin.endswith(", ".join(["data.csv", *facts]))


def test_tsv_is_divided_by_tabs_alone(write):
    found = tables.read(write("data.tsv", "a, b\tkind\ns1\t1\tx\ns2\t3\ty\n"), target="kind")
    assert (found.names, found.rows, found.y.tolist()) == (["a, b"], ["s1", "s2"], ["x", "y"])
    assert tables.read(write("DATA.TSV", "a\n1\n")).facts == ()


@pytest.mark.parametrize(
    "first",
    [
        "1100,1102,1104,1106,1108,1110",  # wavelengths
        "1100.5,1101.25,1102.5,1103,1104,1107.5",  # in uneven steps
        "7157,672,675,5728,4609,1956",  # identifiers of genes
        "2000,2000,2001,2001,2002,2002",  # repeated years
        "812.1,97.3,455.0,1010.2,33.9,201.7",  # far from all below
        "age,1102,1104,1106,1108,1110",
        "1e5x,0.5,0.4,0.1,0.9,0.2",  # a mistake, or a name
    ],
)
def test_a_first_row_that_may_be_either_is_asked_for(write, first):
    path = write("data.csv", text(first))
    with pytest.raises(tables.TableError, match="may be a header or a sample") as caught:
        tables.read(path)
    assert caught.value.hint == tables.ASK_HEADER
    assert tables.read(path, header="yes").names == first.split(",")
    if first[0].isdigit() and "x" not in first:
        assert tables.read(path, header="no").n_samples == 13


def test_measurements_without_a_header_are_not_asked_for(write):
    rng = np.random.default_rng(1)
    for seed in range(120):
        rows = rng.normal(size=(9, 2 + seed % 9))
        rows = [rows, rng.poisson(3.0, rows.shape), np.exp(rows), np.cumsum(abs(rows), axis=1)]
        content = text("", rows[seed % 4].tolist())
        assert tables.read(write("data.csv", content)).facts == NO_HEADER


@pytest.mark.parametrize("row", ["1,2,x,3", "0,2,1,x", "2,3,4,x", "0,1,x", "x,y,5.1"])
def test_labels_over_labels_are_a_sample(write, row):
    labels = [str(i) for i, cell in enumerate(row.split(",")) if cell.isalpha()]
    found = tables.read(write("data.csv", f"{row}\n{row}\n"), drop=labels)
    assert (found.n_samples, found.facts) == (2, NO_HEADER)


def test_labels_that_look_missing_are_labels(write):
    path = write("data.csv", "a,kind\n1,Na\n2,-\n3,none\n4,NA\n5,nan\n6,\n")
    assert tables.read(path, target="kind").y.tolist() == ["Na", "-", "none", None, None, None]


def test_text_of_columns_left_out_is_not_kept(write):
    rows = "".join(f"{'x' * 200}{i},{i}.5,{i % 7}.5\n" for i in range(5000))
    path = write("data.csv", "id,a,b\n" + rows)
    tracemalloc.start()
    values = tables.read(path, drop=["id"]).values
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert values.shape == (5000, 2)
    assert peak < 10**6  # the names alone are a megabyte


def test_stdin_and_pipes(monkeypatch, tmp_path):
    for content in (b"a,b\n1,2\n", gzip.compress(b"a,b\n1,2\n")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        found = tables.read(tables.STDIN)
        assert (found.names, found.origin) == (["a", "b"], "stdin")
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ValueError, match="stdin is closed"):
        tables.read(tables.STDIN)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=("é,b\n1,2\n".encode("cp1252"),))
    writer.start()
    assert tables.read(path).names == ["é", "b"]
    writer.join()


LONG_FIELD = "field larger than field limit (131072); is a quote not closed?"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b\n", "holds a header but no samples"),
        ("a,b\n1,2\n3\n4,5\n", "line 3: has 1 cell, the row before has 2"),
        (",a,b\nx,1,2,3\n", "line 2: has 4 cells, the row before has 3"),
        ("a,b\n1,2,3\n4,5,6\n", "line 2: has 3 cells, the row before has 2"),
        ("1,2\n3,4\n\n5\n", "line 4: has 1 cell, the row before has 2"),
        ("a,species\n1,setosa\n2,b\n", "column 'species', line 2: 'setosa' is not a number"),
        ("1,2\n3,4\n5,x6\n", "column 1 (from 0), line 3: 'x6' is not a number"),
        ('a,b\n\n1,"2\n3"\n', "column 'b', line 4: '2\\n3' is not a number"),
        ("a,b\n1,1_000\n2,3\n", "column 'b', line 2: '1_000' is not a number"),
        ("a,b\n" + "1,2\n" * 300 + "1,2 kg\n", "column 'b', line 302: '2 kg' is not a number"),
        ("a,b\n1,2\n1e999,3\n", "column 'a', line 3: '1e999' is not finite"),
        ("1,2\n-inf,1\n", "column 0 (from 0), line 2: '-inf' is not finite"),
        (
            "a;b\n1.5;2\n3;4,5\n",
            "column 'b', line 3: '4,5' is not a number; --decimal , reads it as one",
        ),
        (
            "a;b\n1,5;2\n3;4.321,5\n",
            "column 'b', line 3: '4.321,5' is not a number; write numbers without a mark between "
            "thousands",
        ),
        ("a,b\n1,N/A\n1,?\n", "2 missing values: 2 in column 'b'"),
        ("1,-\n2,3\n", "1 missing value: 1 in column 1 (from 0)"),
        (b"a,b\n1,2\n3,\x81\n", "is not text in cp1252; --encoding names another encoding"),
        (b"\xff\xfe\x00a,b\n1,2\n", "is not text in utf-16; --encoding names another encoding"),
        (
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0",
            "is not text; --encoding names that of one",
        ),
        (b"\x1f\x8bnonsense", "is a damaged .gz file"),
        (gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9], "is a damaged .gz file"),
        ('a,b\n1,2\n3,"4\n5,6\n', "line 3: unexpected end of data; is a quote not closed?"),
        ('"a,b\n1,2\n' + "3,4\n" * 40_000, f"line 1: {LONG_FIELD}"),
        ('a,b\n1,"2"3\n', "line 2: ',' expected after '\"'; is a quote not closed?"),
        (f'a,b\n1,"{"x" * 200_000}"\n', f"line 2: {LONG_FIELD}"),
    ],
)
def test_bad_text_is_refused_with_its_path(write, content, message):
    path = write("data.csv", content)
    with pytest.raises(ValueError) as caught:
        tables.read(path)
    assert str(caught.value) == f"{path}: {message}"


def test_an_encoding_that_is_none(write):
    with pytest.raises(ValueError, match=r"--encoding nonsense: is not the name of an encoding$"):
        tables.read(write("data.csv", "a\n1\n"), encoding="nonsense")


def test_the_command_says_how_a_text_was_read_or_what_helps(capsys, write):
    path = write("data.csv", table(X, delimiter=";"))
    first = run(capsys, "select", path)[1].splitlines()[0]
    expected = "divided by semicolons, no header: 30 samples x 12 features"
    assert first == f"{path}, {expected}"
    gaps = write("gaps.csv", "a,b\n1,2\n2,\n")
    message = f"{gaps}: 1 missing value: 1 in column 'b'; {tables.NO_VALUES}"
    assert run(capsys, "select", gaps) == (2, "", f"specsel: {message}\n")
    words = write("words.csv", "a,b\n1,2\n2," + "x" * 5000 + "\n")
    result = run(capsys, "select", words)
    assert_refused(result, "line 3: 'xxx", f"is not a number; {tables.NO_NUMBERS}")
    assert len(result[2]) < len(str(words)) + 200
