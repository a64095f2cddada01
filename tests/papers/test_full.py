"""The last full runs that come with the package."""

import csv

import pytest

from specsel import papers
from specsel.papers import report, sources

FOLDER = sources.files("specsel.papers") / "data"


@pytest.mark.parametrize("name", sorted(papers.EXPERIMENTS))
def test_an_experiment_has_the_table_of_its_last_full_run(name):
    with open(FOLDER / f"{name}.csv", newline="", encoding="utf-8") as file:
        columns, *rows = csv.reader(file)
    assert tuple(columns) == report.COLUMNS
    assert len(rows) == len(report.load(name)) > 0  # no two rows have one name
    assert all(kept.seeds >= 1 and kept.ours == kept.ours for kept in report.load(name).values())


def test_there_is_no_table_without_an_experiment():
    tables = {file.name for file in FOLDER.iterdir() if file.name.endswith(".csv")}
    assert tables <= {f"{name}.csv" for name in papers.EXPERIMENTS}


@pytest.mark.parametrize("name", ["topography", "sparsity", "laplacian", "pairwise", "stability"])
def test_what_a_quick_run_prints_was_run_in_full(name):
    module = papers.load(name)
    kept = report.load(name)
    for row in module.run(**module.quick).rows:
        full_run = kept[row.what]
        assert row.seeds <= full_run.seeds
        near = 5 * max(row.spread, full_run.spread)
        assert row.ours == pytest.approx(full_run.ours, abs=near, rel=1e-5)


def test_what_is_kept_is_what_was_found(tmp_path, monkeypatch):
    rows = [report.row("errors, of 10", [1, 2, 3]), report.row('a "share"', [1 / 3])]
    (tmp_path / "data").mkdir()
    report.save("topography", rows, tmp_path / "data")
    monkeypatch.setattr(report, "files", lambda package: tmp_path)
    kept = report.load("topography")
    assert kept["errors, of 10"][2:5] == (2, 1, 3)
    assert kept['a "share"'].ours == pytest.approx(1 / 3, abs=1e-6)
    assert report.load("sparsity") == {}
