"""Reads numbers from CSV and TSV text: finds the delimiter and the header, and what is wrong."""

import csv
import math
import re
import reprlib
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from specsel.cli import columns

DELIMITERS = ",\t;|"
MISSING = ("", "na", "n/a", "null", "none", "?", "-", ".")
NO_LABEL = ("", "NA", "N/A", "NaN", "nan")  # letter by letter: Na may be sodium, and - a class
DECIMAL = r"\s*[+-]?\d+,\d+\s*"  # a number with a decimal comma, as in much of Europe
TRUTH = {"true": 1.0, "false": 0.0}

Converters = dict[int, Callable[[str], int]]


class CellError(ValueError):
    """A cell of a file does not hold a number."""


class Layout(NamedTuple):
    """How the text of a table is arranged.

    `names` are those of all columns, None without a header. The first `skipped` columns name the
    rows.
    """

    delimiter: str
    width: int
    names: list[str] | None
    skipped: int


def read(
    path: Path, drop: Sequence[str], target: str | None
) -> tuple[np.ndarray, list[str] | None, list[int], np.ndarray | None]:
    """Read a text: all columns, their names, the numbers of those set apart, and the labels.

    Columns set apart, which are those of `drop` and the target, hold no numbers to use.
    """
    with open(path, encoding="utf-8-sig", newline="") as file:
        layout = _layout(file, path.suffix.lower() == ".tsv", drop, target)
        file.seek(0)
        if layout.names:
            next(_records(file, layout.delimiter))
        names = layout.names[layout.skipped :] if layout.names else None
        apart = columns.find(drop, target, names, layout.width)
        unread = [*range(layout.skipped), *(column + layout.skipped for column in apart)]
        codes: dict[str | None, int] = {}
        converters: Converters = dict.fromkeys(unread, _nothing)
        if target is not None:
            converters[apart[-1] + layout.skipped] = partial(_code, codes)
        X = _load(file, layout, converters)
    labels = np.array([*codes], dtype=object)
    y = None if target is None else labels[X[:, apart[-1]].astype(int)]
    return X, names, apart, y


def _layout(file: TextIO, is_tsv: bool, drop: Sequence[str], target: str | None) -> Layout:
    """Look at the first two rows."""
    delimiter = "\t" if is_tsv else _delimiter(file)
    records = _records(file, delimiter)
    first, second = next(records, None), next(records, [])
    if first is None:
        raise ValueError("is empty")
    asked_for = {" ".join(name.split()) for name in (*drop, target or "")}
    names, skipped = _header(first, asked_for)
    if names and not skipped and _begins_with_a_name(second, len(first)):
        return Layout(delimiter, len(second), ["", *names], 1)
    return Layout(delimiter, len(first), names, skipped)


def _delimiter(file: TextIO) -> str:
    """Return the delimiter that occurs most often in the first line, and rewind the file.

    A line of numbers with decimal commas has one semicolon less than commas, and yet is divided
    by semicolons.
    """
    line = re.sub('"[^"]*"', "", next(filter(str.strip, file), ""))
    file.seek(0)
    if re.fullmatch(f"{DECIMAL}(;{DECIMAL})+", line.strip()):
        return ";"
    return max(DELIMITERS, key=line.count)


