"""X as passed, and other arguments that hold arrays: viewed as what the solvers need, or refused.

From the outside in: what holds an array (tables, AnnData, files), arrays that are not in memory,
sparse matrices, dense arrays, labels and pairs. No library of theirs is imported: an object is
known by its attributes.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from specsel._runtime import budget, check_budget, readable
from specsel._validate import (
    LARGEST_INTEGER,
    TOO_EXTREME,
    ArrayLike,
    Integers,
    Names,
    NDArray,
    Sparse,
    brief,
    count_of,
    first_few,
    printable,
)

CATEGORICAL = ("CategoricalDtype", "Categorical", "Enum", "DictionaryType")

# Between the levels of a name that has several, as in a frame with a MultiIndex.
BETWEEN = "/"


def unpack(X: ArrayLike, name: str) -> tuple[ArrayLike, Names]:
    """Return the values of a table and the names of its columns; anything else as passed."""
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise ValueError(f"{name}: is a lazy frame; pass {name}.collect()")
    if hasattr(X, "data_vars") and hasattr(X, "to_dataarray"):
        raise ValueError(
            f"{name}: is an xarray Dataset; pass {name}.to_dataframe() or one of its arrays"
        )
    if hasattr(X, "column_names") and hasattr(X, "to_pydict"):
        return _from_arrow(X, name)
    if hasattr(X, "dims") and hasattr(X, "coords"):
        return X, names_in_xarray(X)
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        names = names_of(X)
        return _frame_values(X, names, name), names
    return X, None


def names_of(frame: Any) -> tuple[str, ...]:
    """Return the names of all columns; the levels of a name that has several are joined."""
    levels = (name if isinstance(name, tuple) else (name,) for name in frame.columns)
    return tuple(BETWEEN.join(filter(None, map(str, name))) for name in levels)


def _from_arrow(table: Any, name: str) -> tuple[NDArray[Any], Names]:
    names = tuple(map(str, table.column_names))
    arrays = []
    for label, column in zip(names, table.columns, strict=True):
        values = column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(False)
        _check_column(column.type, values, label, name)
        arrays.append(values.astype(float) if values.dtype == object else values)
    return np.column_stack(arrays) if arrays else np.empty((len(table), 0)), names


def names_in_xarray(array: Any) -> Names:
    """The coordinates of the second dimension, if it has any."""
    if len(array.dims) != 2 or array.dims[1] not in array.coords:
        return None
    return tuple(map(str, array.coords[array.dims[1]].to_numpy().tolist()))


def _frame_values(frame: Any, names: tuple[str, ...], name: str) -> NDArray[Any]:
    """Return the values of a pandas or polars frame; refuse the first column of no numbers."""
    for index, (label, dtype) in enumerate(zip(names, getattr(frame, "dtypes", ()), strict=False)):
        of_polars = hasattr(dtype, "is_numeric")
        if not (dtype.is_numeric() if of_polars else getattr(dtype, "kind", "O") in "biuf"):
            column = frame.iloc[:, index] if hasattr(frame, "iloc") else frame[label]
            _check_column(dtype, np.asarray(column), label, name)
    values: NDArray[Any] = frame.to_numpy()
    if values.dtype == object and hasattr(frame, "iloc"):
        values = np.where(frame.isna(), np.nan, values).astype(float)
    return values


def _check_column(dtype: Any, values: NDArray[Any], label: str, name: str) -> None:
    """Refuse categories, whose numbers would count as measurements, and what is no number.

    Dates and strings that look like numbers are none; a later check reports missing numbers.
    """
    if type(dtype).__name__ in CATEGORICAL:
        raise ValueError(
            f"{name}: column {printable(label)!r} is categorical; drop it, or encode it by "
            "indicators"
        )
    is_numeric = values.dtype.kind in "biuf"
    if values.dtype.kind == "O" and not any(isinstance(value, str) for value in values):
        try:
            values.astype(float)
            is_numeric = True
        except (TypeError, ValueError):
            is_numeric = any(map(is_missing, values))
    if not is_numeric:
        raise ValueError(f"{name}: column {label!r} is not numeric; drop or encode it")


def is_missing(label: Any) -> bool:
    """Return whether a label is None, pandas' NA, or NaN, which differs from itself."""
    return label is None or type(label).__name__ == "NAType" or label != label


