"""Single arguments: what is let through, and what is refused in which words."""

import numpy as np
import pytest

from specsel import _validate


@pytest.mark.parametrize("value", [True, False, np.True_])
def test_flags_are_true_or_false(value):
    _validate.check_flag("center", value)
    for wrong in (1, 0, "no", None):
        with pytest.raises(ValueError, match=r"^center = .*: must be True or False$"):
            _validate.check_flag("center", wrong)


@pytest.mark.parametrize("value", [1, np.int64(1), np.uint8(1)])
def test_whole_numbers_become_ints(value):
    assert type(_validate.check_integer("k", value, 1, 3)) is int


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "k = 0: must be from 1 to 3, n_features"),
        (True, "k = True: must be a whole number from 1 to 3, n_features"),
        (1.0, "k = 1.0: must be a whole number from 1 to 3, n_features"),
    ],
)
def test_other_numbers_are_refused(value, message):
    with pytest.raises(ValueError) as caught:
        _validate.check_integer("k", value, 1, 3, "n_features")
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [np.nan, np.inf, "1", None, True, 10**400])
def test_what_is_no_finite_number(value):
    assert not _validate.is_finite(value)
    with pytest.raises(ValueError, match=r"^gamma = .*: must be a finite number$"):
        _validate.check_number("gamma", value)
    with pytest.raises(ValueError, match=r"^gamma = .*: must be a finite number at least 0$"):
        _validate.check_not_negative("gamma", value)


def test_numbers_below_zero():
    _validate.check_number("offset", -1)
    with pytest.raises(ValueError, match=r"^offset = -1: must be a finite number at least 0$"):
        _validate.check_not_negative("offset", -1)


def test_names_that_are_allowed():
    _validate.check_choice("shift", "degree", ("degree", "definition"))
    for wrong in ("Degree", None, ["degree"]):
        with pytest.raises(ValueError, match=r"must be one of degree, definition$"):
            _validate.check_choice("shift", wrong, ("degree", "definition"))


def test_callbacks_are_functions_or_none():
    _validate.check_callback(None)
    _validate.check_callback(print)
    with pytest.raises(ValueError, match=r"^callback = 3: must be a function or None$"):
        _validate.check_callback(3)


def test_a_generator_is_used_as_it_is(rng):
    assert _validate.as_generator(rng) is rng
    assert _validate.as_generator(1).random() == np.random.default_rng(1).random()
    with pytest.raises(ValueError, match=r"^random_state = -1: must be None, a whole number"):
        _validate.as_generator(-1)


def test_sets_of_features_by_number_and_by_name():
    always, never = _validate.check_sets(["c", 0, 0], [1], 4, ("a", "b", "c", "d"))
    assert (always.tolist(), never.tolist()) == ([0, 2], [1])


@pytest.mark.parametrize(
    ("always", "never", "message"),
    [
        ([1], [1], "never: holds feature 'b', as always does"),
        ([], [0, 1, 2], "never: holds all 3 features; at least one must be left"),
        ([3], [], "always: holds 3; must be from 0 to 2"),
        (["z"], [], "always: no feature is named 'z'"),
        (["a"], [0.5], "never = [0.5]: must be a list of numbers or names of features"),
    ],
)
def test_sets_that_cannot_be(always, never, message):
    with pytest.raises(ValueError) as caught:
        _validate.check_sets(always, never, 3, ("a", "b", "c"))
    assert str(caught.value) == message
