"""What a greedy selection is to search: its options, checked."""

from collections.abc import Iterable
from typing import NamedTuple

from specsel import _input
from specsel._input.annotations import Integers, Names
from specsel._input.choices import Direction

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
) -> Plan:
    """Check the options, and that there is room; `last` is the largest size by default."""
    _input.check_choice("direction", direction, _input.choices.DIRECTIONS)
    _input.check_flag("refine", refine)
    held, banned = _input.check_sets(always, never, n_features, names)
    count = n_features - len(banned)
    first = max(len(held), 1)
    if max_size is not None:
        _input.check_integer("max_size", max_size, first, count, "the features allowed")
    last = max(first, min(last if max_size is None else max_size, count))
    if direction != "forward" and count > BACKWARD_LIMIT:
        raise ValueError(
            f"direction = {direction!r}: would form a matrix of {count} x {count} numbers; "
            f"take 'forward' for more than {BACKWARD_LIMIT} features"
        )
    if direction != "forward":
        _input.check_budget(
            f"direction = {direction!r}: matrices of {count} x {count} features",
            8 * BACKWARD_MATRICES * count**2,
            "take 'forward'",
        )
    tables = 1 + refine
    _input.check_budget(
        f"max_size = {last}: {tables} table{'s' * refine} of {last} x {n_features} features",
        8 * tables * last * n_features,
        "take a smaller one",
    )
    return Plan(range(first, last + 1), direction, refine, held, banned)
