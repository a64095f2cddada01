"""Names in pictures, so that no two overlap."""

from itertools import product

import numpy as np

# The most letters of a name, the size of a letter and about how wide it is, in points.
LENGTH = 18
SIZE = 8.0
WIDTH = 0.65 * SIZE

# Distance of neighbouring slanted names, and of a name from its bar, in points.
SPACING = 14.0
LIFT = 3.0

# What leads from a name to what it belongs to.
LINE = {"arrowstyle": "-", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0}

# Where a name may be about its point, nearest first: distances in points, and directions, in which
# it is aligned.
DISTANCES = (5.0, 14.0, 26.0)
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
SIDEWAYS = {1: "left", 0: "center", -1: "right"}
UPWARDS = {1: "bottom", 0: "center", -1: "top"}

# The radius of a point.
DOT = 2.5


def shorten(name):
    """The name, without its middle where it is too long."""
    name, half = str(name), LENGTH // 2
    return name if len(name) <= LENGTH else f"{name[:half]}…{name[1 - half :]}"


def over_bars(ax, places, heights, names):
    """Write names over bars that never rise from left to right.

    They are slanted where they are wider than their bars. Where bars are close together they are
    moved to the right, above lower ones, and a thin line leads to their own.
    """
    ax.figure.draw_without_rendering()
    scale = 72 / ax.figure.dpi
    points = ax.transData.transform(np.column_stack([places, heights]))[:, 0] * scale
    names = [shorten(name) for name in names]
    narrow = np.diff(points).min(initial=np.inf) < WIDTH * max(map(len, names), default=0)
    form = {"rotation": 45, "rotation_mode": "anchor"} if narrow else {"ha": "center"}
    before = -np.inf
    for place, height, point, name in zip(places, heights, points, names, strict=True):
        before = max(point, before + SPACING)
        ax.annotate(
            name,
            (place, height),
            xytext=(before - point, LIFT),
            textcoords="offset points",
            arrowprops=LINE | {"relpos": (0, 0)} if before > point else None,
            fontsize=SIZE,
            **form,
        )


def at_points(ax, points, names):
    """Write names at points, the first before the others; those that find no room are left out."""
    from matplotlib.transforms import Bbox

    ax.figure.draw_without_rendering()
    room, scale = ax.get_window_extent(), ax.figure.dpi / 72
    dots = ax.transData.transform(points)
    taken = [Bbox([dot - DOT * scale, dot + DOT * scale]) for dot in dots]
    for point, dot, name in zip(points, dots, map(shorten, names), strict=True):
        half = _size(ax, name) / 2
        for distance, direction in product(DISTANCES, DIRECTIONS):
            offset = distance * np.array(direction)
            middle = dot + scale * offset + half * direction
            box = Bbox([middle - half, middle + half])
            if _contains(room, box) and not box.count_overlaps(taken):
                taken.append(box)
                _write(ax, name, point, offset, direction)
                break


def _size(ax, name):
    """Width and height of a name on the screen."""
    text = ax.text(0, 0, name, fontsize=SIZE)
    size = text.get_window_extent().size
    text.remove()
    return size


def _contains(room, box):
    return (room.min <= box.min).all() and (box.max <= room.max).all()


def _write(ax, name, point, offset, direction):
    """Write a name off a point, with a line to it unless it is near."""
    ax.annotate(
        name,
        point,
        xytext=offset,
        textcoords="offset points",
        ha=SIDEWAYS[direction[0]],
        va=UPWARDS[direction[1]],
        arrowprops=LINE if np.abs(offset).max() > DISTANCES[0] else None,
        fontsize=SIZE,
    )
