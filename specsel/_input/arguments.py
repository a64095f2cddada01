"""Checks of single arguments: a `ValueError` of one line names the argument, before any work."""

import numbers
import operator
import os
from collections.abc import Iterable
from math import inf
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from specsel._input.annotations import Integers, Names, Seed
from specsel._input.messages import brief

# The largest whole number that compiled code takes, and the largest modulus of any other number.
LARGEST_INTEGER = 2**63 - 1
LARGEST_NUMBER = 1e100


def check_integer(
    name: str, value: object, low: int, high: int | None = None, what: str = ""
) -> int:
    """Return the value as an int, or refuse what is not a whole number from low to high.

    `what` says in the message where the upper limit comes from.

    Examples
    --------
    >>> check_integer("k", 3, 1, 5)
    3
    >>> check_integer("k", 9, 1, 5, "n_features")
    Traceback (most recent call last):
    ValueError: k = 9: must be from 1 to 5, n_features
    """
    allowed = f"at least {low}" if high is None else f"from {low} to {high}"
    if high is not None and what:
        allowed += f", {what}"
    try:
        if isinstance(value, bool | np.ndarray):
            raise TypeError
        value = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{name} = {brief(value)}: must be a whole number {allowed}") from None
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name} = {brief(value)}: must be {allowed}")
    if value > LARGEST_INTEGER:
        raise ValueError(f"{name} = {brief(value)}: must be at most {LARGEST_INTEGER}")
    return value


def is_list(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether values are given one by one; a text or an array without dimensions is no list."""
    return (
        isinstance(value, Iterable)
        and not isinstance(value, str)
        and getattr(value, "ndim", 1) > 0
    )


def is_finite(value: object) -> TypeGuard[float]:
    """Whether a value is a finite real number; a flag is not a number."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False


def check_number(name: str, value: object) -> None:
    """Refuse anything but a finite number."""
    if not is_finite(value):
        raise ValueError(f"{name} = {brief(value)}: must be a finite number")
    _check_size(name, value)


def check_not_negative(name: str, value: object) -> None:
    """Refuse anything but a finite number of at least 0."""
    if not (is_finite(value) and value >= 0):
        raise ValueError(f"{name} = {brief(value)}: must be a finite number at least 0")
    _check_size(name, value)


def check_positive(name: str, value: Any, largest: float = LARGEST_NUMBER) -> None:
    """Refuse anything but a finite number above 0, from 1/`largest` to `largest`."""
    if not (is_finite(value) and value > 0):
        raise ValueError(f"{name} = {brief(value)}: must be a finite number above 0")
    if not 1 / largest <= float(value) <= largest:
        raise ValueError(f"{name} = {brief(value)}: must be from {1 / largest:g} to {largest:g}")


def check_memory(what: str, size: float) -> None:
    """Raise a `MemoryError` of one line if `what` needs more bytes than there may be.

    Compiled code cannot say how much it failed to get.
    """
    there = _memory()
    if size > there:
        raise MemoryError(f"{what}: needs {size / 1e9:.3g} GB; there are {there / 1e9:.3g} GB")


def _memory() -> float:
    """Return the memory of the machine, or what a limit of this process (``ulimit -v``) leaves."""
    try:
        page = os.sysconf("SC_PAGE_SIZE")
        there: float = os.sysconf("SC_PHYS_PAGES") * page
    except (AttributeError, OSError, ValueError):  # not every system tells
        return inf
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        used = int(Path("/proc/self/statm").read_text().split()[0]) * page
    except (ImportError, OSError):
        return there
    return there if limit == resource.RLIM_INFINITY else min(there, max(limit - used, 0))


def _check_size(name: str, value: Any) -> None:
    """Refuse numbers whose squares, times what else may come, are no numbers."""
    if abs(float(value)) > LARGEST_NUMBER:  # float: 1e100 is infinite in float32
        raise ValueError(f"{name} = {brief(value)}: must be at most {LARGEST_NUMBER:g} in modulus")


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse what is not one of the names allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} = {brief(value)}: must be one of {', '.join(allowed)}")


def check_flag(name: str, value: object) -> None:
    """Refuse anything but True and False; the word "no" would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} = {brief(value)}: must be True or False")


def check_callback(callback: object) -> None:
    """Refuse anything but a function or None."""
    if callback is not None and not callable(callback):
        raise ValueError(f"callback = {brief(callback)}: must be a function or None")


def as_generator(random_state: Seed) -> np.random.Generator:
    """Make the source of random numbers that a seed stands for."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state = {brief(random_state)}: must be None, a whole number at least 0, "
            "or a Generator"
        ) from None


def check_sets(
    always: Iterable[int | str],
    never: Iterable[int | str],
    n_features: int,
    names: Names = None,
) -> tuple[Integers, Integers]:
    """Sorted numbers of the features that must be taken, and of those that must not be.

    Features may be given by number or, if they have names, by name.

    Examples
    --------
    >>> check_sets([2, 0], ["b"], 3, ("a", "b", "c"))
    (array([0, 2]), array([1]))
    """
    taken = as_features("always", always, n_features, names)
    left = as_features("never", never, n_features, names)
    both = np.intersect1d(taken, left)
    if len(both):
        label = repr(names[both[0]]) if names else both[0]
        raise ValueError(f"never: holds feature {label}, as always does")
    if len(left) == n_features:
        raise ValueError(f"never: holds all {n_features} features; at least one must be left")
    return taken, left


def as_features(name: str, features: Any, n_features: int, names: Names) -> Integers:
    """Sorted numbers of features that are given by number or, where they have names, by name."""
    if names and np.iterable(features) and not isinstance(features, str):
        features = [_number(name, feature, names) for feature in features]
    try:
        array = np.asarray(features)
    except ValueError:
        raise ValueError(f"{name}: holds lists; numbers of features are needed") from None
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        kind = "numbers or names" if names else "numbers"
        raise ValueError(f"{name} = {brief(features)}: must be a list of {kind} of features")
    outside = array[(array < 0) | (array >= n_features)]
    if outside.size:
        raise ValueError(f"{name}: holds {outside[0]}; must be from 0 to {n_features - 1}")
    return np.unique(array).astype(np.intp)


def _number(name: str, feature: Any, names: tuple[str, ...]) -> Any:
    """Number of a feature that may be given by name."""
    if not isinstance(feature, str):
        return feature
    if names.count(feature) != 1:
        count = names.count(feature) or "no"
        verb = "is" if count == "no" else "are"
        raise ValueError(
            f"{name}: {count} feature{'s' * (verb == 'are')} {verb} named {feature!r}"
        )
    return names.index(feature)