# Containers of an array: AnnData, sparse matrices in its files, xarray, and `Frame`.


# How to read a file, where its name was passed.
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


@dataclass(frozen=True, eq=False)
class Frame:
    """Values with named columns: dense, sparse or left in a file, as the solvers take them."""

    columns: list[str]
    values: Any
    ndim = 2

    def __len__(self) -> int:
        return int(self.values.shape[0])


def _is_annotated(X: object) -> bool:
    """Return whether X is an AnnData object."""
    return type(X).__name__ == "AnnData" and hasattr(X, "var_names")


def _is_sparse_in_file(X: object) -> bool:
    """Return whether X is a sparse matrix that AnnData left in its file."""
    return hasattr(X, "to_memory") and hasattr(X, "group") and hasattr(X, "format")


def is_wrapped(X: object) -> bool:
    """Return whether X comes from anndata: an object, or a sparse matrix in its file."""
    return _is_annotated(X) or _is_sparse_in_file(X)


def dimensions(X: Any, name: str) -> int:
    """Return the number of dimensions of X; 2 for groups, which `unwrapped` refuses better."""
    check_readable(X, name)
    return 2 if is_wrapped(X) or _is_group(X) else np.ndim(X)


def _is_group(X: object) -> bool:
    """Return whether X is a file or a group of h5py or zarr."""
    return hasattr(X, "keys") and is_streamed(X) and not is_dask(X)


def unwrapped(X: Any, name: str = "X") -> tuple[Any, Names]:
    """Return the values in a container and the names of its columns; other X as passed.

    A sparse matrix is read from its file if the budget allows it; a dense one stays there.
    """
    check_readable(X, name)
    if isinstance(X, Frame):
        return X.values, tuple(X.columns)
    if _is_annotated(X):
        return _values(X, name), tuple(map(str, X.var_names))
    if _is_sparse_in_file(X):
        return _from_file(X, name), None
    if isinstance(X, str | os.PathLike):
        path = os.fspath(X)
        call = READ_BY.get(Path(os.fsdecode(path)).suffix.lower(), "").format(brief(path))
        advice = f"the name of a file; pass what it holds, {call}"
        text = "a text; pass the array itself, samples x features"
        raise ValueError(f"{name} = {brief(path)}: is {advice if call else text}")
    if _is_group(X):
        arrays = first_few([repr(key) for key in X]) or "nothing"
        raise ValueError(f"{name}: is a file or group, which holds {arrays}; pass an array in it")
    array = bare(X)
    return array, None if array is X else names_in_xarray(X)


def _values(adata: Any, name: str) -> Any:
    """Return the `X` of an AnnData object."""
    is_view = bool(getattr(adata, "is_view", False))
    if is_view and getattr(adata, "isbacked", False):
        _check_view(adata, name)
    values = adata.X
    if values is None:
        raise ValueError(f"{name}: adata.X is None; pass a layer, such as adata.layers['counts']")
    if _is_sparse_in_file(values):
        return _from_file(values, name)
    if not is_view or is_streamed(values):
        return values
    # A view is of a class of its own, and so are its arrays.
    return intact(values, name) if hasattr(values, "tocsr") else np.asarray(values)


def _check_view(adata: Any, name: str) -> None:
    """Check the budget for a view of an AnnData object in a file, which `X` reads."""
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
    """Return a sparse matrix that AnnData left in its file, if the budget allows it."""
    parts = {part: stored.group[part] for part in COMPRESSED}
    for part in parts.values():
        check_declared(part, name)
    size = sum(part.dtype.itemsize * float(part.size) for part in parts.values())
    check_budget(f"{name}: {SPARSE_IN_MEMORY}", size, "store X dense, to be read in blocks")
    read = {part: array[...] for part, array in parts.items()}
    return assemble(stored.format, stored.shape, read, name)


