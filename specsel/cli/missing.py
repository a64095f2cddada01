"""Counts missing values, and fills them or leaves out where they are, as the user says."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

# Values that are looked at in one go; and columns that a message names.
BLOCK = 2**22
NAMED = 4


class Found(NamedTuple):
    """A table without missing values: which rows and columns are left, and what was done."""

    X: np.ndarray
    rows: np.ndarray | None = None
    columns: np.ndarray | None = None
    fact: str | None = None


def by_column(X: np.ndarray) -> np.ndarray:
    """Count the missing values of every column."""
    counts = np.zeros(X.shape[1], np.intp)
    for part in _parts(X):
        counts += np.isnan(part).sum(axis=0)
    return counts


def impute(X: np.ndarray, how: str, counts: np.ndarray) -> Found:
    """Fill missing values with the median of their column, or drop their columns or rows."""
    total = _values(int(counts.sum()))
    if how == "drop-columns":
        left = np.flatnonzero(counts == 0)
        fact = f"{len(counts) - len(left)} of {len(counts)} columns dropped for {total}"
        return Found(_left(X[:, left], "column", how), columns=left, fact=fact)
    if how == "drop-rows":
        whole = np.concatenate([~np.isnan(part).any(axis=1) for part in _parts(X)])
        left = np.flatnonzero(whole)
        fact = f"{len(X) - len(left)} of {len(X)} rows dropped for {total}"
        return Found(_left(X[left], "row", how), rows=left, fact=fact)
    empty = np.flatnonzero(counts == len(X))
    if len(empty):
        raise ValueError(
            f"--impute median: {len(empty)} column{'s hold' if len(empty) > 1 else ' holds'} no "
            "value at all; --impute drop-columns leaves them out"
        )
    # A file that is mapped into memory is not written to, and its other values stay as they are.
    X = np.array(X) if not X.flags.writeable else X
    for column in np.flatnonzero(counts):
        values = X[:, column]
        values[np.isnan(values)] = np.nanmedian(values)
    return Found(X, fact=f"{total} set to the median of the column")


def describe(counts: np.ndarray, names: Sequence[str] | None) -> str:
    """Say how many values are missing, and in which columns most of them."""
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    some = [f"{counts[i]} in {_name(i, names)}" for i in order[:NAMED]]
    more = len(order) - NAMED
    rest = f" and {more} more column{'s' * (more > 1)}" if more > 0 else ""
    return f"{_values(int(counts.sum()))}: {', '.join(some)}{rest}"


def _values(count: int) -> str:
    return f"{count} missing value{'s' * (count != 1)}"


def _name(column: int, names: Sequence[str] | None) -> str:
    return f"column {names[column]!r}" if names else f"column {column} (from 0)"


def _left(X: np.ndarray, what: str, how: str) -> np.ndarray:
    if X.size == 0:
        raise ValueError(f"--impute {how}: every {what} has missing values; none is left")
    return X


def _parts(X: np.ndarray) -> list[np.ndarray]:
    """Blocks of rows, as views."""
    step = max(1, BLOCK // max(1, X.shape[1]))
    return [X[start : start + step] for start in range(0, len(X), step)]
