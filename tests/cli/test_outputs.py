"""Results are written in the format that a name says; selected columns stay as they are."""

import json
import shutil

import numpy as np
import polars
import pytest
from commands import NAMES, X, assert_refused, run

from specsel import alignment, qalpha, results
from specsel.cli import common, tables

ROWS = [{"rank": 1, "feature": "=a", "weight": 0.5}, {"rank": 2, "feature": "b", "weight": -0.25}]


@pytest.mark.parametrize("suffix", [".csv", ".txt", ""])
def test_text(tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    common.save_rows(path, ROWS)
    assert path.read_text() == "rank,feature,weight\n1,'=a,0.5\n2,b,-0.25\n"


def test_tabs(tmp_path):
    common.save_rows(tmp_path / "out.tsv", ROWS)
    assert (tmp_path / "out.tsv").read_text().splitlines()[1] == "1\t'=a\t0.5"


def test_json_and_parquet_keep_names_and_numbers(tmp_path):
    common.save_rows(tmp_path / "out.json", [*ROWS, {"rank": 3, "feature": "c", "weight": np.nan}])
    assert json.loads((tmp_path / "out.json").read_text())[::2] == [
        ROWS[0],
        {"rank": 3, "feature": "c", "weight": None},
    ]
    common.save_rows(tmp_path / "out.parquet", ROWS)
    assert polars.read_parquet(tmp_path / "out.parquet").to_dicts() == ROWS


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_selected_columns_come_out_as_they_went_in(capsys, write, tmp_path, suffix):
    rows = [["", *NAMES, "kind"]]
    rows += [[f"s{i}", *row, "xy"[i % 2]] for i, row in enumerate(X.tolist())]
    path = write("data.csv", "\n".join(",".join(map(str, row)) for row in rows))
    out = tmp_path / f"reduced{suffix}"
    options = ("--method", "supervised", "--target", "kind", "--select-out", out)
    code, _, _ = run(capsys, "select", path, *options)
    assert code in (0, 1)
    before, after = tables.read(path, target="kind"), tables.read(out, target="kind")
    assert after.rows == before.rows
    assert after.y.tolist() == before.y.tolist()
    columns = [before.names.index(name) for name in after.names]
    np.testing.assert_array_equal(after.values, before.values[:, columns])


def test_selected_columns_are_best_first_and_not_changed(capsys, saved, tmp_path):
    out = tmp_path / "reduced.npy"
    assert run(capsys, "select", saved, "--select-out", out)[0] == 0
    np.testing.assert_array_equal(np.load(out), X[:, qalpha.solve(X, "auto").select()])
    for command in (["path", "--max-size", "2"], ["stable", "--n-boot", "100"]):
        reduced = tmp_path / f"{command[0]}.csv"
        code, _, _ = run(capsys, *command, "--select-out", reduced)
        assert code in (0, 1)
        assert reduced.exists()


def test_columns_of_one_name(tmp_path):
    twice = tables.Table(X[:, :2], None, "", ["a", "a"])
    common.save_selection(tmp_path / "a.csv", twice, [1, 0], None)
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == "a,a"
    with pytest.raises(ValueError, match="two columns have one name; write CSV instead"):
        common.save_selection(tmp_path / "a.json", twice, [1, 0], None)


def test_weights_go_back_into_a_copy_of_the_cells(capsys, tmp_path):
    anndata = pytest.importorskip("anndata")
    import warnings

    import pandas

    warnings.simplefilter("ignore")  # of other packages; pytest restores the filters
    path, out = tmp_path / "cells.h5ad", tmp_path / "out.h5ad"
    var = pandas.DataFrame(index=pandas.Index(NAMES, dtype=object))
    obs = pandas.DataFrame(index=pandas.Index([str(i) for i in range(30)], dtype=object))
    anndata.AnnData(X.astype(np.float32), obs, var).write_h5ad(path)
    kept = tmp_path / "before.h5ad"
    shutil.copy(path, kept)
    code, _, err = run(capsys, "select", path, "--drop", "gene 3", "--out", out)
    assert (code, err) == (0, "")
    assert path.read_bytes() == kept.read_bytes()
    written = anndata.read_h5ad(out).var
    assert written.columns.tolist() == ["specsel_score", "specsel_rank", "specsel_selected"]
    assert np.isnan(written["specsel_score"]["gene 3"])
    assert written["specsel_rank"]["gene 3"] == 0
    assert not written["specsel_selected"]["gene 3"]
    rest = anndata.read_h5ad(path)
    rest = rest[:, rest.var_names != "gene 3"].copy()
    results.annotate(rest, qalpha.solve(rest, "auto"))
    pandas.testing.assert_frame_equal(written.drop("gene 3"), rest.var)
    assert run(capsys, "select", out, "--out", path.with_name("again.h5ad"))[0] == 0
    assert run(capsys, "select", path, "--method", "alignment", "--out", out)[0] == 0
    whole = anndata.read_h5ad(path)
    results.annotate(whole, alignment.solve(whole))
    pandas.testing.assert_frame_equal(anndata.read_h5ad(out).var, whole.var)
    for command in ("path", "stable"):
        refused = run(capsys, command, path, "--out", out)
        assert_refused(refused, f"--out {out}: only select --out of an .h5ad FILE writes .h5ad")
