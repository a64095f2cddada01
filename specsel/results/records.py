"""What the records share: read-only arrays, a check of features, and tables.

Tables are for pandas, and as HTML for notebooks and reports. HTML tables hold no scripts and no
style sheets. Colours are those of the page; only the bars have one of their own, and it lets the
background through.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import Any, dataclass_transform

import numpy as np

from specsel import _containers, _validate
from specsel._validate import ArrayLike, Floats, Integers, Names, Sparse

# Rows that a table shows, beside those at its cut; and features that one line names.
ROWS = 20
FEATURES = 12

# Length of the longest bar, in em; and how bars, cells and the cut look.
LONGEST = 12
BAR = "width:{:.1f}em;height:.8em;background:rgba(20,130,205,.8)"
CELL = "text-align:left;padding:.1em .8em;background:none"
CUT = ";border-bottom:2px dashed currentColor"


@dataclass_transform(frozen_default=True, eq_default=False)
class Record:
    """A frozen dataclass whose arrays cannot be written to."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False, repr=False)(cls)

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                view = value.view()
                view.flags.writeable = False
                object.__setattr__(self, field.name, view)


def check_features(
    n_features: int, names: Names, expected: int, expected_names: Names, what: str
) -> None:
    """Refuse data whose features differ from those of a result.

    `n_features` and `names` are those of the data, `expected` and `expected_names` those of the
    result, which the message calls `what`.
    """
    if n_features != expected:
        raise ValueError(f"X: has {n_features} features; the {what} are for {expected}")
    if names and expected_names and names != expected_names:
        i = next(i for i in range(expected) if names[i] != expected_names[i])
        raise ValueError(
            f"X: column {i} is {names[i]!r}; the {what} have {expected_names[i]!r} there"
        )


def read_samples(X: ArrayLike | Sparse, expected: int, names: Names, what: str) -> Any:
    """Return samples of the features of a result, dense or sparse; refuse what is not finite."""
    array, found = _containers.as_data(X, least_samples=1)
    array = _containers.loaded(array)
    check_features(array.shape[1], found, expected, names, what)
    if not np.isfinite(array.data if hasattr(array, "tocsr") else array).all():
        raise ValueError(_containers.describe_not_finite(array, found))
    return array


def frame(columns: Mapping[str, Any]) -> Any:
    """Return a pandas table of the columns."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return pd.DataFrame(columns)


def ranked_frame(ranking: Integers, names: Names, columns: Mapping[str, Any], count: int) -> Any:
    """Return a pandas table of ranked features, of which the first `count` are selected."""
    first = {"feature": _validate.name_features(ranking, names), "index": ranking}
    table = frame({**first, **columns, "selected": np.arange(len(ranking)) < count})
    return table.set_index(table.index + 1).rename_axis("rank")


def ranked_columns(
    ranking: Integers, names: Names, what: str, values: Floats
) -> dict[str, Iterable[Any]]:
    """Return columns of an HTML table: rank, name, value and bar of ranked features."""
    return {
        "rank": range(1, len(ranking) + 1),
        "feature": html_names(ranking, names),
        what: numbers(values),
        "": bars(values),
    }


def html_table(
    title: str,
    columns: Mapping[str, Iterable[Any]],
    cut: int = 0,
    notes: Sequence[str] = (),
) -> str:
    """Write the first rows of a table, and the rows before and after its cut."""
    rows = list(zip(*columns.values(), strict=True))
    at_cut = range(cut - 1, cut + 1) if 0 < cut < len(rows) else ()
    shown = sorted({*range(min(len(rows), ROWS)), *at_cut})
    lines = [_row("th", columns, CELL)]
    for before, i in zip([-1, *shown], shown, strict=False):
        if i > before + 1:
            lines.append(_row("td", ["⋮"] + [""] * (len(columns) - 1), CELL))
        lines.append(_row("td", rows[i], CELL + CUT * (i + 1 == cut < len(rows))))
    if shown[-1] + 1 < len(rows):
        notes = [f"and {len(rows) - shown[-1] - 1} more", *notes]
    table = f'<table style="border-collapse:collapse;color:inherit">{"".join(lines)}</table>'
    paragraphs = "".join(f"<p>{note}</p>" for note in notes)
    return f"<div><p>{title}</p>{table}{paragraphs}</div>"


def _row(tag: str, cells: Iterable[Any], style: str) -> str:
    written = "".join(f'<{tag} style="{style}">{cell}</{tag}>' for cell in cells)
    return f"<tr>{written}</tr>"


def html_names(features: Integers, names: Names) -> list[str]:
    """Name features, safe for HTML."""
    return [escape(_validate.printable(name)) for name in _validate.name_features(features, names)]


def html_line(features: Integers, names: Names) -> str:
    """Name the first few features in one line, safe for HTML."""
    return escape(_validate.first_few(_validate.name_features(features, names), FEATURES))


def numbers(values: Floats) -> list[str]:
    """Write numbers with four digits."""
    return [f"{value:#.4g}" for value in values]


def bars(values: Floats) -> list[str]:
    """Draw bars as long as the values; negative numbers and NaN get none."""
    values = np.fmax(values, 0.0)
    shares = values / max(values.max(), np.finfo(float).tiny)
    return [f'<div style="{BAR.format(LONGEST * share)}"></div>' for share in shares]
