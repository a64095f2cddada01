"""Finds the columns that a user names, and takes them out of a table."""

import reprlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from specsel import _validate
from specsel.cli.reading import Content, Reading

# How many column names a message lists.
NAMES_LISTED = 6


def find(reading: Reading, names: Sequence[str] | None, width: int) -> list[int]:
    """Return the numbers of the columns that are no features.

    First those that the user leaves out, then that of the row names, then that of the labels,
    each if the user names one.
    """
    named = [*reading.drop, reading.index, reading.target]
    known = {*names} if names else {*map(str, range(width))}
    return [
        find_one(column, names, width)
        for column in named
        if column is not None and (not reading.lenient or " ".join(column.split()) in known)
    ]


def find_one(column: str, names: Sequence[str] | None, width: int) -> int:
    """Return the number of a column that is given by its name, or without names by its number."""
    if names is None:
        if not (column.isdecimal() and int(column) < width):
            raise ValueError(
                f"has columns 0 to {width - 1}, without names; no column {reprlib.repr(column)}"
            )
        return int(column)
    name = " ".join(column.split())
    count = names.count(name) if name else 0
    if count == 0:
        raise ValueError(f"has no column {reprlib.repr(column)}{_offer(name, names)}")
    if count > 1:
        raise ValueError(f"has {count} columns {reprlib.repr(column)}")
    return names.index(name)


def _offer(name: str, names: Sequence[str]) -> str:
    """Name the column that may be meant, or else the first few."""
    known = [known for known in names if known]
    close = _validate.suggest(name, known)
    if close:
        return close
    some = ", ".join(map(_validate.printable, known[:NAMES_LISTED]))
    return f"; it has {some}" + (", ..." if len(known) > NAMES_LISTED else "")


def without(X: Any, names: Sequence[str] | None, apart: Sequence[int]) -> tuple[Any, list[str]]:
    """Return the columns that are not in `apart`, and their names or else their numbers.

    Neighbouring columns are a view of X, not a copy.
    """
    left = np.delete(np.arange(X.shape[1]), [*apart])
    kept = [names[column] if names else str(column) for column in left]
    if len(left) and left[-1] - left[0] == len(left) - 1:
        return X[:, left[0] : left[-1] + 1], kept
    return X.take(left, axis=1) if isinstance(X, np.ndarray) else X[:, left], kept


def numbered(X: Any, reading: Reading) -> Content:
    """Set columns apart that have numbers instead of names."""
    if X.ndim != 2:
        raise ValueError(f"has {X.ndim} dimension{'s' * (X.ndim != 1)}; 2 are needed")
    apart = find(reading, None, X.shape[1])

    def column(i: int) -> np.ndarray:
        found = X[:, [i]].toarray()[:, 0] if hasattr(X, "toarray") else X[:, i]
        return np.array(found)

    y = None if reading.target is None else column(apart[-1])
    rows = None
    if reading.index is not None:
        index = find_one(reading.index, None, X.shape[1])
        rows = [f"{label:.15g}" for label in column(index)]
    return Content(X, None, apart, y, rows)
