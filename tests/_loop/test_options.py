"""The options of the loop: checked when they are built, and never changed."""

import re
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from specsel import _loop

REST = {"n_init": 15, "tol": 1e-6, "max_iter": 200, "random_state": None, "callback": None}


def for_basis(k=2, init="equal", **changes):
    return _loop.Options.for_basis((6, 9), k, init, *(REST | changes).values())


def for_weights(k=2, init="equal", **changes):
    return _loop.Options.for_weights(9, k, init, *(REST | changes).values())


@pytest.mark.parametrize("build", [for_basis, for_weights])
def test_options_hold_the_arguments_and_cannot_be_changed(build):
    options = build(3, "seeded", n_init=4, tol=0, max_iter=7, random_state=1)
    assert (options.k, options.init, options.n_init) == (3, "seeded", 4)
    assert (options.tol, options.max_iter, options.random_state) == (0, 7, 1)
    with pytest.raises(FrozenInstanceError):
        options.k = 4


BAD = {
    "n_init = 0: must be at least 1": {"n_init": 0},
    "max_iter = 1.5: must be a whole number at least 1": {"max_iter": 1.5},
    "tol = 1: must be a number from 0 to 1, 1 excluded": {"tol": 1},
    "tol = nan: must be a number from 0 to 1, 1 excluded": {"tol": float("nan")},
    "callback = 3: must be a function or None": {"callback": 3},
    "random_state = 'x': must be None": {"random_state": "x"},
    "init = 'best': must be one of continuation, equal, seeded, random, or ": {"init": "best"},
    "init: has dtype": {"init": np.full((6, 2), "a")},
    "k = 'auto': needs a start by name; init = ": {"k": "auto", "init": np.eye(6)[:, :2]},
}


@pytest.mark.parametrize("build", [for_basis, for_weights])
@pytest.mark.parametrize("message", BAD)
def test_bad_arguments_are_refused_in_one_line(build, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)) as caught:
        build(**BAD[message])
    assert "\n" not in str(caught.value)


def test_a_basis_must_fit_and_be_orthonormal():
    assert for_basis(2, np.eye(6)[:, :2]).k == 2
    with pytest.raises(ValueError, match=r"^init: has shape \(9,\); a basis of shape \(6, 2\)"):
        for_basis(2, np.ones(9))
    with pytest.raises(ValueError, match=r"columns must be orthonormal; they are off by 1$"):
        for_basis(2, np.eye(6)[:, [0, 0]])
    with pytest.raises(ValueError, match=r"^k = 7: must be from 1 to 6, min\(n_samples"):
        for_basis(7)


@pytest.mark.parametrize("init", [np.zeros(9), -np.ones(9), np.full(9, np.inf)])
def test_weights_must_be_finite_not_negative_and_not_all_0(init):
    assert for_weights(2, np.eye(9)[0]).k == 2
    with pytest.raises(ValueError, match=r"^init: weights must be finite and not negative"):
        for_weights(2, init)


def test_auto_is_counted_once_and_a_number_never():
    assert for_basis("auto").counted(lambda: 5).k == 5
    assert for_basis(2).counted(lambda: 1 / 0).k == 2


def test_a_given_start_is_restricted_and_a_name_stays():
    halved = for_basis(1, np.eye(6)[:, :1]).restricted(lambda basis: basis[:3])
    np.testing.assert_array_equal(halved.init, np.eye(6)[:3, :1])
    assert for_basis(1, "equal").restricted(lambda basis: 1 / 0).init == "equal"
