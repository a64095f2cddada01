"""Small pictures for a report: SVG whose colours are those of the page, light or dark."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

WIDTH, HEIGHT = 560, 260
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 12, 44

# How wide a letter of a name is, about; and the longest name that is written whole.
LETTER, LONGEST = 6.5, 30

# Up to so many bars there is room between them.
APART = 80


class Axis(NamedTuple):
    """One axis: the numbers at its ends, where these stand in the picture, and its title."""

    low: float
    high: float
    begin: float
    end: float
    title: str

    def place(self, value: float) -> float:
        """Where a number stands."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.begin + share * (self.end - self.begin)


def across(low: float, high: float, title: str) -> Axis:
    """Return a horizontal axis."""
    return Axis(low, high, LEFT, WIDTH - RIGHT, title)


def upward(low: float, high: float, title: str) -> Axis:
    """Return a vertical axis."""
    return Axis(low, high, HEIGHT - BOTTOM, TOP, title)


def ranked(values: np.ndarray, count: int, ylabel: str) -> str:
    """Draw values, largest first, with a line after the first `count`."""
    n = len(values)
    x, y = across(0.5, n + 0.5, "rank"), upward(min(0.0, *values), _above(values), ylabel)
    zero = y.place(0.0)
    parts = []
    if n <= APART:
        width = 0.8 * (x.place(2) - x.place(1))
        for i, value in enumerate(values):
            top, height = min(y.place(value), zero), abs(y.place(value) - zero)
            begin, kind = x.place(i + 1) - width / 2, "on" if i < count else "off"
            parts.append(
                f'<rect class="{kind}" x="{begin:.1f}" y="{top:.1f}" width="{width:.1f}" '
                f'height="{height:.1f}"/>'
            )
    else:
        for start, stop, kind in ((0, count, "on"), (count, n, "off")):
            parts.append(_area(x, y, np.arange(start, stop) + 1, values[start:stop], kind))
    if 0 < count < n:
        parts.append(_upright(x.place(count + 0.5), "cut"))
    return _picture(x, y, parts, f"{n} values by rank, {count} before the cut", whole=True)


def spectrum(values: np.ndarray, k: int) -> str:
    """Draw eigenvalues as dots; the first k stand out, with a line after them."""
    x = across(0.5, len(values) + 0.5, "number of the eigenvalue")
    y = upward(min(0.0, *values), _above(values), "eigenvalue")
    parts = [
        _dot(x.place(i), y.place(value), "on" if i <= k else "off")
        for i, value in enumerate(values, 1)
    ]
    if 0 < k < len(values):
        parts.append(_upright(x.place(k + 0.5), "cut"))
    return _picture(x, y, parts, f"{len(values)} eigenvalues", whole=True)


def null(objective: float, shuffles: Sequence[float]) -> str:
    """Draw the objective beside those of shuffled data."""
    low, high = min(objective, *shuffles), max(objective, *shuffles)
    margin = 0.05 * (high - low)
    x = across(low - margin, high + margin, "objective")
    y = upward(0.0, 1.0, "")
    parts = [_dot(x.place(value), y.place(0.3), "off") for value in shuffles]
    parts += [_dot(x.place(objective), y.place(0.7), "on")]
    parts += [
        _text(LEFT - 6, y.place(0.3), "shuffled", "end"),
        _text(LEFT - 6, y.place(0.7), "data", "end"),
    ]
    return _picture(x, y, parts, "the objective and those of shuffled data", upright=False)


def scatter(
    points: np.ndarray, sizes: np.ndarray, names: Sequence[str], titles: Sequence[str]
) -> str:
    """Draw features as dots, larger if they matter more; the first few have names."""
    x, y = (
        make(points[:, i].min() - 0.1, points[:, i].max() + 0.1, titles[i])
        for i, make in enumerate((across, upward))
    )
    parts = []
    for i in reversed(range(len(points))):
        at, up = x.place(points[i, 0]), y.place(points[i, 1])
        parts.append(_dot(at, up, "on" if i < len(names) else "off", 2 + 6 * sizes[i]))
        if i < len(names):
            parts.append(_beside(at, up, names[i]))
    return _picture(x, y, parts, "a map of the features")


