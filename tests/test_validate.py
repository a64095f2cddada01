"""Arguments, budgets and messages: what is accepted, and what is refused in which words."""

import os
import signal
import threading
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from specsel import _containers, _runtime, _validate, kernel, pairwise, qalpha, sbs, weighting


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
        _validate.check_number("gamma", value, 0)


def test_numbers_below_zero():
    _validate.check_number("offset", -1)
    with pytest.raises(ValueError, match=r"^offset = -1: must be a finite number at least 0$"):
        _validate.check_number("offset", -1, 0)


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
def test_other_budgets_are_refused(text, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", text)
    with pytest.raises(ValueError, match=rf"^SPECSEL_MEMORY = '{text}': must be a number of byt"):
        _runtime.budget()


def test_another_budget_is_refused_by_whoever_reads_data(monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", "banana")
    with pytest.raises(ValueError, match=r"^SPECSEL_MEMORY = 'banana': must be a number of bytes"):
        qalpha.solve(np.eye(5), 2)


CALLS = {
    "X: affinities of 2000 x 2000 samples: would take 305 MiB": lambda: weighting.solve(WIDE),
    "X: affinities of 2000 x 2000 samples: would": lambda: weighting.solve(WIDE, LABELS),
    "X: affinities of 2000 x 2000": lambda: qalpha.solve(WIDE, 2, criterion="gap"),
    "X: affinities of 2000 x 2000 ": lambda: pairwise.solve(
        WIDE, 2, apart=[(0, 1)], criterion="gap"
    ),
    "X: the kernel matrix of 3000 features: would take 68.7 MiB": lambda: kernel.solve(WIDE, 2),
    "X: the kernel matrix of 3000 features: ": lambda: kernel.solve(WIDE, 2, kernel="linear"),
    "X: similarities of 3000 x 3000 features: would take 412 MiB": lambda: sbs.solve(WIDE),
}
WIDE = sparse.random_array((2000, 3000), density=0.001, format="csc", random_state=0)
LABELS = np.arange(2000) % 2


@pytest.mark.parametrize("message", CALLS)
@pytest.mark.filterwarnings("ignore:.* (is|are) constant")
def test_too_much_is_refused_before_it_is_allocated(message, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", "50MB")
    with pytest.raises(MemoryError):
        CALLS[message]()  # compiles and imports, which take memory of their own
    tracemalloc.start()
    with pytest.raises(MemoryError) as caught:
        CALLS[message]()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert str(caught.value).startswith(message)
    assert "the budget (SPECSEL_MEMORY) is 47.7 MiB; take" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert most < 10 * 2**20


def test_a_sparse_matrix_where_dense_numbers_are_needed():
    with pytest.raises(ValueError, match=r"toarray\(\) would take 45.8 MiB \(the budget is "):
        _containers.as_matrix(WIDE)


def press():
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_is_collected_and_the_second_raised():
    before = signal.getsignal(signal.SIGINT)
    with _runtime.catch_interrupts() as caught:
        press()
        assert caught == [signal.SIGINT]
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is before


def test_an_inner_collection_is_the_outer_one():
    with _runtime.catch_interrupts() as outer:
        with _runtime.catch_interrupts() as inner:
            press()
        assert outer is inner
        assert outer == [signal.SIGINT]
        with _runtime.catch_interrupts(), pytest.raises(KeyboardInterrupt):
            press()


def test_other_threads_cannot_collect_and_do_not_fail():
    seen = []

    def work():
        with _runtime.catch_interrupts() as caught:
            seen.append(caught)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [[]]
