"""Twelve files as people have them: the right answer, or one line that leads to it."""

import gzip
import warnings

import numpy as np
import pandas
import polars
import pytest
from commands import assert_refused, run, run_json

from specsel import datasets, qalpha

PLANTED = datasets.growing_classes(3, n_samples=45, n_relevant=4, n_irrelevant=20, random_state=2)
X = np.abs(PLANTED.X).round(4)
GENES = [f"gene {i}" for i in range(24)]
RELEVANT = {*map(int, PLANTED.relevant)}


def csv(names, rows, delimiter=","):
    return "".join(delimiter.join(map(str, row)) + "\n" for row in [names, *rows])


def chosen(capsys, path, *options):
    """The features that are selected, as numbers of genes."""
    names = run_json(capsys, path, "-k", "3", "--permutations", "0", *options)["selected"]
    return {GENES.index(name) for name in names}


@pytest.fixture
def expected(capsys, write):
    """What is selected in a plain file."""
    found = chosen(capsys, write("plain.csv", csv(GENES, X.tolist())))
    assert found <= RELEVANT
    return found


def test_a_german_export(capsys, write, expected):
    text = csv(GENES, X.tolist(), ";").replace(".", ",")
    assert chosen(capsys, write("export.csv", text.encode("cp1252"))) == expected


def test_wavelengths(capsys, write, expected):
    path = write("spectra.csv", csv(range(1100, 1148, 2), X.tolist()))
    assert_refused(run(capsys, "select", path), "may be a header or a sample: say --header yes")
    answer = run_json(capsys, path, "-k", "3", "--header", "yes", "--permutations", "0")
    assert answer["n_samples"] == 45
    assert {(int(name) - 1100) // 2 for name in answer["selected"]} == expected
    dropped = run_json(capsys, path, "--header", "yes", "--drop", "1100,1146")
    assert dropped["n_features"] == 22


def test_a_frame_with_its_index(capsys, tmp_path, expected):
    path = tmp_path / "frame.csv"
    pandas.DataFrame(X, columns=range(1100, 1148, 2)).to_csv(path)
    answer = run_json(capsys, path, "-k", "3", "--permutations", "0")
    assert (answer["n_samples"], answer["n_features"]) == X.shape
    assert {(int(name) - 1100) // 2 for name in answer["selected"]} == expected
    assert_refused(run(capsys, "select", path, "--drop", "0"), "has no column '0'; it has 1100, ")


def test_gz(capsys, tmp_path, expected):
    path = tmp_path / "data.tsv.gz"
    path.write_bytes(gzip.compress(csv(GENES, X.tolist(), "\t").encode()))
    assert chosen(capsys, path) == expected


def test_parquet(capsys, tmp_path, expected):
    path = tmp_path / "data.parquet"
    polars.DataFrame(X, schema=GENES).write_parquet(path)
    assert chosen(capsys, path) == expected


def test_cells_with_counts(capsys, tmp_path):
    anndata = pytest.importorskip("anndata")
    from scipy import sparse

    path = tmp_path / "cells.h5ad"
    warnings.simplefilter("ignore")  # of other packages; pytest restores the filters
    counts = sparse.csr_matrix(np.random.default_rng(0).poisson(1 + 2 * X).astype(np.float32))
    names = pandas.Index(GENES, dtype=object)
    cells = pandas.Index([f"cell {i}" for i in range(45)], dtype=object)
    obs, var = pandas.DataFrame(index=cells), pandas.DataFrame(index=names)
    anndata.AnnData(counts, obs, var).write_h5ad(path)
    answer = qalpha.solve(counts.toarray(), 3)
    assert chosen(capsys, path) == {*answer.select().tolist()}


def test_cells_without_numbers(capsys, write, expected):
    rng = np.random.default_rng(0)
    rows = [["" if rng.random() < 0.03 else cell for cell in row] for row in X.tolist()]
    path = write("gaps.csv", csv(GENES, rows))
    assert_refused(run(capsys, "select", path), "missing values: ", "--impute median, drop-")
    assert chosen(capsys, path, "--impute", "median") <= RELEVANT


def test_identifiers(capsys, write, expected):
    path = write("ids.csv", csv(["id", *GENES], np.insert(X, 0, range(900, 945), axis=1).tolist()))
    code, out, err = run(capsys, "select", path)
    assert (code, out != "") == (0, True)
    assert "column 'id': distinct whole numbers in order" in err
    assert chosen(capsys, path, "--index", "id") == expected


def test_western_names(capsys, write, expected):
    names = ["größe", *GENES[1:]]
    path = write("namen.csv", csv(names, X.tolist()).encode("latin-1"))
    answer = run_json(capsys, path)
    assert "größe" in [row["feature"] for row in answer["ranking"]]
    assert answer["data"].endswith("namen.csv, encoding cp1252")


def test_many_columns(capsys, write):
    wide = np.random.default_rng(0).normal(size=(12, 20_000)).round(3)
    wide[:, :200] += 4 * (np.arange(12) % 2)[:, None]
    path = write("wide.csv", csv([f"g{i}" for i in range(20_000)], wide.tolist()))
    answer = run_json(capsys, path, "-k", "1", "--permutations", "0")
    assert answer["n_features"] == 20_000
    assert {int(row["feature"][1:]) for row in answer["ranking"][:50]} <= {*range(200)}


def test_many_rows(capsys, write):
    rows = np.tile(X[:, :4], (2000, 1))
    rows += np.random.default_rng(0).normal(scale=0.1, size=rows.shape)
    path = write("long.csv", csv(GENES[:4], rows.round(3).tolist()))
    assert run_json(capsys, path, "-k", "1", "--permutations", "0")["n_samples"] == 90_000


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.npy", "a.parquet", "a.xlsx", "a.h5ad"])
def test_nothing(capsys, write, name):
    path = write(name, b"")
    code, out, err = run(capsys, "select", path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"specsel: {path}: ")
