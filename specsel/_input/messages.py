"""The wording of messages: how to show values and names, and whose line of code to blame."""

import re
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from specsel._input.annotations import Integers, Names

TOO_EXTREME = "values are too large or too small to be standardised; rescale them"

# Characters that steer a terminal, turn the direction of writing, end a line, or are no text:
# a name with these would show as what it is not, and no XML may hold most of them.
CONTROL = (
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)

# Of so many names the one that is spelled like another is looked for.
MOST_NAMES = 20_000

# The longest value that a message shows as it is.
LONGEST = 40


def printable(text: object) -> str:
    """Return a text with escapes for control characters; names in files may hold any.

    Examples
    --------
    >>> print(printable("gene\\x1b[31m 1"))
    gene\\x1b[31m 1
    """
    return re.sub(CONTROL, lambda found: found[0].encode("unicode_escape").decode(), str(text))


def brief(value: object) -> str:
    """Show a value in one line: as it is if that is short, else by its type and shape.

    Examples
    --------
    >>> brief([1, 2]), brief(range(10**6)), brief(list(range(99)))
    ('[1, 2]', 'range(0, 1000000)', 'list')
    """
    if isinstance(value, int) and abs(value) > 10**LONGEST:
        return f"a whole number of {value.bit_length()} bits"
    text = repr(value)
    if len(text) <= LONGEST and "\n" not in text:
        return text
    shape = getattr(value, "shape", None)
    return type(value).__name__ + ("" if shape is None else f" of shape {shape}")


def name_features(features: Integers, names: Names) -> list[Any]:
    """Names of the features with these numbers or, if the data have no names, the numbers."""
    return [names[i] for i in features] if names else features.tolist()


def first_few(names: Sequence[Any], limit: int = 8) -> str:
    """List the first few names in one line, and say how many more there are.

    Examples
    --------
    >>> first_few(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(map(printable, names[:limit])) + more


def count_of(count: int, what: str) -> str:
    """Write how many there are of something.

    Examples
    --------
    >>> count_of(1, "direction"), count_of(3, "direction")
    ('1 direction', '3 directions')
    """
    return f"{count} {what}{'s' * (count != 1)}"


def suggest(name: str, known: Iterable[str]) -> str:
    """Ask whether a known name is meant that is spelled nearly alike; else say nothing.

    Examples
    --------
    >>> suggest("tagret", ["target", "drop"])
    "; did you mean 'target'?"
    """
    from difflib import get_close_matches  # here, for it would make the package slow to import

    known = {one.lower(): one for one in islice(known, MOST_NAMES)}
    close = get_close_matches(name.lower(), known, n=1, cutoff=0.7)
    return f"; did you mean {printable(known[close[0]])!r}?" if close else ""


def caller() -> int:
    """Stack level of the first frame outside the package, so that a warning names its line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("specsel."):
        level, frame = level + 1, frame.f_back
    return level
