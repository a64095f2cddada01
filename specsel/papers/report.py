"""The report of an experiment: a table of published numbers beside ours, and lines of a figure.

``data/published.csv`` holds every number and claim that is quoted from a paper, and its place
there, by the row that it belongs to; in the names of rows, * stands for anything.

The last full run of every experiment is kept with the package, in ``data/<experiment>.csv``; a
quick run, or a full one after a change, is shown beside it. To run experiments in full and keep
their numbers, in a working copy: ``python -m specsel.papers.report NAME ...``.
"""

import csv
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from itertools import cycle, product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from specsel import papers
from specsel._validate import Floats

T = TypeVar("T")

# Called before every item with how many are done, and of how many.
Progress = Callable[[int, int], object] | None

COLUMNS = ("what", "ours", "spread", "seeds")
DIGITS = 6


class Row(NamedTuple):
    """One number: ours with its deviation, and the published one, "-" if there is none."""

    what: str
    published: str
    ours: float
    spread: float
    seeds: int
    unit: str = ""  # quantity; each has a panel of its own in the figure
    where: str = ""  # paper, and the place in it where the published number stands


class Line(NamedTuple):
    """One line of a figure, with the lower and upper ends of a band."""

    x: Floats
    y: Floats
    low: Floats
    high: Floats


class Report(NamedTuple):
    """The numbers of an experiment, what to know about them, and its figure."""

    title: str
    rows: list[Row]
    notes: Sequence[str] = ()
    lines: dict[str, Line] | None = None
    x_label: str = ""
    y_label: str = ""


def make(experiment: str, title: str, rows: Iterable[Row], **rest: Any) -> Report:
    """Return the report of an experiment, with the published numbers beside ours."""
    known = [fact for fact in published() if fact["experiment"] == experiment]
    beside = []
    for row in rows:
        fact = next((one for one in known if fnmatchcase(row.what, one["what"])), None)
        beside.append(row._replace(published=fact["value"], where=fact["where"]) if fact else row)
    return Report(title, beside, **rest)


@cache
def published() -> list[dict[str, str]]:
    """Return the numbers and claims of the papers: experiment, what, value and where."""
    return _table("published") or []


def _table(name: str) -> list[dict[str, str]] | None:
    path = files("specsel.papers") / "data" / f"{name}.csv"
    if not path.is_file():
        return None
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def row(what: str, values: Any, unit: str = "") -> Row:
    """Return a row with the mean and the standard deviation over the seeds."""
    values = np.asarray(values, dtype=float)
    spread = values.std(ddof=1) if values.size > 1 else np.nan
    what = f"{what}: {unit}" if unit else what
    return Row(what, "-", float(values.mean()), float(spread), values.size, unit)


def rows(form: str, labels: Iterable[Any], found: Mapping[str, Any], unit: str = "") -> list[Row]:
    """Return a row for every name and label, called ``form.format(label, name)``."""
    return [
        row(form.format(label, name), of_label, unit)
        for name, values in found.items()
        for label, of_label in zip(labels, values, strict=True)
    ]


def rows_of_units(labels: Iterable[str], found: Mapping[str, Any]) -> list[Row]:
    """Return a row for every label and unit."""
    return [
        row(label, values[i], unit)
        for i, label in enumerate(labels)
        for unit, values in found.items()
    ]


def line(x: Any, values: Any) -> Line:
    """Return means over the last axis, with the quartiles as a band."""
    low, high = np.percentile(values, (25, 75), axis=-1)
    return Line(np.asarray(x, dtype=float), np.mean(values, axis=-1), low, high)


