"""Reads CSV and TSV text by five rules.

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
import io
import math
import re
import reprlib
import shutil
import sys
import tempfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

STDIN = Path("-")
DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
MISSING = ("", "na", "n/a", "null", "none", "?", "-", ".")
NO_LABEL = ("", "NA", "N/A", "NaN", "nan")  # letter by letter: Na may be sodium, and - a class
TRUTH = {"true": 1.0, "false": 0.0}
COMMA = re.compile(r"\s*[+-]?\d+,\d+([eE][+-]?\d+)?\s*")
POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
SWAP = str.maketrans(",.", ".,")

# The rows, and at most the cells, from which delimiter, decimals and header are found.
ROWS, CELLS = 20, 10**6

# What has more zeros than one byte in so many is no text.
CONTROLS = 50

Row = tuple[int, list[str]]  # the number of its last line, and its cells


class CellError(ValueError):
    """A cell of a table does not hold a number."""


class HeaderError(ValueError):
    """The first row of a table may be a header or a sample."""


@dataclass(frozen=True)
class Reading:
    """What the user says of a file.

    `drop`, `target` and `index` name columns; None leaves a question to the file. With `lenient`,
    columns of `drop` and `index` that a file lacks are no error.
    """

    drop: Sequence[str] = ()
    target: str | None = None
    index: str | None = None
    header: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    lenient: bool = False

    @property
    def named(self) -> set[str]:
        """The columns that the user names, in one line each."""
        return {" ".join(n.split()) for n in (*self.drop, self.target, self.index) if n}


@dataclass(frozen=True)
class Layout:
    """How a table is arranged: names of the columns if any, the column that names the rows."""

    decimal: str
    width: int
    names: list[str] | None
    index: int | None
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Content:
    """The features of a text, what was chosen of all columns, labels, names of rows, and facts."""

    X: np.ndarray
    names: list[str] | None
    columns: Any
    y: np.ndarray | None
    rows: list[str] | None
    facts: tuple[str, ...]


def read(path: Path, how: Reading, choose: Callable[[Layout], Any]) -> Content:
    """Read a text as the options `how` say; `choose` picks columns once the layout is known."""
    with _opened(path) as file:
        for encoding in [how.encoding] if how.encoding else _encodings(file):
            file.seek(0)
            try:
                text = io.TextIOWrapper(file, encoding, newline="")
            except LookupError:
                raise ValueError(
                    f"--encoding {encoding}: is not the name of an encoding"
                ) from None
            try:
                found = _read_lines(path, text, how, choose)
            except (EOFError, zlib.error, gzip.BadGzipFile):
                raise ValueError("is a damaged .gz file") from None
            except UnicodeError:
                wrong = encoding
                continue
            finally:
                text.detach()
            facts = ("encoding cp1252",) * (encoding == "cp1252" and not how.encoding)
            return replace(found, facts=(*facts, *found.facts))
    raise ValueError(f"is not text in {wrong}; --encoding names another encoding")


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file such that it can be read twice: a pipe is kept in a temporary file."""
    with ExitStack() as stack:
        if path == STDIN and sys.stdin is None:
            raise ValueError("stdin is closed")
        source: Any = sys.stdin.buffer if path == STDIN else stack.enter_context(open(path, "rb"))
        if path == STDIN or not source.seekable():
            kept = stack.enter_context(tempfile.TemporaryFile())
            shutil.copyfileobj(source, kept)
            kept.seek(0)
            source = kept
        is_gzip = source.read(2) == b"\x1f\x8b"
        source.seek(0)
        yield gzip.GzipFile(fileobj=source) if is_gzip else source


def _encodings(file: BinaryIO) -> tuple[str, ...]:
    """Return the encodings to try."""
    try:
        start = file.read(2**12)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise ValueError("is a damaged .gz file") from None
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ("utf-16",)
    if start.count(b"\0") > len(start) / CONTROLS:
        raise ValueError("is not text; --encoding names that of one")
    return ("utf-8-sig", "cp1252")


def _read_lines(
    path: Path, file: Iterable[str], how: Reading, choose: Callable[[Layout], Any]
) -> Content:
    lines, skipped = iter(file), 0
    head: list[str] = []
    for line in lines:
        if line.strip() and not line.startswith("#"):
            head = [line, *islice(lines, ROWS)]
            break
        skipped += 1
    named = path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix
    usual = "\t" if named.lower() == ".tsv" else ","
    delimiter = "\t" if usual == "\t" else _delimiter(head)
    facts = (f"divided by {DELIMITERS[delimiter]}",) * (delimiter != usual)
    content = parse(_records(chain(head, lines), delimiter, skipped), how, choose)
    return replace(content, facts=(*facts, *content.facts))