def _records(file: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    return filter(None, csv.reader(file, delimiter=delimiter))


def _header(first: list[str], asked_for: set[str]) -> tuple[list[str] | None, int]:
    """Return the names of the columns if the first row is a header; how many name the rows.

    A first row is a header if at least half of it is text, if it holds a name that the user asks
    for, or if it counts the columns, as tables without names often do.
    """
    skipped = int(len(first) > 1 and not first[0].strip())
    names = [" ".join(cell.split()) or f"column {i}" for i, cell in enumerate(first, 1)]
    text = [
        name
        for name, cell in zip(names, first, strict=True)
        if number(cell) is None and not re.fullmatch(DECIMAL, cell)
    ]
    is_header = 2 * len(text) >= len(first) or not asked_for.isdisjoint(text)
    return (names, skipped) if is_header or _count_columns(first[skipped:]) else (None, 0)


def _begins_with_a_name(record: list[str], width: int) -> bool:
    """Return whether a row begins with a name that the header has no column for.

    R writes tables so. A row that is longer because it ends with a delimiter is not meant.
    """
    return len(record) == width + 1 and number(record[0]) is None and record[-1].strip() != ""


def _count_columns(cells: list[str]) -> bool:
    """Return whether cells count without a break: from 0 or, beside text, also from 1."""
    known = [number(cell) is not None for cell in cells]
    count = sum(known)
    begin = known.index(True) if count > 2 else 0
    run = [cell.strip() for cell in cells[begin : begin + count]]
    starts = (0, 1) if count < len(cells) else (0,)
    return count > 2 and any(run == [*map(str, range(i, i + count))] for i in starts)


def _code(codes: dict[str | None, int], cell: str) -> int:
    """Return the number of a label; labels are numbered as they appear."""
    label = cell.strip()
    return codes.setdefault(None if label in NO_LABEL else label, len(codes))


def _nothing(cell: str) -> int:
    """Stand in for the content of a cell that is not used."""
    return 0


def _load(file: TextIO, layout: Layout, converters: Converters) -> np.ndarray:
    """Read the numbers with numpy, or else slowly: that knows missing values and finds faults."""
    options: dict[str, Any] = {"delimiter": layout.delimiter, "quotechar": '"'}
    options |= {"comments": None, "ndmin": 2, "converters": converters or None}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a table without rows, refused below
            X = np.loadtxt(file, **options)
        complete = X.shape[1] == layout.width and len(X) > 0
        complete = complete and bool(np.isfinite([X.min(), X.max()]).all())
    except ValueError:
        complete = False
    if complete:
        return X[:, layout.skipped :]
    file.seek(0)
    return _parse(file, layout, converters)


def _parse(file: TextIO, layout: Layout, converters: Converters) -> np.ndarray:
    reader = csv.reader(file, delimiter=layout.delimiter)
    records = filter(None, reader)
    if layout.names:
        next(records)
    values = array("d")
    for record in records:
        if len(record) != layout.width:
            cells = f"{len(record)} cell{'s' * (len(record) != 1)}"
            raise ValueError(
                f"line {reader.line_num}: has {cells}, the row before has {layout.width}"
            )
        for column, convert in converters.items():
            record[column] = str(convert(record[column]))
        numbers = _numbers(record[layout.skipped :])
        if None in numbers or not all(map(math.isfinite, numbers)):
            raise CellError(_first_fault(record, layout, reader.line_num))
        values.extend(numbers)
    if not values:
        raise ValueError("holds a header but no samples")
    return np.frombuffer(values).reshape(-1, layout.width - layout.skipped)


def _numbers(cells: list[str]) -> list[Any]:
    """Return the number in every cell, as `number` does, but faster where all are plain."""
    try:
        if "_" not in "".join(cells):
            return [*map(float, cells)]
    except ValueError:
        pass
    return [*map(number, cells)]


def _first_fault(record: list[str], layout: Layout, line: int) -> str:
    """Say which cell of a row is the first that holds no finite number, and why."""
    names, skipped = layout.names, layout.skipped
    faults = map(_fault, record[skipped:])
    column, fault = next((i, fault) for i, fault in enumerate(faults) if fault)
    name = reprlib.repr(names[skipped + column]) if names else f"{column} (from 0)"
    return f"column {name}, line {line}: {fault}"


def _fault(cell: str) -> str | None:
    value = number(cell)
    if value is None and re.fullmatch(DECIMAL, cell):
        return f"{reprlib.repr(cell)} is not a number; write decimals with a point"
    if value is None:
        return f"{reprlib.repr(cell)} is not a number"
    if math.isnan(value):
        return "a number is missing"
    return f"{reprlib.repr(cell)} is not finite" if math.isinf(value) else None


def number(cell: str) -> float | None:
    """Return the number in a cell; NaN if it is missing, None if the cell holds other text."""
    word = cell.strip().lower()
    if word in MISSING:
        return math.nan
    if word in TRUTH:
        return TRUTH[word]
    try:
        return None if "_" in cell else float(cell)  # float would take 1_000
    except ValueError:
        return None
