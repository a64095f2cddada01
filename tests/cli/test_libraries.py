"""Parquet, Arrow and Excel are read by the libraries made for them, as text is."""

import sys

import numpy as np
import pandas
import polars
import pytest
from commands import NAMES, X, assert_refused, run, run_json

from specsel.cli import libraries, tables

KINDS = [["x", "y"][i % 2] for i in range(len(X))]


@pytest.fixture
def frame():
    return polars.DataFrame(X, schema=NAMES).with_columns(kind=polars.Series(KINDS))


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather"])
def test_columns(tmp_path, frame, suffix):
    path = tmp_path / f"data{suffix}"
    frame.write_parquet(path) if suffix == ".parquet" else frame.write_ipc(path)
    table = tables.read(path, "kind")
    assert table.names == NAMES
    np.testing.assert_array_equal(table.X.to_numpy(), X)
    assert table.y.tolist() == KINDS
    with pytest.raises(ValueError, match=r"column 'kind' holds string, no numbers"):
        tables.read(path)
    with pytest.raises(ValueError, match=r"no column 'kin'; did you mean 'kind'\?"):
        tables.read(path, "kin")


def test_nulls_are_missing_values(tmp_path):
    path = tmp_path / "data.parquet"
    polars.DataFrame(
        {"a": [1, None, 3], "b": [1.5, 2.5, None], "c": [True, False, True]}
    ).write_parquet(path)
    with pytest.raises(ValueError, match="2 missing values: 1 in column 'a', 1 in column 'b'"):
        tables.read(path)
    table = tables.read(path, impute="median")
    np.testing.assert_array_equal(table.X.to_numpy(), [[1, 1.5, 1], [2, 2.5, 0], [3, 2, 1]])


@pytest.mark.parametrize("name", ["__index_level_0__", "who"])
def test_names_of_rows(tmp_path, frame, name):
    path = tmp_path / "data.parquet"
    named = frame.with_columns(polars.Series(name, [f"s{i}" for i in range(len(X))]))
    noted = {"pandas": f'{{"index_columns": ["{name}"]}}'}
    named.write_parquet(path, metadata=noted)
    table = tables.read(path, drop=["kind"])
    assert table.rows[:2] == ["s0", "s1"]
    assert table.names == NAMES
    assert table.facts == (f"rows named by {name!r}",)
    named.write_parquet(path)
    assert tables.read(path, drop=["kind"], index=name).rows == table.rows


def test_excel(tmp_path, capsys):
    pytest.importorskip("fastexcel")
    pytest.importorskip("openpyxl")
    path = tmp_path / "data.xlsx"
    rows = [f"s{i}" for i in range(len(X))]
    with pandas.ExcelWriter(path) as book:
        pandas.DataFrame(X, rows, NAMES).assign(kind=KINDS).to_excel(book, sheet_name="one")
        pandas.DataFrame([[1]]).to_excel(book, sheet_name="two")
    table = tables.read(path, "kind")
    np.testing.assert_allclose(table.X.to_numpy(), X, rtol=1e-12)
    assert (table.names, table.rows, table.y.tolist()) == (NAMES, rows, KINDS)
    assert table.facts[0] == "sheet 'one', the first of 2 (--sheet takes another)"
    for sheet in ("2", "two"):
        assert tables.read(path, sheet=sheet, header="yes").X.to_numpy().tolist() == [[1.0]]
    assert tables.read(path, sheet="1", drop=["kind"]).facts == ("rows named by the first column",)
    refused = run(capsys, "select", path, "--sheet", "3")
    assert_refused(refused, "has no sheet '3'; it has one, two")
    assert_refused(run(capsys, "select", path, "--sheet", "Two"), "did you mean 'two'?")
    wavelengths = pandas.DataFrame(X, columns=[1100 + 2 * i for i in range(X.shape[1])])
    wavelengths.to_excel(path, index=False)
    assert_refused(run(capsys, "select", path), "may be a header or a sample: say --header yes")
    assert run_json(capsys, path, "--header", "yes")["n_samples"] == len(X)


def test_a_text_has_no_sheets(capsys, saved):
    refused = run(capsys, "select", saved, "--sheet", "one")
    assert_refused(refused, "data.csv: is no Excel file; leave --sheet out")


@pytest.mark.parametrize("suffix", libraries.READERS)
def test_damaged_files_are_refused_in_one_line(capsys, write, suffix):
    pytest.importorskip("polars" if suffix in PANELS else "fastexcel")
    path = write(f"data{suffix}", b"PAR1 and no more")
    assert_refused(run(capsys, "select", path), f"{path}: is not a complete {suffix} file")
    missing = path.with_name(f"no{suffix}")
    assert_refused(run(capsys, "select", missing), f"{missing}: No such file")


PANELS = (".parquet", ".arrow", ".feather", ".ipc")


@pytest.mark.parametrize("suffix", libraries.READERS)
def test_one_line_names_the_extra(capsys, write, monkeypatch, suffix):
    for package in ("polars", "fastexcel"):
        monkeypatch.setitem(sys.modules, package, None)
    path = write(f"data{suffix}", b"x")
    result = run(capsys, "select", path)
    assert_refused(result, f"{path}: {suffix} needs ", "pip install 'specsel[files]'")