def _records(lines: Iterable[str], delimiter: str, skipped: int = 0) -> Iterator[Row]:
    """Yield the rows of a text that are not empty."""
    reader, start = csv.reader(lines, delimiter=delimiter, strict=True), skipped + 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(_broken(str(error), start, skipped + reader.line_num)) from None
        start = skipped + reader.line_num + 1
        if row:
            yield start - 1, row


def _broken(error: str, start: int, end: int) -> str:
    """Say what csv does not accept in a row from line `start` on."""
    if "unexpected end" in error or (end > start and "field" in error):
        return f"line {start}: a quote is opened here and not closed"
    if "expected after" in error:
        return f"line {start}: a quote stands within a quoted cell; write it twice"
    return f"line {start}: {error.split(' - ')[0]}"


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
        found = {len(row) for row in rows[1:] or rows}
        width = max(found, default=0)
        if len(found) > 1 or width < 2 or not width - 1 <= len(rows[0]) <= width:
            continue
        commas = [cell for row in rows[1:] or rows for cell in row if "," in cell]
        if delimiter != "," and commas:
            decimal = (number(cell.replace(".", ""), ",") is not None for cell in commas)
            width += CELLS * all(decimal)
        widths[delimiter] = width
    if widths:
        return max(widths, key=lambda delimiter: widths[delimiter])
    first = "".join("".join(head[:1]).split('"')[::2])
    return max(DELIMITERS, key=first.count)


def parse(rows: Iterator[Row], how: Reading, choose: Callable[[Layout], Any]) -> Content:
    """Turn rows of cells, of a text or of a sheet, into numbers, labels and names of rows."""
    first: list[Row] = []
    for row in rows:
        first.append(row)
        if len(first) > ROWS or len(first) * len(row[1]) > CELLS:
            break
    if not first:
        raise ValueError("is empty")
    layout = _layout([cells for _, cells in first], how)
    chosen = choose(layout)
    labels: list[str | None] = []
    known: dict[str | None, str | None] = {}
    names: list[str] = []
    values, count = array("d"), 0
    below = first if layout.names is None else first[1:]
    for line, cells in chain(below, rows):
        if len(cells) != layout.width:
            width = f"{len(cells)} cell{'s' * (len(cells) != 1)}"
            raise ValueError(f"line {line}: has {width}, the row before has {layout.width}")
        if chosen.target is not None:
            label = cells[chosen.target].strip()
            label = None if label in NO_LABEL else label
            labels.append(known.setdefault(label, label))
        if chosen.index is not None:
            names.append(cells[chosen.index].strip())
        used = cells if not chosen.apart else [cells[i] for i in chosen.features]
        found = _numbers(used, layout.decimal)
        if found is None:
            raise CellError(_first_fault(cells, chosen.features, layout, line))
        values.extend(found)
        count += 1
    if count == 0:
        raise ValueError("holds a header but no samples")
    X = np.frombuffer(values).reshape(count, -1) if values else np.empty((count, 0))
    y = None if chosen.target is None else np.array(labels, dtype=object)
    found_rows = None if chosen.index is None else names
    return Content(X, layout.names, chosen, y, found_rows, layout.facts)


def _layout(first: list[list[str]], how: Reading) -> Layout:
    """Find decimals, header and names of the rows in the first rows."""
    top, below = first[0], first[1:]
    decimal = how.decimal or _decimal(first)
    facts = ("decimal commas",) * (decimal == "," and not how.decimal)
    if how.header == "no" or not (how.header or _is_header(top, below, decimal, how.named)):
        return Layout(decimal, len(top), None, None, (*facts, "no header"))
    if how.header is None and all(number(cell, decimal) is not None for cell in top):
        facts = (*facts, "header of numbers")
    names = [" ".join(cell.split()) or f"column {i}" for i, cell in enumerate(top, 1)]
    index = None
    if len(top) > 1 and not top[0].strip():
        index, names[0] = 0, ""
    elif _names_rows(top, below, decimal):
        index, names = 0, ["", *names]
    facts = (*facts, *["rows named by the first column"] * (index is not None))
    return Layout(decimal, len(names), names, index, facts)


def _decimal(rows: list[list[str]]) -> str:
    cells = [cell for row in rows for cell in row]
    commas = any(map(COMMA.fullmatch, cells)) and not any(map(POINT.fullmatch, cells))
    return "," if commas else "."


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


