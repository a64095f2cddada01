"""Reads tables of any kind of file, and does what the options ask for: named columns.

Rows are samples, columns are features, which may have names. Text is read by `texts`; Parquet,
Arrow and Excel by pandas; .npy and sparse .npz by numpy and scipy; .h5ad and zarr by h5py, anndata
and zarr. A large dense array stays in its file and is read in blocks.
"""

import importlib
import reprlib
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from specsel import _containers, _runtime, _validate
from specsel.cli import texts
from specsel.cli.texts import STDIN, CellError, HeaderError, Reading

IMPUTATIONS = ("median", "drop-columns", "drop-rows")
EXCEL = (".xlsx", ".xls", ".xlsb", ".ods")
FRAMES = (".parquet", ".arrow", ".feather", ".ipc")
CELLS, ZARR = ".h5ad", ".zarr"

# How pandas calls an index without a name in Parquet.
INDEX = "__index_level_0__"

# What a folder holds that is an array or a group of zarr, and how AnnData calls sparse matrices.
MARKS = ("zarr.json", ".zarray", ".zgroup")
SPARSE = ("csr_matrix", "csc_matrix")

# Packages whose errors, while numbers are read, mean a damaged file.
READERS = {"h5py", "zarr", "numcodecs"}

NOT_NPY = "is not a complete .npy file of numbers"
NOT_NPZ = "is not a sparse matrix of scipy.sparse.save_npz; dense arrays go into .npy"
NOT_LABELLED = "is no .npz file with arrays X, samples x features, and y, their labels"

# Missing values of a file on disk are counted up to this size; beyond, the solver finds them.
LARGEST_COUNTED = 10**8
BLOCK = 2**22  # numbers that are looked at at once
LARGEST_ROW = 2**53  # above it not every whole number is a float
NAMES_LISTED = 6


class MissingError(ValueError):
    """A table lacks values."""


@dataclass(frozen=True)
class Columns:
    """Numbers of the columns: features, those `apart`, and of these the labels and row names."""

    features: list[int]
    apart: list[int]
    target: int | None
    index: int | None

    @classmethod
    def choose(
        cls, how: Reading, names: Sequence[str] | None, width: int, index: int | None = None
    ) -> "Columns":
        """Find the columns that the user names; `index` is the one that the file shows."""
        known = {*names} if names else {*map(str, range(width))}

        def find(column: str | None) -> int | None:
            absent = how.lenient and " ".join((column or "").split()) not in known
            return None if column is None or absent else _find(column, names, width)

        dropped, named, target = [*map(find, how.drop)], find(how.index), find(how.target)
        found = [*dropped, named, target, index]
        apart = [*dict.fromkeys(i for i in found if i is not None)]
        outside = {*apart}
        features = [i for i in range(width) if i not in outside]
        return cls(features, apart, target, index if named is None else named)

    def take(self, X: Any) -> Any:
        """Return the features of X; neighbouring columns are a view, not a copy."""
        if not self.apart:
            return X
        X = _whole(X, "columns that are no features", "store them apart")
        left = self.features
        if left and left[-1] - left[0] == len(left) - 1:
            return X[:, left[0] : left[-1] + 1]
        return X.take(left, axis=1) if isinstance(X, np.ndarray) else X[:, left]


def _find(column: str, names: Sequence[str] | None, width: int) -> int:
    """Return the number of a column that is given by its name, or without names by its number."""
    if names is None:
        if not (column.isdecimal() and int(column) < width):
            raise ValueError(
                f"has columns 0 to {width - 1}, without names; no column {reprlib.repr(column)}"
            )
        return int(column)
    name = " ".join(column.split())
    count = [*names].count(name) if name else 0
    if count > 1:
        raise ValueError(f"has {count} columns {reprlib.repr(column)}")
    if count == 0:
        known = [name for name in names if name]
        some = ", ".join(map(_validate.printable, known[:NAMES_LISTED]))
        some += ", ..." * (len(known) > NAMES_LISTED)
        close = _validate.suggest(name, known)
        raise ValueError(f"has no column {reprlib.repr(column)}{close or f'; it has {some}'}")
    return [*names].index(name)


