"""Reads tables, whatever the kind of file; makes the example, and shuffled or scaled tables.

Rows are samples, columns are features, which may have names.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from specsel import _input
from specsel.cli import binary, columns, delimited, doubts, libraries, missing, texts
from specsel.cli.reading import CellError, Content, HeaderError, MissingError, Reading

# Missing values of a file on disk are counted up to this size; beyond, the solver finds them.
LARGEST_COUNTED = 10**8

LARGEST_ROW = 2**53  # above it not every whole number is a float


class Table(NamedTuple):
    """Samples × features, the labels of the samples if asked for, and where both come from.

    `names` are the names of the features: those of the header or, if the file has no header and
    some columns were left out, the numbers of the columns in the file. X carries them too, unless
    it is sparse. `rows` are the names of the samples, if the file has them. `facts` says what the
    reader decided by itself, and `left_out` names the columns that are no features.
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
        return len(self.X) if isinstance(self.X, _input.Frame) else int(self.X.shape[0])

    @property
    def values(self) -> Any:
        """The samples without the names of the features."""
        return self.X.values if isinstance(self.X, _input.Frame) else self.X


def read(
    path: Path,
    target: str | None = None,
    *,
    drop: Sequence[str] = (),
    impute: str | None = None,
    sparse: bool = False,
    **told: Any,
) -> Table:
    """Read a table; its column `target` holds the labels of the samples.

    Columns are given by name or, if the file has no header, by number from 0. Those of `drop` are
    left out, whatever they hold. `impute` says what to do about missing values, `told` what else
    the user knows of the file, see `Reading`. With `sparse`, a sparse matrix stays sparse.
    """
    if path != texts.STDIN and path.is_dir():
        raise ValueError(f"{path}: is a directory; a file is needed")
    reading = Reading(drop=drop, target=target, **told)
    if target in (*drop, reading.index) and target is not None:
        raise ValueError(f"{path}: column {target!r} holds the labels; it cannot be left out")
    is_excel = path.suffix.lower() in libraries.EXCEL
    if reading.sheet is not None and not (is_excel or reading.lenient):
        raise ValueError(f"{path}: is no Excel file; leave --sheet out")
    reader = READERS.get(path.suffix.lower(), delimited.read)
    try:
        content = reader(path, reading)
        table = _table(path, content, impute)
    except (CellError, HeaderError, MissingError) as error:
        raise type(error)(f"{path}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    X = table.X
    if hasattr(X, "toarray"):
        X = X if sparse else X.toarray()
    if table.names and isinstance(X, np.ndarray):
        X = _input.Frame(table.names, X)
    return table._replace(X=X)


def _table(path: Path, content: Content, impute: str | None) -> Table:
    """Take out the columns that are no features, and what is missing."""
    X, names, y, rows, facts = content.X, content.names, content.y, content.rows, content.facts
    left_out: tuple[str, ...] = ()
    if content.apart:
        left_out = tuple(names[i] if names else str(i) for i in dict.fromkeys(content.apart))
        X, names = columns.without(X, names, content.apart)
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
        warn(f"{path}: {warning}", stacklevel=_input.caller())
    origin = ", ".join(["stdin" if path == texts.STDIN else str(path), *facts])
    return Table(X, y, origin, names, rows, facts, left_out)


def _missing(X: Any) -> np.ndarray | None:
    """Count missing values by column; not in a file too large to be read once more."""
    mapped = isinstance(X, np.memmap) and X.size > LARGEST_COUNTED
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f" or X.ndim != 2 or mapped:
        return None
    return missing.by_column(X)


def named(table: Table) -> Any:
    """The samples × features, with the names of the features if there are any."""
    sparse = hasattr(table.X, "tocsr")
    return _input.Frame(table.names, table.X) if sparse and table.names else table.X


def dense(table: Table, what: str) -> Table:
    """The table, no longer sparse; `what` needs that."""
    if not hasattr(table.X, "tocsr"):
        return table
    size = 8 * float(np.prod(table.X.shape, dtype=float))
    _input.check_budget(f"{what}: a dense table", size, "leave it out, or give fewer columns")
    X = table.X.toarray()
    return table._replace(X=_input.Frame(table.names, X) if table.names else X)


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
    return Table(_input.Frame(names, data.X), y, origin, names)


def standardised(table: Table) -> Table:
    """The table with every column less its mean and over its deviation; constant ones are 0."""
    table = dense(table, "--standardise")
    names = getattr(table.X, "columns", None)
    values = np.array(table.X.to_numpy() if names else table.X, dtype=float)
    values -= values.mean(axis=0)
    deviations = values.std(axis=0)
    values /= np.where(deviations > 0, deviations, 1.0)
    X = _input.Frame(names, values) if names else values
    return table._replace(X=X, origin=f"{table.origin}, columns standardised")


def shuffled(table: Table, seed: int) -> Table:
    """Return the table with the values of every column in a random order."""
    table = dense(table, "--shuffle")
    names = getattr(table.X, "columns", None)
    values = np.asarray(table.X.to_numpy() if names else table.X)
    values = np.random.default_rng(seed).permuted(values, axis=0)
    X = _input.Frame(names, values) if names else values
    return table._replace(X=X, origin=f"{table.origin}, columns shuffled")


def _read_npy(path: Path, reading: Reading) -> Content:
    return _numbered(binary.read_npy(path), reading)


def _read_npz(path: Path, reading: Reading) -> Content:
    return _numbered(binary.read_npz(path).tocsc(), reading)


def _numbered(X: Any, reading: Reading) -> Content:
    """Set columns apart that have numbers instead of names."""
    if X.ndim != 2:
        raise ValueError(f"has {X.ndim} dimension{'s' * (X.ndim != 1)}; 2 are needed")
    apart = columns.find(reading, None, X.shape[1])

    def column(i: int) -> np.ndarray:
        found = X[:, [i]].toarray()[:, 0] if hasattr(X, "toarray") else X[:, i]
        return np.array(found)

    y = None if reading.target is None else column(apart[-1])
    rows = None
    if reading.index is not None:
        index = columns.find_one(reading.index, None, X.shape[1])
        rows = [f"{label:.15g}" for label in column(index)]
    return Content(X, None, apart, y, rows)


READERS = {".npy": _read_npy, ".npz": _read_npz, **libraries.READERS}
