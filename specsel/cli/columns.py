"""Finds the columns that a user names, and takes them out of a table."""

import reprlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from specsel import _input

# How many column names a message lists.
NAMES_LISTED = 6


def find(
    drop: Sequence[str], target: str | None, names: list[str] | None, width: int
) -> list[int]:
    """Return the numbers of the columns to leave out and, last, that of the target."""
    columns = [*drop] if target is None else [*drop, target]
    return [_find_one(column, names, width) for column in columns]


def _find_one(column: str, names: list[str] | None, width: int) -> int:
    if names is None:
        if not (column.isdecimal() and int(column) < width):
            raise ValueError(
                f"has columns 0 to {width - 1}, without names; no column {reprlib.repr(column)}"
            )
        return int(column)
    name = " ".join(column.split())
    if name not in names:
        some = ", ".join(map(_input.printable, names[:NAMES_LISTED]))
        some += ", ..." if len(names) > NAMES_LISTED else ""
        raise ValueError(f"has no column {reprlib.repr(column)}; it has {some}")
    if names.count(name) > 1:
        raise ValueError(f"has {names.count(name)} columns {reprlib.repr(column)}")
    return names.index(name)


def without(X: Any, names: list[str] | None, apart: Sequence[int]) -> tuple[Any, list[str]]:
    """Return the columns that are not in `apart`, and their names or else their numbers.

    Neighbouring columns are a view of X, not a copy.
    """
    left = np.delete(np.arange(X.shape[1]), [*apart])
    kept = [names[column] if names else str(column) for column in left]
    if len(left) and left[-1] - left[0] == len(left) - 1:
        return X[:, left[0] : left[-1] + 1], kept
    return X.take(left, axis=1) if isinstance(X, np.ndarray) else X[:, left], kept
