"""Reads tables from CSV, TSV, .npy and sparse .npz files, and writes CSV.

Rows are samples, columns are features, which may have names.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from specsel import _input
from specsel.cli import binary, columns, delimited

LARGEST_ROW = 2**53  # above it not every whole number is a float


class Table(NamedTuple):
    """Samples × features, the labels of the samples if asked for, and where both come from.

    `names` are the names of the features: those of the header or, if the file has no header and
    some columns were left out, the numbers of the columns in the file. X carries them too, unless
    it is sparse.
    """

    X: Any
    y: np.ndarray | None
    origin: str
    names: list[str] | None = None

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.names) if self.names else int(self.X.shape[1])

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.X) if isinstance(self.X, _input.Frame) else int(self.X.shape[0])


def read(
    path: Path, target: str | None = None, *, drop: Sequence[str] = (), sparse: bool = False
) -> Table:
    """Read a table; its column `target` holds the labels of the samples.

    Columns are given by name or, if the file has no header, by number from 0. Those of `drop` are
    left out, whatever they hold. With `sparse`, a sparse matrix stays sparse.
    """
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is a directory or a pipe; a file is needed")
    binaries = {".npy": _read_npy, ".npz": _read_npz}
    reader = binaries.get(path.suffix.lower(), delimited.read)
    if target in drop:
        raise ValueError(f"{path}: column {target!r} holds the labels; it cannot be left out")
    try:
        X, names, apart, y = reader(path, drop, target)
    except UnicodeDecodeError:
        raise ValueError(
            f"{path}: is not text in UTF-8; CSV, TSV, .npy or .npz is needed"
        ) from None
    except delimited.CellError as error:
        raise delimited.CellError(f"{path}: {error}") from None
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path}: {error}") from None
    is_text = reader is delimited.read
    origin = f"{path}, no header" if is_text and not names else str(path)
    if apart:
        X, names = columns.without(X, names, apart)
    if hasattr(X, "toarray"):
        X = X if sparse else X.toarray()
    named = names and isinstance(X, np.ndarray)
    return Table(_input.Frame(names, X) if named else X, y, origin, names)


def dense(table: Table, what: str) -> Table:
    """The table, no longer sparse; `what` needs that."""
    if not hasattr(table.X, "tocsr"):
        return table
    size = 8 * float(np.prod(table.X.shape, dtype=float))
    _input.check_budget(f"{what}: a dense table", size, "leave it out, or give fewer columns")
    X = table.X.toarray()
    return table._replace(X=_input.Frame(table.names, X) if table.names else X)


def read_pairs(path: Path) -> np.ndarray:
    """Read pairs of samples: two columns of row numbers."""
    table = read(path)
    values = table.X.to_numpy() if table.names else table.X
    if values.ndim != 2 or values.shape[1] != 2 or values.dtype.kind not in "iuf":
        shape = " x ".join(map(str, values.shape))
        raise ValueError(
            f"{path}: is {shape} {values.dtype}; two columns of row numbers are needed"
        )
    rows = (np.abs(values) < LARGEST_ROW) & (values == np.rint(values))
    if not rows.all():
        raise ValueError(f"{path}: {values[~rows][0]} is not a row number of a sample")
    if table.origin.endswith("no header") and values[0].tolist() == [0, 1]:
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


def check_out(option: str, path: Path | None, inputs: Sequence[Path | None]) -> None:
    """Refuse an output file that cannot be written, or that is one of the inputs."""
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"--{option} {path}: is not a file in an existing folder")
    existing = [other for other in inputs if other and other.exists()]
    if path.exists() and any(map(path.samefile, existing)):
        raise ValueError(f"--{option} {path}: is a file to be read")


def save(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows, which have the same keys, as CSV."""
    with naming(path), open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows({key: _harmless(cell) for key, cell in row.items()} for row in rows)


def _harmless(cell: Any) -> Any:
    """Put a quote before a text that a spreadsheet would run as a formula, as OWASP advises."""
    formula = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{cell}" if formula and delimited.number(cell) is None else cell


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the name of the file to errors of writing; a full disk, for one, comes without it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


# The readers return what `delimited.read` does: all columns, their names, the numbers of the
# columns set apart, and the labels.


def _read_npy(path: Path, drop: Sequence[str], target: str | None) -> tuple[Any, ...]:
    X = binary.read_npy(path)
    apart = _find(X, drop, target)
    return X, None, apart, None if target is None else np.array(X[:, apart[-1]])


def _read_npz(path: Path, drop: Sequence[str], target: str | None) -> tuple[Any, ...]:
    X = binary.read_npz(path)
    apart = _find(X, drop, target)
    X = X.tocsc()
    return X, None, apart, None if target is None else X[:, [apart[-1]]].toarray()[:, 0]


def _find(X: Any, drop: Sequence[str], target: str | None) -> list[int]:
    if X.ndim != 2:
        raise ValueError(f"has {X.ndim} dimension{'s' * (X.ndim != 1)}; 2 are needed")
    return columns.find(drop, target, None, X.shape[1])
