"""What an experiment reports: published numbers beside ours, and the lines of a figure."""

from itertools import cycle
from typing import NamedTuple

import numpy as np

DASHES = ("-", "--", ":")


class Row(NamedTuple):
    """One number: as published, if it was, and ours with its deviation over the seeds."""

    what: str
    published: str
    ours: float
    spread: float
    seeds: int
    unit: str = ""  # what is measured, where a table has several; a panel of the figure each


class Line(NamedTuple):
    """One line of a figure, with the lower and upper ends of a band."""

    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Report(NamedTuple):
    """Everything that an experiment found."""

    title: str
    rows: list
    notes: tuple = ()
    lines: dict | None = None
    x_label: str = ""
    y_label: str = ""


def row(what, values, published="-", unit="") -> Row:
    """Mean and standard deviation of what the seeds gave; a unit follows what is described."""
    values = np.asarray(values, dtype=float)
    spread = values.std(ddof=1) if values.size > 1 else np.nan
    what = f"{what}: {unit}" if unit else what
    return Row(what, str(published), float(values.mean()), float(spread), values.size, unit)


def line(x, values, percentiles=(25, 75)) -> Line:
    """Means over the last axis, with percentiles as a band."""
    values = np.asarray(values, dtype=float)
    low, high = np.percentile(values, percentiles, axis=-1)
    return Line(np.asarray(x, dtype=float), values.mean(axis=-1), low, high)


def each(items, tell):
    """Go through the items and tell how many are done."""
    items = list(items)
    for done, item in enumerate(items):
        if tell:
            tell(done, len(items))
        yield item


def draw(report, figure):
    """Draw the lines of a report; where it has none, its numbers as bars, a panel a unit."""
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


def units_of(report):
    return dict.fromkeys(row.unit for row in report.rows)


def draw_bars(rows, axes):
    """Our numbers with their deviations, and marks where the paper has its own."""
    places = np.arange(len(rows))[::-1]
    spreads = np.nan_to_num([row.spread for row in rows])
    axes.barh(
        places, [row.ours for row in rows], xerr=spreads, color="C0", alpha=0.6, label="ours"
    )
    published = [number(row.published) for row in rows]
    axes.plot(published, places, "kD", markersize=3, label="published")
    labels = [row.what.removesuffix(f": {row.unit}") for row in rows]
    axes.set_yticks(places, labels, fontsize="x-small")


def number(published):
    """The number that a published value begins with, if it does."""
    try:
        return float(published.split()[0])
    except ValueError:
        return np.nan


def starting(lines, start):
    """Lines whose labels start so, without the start."""
    return {
        label.removeprefix(start): line for label, line in lines.items() if label.startswith(start)
    }


def draw_lines(lines, axes):
    """Lines with their bands, dashed in turns, so that equal ones are seen."""
    for (label, (x, y, low, high)), dashes in zip(lines.items(), cycle(DASHES), strict=False):
        (drawn,) = axes.plot(x, y, dashes, marker="o", markersize=3, label=label)
        axes.fill_between(x, low, high, color=drawn.get_color(), alpha=0.15, linewidth=0)
    axes.legend(fontsize="small")
