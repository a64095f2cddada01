"""How messages say what they speak of: values, names, and whose line of code it was."""

import sys

TOO_EXTREME = "values are too large or too small to be standardised; rescale them"


def brief(value):
    """A value as it may stand in one line; a long one is told by its type and shape."""
    text = repr(value)
    if len(text) <= 40 and "\n" not in text:
        return text
    shape = getattr(value, "shape", None)
    return type(value).__name__ + ("" if shape is None else f" of shape {shape}")


def named(features, names):
    """Names of features or, without names, their numbers."""
    return [names[i] for i in features] if names else features.tolist()


def some(names, limit=8):
    """The first few names, in one line."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(map(str, names[:limit])) + more


def caller():
    """Stack level of the first frame outside the package, for warnings."""
    level, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("specsel."):
        level, frame = level + 1, frame.f_back
    return level
