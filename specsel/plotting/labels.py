"""Write names in pictures such that no two overlap.

Positions on the screen are in pixels. Distances are in points, 72 to the inch; `scale` is the
number of pixels in a point.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np

from specsel import _validate

# The most letters of a name; and its form: as plain text, even if it holds a $ or a _.
LENGTH = 18
LETTERS: dict[str, Any] = {"parse_math": False, "usetex": False}
FORM = LETTERS | {"fontsize": 8.0}

# A slanted name of length 1 is this wide, and as high.
SLANT = 0.5**0.5

# The distance between neighbouring slanted names, and that of a name from its bar, in points.
SPACING = 14.0
LIFT = 3.0

# Names over bars may take this share of the height, or the width, of the axes.
SHARE = 0.6

# Names are not shortened if the longest takes no more than this share of the axes.
UNCUT = 0.4

# The line from a name to its bar or point.
LINE: dict[str, Any] = {"arrowstyle": "-", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0}

# Positions of a name beside its point or ellipse, best first: distances in points, and
# directions.
DISTANCES = (5.0, 14.0, 26.0)
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
SIDEWAYS = {1: "left", 0: "center", -1: "right"}
UPWARDS = {1: "bottom", 0: "center", -1: "top"}

# The radius of a point, in points; and the least radius of an ellipse, in pixels.
DOT, THIN = 2.5, 1e-6


def shorten(name: str) -> str:
    """Cut the middle out of a name that is too long."""
    half = LENGTH // 2
    return name if len(name) <= LENGTH else f"{name[:half]}…{name[1 - half :]}"


def _in_one_line(names: Iterable[object]) -> list[str]:
    return [_validate.printable(" ".join(str(name).split())) for name in names]


def _fit(ax: Any, names: Iterable[object], width: float) -> list[str]:
    """Return the names, shortened if the longest takes more pixels than `width`."""
    texts = _in_one_line(names)
    longest = max(texts, key=len, default="")
    fits = len(longest) <= LENGTH or _size(ax, longest)[0] <= width
    return texts if fits else [*map(shorten, texts)]


def in_a_line(ax: Any, names: Sequence[object]) -> str:
    """Return as many names as fit in one line below the axes, with dots for the rest."""
    _lay_out(ax)
    width, texts = ax.get_window_extent().width, [*map(shorten, _in_one_line(names))]
    form = FORM | {"fontsize": ax.xaxis.label.get_fontsize()}
    for count in range(len(texts), 0, -1):
        line = ", ".join(texts[:count]) + ", …" * (count < len(texts))
        if count == 1 or _size(ax, line, form)[0] <= width:
            return line
    return ""


def over_bars(ax: Any, places: np.ndarray, heights: np.ndarray, names: Iterable[object]) -> None:
    """Write names over bars that never rise from left to right, and make space for them.

    Names that are wider than their bars are slanted. If bars are close together, a name moves to
    the right, above lower bars, and a thin line leads back to its own bar. If the axes are too
    narrow, the last names are left out.
    """
    if len(places) == 0:
        return
    scale, window = _lay_out(ax), ax.get_window_extent()
    between = np.diff(_across(ax, places)).min(initial=np.inf) / scale
    upright = UNCUT * window.height / SLANT
    aside = scale * (between - LIFT) if np.isfinite(between) else window.width
    texts = _fit(ax, names, max(upright, aside))
    widths = np.array([_size(ax, name)[0] for name in texts]) / scale
    tall = _size(ax, "x")[1] / scale
    if between < widths.max() + LIFT:
        form, spacing = {"rotation": 45, "rotation_mode": "anchor"}, SPACING
        reach = SLANT * (widths + tall)
        rise, before = reach.max(), window.x0 / scale + SLANT * tall - SPACING
    else:
        form, spacing = {"ha": "center"}, 0.0
        reach, rise, before = widths / 2, tall, -np.inf
    _make_space(ax, places[-1], np.array([reach.max(), rise + 2 * LIFT]) * scale / window.size)
    for i, point in enumerate(_across(ax, places) / scale):
        before = max(point, before + spacing)
        if before + reach[i] > window.x1 / scale:
            return
        line = LINE | {"patchA": None, "relpos": (tall / (widths[i] + tall), 0)}
        moved = before - point
        ax.annotate(
            texts[i],
            (places[i], heights[i]),
            xytext=(moved, LIFT),
            textcoords="offset points",
            arrowprops=line if moved > SPACING / 2 else None,
            **FORM,
            **form,
        )


def _across(ax: Any, places: np.ndarray) -> Any:
    """Return the horizontal positions on the screen."""
    return ax.transData.transform(np.column_stack([places, np.ones(len(places))]))[:, 0]


def _make_space(ax: Any, last: float, shares: np.ndarray) -> None:
    """Move the limits until these shares of the axes are free: right of `last`, and above."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    ax.set_xlim(right=max(right, _stretched(ax.xaxis, left, last, shares[0])))
    ax.set_ylim(top=_stretched(ax.yaxis, low, high, shares[1]))


