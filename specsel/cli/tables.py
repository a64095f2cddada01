"""Reads tables of any kind of file, and does what the options ask for: named columns.

Rows are samples, columns are features, which may have names. Parquet, Arrow and Excel are read by
pandas; .npy and sparse .npz by numpy and scipy; .h5ad and zarr by h5py, anndata and zarr. A large
dense array stays in its file and is read in blocks. CSV and TSV text is read by five rules:

1. The encoding is UTF-8, or UTF-16 with its mark, else cp1252. ``.gz`` is found by its content.
2. The delimiter is that of comma, tab, semicolon and bar which divides the first rows alike; in
   ``.tsv`` files it is the tab.
3. Decimals have commas where the delimiter is another and numbers have commas and no points.
4. The first row is a header if it holds text above numbers, or no numbers at all, or counts the
   columns. Where its numbers may be names, the user is asked for ``--header``.
5. The first column names the rows if the header has no name for it, as R and pandas write.

Lines above the table that begin with ``#`` are skipped, and so are empty lines.
"""

import codecs
import csv
import gzip
import importlib
import io
import math
import re
import reprlib
import shutil
import sys
import tempfile
import traceback
import warnings
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from specsel import _containers, _runtime, _validate

IMPUTATIONS = ("median", "drop-columns", "drop-rows")
EXCEL = (".xlsx", ".xls", ".xlsb", ".ods")
FRAMES = (".parquet", ".arrow", ".feather", ".ipc")
CELLS, ZARR = ".h5ad", ".zarr"
STDIN = Path("-")

# The options that help; not every command that reads a table has them.
NO_NUMBERS = "--drop leaves a column out, --index takes it as names, --target as labels"
NO_VALUES = f"--impute {', '.join(IMPUTATIONS[:-1])} or {IMPUTATIONS[-1]}; --drop leaves one out"
ASK_HEADER = "say --header yes or --header no"

# The name of an index without a name in Parquet files of pandas.
INDEX = "__index_level_0__"

# Files that make a folder an array or a group of zarr, and AnnData's names of sparse matrices.
MARKS = ("zarr.json", ".zarray", ".zgroup")
SPARSE = ("csr_matrix", "csc_matrix")

# Packages whose errors, while numbers are read, mean a damaged file.
READERS = {"h5py", "zarr", "numcodecs"}

NOT_NPY = "is not a complete .npy file of numbers"
NOT_NPZ = "is not a sparse matrix of scipy.sparse.save_npz; dense arrays go into .npy"
NOT_LABELLED = "is no .npz file with arrays X, samples x features, and y, their labels"

# Missing values of a file on disk are counted up to this size; beyond, the solver finds them.
LARGEST_COUNTED = 10**8
LARGEST_ROW = 2**53  # above it not every whole number is a float
NAMES_LISTED = 6

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
MISSING = ("", "na", "n/a", "null", "none", "?", "-", ".")
NO_LABEL = ("", "NA", "N/A", "NaN", "nan")  # letter by letter: Na may be sodium, and - a class
TRUTH = {"true": 1.0, "false": 0.0}
COMMA = re.compile(r"\s*[+-]?\d+,\d+([eE][+-]?\d+)?\s*")
POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
SWAP = str.maketrans(",.", ".,")

# The rows, and at most the cells, from which delimiter, decimals and header are found.
FIRST_ROWS, FIRST_CELLS = 20, 10**6

# A pipe of more bytes is kept on disk.
IN_MEMORY = 2**24

# Text has at most one zero in so many bytes.
CONTROLS = 50

Row = tuple[int, list[str]]  # the number of its last line, and its cells
Labels = np.ndarray | None
RowNames = list[str] | None
Facts = tuple[str, ...]