def _is_header(first: list[str], below: list[list[str]], decimal: str, named: set[str]) -> bool:
    """Return whether the first row is a header; `named` are the columns that the user names."""
    numbers = [number(cell, decimal) for cell in first]
    texts = [i for i, value in enumerate(numbers) if value is None]
    known = [i for i, value in enumerate(numbers) if value is not None and not math.isnan(value)]
    is_named = any(" ".join(first[i].split()) in named for i in {*range(len(first))} - {*known})
    if is_named or (len(first) > 1 and not first[0].strip()):
        return True
    if _counts_columns(first, known) or _names_rows(first, below, decimal):
        return True
    rows = [[number(cell, decimal) for cell in row] for row in below if len(row) == len(first)]
    missing = len(first) - len(texts) - len(known) - first.count("")
    if texts and not known and not missing:
        return True
    columns = [*zip(*rows, strict=True)] or [()] * len(first)
    over = any(2 * columns[i].count(None) < len(rows) for i in texts)
    if over and 2 * len(texts) >= len(first):
        return True
    under = any(len(rows) > 1 and columns[i].count(None) == len(rows) for i in known)
    plain = [i for i in known if None not in columns[i]]
    below_it = np.array([[row[i] for i in plain] for row in rows], dtype=float)
    if (
        over
        or under
        or (missing and texts and not known)
        or _may_be_names(np.array([numbers[i] for i in plain], dtype=float), below_it)
    ):
        some = ", ".join(map(reprlib.repr, first[:3])) + ", ..." * (len(first) > 3)
        raise HeaderError(
            f"its first row, {some}, may be a header or a sample: say --header yes or --header no"
        )
    return False


def _counts_columns(first: list[str], known: list[int]) -> bool:
    """Return whether the row counts the columns: from 0 or, beside text, also from 1."""
    if len(known) < 3 or known[-1] - known[0] != len(known) - 1:
        return False
    run = [first[i].strip() for i in known]
    starts = (0, 1) if len(known) < len(first) else (0,)
    return any(run == [*map(str, range(i, i + len(run)))] for i in starts)


def _may_be_names(top: np.ndarray, below: np.ndarray) -> bool:
    """Return whether numbers are unlike those below: in order, whole, or far away from them."""
    if top.size == 0 or below.size == 0:
        return False
    with np.errstate(all="ignore"):
        if _is_ordered(top) and 2 * sum(map(_is_ordered, below)) <= len(below):
            return True
        if len(below) > 2 and len(top) > 1:
            low, high = np.fmin.reduce(below), np.fmax.reduce(below)
            far = (top < 2 * low - high) | (top > 2 * high - low)
            if 2 * far.sum() > len(top):
                return True
    if len(np.unique(top)) < len(top):
        return False
    if 2 * sum(map(_is_whole, below)) > len(below):
        return bool(2 * np.count_nonzero(top != np.rint(top)) > len(top))
    return _is_whole(top)


def _is_whole(row: np.ndarray) -> bool:
    return bool((np.isnan(row) | (row == np.rint(row))).all())


def _is_ordered(row: np.ndarray) -> bool:
    """Return whether numbers go up or down, so many or so evenly that it is no accident."""
    steps = np.diff(row)
    count = int(np.count_nonzero(steps))
    if count < 2 or not ((steps >= 0).all() or (steps <= 0).all()):
        return False
    return count >= 4 or math.isclose(steps.min(), steps.max(), rel_tol=1e-9)


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
        found = [*map(float, cells if decimal == "." else line.translate(SWAP).split("\n"))]
    except ValueError:
        slow = [number(cell, decimal) for cell in cells]
        found = [value for value in slow if value is not None]
    return None if len(found) < len(cells) or any(map(math.isinf, found)) else found


def _first_fault(cells: list[str], features: Sequence[int], layout: Layout, line: int) -> str:
    """Say which cell of a row holds no finite number, and which flag may help."""
    column = next(i for i in features if _numbers([cells[i]], layout.decimal) is None)
    cell, other = cells[column], "," if layout.decimal == "." else "."
    fault = "not a number"
    if number(cell, layout.decimal) is not None:
        fault = "not finite"
    elif number(cell, other) is not None:
        fault += f"; --decimal {other} reads it as one"
    elif number(cell.replace(other, ""), layout.decimal) is not None:
        fault += "; write numbers without a mark between thousands"
    name = reprlib.repr(layout.names[column]) if layout.names else f"{column} (from 0)"
    return f"column {name}, line {line}: {reprlib.repr(cell)} is {fault}"
