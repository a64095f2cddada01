"""What an experiment reports: published numbers beside ours, and the lines of a figure."""

from typing import NamedTuple

import numpy as np


class Row(NamedTuple):
    """One number: as published, if it was, and ours with its deviation over the seeds."""

    what: str
    published: str
    ours: float
    spread: float
    seeds: int


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


def row(what, values, published="-") -> Row:
    """Mean and standard deviation of what the seeds gave."""
    values = np.asarray(values, dtype=float)
    spread = values.std(ddof=1) if values.size > 1 else np.nan
    return Row(what, str(published), float(values.mean()), float(spread), values.size)


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
    """Draw the lines of a report; where it has none, its numbers as bars."""
    axes = figure.add_subplot()
    axes.set(xlabel=report.x_label, ylabel=report.y_label, title=report.title)
    if report.lines:
        draw_lines(report.lines, axes)
        return
    places = np.arange(len(report.rows))[::-1]
    spreads = np.nan_to_num([row.spread for row in report.rows])
    axes.barh(places, [row.ours for row in report.rows], xerr=spreads)
    axes.set_yticks(places, [row.what for row in report.rows], fontsize="x-small")


def starting(lines, start):
    """Lines whose labels start so, without the start."""
    return {
        label.removeprefix(start): line for label, line in lines.items() if label.startswith(start)
    }


def draw_lines(lines, axes):
    """Lines with their bands."""
    for label, (x, y, low, high) in lines.items():
        (drawn,) = axes.plot(x, y, marker="o", markersize=3, label=label)
        axes.fill_between(x, low, high, color=drawn.get_color(), alpha=0.15, linewidth=0)
    axes.legend(fontsize="small")