class TableError(ValueError):
    """A table cannot be read; `hint` names the options that help, if the command has them."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Reading:
    """The options for a file: names of columns, and how it is to be read if not by the rules.

    With `lenient`, columns of `drop` and `index` that a file lacks are no error.
    """

    drop: Sequence[str] = ()
    target: str | None = None
    index: str | None = None
    header: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    lenient: bool = False


@dataclass(frozen=True)
class Table:
    """Samples × features, the labels of the samples if asked for, and where both come from.

    `names` are the names of the features: those of the header or, if the file has no header and
    some columns were left out, the numbers of the columns in the file. `rows` are the names of the
    samples, if the file has them. `facts` says how the file was read, and `left_out` names the
    columns that are no features.
    """

    values: Any
    y: Labels
    origin: str
    names: list[str] | None = None
    rows: RowNames = None
    facts: Facts = ()
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
        values = self.values
        if how is not None:
            values = _containers.loaded(values, "X", "for --impute", "fill it before")
        large = isinstance(values, np.memmap) and values.size > LARGEST_COUNTED
        if not isinstance(values, np.ndarray) or values.dtype.kind != "f" or (large and not how):
            return self
        gaps = np.isnan(values)
        counts, total = gaps.sum(axis=0), int(gaps.sum())
        missing = _validate.count_of(total, "missing value")
        if not total:
            return replace(self, values=values)
        if how is None:
            raise TableError(f"{missing}: {_most_missing(counts, self.names)}", NO_VALUES)
        if how == "median":
            empty = int(np.count_nonzero(counts == len(values)))
            if empty:
                columns = _validate.count_of(empty, "column")
                raise ValueError(
                    f"--impute median: {columns} without any value; --impute drop-columns leaves "
                    f"{'it' if empty == 1 else 'them'} out"
                )
            # A file that is mapped into memory is not written to.
            values = values if values.flags.writeable else np.array(values)
            for i in np.flatnonzero(counts):
                values[gaps[:, i], i] = np.nanmedian(values[:, i])
            fact = f"{missing} set to the median of the column"
            return replace(self, values=values, facts=(*self.facts, fact))
        axis = ("drop-rows", "drop-columns").index(how)
        kind, dropped = ("row", "column")[axis], np.asarray(gaps.any(axis=1 - axis))
        left = np.flatnonzero(~dropped)
        if len(left) == 0:
            raise ValueError(f"--impute {how}: every {kind} has missing values; none is left")
        fact = f"{dropped.sum()} of {len(dropped)} {kind}s dropped for {missing}"
        table = replace(self, values=values.take(left, axis), facts=(*self.facts, fact))
        if axis:
            return replace(table, names=[self.name_of(int(i)) for i in left])
        y = None if self.y is None else self.y[left]
        return replace(table, y=y, rows=self.rows and [self.rows[i] for i in left])

    def dense(self, what: str, *, copied: bool = False) -> "Table":
        """Return the table as dense numbers in memory, where `what` needs that or copies them."""
        if isinstance(self.values, np.ndarray) and not copied:
            return self
        size = 8 * float(np.prod(self.values.shape, dtype=float))
        _runtime.check_budget(f"{what}: a dense table", size, "fewer columns take less")
        sparse = hasattr(self.values, "toarray")
        return replace(
            self, values=self.values.toarray() if sparse else _containers.loaded(self.values)
        )

    def standardised(self) -> "Table":
        """Return every column less its mean and over its deviation; constant ones are 0."""
        values = np.array(self.dense("--standardise", copied=True).values, dtype=float)
        values -= values.mean(axis=0)
        deviations = values.std(axis=0)
        values /= np.where(deviations > 0, deviations, 1.0)
        return replace(self, values=values, origin=f"{self.origin}, columns standardised")

    def shuffled(self, seed: int) -> "Table":
        """Return the values of every column in a random order."""
        values = np.asarray(self.dense("--shuffle", copied=True).values)
        values = np.random.default_rng(seed).permuted(values, axis=0)
        return replace(self, values=values, origin=f"{self.origin}, columns shuffled")

    def selection(self, features: list[int]) -> np.ndarray:
        """Return some columns, in memory, in any order and any number of times."""
        if not _containers.is_streamed(self.values):
            columns = self.values[:, features]
            return columns.toarray() if hasattr(columns, "toarray") else np.asarray(columns)
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


@dataclass(frozen=True)
class Columns:
    """All columns of a file: their names if any, and which are features, labels, row names.

    Those `apart` are no features.
    """

    names: Sequence[str] | None
    features: list[int]
    apart: list[int]
    target: int | None
    index: int | None

    @classmethod
    def choose(
        cls, how: Reading, names: Sequence[str] | None, width: int, index: int | None = None
    ) -> "Columns":
        """Find the columns that the user names; `index` is the one that the file shows."""

        known = {*(names or map(str, range(width)))} if how.lenient else {}

        def find(column: str | None) -> int | None:
            absent = how.lenient and " ".join((column or "").split()) not in known
            return None if column is None or absent else _find(column, names, width)

        dropped, named, target = [*map(find, how.drop)], find(how.index), find(how.target)
        outside = dict.fromkeys((*dropped, named, target, index))
        apart = [i for i in outside if i is not None]
        features = np.delete(np.arange(width), apart).tolist()
        return cls(names, features, apart, target, index if named is None else named)

    def take(self, X: Any) -> Any:
        """Return the features of X; neighbouring columns are a view, not a copy."""
        if not self.apart:
            return X
        reason = "for columns that are no features"
        X = _containers.loaded(X, "X", reason, "store them apart")
        left = self.features
        if left and left[-1] - left[0] == len(left) - 1:
            return X[:, left[0] : left[-1] + 1]
        return X.take(left, axis=1) if isinstance(X, np.ndarray) else X[:, left]

    def table(self, values: Any, y: Labels, rows: RowNames, facts: Facts = ()) -> Table:
        """Return a table of the values of the features."""
        every = self.names or [str(i) for i in range(len(self.features) + len(self.apart))]
        names = [every[i] for i in self.features] if self.names or self.apart else None
        return Table(values, y, "", names, rows, facts, tuple(every[i] for i in self.apart))


def _find(column: str, names: Sequence[str] | None, width: int) -> int:
    """Return the number of a column with this name or, without names, this number."""
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
        raise ValueError(_absent("column", column, [name for name in names if name]))
    return [*names].index(name)


def _absent(what: str, name: str, known: Sequence[str]) -> str:
    """Say that nothing has a name, and which names there are."""
    some = ", ".join(map(_validate.printable, known[:NAMES_LISTED]))
    some += ", ..." * (len(known) > NAMES_LISTED)
    close = _validate.suggest(name, known) or f"; it has {some}"
    return f"has no {what} {reprlib.repr(name)}{close}"


def read(
    path: Path, *, impute: str | None = None, as_stored: bool = False, **options: Any
) -> Table:
    """Read a table; `options` are those of `Reading`, and `impute` is one of `IMPUTATIONS`.

    With `as_stored`, a sparse matrix stays sparse and a large array stays in its file; else both
    become dense numbers in memory.
    """
    how = Reading(**options)
    is_zarr = path != STDIN and _is_zarr(path)
    if path != STDIN and path.is_dir() and not is_zarr:
        raise ValueError(f"{path}: is a directory; a file is needed")
    if how.target is not None and how.target in (*how.drop, how.index):
        raise ValueError(f"{path}: column {how.target!r} holds the labels; it cannot be left out")
    suffix = ZARR if is_zarr else path.suffix.lower()
    if how.sheet is not None and suffix not in EXCEL and not how.lenient:
        raise ValueError(f"{path}: is no Excel file; leave --sheet out")
    try:
        table = KINDS.get(suffix, _read_text)(path, how).without_missing(impute)
    except ValueError as error:
        message = f"{path}: {str(error).removeprefix('X: ')}"
        raise TableError(message, getattr(error, "hint", "")) from None
    except MemoryError as error:
        raise MemoryError(f"{path}: {str(error).removeprefix('X: ')}") from None
    origin = ", ".join(["stdin" if path == STDIN else str(path), *table.facts])
    table = replace(table, origin=origin)
    return table if as_stored else table.dense(str(path))


def _read_text(path: Path, how: Reading) -> Table:
    """Read a text in the first encoding that decodes it."""
    with _opened(path) as file:
        try:
            for encoding in [how.encoding] if how.encoding else _encodings(file.read(2**12)):
                file.seek(0)
                try:
                    text = io.TextIOWrapper(file, encoding, newline="")
                except LookupError:
                    message = f"--encoding {encoding}: is not the name of an encoding"
                    raise ValueError(message) from None
                try:
                    table = _read_lines(path, text, how)
                except UnicodeError:
                    continue
                finally:
                    text.detach()
                facts = ("encoding cp1252",) * (encoding == "cp1252" and not how.encoding)
                return replace(table, facts=(*facts, *table.facts))
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise ValueError("is a damaged .gz file") from None
    raise ValueError(f"is not text in {encoding}; --encoding names another encoding")


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file such that it can be read twice: a pipe is kept in a temporary file."""
    if path == STDIN and sys.stdin is None:
        raise ValueError("stdin is closed")
    with (
        nullcontext(sys.stdin.buffer) if path == STDIN else open(path, "rb") as source,
        tempfile.SpooledTemporaryFile(IN_MEMORY) as copy,
    ):
        file: Any = source
        if path == STDIN or not source.seekable():
            shutil.copyfileobj(source, copy)
            file = copy
        file.seek(0)
        is_gzip = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        yield gzip.GzipFile(fileobj=file, mode="rb") if is_gzip else file


