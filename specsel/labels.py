"""Names in pictures, so that no two overlap."""

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

# Where a name may be about its point, in order of preference: directions, and distances in points.
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
DISTANCES = (6.0, 14.0, 26.0)
ALIGNED = {1: "left", 0: "center", -1: "right"}, {1: "bottom", 0: "center", -1: "top"}


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
            arrowprops=LINE if before > point else None,
            fontsize=SIZE,
            **form,
        )


def at_points(ax, points, names):
    """Write names at points, the first before the others; those that find no room are left out."""
    ax.figure.draw_without_rendering()
    room = ax.get_window_extent()
    taken = [_around(ax, point) for point in points]
    for point, name in zip(points, names, strict=True):
        for offset, alignment in _offsets():
            text = ax.annotate(
                shorten(name),
                point,
                xytext=offset,
                textcoords="offset points",
                arrowprops=LINE if max(map(abs, offset)) > DISTANCES[0] else None,
                fontsize=SIZE,
                **alignment,
            )
            box = text.get_window_extent()
            if _is_inside(box, room) and not box.count_overlaps(taken):
                taken.append(box)
                break
            text.remove()


def _offsets():
    """Where a name may be, and how it is aligned there."""
    for distance in DISTANCES:
        for x, y in DIRECTIONS:
            alignment = {"ha": ALIGNED[0][x], "va": ALIGNED[1][y]}
            yield (distance * x, distance * y), alignment


def _around(ax, point, radius=3.0):
    """The box of a point on the screen."""
    from matplotlib.transforms import Bbox

    x, y = ax.transData.transform(point)
    return Bbox.from_extents(x - radius, y - radius, x + radius, y + radius)


def _is_inside(box, room):
    return room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0 and box.y1 <= room.y1
