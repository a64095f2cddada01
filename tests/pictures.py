"""How names lie in a picture."""

import itertools

from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Bbox


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
