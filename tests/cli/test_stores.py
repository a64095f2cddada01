"""AnnData and zarr: what is large stays in its file, and what is sparse keeps its format."""

import re
import sys
import warnings
from contextlib import contextmanager

import numpy as np
import pandas
import pytest
from commands import NAMES, X, alpha_of, assert_refused, run, run_json
from scipy import sparse

from specsel import _containers, qalpha
from specsel._data import sources
from specsel.cli import tables

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")
zarr = pytest.importorskip("zarr")

KINDS = [["x", "y"][i % 2] for i in range(len(X))]
SUFFIXES = [".h5ad", ".zarr"]
FORMS = {"dense": np.asarray, "csr": sparse.csr_matrix, "csc": sparse.csc_array}


def write_cells(path, values):
    """Write cells × genes; text as objects, which every version of anndata writes."""
    obs = pandas.DataFrame({"kind": KINDS}, [f"s{i}" for i in range(len(X))], dtype=object)
    obs.index = obs.index.astype(object)
    var = pandas.DataFrame(index=pandas.Index(NAMES, dtype=object))
    adata = anndata.AnnData(values, obs, var)
    chunks = (7, 5) if isinstance(values, np.ndarray) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adata.write_h5ad(path) if path.suffix == ".h5ad" else adata.write_zarr(path, chunks=chunks)


@pytest.fixture(params=SUFFIXES)
def cells(tmp_path, request):
    """Write values as AnnData does; return the path."""

    def write(form="dense"):
        path = tmp_path / f"cells{request.param}"
        write_cells(path, FORMS[form](X))
        return path

    return write


@contextmanager
def opened(path):
    """Open a store to change it."""
    if path.is_file():
        with h5py.File(path, "r+") as file:
            yield file
    else:
        yield zarr.open_group(path, mode="r+")
        zarr.consolidate_metadata(path)


@pytest.fixture
def array(tmp_path):
    """An array of zarr, in small chunks."""
    found = zarr.create_array(tmp_path / "X.zarr", shape=X.shape, chunks=(7, 5), dtype="f8")
    found[:] = X
    return tmp_path / "X.zarr"


@pytest.fixture
def large(monkeypatch):
    """Take every array for a large one."""
    monkeypatch.setattr(_containers, "MAPPED", 0)
    monkeypatch.setattr(sources, "BLOCK", 1000)


@pytest.mark.parametrize("form", FORMS)
def test_cells(cells, form):
    path = cells(form)
    table = tables.read(path, target="kind", drop=["gene 3"])
    assert table.names == [*NAMES[:3], *NAMES[4:]]
    np.testing.assert_array_equal(table.values, np.delete(X, 3, axis=1))
    assert (table.y.tolist(), table.rows[0]) == (KINDS, "s0")
    kept = tables.read(path, as_stored=True)
    assert getattr(kept.values, "format", "dense") == form
    assert kept.X.columns == NAMES
    with pytest.raises(ValueError, match=r"has no column 'knd'; did you mean 'kind'\?"):
        tables.read(path, target="knd")
    with pytest.raises(ValueError, match="names its cells; leave --index out"):
        tables.read(path, index="gene 1")


def test_cells_of_old_files(tmp_path):
    path = tmp_path / "old.h5ad"
    obs = np.array(
        [(f"s{i}".encode(), i % 2) for i in range(30)], [("index", "S3"), ("kind", "i4")]
    )
    with h5py.File(path, "w") as file:
        file["X"], file["obs"] = X, obs
        file["var"] = np.array([(name.encode(),) for name in NAMES], [("index", "S9")])
    table = tables.read(path, target="kind")
    assert (table.names, table.rows[:2], table.y.tolist()[:2]) == (NAMES, ["s0", "s1"], [0, 1])


@pytest.mark.usefixtures("large")
def test_large_ones_stay_where_they_are(capsys, cells, array, monkeypatch):
    paths = [cells(), array]
    wanted = qalpha.solve(X, 2).alpha
    largest = spied(monkeypatch)
    for path in paths:
        assert tables.read(path, as_stored=True).values.shape == X.shape
        answer = run_json(capsys, path, "-k", 2)
        np.testing.assert_allclose(alpha_of(answer), wanted, atol=1e-9)
        assert answer["evidence"] is None
    assert 0 < max(largest) < X.size


def spied(monkeypatch):
    """The sizes of all that is read from arrays of numbers."""
    sizes = []
    for kind in (h5py.Dataset, zarr.Array):

        def read(self, key, read=kind.__getitem__):
            found = read(self, key)
            if self.shape == X.shape:
                sizes.append(np.size(found))
            return found

        monkeypatch.setattr(kind, "__getitem__", read)
    return sizes