def collect(
    measure: Callable[..., Mapping[Any, Any]], progress: Progress, *axes: Iterable[Any]
) -> dict[Any, Floats]:
    """Measure every combination of the axes; return an array over all axes for every name.

    Warnings of solvers are hidden: the best iterate is good enough here, constant features too.
    """
    values = [tuple(axis) for axis in axes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = [measure(*point) for point in each(product(*values), progress)]
    arrays = {name: np.array([one[name] for one in found]) for name in found[0]}
    shape = tuple(map(len, values))
    return {name: array.reshape(shape + array.shape[1:]) for name, array in arrays.items()}


def each(items: Iterable[T], progress: Progress) -> Iterator[T]:
    """Yield the items; report before each how many are done."""
    listed = list(items)
    for done, item in enumerate(listed):
        if progress:
            progress(done, len(listed))
        yield item


def draw(report: Report, figure: Any) -> None:
    """Draw the lines of a report or, if it has none, its numbers as bars: one panel per unit."""
    figure.suptitle(report.title)
    if report.lines:
        axes = figure.add_subplot()
        axes.set(xlabel=report.x_label, ylabel=report.y_label)
        draw_lines(report.lines, axes)
        return
    units: dict[str, list[Row]] = {}
    for row in report.rows:
        units.setdefault(row.unit, []).append(row)
    figure.set_figheight(max(figure.get_figheight(), 1 + 0.15 * max(map(len, units.values()))))
    panels = figure.subplots(1, len(units), squeeze=False)[0]
    for panel, (unit, rows) in zip(panels, units.items(), strict=True):
        draw_bars(rows, panel)
        panel.set_xlabel(unit or report.y_label)
    if any(row.published != "-" for row in report.rows):
        handles = panels[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower right", ncols=2, fontsize="small")


def draw_bars(rows: Sequence[Row], axes: Any) -> None:
    """Draw our numbers as bars with their deviations, and a mark at each published number."""
    heights = np.arange(len(rows))[::-1]
    spreads = np.nan_to_num([row.spread for row in rows])
    ours = [row.ours for row in rows]
    axes.barh(heights, ours, xerr=spreads, color="C0", alpha=0.6, label="ours")
    marks = [number(row.published) for row in rows]
    axes.plot(marks, heights, "kD", markersize=3, label="published")
    labels = [row.what.removesuffix(f": {row.unit}") for row in rows]
    axes.set_yticks(heights, labels, fontsize="x-small")


def number(published: str) -> float:
    """Return the number that a published value begins with; NaN if it begins with none."""
    try:
        return float(published.split()[0])
    except ValueError:
        return np.nan


def draw_lines(lines: dict[str, Line], axes: Any, start: str = "") -> None:
    """Draw the lines whose labels begin with `start`, dashed in turns, so that equal ones show."""
    chosen = [(label, line) for label, line in lines.items() if label.startswith(start)]
    for (label, (x, y, low, high)), dashes in zip(chosen, cycle(("-", "--", ":")), strict=False):
        name = label.removeprefix(start)
        (drawn,) = axes.plot(x, y, dashes, marker="o", markersize=3, label=name)
        axes.fill_between(x, low, high, color=drawn.get_color(), alpha=0.15, linewidth=0)
    axes.legend(fontsize="small")


def load(name: str) -> dict[str, Row]:
    """Return the rows of the last full run of an experiment by name; empty if none was kept."""
    return {
        kept["what"]: Row(
            kept["what"], "-", float(kept["ours"]), float(kept["spread"]), int(kept["seeds"])
        )
        for kept in _table(name) or []
    }


def save(name: str, rows: Iterable[Row], folder: Path) -> None:
    """Keep the numbers of a full run."""
    with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            numbers = (f"{value:.{DIGITS}g}" for value in (row.ours, row.spread))
            writer.writerow([row.what, *numbers, row.seeds])


def main(names: Iterable[str]) -> None:
    """Run experiments in full, and keep their numbers."""
    folder = Path(__file__).parent / "data"
    for name in names:
        start = time.process_time()
        save(name, papers.load(name).run().rows, folder)
        print(f"{name}: {time.process_time() - start:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or papers.EXPERIMENTS)
