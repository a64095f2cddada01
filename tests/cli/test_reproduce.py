"""The experiments from the command line: tables, files, and what is refused."""

import csv

import pytest

from specsel import papers
from specsel.cli import main as cli
from specsel.cli import reproduce as cli_reproduce
from specsel.papers import report


def run(capsys, *arguments):
    code = cli.main(["reproduce", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_without_a_name_the_experiments_are_listed(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == list(papers.EXPERIMENTS)


def test_a_table_has_published_numbers_beside_ours(capsys):
    code, out, err = run(capsys, "topography", "--quick")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("topography: Two groupings of the same samples, ")
    assert lines[1].split() == ["published", "ours", "deviation", "seeds", "full", "run"]
    assert lines[2].startswith("  groupings told apart")
    assert "1 of 1" in lines[2]
    kept = report.load("topography")["groupings told apart"]
    assert lines[2].split()[-2:] == ["20", f"{kept.ours:.4g}"]


def test_tables_and_figures_are_written(capsys, tmp_path):
    for name in ("topography", "sparsity"):
        assert run(capsys, name, "--quick", "--out", tmp_path)[0] == 0
        with open(tmp_path / f"{name}.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [*rows[0]] == [
            "experiment", "what", "published", "ours", "spread", "seeds", "unit", "where",
            "full_run", "seconds",
        ]  # fmt: skip
        assert rows[0]["experiment"] == name
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        page = (tmp_path / "reproduce.html").read_text(encoding="utf-8")
        for part in (f"<h2>{name}</h2>", "data:image/png;base64,", "where published", "The run"):
            assert part in page
        assert "}\n\n%" in page  # entries of BibTeX on lines of their own
        for outside in ("<script", "href=", "@import", "url(", 'src="http'):
            assert outside not in page


def test_all_experiments_run_one_after_the_other(capsys, monkeypatch):
    monkeypatch.setattr(papers, "EXPERIMENTS", {"topography": "", "sparsity": ""})
    code, out, _ = run(capsys, "all", "--quick")
    assert code == 0
    assert "sparsity: " in out
    assert out.splitlines()[-1].startswith("all: ")


@pytest.mark.parametrize("name", papers.EXPERIMENTS)
def test_an_experiment_has_a_module_and_a_quick_run(name):
    module = papers.load(name)
    assert {*module.quick} <= {*module.run.__code__.co_varnames}
    assert "progress" in module.run.__code__.co_varnames


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "argument NAME: invalid choice: 'nothing'"),
        (["topography", "--data", "x.csv"], "--data and --target: only genes takes them"),
        (["--data", "x.csv", "--target", "y"], "--data and --target: only genes takes them"),
        (
            ["genes", "--target", "x"],
            "--data and --target: both are needed, or neither; .npz has its own y",
        ),
        (
            ["genes", "--data", "x.npz", "--target", "x"],
            "--data and --target: both are needed, or neither; .npz has its own y",
        ),
        (["topography", "--out", "no such folder"], "--out no such folder: is not a folder"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"specsel: {message}")
    assert err.count("\n") == 1


def test_missing_packages_are_named(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(cli_reproduce, "find_spec", lambda package: None)
    _, _, err = run(capsys, "weston")
    assert err == "specsel: weston: needs scikit-learn: pip install 'specsel[papers]'\n"
    _, _, err = run(capsys, "topography", "--out", tmp_path)
    assert err == "specsel: --out: needs matplotlib: pip install 'specsel[papers]'\n"