@dataclass(frozen=True)
class Table:
    """Samples × features, the labels of the samples if asked for, and where both come from.

    `names` are the names of the features: those of the header or, if the file has no header and
    some columns were left out, the numbers of the columns in the file. `rows` are the names of the
    samples, if the file has them. `facts` says how the file was read, and `left_out` names the
    columns that are no features.
    """

    values: Any
    y: np.ndarray | None
    origin: str
    names: list[str] | None = None
    rows: list[str] | None = None
    facts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def X(self) -> Any:
        """The samples, with the names of the features if there are any."""
        return _containers.Frame(self.names, self.values) if self.names else self.values

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.values.shape[1])

    def name_of(self, feature: int) -> str:
        """Return the name of a feature, or its number."""
        return self.names[feature] if self.names else str(feature)

    def without_missing(self, how: str | None) -> "Table":
        """Fill missing values or leave out where they are; refuse them if `how` is None."""
        values = self.values if how is None else _whole(self.values, "--impute", "fill it before")
        mapped = isinstance(values, np.memmap) and values.size > LARGEST_COUNTED
        dense = isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind == "f"
        if not dense or mapped:
            return self
        table = replace(self, values=values)
        step = max(1, BLOCK // max(1, values.shape[1]))
        parts = [values[i : i + step] for i in range(0, len(values), step)]
        counts = sum(
            (np.isnan(part).sum(axis=0) for part in parts), np.zeros(values.shape[1], int)
        )
        total = int(counts.sum())
        missing = f"{total} missing value{'s' * (total != 1)}"
        if not total:
            return table
        if how is None:
            raise MissingError(f"{missing}: {_most_missing(counts, self.names)}")
        if how == "median":
            return table._with_medians(counts, f"{missing} set to the median of the column")
        axis = ("drop-rows", "drop-columns").index(how)
        kind = ("row", "column")[axis]
        gaps = counts if axis else np.concatenate([np.isnan(part).any(axis=1) for part in parts])
        left = np.flatnonzero(gaps == 0)
        if len(left) == 0:
            raise ValueError(f"--impute {how}: every {kind} has missing values; none is left")
        fact = f"{len(gaps) - len(left)} of {len(gaps)} {kind}s dropped for {missing}"
        table = replace(table, values=values.take(left, axis), facts=(*self.facts, fact))
        if axis:
            return replace(table, names=[self.name_of(int(i)) for i in left])
        y = None if self.y is None else self.y[left]
        return replace(table, y=y, rows=self.rows and [self.rows[i] for i in left])

    def _with_medians(self, counts: np.ndarray, fact: str) -> "Table":
        empty = int((counts == self.n_samples).sum())
        if empty:
            raise ValueError(
                f"--impute median: {empty} column{'s hold' if empty > 1 else ' holds'} no value "
                "at all; --impute drop-columns leaves them out"
            )
        # A file that is mapped into memory is not written to.
        values = self.values if self.values.flags.writeable else np.array(self.values)
        for i in np.flatnonzero(counts):
            column = values[:, i]
            column[np.isnan(column)] = np.nanmedian(column)
        return replace(self, values=values, facts=(*self.facts, fact))

    def dense(self, what: str) -> "Table":
        """Return the table as dense numbers in memory; `what` needs that."""
        if isinstance(self.values, np.ndarray):
            return self
        self._check_room(what)
        sparse = hasattr(self.values, "toarray")
        values = self.values.toarray() if sparse else _containers.loaded(self.values)
        return replace(self, values=values)

    def _check_room(self, what: str) -> None:
        size = 8 * float(np.prod(self.values.shape, dtype=float))
        _runtime.check_budget(f"{what}: a dense table", size, "fewer columns take less")

    def standardised(self) -> "Table":
        """Return every column less its mean and over its deviation; constant ones are 0."""
        self._check_room("--standardise")
        values = np.array(self.dense("--standardise").values, dtype=float)
        values -= values.mean(axis=0)
        deviations = values.std(axis=0)
        values /= np.where(deviations > 0, deviations, 1.0)
        return replace(self, values=values, origin=f"{self.origin}, columns standardised")

    def shuffled(self, seed: int) -> "Table":
        """Return the values of every column in a random order."""
        self._check_room("--shuffle")
        values = np.asarray(self.dense("--shuffle").values)
        values = np.random.default_rng(seed).permuted(values, axis=0)
        return replace(self, values=values, origin=f"{self.origin}, columns shuffled")

    def selection(self, features: list[int]) -> np.ndarray:
        """Return some columns, in memory, in any order and any number of times."""
        if not _containers.is_streamed(self.values):
            found = self.values[:, features]
            return found.toarray() if hasattr(found, "toarray") else np.asarray(found)
        size = np.dtype(self.values.dtype).itemsize * float(self.n_samples) * len(features)
        _runtime.check_budget("the selected columns, in memory", size, "select fewer")
        order, positions = np.unique(np.array(features, dtype=np.intp), return_inverse=True)
        if len(order) == 0:
            return np.empty((self.n_samples, 0), self.values.dtype)
        return np.asarray(_containers.take_features(self.values, order))[:, positions]


def _most_missing(counts: np.ndarray, names: Sequence[str] | None) -> str:
    """Say in which columns most values are missing."""
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    some = [f"{counts[i]} in column {repr(names[i]) if names else f'{i} (from 0)'}" for i in order]
    more = len(some) - 4
    return ", ".join(some[:4]) + f" and {more} more column{'s' * (more > 1)}" * (more > 0)


def read(
    path: Path,
    target: str | None = None,
    *,
    drop: Sequence[str] = (),
    impute: str | None = None,
    as_stored: bool = False,
    **options: Any,
) -> Table:
    """Read a table; its column `target` holds the labels of the samples.

    Columns are given by name or, if the file has no header, by number from 0. Those of `drop` are
    left out, whatever they hold. `impute` is one of `IMPUTATIONS`, `options` are those of
    `Reading`. With `as_stored`, a sparse matrix stays sparse and a large array stays in its file;
    else both become dense numbers in memory.
    """
    is_zarr = path != STDIN and _is_zarr(path)
    if path != STDIN and path.is_dir() and not is_zarr:
        raise ValueError(f"{path}: is a directory; a file is needed")
    how = Reading(drop=drop, target=target, **options)
    if target is not None and target in (*drop, how.index):
        raise ValueError(f"{path}: column {target!r} holds the labels; it cannot be left out")
    suffix = ZARR if is_zarr else path.suffix.lower()
    if how.sheet is not None and suffix not in EXCEL and not how.lenient:
        raise ValueError(f"{path}: is no Excel file; leave --sheet out")
    try:
        table = KINDS.get(suffix, _read_text)(path, how).without_missing(impute)
    except (CellError, HeaderError, MissingError) as error:
        raise type(error)(f"{path}: {error}") from None
    except (ValueError, MemoryError) as error:
        kind = MemoryError if isinstance(error, MemoryError) else ValueError
        raise kind(f"{path}: {str(error).removeprefix('X: ')}") from None
    origin = ", ".join(["stdin" if path == STDIN else str(path), *table.facts])
    table = replace(table, origin=origin)
    return table if as_stored else table.dense(str(path))


def _table(
    values: Any,
    columns: Columns,
    names: Sequence[str] | None,
    y: np.ndarray | None,
    rows: list[str] | None,
    facts: tuple[str, ...] = (),
) -> Table:
    """Return a table; `values` are those of the features, `names` those of all columns."""
    every = names if names else [str(i) for i in range(len(columns.features + columns.apart))]
    left_out = tuple(every[i] for i in columns.apart)
    kept = [every[i] for i in columns.features] if names or left_out else None
    return Table(values, y, "", kept, rows, facts, left_out)


def _read_text(path: Path, how: Reading) -> Table:
    return _of_text(texts.read(path, how, _chooser(how)))


def _chooser(how: Reading) -> Any:
    return lambda layout: Columns.choose(how, layout.names, layout.width, layout.index)


def _of_text(found: texts.Content) -> Table:
    return _table(found.X, found.columns, found.names, found.y, found.rows, found.facts)


def _read_excel(path: Path, how: Reading) -> Table:
    """Read the first sheet or the one asked for; its rows are read as those of a text."""
    pandas = load("pandas", path.suffix)
    load("python_calamine", path.suffix)
    with complete(path):
        book = pandas.ExcelFile(path, engine="calamine")
    with book:
        sheets = book.sheet_names
        sheet = _sheet(sheets, how.sheet)
        with complete(path):
            frame = book.parse(sheet, header=None, dtype=object, na_filter=False)
    cells = ([*map(str, row)] for row in frame.itertuples(index=False))
    rows = ((line, row) for line, row in enumerate(cells, 1) if any(map(str.strip, row)))
    table = _of_text(texts.parse(rows, how, _chooser(how)))
    if len(sheets) == 1 or how.sheet is not None:
        return table
    first = _validate.printable(str(sheets[0]))
    fact = f"sheet {first!r}, the first of {len(sheets)} (--sheet takes another)"
    return replace(table, facts=(fact, *table.facts))


def _sheet(names: Sequence[str], wanted: str | None) -> int:
    """Return the place of a sheet that is given by its name, or by its number from 1."""
    if wanted is None:
        return 0
    if wanted in names:
        return [*names].index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    some = _validate.first_few(names, NAMES_LISTED)
    close = _validate.suggest(wanted, names)
    raise ValueError(f"has no sheet {reprlib.repr(wanted)}{close or f'; it has {some}'}")


def _read_frame(path: Path, how: Reading) -> Table:
    """Read Parquet or Arrow; an index that pandas wrote names the rows."""
    pandas = load("pandas", path.suffix)
    load("pyarrow", path.suffix)
    with complete(path):
        read = pandas.read_parquet if path.suffix.lower() == ".parquet" else pandas.read_feather
        frame = read(path)
    if INDEX in frame.columns:
        frame = frame.set_index(INDEX)
    rows: list[str] | None = None
    facts: tuple[str, ...] = ()
    if not isinstance(frame.index, pandas.RangeIndex):
        rows, name = [*map(str, frame.index)], frame.index.name or INDEX
        facts = (f"rows named by {name!r}",)
    names = [*map(str, frame.columns)]
    columns = Columns.choose(how, names, len(names))
    if columns.index is not None:
        rows, facts = [*map(str, frame.iloc[:, columns.index])], ()
    y = None if columns.target is None else _labels(frame.iloc[:, columns.target])
    frame = frame.iloc[:, columns.features]
    for name, dtype in zip(frame.columns, frame.dtypes, strict=True):
        if not pandas.api.types.is_numeric_dtype(dtype) or dtype.kind not in "biuf":
            kind = "text or mixed values" if dtype.kind == "O" else dtype
            raise CellError(f"column {str(name)!r} holds {kind}, no numbers")
    floats = len({*frame.dtypes}) == 1 and frame.dtypes.iloc[0] in ("float32", "float64")
    X = frame.to_numpy() if floats else frame.to_numpy(float, na_value=np.nan)
    return _table(X, columns, names, y, rows, facts)


def _labels(column: Any) -> np.ndarray:
    """Return labels as an array: whole numbers stay numbers, and what is missing is None."""
    found = np.empty(len(column), object)
    found[:] = [None if missing else v for v, missing in zip(column, column.isna(), strict=True)]
    return found


def _numbered(X: Any, how: Reading) -> Table:
    """Take columns that have numbers instead of names."""
    if X.ndim != 2:
        raise ValueError(f"has {X.ndim} dimension{'s' * (X.ndim != 1)}; 2 are needed")
    columns = Columns.choose(how, None, X.shape[1])

    def column(i: int) -> np.ndarray:
        found = X[:, [i]].toarray()[:, 0] if hasattr(X, "toarray") else X[:, i]
        return np.array(found)

    y = None if columns.target is None else column(columns.target)
    rows = None if columns.index is None else [f"{x:.15g}" for x in column(columns.index)]
    return _table(columns.take(X), columns, None, y, rows)


def _read_npy(path: Path, how: Reading) -> Table:
    """Map the array in a .npy file into memory, read-only."""
    with complete(path, message=NOT_NPY):
        X = np.lib.format.open_memmap(path, mode="r")
    if X.dtype.kind not in "biufc" or X.dtype.itemsize == 0:
        raise ValueError(f"has dtype {_validate.brief(X.dtype)}; real numbers are needed")
    return _numbered(X, how)


def _read_npz(path: Path, how: Reading) -> Table:
    """Read the sparse matrix in a .npz file."""
    from scipy import sparse

    with complete(path, message=NOT_NPZ), open(path, "rb") as file:
        matrix = sparse.load_npz(file)
        if matrix.dtype.kind not in "biufc":
            raise ValueError
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
        matrix = matrix if matrix.format in ("csr", "csc") else matrix.tocsr()
        matrix.check_format(full_check=True)
    return _numbered(matrix, how)


def read_labelled(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read the arrays X and y in a .npz file: samples × features, and the samples' labels."""
    with (
        complete(path, message=NOT_LABELLED),
        open(path, "rb") as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        X, y = archive["X"], archive["y"]
    if X.ndim != 2 or X.dtype.kind not in "biuf" or y.shape != (len(X),):
        raise ValueError(NOT_LABELLED)
    return X, y


def _read_h5ad(path: Path, how: Reading) -> Table:
    h5py = load("h5py", CELLS)
    with complete(path):
        file = h5py.File(path, "r")
    return _of_anndata(path, file, how)


def _is_zarr(path: Path) -> bool:
    """Return whether a path names a zarr store, or an array or a group in one."""
    named = any(part.lower().endswith(ZARR) for part in path.parts)
    return (named and not path.is_file()) or any((path / mark).is_file() for mark in MARKS)


def _read_zarr(path: Path, how: Reading) -> Table:
    """Read an array, a sparse matrix, or cells × genes as AnnData writes them."""
    zarr = load("zarr", ZARR)
    path.stat()  # what is not there says so itself
    with complete(path):
        found = zarr.open(path, mode="r")
    if hasattr(found, "shape"):
        return _numbered(_stored(path, found), how)
    kind = found.attrs.get("encoding-type")
    if kind == "anndata":
        return _of_anndata(path, found, how)
    if kind in SPARSE:
        return _numbered(_stored(path, found), how)
    raise ValueError(_not_one_array(path, found))


def _not_one_array(path: Path, group: Any) -> str:
    """Say which arrays a group holds."""
    with complete(path):
        shapes = {str(name): array.shape for name, array in sorted(group.arrays())}
        for name, inner in sorted(group.groups()):
            if inner.attrs.get("encoding-type") in SPARSE:
                shapes[str(name)] = tuple(inner.attrs["shape"])
    if not shapes:
        return "is a group of zarr without arrays; an array or AnnData is needed"
    some = _validate.first_few([f"{name} {' x '.join(map(str, shapes[name]))}" for name in shapes])
    tables = [name for name, shape in shapes.items() if len(shape) == 2]
    offer = f"give one, such as {path / tables[0]}" if tables else "none is a table"
    return f"is a group of arrays, {some}; {offer}"


def _of_anndata(path: Path, group: Any, how: Reading) -> Table:
    """Read cells × genes; the target is a column of `obs`, other columns are names of genes."""
    load("anndata", path.suffix)
    if "X" not in group:
        raise ValueError("has no X")
    if how.index is not None:
        raise ValueError("names its cells; leave --index out")
    obs, var = (_annotations(path, group, name) for name in ("obs", "var"))
    y = None
    if how.target is not None:
        kinds = [*map(str, obs.columns)]
        y = _labels(obs.iloc[:, _find(how.target, kinds, len(kinds))])
    X, names = _stored(path, group["X"]), [*var.index]
    columns = Columns.choose(replace(how, target=None), names, len(names))
    if tuple(X.shape) != (len(obs), len(names)):
        shape = " x ".join(map(str, X.shape))
        raise ValueError(f"holds {len(obs)} cells and {len(names)} genes, but X is {shape}")
    return _table(columns.take(X), columns, names, y, [*obs.index])


def _annotations(path: Path, group: Any, name: str) -> Any:
    io = load("anndata.io", path.suffix)
    with complete(path):
        old = hasattr(group[name], "shape")  # as anndata wrote tables before 0.7
        found = getattr(io.read_h5ad(path, backed="r"), name) if old else io.read_elem(group[name])
        return found.set_index(found.index.map(str))


def _stored(path: Path, stored: Any) -> Any:
    """Return a sparse matrix or a small array in memory, a large array as it is stored."""
    if not hasattr(stored, "shape"):
        io = load("anndata.io", path.suffix)
        with complete(path):
            matrix = io.sparse_dataset(stored)
        with complete(path, ValueError):
            return _containers.unwrapped(matrix)[0]
    size = np.dtype(stored.dtype).itemsize * float(np.prod(stored.shape, dtype=float))
    if size >= _containers.MAPPED:
        return stored
    with complete(path):
        return _containers.loaded(stored)


def _whole(X: Any, reason: str, advice: str) -> Any:
    """Return all of a stored array in memory; `reason` needs it, `advice` says what else to do."""
    if isinstance(X, np.ndarray) or not _containers.is_streamed(X):
        return X
    size = np.dtype(X.dtype).itemsize * float(np.prod(X.shape, dtype=float))
    _runtime.check_budget(f"all of it in memory, for {reason}", size, advice)
    return _containers.loaded(X)


def load(package: str, suffix: str) -> Any:
    """Import a library, or say which extra brings it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(package)
    except ImportError:
        name = package.partition(".")[0].replace("python_", "python-")
        raise ValueError(f"{suffix} needs {name}: pip install 'specsel[files]'") from None


@contextmanager
def complete(path: Path, *but: type[Exception], message: str = "") -> Iterator[None]:
    """Turn whatever a library raises for a damaged file into one line, except errors of `but`.

    What is written in Rust may panic, which Python sees as an error that is no `Exception`.
    """
    if not path.is_dir():
        with open(path, "rb"):  # a file that is not there says so itself
            pass
    what = f"{path.suffix} file of a table" if path.is_file() else "store of zarr"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except BaseException as error:
        panic = type(error).__name__ == "PanicException"
        if isinstance(error, (MemoryError, *but)) or not (panic or isinstance(error, Exception)):
            raise
        raise ValueError(message or f"is not a complete {what}") from None


def damage(error: BaseException) -> str | None:
    """Say that a store is damaged, if that is why its numbers could not be read."""
    frames = traceback.walk_tb(error.__traceback__)
    packages = {str(frame.f_globals.get("__name__")).partition(".")[0] for frame, _ in frames}
    if isinstance(error, MemoryError) or "anndata" in packages or packages.isdisjoint(READERS):
        return None
    first = _validate.printable(str(error).partition("\n")[0])
    return f"numbers in it cannot be read ({type(error).__name__}: {first})"


def read_pairs(path: Path) -> np.ndarray:
    """Read pairs of samples: two columns of row numbers, which are no header."""
    try:
        table = read(path)
    except HeaderError:
        table = read(path, header="no")
    values = table.values
    if values.ndim != 2 or values.shape[1] != 2 or values.dtype.kind not in "iuf":
        shape = " x ".join(map(str, values.shape))
        raise ValueError(
            f"{path}: is {shape} {values.dtype}; two columns of row numbers are needed"
        )
    rows = (np.abs(values) < LARGEST_ROW) & (values == np.rint(values))
    if not rows.all():
        raise ValueError(f"{path}: {values[~rows][0]} is not a row number of a sample")
    if "no header" in table.facts and values[0].tolist() == [0, 1]:
        raise ValueError(f"{path}: its first row, 0 and 1, may be a header; name the columns")
    return np.asarray(values.astype(np.intp))


def example(labelled: bool) -> Table:
    """Return the built-in example, with labels or without."""
    from specsel import datasets

    data = datasets.example()
    origin = "no FILE given, the built-in example"
    return Table(data.X, data.y if labelled else None, origin, [*(data.names or ())])


KINDS = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    CELLS: _read_h5ad,
    ZARR: _read_zarr,
    **dict.fromkeys(FRAMES, _read_frame),
    **dict.fromkeys(EXCEL, _read_excel),
}
