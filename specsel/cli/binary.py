"""Reads arrays from .npy files and sparse matrices from .npz files; nothing in them is run.

A file may hold anything, and numpy, zipfile and zlib raise nearly anything when it is damaged. So
what a file says of itself is checked by hand, and any error of these libraries means one thing.
"""

import math
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np

from specsel import _containers, _validate
from specsel._containers import PARTS

NOT_NPY = "is not a complete .npy file of numbers"
NOT_LABELLED = "is no .npz file with arrays X, samples x features, and y, their labels"
NOT_NPZ = "is not a sparse matrix of scipy.sparse.save_npz; dense arrays go into .npy"

HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npy(path: Path) -> np.ndarray:
    """Map the array in a .npy file into memory, read-only."""
    with open(path, "rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headers that Python 2 wrote
        try:
            version = np.lib.format.read_magic(file)
            shape, by_columns, dtype = HEADERS[version](file)
        except Exception:
            raise ValueError(NOT_NPY) from None
        begin, size = file.tell(), path.stat().st_size
    if dtype.hasobject or not _fits(shape, size):
        raise ValueError(NOT_NPY)
    if dtype.kind not in "biufc" or dtype.itemsize == 0:
        raise ValueError(f"has dtype {_validate.brief(dtype)}; real numbers are needed")
    needed = math.prod(shape) * dtype.itemsize
    if begin + needed > size:
        raise ValueError(NOT_NPY)
    order: Literal["F", "C"] = "F" if by_columns else "C"
    if needed == 0:
        return np.empty(shape, dtype, order)
    return np.memmap(path, dtype, "r", begin, shape, order)


def read_npz(path: Path) -> Any:
    """Read the sparse matrix in a .npz file."""
    with open(path, "rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with np.load(file, allow_pickle=False) as archive:
                format = archive["format"].item()
                format = format.decode("ascii") if isinstance(format, bytes) else format
                shape = archive["shape"]
                parts = {part: archive[part] for part in PARTS.get(format, ())}
        except MemoryError:
            raise
        except Exception:
            raise ValueError(NOT_NPZ) from None
    return _containers.assemble(format, shape, parts, "the matrix")


def read_labelled(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read the arrays X and y in a .npz file: samples × features, and the samples' labels."""
    with open(path, "rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with np.load(file, allow_pickle=False) as archive:
                X, y = archive["X"], archive["y"]
        except MemoryError:
            raise
        except Exception:
            raise ValueError(NOT_LABELLED) from None
    if X.ndim != 2 or X.dtype.kind not in "biuf" or y.shape != (len(X),):
        raise ValueError(NOT_LABELLED)
    return X, y


def _fits(shape: tuple[object, ...], size: int) -> bool:
    """Whether a file of this size may hold an array of this shape; True is no length."""
    return all(type(length) is int and 0 <= length <= size for length in shape)
