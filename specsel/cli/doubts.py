"""Names columns that may be no measurements: identifiers of the samples, and categories."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from specsel import _validate

# Rows that are looked at first; and at most. Below `FEW` rows any column looks like an order.
FIRST, MOST, FEW = 12, 10_000, 12

# A column of whole numbers may hold categories if it has so many of them; and in a table where
# others hold measurements: at most this share of all columns.
CATEGORIES = range(3, 13)
SHARE = 0.25

NAMED = 5


def warnings(X: Any, names: Sequence[str] | None) -> list[str]:
    """Return a warning of columns that look like identifiers, and one of likely categories."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or len(X) < FEW or X.dtype.kind not in "fiu":
        return []
    first = np.asarray(X[:FIRST], dtype=float)
    whole = np.flatnonzero((first == np.rint(first)).all(axis=0))
    found: list[str] = []
    steps = np.diff(first[:, whole], axis=0)
    ordered = whole[(steps > 0).all(axis=0) | (steps < 0).all(axis=0)]
    identifiers = [i for i in ordered if _orders(np.asarray(X[:, i], dtype=float))]
    if identifiers:
        found.append(
            f"{_listed(identifiers, names)}: distinct whole numbers in order, as of names of the "
            "samples; if so, leave out by --drop or --index"
        )
    rest = [i for i in whole if i not in identifiers]
    if len(rest) <= SHARE * X.shape[1]:
        categories = [i for i in rest if _has_few(np.asarray(X[:MOST, i], dtype=float))]
        if categories:
            found.append(
                f"{_listed(categories, names)}: few whole numbers, as of categories or labels; if "
                "so, leave out by --drop or name by --target"
            )
    return found


def _orders(column: np.ndarray) -> bool:
    steps = np.diff(column)
    one_way = bool((steps > 0).all() or (steps < 0).all())
    return one_way and bool((column == np.rint(column)).all())


def _has_few(column: np.ndarray) -> bool:
    few = len(np.unique(column[: 10 * FEW])) <= max(CATEGORIES)
    return few and len(np.unique(column)) in CATEGORIES and bool((column == np.rint(column)).all())


def _listed(found: Sequence[Any], names: Sequence[str] | None) -> str:
    shown = [repr(names[i]) if names else str(i) for i in found]
    return f"column{'s' * (len(found) > 1)} {_validate.first_few(shown, NAMED)}"
