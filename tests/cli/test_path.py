"""The cardinality path from the command line."""

import csv
import json

import numpy as np
import pytest
from commands import run as run_command

from specsel import datasets, eslda, gslda
from specsel.cli import common

DATA = datasets.lda_problem(8, n_samples=60, n_relevant=3, random_state=1)
NAMES = [f"gene {i}" for i in range(8)]


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "data.csv"
    lines = [",".join([*NAMES, "sick"])]
    lines += [
        ",".join([*map(repr, row), str(label)])
        for row, label in zip(DATA.X.tolist(), DATA.y, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def run(capsys, *arguments):
    return run_command(capsys, "path", *arguments)


def test_the_path_is_that_of_the_solvers(capsys, saved):
    code, out, err = run(capsys, saved, "--target", "sick", "--json")
    assert (code, err) == (0, "")
    printed = json.loads(out)
    assert (printed["n_samples"], printed["n_features"], printed["n_classes"]) == (60, 8, 2)
    greedy = gslda.solve(DATA.X, DATA.y)
    exact = eslda.solve(DATA.X, DATA.y, k="all")
    for row in printed["path"]:
        subset = exact[row["size"]]
        assert row["features"] == [NAMES[i] for i in subset.support]
        assert row["exact"] == pytest.approx(subset.value)
        assert row["bound"] == pytest.approx(subset.bound)
        assert row["greedy"] == pytest.approx(greedy[row["size"]].value)
        assert row["status"] == "optimal"
    assert len(printed["path"]) == 8


def test_the_table_names_features_and_classes(capsys, saved):
    code, out, _ = run(capsys, saved, "--target", "sick", "--max-size", 3)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == f"{saved}: 60 samples x 8 features"
    assert lines[1].startswith("sparse LDA of 2 classes, ")
    assert lines[3].split() == ["size", "greedy", "exact", "bound", "gap", "status", "features"]
    assert len(lines) == 7
    assert "gene" in lines[4]


def test_the_built_in_example(capsys):
    code, out, _ = run(capsys, "--max-size", 2)
    assert code == 0
    assert "built-in example" in out
    assert "signal_" in out


def test_features_to_hold_and_to_leave_out(capsys, saved):
    options = ["--target", "sick", "--json", "--always", "gene 7,gene 2", "--never", "gene 0"]
    code, out, _ = run(capsys, saved, *options)
    assert code == 0
    for row in json.loads(out)["path"]:
        assert {"gene 7", "gene 2"} <= {*row["features"]}
        assert "gene 0" not in row["features"]


def test_greedy_alone(capsys, saved, monkeypatch):
    monkeypatch.setattr(eslda, "solve", None)
    code, out, _ = run(capsys, saved, "--target", "sick", "--greedy", "--json")
    assert code == 0
    assert {row["status"] for row in json.loads(out)["path"]} == {"greedy"}
    first = json.loads(out)["path"][0]
    assert first["exact"] is None
    assert 0 <= first["lower"] <= first["greedy"] <= first["bound"]
    assert len(first["direction"]) == 1
    assert " - " in run(capsys, saved, "--target", "sick", "--greedy")[1]
    monkeypatch.setattr(eslda, "FEATURES_LIMIT", 5)
    code, _, err = run(capsys, saved, "--target", "sick")
    message = "specsel: no search: it takes at most 5 features; --never leaves some out\n"
    assert (code, err) == (1, message)


def test_many_features_without_labels_go_up_the_ladder(capsys, tmp_path):
    """A factor of five features is proved; of iid noise too much survives."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 310))
    np.save(tmp_path / "noise.npy", X)
    X[:, :5] += 9 * rng.standard_normal((200, 1))
    np.save(tmp_path / "factor.npy", X)
    found = [
        run(capsys, tmp_path / f"{name}.npy", "--max-size", 5, "--json")
        for name in ("factor", "noise")
    ]
    assert [code for code, _, _ in found] == [0, 1]
    statuses = [[row["status"] for row in json.loads(out)["path"]] for _, out, _ in found]
    assert statuses[0] == ["optimal"] * 5
    assert statuses[1][0] == "optimal"
    assert statuses[1][-1] == "features"


def test_what_was_not_proved_in_time_is_told(capsys, tmp_path):
    X = datasets.lda_problem(60, n_samples=80, correlation=0.9, noise=6.0)
    table = np.column_stack((X.X, X.y))
    np.save(tmp_path / "data.npy", table)
    options = ["--target", 60, "--max-size", 20, "--time-limit", 0, "--json"]
    code, out, _ = run(capsys, tmp_path / "data.npy", *options)
    assert code == 1
    assert any(row["gap"] > 0 for row in json.loads(out)["path"])


def test_features_in_the_table_are_read_back(capsys, tmp_path):
    names = ["a, b", "c", 'd "e"']
    path, out = tmp_path / "data.csv", tmp_path / "out.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(np.random.default_rng(0).standard_normal((9, 3)).tolist())
    options = ["--never", 'd "e"', "--always", '"a, b"', "--always", "c", "--out", out]
    assert run(capsys, path, *options)[0] == 0
    with open(out, newline="") as file:
        (row,) = csv.DictReader(file)
    assert common.listed([row["features"]]) == names[:2]


REFUSED = {
    "--target: needs FILE": ["--target", "x"],
    "--max-size 0: must be from 1 to 40, the features allowed": ["--max-size", 0],
    "--max-size 41: must be from 1 to 40, the features allowed": ["--max-size", 41],
    "--never: no feature is named 'x'": ["--never", "x"],
    "--direction forward: is for greedy selection; add --greedy": ["--direction", "forward"],
    "--matrix covariance: is for sparse PCA, without class labels": ["--matrix", "covariance"],
    "--never: holds feature 'signal_1', as always does": [
        "--never",
        "signal_1",
        "--always",
        "signal_1",
    ],
    "--time-limit -1.0: must be a finite number at least 0": ["--time-limit", -1],
    "--shrinkage -1.0: must be a finite number at least 0": ["--shrinkage", -1],
}


@pytest.mark.parametrize("message", REFUSED)
def test_bad_options_are_refused_in_one_line(capsys, message):
    code, out, err = run(capsys, *REFUSED[message])
    assert (code, out, err) == (2, "", f"specsel: {message}\n")


def test_thresholding_is_that_of_the_function(capsys, saved):
    options = ("--target", "sick", "--threshold", "--max-size", 4, "--json")
    code, out, _ = run(capsys, saved, *options)
    assert code == 0
    path = gslda.threshold(DATA.X, DATA.y, range(1, 5))
    for row in json.loads(out)["path"]:
        assert row["greedy"] == pytest.approx(path[row["size"]].value)
        assert (row["exact"], row["status"]) == (None, "greedy")
    code, _, err = run(capsys, saved, *options, "--always", "gene 1")
    assert code == 2
    assert "--always: is no option of --threshold" in err


def test_the_criterion_is_taken_and_told(capsys, saved):
    for criterion in ("leading", "trace", "logdet"):
        options = ("--target", "sick", "--criterion", criterion, "--max-size", 2, "--json")
        code, out, _ = run(capsys, saved, *options)
        printed = json.loads(out)
        assert (code, printed["criterion"]) == (0, criterion)
        best = eslda.solve(DATA.X, DATA.y, k=2, criterion=criterion)
        assert printed["path"][1]["exact"] == pytest.approx(best.value)
