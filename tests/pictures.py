"""Small results to draw; where names lie in a picture, how high its bars are, its colours."""

import itertools

import numpy as np
from instances import weights_of
from matplotlib.colors import to_rgb
from matplotlib.patches import StepPatch
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Bbox

from specsel.results import Map


def map_of(relevances, positions):
    """A map with these relevances and positions."""
    weights = tuple(weights_of(alpha) for alpha in np.transpose(relevances))
    angles = np.array(positions, dtype=float)
    return Map(weights, np.stack((np.cos(angles), np.sin(angles)), axis=-1), 3)


def boxes(texts):
    """The boxes of names that are all turned alike, as seen along them."""
    found = []
    for figure in {text.figure for text in texts}:
        figure.draw_without_rendering()
    for text in texts:
        turned = text.get_rotation()
        text.set_rotation(0)
        box = Text.get_window_extent(text)  # without the line that leads to it
        text.set_rotation(turned)
        x, y = text.get_transform().transform(text.get_position())
        if turned:
            (x, y), anchor = Affine2D().rotate_deg(-turned).transform((x, y)), (x, y)
            box = box.translated(x - anchor[0], y - anchor[1])
        found.append(box)
    return found


def overlapping(texts):
    """Pairs of names of which one covers a part of the other."""
    pairs = itertools.combinations(zip(texts, boxes(texts), strict=True), 2)
    return [
        (one.get_text(), other.get_text())
        for (one, box), (other, second) in pairs
        if Bbox.intersection(box, second) is not None
    ]


def outside(texts, figure):
    """Names that the edge of the figure cuts off."""
    edge = figure.bbox.padded(1)
    return [
        text.get_text()
        for text in texts
        for box in [text.get_window_extent()]
        if not (edge.contains(box.x0, box.y0) and edge.contains(box.x1, box.y1))
    ]


def beyond(texts, ax):
    """Names that leave their axes."""
    ax.figure.figure.draw_without_rendering()
    window = ax.get_window_extent().padded(0.5)
    return [
        text.get_text()
        for text in texts
        for box in [Text.get_window_extent(text)]
        if not (window.contains(box.x0, box.y0) and window.contains(box.x1, box.y1))
    ]


def bars(ax):
    """Ranks and heights of all bars, drawn one by one or as steps."""
    if isinstance(ax.patches[0], StepPatch):
        values, edges, _ = ax.patches[0].get_data()
        return (edges[1:] + edges[:-1]) / 2, values
    bars = ax.patches
    return np.array([(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in bars]).T


def linear(color):
    """How much red, green and blue light there is."""
    color = np.array(to_rgb(color))
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """The contrast of two colours as WCAG has it, from 1 to 21."""
    low, high = sorted(linear(color) @ [0.2126, 0.7152, 0.0722] for color in (one, other))
    return (high + 0.05) / (low + 0.05)
