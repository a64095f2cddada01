"""Files that commands write: results, selected columns, genes of AnnData, reports."""

import json
import os
import re
import shutil
import sys
import warnings
from contextlib import contextmanager

import numpy as np
import pandas
import pytest
from commands import NAMES, X, assert_refused, run, table

from specsel import alignment, qalpha, results
from specsel.cli import common, tables

ROWS = [{"rank": 1, "feature": "=a", "weight": 0.5}, {"rank": 2, "feature": "b", "weight": -0.25}]
COMMANDS = {
    "select": ("-k", "3"),
    "select --method topography": ("-k", "2", "--max-iter", "5"),
    "select --method alignment": (),
    "select --method supervised": (),
    "path": ("--max-size", "3"),
    "stable": ("--n-boot", "100", "--retain", "0.05"),
}


class TestRows:
    @pytest.mark.parametrize(
        ("name", "delimiter"), [("a.csv", ","), ("a.txt", ","), ("a", ","), ("a.tsv", "\t")]
    )
    def test_text(self, tmp_path, name, delimiter):
        common.save_rows(tmp_path / name, ROWS)
        text = (tmp_path / name).read_text()
        assert text.replace(delimiter, ",") == "rank,feature,weight\n1,'=a,0.5\n2,b,-0.25\n"

    def test_json_and_parquet_keep_names_and_numbers(self, tmp_path):
        json_path, parquet = tmp_path / "out.json", tmp_path / "out.parquet"
        common.save_rows(json_path, [*ROWS, {"rank": 3, "feature": "c", "weight": np.nan}])
        last = {"rank": 3, "feature": "c", "weight": None}
        assert json.loads(json_path.read_text()) == [*ROWS, last]
        common.save_rows(parquet, ROWS)
        assert pandas.read_parquet(parquet).to_dict("records") == ROWS


class TestSelectedColumns:
    @pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
    def test_they_come_out_as_they_went_in(self, capsys, write, tmp_path, suffix):
        rows = [["", *NAMES, "kind"]]
        rows += [[f"s{i}", *row, "xy"[i % 2]] for i, row in enumerate(X.tolist())]
        path = write("data.csv", "\n".join(",".join(map(str, row)) for row in rows))
        out = tmp_path / f"reduced{suffix}"
        options = ("--method", "supervised", "--target", "kind", "--select-out", out)
        assert run(capsys, "select", path, *options)[0] in (0, 1)
        before, after = tables.read(path, target="kind"), tables.read(out, target="kind")
        assert after.rows == before.rows
        assert after.y.tolist() == before.y.tolist()
        columns = [before.names.index(name) for name in after.names]
        np.testing.assert_array_equal(after.values, before.values[:, columns])

    def test_they_are_best_first(self, capsys, saved, tmp_path):
        out = tmp_path / "reduced.npy"
        assert run(capsys, "select", saved, "--select-out", out)[0] == 0
        np.testing.assert_array_equal(np.load(out), X[:, qalpha.solve(X, "auto").select()])
        for command in (["path", "--max-size", "2"], ["stable", "--n-boot", "100"]):
            reduced = tmp_path / f"{command[0]}.csv"
            assert run(capsys, *command, "--select-out", reduced)[0] in (0, 1)
            assert reduced.exists()

    def test_columns_of_one_name(self, tmp_path):
        twice = tables.Table(X[:, :2], None, "", ["a", "a"])
        common.save_selection(tmp_path / "a.csv", twice, [1, 0], None)
        assert (tmp_path / "a.csv").read_text().splitlines()[0] == "a,a"
        with pytest.raises(ValueError, match="two columns have one name; write CSV instead"):
            common.save_selection(tmp_path / "a.json", twice, [1, 0], None)


@contextmanager
def full_disk(size):
    """Let no file grow beyond this size."""
    import resource  # which only Unix has

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


