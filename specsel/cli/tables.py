"""Tables in files, CSV, TSV, .npy or sparse .npz: samples as rows, features named or not."""

import csv
import math
import re
import reprlib
import warnings
from array import array
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np

from specsel import _input

DELIMITERS = ",\t;|"
MISSING = ("", "na", "n/a", "null", "none", "?", "-", ".")
NO_LABEL = ("", "NA", "N/A", "NaN", "nan")  # as they stand: Na may be sodium, and - a class
DECIMAL = r"\s*[+-]?\d+,\d+\s*"  # as it is written in much of Europe
TRUTH = {"true": 1.0, "false": 0.0}
LARGEST_ROW = 2**53  # beyond it not every whole number is a float
COLUMNS_TOLD = 6  # in messages


class CellError(ValueError):
    """A cell of a file that holds no number."""


class Table(NamedTuple):
    """Samples x features, the labels of the samples if asked for, and a word on where from.

    `names` are those of the features: of the header or, where columns without a header were left
    out, their numbers in the file. A sparse X cannot carry them.
    """

    X: _input.Frame | np.ndarray
    y: np.ndarray | None
    origin: str
    names: list | None = None


def read(path, target=None, *, drop=(), sparse=False) -> Table:
    """Read a table; its column `target`, a name or else a number from 0, holds labels.

    The columns `drop` are left out, whatever they hold. A sparse matrix stays one if `sparse`.
    """
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is a directory or a pipe; a file is needed")
    binaries = {".npy": _read_npy, ".npz": _read_npz}
    reader = binaries.get(path.suffix.lower(), _read_text)
    binary = reader is not _read_text
    if target in drop:
        raise ValueError(f"{path}: column {target!r} holds the labels; it cannot be left out")
    try:
        X, names, apart, y = reader(path, drop, target)
    except UnicodeDecodeError:
        raise ValueError(
            f"{path}: is not text in UTF-8; CSV, TSV, .npy or .npz is needed"
        ) from None
    except CellError as error:
        raise CellError(f"{path}: {error}") from None
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path}: {error}") from None
    origin = str(path) if binary or names else f"{path}, no header"
    if apart:
        X, names = _without(X, names, apart)
    if hasattr(X, "toarray"):
        X = X if sparse else X.toarray()
    named = names and isinstance(X, np.ndarray)
    return Table(_input.Frame(names, X) if named else X, y, origin, names)


def read_pairs(path) -> np.ndarray:
    """Read two columns of row numbers."""
    table = read(path)
    values = table.X.to_numpy() if table.names else table.X
    if values.ndim != 2 or values.shape[1] != 2 or values.dtype.kind not in "iuf":
        shape = " x ".join(map(str, values.shape))
        raise ValueError(f"{path}: is {shape} {values.dtype}; two columns of row numbers needed")
    rows = (np.abs(values) < LARGEST_ROW) & (values == np.rint(values))
    if not rows.all():
        raise ValueError(f"{path}: {values[~rows][0]} is not a row number of a sample")
    if table.origin.endswith("no header") and values[0].tolist() == [0, 1]:
        raise ValueError(f"{path}: its first row, 0 and 1, may be a header; name the columns")
    return values.astype(np.intp)


def example(labelled) -> Table:
    """The built-in example, with labels or without."""
    from specsel import datasets

    data = datasets.example()
    y = data.y if labelled else None
    origin = "no FILE given, the built-in example"
    return Table(_input.Frame(data.names, data.X), y, origin, data.names)


def shuffled(table, seed) -> Table:
    """The table with every column in an order of its own."""
    names = getattr(table.X, "columns", None)
    values = np.asarray(table.X.to_numpy() if names else table.X)
    values = np.random.default_rng(seed).permuted(values, axis=0)
    X = _input.Frame(names, values) if names else values
    return table._replace(X=X, origin=f"{table.origin}, columns shuffled")


def check_out(option, path, inputs):
    """Refuse to write where that is not possible, or over what is to be read."""
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"--{option} {path}: is not a file in an existing folder")
    existing = [other for other in inputs if other and other.exists()]
    if path.exists() and any(map(path.samefile, existing)):
        raise ValueError(f"--{option} {path}: is a file to be read")