# Arrays that are not in memory: memory maps, h5py, zarr, Dask.


# Memory maps of fewer bytes are taken as arrays in memory: the system holds them there anyway.
MAPPED = 2**28


def is_streamed(X: object) -> bool:
    """Return whether X is an array that is read block by block."""
    return is_dask(bare(X)) or is_mapped(X) or _package(X) in ("h5py", "zarr")


# Chunks of fewer bytes are small; of more of them than this a pass reads for minutes.
SMALL_CHUNK = 2**12
MOST_SMALL_CHUNKS = 2**20

# Bytes that any method needs for every sample and every feature, those of a basis.
BASIS = 24


def check_declared(X: Any, name: str = "X") -> None:
    """Refuse an array that a file may declare in few bytes, but that nobody can read."""
    if _package(X) not in ("h5py", "zarr"):
        return
    shape, itemsize = " x ".join(map(str, X.shape)), np.dtype(X.dtype).itemsize
    needed, what = BASIS, f"a basis for {shape}"
    if len(X.shape) == 1:  # names, or the numbers of a sparse matrix
        needed, what = itemsize, "what is stored of it, in memory"
    check_budget(f"{name}: {what}", needed * sum(map(float, X.shape)), "take a part")
    chunks = np.array(getattr(X, "chunks", None) or X.shape, dtype=float)
    count = float(np.prod(np.ceil(X.shape / np.maximum(chunks, 1))))
    if count > MOST_SMALL_CHUNKS and chunks.prod() * itemsize < SMALL_CHUNK:
        what = f"{count:.3g} chunks of {' x '.join(f'{size:g}' for size in chunks)}"
        raise ValueError(f"{name}: is stored in {what}; store it in larger ones")


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
    """Return the Dask array in a DataArray of xarray; anything else as passed."""
    labelled = hasattr(X, "dims") and hasattr(X, "coords") and not hasattr(X, "data_vars")
    # xarray would read an array without chunks here.
    return X.data if labelled and getattr(X, "chunks", None) is not None else X


def is_mapped(X: object) -> bool:
    """Return whether X is a large memory map."""
    return isinstance(X, np.memmap) and X.nbytes >= MAPPED


def is_dask(X: object) -> bool:
    """Return whether X is an array or a frame of Dask."""
    return _package(X) in ("dask", "dask_expr") and hasattr(X, "dask")


def _package(X: object) -> str:
    return type(X).__module__.partition(".")[0]


def loaded(
    X: Any,
    name: str = "X",
    reason: str = "",
    advice: str = "take a method that reads it in blocks",
) -> Any:
    """Return a streamed array in memory, if the budget allows it; others as passed."""
    if not is_streamed(X) or isinstance(X, np.memmap):
        return X
    check_budget(" ".join((f"{name}: all of it in memory", reason)).strip(), size_of(X), advice)
    return in_memory(X, name)


def size_of(X: Any) -> float:
    """Return how many bytes the numbers of an array take, whether they are stored or not."""
    return np.dtype(X.dtype).itemsize * float(np.prod(X.shape, dtype=float))


def float_type(dtype: Any) -> np.dtype[Any]:
    """Return the type as which numbers of a type are read: float32 or float64."""
    small = np.dtype(dtype) in (np.float16, np.float32)
    return np.dtype(np.float32 if small else np.float64)


def as_float(block: Any, stored: Any, *, copy: bool | None = None) -> NDArray[Any]:
    """Return numbers that are stored as some type as native float32 or float64, see `float_type`.

    Compiled code takes no other numbers: it would read those in foreign byte order as native ones.
    Only others are copied, or all with `copy`.
    """
    array: NDArray[Any] = np.array(block, dtype=float_type(stored), copy=copy)
    return array


