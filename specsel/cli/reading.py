"""What the user says of a file, and what a reader finds in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

IMPUTATIONS = ("median", "drop-columns", "drop-rows")


class CellError(ValueError):
    """A cell of a file does not hold a number."""


class HeaderError(ValueError):
    """The first row of a file may be a header or a sample."""


class MissingError(ValueError):
    """A table lacks values."""


@dataclass(frozen=True)
class Reading:
    """What the user says of a file.

    `drop`, `target` and `index` name columns; `header` is "yes" or "no"; None leaves a question to
    the file. With `lenient`, columns of `drop` and `index` that a file lacks are no error.
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
        given = (*self.drop, self.target, self.index)
        return {" ".join(name.split()) for name in given if name}


class Content(NamedTuple):
    """What a reader finds: all columns, and which of them are no features.

    `apart` are the numbers of the columns that are no features: those left out, those that name
    the rows, and that of the labels `y`. `rows` are the names of the rows. `facts` says what the
    reader decided by itself.
    """

    X: Any
    names: list[str] | None = None
    apart: Sequence[int] = ()
    y: np.ndarray | None = None
    rows: list[str] | None = None
    facts: tuple[str, ...] = ()