def _stretched(axis: Any, low: float, high: float, share: float) -> float:
    """Return the upper limit that leaves a share of the axis free above `high`, on any scale."""
    transform = axis.get_transform()
    low, high = transform.transform(np.array([low, high], dtype=float))
    limit = low + (high - low) / (1 - min(share, SHARE))
    return float(transform.inverted().transform(np.array([limit]))[0])


def at_points(ax: Any, points: np.ndarray, names: Sequence[object], axes: Any) -> None:
    """Write names beside the first points; a name without free space is left out.

    Around every point there is an ellipse with the half axes `axes`. A name is beside the ellipse
    of its point and covers no point that has a name; if there is space, it is off all other
    ellipses too. If it is far from its point, or nearer to another one, a line joins them.
    """
    from matplotlib.path import Path
    from matplotlib.transforms import Bbox

    scale, window = _lay_out(ax), ax.get_window_extent()
    names = _fit(ax, names, UNCUT * window.width)
    dots = ax.transData.transform(points)
    radii = np.maximum(np.abs(ax.transData.transform(points + axes) - dots), THIN)
    written: list[tuple[Any, Any]] = []
    for i, name in enumerate(names):
        half = _size(ax, name) / 2
        free: list[tuple[int, tuple[Any, ...], tuple[Any, Any]]] = []
        for distance, direction in product(DISTANCES, DIRECTIONS):
            edge = 1 / np.linalg.norm(direction / radii[i])  # of the ellipse, this way
            offset = (distance + edge / scale) * np.array(direction)
            end = dots[i] + scale * offset
            middle = end + half * direction
            box, line = Bbox([middle - half, middle + half]), Path([dots[i], end])
            apart = np.abs(np.clip(dots, box.min, box.max) - dots)
            covers = (apart[: len(names)] < DOT * scale).all(axis=1).any()
            if not covers and _is_free(box, line, window, written):
                near = np.linalg.norm(apart / np.maximum(radii, DOT * scale), axis=1) < 1
                gaps = np.linalg.norm(apart, axis=1)
                far = distance > DISTANCES[0] or gaps[i] > gaps.min() + scale
                free.append((near.sum(), (offset, direction, far), (box, line)))
        if free:
            _, position, taken = min(free, key=itemgetter(0))
            written.append(taken)
            _write(ax, name, points[i], *position)


def _lay_out(ax: Any) -> float:
    """Fix the positions of the axes in the figure; return the number of pixels in a point."""
    figure = ax.figure.figure  # also if the axes are in a part of it
    figure.draw_without_rendering()
    return float(figure.dpi / 72)


def _is_free(box: Any, line: Any, window: Any, written: list[tuple[Any, Any]]) -> bool:
    """Return whether a name is inside the axes and crosses no name and no line written before."""
    inside = (window.min <= box.min).all() and (box.max <= window.max).all()
    return inside and not any(
        box.overlaps(other) or line.intersects_bbox(other) or its_line.intersects_bbox(box)
        for other, its_line in written
    )


def _size(ax: Any, name: str, form: dict[str, Any] = FORM) -> Any:
    """Return width and height of a name on the screen."""
    text = ax.text(0, 0, name, **form)
    size = text.get_window_extent().size
    text.remove()
    return size


def _write(
    ax: Any, name: str, point: np.ndarray, offset: Any, direction: tuple[int, int], far: bool
) -> None:
    """Write a name at an offset from its point, legible over everything; a far one has a line."""
    from matplotlib.patheffects import withStroke

    end = {"relpos": (1 - np.array(direction)) / 2}
    ax.annotate(
        name,
        point,
        xytext=offset,
        textcoords="offset points",
        ha=SIDEWAYS[direction[0]],
        va=UPWARDS[direction[1]],
        arrowprops=LINE | end if far else None,
        path_effects=[withStroke(linewidth=2, foreground=ax.get_facecolor())],
        **FORM,
    )
