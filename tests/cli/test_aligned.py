"""``specsel select --method alignment`` against the solver."""

import csv
import json

import numpy as np
import pytest
from commands import NAMES, X
from commands import run as run_command

from specsel import alignment


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "genes.csv"
    rows = [[*map(repr, row.tolist()), "ab"[s % 2]] for s, row in enumerate(X)]
    path.write_text("\n".join(map(",".join, [[*NAMES, "kind"], *rows])) + "\n")
    return path


def run(capsys, *arguments):
    return run_command(capsys, "select", "--method", "alignment", *arguments)


def test_the_ranking_is_that_of_the_solver(path, tmp_path, capsys):
    out = tmp_path / "ranking.csv"
    found = alignment.solve(X)
    code, text, err = run(capsys, path, "--drop", "kind", "--json", "--out", out)
    answer = json.loads(text)
    assert (code, err) == (0, "")
    assert [row["index"] for row in answer["ranking"]] == found.ranking.tolist()
    np.testing.assert_allclose([row["score"] for row in answer["ranking"]], found.scores)
    assert answer["selected"] == [NAMES[i] for i in found.ranking[: len(found.support)]]
    assert (answer["target"], answer["peak"]) == ("neighbours", found.peak)
    with out.open() as file:
        assert [row["feature"] for row in csv.DictReader(file)] == [
            NAMES[i] for i in found.ranking
        ]


def test_options_reach_the_solver(path, capsys):
    options = {"neighbours": 3, "components": 4, "scale": "native"}
    given = [text for name, value in options.items() for text in (f"--{name}", value)]
    found = alignment.solve(X, n=5, **options)
    _, text, _ = run(capsys, path, "--drop", "kind", "--features", 5, *given, "--json")
    assert [row["index"] for row in json.loads(text)["ranking"]] == found.ranking.tolist()
    found = alignment.solve(X, np.arange(30) % 2, n=5)
    _, text, _ = run(capsys, path, "--target", "kind", "--features", 5, "--json")
    answer = json.loads(text)
    assert answer["target"] == "classes"
    assert [row["index"] for row in answer["ranking"]] == found.ranking.tolist()


def test_the_text_ends_on_the_peak(path, capsys):
    found = alignment.solve(X)
    _, text, _ = run(capsys, path, "--drop", "kind", "--top", 3)
    lines = text.splitlines()
    assert lines[3] == "   rank  feature    score"
    assert lines[4] == f" *    1  {NAMES[found.ranking[0]]:7}  {found.scores[0]:7.4f}"
    assert lines[7] == "   and 9 more"
    assert lines[-1] == (
        f"{len(found.support)} of 12 features selected (*); peak at {found.peak} features"
    )


def test_a_picture(path, tmp_path, capsys):
    picture = tmp_path / "scores.png"
    run(capsys, path, "--drop", "kind", "--plot", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_columns_in_different_units_are_standardised(capsys, tmp_path):
    rng = np.random.default_rng(0)
    units = rng.standard_normal((60, 12)) * np.geomspace(1, 1e6, 12) + 5
    path = tmp_path / "units.npy"
    np.save(path, units)
    code, text, _ = run(capsys, path, "--standardise", "--features", 4, "--json")
    answer = json.loads(text)
    found = alignment.solve((units - units.mean(axis=0)) / units.std(axis=0), n=4)
    assert code == 0
    assert [row["index"] for row in answer["ranking"]] == found.ranking.tolist()
    assert answer["data"].endswith("columns standardised")
    code, _, err = run_command(capsys, "select", path, "--standardise")
    assert code == 2
    assert "--standardise: is not used by --method qalpha" in err
