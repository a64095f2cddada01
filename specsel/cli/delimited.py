"""Reads numbers from CSV and TSV text, and says what is wrong where."""

import gzip
import math
import reprlib
import warnings
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from specsel.cli import cells, columns, texts
from specsel.cli.layout import Layout, Record, arrange, look, records
from specsel.cli.reading import CellError, Content, Reading

Converters = dict[int, Callable[[str], int]]


def read(path: Path, reading: Reading) -> Content:
    """Read a text. Columns that are no features hold no numbers to use."""
    with texts.opened(path, reading.encoding) as file, _naming(file):
        is_tsv = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
        layout = look(file, is_tsv.lower() == ".tsv", reading)
        found = _Columns(layout, reading)
        X = _load_fast(file, layout, found)
        if X is None:
            file.seek(0)
            rows = records(islice(file, layout.before, None), layout.delimiter, layout.before)
            X = _parse(rows, layout, found)
        facts = layout.facts
        if file.encoding == "cp1252" and not reading.encoding:
            facts = ("encoding cp1252", *facts)
    return found.content(X, facts)


def read_records(rows: list[list[str]], reading: Reading) -> Content:
    """Read a table whose rows are texts already, as of a sheet."""
    filled = [(line, row) for line, row in enumerate(rows, 1) if any(map(str.strip, row))]
    layout = arrange(filled[:20], reading)
    found = _Columns(layout, reading)
    left = [(line, row) for line, row in filled if line > layout.before]
    return found.content(_parse(iter(left), layout, found), layout.facts)


@contextmanager
def _naming(file: TextIO) -> Iterator[None]:
    """Name the encoding in which a text cannot be read; say that a compressed one is damaged."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise ValueError(texts.DAMAGED) from None
    except UnicodeError:
        raise ValueError(
            f"is not text in {file.encoding}; --encoding names another encoding"
        ) from None


class _Columns:
    """The columns that are no features, and what is kept of them."""

    def __init__(self, layout: Layout, reading: Reading) -> None:
        self.names = layout.names
        self.apart = columns.find(reading, layout.names, layout.width)
        self.target = self.apart[-1] if reading.target is not None else None
        named = Reading(index=reading.index, lenient=reading.lenient)
        self.index = next(iter(columns.find(named, layout.names, layout.width)), layout.index)
        if layout.index is not None:
            self.apart.append(layout.index)
        self.clear()

    def clear(self) -> None:
        """Forget what was read."""
        self.codes: dict[str | None, int] = {}
        self.rows: list[str] = []

    def converters(self) -> Converters:
        """What to do with the cells of each column."""
        made: Converters = dict.fromkeys(self.apart, _nothing)
        if self.index is not None:
            made[self.index] = self._keep
        if self.target is not None:
            made[self.target] = partial(_code, self.codes)
        return made

    def _keep(self, cell: str) -> int:
        self.rows.append(cell.strip())
        return 0

    def content(self, X: np.ndarray, facts: tuple[str, ...]) -> Content:
        """Return what was read."""
        y = None
        if self.target is not None:
            y = np.array([*self.codes], dtype=object)[X[:, self.target].astype(int)]
        rows = self.rows if self.index is not None else None
        return Content(X, self.names, self.apart, y, rows, facts)


def _code(codes: dict[str | None, int], cell: str) -> int:
    """Return the number of a label; labels are numbered as they appear."""
    label = cell.strip()
    return codes.setdefault(None if label in cells.NO_LABEL else label, len(codes))


def _nothing(cell: str) -> int:
    """Stand in for the content of a cell that is not used."""
    return 0


def _load_fast(file: TextIO, layout: Layout, found: _Columns) -> np.ndarray | None:
    """Read the numbers with numpy; None if it cannot read them all."""
    if layout.decimal == layout.delimiter:
        return None
    lines = _with_sound_quotes(islice(file, layout.before, None), layout.delimiter)
    converters = found.converters()
    if layout.decimal == ",":
        lines = (line.translate(cells.SWAP) for line in lines)
        converters = {i: _swapped(one) for i, one in converters.items()}
    options: dict[str, Any] = {"delimiter": layout.delimiter, "quotechar": '"'}
    options |= {"comments": None, "ndmin": 2, "converters": converters or None}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a table without rows
            X = np.loadtxt(lines, **options)
        extremes = [np.fmin.reduce(X, None), np.fmax.reduce(X, None)] if X.size else [np.inf]
        if X.shape[1] == layout.width and not np.isinf(extremes).any():
            return X
    except UnicodeError:
        raise
    except ValueError:
        pass
    found.clear()
    return None


def _with_sound_quotes(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    """Yield lines until a quote does not fit: numpy would read on, but `records` can tell."""
    for line in lines:
        if '"' in line:
            outside = line.rstrip("\r\n").split('"')[::2]
            begins = all(part == "" or part.endswith(delimiter) for part in outside[:-1])
            ends = all(part == "" or part.startswith(delimiter) for part in outside[1:])
            if line.count('"') % 2 or not (begins and ends):
                raise ValueError
        yield line


def _swapped(convert: Callable[[str], int]) -> Callable[[str], int]:
    return lambda cell: convert(cell.translate(cells.SWAP))


def _parse(rows: Iterator[Record], layout: Layout, found: _Columns) -> np.ndarray:
    """Read row by row: slow, but it knows missing values, and what is wrong in which line."""
    values = array("d")
    converters = found.converters()
    for line, row in rows:
        if len(row) != layout.width:
            count = f"{len(row)} cell{'s' * (len(row) != 1)}"
            raise ValueError(f"line {line}: has {count}, the row before has {layout.width}")
        used = [*row]
        for column, convert in converters.items():
            used[column] = str(convert(row[column]))
        numbers = cells.numbers(used, layout.decimal)
        if None in numbers or any(map(math.isinf, numbers)):  # type: ignore[arg-type]
            raise CellError(_first_fault(used, layout, line))
        values.extend(numbers)  # type: ignore[arg-type]
    if not values:
        raise ValueError("holds a header but no samples")
    return np.frombuffer(values).reshape(-1, layout.width)


def _first_fault(row: list[str], layout: Layout, line: int) -> str:
    """Say which cell of a row is the first that holds no finite number, and why."""
    faults = (cells.fault(cell, layout.decimal) for cell in row)
    column, fault = next((i, fault) for i, fault in enumerate(faults) if fault)
    name = reprlib.repr(layout.names[column]) if layout.names else f"{column} (from 0)"
    return f"column {name}, line {line}: {fault}"
