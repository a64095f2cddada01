"""Tables with named columns: frames of pandas and polars, Arrow tables, xarray.

None of these libraries is imported: what an object has tells what it is.
"""

from typing import Any

import numpy as np

from specsel._input.annotations import ArrayLike, Names, NDArray
from specsel._input.messages import printable

CATEGORICAL = ("CategoricalDtype", "Categorical", "Enum", "DictionaryType")

# Between the levels of a name that has several, as in a frame with a MultiIndex.
BETWEEN = "/"


def unpack(X: ArrayLike, name: str) -> tuple[ArrayLike, Names]:
    """Return the values of a table and the names of its columns; anything else as it is.

    Examples
    --------
    >>> unpack([[1, 2]], "X")
    ([[1, 2]], None)
    """
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise ValueError(f"{name}: is a lazy frame; pass {name}.collect()")
    if hasattr(X, "data_vars") and hasattr(X, "to_dataarray"):
        raise ValueError(
            f"{name}: is an xarray Dataset; pass {name}.to_dataframe() or one of its arrays"
        )
    if hasattr(X, "column_names") and hasattr(X, "to_pydict"):
        return _from_arrow(X, name)
    if hasattr(X, "dims") and hasattr(X, "coords"):
        return X, names_in_xarray(X)
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        names = names_of(X)
        return _values(X, names, name), names
    return X, None


def names_of(frame: Any) -> tuple[str, ...]:
    """The names of all columns; the levels of one that has several are joined."""
    return tuple(map(_in_one, frame.columns))


def _in_one(name: Any) -> str:
    if not isinstance(name, tuple):
        return str(name)
    return BETWEEN.join(str(level) for level in name if str(level))


def _from_arrow(table: Any, name: str) -> tuple[NDArray[Any], Names]:
    names = tuple(map(str, table.column_names))
    arrays = []
    for label, column in zip(names, table.columns, strict=True):
        check_kind(column.type, label, name)
        values = column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(False)
        if not _is_numeric(values):
            raise not_numeric(name, label)
        arrays.append(values.astype(float) if values.dtype == object else values)
    return np.column_stack(arrays) if arrays else np.empty((len(table), 0)), names


def names_in_xarray(array: Any) -> Names:
    """The coordinates of the second dimension, if it has any."""
    if len(array.dims) != 2 or array.dims[1] not in array.coords:
        return None
    return tuple(map(str, array.coords[array.dims[1]].to_numpy().tolist()))


def _values(frame: Any, names: tuple[str, ...], name: str) -> NDArray[Any]:
    """Values of a pandas or polars frame; refuse the first column that is not numeric."""
    for index, dtype in enumerate(getattr(frame, "dtypes", ())):
        check_kind(dtype, names[index], name)
        if _is_number(dtype):
            continue
        column = frame.iloc[:, index] if hasattr(frame, "iloc") else frame[names[index]]
        if not _is_numeric(np.asarray(column)):
            raise not_numeric(name, names[index])
    values: NDArray[Any] = frame.to_numpy()
    if values.dtype == object and hasattr(frame, "iloc"):
        values = np.where(frame.isna(), np.nan, values).astype(float)
    return values


def check_kind(dtype: Any, label: str, name: str) -> None:
    """Refuse categories: their numbers would count as measurements."""
    if type(dtype).__name__ in CATEGORICAL:
        raise ValueError(
            f"{name}: column {printable(label)!r} is categorical; drop it, or encode it by "
            "indicators"
        )


def not_numeric(name: str, label: str) -> ValueError:
    """What refuses a column of something else than numbers."""
    return ValueError(f"{name}: column {label!r} is not numeric; drop or encode it")


def _is_number(dtype: Any) -> bool:
    """Whether a dtype of pandas or polars is one of numbers."""
    if hasattr(dtype, "is_numeric"):
        return bool(dtype.is_numeric())
    return getattr(dtype, "kind", "O") in "biuf"


def _is_numeric(column: NDArray[Any]) -> bool:
    """Whether a column holds numbers; dates and strings that look like numbers do not count."""
    if column.dtype.kind == "O":
        return not any(isinstance(value, str) for value in column) and _converts(column)
    return column.dtype.kind in "biuf"


def _converts(column: NDArray[Any]) -> bool:
    """Whether all objects are numbers, or some are missing, which a later check reports."""
    try:
        column.astype(float)
    except (TypeError, ValueError):
        return any(map(is_missing, column))
    return True


def is_missing(label: Any) -> bool:
    """Whether a label is None, pandas' NA, or NaN, which alone differs from itself."""
    return label is None or type(label).__name__ == "NAType" or label != label