OUTPUTS = {
    "--out": (".csv", ".json", ".parquet", ".h5ad"),
    "--select-out": (".csv", ".npy", ".json"),
    "--report": (".html",),
    "--plot": (".png", ".svg", ".pdf"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are those of Unix")
@pytest.mark.parametrize("option", OUTPUTS)
def test_on_a_full_disk_the_old_file_stays(capsys, tmp_path, cells, option):
    for suffix in OUTPUTS[option]:
        old, new = tmp_path / f"old{suffix}", tmp_path / f"new{suffix}"
        old.write_text("kept")
        call = ("select", cells, "--permutations", 0, "--json", option)
        assert run(capsys, *call, new)[0] == 0
        for limit in (9, cells.stat().st_size) if suffix == ".h5ad" else (9,):
            with full_disk(limit):
                code, _, err = run(capsys, *call, old)
            assert (code, err) == (2, f"specsel: {old}: File too large\n")
            assert old.read_text() == "kept"
    assert {file.stem for file in tmp_path.iterdir()} == {"cells", "old", "new"}


def test_pipes_and_links_are_written_through(capsys, tmp_path):
    link, file, pipe = (tmp_path / name for name in ("link.csv", "file.csv", "pipe.csv"))
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for out in (link, pipe):
        assert run(capsys, "select", "--permutations", 0, "--out", out)[0] == 0
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert os.read(reader, 2**16).decode() == file.read_text()
    os.close(reader)


@pytest.fixture
def cells(tmp_path):
    """An .h5ad file."""
    anndata = pytest.importorskip("anndata")
    warnings.simplefilter("ignore")  # of other packages; pytest restores the filters
    path = tmp_path / "cells.h5ad"
    var = pandas.DataFrame({"kind": [*"xy"] * 6}, pandas.Index(NAMES, dtype=object), dtype=object)
    var["kind"] = var["kind"].astype("category")
    obs = pandas.DataFrame(index=pandas.Index([str(i) for i in range(30)], dtype=object))
    anndata.AnnData(X.astype(np.float32), obs, var).write_h5ad(path)
    return path


def test_weights_go_back_into_a_copy_of_the_cells(capsys, tmp_path, cells):
    anndata = pytest.importorskip("anndata")
    path, out = cells, tmp_path / "out.h5ad"
    kept = tmp_path / "before.h5ad"
    shutil.copy(path, kept)
    code, _, err = run(capsys, "select", path, "--drop", "gene 3", "--out", out)
    assert (code, err) == (0, "")
    assert path.read_bytes() == kept.read_bytes()
    written = anndata.read_h5ad(out).var
    added = ["specsel_score", "specsel_rank", "specsel_selected"]
    assert written.columns.tolist() == ["kind", *added]
    assert np.isnan(written["specsel_score"]["gene 3"])
    assert written["specsel_rank"]["gene 3"] == 0
    assert not written["specsel_selected"]["gene 3"]
    rest = anndata.read_h5ad(path)
    rest = rest[:, rest.var_names != "gene 3"].copy()
    results.annotate(rest, qalpha.solve(rest, "auto"))
    pandas.testing.assert_frame_equal(written.drop("gene 3"), rest.var)
    assert run(capsys, "select", out, "--out", path.with_name("again.h5ad"))[0] == 0
    assert run(capsys, "select", path, "--method", "alignment", "--out", out)[0] == 0
    complete = anndata.read_h5ad(path)
    results.annotate(complete, alignment.solve(complete))
    pandas.testing.assert_frame_equal(anndata.read_h5ad(out).var, complete.var)
    for command in ("path", "stable"):
        refused = run(capsys, command, path, "--out", out)
        assert_refused(refused, f"--out {out}: only select --out of an .h5ad FILE writes .h5ad")


class TestReport:
    @pytest.mark.parametrize("command", COMMANDS)
    def test_one_file_without_scripts_or_network(self, capsys, tmp_path, command):
        path = tmp_path / "run.html"
        code, _, _ = run(capsys, *command.split(), *COMMANDS[command], "--report", path)
        assert code in (0, 1)
        page = path.read_text(encoding="utf-8")
        assert f"specsel {command.split()[0]}" in page
        for part in ("selected features", "The data as read", "The run", "What to cite", "@misc{"):
            assert part in page
        assert page.count("<svg") >= 1
        assert "signal_6" in page
        assert not re.search(r"<script|src=|@import|href=\"[^#]|url\([^#]", page)
        texts = re.sub(r"<style>.*?</style>", "", page, flags=re.S)
        assert "nan" not in re.findall(r">([^<]*)<", texts)

    def test_what_was_read_and_done(self, capsys, write, tmp_path):
        rows = X.tolist()
        rows[3][2] = ""
        lines = [";".join(["who", *[f"g{i}" for i in range(12)], "kind"])]
        lines += [";".join([f"s{i}", *map(str, row), "xy"[i % 2]]) for i, row in enumerate(rows)]
        data = write("data.csv", "\n".join(lines).replace(".", ","))
        path = tmp_path / "run.html"
        options = ("--index", "who", "--drop", "kind", "--impute", "median", "-k", "2")
        code, _, _ = run(capsys, "select", data, *options, "--report", path, "--seed", "7")
        assert code == 0
        page = path.read_text(encoding="utf-8")
        for part in (
            "decimal commas",
            "1 missing value set to the median of the column",
            "kind, who",
            "30 samples, with names",
            "--impute median",
            "<dt>seed</dt><dd>7</dd>",
            "cluster 1: ",
            "s29",
            "wolf2005feature",
        ):
            assert part in page

    def test_names_are_harmless(self, capsys, write, tmp_path):
        names = ["<script>alert(1)</script>", "\x1b[31m", *[f"g{i}" for i in range(10)]]
        path = tmp_path / "run.html"
        assert run(capsys, "select", write("a.csv", table(X, names)), "--report", path)[0] == 0
        page = path.read_text(encoding="utf-8")
        assert "<script" not in page
        assert "\x1b" not in page
