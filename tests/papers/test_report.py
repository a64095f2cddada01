"""Reports: published numbers beside ours, the last full runs, and what is drawn."""

import csv
from fnmatch import fnmatchcase

import numpy as np
import pytest
from matplotlib.figure import Figure

from specsel import papers
from specsel.papers import report, sources

FOLDER = sources.files("specsel.papers") / "data"
PAPERS = (
    "Wolf and Shashua 2005",
    "Shashua and Wolf 2004",
    "Wolf and Bileschi 2005",
    "Moghaddam et al. 2006",
    "Mavroeidis and Vazirgiannis 2007",
)


def test_every_published_number_has_its_place_in_a_paper_and_its_row():
    for fact in report.published():
        assert fact["value"]
        assert fact["where"].startswith(PAPERS), fact
        assert any(word in fact["where"] for word in ("Table", "Fig.", "Sec.", "Theorem")), fact
        rows = report.load(fact["experiment"])  # none of genes, where the set is another
        assert not rows or any(fnmatchcase(row, fact["what"]) for row in rows), fact


# The tables of the papers, by their sums: a number that is changed by mistake is seen.
@pytest.mark.parametrize(
    ("where", "total"),
    [
        ("Wolf and Shashua 2005, Table 1", 1849),
        ("Wolf and Bileschi 2005, Table 1 (Yale)", 620.1),
        ("Shashua and Wolf 2004, Sec. 6, table", 14.4177),
    ],
)
def test_the_tables_are_those_of_the_papers(where, total):
    values = [float(fact["value"]) for fact in report.published() if fact["where"] == where]
    assert sum(values) == pytest.approx(total)


def test_bounds_are_expected_to_grow_as_lemma_13_says():
    sizes = np.array([25, 50, 100, 200, 400])
    expected = np.sqrt(sizes * (1 + sizes / 60))
    known = [f["value"] for f in report.published() if f["where"].endswith("2005, Sec. 4.2")]
    assert known == [f"{ratio:.3g}" for ratio in expected / expected[0]]


def test_the_published_number_stands_beside_its_row():
    rows = [report.row("groupings told apart", [1, 2, 3]), report.row("errors", [1, 2, 3])]
    beside, alone = report.make("topography", "title", rows).rows
    assert (beside.published, beside.where) == ("1 of 1", "Shashua and Wolf 2004, Fig. 2")
    assert (alone.published, alone.where) == ("-", "")


@pytest.mark.parametrize("name", sorted(papers.EXPERIMENTS))
def test_an_experiment_has_the_table_of_its_last_full_run(name):
    with open(FOLDER / f"{name}.csv", newline="", encoding="utf-8") as file:
        columns, *rows = csv.reader(file)
    assert tuple(columns) == report.COLUMNS
    assert len(rows) == len(report.load(name)) > 0  # no two rows have one name
    assert all(kept.seeds >= 1 and kept.ours == kept.ours for kept in report.load(name).values())


def test_there_is_no_table_without_an_experiment():
    tables = {file.name.removesuffix(".csv") for file in FOLDER.iterdir() if "csv" in file.name}
    assert tables == {*papers.EXPERIMENTS, "published"}


@pytest.mark.parametrize("name", ["topography", "sparsity", "laplacian", "pairwise", "stability"])
def test_what_a_quick_run_prints_was_run_in_full(name):
    module, kept = papers.load(name), report.load(name)
    for row in module.run(**module.quick).rows:
        full_run = kept[row.what]
        assert row.seeds <= full_run.seeds
        near = 5 * max(row.spread, full_run.spread)
        assert row.ours == pytest.approx(full_run.ours, abs=near, rel=1e-5)


def test_numbers_are_kept_as_they_are(tmp_path, monkeypatch):
    rows = [report.row("errors, of 10", [1, 2, 3]), report.row('a "share"', [1 / 3])]
    (tmp_path / "data").mkdir()
    report.save("topography", rows, tmp_path / "data")
    monkeypatch.setattr(report, "files", lambda package: tmp_path)
    kept = report.load("topography")
    assert kept["errors, of 10"][2:5] == (2, 1, 3)
    assert kept['a "share"'].ours == pytest.approx(1 / 3, abs=1e-6)
    assert report.load("sparsity") == {}


def test_bars_are_drawn_where_there_are_no_lines_a_panel_a_unit():
    rows = [
        report.row("one", [1, 3], "errors")._replace(published="1.5 or more"),
        report.row("one", [0.3], "share"),
        report.row("two", [4], "errors")._replace(published="a few"),
    ]
    figure = Figure()
    report.draw(report.Report("A title", rows), figure)
    errors, shares = figure.axes
    assert [bar.get_width() for bar in errors.patches] == [2, 4]
    assert [label.get_text() for label in errors.get_yticklabels()] == ["one", "two"]
    assert (errors.get_xlabel(), shares.get_xlabel()) == ("errors", "share")
    [marks] = [line for line in errors.lines if line.get_label() == "published"]
    np.testing.assert_array_equal(marks.get_xdata(), [1.5, np.nan])


def test_every_combination_is_measured_and_progress_is_reported_before_each():
    reported = []

    def measure(x, y):
        return {"sum": x + y, "both": [x, y]}

    found = report.collect(measure, lambda *state: reported.append(state), "ab", "cd")
    assert found["sum"].tolist() == [["ac", "ad"], ["bc", "bd"]]
    assert found["both"].shape == (2, 2, 2)
    assert reported == [(0, 4), (1, 4), (2, 4), (3, 4)]
