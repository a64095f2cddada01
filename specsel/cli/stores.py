"""Reads .h5ad files and zarr stores. A large dense array stays where it is, to be read in blocks.

Sparse matrices are read into memory, compressed as they are stored, if the budget has room.
"""

import traceback
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from specsel import _containers, _runtime, _validate
from specsel.cli import columns, libraries
from specsel.cli.reading import Content, Reading

ZARR = ".zarr"

# What a folder holds that is an array or a group of zarr.
MARKS = ("zarr.json", ".zarray", ".zgroup")

# How AnnData calls sparse matrices, which are groups of arrays.
SPARSE = ("csr_matrix", "csc_matrix")

# Packages whose errors, while numbers are read, mean a damaged file.
PACKAGES = {"h5py", "zarr", "numcodecs"}


def is_zarr(path: Path) -> bool:
    """Whether a path names a zarr store, or an array or a group in one."""
    named = any(part.lower().endswith(ZARR) for part in path.parts)
    return (named and not path.is_file()) or any((path / mark).is_file() for mark in MARKS)


def read_h5ad(path: Path, reading: Reading) -> Content:
    """Read cells × genes; the target is a column of `obs`, other columns are names of genes."""
    h5py = libraries.load("h5py", ".h5ad")
    libraries.load("anndata", ".h5ad")
    with _complete(path):
        file = h5py.File(path, "r")
    return _cells(path, file, reading)


def read_zarr(path: Path, reading: Reading) -> Content:
    """Read an array, a sparse matrix, or cells × genes as AnnData writes them."""
    zarr = libraries.load("zarr", ZARR)
    path.stat()  # what is not there says so itself
    with _complete(path):
        found = zarr.open(path, mode="r")
    if hasattr(found, "shape"):
        return columns.numbered(_at_hand(path, found), reading)
    kind = found.attrs.get("encoding-type")
    if kind == "anndata":
        libraries.load("anndata", ZARR)
        return _cells(path, found, reading)
    if kind in SPARSE:
        libraries.load("anndata", ZARR)
        return columns.numbered(_values(path, found), reading)
    raise ValueError(_not_one_array(path, found))


def _not_one_array(path: Path, group: Any) -> str:
    """Say which arrays a group holds."""
    with _complete(path):
        arrays = {str(name): array.shape for name, array in sorted(group.arrays())}
        for name, inner in sorted(group.groups()):
            if inner.attrs.get("encoding-type") in SPARSE:
                arrays[str(name)] = tuple(inner.attrs["shape"])
    if not arrays:
        return "is a group of zarr without arrays; an array or AnnData is needed"
    shapes = _validate.first_few(
        [f"{name} {' x '.join(map(str, arrays[name]))}" for name in arrays]
    )
    tables = [name for name, shape in arrays.items() if len(shape) == 2]
    offer = f"give one, such as {path / tables[0]}" if tables else "none is a table"
    return f"is a group of arrays, {shapes}; {offer}"


def _cells(path: Path, group: Any, reading: Reading) -> Content:
    """Read what AnnData stored, wherever it did."""
    if "X" not in group:
        raise ValueError("has no X")
    if reading.index is not None:
        raise ValueError("names its cells; leave --index out")
    obs, var = (_table(path, group, name) for name in ("obs", "var"))
    names = [*var.index]
    y = None
    if reading.target is not None:
        known = [*map(str, obs.columns)]
        y = libraries.labels(obs.iloc[:, columns.find_one(reading.target, known, len(known))])
    apart = columns.find(replace(reading, target=None), names, len(names))
    X = _values(path, group["X"])
    if tuple(X.shape) != (len(obs), len(names)):
        shape = " x ".join(map(str, X.shape))
        raise ValueError(f"holds {len(obs)} cells and {len(names)} genes, but X is {shape}")
    return Content(X, names, apart, y, [*obs.index])


def _table(path: Path, group: Any, name: str) -> Any:
    io = libraries.load("anndata.io", path.suffix)
    with _complete(path), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = hasattr(group[name], "shape")  # as anndata wrote tables before 0.7
        found = getattr(io.read_h5ad(path, backed="r"), name) if old else io.read_elem(group[name])
        return found.set_index(found.index.map(str))


def _values(path: Path, stored: Any) -> Any:
    """X: dense, or sparse and read into memory."""
    if hasattr(stored, "shape"):
        return _at_hand(path, stored)
    io = libraries.load("anndata.io", path.suffix)
    with _complete(path), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = io.sparse_dataset(stored)
    with _complete(path, ValueError):
        return _containers.unwrapped(matrix)[0]


def _at_hand(path: Path, array: Any) -> Any:
    """A large array as it is stored, a small one in memory."""
    if (
        np.dtype(array.dtype).itemsize * float(np.prod(array.shape, dtype=float))
        >= _containers.MAPPED
    ):
        return array
    with _complete(path):
        return _containers.loaded(array)


def _complete(path: Path, *but: type) -> Any:
    """Turn whatever is raised for a damaged file or store into one line."""
    return libraries.complete(path, *but, what="" if path.is_file() else "store of zarr")


def whole(X: Any, reason: str, advice: str) -> Any:
    """All of a stored array in memory; `reason` needs it, `advice` says what to do instead."""
    if isinstance(X, np.ndarray) or not _containers.is_streamed(X):
        return X
    size = np.dtype(X.dtype).itemsize * float(np.prod(X.shape, dtype=float))
    _runtime.check_budget(f"all of it in memory, for {reason}", size, advice)
    return _containers.loaded(X)


def take(X: Any, features: list[int]) -> np.ndarray:
    """Columns of a stored array, in memory, in any order and any number of times."""
    size = np.dtype(X.dtype).itemsize * float(X.shape[0]) * len(features)
    _runtime.check_budget("the selected columns, in memory", size, "select fewer")
    order, places = np.unique(np.array(features, dtype=np.intp), return_inverse=True)
    if len(order) == 0:
        return np.empty((X.shape[0], 0), X.dtype)
    found: np.ndarray = np.asarray(_containers.take_features(X, order))[:, places]
    return found


def damage(error: BaseException) -> str | None:
    """Say that a store is damaged, if that is why its numbers could not be read."""
    frames = traceback.walk_tb(error.__traceback__)
    packages = {str(frame.f_globals.get("__name__")).partition(".")[0] for frame, _ in frames}
    writes = "anndata" in packages
    if isinstance(error, MemoryError) or writes or packages.isdisjoint(PACKAGES):
        return None
    first = _validate.printable(str(error).partition("\n")[0])
    return f"numbers in it cannot be read ({type(error).__name__}: {first})"


READERS: Mapping[str, Any] = {".h5ad": read_h5ad, ZARR: read_zarr}
