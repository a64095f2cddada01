"""The options of a greedy selection: what they come to, and what is refused."""

import re

import numpy as np
import pytest

from specsel import _pencil, _runtime
from specsel._pencil import plans

NAMES = ("a", "b", "c", "d", "e", "f")


def plan(**changes):
    options = {
        "n_features": 6,
        "names": NAMES,
        "direction": "forward",
        "refine": False,
        "max_size": None,
        "last": 4,
        "always": (),
        "never": (),
    }
    return _pencil.plan(**(options | changes))


@pytest.mark.parametrize(
    ("options", "first", "last"),
    [
        ({}, 1, 4),
        ({"last": 9}, 1, 6),
        ({"max_size": 6, "last": 2}, 1, 6),
        ({"max_size": 2}, 1, 2),
        ({"always": [1, 4]}, 2, 4),
        ({"always": ["a", "b", "f"], "last": 1}, 3, 3),
        ({"never": [0, 1, 2]}, 1, 3),
        ({"never": [0, 1, 2], "always": [3, 4, 5]}, 3, 3),
    ],
)
def test_sizes(options, first, last):
    """From all that are held, and one at least, to no more than are allowed."""
    assert plan(**options).sizes == range(first, last + 1)


@pytest.mark.parametrize("direction", ["forward", "backward", "both"])
def test_what_is_given_is_kept(direction):
    found = plan(direction=direction, refine=True, always=["d", "b", "d"], never=[5, 0])
    assert (found.direction, found.refine) == (direction, True)
    np.testing.assert_array_equal(found.held, [1, 3])
    np.testing.assert_array_equal(found.banned, [0, 5])


BAD = {
    "direction = 'up': must be one of both, forward, backward": {"direction": "up"},
    "refine = 1: must be True or False": {"refine": 1},
    "max_size = 0: must be from 1 to 6, the features allowed": {"max_size": 0},
    "max_size = 5: must be from 1 to 4, the features allowed": {"max_size": 5, "never": [0, 1]},
    "max_size = 2: must be from 3 to 6, the features allowed": {
        "max_size": 2,
        "always": [0, 1, 2],
    },
    "never: holds feature 'b', as always does": {"always": [1], "never": ["b"]},
    "never: holds all 6 features; at least one must be left": {"never": range(6)},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_refused_in_one_line(message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        plan(**BAD[message])


@pytest.mark.parametrize("direction", ["backward", "both"])
def test_backward_elimination_has_a_limit(direction, monkeypatch):
    monkeypatch.setattr(plans, "BACKWARD_LIMIT", 5)
    message = (
        f"direction = '{direction}': would form a matrix of 6 x 6 numbers; "
        "take 'forward' for more than 5 features"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        plan(direction=direction)
    assert plan(direction=direction, never=[0]).direction == direction  # five are left
    assert plan().direction == "forward"


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({}, 8 * 4 * 6),
        ({"refine": True}, 2 * 8 * 4 * 6),
        ({"max_size": 2}, 8 * 2 * 6),
        ({"direction": "both", "never": [0]}, 8 * 4 * 6 + 2 * 8 * 5 * 5),
        ({"needs": [_runtime.Need(1000, "A", "B")]}, 8 * 4 * 6 + 1000),
    ],
)
def test_memory_is_that_of_tables_matrices_and_what_is_beside(options, size, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", str(size))
    plan(**options)
    monkeypatch.setenv("SPECSEL_MEMORY", str(size - 1))
    with pytest.raises(MemoryError):
        plan(**options)


NEEDS = {
    "max_size = None: 1 table of 4 x 6 features: would take 192 B": ({}, "give max_size"),
    "max_size = 3: 2 tables of 3 x 6 features: would take 288 B": (
        {"max_size": 3, "refine": True},
        "take a smaller one",
    ),
    "direction = 'backward': matrices of 6 x 6 features and what is held beside": (
        {"direction": "backward"},
        "take 'forward'",
    ),
}


@pytest.mark.parametrize("what", NEEDS)
def test_the_largest_need_is_named_with_what_to_do(what, monkeypatch):
    options, advice = NEEDS[what]
    monkeypatch.setenv("SPECSEL_MEMORY", "100")
    with pytest.raises(MemoryError, match=f"^{re.escape(what)}.*; {advice}$"):
        plan(**options)
