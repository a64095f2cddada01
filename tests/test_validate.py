"""Arguments, budgets and messages: what is accepted, and what is refused in which words."""

import os
import signal
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from specsel import _runtime, _validate, kernel, qalpha, sbs, weighting


@pytest.mark.parametrize("value", [1, np.int64(1), np.uint8(1)])
def test_whole_numbers_become_ints(value):
    assert type(_validate.check_integer("k", value, 1, 3)) is int


FLAG, NUMBER = "must be True or False", "must be a finite number"
REFUSED = [
    (partial(_validate.check_flag, "x"), [1, 0, "no", None], FLAG),
    (partial(_validate.check_number, "x"), [np.nan, np.inf, "1", None, True, 10**400], NUMBER),
    (lambda x: _validate.check_number("x", x, 0), [np.nan, "1", True, -1], f"{NUMBER} at least 0"),
    (partial(_validate.check_positive, "x"), [np.nan, "1", True, 0], f"{NUMBER} above 0"),
    (
        lambda x: _validate.check_choice("x", x, ("degree", "definition")),
        ["Degree", None, ["degree"]],
        "must be one of degree, definition",
    ),
    (
        lambda x: _validate.check_integer("x", x, 1, 3, "n_features"),
        [True, 1.0, "1"],
        "must be a whole number from 1 to 3, n_features",
    ),
    (
        lambda x: _validate.check_integer("x", x, 1, 3, "n_features"),
        [0, 4],
        "must be from 1 to 3, n_features",
    ),
]


@pytest.mark.parametrize(("check", "values", "message"), REFUSED)
def test_other_values_are_refused(check, values, message):
    for value in values:
        with pytest.raises(ValueError, match=rf"^x = .*: {message}$"):
            check(value)


def test_what_is_allowed_passes():
    for value in (True, False, np.True_):
        _validate.check_flag("center", value)
    _validate.check_number("offset", -1)
    _validate.check_choice("shift", "degree", ("degree", "definition"))
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


def test_a_long_value_is_not_printed(clustered):
    with pytest.raises(ValueError) as caught:
        qalpha.solve(clustered, pd.Series(np.arange(40)))
    assert str(caught.value).startswith("k = Series of shape (40,): must be a whole number from 1")


@pytest.mark.parametrize(
    "name", ["tol", "method", "random_state", "callback", "init", "k", "center"]
)
def test_errors_are_of_one_line_whatever_was_given(name, clustered):
    value = [[0.5] * 30] * 40 if name == "k" else clustered if name != "init" else [[0.5]] * 40
    with pytest.raises(ValueError, match=rf"^{name}\b.*$") as caught:
        qalpha.solve(clustered, **({"k": 2} | {name: value}))
    assert len(str(caught.value).splitlines()) == 1


def test_warnings_blame_the_line_of_the_caller(clustered):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        qalpha.solve(clustered, 2, max_iter=1)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1000", 1000),
        ("8GiB", 8 * 2**30),
        ("1.5 kB", 1500),
        ("2M", 2 * 10**6),
        ("1tib", 2**40),
        ("9" * 400, 2**62),
    ],
)
def test_the_budget_is_that_of_the_environment(text, size, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", text)
    assert _runtime.budget() == size


@pytest.mark.parametrize("text", ["much", "-3", "0", "3 GiBs", "1e9"])
def test_other_budgets_are_refused_even_where_none_is_needed(text, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", text)
    for ask in (_runtime.budget, lambda: qalpha.solve(np.eye(5), 2)):
        message = rf"^SPECSEL_MEMORY = '{text}': must be a number of bytes"
        with pytest.raises(ValueError, match=message):
            ask()


WIDE = sparse.random_array((2000, 3000), density=0.001, format="csc", random_state=0)
TOO_MUCH = {
    "X: affinities of 2000 x 2000 samples: would take 305 MiB": weighting.solve,
    "X: the kernel matrix of 3000 features: would take 68.7 MiB": lambda X: kernel.solve(X, 2),
    "X: similarities of 3000 x 3000 features: would take 481 MiB": sbs.solve,
}


@pytest.mark.parametrize("message", TOO_MUCH)
@pytest.mark.filterwarnings("ignore:.* (is|are) constant")
def test_what_would_take_too_much_is_named_in_one_line(message, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", "50MB")
    budget = r"the budget \(SPECSEL_MEMORY\) is 47.7 MiB; take .*$"
    with pytest.raises(MemoryError, match=f"^{message}, and {budget}"):
        TOO_MUCH[message](WIDE)


def press():
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_interrupt_is_collected_by_nested_calls_and_the_second_raised():
    before = signal.getsignal(signal.SIGINT)
    with _runtime.catch_interrupts() as outer:
        with _runtime.catch_interrupts() as inner:
            press()
        assert outer is inner
        assert outer == [signal.SIGINT]
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_collect_no_interrupts_and_do_not_fail():
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(lambda: _runtime.catch_interrupts().__enter__()).result() == []