def _encodings(start: bytes) -> tuple[str, ...]:
    """Return the encodings to try for a text that starts with these bytes."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ("utf-16",)
    if start.count(b"\0") > len(start) / CONTROLS:
        raise ValueError("is not text; --encoding names that of one")
    return ("utf-8-sig", "cp1252")


def _read_lines(path: Path, file: Iterable[str], how: Reading) -> Table:
    lines, skipped = iter(file), 0
    head: list[str] = []
    for line in lines:
        if line.strip() and not line.startswith("#"):
            head = [line, *islice(lines, FIRST_ROWS)]
            break
        skipped += 1
    name = path.name.lower().removesuffix(".gz")
    usual = "\t" if name.endswith(".tsv") else ","
    delimiter = "\t" if usual == "\t" else _delimiter(head)
    facts = (f"divided by {DELIMITERS[delimiter]}",) * (delimiter != usual)
    table = _parse(_records(chain(head, lines), delimiter, skipped), how)
    return replace(table, facts=(*facts, *table.facts))


def _records(lines: Iterable[str], delimiter: str, skipped: int = 0) -> Iterator[Row]:
    """Yield the rows of a text that are not empty."""
    reader, start = csv.reader(lines, delimiter=delimiter, strict=True), skipped + 1
    try:
        for row in reader:
            start = skipped + reader.line_num + 1
            if row:
                yield start - 1, row
    except csv.Error as error:
        raise ValueError(f"line {start}: {error}; is a quote not closed?") from None


def _delimiter(head: Sequence[str]) -> str:
    """Return the delimiter that divides the first rows alike, else the most frequent one.

    Commas may be those of numbers: another delimiter that leaves decimal commas comes before.
    """
    widths = {}
    for delimiter in DELIMITERS:
        rows = []
        try:
            for _, row in _records(head, delimiter):
                rows.append(row)
        except ValueError:  # a quote ends below, or where this delimiter does not stand
            if len(rows) < 2:
                continue
        below = rows[1:] or rows
        width = max(map(len, below), default=0)
        if width < 2 or {*map(len, below)} != {width} or len(rows[0]) not in (width - 1, width):
            continue
        commas = [cell for row in below for cell in row if "," in cell and delimiter != ","]
        decimal = all(number(cell.replace(".", ""), ",") is not None for cell in commas)
        widths[delimiter] = width + FIRST_CELLS * (commas != [] and decimal)
    if widths:
        return max(widths, key=lambda delimiter: widths[delimiter])
    first = "".join("".join(head[:1]).split('"')[::2])
    return max(DELIMITERS, key=first.count)


def _parse(rows: Iterator[Row], how: Reading) -> Table:
    """Turn rows of cells, of a text or of a sheet, into numbers, labels and names of rows."""
    first: list[Row] = []
    for row in rows:
        first.append(row)
        if len(first) > FIRST_ROWS or len(first) * len(row[1]) > FIRST_CELLS:
            break
    if not first:
        raise ValueError("is empty")
    cells_of_first = [cells for _, cells in first]
    commas = [cell for cells in cells_of_first for cell in cells if COMMA.fullmatch(cell)]
    points = any(POINT.fullmatch(cell) for cells in cells_of_first for cell in cells)
    decimal = how.decimal or ("," if commas and not points else ".")
    names, index, facts = _header(cells_of_first, how, decimal)
    facts = ("decimal commas",) * (decimal == "," and not how.decimal) + facts
    width = len(names or cells_of_first[0])
    chosen = Columns.choose(how, names, width, index)
    labels: list[str | None] = []
    known: dict[str | None, str | None] = {}
    row_names: list[str] = []
    values, count = array("d"), 0
    for line, cells in chain(first if names is None else first[1:], rows):
        if len(cells) != width:
            message = f"line {line}: has {_validate.count_of(len(cells), 'cell')}"
            raise ValueError(f"{message}, the row before has {width}")
        if chosen.target is not None:
            word = cells[chosen.target].strip()
            label = None if word in NO_LABEL else word
            labels.append(known.setdefault(label, label))
        if chosen.index is not None:
            row_names.append(cells[chosen.index].strip())
        used = [cells[i] for i in chosen.features] if chosen.apart else cells
        numbers = _numbers(used, decimal)
        if numbers is None:
            i = next(i for i in chosen.features if _numbers([cells[i]], decimal) is None)
            column = reprlib.repr(names[i]) if names else f"{i} (from 0)"
            fault = _fault(cells[i], decimal)
            raise TableError(f"column {column}, line {line}: {fault}", NO_NUMBERS)
        values.extend(numbers)
        count += 1
    if count == 0:
        raise ValueError("holds a header but no samples")
    X = np.frombuffer(values).reshape(count, -1) if values else np.empty((count, 0))
    y = None if chosen.target is None else np.array(labels, dtype=object)
    return chosen.table(X, y, None if chosen.index is None else row_names, facts)


def _header(
    rows: list[list[str]], how: Reading, decimal: str
) -> tuple[list[str] | None, int | None, Facts]:
    """Return the names of the columns if any, which of them names the rows, and facts."""
    top, below = rows[0], rows[1:]
    asked = {" ".join(name.split()) for name in (*how.drop, how.target, how.index) if name}
    if how.header == "no" or not (how.header or _is_header(top, below, decimal, asked)):
        return None, None, ("no header",)
    numeric = how.header is None and all(number(cell, decimal) is not None for cell in top)
    facts = ("header of numbers",) * numeric
    names = [" ".join(cell.split()) or f"column {i}" for i, cell in enumerate(top, 1)]
    if len(top) > 1 and not top[0].strip():
        names[0] = ""
    elif _names_rows(top, below, decimal):
        names.insert(0, "")
    else:
        return names, None, facts
    return names, 0, (*facts, "rows named by the first column")


def _names_rows(first: list[str], below: list[list[str]], decimal: str) -> bool:
    """Return whether the rows begin with names that the header has no cell for, as R writes.

    Numbers are names if they count the rows. A row that is longer because it ends with a delimiter
    is not meant.
    """
    if not below or len(below[0]) != len(first) + 1 or not below[0][-1].strip():
        return False
    counted = [*map(str, range(1, len(below) + 1))]
    counts = len(below) > 2 and [row[0] for row in below] == counted
    return counts or number(below[0][0], decimal) is None


def _is_header(first: list[str], below: list[list[str]], decimal: str, asked: set[str]) -> bool:
    """Return whether the first row is a header; `asked` are the columns that the user names."""
    numbers = [number(cell, decimal) for cell in first]
    texts = [i for i, value in enumerate(numbers) if value is None]
    known = [i for i, value in enumerate(numbers) if value is not None and not math.isnan(value)]
    is_asked = any(" ".join(first[i].split()) in asked for i in {*range(len(first))} - {*known})
    if is_asked or (len(first) > 1 and not first[0].strip()):
        return True
    if _counts_columns(first, known) or _names_rows(first, below, decimal):
        return True
    missing = len(first) - len(texts) - len(known) - first.count("")
    if texts and not known and not missing:
        return True
    rows = [[number(cell, decimal) for cell in row] for row in below if len(row) == len(first)]
    columns = [*zip(*rows, strict=True)] or [()] * len(first)
    over = any(2 * columns[i].count(None) < len(rows) for i in texts)
    if over and 2 * len(texts) >= len(first):
        return True
    under = any(len(rows) > 1 and columns[i].count(None) == len(rows) for i in known)
    plain = [i for i in known if None not in columns[i]]
    top = np.array([numbers[i] for i in plain], dtype=float)
    beneath = np.array([[row[i] for i in plain] for row in rows], dtype=float)
    if over or under or (missing and texts and not known) or _may_be_names(top, beneath):
        some = ", ".join(map(reprlib.repr, first[:3])) + ", ..." * (len(first) > 3)
        raise TableError(f"its first row, {some}, may be a header or a sample", ASK_HEADER)
    return False


def _counts_columns(first: list[str], known: list[int]) -> bool:
    """Return whether the row counts the columns: from 0 or, beside text, also from 1."""
    run = [first[i].strip() for i in known]
    if len(known) < 3 or known[-1] - known[0] != len(known) - 1:
        return False
    starts = (0, 1) if len(known) < len(first) else (0,)
    return any(run == [*map(str, range(i, i + len(run)))] for i in starts)


def _may_be_names(top: np.ndarray, below: np.ndarray) -> bool:
    """Return whether numbers are unlike those below: in order, whole, or far away from them."""
    if top.size == 0 or below.size == 0:
        return False
    if _is_ordered(top) and 2 * sum(map(_is_ordered, below)) <= len(below):
        return True
    with np.errstate(all="ignore"):
        low, high = np.fmin.reduce(below), np.fmax.reduce(below)
        far = (top < 2 * low - high) | (top > 2 * high - low)
        whole = (np.isnan(below) | (below == np.rint(below))).all(axis=1)
    if len(below) > 2 and len(top) > 1 and 2 * far.sum() > len(top):
        return True
    if len(np.unique(top)) < len(top):
        return False
    fractional = np.count_nonzero(top != np.rint(top))
    return bool(2 * fractional > len(top) if 2 * whole.sum() > len(below) else fractional == 0)


def _is_ordered(row: np.ndarray) -> bool:
    """Return whether numbers go up or down, so many or so evenly that it is no accident."""
    with np.errstate(all="ignore"):
        steps = np.diff(row)
    count = np.count_nonzero(steps)
    if count < 2 or not ((steps >= 0).all() or (steps <= 0).all()):
        return False
    return bool(count >= 4) or math.isclose(steps.min(), steps.max(), rel_tol=1e-9)


def number(cell: str, decimal: str = ".") -> float | None:
    """Return the number in a cell; NaN if it is missing, None if the cell holds other text."""
    word = cell.strip().lower()
    if word in MISSING:
        return math.nan
    if word in TRUTH:
        return TRUTH[word]
    try:  # float would take 1_000
        return None if "_" in cell else float(cell if decimal == "." else cell.translate(SWAP))
    except ValueError:
        return None


def _numbers(cells: list[str], decimal: str) -> list[float] | None:
    """Return the numbers of a row, None if a cell holds no finite one; quick if all are plain."""
    try:
        line = "\n".join(cells)
        if "_" in line:
            raise ValueError
        values = [*map(float, cells if decimal == "." else line.translate(SWAP).split("\n"))]
    except ValueError:
        slow = [number(cell, decimal) for cell in cells]
        values = [value for value in slow if value is not None]
    return None if len(values) < len(cells) or any(map(math.isinf, values)) else values


def _fault(cell: str, decimal: str) -> str:
    """Say why a cell holds no finite number, and which option may help."""
    other = "," if decimal == "." else "."
    if number(cell, decimal) is not None:
        return f"{reprlib.repr(cell)} is not finite"
    advice = ""
    if number(cell, other) is not None:
        advice = f"; --decimal {other} reads it as one"
    elif number(cell.replace(other, ""), decimal) is not None:
        advice = "; write numbers without a mark between thousands"
    return f"{reprlib.repr(cell)} is not a number{advice}"


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
    table = _parse(rows, how)
    if len(sheets) == 1 or how.sheet is not None:
        return table
    name = _validate.printable(str(sheets[0]))
    fact = f"sheet {name!r}, the first of {len(sheets)} (--sheet takes another)"
    return replace(table, facts=(fact, *table.facts))


def _sheet(names: Sequence[str], asked: str | None) -> int:
    """Return the place of the sheet with a name, or with a number from 1."""
    if asked is None or asked in names:
        return 0 if asked is None else [*names].index(asked)
    if asked.isdecimal() and 1 <= int(asked) <= len(names):
        return int(asked) - 1
    raise ValueError(_absent("sheet", asked, names))


def _read_frame(path: Path, how: Reading) -> Table:
    """Read Parquet or Arrow; an index that pandas wrote names the rows."""
    pandas = load("pandas", path.suffix)
    load("pyarrow", path.suffix)
    with complete(path):
        read = pandas.read_parquet if path.suffix.lower() == ".parquet" else pandas.read_feather
        frame = read(path)
    if INDEX in frame.columns:
        frame = frame.set_index(INDEX)
    columns = Columns.choose(how, [*map(str, frame.columns)], frame.shape[1])
    rows: RowNames = None
    facts: Facts = ()
    if columns.index is not None:
        rows = [*map(str, frame.iloc[:, columns.index])]
    elif not isinstance(frame.index, pandas.RangeIndex):
        rows, facts = [*map(str, frame.index)], (f"rows named by {frame.index.name or INDEX!r}",)
    y = None if columns.target is None else _labels(frame.iloc[:, columns.target])
    features = frame.iloc[:, columns.features]
    try:
        X = np.asarray(_containers.unpack(features, "X")[0])
    except ValueError as error:
        raise TableError(str(error), NO_NUMBERS) from None
    X = X if X.dtype in (np.float32, np.float64) else X.astype(float)
    return columns.table(X, y, rows, facts)


def _labels(column: Any) -> np.ndarray:
    """Return labels as an array: whole numbers stay numbers, and what is missing is None."""
    return np.array(column.astype(object).where(column.notna(), None), dtype=object)


def _numbered(X: Any, how: Reading) -> Table:
    """Take columns that have numbers instead of names."""
    if X.ndim != 2:
        raise ValueError(f"has {_validate.count_of(X.ndim, 'dimension')}; 2 are needed")
    columns = Columns.choose(how, None, X.shape[1])

    def column(i: int) -> np.ndarray:
        return np.array(X[:, [i]].toarray()[:, 0] if hasattr(X, "toarray") else X[:, i])

    y = None if columns.target is None else column(columns.target)
    rows = None if columns.index is None else [f"{x:.15g}" for x in column(columns.index)]
    return columns.table(columns.take(X), y, rows)


def _read_npy(path: Path, how: Reading) -> Table:
    """Map the array in a .npy file into memory, read-only."""
    with complete(path, message=NOT_NPY):
        X = np.lib.format.open_memmap(path, mode="r")
    if X.dtype.kind not in "biufc" or X.dtype.itemsize == 0:
        raise ValueError(f"has dtype {_validate.brief(X.dtype)}; real numbers are needed")
    return _numbered(X, how)


def _read_npz(path: Path, how: Reading) -> Table:
    """Read the sparse matrix in a .npz file; its arrays are checked before scipy follows them."""
    with _archive(path, NOT_NPZ) as archive:
        format = archive["format"].item()
        format = format.decode("ascii") if isinstance(format, bytes) else format
        parts = {part: archive[part] for part in ("shape", *_containers.PARTS.get(format, ()))}
    matrix = _containers.assemble(format, parts["shape"], parts, "the matrix")
    return _numbered(matrix if matrix.format in ("csr", "csc") else matrix.tocsr(), how)


def read_labelled(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read the arrays X and y in a .npz file: samples × features, and the samples' labels."""
    with _archive(path, f"{path}: {NOT_LABELLED}") as archive:
        X, y = archive["X"], archive["y"]
    if X.ndim != 2 or X.dtype.kind not in "biuf" or y.shape != (len(X),):
        raise ValueError(f"{path}: {NOT_LABELLED}")
    return X, y


