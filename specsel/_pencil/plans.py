"""What a greedy selection is to search: its options, checked."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from specsel import _runtime, _validate
from specsel._validate import Direction, Integers, Names

# Backward elimination forms matrices of features x features; this many features are the most, and
# this many matrices are held at once.
BACKWARD_LIMIT = 10_000
BACKWARD_MATRICES = 2


class Plan(NamedTuple):
    """What is searched, once the arguments have been checked."""

    sizes: range
    direction: Direction
    refine: bool
    held: Integers
    banned: Integers


def plan(
    n_features: int,
    names: Names,
    direction: Direction,
    refine: bool,
    max_size: int | None,
    last: int,
    always: Iterable[int | str],
    never: Iterable[int | str],
    needs: Sequence[_runtime.Need] = (),
) -> Plan:
    """Check the options, and that there is room; `last` is the largest size by default.

    `needs` is what takes memory beside the search.
    """
    _validate.check_choice("direction", direction, _validate.DIRECTIONS)
    _validate.check_flag("refine", refine)
    held, banned = _validate.check_sets(always, never, n_features, names)
    count = n_features - len(banned)
    first = max(len(held), 1)
    if max_size is not None:
        max_size = _validate.check_integer(
            "max_size", max_size, first, count, "the features allowed"
        )
    last = max(first, min(last if max_size is None else max_size, count))
    if direction != "forward" and count > BACKWARD_LIMIT:
        raise ValueError(
            f"direction = {direction!r}: would form a matrix of {count} x {count} numbers; "
            f"take 'forward' for more than {BACKWARD_LIMIT} features"
        )
    tables = 1 + refine
    search = _runtime.Need(
        8 * tables * last * n_features,
        f"max_size = {max_size}: {tables} table{'s' * refine} of {last} x {n_features} features",
        "give max_size" if max_size is None else "take a smaller one",
    )
    backward = _runtime.Need(
        8 * BACKWARD_MATRICES * count**2,
        f"direction = {direction!r}: matrices of {count} x {count} features",
        "take 'forward'",
    )
    _runtime.check_together([*needs, search, *([backward] * (direction != "forward"))])
    return Plan(range(first, last + 1), direction, refine, held, banned)
