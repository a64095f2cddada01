"""Sparse matrices: checked whole before any compiled code follows their indices.

The conversions of scipy, and kernels here, trust the arrays in which a sparse matrix is stored. An
index or a start that points outside its array makes them read and write memory that is not theirs.
A file may hold any numbers there, and in Python anybody may assign to `indices`.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from specsel._input.annotations import NDArray
from specsel._input.frames import check_kind, names_of, not_numeric
from specsel._input.messages import brief

# The arrays in which scipy stores a matrix of each format.
COMPRESSED = ("data", "indices", "indptr")
PARTS = {
    "csr": COMPRESSED,
    "csc": COMPRESSED,
    "bsr": COMPRESSED,
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}

DIMENSIONS_OF_DATA = {"bsr": 3, "dia": 2}


def intact(X: Any, name: str = "X") -> Any:
    """Return a sparse matrix as an array of scipy that shares its values, or refuse it as damaged.

    Every format keeps its own, but for "lil" and "dok", which become "coo".

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> X = csr_array(np.eye(3))
    >>> intact(X).format
    'csr'
    >>> X.indices[0] = 7
    >>> intact(X)
    Traceback (most recent call last):
    ValueError: X: is a damaged sparse matrix: indices holds 7; must be from 0 to 2
    """
    from scipy.sparse import issparse  # here, for it would make the package slow to import

    if not issparse(X):  # of another library, which converts as it sees fit
        X = X.tocsc()
    format = getattr(X, "format", None)
    try:
        if format in ("lil", "dok"):
            format, parts = "coo", _from_lil(X) if format == "lil" else _from_dok(X)
        else:
            parts = {part: getattr(X, part) for part in PARTS.get(str(format), ())}
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}: is a damaged sparse matrix of format {format}") from None
    return assemble(str(format), X.shape, parts, name)


def compressed(X: Any, name: str = "X") -> Any:
    """Check a sparse matrix and return it compressed by columns or by rows, as it is.

    Another format becomes compressed by rows. The arrays are those of X, but for numbers that are
    neither float32 nor float64: these become float64.
    """
    matrix = intact(X, name)
    if matrix.format not in ("csc", "csr"):
        matrix = matrix.tocsr()
    if matrix.dtype in (np.float32, np.float64):
        return matrix
    numbers = matrix.data.astype(np.float64)
    return type(matrix)((numbers, matrix.indices, matrix.indptr), shape=matrix.shape)


def is_sparse_frame(X: Any) -> bool:
    """Whether X is a data frame of pandas with sparse columns."""
    pandas = hasattr(X, "iloc") and hasattr(X, "columns")
    return pandas and any(map(_is_sparse_dtype, X.dtypes))


def _is_sparse_dtype(dtype: Any) -> bool:
    return type(dtype).__name__ == "SparseDtype"


def from_frame(frame: Any, name: str = "X") -> Any:
    """Compress a data frame with sparse columns by columns; of others all numbers are stored."""
    places, numbers = [], []
    for index, label in enumerate(names_of(frame)):
        column = frame.iloc[:, index]
        check_kind(column.dtype, label, name)
        if not _is_sparse_dtype(column.dtype):
            values, where = np.asarray(column), np.arange(len(frame))
        elif column.array.fill_value == 0:
            values, where = column.array.sp_values, column.array.sp_index.indices
        else:
            fill = column.array.fill_value
            raise ValueError(
                f"{name}: column {label!r} is sparse about {fill}; 0 is needed: "
                f"pass {name}.sparse.to_dense() or, where what is missing is 0, {name}.fillna(0)"
            )
        if values.dtype.kind not in "biuf":
            raise not_numeric(name, label)
        places.append(where)
        numbers.append(values)
    starts = np.cumsum([0, *map(len, numbers)])
    parts = {"data": _concatenated(numbers, float), "indices": _concatenated(places, int)}
    matrix = assemble("csc", frame.shape, parts | {"indptr": starts}, name)
    return compressed(matrix, name)


def _concatenated(arrays: list[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype)


def find_not_finite(matrix: Any) -> tuple[int, tuple[int, int] | None]:
    """How many stored values are not finite; the first sample with one, and its first feature."""
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if len(bad) == 0:
        return 0, None
    major = np.searchsorted(matrix.indptr, bad, side="right") - 1
    places = (major, matrix.indices[bad])
    samples, features = places if matrix.format == "csr" else places[::-1]
    first = int(samples.min())
    return len(bad), (first, int(features[samples == first].min()))


def assemble(format: str, shape: Any, parts: Mapping[str, Any], name: str = "X") -> Any:
    """Make a sparse array of scipy from the arrays that `PARTS` names, once all are checked."""
    if format not in PARTS:
        formats = ", ".join(PARTS)
        raise ValueError(f"{name}: has the sparse format {brief(format)}; allowed are {formats}")
    data = np.asarray(parts["data"])
    if data.dtype.kind not in "biuf":
        raise ValueError(f"{name}: has dtype {data.dtype}; real numbers are needed")
    shape = _shape(shape, name)
    try:
        if data.ndim != DIMENSIONS_OF_DATA.get(format, 1):
            raise ValueError(f"data has shape {data.shape}")
        if format == "coo":
            checked = _check_coordinates(data, parts, shape)
        elif format == "dia":
            checked = _check_diagonals(data, parts)
        else:
            checked = _check_compressed(format, data, parts, shape)
    except ValueError as error:
        raise ValueError(f"{name}: is a damaged sparse matrix: {error}") from None
    from scipy import sparse  # here, for it would make the package slow to import

    data, *places = checked
    arguments = (data, tuple(places)) if format == "coo" else (data, *places)
    return getattr(sparse, f"{format}_array")(arguments, shape=shape)


def _shape(shape: Any, name: str) -> tuple[int, int]:
    sizes = np.asarray(shape)
    if sizes.dtype.kind not in "iu" or sizes.ndim != 1 or (sizes < 0).any():
        raise ValueError(f"{name}: has shape {brief(shape)}; samples x features are needed")
    if len(sizes) != 2:
        dimensions = f"{len(sizes)} dimension{'s' * (len(sizes) != 1)}"
        raise ValueError(f"{name}: has {dimensions}; 2 are needed, samples x features")
    return int(sizes[0]), int(sizes[1])


def _check_compressed(
    format: str, data: NDArray[Any], parts: Mapping[str, Any], shape: tuple[int, int]
) -> tuple[NDArray[Any], ...]:
    """Check csr, csc and bsr: in `indices`, `indptr` says where every row or column begins."""
    blocks = data.shape[1:] if format == "bsr" else (1, 1)
    if 0 in blocks or any(size % block for size, block in zip(shape, blocks, strict=True)):
        raise ValueError(f"data holds blocks of shape {blocks}, which do not fill {shape}")
    counts = [size // block for size, block in zip(shape, blocks, strict=True)]
    major, minor = counts[::-1] if format == "csc" else counts
    indices, starts = _whole("indices", parts), _whole("indptr", parts)
    if len(indices) != len(data):
        raise ValueError(f"indices has length {len(indices)}; {len(data)} is needed, as of data")
    if len(starts) != major + 1:
        raise ValueError(f"indptr has length {len(starts)}; {major + 1} is needed")
    _check_range("indptr", starts, len(indices))
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise ValueError("indptr decreases, or does not begin with 0")
    stored = int(starts[-1])
    data, indices = data[:stored], indices[:stored]
    _check_range("indices", indices, minor - 1)
    return _native(data), _signed(indices), _signed(starts)


def _check_coordinates(
    data: NDArray[Any], parts: Mapping[str, Any], shape: tuple[int, int]
) -> tuple[NDArray[Any], ...]:
    """Check coo: `row` and `col` say where every value stands."""
    found = []
    for part, size in zip(("row", "col"), shape, strict=True):
        indices = _whole(part, parts)
        if len(indices) != len(data):
            raise ValueError(
                f"{part} has length {len(indices)}; {len(data)} is needed, as of data"
            )
        _check_range(part, indices, size - 1)
        found.append(_signed(indices))
    return _native(data), *found


def _check_diagonals(data: NDArray[Any], parts: Mapping[str, Any]) -> tuple[NDArray[Any], ...]:
    """Check dia: the values of a diagonal are a row of `data`, its place is in `offsets`."""
    offsets = _whole("offsets", parts)
    if len(offsets) != len(data):
        raise ValueError(f"offsets has length {len(offsets)}; {len(data)} is needed, as of data")
    if len(np.unique(offsets)) != len(offsets):
        raise ValueError("offsets holds a diagonal twice")
    # Beyond these an offset overflows in the sums of scipy; no matrix has such a diagonal.
    _check_range("offsets", offsets, 2**62, least=-(2**62))
    return _native(data), _signed(offsets)


def _whole(part: str, parts: Mapping[str, Any]) -> NDArray[Any]:
    array = np.asarray(parts[part])
    if array.dtype.kind not in "iu":
        raise ValueError(f"{part} has dtype {array.dtype}; whole numbers are needed")
    if array.ndim != 1:
        raise ValueError(f"{part} has {array.ndim} dimensions; 1 is needed")
    return array


def _check_range(part: str, array: NDArray[Any], most: int, least: int = 0) -> None:
    if array.size == 0:
        return
    for value in (int(array.min()), int(array.max())):
        if not least <= value <= most:
            raise ValueError(f"{part} holds {value}; must be from {least} to {most}")


def _signed(array: NDArray[Any]) -> NDArray[Any]:
    """The types of index that scipy's kernels know; numbers lie together, as kernels expect."""
    array = array if array.dtype in (np.int32, np.int64) else array.astype(np.int64)
    return np.ascontiguousarray(array)


def _native(data: NDArray[Any]) -> NDArray[Any]:
    """As `_signed`, of numbers: in native byte order, not of 16 bits."""
    dtype = data.dtype.newbyteorder("=")
    return np.ascontiguousarray(data, np.float32 if dtype == np.float16 else dtype)


def _from_lil(X: Any) -> dict[str, Any]:
    lengths = [len(row) for row in X.rows]
    return {
        "data": np.array([*chain.from_iterable(X.data)]),
        "row": np.repeat(np.arange(len(lengths)), lengths),
        "col": np.array([*chain.from_iterable(X.rows)], dtype=None if any(lengths) else int),
    }


def _from_dok(X: Any) -> dict[str, Any]:
    keys = np.array([*X.keys()]) if len(X.keys()) else np.empty((0, 2), int)
    return {"data": np.array([*X.values()]), "row": keys[:, 0], "col": keys[:, 1]}