@contextmanager
def _archive(path: Path, message: str) -> Iterator[Any]:
    """Open a .npz file, of which nothing is unpickled."""
    with (
        complete(path, message=message),
        open(path, "rb") as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        yield archive


def _read_h5ad(path: Path, how: Reading) -> Table:
    h5py = load("h5py", CELLS)
    with complete(path):
        file = h5py.File(path, "r")
        elsewhere = file.visititems_links(_is_outside) or file.visititems(_is_outside)
    if elsewhere:
        raise ValueError(f"{elsewhere} is in another file; copy it into this one")
    return _of_anndata(path, file, how)


def _is_outside(name: str, part: Any) -> str | None:
    """Return the name of a link, or of an array, of HDF5 that leads to another file."""
    leads = hasattr(part, "filename") or getattr(part, "external", None)
    return name if leads or getattr(part, "is_virtual", False) else None


def _is_zarr(path: Path) -> bool:
    """Return whether a path names a zarr store, or an array or a group in one."""
    named = any(part.lower().endswith(ZARR) for part in path.parts)
    return (named and not path.is_file()) or any((path / mark).is_file() for mark in MARKS)


def _read_zarr(path: Path, how: Reading) -> Table:
    """Read an array, a sparse matrix, or cells × genes as AnnData writes them."""
    zarr = load("zarr", ZARR)
    path.stat()  # what is not there says so itself
    with complete(path):
        store = zarr.open(path, mode="r")
        kind = store.attrs.get("encoding-type")
    if hasattr(store, "shape") or kind in SPARSE:
        return _numbered(_stored(path, store), how)
    if kind == "anndata":
        return _of_anndata(path, store, how)
    with complete(path):
        groups = [name for name, x in store.groups() if x.attrs.get("encoding-type") in SPARSE]
        names = sorted([*(name for name, _ in store.arrays()), *groups])
    if not names:
        raise ValueError("is a group of zarr without arrays; an array or AnnData is needed")
    some = _validate.first_few(names)
    raise ValueError(f"is a group of arrays, {some}; give one, such as {path / names[0]}")


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
        y = _labels(obs.iloc[:, _find(how.target, [*map(str, obs.columns)], obs.shape[1])])
    X, names = _stored(path, group["X"]), [*var.index]
    columns = Columns.choose(replace(how, target=None), names, len(names))
    if tuple(X.shape) != (len(obs), len(names)):
        shape = " x ".join(map(str, X.shape))
        raise ValueError(f"holds {len(obs)} cells and {len(names)} genes, but X is {shape}")
    return columns.table(columns.take(X), y, [*obs.index])


def _annotations(path: Path, group: Any, name: str) -> Any:
    io = load("anndata.io", path.suffix)
    with complete(path):
        old = hasattr(group[name], "shape")  # as anndata wrote tables before 0.7
        columns = [group[name]] if old else [group[name][key] for key in group[name]]
        nested = [x for x in columns if not hasattr(x, "shape")]  # such as categories and codes
        columns += [x[key] for x in nested for key in x if hasattr(x[key], "shape")]
    for column in columns:
        if hasattr(column, "shape"):
            _containers.check_declared(column, name)
    with complete(path):
        frame = getattr(io.read_h5ad(path, backed="r"), name) if old else io.read_elem(group[name])
        return frame.set_index(frame.index.map(str))


def _stored(path: Path, stored: Any) -> Any:
    """Return a sparse matrix or a small array in memory, a large array as it is stored."""
    if not hasattr(stored, "shape"):
        io = load("anndata.io", path.suffix)
        with complete(path):
            matrix = io.sparse_dataset(stored)
        with complete(path, ValueError):
            return _containers.unwrapped(matrix)[0]
    _containers.check_declared(stored)
    if _containers.size_of(stored) >= _containers.MAPPED:
        return stored
    with complete(path):
        return _containers.loaded(stored)


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
    except TableError as error:
        if error.hint != ASK_HEADER:
            raise
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