def take_features(X: Any, features: Integers) -> Any:
    """Return some features of a streamed array, in memory; of Dask, as another array of Dask."""
    X = bare(X)
    return X.oindex[:, features] if hasattr(X, "oindex") else X[:, features]


def in_memory(X: Any, name: str = "X") -> Any:
    """Return a streamed array, or a slice of one, in memory; others as passed."""
    if bare(X) is not X:
        return X.copy(data=in_memory(X.data, name))
    if is_dask(X):
        if hasattr(X, "map_blocks") and X.ndim == 2:
            X = checked_chunks(X, name)
        with within_reach(name):
            X = X.compute()
        return X.toarray() if hasattr(X, "toarray") else X
    return X[...] if is_streamed(X) else X


def _checked(X: Any, names: Names, name: str) -> tuple[Any, Names]:
    """Check a streamed array of samples × features, and read the names of a frame."""
    if hasattr(X, "columns"):
        names = tuple(map(str, X.columns))
    if is_dask(X) and hasattr(X, "to_dask_array"):
        with within_reach(name):
            X = X.to_dask_array(lengths=True)
    shape = getattr(X, "shape", ())
    _check_dimensions(len(shape), name)
    if any(size != size for size in shape):
        raise ValueError(
            f"{name}: has chunks of unknown size; call compute_chunk_sizes() of the array first"
        )
    _check_shape(shape, 0, name)
    if np.dtype(X.dtype).kind not in "biuf":
        raise ValueError(f"{name}: has dtype {X.dtype}; real numbers are needed")
    check_declared(X, name)
    return X, names


# Chunks of Dask: Dask itself checks neither their shapes nor whether they can still be had.


# Errors of a cluster that has lost blocks.
GONE = ("CancelledError", "ClosedClientError")


def checked_chunks(X: Any, name: str = "X") -> Any:
    """Return a Dask array that checks every chunk as it is made."""
    return X.map_blocks(_checked_chunk, name, dtype=X.dtype, meta=X._meta)


def _checked_chunk(chunk: Any, name: str, block_info: Any = None) -> Any:
    declared = block_info[None]
    return checked_block(chunk, declared["chunk-shape"], declared["dtype"], name)


def checked_block(block: Any, shape: tuple[int, ...], dtype: Any, name: str = "X") -> Any:
    """Return a block that is what its Dask array declares, or refuse it."""
    if hasattr(block, "tocsr"):
        check_unmasked(getattr(block, "data", None), name)
        block = intact(block, name)
    check_unmasked(block, name)
    array = block if hasattr(block, "shape") and hasattr(block, "dtype") else np.asarray(block)
    if array.shape != tuple(shape) or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{name}: a block has shape {array.shape} and dtype {array.dtype}, but its Dask array "
            f"declares {tuple(shape)} and {dtype}; what makes the blocks must return that"
        )
    return array


@contextmanager
def within_reach(name: str = "X") -> Iterator[None]:
    """Turn the errors of a closed cluster, or of lost blocks, into one line."""
    try:
        yield
    except Exception as error:
        if not any(kind.__name__ in GONE for kind in type(error).__mro__):
            raise
        raise out_of_reach(name) from None


def out_of_reach(name: str = "X") -> ValueError:
    """Return the error for blocks that are lost, which says what to do."""
    return ValueError(
        f"{name}: its blocks are out of reach: they were cancelled, or their client or cluster is "
        f"closed or not the current one; make or persist {name} again with one that is open"
    )


