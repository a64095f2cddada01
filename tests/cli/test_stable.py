"""The search for a stable subspace from the command line."""

import csv
import json

import numpy as np
import pytest
from commands import run as run_command
from scipy import sparse

from specsel import sbs
from specsel.cli import terminal

NAMES = [f"word {i}" for i in range(8)]


def counts():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 8)) + 2 * rng.standard_normal((150, 1))
    X[:, 6:] = rng.standard_t(1.5, (150, 2))
    return X.round(4)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "data.csv"
    lines = [",".join([*NAMES, "spam"])]
    lines += [",".join([*map(repr, row), "yes" if row[0] > 0 else "no"]) for row in X.tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path


X = counts()
OPTIONS = ("--target", "spam", "--matrix", "covariance", "--n-boot", 200)


def run(capsys, *arguments):
    return run_command(capsys, "stable", *arguments)


def test_the_search_is_that_of_the_solver(capsys, saved):
    code, out, err = run(capsys, saved, *OPTIONS, "--retain", 0.01, "--seed", 4, "--json")
    assert (code, err) == (0, "")
    printed = json.loads(out)
    found = sbs.solve(X, matrix="covariance", retain=0.01, n_boot=200, random_state=4)
    assert found.removed.size
    assert printed["kept"] == [NAMES[i] for i in found.support]
    assert printed["removed"] == [NAMES[i] for i in found.removed]
    assert (printed["k"], printed["converged"]) == (found.k, True)
    assert printed["share"] == pytest.approx(found.share)
    assert printed["stable"] == pytest.approx({str(k): share for k, share in found.stable.items()})
    assert printed["eigenvalues"] == pytest.approx(found.eigenvalues)
    assert printed["n_decompositions"] + printed["n_skipped"] == len(found.trace)
    for row, step in zip(printed["trace"], found.trace, strict=True):
        removed = None if step.removed is None else NAMES[step.removed]
        assert (row["size"], row["removed"]) == (step.size, removed)
        assert (row["gap"], row["error"]) == pytest.approx((step.gap, step.error))


def test_the_table_shows_every_size_and_the_outcome(capsys, saved):
    code, out, err = run(capsys, saved, *OPTIONS, "--retain", 0.01)
    assert (code, err) == (0, "")
    steps = sbs.solve(X, matrix="covariance", retain=0.01, n_boot=200, random_state=0).trace
    lines = out.splitlines()
    assert lines[0] == f"{saved}: 150 samples x 8 features"
    assert lines[1] == "covariance, 200 resamples, confidence 0.9, retain 0.01"
    assert lines[3].split() == ["left", "removed", "gap", "4", "|E|", "stable", "k", "(share)"]
    assert lines[4].split()[0] == "8"
    assert lines[5].startswith("     7  word ")
    assert "1 (" in lines[-5]
    table = lines[4 : lines.index("", 4)]
    known = [step.stable is not None for step in steps]
    assert [" <" not in line for line in table] == known
    assert not all(known)
    assert lines[-3].startswith("k = 1 component of ")
    assert lines[-2].startswith("kept: word 0, word 1")
    assert lines[-1].startswith("removed: word ")


def test_the_table_is_printed_as_it_goes(capsys, saved, monkeypatch):
    seen = []
    monkeypatch.setattr(terminal, "write", seen.append)
    monkeypatch.setattr(sbs, "_pack", lambda *_: seen.append("end") or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(capsys, saved, *OPTIONS, "--retain", 0.01)
    assert len(seen) > 4
    assert seen[-1] == "end"


def test_what_retains_too_little_is_told(capsys, saved):
    code, out, _ = run(capsys, saved, *OPTIONS, "--retain", 0.99)
    assert code == 1
    assert "no stable subspace retains 99.0%; this one comes nearest:\nk = 1 component of" in out


@pytest.mark.parametrize("matrix", ["cosine", "covariance"])
def test_nothing_but_zeros_is_refused(capsys, tmp_path, matrix):
    path = tmp_path / "data.npz"
    sparse.save_npz(path, sparse.csr_array(np.zeros((9, 4))))
    code, out, err = run(capsys, path, "--matrix", matrix)
    assert (code, out) == (2, "")
    assert err.startswith(f"specsel: {path}: all 4 features are ")
    assert err.count("\n") == 1


def test_nothing_stable_is_told(capsys, tmp_path):
    np.save(tmp_path / "data.npy", np.random.default_rng(0).standard_normal((5, 8)))
    code, out, _ = run(capsys, tmp_path / "data.npy", "--matrix", "covariance")
    assert code == 1
    *_, verdict, hint = out.splitlines()
    assert verdict.startswith("no principal subspace is stable; ")
    assert hint == "more samples or a lower --confidence make the similarities more certain"
    code, out, _ = run(capsys, tmp_path / "data.npy", "--matrix", "covariance", "--json")
    assert (code, json.loads(out)["k"], json.loads(out)["kept"]) == (1, 0, [])


def test_features_without_variation_are_told(capsys, tmp_path):
    np.save(tmp_path / "data.npy", np.insert(X, 2, 0.0, axis=1))
    code, out, err = run(capsys, tmp_path / "data.npy", "--json", "--retain", 0.3)
    assert code == 0
    assert err == "specsel: warning: 1 of 9 features is zero and is left out\n"
    assert json.loads(out)["constant"] == ["2"]


def test_eigenvectors_are_written(capsys, saved, tmp_path):
    out = tmp_path / "kept.csv"
    assert run(capsys, saved, *OPTIONS, "--retain", 0.01, "--out", out)[0] == 0
    found = sbs.solve(X, matrix="covariance", retain=0.01, n_boot=200, random_state=0)
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["feature"] for row in rows] == NAMES
    assert [row["kept"] for row in rows] == [str(i in found.support) for i in range(8)]
    assert [rows[i]["removed"] for i in found.removed] == ["1", "2"][: len(found.removed)]
    entries = [float(rows[i]["vector_1"]) for i in found.support]
    np.testing.assert_allclose(entries, found.vectors[:, 0])


@pytest.mark.parametrize("seed", range(3))
def test_the_built_in_example_finds_its_signals(capsys, seed):
    code, out, _ = run(capsys, "--seed", seed)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "no FILE given, the built-in example: 90 samples x 40 features"
    assert lines[1] == "correlation, 1000 resamples, confidence 0.9, retain 0.1"
    kept = lines[-2].removeprefix("kept: ").split(", ")
    assert sorted(kept) == [f"signal_{i}" for i in range(1, 7)]


def test_options_hold_for_the_example_as_well(capsys):
    code, out, _ = run(capsys, "--retain", 0.2, "--n-boot", "auto", "--matrix", "cosine", "--json")
    printed = json.loads(out)
    assert code == 0
    assert (printed["matrix"], printed["retain"]) == ("cosine", 0.2)
    assert printed["n_boot"] > 100
    assert printed["k"] == 1


REFUSED = {
    "--target: needs FILE": ["--target", "x"],
    "--seed -1: must be at least 0": ["--seed", -1],
    "--retain 1.5: must be from 0 to 1": ["--retain", 1.5],
    "--at-least 0: must be at least 1": ["--at-least", 0],
    "--n-boot 10: must be from 100 to 1000000": ["--n-boot", 10],
    "argument --n-boot: 'x': must be a whole number or auto": ["--n-boot", "x"],
    "--confidence 2.0: must be between 0 and 1": ["--confidence", 2],
}


@pytest.mark.parametrize("message", REFUSED)
def test_bad_options_are_refused_in_one_line(capsys, message):
    code, out, err = run(capsys, *REFUSED[message])
    assert (code, out, err) == (2, "", f"specsel: {message}\n")