def lines(
    places: Sequence[float], series: Mapping[str, Sequence[float]], titles: Sequence[str]
) -> str:
    """Draw some values by size, each as a line with dots and its name in a legend.

    Earlier ones have larger dots, so that later ones leave them to be seen.
    """
    found = np.array([*series.values()], dtype=float)
    x = across(min(places) - 0.5, max(places) + 0.5, titles[0])
    y = upward(min(0.0, np.nanmin(found)), np.nanmax(found) * 1.05 or 1.0, titles[1])
    parts = []
    for number, (name, values) in enumerate(series.items()):
        kind = ("off", "on", "other")[number % 3]
        known = [(x.place(a), y.place(b)) for a, b in zip(places, values, strict=True) if b == b]
        parts.append(
            f'<polyline class="{kind}" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in known)}"/>'
        )
        radius = 3.5 + 1.5 * (len(series) - 1 - number)
        parts += [_dot(a, b, kind, radius) for a, b in known]
        up = HEIGHT - BOTTOM - 14 - 16 * number
        parts += [_dot(WIDTH - 110, up, kind), _text(WIDTH - 100, up, name, "start")]
    return _picture(x, y, parts, f"{titles[1]} by {titles[0]}", whole=True)


def _above(values: np.ndarray) -> float:
    """The upper end of an axis for some values."""
    return 1.05 * max(float(values.max()), 0.0) or 1.0


def _area(x: Axis, y: Axis, places: np.ndarray, values: np.ndarray, kind: str) -> str:
    """Bars that touch, as one shape."""
    if len(places) == 0:
        return ""
    ends = [
        (x.place(p + side), y.place(v))
        for p, v in zip(places, values, strict=True)
        for side in (-0.5, 0.5)
    ]
    ends = [(ends[0][0], y.place(0.0)), *ends, (ends[-1][0], y.place(0.0))]
    return f'<polygon class="{kind}" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in ends)}"/>'


def _dot(x: float, y: float, kind: str, radius: float = 3.5) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'


def _upright(x: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'


def _text(x: float, y: float, text: str, anchor: str, turn: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="middle"{turn}>'
        f"{escape(text)}</text>"
    )


def _beside(x: float, y: float, name: str) -> str:
    """Write a name beside a dot, on the left where there is no room on the right."""
    name = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    if x + 9 + LETTER * len(name) > WIDTH:
        return _text(x - 9, y, name, "end")
    return _text(x + 9, y, name, "start")


def _picture(
    x: Axis,
    y: Axis,
    parts: Sequence[str],
    title: str,
    *,
    upright: bool = True,
    whole: bool = False,
) -> str:
    """Put marks between axes."""
    floor = HEIGHT - BOTTOM
    drawn = [f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{floor}" y2="{floor}"/>']
    for value in _ticks(x.low, x.high, whole):
        drawn.append(_text(x.place(value), floor + 14, f"{value:g}", "middle"))
    drawn.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x.title, "middle"))
    if upright:
        for value in _ticks(y.low, y.high, False):
            up, ends = y.place(value), f'x1="{LEFT}" x2="{WIDTH - RIGHT}"'
            drawn.append(f'<line class="grid" {ends} y1="{up:.1f}" y2="{up:.1f}"/>')
            drawn.append(_text(LEFT - 6, up, f"{value:g}", "end"))
        middle = (TOP + floor) / 2
        drawn.append(
            _text(12, middle, y.title, "middle", f' transform="rotate(-90 12 {middle:.0f})"')
        )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"{''.join([*drawn, *parts])}</svg>"
    )


def _ticks(low: float, high: float, whole: bool) -> list[float]:
    """Round numbers between two others, about five."""
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return [low]
    step = 10.0 ** math.floor(math.log10(span / 4))
    step = next(step * factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 6)
    step = max(1.0, round(step)) if whole else step
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]