# All of a sparse matrix is checked before compiled code follows its indices: an index outside its
# array makes the kernels of scipy, and those here, read and write memory that is not theirs. A
# file may hold any numbers there, and anybody may assign to `indices`.

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

    Every format stays, but "lil" and "dok", which become "coo".
    """
    from scipy.sparse import issparse  # here, for it would make the package slow to import

    if not issparse(X):  # of another library, which converts as it sees fit
        X = X.tocsc()
    format = X.format
    try:
        if format == "lil":
            format, parts = "coo", _from_lil(X)
        else:
            X = X.tocoo() if format == "dok" else X
            format, parts = X.format, {part: getattr(X, part) for part in PARTS.get(X.format, ())}
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}: is a damaged sparse matrix of format {format}") from None
    return assemble(format, X.shape, parts, name)


def compressed(X: Any, name: str = "X") -> Any:
    """Check a sparse matrix and return it compressed by columns or by rows, as passed.

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
    """Return whether X is a data frame of pandas with sparse columns."""
    pandas = hasattr(X, "iloc") and hasattr(X, "columns")
    return pandas and any(map(_is_sparse_dtype, X.dtypes))


def _is_sparse_dtype(dtype: Any) -> bool:
    return type(dtype).__name__ == "SparseDtype"


def from_frame(frame: Any, name: str = "X") -> Any:
    """Compress a data frame with sparse columns by columns; of others all numbers are stored."""
    places, numbers = [], []
    for index, label in enumerate(names_of(frame)):
        column = frame.iloc[:, index]
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
        _check_column(column.dtype, values, label, name)
        if values.dtype == object:
            values = np.where(column.isna(), np.nan, values).astype(float)
        places.append(where)
        numbers.append(values)
    arrays = np.concatenate(numbers), np.concatenate(places), np.cumsum([0, *map(len, numbers)])
    matrix = assemble("csc", frame.shape, dict(zip(COMPRESSED, arrays, strict=True)), name)
    return compressed(matrix, name)


def assemble(format: str, shape: Any, parts: Mapping[str, Any], name: str = "X") -> Any:
    """Make a sparse array of scipy from the arrays that `PARTS` names, once all are checked."""
    if format not in PARTS:
        formats = ", ".join(PARTS)
        raise ValueError(f"{name}: has the sparse format {brief(format)}; allowed are {formats}")
    data = np.asarray(parts["data"])
    if data.dtype.kind not in "biuf":
        raise ValueError(f"{name}: has dtype {data.dtype}; real numbers are needed")
    shape = _shape(shape, name)
    from scipy import sparse  # here, for it would make the package slow to import

    try:
        if data.ndim != DIMENSIONS_OF_DATA.get(format, 1) or 0 in data.shape[1:]:
            raise ValueError(f"data has shape {data.shape}")
        indices = [_as_indices(part, parts[part]) for part in PARTS[format][1:]]
        # What scipy does not check.
        if format in ("csr", "csc", "bsr"):
            starts = indices[1]
            if starts.size and (starts[0] != 0 or (starts[1:] < starts[:-1]).any()):
                raise ValueError("indptr decreases, or does not begin with 0")
        if format == "bsr" and any(np.mod(shape, data.shape[1:])):
            raise ValueError(f"blocks of shape {data.shape[1:]} do not fill {shape}")
        arguments = (
            (_native(data), tuple(indices)) if format == "coo" else (_native(data), *indices)
        )
        matrix = getattr(sparse, f"{format}_array")(arguments, shape=shape)
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
        elif format == "dia" and (abs(indices[0].astype(float)) > 2**62).any():
            raise ValueError("offsets are too large")  # they overflow in the sums of scipy
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: is a damaged sparse matrix: {error}") from None
    return matrix


def _shape(shape: Any, name: str) -> tuple[int, int]:
    sizes = np.asarray(shape)
    if sizes.dtype.kind not in "iu" or sizes.ndim != 1 or (sizes < 0).any():
        raise ValueError(f"{name}: has shape {brief(shape)}; samples x features are needed")
    _check_dimensions(len(sizes), name)
    return int(sizes[0]), int(sizes[1])


def _as_indices(part: str, indices: Any) -> NDArray[Any]:
    """Return contiguous indices of a type that scipy's kernels know."""
    array = np.asarray(indices)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ValueError(f"{part} has shape {array.shape} and dtype {array.dtype}")
    array = array if array.dtype in (np.int32, np.int64) else array.astype(np.int64)
    return np.ascontiguousarray(array)


