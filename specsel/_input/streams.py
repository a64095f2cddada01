"""Arrays that are not in memory: memory maps, arrays of h5py and zarr, Dask's.

They are recognised by what they are made of, so that none of their packages is imported here.
"""

from typing import Any

import numpy as np

from specsel._input.annotations import Integers
from specsel._input.chunks import checked_chunks, within_reach
from specsel._input.memory import check_budget

# Memory maps of fewer bytes are taken as arrays in memory: the system holds them there anyway.
MAPPED = 2**28


def is_streamed(X: object) -> bool:
    """Whether X is an array that is read block by block."""
    return is_dask(bare(X)) or is_mapped(X) or _package(X) in ("h5py", "zarr")


def check_readable(X: object, name: str = "X") -> None:
    """Refuse a Delayed of Dask, which answers any question by another one, and closed files."""
    if type(X).__module__ == "dask.delayed":
        raise ValueError(
            f"{name}: is a Delayed of Dask, of unknown shape; pass "
            f"dask.array.from_delayed({name}, shape, dtype)"
        )
    if _package(X) == "h5py" and not X:
        raise ValueError(f"{name}: is in a file of h5py that is closed; open it again")


def bare(X: Any) -> Any:
    """The array of Dask that a DataArray of xarray holds; anything else as it is."""
    labelled = hasattr(X, "dims") and hasattr(X, "coords") and not hasattr(X, "data_vars")
    # What xarray has not cut into chunks it would read here.
    return X.data if labelled and getattr(X, "chunks", None) is not None else X


def is_mapped(X: object) -> bool:
    """Whether X is a large memory map."""
    return isinstance(X, np.memmap) and X.nbytes >= MAPPED


def is_dask(X: object) -> bool:
    """Whether X is an array or a frame of Dask."""
    return _package(X) in ("dask", "dask_expr") and hasattr(X, "dask")


def _package(X: object) -> str:
    return type(X).__module__.partition(".")[0]


def loaded(X: Any, name: str = "X") -> Any:
    """A streamed array as one in memory, if the budget has room for it; others as they are."""
    if not is_streamed(X) or isinstance(X, np.memmap):
        return X
    size = np.dtype(X.dtype).itemsize * float(np.prod(X.shape, dtype=float))
    check_budget(f"{name}: all of it in memory", size, "take a method that reads it in blocks")
    return in_memory(X, name)


def take_features(X: Any, features: Integers) -> Any:
    """Some features of a streamed array, in memory; of Dask, as another array of Dask."""
    X = bare(X)
    return X.oindex[:, features] if hasattr(X, "oindex") else X[:, features]


def in_memory(X: Any, name: str = "X") -> Any:
    """All of a streamed array, or the part of one that was sliced from it; others as they are."""
    if bare(X) is not X:
        return X.copy(data=in_memory(X.data, name))
    if is_dask(X):
        if hasattr(X, "map_blocks") and X.ndim == 2:
            X = checked_chunks(X, name)
        with within_reach(name):
            X = X.compute()
        return X.toarray() if hasattr(X, "toarray") else X
    return X[...] if is_streamed(X) else X


def checked(X: Any, name: str = "X") -> Any:
    """Return a streamed array of samples × features of real numbers, or refuse it."""
    if is_dask(X) and hasattr(X, "to_dask_array"):
        with within_reach(name):
            X = X.to_dask_array(lengths=True)
    shape = getattr(X, "shape", ())
    if len(shape) != 2:
        raise ValueError(
            f"{name}: has {len(shape)} dimension{'s' * (len(shape) != 1)}; "
            "2 are needed, samples x features"
        )
    if any(size != size for size in shape):
        raise ValueError(
            f"{name}: has chunks of unknown size; call compute_chunk_sizes() of the array first"
        )
    if 0 in shape:
        raise ValueError(f"{name}: has shape {tuple(shape)}; it must not be empty")
    if np.dtype(X.dtype).kind not in "biuf":
        raise ValueError(f"{name}: has dtype {X.dtype}; real numbers are needed")
    return X