def save(path, rows):
    """Write rows of the same keys as CSV."""
    with naming(path), open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


@contextmanager
def naming(path):
    """Errors of writing say which file it was, also where the disk is full."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


# A reader gives all columns, their names, the numbers of those set apart, and the labels.


def _read_npy(path, drop, target):
    try:
        X = np.lib.format.open_memmap(path, mode="r")
    except ValueError:
        raise ValueError("is not a complete .npy file of numbers") from None
    apart = _apart(X, drop, target)
    return X, None, apart, None if target is None else np.array(X[:, apart[-1]])


def _read_npz(path, drop, target):
    from scipy.sparse import load_npz

    try:
        X = load_npz(path)
    except (ValueError, EOFError, BadZipFile):
        raise ValueError(
            "is not a sparse matrix of scipy.sparse.save_npz; dense arrays go into .npy"
        ) from None
    apart = _apart(X, drop, target)
    X = X.tocsc()
    return X, None, apart, None if target is None else X[:, [apart[-1]]].toarray()[:, 0]


def _apart(X, drop, target):
    if X.ndim != 2:
        raise ValueError(f"has {X.ndim} dimension{'s' * (X.ndim != 1)}; 2 are needed")
    return _find_all(drop, target, None, X.shape[1])


def _read_text(path, drop, target):
    with open(path, encoding="utf-8-sig", newline="") as file:
        delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(file)
        records = _records(file, delimiter)
        first, second = next(records, None), next(records, [])
        if first is None:
            raise ValueError("is empty")
        meant = {" ".join(name.split()) for name in (*drop, target or "")}
        names, skipped = _names(first, meant)
        if names and not skipped and _has_name(second, len(first)):
            first, names, skipped = second, ["", *names], 1
        file.seek(0)
        if names:
            next(_records(file, delimiter))
        apart = _find_all(drop, target, names and names[skipped:], len(first))
        unread = [*range(skipped), *(column + skipped for column in apart)]
        codes, converters = {}, dict.fromkeys(unread, _nothing)
        if target is not None:
            converters[apart[-1] + skipped] = partial(_code, codes)
        X = _load(file, delimiter, names, len(first), skipped, converters)
    labels = np.array([*codes], dtype=object)
    y = None if target is None else labels[X[:, apart[-1]].astype(int)]
    return X, names[skipped:] if names else None, apart, y


def _delimiter(file):
    """Return the character that divides the first line most often, and go back to the start.

    Between decimal commas that is the semicolon, of which there is one less.
    """
    line = re.sub('"[^"]*"', "", next(filter(str.strip, file), ""))
    file.seek(0)
    if re.fullmatch(f"{DECIMAL}(;{DECIMAL})+", line.strip()):
        return ";"
    return max(DELIMITERS, key=line.count)


def _records(file, delimiter):
    return filter(None, csv.reader(file, delimiter=delimiter))


def _names(first, meant):
    """Names of the columns if the first row is a header; how many columns name the rows.

    A header is half text, has a name that is meant, or numbers columns, as tables without names
    are often written.
    """
    skipped = int(len(first) > 1 and not first[0].strip())
    names = [" ".join(cell.split()) or f"column {i}" for i, cell in enumerate(first, 1)]
    text = [
        name
        for name, cell in zip(names, first, strict=True)
        if number(cell) is None and not re.fullmatch(DECIMAL, cell)
    ]
    if 2 * len(text) >= len(first) or not meant.isdisjoint(text) or _are_numbered(first[skipped:]):
        return names, skipped
    return None, 0


def _has_name(record, width):
    """Whether a row begins with a name that the header has no column for, as R writes them.

    A longer row that ends with a delimiter is none.
    """
    return len(record) == width + 1 and number(record[0]) is None and record[-1].strip() != ""


def _are_numbered(cells):
    """Whether cells count from 0, or beside text from 1, in one run."""
    known = [number(cell) is not None for cell in cells]
    count = sum(known)
    begin = known.index(True) if count > 2 else 0
    run = [cell.strip() for cell in cells[begin : begin + count]]
    starts = (0, 1) if count < len(cells) else (0,)
    return count > 2 and any(run == [*map(str, range(i, i + count))] for i in starts)


def _find_all(drop, target, names, width):
    """Numbers of the columns set apart, that of the target last."""
    columns = [*drop] if target is None else [*drop, target]
    return [_find(column, names, width) for column in columns]


def _find(target, names, width):
    """Number of the column that is meant."""
    if names is None:
        if not (target.isdecimal() and int(target) < width):
            raise ValueError(
                f"has columns 0 to {width - 1}, without names; no column {reprlib.repr(target)}"
            )
        return int(target)
    name = " ".join(target.split())
    if name not in names:
        some = ", ".join(names[:COLUMNS_TOLD]) + (", ..." if len(names) > COLUMNS_TOLD else "")
        raise ValueError(f"has no column {reprlib.repr(target)}; it has {some}")
    if names.count(name) > 1:
        raise ValueError(f"has {names.count(name)} columns {reprlib.repr(target)}")
    return names.index(name)


def _code(codes, cell):
    """Number of the label in a cell, labels being numbered as they appear."""
    label = cell.strip()
    return codes.setdefault(None if label in NO_LABEL else label, len(codes))


def _nothing(cell):
    """What stands for a cell that is left out."""
    return 0


def _without(X, names, apart):
    """All other columns and their names, or else numbers, without a copy if that is possible."""
    left = np.delete(np.arange(X.shape[1]), [*apart])
    names = [names[column] if names else str(column) for column in left]
    if len(left) and left[-1] - left[0] == len(left) - 1:
        return X[:, left[0] : left[-1] + 1], names
    return X.take(left, axis=1) if isinstance(X, np.ndarray) else X[:, left], names


def _load(file, delimiter, names, width, skipped, converters):
    options = {"delimiter": delimiter, "quotechar": '"', "comments": None, "ndmin": 2}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a table without rows: see below
            X = np.loadtxt(file, converters=converters or None, **options)
        complete = X.shape[1] == width and len(X) > 0
        complete = complete and np.isfinite([X.min(), X.max()]).all()
    except ValueError:
        complete = False
    if complete:
        return X[:, skipped:]
    file.seek(0)  # slower, but knows missing values, and what is wrong where
    return _parse(csv.reader(file, delimiter=delimiter), names, width, skipped, converters)


def _parse(reader, names, width, skipped, converters):
    records = filter(None, reader)
    if names:
        next(records)
    values = array("d")
    for record in records:
        if len(record) != width:
            count = f"{len(record)} cell{'s' * (len(record) != 1)}"
            raise ValueError(f"line {reader.line_num}: has {count}, the row before has {width}")
        for column, convert in converters.items():
            record[column] = str(convert(record[column]))
        numbers = _numbers(record[skipped:])
        if None in numbers or not all(map(math.isfinite, numbers)):
            faults = map(_fault, record[skipped:])
            column, fault = next((i, fault) for i, fault in enumerate(faults) if fault)
            name = reprlib.repr(names[skipped + column]) if names else f"{column} (from 0)"
            raise CellError(f"column {name}, line {reader.line_num}: {fault}")
        values.extend(numbers)
    if not values:
        raise ValueError("holds a header but no samples")
    return np.frombuffer(values).reshape(-1, width - skipped)


def _numbers(cells):
    """Numbers in cells, as `number` has them but sooner where all are plain."""
    try:
        if "_" not in "".join(cells):
            return [*map(float, cells)]
    except ValueError:
        pass
    return [*map(number, cells)]


def _fault(cell):
    """What is wrong with a cell, None if it holds a finite number."""
    value = number(cell)
    if value is None and re.fullmatch(DECIMAL, cell):
        return f"{reprlib.repr(cell)} is not a number; write decimals with a point"
    if value is None:
        return f"{reprlib.repr(cell)} is not a number"
    if math.isnan(value):
        return "a number is missing"
    return f"{reprlib.repr(cell)} is not finite" if math.isinf(value) else None


def number(cell):
    """The number in a cell, NaN where it is missing, None where it is something else."""
    word = cell.strip().lower()
    if word in MISSING:
        return math.nan
    if word in TRUTH:
        return TRUTH[word]
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None
