"""How the text of a table is arranged: comments, delimiter, decimals, header, names of the rows.

The first rows tell. Where they can be read in two ways, the user is asked.
"""

import csv
import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TextIO

import numpy as np

from specsel.cli import cells
from specsel.cli.reading import HeaderError, Reading

DELIMITERS = ",\t;|"
COMMENT = "#"

# So many rows below the first one tell whether that is a header, and so many cells at most.
ROWS, CELLS = 20, 10**6

Record = tuple[int, list[str]]


@dataclass(frozen=True)
class Layout:
    """How the text of a table is arranged.

    `names` are those of all columns, None without a header; the name of a column that names the
    rows may be empty. `before` counts the lines above the first sample. `index` is the number of
    the column that names the rows, if the text shows it. `facts` are for the user.
    """

    delimiter: str
    decimal: str
    width: int
    names: list[str] | None
    index: int | None
    before: int
    facts: tuple[str, ...]


def look(file: TextIO, is_tsv: bool, reading: Reading) -> Layout:
    """Look at the first rows of a text, and rewind it."""
    comments, begin = _comments(file)
    file.seek(0)
    delimiter = "\t" if is_tsv else _delimiter(file, begin)
    file.seek(0)
    first = _first_rows(records(islice(file, begin, None), delimiter, begin))
    file.seek(0)
    layout = arrange(first, reading, _split(comments[-1:], delimiter))
    return replace(layout, delimiter=delimiter, before=max(layout.before, begin))


def arrange(first: Sequence[Record], reading: Reading, commented: Sequence[str] = ()) -> Layout:
    """Find header, decimals and names of the rows in the first rows of a table.

    `commented` are the cells of a comment right above them, which may be the header.
    """
    if not first:
        raise ValueError("is empty")
    line, top = first[0]
    below = [row for _, row in first[1:]]
    decimal = reading.decimal or _decimal([top, *below])
    facts = ("decimal commas",) * (decimal == "," and not reading.decimal)
    table = _Top(top, below, decimal)
    if reading.header != "no" and _is_header_in_comment(commented, table):
        names = _names(commented)
        return Layout("", decimal, len(top), names, None, 0, (*facts, "header behind a #"))
    if reading.header == "yes" or (reading.header is None and table.has_header(reading.named)):
        if table.texts == 0 and reading.header is None:
            facts = (*facts, "header of numbers")
        return _below_header(line, table, facts)
    return Layout("", decimal, len(top), None, None, 0, (*facts, "no header"))


def _below_header(line: int, table: "_Top", facts: tuple[str, ...]) -> Layout:
    names, width, index = _names(table.first), len(table.first), None
    if width > 1 and not table.first[0].strip():
        index, names[0] = 0, ""
    elif table.names_rows():
        index, names, width = 0, ["", *names], width + 1
    if index is not None:
        facts = (*facts, "rows named by the first column")
    return Layout("", table.decimal, width, names, index, line, facts)


def records(lines: Iterable[str], delimiter: str, before: int = 0) -> Iterator[Record]:
    """Yield the rows of a text, each with the number of its last line, and skip empty ones.

    `before` counts the lines that come before.
    """
    reader, start = csv.reader(lines, delimiter=delimiter, strict=True), before + 1
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(_broken(str(error), start, before + reader.line_num)) from None
        start = before + reader.line_num + 1
        if record:
            yield start - 1, record


def _broken(error: str, start: int, end: int) -> str:
    """Say what csv does not accept in a row from line `start` on."""
    if "unexpected end" in error or (end > start and "field" in error):
        return f"line {start}: a quote is opened here and not closed"
    if "expected after" in error:
        return f"line {start}: a quote stands within a quoted cell; write it twice"
    return f"line {start}: {error.split(' - ')[0]}"


def _comments(file: TextIO) -> tuple[list[str], int]:
    """Return the comments above a table, and how many lines they and empty lines take."""
    comments: list[str] = []
    for number, line in enumerate(file):
        if line.startswith(COMMENT):
            comments.append(line.lstrip(COMMENT + " ").rstrip("\r\n"))
        elif line.strip():
            return comments, number
    return comments, 0


