"""Names in pictures, so that no two overlap."""

from itertools import product
from operator import itemgetter

import numpy as np

# The most letters of a name, and how it is written: as it stands, even with a $ or a _.
LENGTH = 18
FORM = {"fontsize": 8.0, "parse_math": False, "usetex": False}

# Of what is slanted the share that counts across and upwards; the distance of neighbouring slanted
# names, and of a name from its bar, in points.
SLANT = 0.5**0.5
SPACING = 14.0
LIFT = 3.0

# The largest share of the height, or width, of axes that is kept free for names over bars.
ROOM = 0.6

# What leads from a name to what it belongs to.
LINE = {"arrowstyle": "-", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0}

# Where a name may be about its point or ellipse, nearest first: distances in points, and
# directions, in which it is aligned.
DISTANCES = (5.0, 14.0, 26.0)
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
SIDEWAYS = {1: "left", 0: "center", -1: "right"}
UPWARDS = {1: "bottom", 0: "center", -1: "top"}

# The radius of a point, and the least of an ellipse.
DOT, THIN = 2.5, 1e-6


def shorten(name):
    """The name in one line, without its middle where it is too long."""
    name, half = " ".join(str(name).split()), LENGTH // 2
    return name if len(name) <= LENGTH else f"{name[:half]}…{name[1 - half :]}"


def over_bars(ax, places, heights, names):
    """Write names over bars that never rise from left to right, and make room for them.

    They are slanted where they are wider than their bars. Where bars are close together they are
    moved to the right, above lower ones, and a thin line leads to their own. The last are left out
    where the axes are too narrow.
    """
    names = [shorten(name) for name in names]
    if not names:
        return
    scale = _lay_out(ax)
    room = ax.get_window_extent()
    widths = np.array([_size(ax, name)[0] for name in names]) / scale
    tall = _size(ax, "x")[1] / scale
    if np.diff(_across(ax, places)).min(initial=np.inf) / scale < widths.max() + LIFT:
        form, spacing = {"rotation": 45, "rotation_mode": "anchor"}, SPACING
        reach = SLANT * (widths + tall)
        rise, before = reach.max(), room.x0 / scale + SLANT * tall - SPACING
    else:
        form, spacing = {"ha": "center"}, 0.0
        reach, rise, before = widths / 2, tall, -np.inf
    _make_room(ax, places[-1], np.array([reach.max(), rise + 2 * LIFT]) * scale / room.size)
    points = _across(ax, places) / scale
    for i, point in enumerate(points):
        before = max(point, before + spacing)
        if before + reach[i] > room.x1 / scale:
            return
        line = LINE | {"patchA": None, "relpos": (tall / (widths[i] + tall), 0)}
        moved = before - point
        ax.annotate(
            names[i],
            (places[i], heights[i]),
            xytext=(moved, LIFT),
            textcoords="offset points",
            arrowprops=line if moved > SPACING / 2 else None,
            **FORM,
            **form,
        )


def _across(ax, places):
    """How far to the right places are on the screen."""
    return ax.transData.transform(np.column_stack([places, np.ones(len(places))]))[:, 0]


def _make_room(ax, last, shares):
    """Move the limits until shares of the axes are free, right of the last place and above."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    ax.set_xlim(right=max(right, _stretched(ax.xaxis, left, last, shares[0])))
    ax.set_ylim(top=_stretched(ax.yaxis, low, high, shares[1]))


def _stretched(axis, low, high, share):
    """The limit that leaves a share of the axis free above what was high, on any scale."""
    scale = axis.get_transform()
    low, high = scale.transform(np.array([low, high], dtype=float))
    limit = low + (high - low) / (1 - min(share, ROOM))
    return scale.inverted().transform(np.array([limit]))[0]


def at_points(ax, points, names, axes):
    """Write names at the first points, as many as there are; what finds no room is left out.

    They are beside the ellipses around their points that have these half axes, off all points that
    are named and, where there is room, beside all other ellipses too. A line leads to a name that
    is far from its point, or nearer to another.
    """
    from matplotlib.path import Path
    from matplotlib.transforms import Bbox

    scale, room = _lay_out(ax), ax.get_window_extent()
    dots = ax.transData.transform(points)
    radii = np.maximum(np.abs(ax.transData.transform(points + axes) - dots), THIN)
    written = []
    for i, name in enumerate(map(shorten, names)):
        half, found = _size(ax, name) / 2, []
        for distance, direction in product(DISTANCES, DIRECTIONS):
            offset = (distance + _reach(radii[i], direction) / scale) * np.array(direction)
            end = dots[i] + scale * offset
            middle = end + half * direction
            box, line = Bbox([middle - half, middle + half]), Path([dots[i], end])
            apart = np.abs(np.clip(dots, box.min, box.max) - dots)
            covers = (apart[: len(names)] < DOT * scale).all(axis=1).any()
            if not covers and _is_free(box, line, room, written):
                touched = (
                    np.linalg.norm(apart / np.maximum(radii, DOT * scale), axis=1) < 1
                ).sum()
                gaps = np.linalg.norm(apart, axis=1)
                far = distance > DISTANCES[0] or gaps[i] > gaps.min() + scale
                found.append((touched, (offset, direction, far), (box, line)))
        if found:
            _, place, taken = min(found, key=itemgetter(0))
            written.append(taken)
            _write(ax, name, points[i], *place)


def _reach(radius, direction):
    """How many times the direction leads from the centre of an ellipse to its edge."""
    return 1 / np.linalg.norm(direction / radius)


def _lay_out(ax):
    """Give the axes their place in the figure; returns the size of a point on the screen."""
    figure = ax.figure.figure  # not a part of one
    figure.draw_without_rendering()
    return figure.dpi / 72


def _is_free(box, line, room, written):
    """Whether a name and its line would be in the room, and neither meet those of other names."""
    inside = (room.min <= box.min).all() and (box.max <= room.max).all()
    return inside and not any(
        box.overlaps(other) or line.intersects_bbox(other) or its_line.intersects_bbox(box)
        for other, its_line in written
    )


def _size(ax, name):
    """Width and height of a name on the screen."""
    text = ax.text(0, 0, name, **FORM)
    size = text.get_window_extent().size
    text.remove()
    return size


def _write(ax, name, point, offset, direction, far):
    """Write a name off a point, legible over all else, with a line to it if it is far."""
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
