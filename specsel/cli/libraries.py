"""Reads Parquet, Arrow and Excel through the libraries made for them: specsel[files]."""

import importlib
import json
import math
import reprlib
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from specsel import _validate
from specsel.cli import cells, columns, delimited
from specsel.cli.reading import CellError, Content, Reading

# How pandas calls an index without a name in Parquet.
PANDAS_INDEX = "__index_level_0__"


def load(package: str, suffix: str) -> Any:
    """Import a library, or say which extra brings it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(package)
    except ImportError:
        raise ValueError(f"{suffix} needs {package}: pip install 'specsel[files]'") from None


def read_parquet(path: Path, reading: Reading) -> Content:
    """Read Parquet; an index that pandas wrote names the rows."""
    polars = load("polars", ".parquet")
    with complete(path):
        frame = polars.read_parquet(path)
        told = polars.read_parquet_metadata(path).get("pandas", "{}")
    return _from_frame(frame, reading, _index(frame.columns, told))


def read_arrow(path: Path, reading: Reading) -> Content:
    """Read Arrow files, which are also called Feather."""
    polars = load("polars", path.suffix)
    with complete(path):
        frame = polars.read_ipc(path)
    return _from_frame(frame, reading, _index(frame.columns))


def read_excel(path: Path, reading: Reading) -> Content:
    """Read the first sheet or the one asked for; its rows are read as those of a text."""
    fastexcel = load("fastexcel", path.suffix)
    with complete(path):
        book = fastexcel.read_excel(path)
    sheet = _sheet(book.sheet_names, reading.sheet)
    with complete(path):
        texts, values = (
            book.load_sheet(sheet, header_row=None, dtypes=dtype).to_polars().rows()
            for dtype in ("string", "float")
        )
        rows = [[*map(_as_text, *both)] for both in zip(texts, values, strict=True)]
    content = delimited.read_records(rows, reading)
    if len(book.sheet_names) > 1 and reading.sheet is None:
        first = _validate.printable(book.sheet_names[0])
        fact = f"sheet {first!r}, the first of {len(book.sheet_names)} (--sheet takes another)"
        content = content._replace(facts=(fact, *content.facts))
    return content


def _sheet(names: Sequence[str], wanted: str | None) -> int:
    """Return the place of a sheet that is given by its name, or by its number from 1."""
    if wanted is None:
        return 0
    if wanted in names:
        return names.index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    close = _validate.suggest(wanted, names)
    some = _validate.first_few(names, columns.NAMES_LISTED)
    raise ValueError(f"has no sheet {reprlib.repr(wanted)}{close or f'; it has {some}'}")


def _as_text(text: str | None, value: float | None) -> str:
    """Write a cell with all its digits: as a text, the library rounds it."""
    text = text or ""
    is_rounded = (
        value is not None and math.isfinite(value) and cells.number(text) not in (None, value)
    )
    return repr(value) if is_rounded else text


class complete:
    """Turn whatever a library raises for a damaged file into one line.

    Errors of the kinds `but` say enough themselves. What is written in Rust may panic, which
    Python sees as an error that is no `Exception`.
    """

    def __init__(self, path: Path, *but: type, what: str = "") -> None:
        self.path, self.but = path, (MemoryError, *but)
        self.what = what or f"{path.suffix} file of a table"

    def __enter__(self) -> None:
        if not self.path.is_dir():
            with open(self.path, "rb"):  # a file that is not there says so itself
                pass

    def __exit__(self, kind: type | None, error: BaseException | None, *rest: Any) -> None:
        panic = type(error).__name__ == "PanicException"
        if panic or (isinstance(error, Exception) and not isinstance(error, self.but)):
            raise ValueError(f"is not a complete {self.what}") from None


def _from_frame(frame: Any, reading: Reading, index: str | None) -> Content:
    names = frame.columns
    apart = columns.find(reading, names, len(names))
    y = None if reading.target is None else labels(frame[names[apart[-1]]].to_list())
    if reading.index is not None:
        index = names[columns.find_one(reading.index, names, len(names))]
    facts: tuple[str, ...] = ()
    rows = None
    if index is not None:
        apart = [*apart, names.index(index)]
        rows = [*map(str, frame[index].to_list())]
        facts = () if reading.index else (f"rows named by {index!r}",)
    apart = [*dict.fromkeys(apart)]
    left = [name for i, name in enumerate(names) if i not in apart]
    for name in left:
        dtype = frame.schema[name]
        if not (dtype.is_numeric() or str(dtype) == "Boolean"):
            raise CellError(f"column {name!r} holds {str(dtype).lower()}, no numbers")
    X = frame.select(left).to_numpy()
    if X.dtype.kind not in "f":
        X = X.astype(np.float64)
    return Content(X, left, (), y, rows, facts)


def labels(column: Any) -> np.ndarray:
    """Labels as an array: whole numbers stay numbers, and what is missing is None."""
    found = [None if _is_missing(label) else label for label in column]
    return np.array(found, dtype=object) if found else np.empty(0, object)


def _is_missing(label: Any) -> bool:
    return label is None or (isinstance(label, float) and math.isnan(label))


def _index(names: Sequence[str], told: str = "{}") -> str | None:
    """Return the column that was the index of a frame of pandas: by its name, or as noted."""
    try:
        noted = json.loads(told).get("index_columns", [])
    except (ValueError, AttributeError):
        noted = []
    found = [name for name in noted if isinstance(name, str) and name in names]
    found = found or [name for name in names if name == PANDAS_INDEX]
    return found[0] if len(found) == 1 else None


EXCEL = (".xlsx", ".xls", ".xlsb", ".ods")

READERS = {
    ".parquet": read_parquet,
    ".arrow": read_arrow,
    ".feather": read_arrow,
    ".ipc": read_arrow,
    **dict.fromkeys(EXCEL, read_excel),
}