@pytest.mark.usefixtures("large")
def test_what_needs_all_of_it_reads_it_within_the_budget(capsys, cells, array, monkeypatch):
    path = cells()
    calls = [
        ("select", path, "-k", 2, "--drop", "gene 3"),
        ("select", path, "-k", 2, "--shuffle"),
        ("select", path, "-k", 2, "--impute", "median"),
        ("select", path, "--method", "alignment", "--standardise"),
        ("select", array, "-k", 2, "--index", 3),
        ("path", path, "--max-size", 2),
        ("path", path, "--max-size", 2, "--target", "kind"),
        ("stable", path, "--matrix", "correlation", "--n-boot", 100, "--retain", 0.01),
    ]

    def results():
        """What is printed, but for the times and for how often the data were read."""
        for call in calls:
            code, out, _ = run(capsys, *call)
            assert code in (0, 1)
            lines = out.splitlines()
            yield [line for line in lines if " s" not in line and "more in" not in line]

    streamed = [*results()]
    monkeypatch.undo()
    assert [*results()] == streamed
    monkeypatch.setattr(_containers, "MAPPED", 0)
    monkeypatch.setenv("SPECSEL_MEMORY", "1kB")
    for call in calls:
        assert_refused(run(capsys, *call), "would take ", "and the budget (SPECSEL_MEMORY) is ")


@pytest.mark.parametrize("suffix", [".csv", ".npy"])
@pytest.mark.usefixtures("large")
def test_selected_columns(capsys, cells, array, tmp_path, suffix):
    for path in (cells(), array):
        out = tmp_path / f"out{suffix}"
        answer = run_json(capsys, path, "-k", 2, "--select-out", out)
        chosen = [row["index"] for row in answer["ranking"] if row["selected"]]
        assert chosen != sorted(chosen)
        if suffix == ".npy":
            np.testing.assert_array_equal(np.load(out), X[:, chosen])
        else:
            frame = pandas.read_csv(out, index_col=0 if path is not array else None)
            np.testing.assert_allclose(frame, X[:, chosen])
    stored = zarr.open(array, mode="r")
    assert tables.Table(stored, None, "").selection([]).shape == (len(X), 0)
    np.testing.assert_array_equal(
        tables.Table(stored, None, "").selection([3, 1, 3]), X[:, [3, 1, 3]]
    )


def test_arrays_and_matrices_in_a_group(capsys, tmp_path):
    group = zarr.open_group(tmp_path / "many.zarr", mode="w")
    group.create_array("a", shape=(4,), dtype="f8")
    group.create_array("b", shape=X.shape, dtype="f8")[:] = X
    refused = run(capsys, "select", tmp_path / "many.zarr")
    offer = tmp_path / "many.zarr" / "a"
    assert_refused(refused, f"is a group of arrays, a, b; give one, such as {offer}")
    np.testing.assert_array_equal(tables.read(tmp_path / "many.zarr" / "b").X, X)
    assert_refused(run(capsys, "select", offer), "has 1 dimension; 2 are n")
    zarr.open_group(tmp_path / "none.zarr", mode="w")
    assert_refused(run(capsys, "select", tmp_path / "none.zarr"), "without arrays; an array or An")
    write_cells(tmp_path / "cells.zarr", sparse.csc_matrix(X))
    layers = zarr.open_group(tmp_path / "layers.zarr", mode="w")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata.io.write_elem(layers, "counts", sparse.csr_matrix(X))
    refused = run(capsys, "select", tmp_path / "layers.zarr")
    assert_refused(refused, "is a group of arrays, counts; give one, such as ")
    inner = tables.read(tmp_path / "cells.zarr" / "X", as_stored=True).X
    assert inner.format == "csc"
    assert_refused(run(capsys, "select", tmp_path), "is a directory; a file is needed")
    missing = tmp_path / "no.zarr"
    assert_refused(run(capsys, "select", missing), f"{missing}: No such file")


@pytest.mark.parametrize(("part", "value"), [("indices", 999), ("indptr", 0)])
def test_sparse_numbers_that_are_damaged(capsys, cells, part, value):
    path = cells("csr")
    with opened(path) as store:
        store[f"X/{part}"][4] = value
    refused = run(capsys, "select", path)
    assert_refused(refused, f"{path}: is a damaged sparse matrix: {part}")


def test_sparse_numbers_beyond_the_budget(capsys, cells, monkeypatch):
    path = cells("csc")
    monkeypatch.setenv("SPECSEL_MEMORY", "1kB")
    refused = run(capsys, "select", path)
    assert_refused(refused, f"{path}: what is stored of it, in memory: would take ")