def _native(data: NDArray[Any]) -> NDArray[Any]:
    """Return contiguous numbers in native byte order; float16 becomes float32."""
    dtype = data.dtype.newbyteorder("=")
    return np.ascontiguousarray(data, np.float32 if dtype == np.float16 else dtype)


def _from_lil(X: Any) -> dict[str, Any]:
    lengths = [len(row) for row in X.rows]
    return {
        "data": np.array([*chain.from_iterable(X.data)]),
        "row": np.repeat(np.arange(len(lengths)), lengths),
        "col": np.array([*chain.from_iterable(X.rows)], dtype=None if any(lengths) else int),
    }


# Dense arrays, labels and pairs.

# Samples, and numbers, that are searched at a time for a value that is not finite.
ROWS = 4096
NUMBERS = 2**22


def as_matrix(X: Any, *, least_samples: int = 2, name: str = "X") -> tuple[NDArray[Any], Names]:
    """View X as a matrix of float32 or float64; return it and the names of its columns, if any."""
    X, names = unwrapped(X, name)
    if is_streamed(X):
        X, names = _checked(X, names, name)
        X = loaded(X, name)
    if names is None:
        X, names = unpack(X, name)
    if hasattr(X, "tocsr"):
        size = 8 * float(np.prod(X.shape, dtype=float))
        raise ValueError(
            f"{name}: is a sparse matrix; dense samples x features are needed, and toarray() "
            f"would take {readable(size)} (the budget is {readable(budget())})"
        )
    check_unmasked(X, name)
    array = _real(X, name)
    _check_dimensions(array.ndim, name)
    _check_shape(array.shape, least_samples, name)
    return array, names


def as_data(X: Any, *, least_samples: int = 2, name: str = "X") -> tuple[Any, Names]:
    """View X as `as_matrix` does, but leave it sparse or in blocks where it is.

    A sparse matrix stays compressed by columns or by rows; another format becomes compressed by
    rows, and a data frame with sparse columns by columns. Only numbers that are neither float32
    nor float64 are copied. An array that is read block by block, see `is_streamed`, is checked but
    not read.
    """
    X, names = unwrapped(X, name)
    if is_streamed(X):
        X, names = _checked(X, names, name)
    elif is_sparse_frame(X):
        X, names = from_frame(X, name), names_of(X)
    elif hasattr(X, "tocsr"):
        X = compressed(X, name)
    else:
        X, own = as_matrix(X, least_samples=least_samples, name=name)
        return X, names or own
    _check_shape(X.shape, least_samples, name)
    return X, names


def take_samples(array: Any, numbers: Integers) -> Any:
    """Return some samples of an array, in memory; sparse ones stay sparse."""
    if not is_streamed(array):
        return array[numbers]
    rows = [in_memory(array[int(number)]) for number in numbers]
    return np.array(rows, dtype=np.float64).reshape(len(rows), array.shape[1])


def stack_samples(parts: list[Any]) -> Any:
    """Stack samples, some below the others; they are sparse where some of them are."""
    if not any(hasattr(part, "tocsr") for part in parts):
        return np.concatenate(parts)
    from scipy.sparse import csr_array, vstack  # here, for it is slow to import

    return vstack([csr_array(part) for part in parts], format="csr")


