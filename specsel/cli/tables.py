"""Reads tables, whatever the kind of file; makes the example, and shuffled or scaled tables.

Rows are samples, columns are features, which may have names.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from specsel import _containers, _runtime, _validate
from specsel.cli import binary, columns, delimited, doubts, libraries, missing, stores, texts
from specsel.cli.reading import CellError, Content, HeaderError, MissingError, Reading

# Missing values of a file on disk are counted up to this size; beyond, the solver finds them.
LARGEST_COUNTED = 10**8

LARGEST_ROW = 2**53  # above it not every whole number is a float


class Table(NamedTuple):
    """Samples × features, the labels of the samples if asked for, and where both come from.

    `names` are the names of the features: those of the header or, if the file has no header and
    some columns were left out, the numbers of the columns in the file. X carries them too. `rows`
    are the names of the samples, if the file has them. `facts` says what the reader decided by
    itself, and `left_out` names the columns that are no features.
    """

    X: Any
    y: np.ndarray | None
    origin: str
    names: list[str] | None = None
    rows: list[str] | None = None
    facts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.names) if self.names else int(self.X.shape[1])

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.X) if isinstance(self.X, _containers.Frame) else int(self.X.shape[0])

    @property
    def values(self) -> Any:
        """The samples without the names of the features."""
        return self.X.values if isinstance(self.X, _containers.Frame) else self.X


def read(
    path: Path,
    target: str | None = None,
    *,
    drop: Sequence[str] = (),
    impute: str | None = None,
    as_stored: bool = False,
    **told: Any,
) -> Table:
    """Read a table; its column `target` holds the labels of the samples.

    Columns are given by name or, if the file has no header, by number from 0. Those of `drop` are
    left out, whatever they hold. `impute` says what to do about missing values, `told` what else
    the user knows of the file, see `Reading`. With `as_stored`, a sparse matrix stays sparse and
    a large array stays in its file; else both become dense numbers in memory.
    """
    is_zarr = path != texts.STDIN and stores.is_zarr(path)
    if path != texts.STDIN and path.is_dir() and not is_zarr:
        raise ValueError(f"{path}: is a directory; a file is needed")
    reading = Reading(drop=drop, target=target, **told)
    if target in (*drop, reading.index) and target is not None:
        raise ValueError(f"{path}: column {target!r} holds the labels; it cannot be left out")
    is_excel = path.suffix.lower() in libraries.EXCEL
    if reading.sheet is not None and not (is_excel or reading.lenient):
        raise ValueError(f"{path}: is no Excel file; leave --sheet out")
    kind = stores.ZARR if is_zarr else path.suffix.lower()
    reader = READERS.get(kind, delimited.read)
    try:
        content = reader(path, reading)
        table = _table(path, content, impute)
    except (CellError, HeaderError, MissingError) as error:
        raise type(error)(f"{path}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {_of_file(error)}") from None
    except MemoryError as error:
        raise MemoryError(f"{path}: {_of_file(error)}") from None
    return table if as_stored else dense(table, str(path))


def _of_file(error: Exception) -> str:
    """What an error says, but for the name that an argument has in Python."""
    return str(error).removeprefix("X: ")


def _table(path: Path, content: Content, impute: str | None) -> Table:
    """Take out the columns that are no features, and what is missing."""
    X, names, y, rows, facts = content.X, content.names, content.y, content.rows, content.facts
    left_out: tuple[str, ...] = ()
    if content.apart:
        left_out = tuple(names[i] if names else str(i) for i in dict.fromkeys(content.apart))
        X = stores.whole(X, "columns that are no features", "store them apart")
        X, names = columns.without(X, names, content.apart)
    if impute is not None:
        X = stores.whole(X, "--impute", "fill what is missing beforehand")
    counts = _missing(X)
    if counts is not None and counts.any():
        if impute is None:
            raise MissingError(missing.describe(counts, names))
        found = missing.impute(X, impute, counts)
        X, facts = found.X, (*facts, str(found.fact))
        if found.columns is not None:
            names = [names[i] if names else str(i) for i in found.columns]
        if found.rows is not None:
            y = None if y is None else y[found.rows]
            rows = None if rows is None else [rows[i] for i in found.rows]
    for warning in doubts.warnings(X, names):
        warn(f"{path}: {warning}", stacklevel=_validate.caller())
    origin = ", ".join(["stdin" if path == texts.STDIN else str(path), *facts])
    X = _containers.Frame(names, X) if names else X
    return Table(X, y, origin, names, rows, facts, left_out)


def _missing(X: Any) -> np.ndarray | None:
    """Count missing values by column; not in a file too large to be read once more."""
    mapped = isinstance(X, np.memmap) and X.size > LARGEST_COUNTED
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f" or X.ndim != 2 or mapped:
        return None
    return missing.by_column(X)


def dense(table: Table, what: str) -> Table:
    """The table as dense numbers, neither sparse nor left in a store; `what` needs that."""
    if isinstance(table.values, np.ndarray):
        return table
    _check_room(table, what)
    values = table.values
    return _with(
        table, values.toarray() if hasattr(values, "toarray") else _containers.loaded(values)
    )


def _check_room(table: Table, what: str) -> None:
    size = 8 * float(np.prod(table.values.shape, dtype=float))
    _runtime.check_budget(f"{what}: a dense table", size, "fewer columns take less")


def _with(table: Table, values: np.ndarray) -> Table:
    """The table with other values."""
    return table._replace(X=_containers.Frame(table.names, values) if table.names else values)


def read_pairs(path: Path) -> np.ndarray:
    """Read pairs of samples: two columns of row numbers, which are no header."""
    try:
        table = read(path)
    except HeaderError:
        table = read(path, header="no")
    values = table.X.to_numpy() if table.names else table.X
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
    y = data.y if labelled else None
    origin = "no FILE given, the built-in example"
    names = list(data.names or ())
    return Table(_containers.Frame(names, data.X), y, origin, names)


def standardised(table: Table) -> Table:
    """The table with every column less its mean and over its deviation; constant ones are 0."""
    _check_room(table, "--standardise")
    values = np.array(dense(table, "--standardise").values, dtype=float)
    values -= values.mean(axis=0)
    deviations = values.std(axis=0)
    values /= np.where(deviations > 0, deviations, 1.0)
    return _with(table, values)._replace(origin=f"{table.origin}, columns standardised")


def shuffled(table: Table, seed: int) -> Table:
    """Return the table with the values of every column in a random order."""
    _check_room(table, "--shuffle")
    values = np.asarray(dense(table, "--shuffle").values)
    values = np.random.default_rng(seed).permuted(values, axis=0)
    return _with(table, values)._replace(origin=f"{table.origin}, columns shuffled")


def _read_npy(path: Path, reading: Reading) -> Content:
    return columns.numbered(binary.read_npy(path), reading)


def _read_npz(path: Path, reading: Reading) -> Content:
    matrix = binary.read_npz(path)
    compressed = matrix if matrix.format in ("csr", "csc") else matrix.tocsr()
    return columns.numbered(compressed, reading)


READERS = {".npy": _read_npy, ".npz": _read_npz, **libraries.READERS, **stores.READERS}
