"""What holds an array: AnnData, matrices that AnnData left in a file, xarray, and `Frame`.

They are recognised by what they are made of, so that none of their packages is imported here.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from specsel._input import frames, sparse, streams
from specsel._input.annotations import Names, NDArray
from specsel._input.memory import check_budget
from specsel._input.messages import brief, first_few

# How a file is read whose name was passed instead of what it holds.
READ_BY = {
    ".npy": "np.load({}, mmap_mode='r')",
    ".npz": "scipy.sparse.load_npz({})",
    ".h5ad": "anndata.read_h5ad({}, backed='r')",
    ".zarr": "zarr.open({}, mode='r')",
    ".h5": "an array of h5py.File({})",
    ".csv": "pandas.read_csv({})",
    ".tsv": "pandas.read_csv({}, sep='\\t')",
    ".parquet": "pandas.read_parquet({})",
}

SPARSE_IN_MEMORY = "what is stored of it, in memory"
STORE_DENSE = "store X dense, to be read in blocks"


@dataclass(frozen=True, eq=False)
class Frame:
    """Values with named columns: dense, sparse or left in a file, as the solvers take them."""

    columns: list[str]
    values: Any
    ndim = 2

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def to_numpy(self) -> NDArray[Any]:
        """The values, as an array."""
        return self.values


def is_annotated(X: object) -> bool:
    """Whether X is an AnnData object."""
    return type(X).__name__ == "AnnData" and hasattr(X, "var_names")


def is_sparse_in_file(X: object) -> bool:
    """Whether X is a sparse matrix that AnnData left in its file."""
    return hasattr(X, "to_memory") and hasattr(X, "group") and hasattr(X, "format")


def is_wrapped(X: object) -> bool:
    """Whether X comes from anndata: an object, or a sparse matrix in its file."""
    return is_annotated(X) or is_sparse_in_file(X)


def dimensions(X: Any, name: str) -> int:
    """How many dimensions an array has, or what it is wrapped in.

    Groups of arrays count as if they had two: `unwrapped` refuses them more clearly.
    """
    streams.check_readable(X, name)
    return 2 if is_wrapped(X) or _is_group(X) else np.ndim(X)


def _is_group(X: object) -> bool:
    """Whether X is a file or a group of h5py or zarr."""
    return hasattr(X, "keys") and streams.is_streamed(X) and not streams.is_dask(X)


def unwrapped(X: Any, name: str = "X") -> tuple[Any, Names]:
    """The values of what holds an array, and the names of its columns; others as they are.

    A sparse matrix is read from its file if the budget has room; a dense one stays there.

    Examples
    --------
    >>> unwrapped(Frame(["a", "b"], np.eye(2)))[1]
    ('a', 'b')
    """
    streams.check_readable(X, name)
    if isinstance(X, Frame):
        return X.values, tuple(X.columns)
    if is_annotated(X):
        return _values(X, name), tuple(map(str, X.var_names))
    if is_sparse_in_file(X):
        return _from_file(X, name), None
    if isinstance(X, str | os.PathLike):
        raise ValueError(f"{name} = {brief(os.fspath(X))}: {_how_to_read(os.fspath(X))}")
    if _is_group(X):
        arrays = first_few([repr(key) for key in X]) or "nothing"
        raise ValueError(f"{name}: is a file or group, which holds {arrays}; pass an array in it")
    array = streams.bare(X)
    return array, None if array is X else frames.names_in_xarray(X)


def _how_to_read(path: Any) -> str:
    call = READ_BY.get(Path(os.fsdecode(path)).suffix.lower())
    if call is None:
        return "is a text; pass the array itself, samples x features"
    return f"is the name of a file; pass what it holds, {call.format(brief(path))}"


def _values(adata: Any, name: str) -> Any:
    """The `X` of an AnnData object."""
    is_view = bool(getattr(adata, "is_view", False))
    if is_view and getattr(adata, "isbacked", False):
        _check_view(adata, name)
    values = adata.X
    if values is None:
        raise ValueError(f"{name}: adata.X is None; pass a layer, such as adata.layers['counts']")
    if is_sparse_in_file(values):
        return _from_file(values, name)
    if not is_view or streams.is_streamed(values):
        return values
    # Views are of classes of their own, whose parts are such views again.
    return sparse.intact(values, name) if hasattr(values, "tocsr") else np.asarray(values)


def _check_view(adata: Any, name: str) -> None:
    """Check the budget for a view of an AnnData object in a file, which is read when looked at."""
    if not adata.file.is_open:
        adata.file.open()
    stored = adata.file["X"]
    if hasattr(stored, "shape"):
        size = stored.dtype.itemsize * float(np.prod(adata.shape, dtype=float))
        advice = "take a smaller view, or all of it, which is read in blocks"
        check_budget(f"{name}: all of the view, in memory", size, advice)
        return
    major, minor = (getattr(adata, part, None) for part in ("_oidx", "_vidx"))
    if str(stored.attrs.get("encoding-type", "csr")).startswith("csc"):
        major, minor = minor, major
    each = sum(stored[part].dtype.itemsize for part in ("data", "indices"))
    count = float(stored["data"].size)
    if isinstance(minor, slice) and major is not None:  # else anndata reads all of it
        count = float(np.diff(stored["indptr"][...])[major].sum())
    check_budget(f"{name}: {SPARSE_IN_MEMORY}", each * count, "take a smaller view")


def _from_file(stored: Any, name: str) -> Any:
    """A sparse matrix that AnnData left in its file, in memory, if the budget has room for it."""
    parts = {part: stored.group[part] for part in sparse.COMPRESSED}
    size = sum(part.dtype.itemsize * float(part.size) for part in parts.values())
    check_budget(f"{name}: {SPARSE_IN_MEMORY}", size, STORE_DENSE)
    read = {part: array[...] for part, array in parts.items()}
    return sparse.assemble(stored.format, stored.shape, read, name)