def _split(comments: Sequence[str], delimiter: str) -> list[str]:
    try:
        return next(csv.reader(comments, delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []


def _first_rows(rows: Iterator[Record]) -> list[Record]:
    """Return the first rows, but not too many cells; what is wrong below the first comes later."""
    first = [*islice(rows, 1)]
    count = sum(len(row) for _, row in first)
    try:
        for row in islice(rows, ROWS):
            first.append(row)
            count += len(row[1])
            if count > CELLS and len(first) > 2:
                break
    except ValueError:
        pass
    return first


def _delimiter(file: TextIO, begin: int) -> str:
    """Return the delimiter that divides the first rows alike, or is most frequent in the first.

    Commas may be those of numbers: where another delimiter leaves cells with decimal commas, it is
    the one.
    """
    lines = [*islice(file, begin, begin + ROWS)]
    if not lines:
        return DELIMITERS[0]
    counts, commas_are_decimal = {}, False
    for delimiter in DELIMITERS:
        try:
            rows = [row for _, row in _first_rows(records(iter(lines), delimiter))]
        except ValueError:  # quotes end where this delimiter does not stand
            continue
        widths = {len(row) for row in rows[1:]} or {len(rows[0])} if rows else {0}
        if (
            len(widths) > 1
            or max(widths) < 2
            or len(rows[0]) not in (max(widths), max(widths) - 1)
        ):
            continue
        counts[delimiter] = max(widths)
        with_comma = [cell for row in rows[1:] or rows for cell in row if "," in cell]
        numbers = (cells.number(cell.replace(".", ""), ",") for cell in with_comma)
        if delimiter != "," and with_comma and None not in numbers:
            commas_are_decimal = True
    if commas_are_decimal:
        counts.pop(",", None)
    if not counts:
        line = "".join(lines[0].split('"')[::2])
        return max(DELIMITERS, key=line.count)
    return max(counts, key=lambda delimiter: counts[delimiter])


def _decimal(rows: Sequence[Sequence[str]]) -> str:
    """Return "," if numbers have decimal commas, else "."; ask where commas may be either."""
    found = [cell for row in rows for cell in row]
    commas = [cell for cell in found if cells.COMMA.fullmatch(cell)]
    if not commas or any(map(cells.POINT.fullmatch, found)):
        return "."
    if all(map(cells.THOUSANDS.fullmatch, commas)):
        raise ValueError(
            f"{reprlib.repr(commas[0])} may have a decimal comma, or a mark between thousands; "
            "say --decimal , or write the thousands without a mark"
        )
    return ","


def _names(first: Sequence[str]) -> list[str]:
    return [" ".join(cell.split()) or f"column {i}" for i, cell in enumerate(first, 1)]


def _is_header_in_comment(commented: Sequence[str], table: "_Top") -> bool:
    """Whether a comment holds names for the columns of a table that begins with a sample."""
    if len(commented) < 2 or len(commented) != len(table.first) or not table.numbers:
        return False
    comment = _Top(list(commented), [table.first, *table.below], table.decimal)
    return comment.texts == len(commented) or comment.may_name()


class _Top:
    """The first row of a table and the rows below it, as texts and as numbers."""

    def __init__(self, first: list[str], below: list[list[str]], decimal: str) -> None:
        self.first, self.decimal = first, decimal
        self.below = below
        values = cells.numbers(first, decimal)
        self.texts = values.count(None)
        self.numbers = {
            i: value for i, value in enumerate(values) if value is not None and value == value
        }
        rows = [row for row in below if len(row) == len(first)]
        self.values = [cells.numbers(row, decimal) for row in rows]

    def has_header(self, named: set[str]) -> bool:
        """Whether the first row is a header; ask where it may be a sample as well."""
        first = [" ".join(cell.split()) for cell in self.first]
        # A number that the user names may be that of a column.
        is_named = any(name in named for i, name in enumerate(first) if i not in self.numbers)
        if is_named or (len(first) > 1 and not first[0]) or self._counts():
            return True
        if self.names_rows():
            return True
        missing = len(first) - self.texts - len(self.numbers) - first.count("")
        if not self.numbers and self.texts and not missing:
            return True
        over, under = self._contrasts()
        if over and 2 * self.texts >= len(first):
            return True
        if over or under or (missing and self.texts and not self.numbers) or self.may_name():
            some = ", ".join(map(reprlib.repr, first[:3])) + ", ..." * (len(first) > 3)
            raise HeaderError(
                f"its first row, {some}, may be a header or a sample: say --header yes or "
                "--header no"
            )
        return False

    def names_rows(self) -> bool:
        """Whether the rows below begin with names that the first row has no column for.

        R writes tables so; numbers are names if they count the rows. A row that is longer because
        it ends with a delimiter is not meant.
        """
        second = self.below[0] if self.below else []
        if len(second) != len(self.first) + 1 or not second[-1].strip():
            return False
        if cells.number(second[0], self.decimal) is None:
            return True
        count = len(self.below)
        return count > 2 and [row[0] for row in self.below] == [*map(str, range(1, count + 1))]

    def _counts(self) -> bool:
        """Whether the row counts the columns: from 0 or, beside text, also from 1."""
        first = self.first if self.first[0].strip() else self.first[1:]
        known = [cells.number(cell, self.decimal) is not None for cell in first]
        count = sum(known)
        begin = known.index(True) if count > 2 else 0
        run = [cell.strip() for cell in first[begin : begin + count]]
        starts = (0, 1) if count < len(first) else (0,)
        return count > 2 and any(run == [*map(str, range(i, i + count))] for i in starts)

    def _contrasts(self) -> tuple[bool, bool]:
        """Whether a text stands over numbers, and a number over texts: a header, or a mistake."""
        over = under = False
        for i, cell in enumerate(self.first):
            column = [row[i] for row in self.values]
            texts = column.count(None)
            is_text = cells.number(cell, self.decimal) is None
            over |= is_text and 2 * texts < len(column)
            under |= i in self.numbers and len(column) > 1 and texts == len(column)
        return over, under

    def may_name(self) -> bool:
        """Whether the numbers of the row may be names: they are unlike those below them."""
        columns = [i for i in self.numbers if all(row[i] is not None for row in self.values)]
        top = np.array([self.numbers[i] for i in columns])
        below = np.array([[row[i] for i in columns] for row in self.values], dtype=float)
        if len(below) == 0 or len(top) == 0:
            return False
        ordered = _is_ordered(top) and not _mostly(_is_ordered, below)
        if _mostly(_is_whole, below):
            differs = bool(2 * np.count_nonzero(top != np.rint(top)) > len(top))
        else:
            differs = _is_whole(top)
        distinct = len(np.unique(top)) == len(top)
        return ordered or (distinct and differs) or _is_far(top, below)


def _mostly(test: Callable[[np.ndarray], bool], rows: np.ndarray) -> bool:
    return 2 * sum(map(test, rows)) > len(rows)


def _is_whole(row: np.ndarray) -> bool:
    return bool((np.isnan(row) | (row == np.rint(row))).all())


def _is_ordered(row: np.ndarray) -> bool:
    """Whether numbers go up or down, so many of them or so evenly that it is no accident."""
    steps = np.diff(row)
    count = int(np.count_nonzero(steps))
    if count < 2 or not ((steps >= 0).all() or (steps <= 0).all()):
        return False
    return count >= 4 or math.isclose(steps.min(), steps.max(), rel_tol=1e-9)


def _is_far(top: np.ndarray, below: np.ndarray) -> bool:
    """Whether most numbers lie farther from those below them than these from each other."""
    if len(below) < 3 or len(top) < 2 or np.isnan(below).all(axis=0).any():
        return False
    low, high = np.nanmin(below, axis=0), np.nanmax(below, axis=0)
    far = (top < 2 * low - high) | (top > 2 * high - low)
    return bool(2 * far.sum() > len(top))