@pytest.mark.parametrize("threshold", [0, 2**28])
def test_damaged_stores(capsys, cells, array, monkeypatch, threshold):
    monkeypatch.setattr(_containers, "MAPPED", threshold)
    for chunk in (array / "c").rglob("*"):
        if chunk.is_file():
            chunk.write_bytes(b"\0\1")
    refused = run(capsys, "select", array, "-k", 2)
    told = "is not a complete store of zarr" if threshold else "numbers in it cannot be read ("
    assert_refused(refused, f"{array}: {told}")
    path = cells()
    if path.is_dir():
        for mark in (*path.glob("z*"), *path.glob(".z*")):
            mark.write_text("{")
        assert_refused(run(capsys, "select", path), f"{path}: is not a complete store of zarr")
        return
    with opened(path) as file:
        del file["obs"]
    assert_refused(run(capsys, "select", path), f"{path}: is not a complete .h5ad file of a table")
    path.write_bytes(b"\x89HDF and no more")
    assert_refused(run(capsys, "select", path), f"{path}: is not a complete .h5ad file of a table")


@pytest.mark.parametrize("part", ["X", "obs", "var", "raw"])
def test_files_that_lead_to_other_files_are_refused(capsys, tmp_path, part):
    path, other = tmp_path / "cells.h5ad", tmp_path / "other.h5ad"
    for file in (path, other):
        write_cells(file, X)
    with opened(path) as file:
        if part in file:
            del file[part]
        file[part] = h5py.ExternalLink(other, "X" if part == "raw" else part)
    refused = run(capsys, "select", path)
    assert_refused(refused, f"{path}: {part} is in another file; copy it into this one")


@pytest.mark.parametrize("kind", ["external", "virtual"])
def test_numbers_in_other_files_are_refused(capsys, tmp_path, kind):
    path, secret = tmp_path / "cells.h5ad", tmp_path / "secret"
    write_cells(path, X)
    secret.write_bytes(X.tobytes())
    with opened(path) as file:
        del file["X"]
        if kind == "external":
            file.create_dataset("X", X.shape, "f8", external=[(secret, 0, X.nbytes)])
        else:
            layout = h5py.VirtualLayout(X.shape, "f8")
            layout[:] = h5py.VirtualSource(secret, "X", X.shape)
            file.create_virtual_dataset("X", layout)
    refused = run(capsys, "select", path)
    assert_refused(refused, f"{path}: X is in another file; copy it into this one")


HUGE = 10**9
SMALL = "is stored in {} chunks of 1 x 1; store it in larger ones"
NO_ROOM = "a basis for {0} x {0}: would take "


@pytest.mark.parametrize(("size", "message"), [(HUGE, NO_ROOM), (4000, SMALL.format("1.6e+07"))])
@pytest.mark.parametrize("kind", ["zarr", "h5ad"])
def test_what_a_small_file_declares_is_not_believed(
    capsys, tmp_path, monkeypatch, kind, size, message
):
    monkeypatch.setenv("SPECSEL_MEMORY", "8GiB")
    path = tmp_path / f"declared.{kind}"
    if kind == "zarr":
        stored = zarr.create_array(path, shape=(size, size), chunks=(1, 1), dtype="f8")
    else:
        write_cells(path, X)
        file = h5py.File(path, "r+")
        del file["X"]
        stored = file.create_dataset("X", (size, size), "f8", chunks=(1, 1))
    with pytest.raises((ValueError, MemoryError), match=re.escape(message.format(size))):
        qalpha.solve(stored, 2)
    if kind == "h5ad":
        file.close()
    assert_refused(run(capsys, "select", path), f"{path}: {message.format(size)}")


def test_names_that_a_small_file_declares(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", "1GiB")
    path = tmp_path / "cells.h5ad"
    write_cells(path, X)
    with opened(path) as file:
        del file["var/_index"]
        file["var"].create_dataset("_index", (HUGE,), h5py.string_dtype(), chunks=(2**20,))
    assert_refused(
        run(capsys, "select", path), f"{path}: var: what is stored of it, in memory: would take "
    )


def test_cells_whose_parts_do_not_fit(capsys, cells):
    path = cells()
    with opened(path) as store:
        del store["X"]
        create = store.create_dataset if path.is_file() else store.create_array
        create("X", shape=(9, 12), dtype="f8")
    assert_refused(run(capsys, "select", path), "holds 30 cells and 12 genes, but X is 9 x 12")
    with opened(path) as store:
        del store["X"]
    assert_refused(run(capsys, "select", path), f"{path}: has no X")


def test_one_line_names_the_extra(capsys, cells, array, monkeypatch):
    path = cells()
    for package, needs in {"anndata": path, "h5py": None, "zarr": array}.items():
        monkeypatch.setitem(sys.modules, package, None)
        if needs is not None:
            refused = run(capsys, "select", needs)
            assert_refused(refused, f"{needs}: {needs.suffix} needs ", "install 'specsel[files]'")