def check_unmasked(X: object, name: str = "X") -> None:
    """Refuse an array with masked values, for these would count like any other."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(f"{name}: holds masked values; remove or fill them first")


def check_intact(X: object, name: str = "X") -> None:
    """Refuse what cannot be read, masked values, and damaged sparse matrices."""
    check_readable(X, name)
    check_unmasked(X, name)
    if hasattr(X, "tocsr"):
        intact(X, name)


def as_sparse(X: Sparse, *, least_samples: int = 2, name: str = "X") -> Any:
    """Copy a sparse matrix of samples × features, compressed by columns, float64, no stored 0."""
    checked = intact(X, name)
    _check_shape(checked.shape, least_samples, name)
    matrix = checked.astype(np.float64, copy=False).tocsc(copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if not np.isfinite(matrix.data).all():
        raise ValueError(describe_not_finite(matrix, None, name))
    return matrix


def _check_dimensions(count: int, name: str) -> None:
    if count != 2:
        raise ValueError(
            f"{name}: has {count_of(count, 'dimension')}; 2 are needed, samples x features"
        )


def _check_shape(shape: tuple[int, ...], least_samples: int, name: str) -> None:
    """Refuse an array without numbers, or with too few samples."""
    if 0 in shape:
        raise ValueError(f"{name}: has shape {tuple(shape)}; it must not be empty")
    if shape[0] < least_samples:
        raise ValueError(
            f"{name}: has {count_of(shape[0], 'sample')}; at least {least_samples} are needed"
        )


def _array(values: Any, name: str, needed: str) -> NDArray[Any]:
    """Make an array of values, or refuse rows of unlike lengths."""
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name}: rows differ in length; {needed}") from None


def _real(X: ArrayLike, name: str) -> NDArray[Any]:
    """View X as an array of float32 or float64, or convert it."""
    array = _array(X, name, "a matrix is needed")
    refused = ValueError(f"{name}: has dtype {array.dtype}; real numbers are needed")
    strings = array.dtype == object and any(isinstance(v, str) for v in array.flat)
    if array.dtype.kind not in "biufO" or strings:
        raise refused
    if array.dtype not in (np.float32, np.float64) or not array.dtype.isnative:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise refused from None
    return array


def describe_not_finite(array: Any, names: Names, name: str = "X") -> str:
    """Return the message for values that are not finite: how many, and where the first one is.

    If all are finite, their sum or norm is not, and the values are called too extreme.
    """
    count, first = 0, None
    if hasattr(array, "tocsr"):
        stored = array.tocoo()
        bad = ~np.isfinite(stored.data)
        places = np.unique(np.column_stack((stored.row[bad], stored.col[bad])), axis=0)
        count, first = len(places), next(iter(places.tolist()), None)
    else:
        step = max(1, min(ROWS, NUMBERS // int(array.shape[1])))
        for start in range(0, int(array.shape[0]), step):
            places = np.argwhere(~np.isfinite(in_memory(array[start : start + step])))
            if len(places):
                first = first or [start + int(places[0, 0]), int(places[0, 1])]
                count += len(places)
    if first is None:
        return f"{name}: {TOO_EXTREME}"
    label = f"feature {first[1]}" + (f" ({names[first[1]]!r})" if names else "")
    return (
        f"{name}: {count} value{'s are' if count > 1 else ' is'} NaN or infinite, "
        f"first at sample {first[0]}, {label}; finite numbers are needed"
    )


def as_classes(y: ArrayLike | None, n_samples: int) -> Integers:
    """Number the classes from 0 in the order of their labels, and return that of every sample.

    Refuses labels that look like measurements, a single class, and more classes than half the
    samples.
    """
    if y is None:
        raise ValueError(f"y: is None; labels of shape ({n_samples},) are needed")
    if isinstance(y, str):
        raise ValueError(
            f"y: is the text {brief(y)}; labels of shape ({n_samples},) are needed, such as "
            f"adata.obs[{brief(y)}]"
        )
    labels = as_labels(y)
    if labels.shape != (n_samples,):
        raise ValueError(f"y: has shape {labels.shape}; labels of shape ({n_samples},) are needed")
    fractions = labels[labels != np.rint(labels)] if labels.dtype.kind == "f" else labels[:0]
    if len(fractions):
        raise ValueError(f"y: holds {fractions[0]:.6g}, a measurement; classes are needed")
    try:
        names, classes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ValueError("y: mixes labels that cannot be compared; use one type") from None
    if len(names) == 1:
        raise ValueError(f"y: has one class, {printable(names[0])}; at least 2 are needed")
    if len(names) > n_samples // 2:
        raise ValueError(
            f"y: has {len(names)} classes among {n_samples} samples; at most half as many "
            "classes as samples are allowed"
        )
    return classes


def as_labels(y: ArrayLike) -> NDArray[Any]:
    """View labels as an array; refuse missing ones."""
    check_unmasked(y, "y")
    if hasattr(y, "tocsr"):
        raise ValueError("y: is a sparse matrix; an array of labels is needed")
    labels = _array(y, "y", "one label for each sample is needed")
    missing = [i for i, label in enumerate(labels.ravel().tolist()) if is_missing(label)]
    if missing:
        raise ValueError(
            f"y: {len(missing)} label{'s are' if len(missing) > 1 else ' is'} missing, first of "
            f"sample {missing[0]}; every sample needs one"
        )
    return labels


def as_pairs(name: str, pairs: ArrayLike | None, n_samples: int) -> Integers:
    """View pairs of sample numbers as an array of two columns; None means no pairs."""
    array = _array([] if pairs is None else pairs, name, "two samples a pair are needed")
    if array.size == 0:
        return np.empty((0, 2), np.intp)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name}: has shape {array.shape} and dtype {array.dtype}; give rows of "
            "two sample numbers, or two arrays of samples"
        )
    outside = array[(array < 0) | (array >= n_samples)]
    if outside.size:
        raise ValueError(f"{name}: holds sample {outside[0]}; must be from 0 to {n_samples - 1}")
    same = array[array[:, 0] == array[:, 1]]
    if len(same):
        raise ValueError(f"{name}: pairs sample {same[0, 0]} with itself; two samples are needed")
    return array.astype(np.intp)


def as_table(name: str, table: ArrayLike, n_classes: int) -> Integers:
    """View positive whole numbers, one for every pair of classes, as a symmetric array."""
    shape = (n_classes, n_classes)
    needed = f"{shape} is needed, a row and a column for each class"
    array = _array(table, name, f"shape {needed}")
    if array.shape != shape:
        raise ValueError(f"{name}: has shape {array.shape}; {needed}")
    for (i, j), entry in np.ndenumerate(np.asarray(table, dtype=object)):
        is_whole = isinstance(entry, int | np.integer) and not isinstance(entry, bool)
        if not (is_whole and 1 <= entry <= LARGEST_INTEGER):
            raise ValueError(
                f"{name}: holds {entry!r} in row {i}, column {j}; whole numbers at least 1 are "
                "needed"
            )
    unequal = np.argwhere(array != array.T)
    if len(unequal):
        i, j = unequal[0]
        raise ValueError(
            f"{name}: holds {array[i, j]} in row {i}, column {j}, and {array[j, i]} in row {j}, "
            f"column {i}; must be symmetric"
        )
    return array.astype(np.intp)


def as_samples(
    name: str, pairs: tuple[ArrayLike, ArrayLike], n_features: int, names: Names
) -> tuple[Any, Any]:
    """View pairs of samples: two arrays of pairs × features, the first and the second samples."""
    both = []
    for part in pairs:
        values, part_names = unwrapped(part, name)
        array, own = as_data(in_memory(values), least_samples=0, name=name)
        both.append((array, part_names or own))
    (first, _), (second, _) = both
    if first.shape != second.shape or first.shape[1] != n_features:
        raise ValueError(
            f"{name}: has samples of shapes {first.shape} and {second.shape}; two arrays of "
            f"equal shape, samples x {n_features} features, are needed"
        )
    for array, part_names in both:
        if part_names and names and part_names != names:
            raise ValueError(f"{name}: has other column names than X, or in another order")
        if not np.isfinite(array.data if hasattr(array, "tocsr") else array).all():
            raise ValueError(describe_not_finite(array, names, name))
    return first, second
