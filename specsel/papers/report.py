"""The report of an experiment: published numbers beside ours, the lines of a figure, full runs.

The last full run of every experiment is kept with the package; a quick run, or a full one after a
change, is shown beside it. To run experiments in full and keep what they find, in a working copy:
``python -m specsel.papers.report NAME ...``.
"""

import csv
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from specsel import papers
from specsel.papers.facts import NONE, Fact

DASHES = ("-", "--", ":")

T = TypeVar("T")

# Called before every item with how many are done, and of how many.
Tell = Callable[[int, int], object] | None


class Row(NamedTuple):
    """One number: the published one, "-" if there is none, and ours with its deviation."""

    what: str
    published: str
    ours: float
    spread: float
    seeds: int
    unit: str = ""  # quantity; each has a panel of its own in the figure
    where: str = ""  # paper, and the place in it where the published number stands


class Line(NamedTuple):
    """One line of a figure, with the lower and upper ends of a band."""

    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Report(NamedTuple):
    """Everything that an experiment found."""

    title: str
    rows: list[Row]
    notes: tuple[str, ...] = ()
    lines: dict[str, Line] | None = None
    x_label: str = ""
    y_label: str = ""


def row(what: str, values: Any, fact: Fact = NONE, unit: str = "") -> Row:
    """Return a row with the mean and the standard deviation over the seeds."""
    values = np.asarray(values, dtype=float)
    spread = values.std(ddof=1) if values.size > 1 else np.nan
    what = f"{what}: {unit}" if unit else what
    mean = float(values.mean())
    return Row(what, fact.value, mean, float(spread), values.size, unit, fact.where)


def line(x: Any, values: Any, percentiles: tuple[float, float] = (25, 75)) -> Line:
    """Means over the last axis, with percentiles as a band."""
    values = np.asarray(values, dtype=float)
    low, high = np.percentile(values, percentiles, axis=-1)
    return Line(np.asarray(x, dtype=float), values.mean(axis=-1), low, high)


def each(items: Iterable[T], tell: Tell) -> Iterator[T]:
    """Yield the items; report before each how many are done."""
    listed = list(items)
    for done, item in enumerate(listed):
        if tell:
            tell(done, len(listed))
        yield item


@contextmanager
def no_warnings() -> Iterator[None]:
    """Hide warnings of solvers: the best iterate is good enough here, constant features too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def draw(report: Report, figure: Any) -> None:
    """Draw the lines of a report or, if it has none, its numbers as bars: one panel per unit."""
    figure.suptitle(report.title)
    if report.lines:
        axes = figure.add_subplot()
        axes.set(xlabel=report.x_label, ylabel=report.y_label)
        draw_lines(report.lines, axes)
        return
    units = {unit: [row for row in report.rows if row.unit == unit] for unit in units_of(report)}
    figure.set_figheight(max(figure.get_figheight(), 1 + 0.15 * max(map(len, units.values()))))
    panels = figure.subplots(1, len(units), squeeze=False)[0]
    for panel, (unit, rows) in zip(panels, units.items(), strict=True):
        draw_bars(rows, panel)
        panel.set_xlabel(unit or report.y_label)
    if any(row.published != "-" for row in report.rows):
        handles = panels[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower right", ncols=2, fontsize="small")


def units_of(report: Report) -> dict[str, None]:
    """Return the units of all rows, in order and each once."""
    return dict.fromkeys(row.unit for row in report.rows)


def draw_bars(rows: Sequence[Row], axes: Any) -> None:
    """Draw our numbers as bars with their deviations, and a mark at each published number."""
    places = np.arange(len(rows))[::-1]
    spreads = np.nan_to_num([row.spread for row in rows])
    axes.barh(
        places, [row.ours for row in rows], xerr=spreads, color="C0", alpha=0.6, label="ours"
    )
    published = [number(row.published) for row in rows]
    axes.plot(published, places, "kD", markersize=3, label="published")
    labels = [row.what.removesuffix(f": {row.unit}") for row in rows]
    axes.set_yticks(places, labels, fontsize="x-small")


def number(published: str) -> float:
    """Return the number that a published value begins with; NaN if it begins with none."""
    try:
        return float(published.split()[0])
    except ValueError:
        return np.nan


def starting(lines: dict[str, Line], start: str) -> dict[str, Line]:
    """Return the lines whose labels begin with `start`, and cut it off."""
    return {
        label.removeprefix(start): line for label, line in lines.items() if label.startswith(start)
    }


def draw_lines(lines: dict[str, Line], axes: Any) -> None:
    """Lines with their bands, dashed in turns, so that equal ones are seen."""
    for (label, (x, y, low, high)), dashes in zip(lines.items(), cycle(DASHES), strict=False):
        (drawn,) = axes.plot(x, y, dashes, marker="o", markersize=3, label=label)
        axes.fill_between(x, low, high, color=drawn.get_color(), alpha=0.15, linewidth=0)
    axes.legend(fontsize="small")


COLUMNS = ("what", "ours", "spread", "seeds")
DIGITS = 6


def load(name: str) -> dict[str, Row]:
    """Return what the last full run of an experiment found, by row; empty if none was kept."""
    table = files("specsel.papers") / "data" / f"{name}.csv"
    if not table.is_file():
        return {}
    rows = csv.DictReader(table.read_text(encoding="utf-8").splitlines())
    return {
        kept["what"]: Row(
            kept["what"], "-", float(kept["ours"]), float(kept["spread"]), int(kept["seeds"])
        )
        for kept in rows
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
    """Run experiments in full, and keep what they find."""
    folder = Path(__file__).parent / "data"
    for name in names:
        start = time.process_time()
        save(name, papers.load(name).run().rows, folder)
        print(f"{name}: {time.process_time() - start:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or papers.EXPERIMENTS)
