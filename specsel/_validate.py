"""Types that signatures share, the wording of messages, and checks of single arguments.

`ArrayLike` is what numpy can make an array of, `NDArray[...]` an array of one type of number.
"""

import numbers
import operator
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Literal, Protocol, TypeGuard, get_args, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import NDArray as NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Bools = NDArray[np.bool_]

# Names of the features, if the data had any.
Names = tuple[str, ...] | None

# A number of directions, or "auto": the spectral gap decides.
Directions = int | Literal["auto"]

# The source of random numbers, what it is made from, or None for fresh ones.
Seed = int | np.random.Generator | None

# Called after an iteration with its number and the objective; a true answer stops the loop.
LoopCallback = Callable[[int, float], object] | None


@runtime_checkable
class Sparse(Protocol):
    """A sparse matrix or array of scipy, as far as it is used here."""

    shape: tuple[int, ...]
    dtype: Any

    def tocsc(self, copy: bool = ...) -> Any: ...

    def tocsr(self, copy: bool = ...) -> Any: ...


# Arguments that take one of a few names.

# Where the loop starts.
Init = Literal["continuation", "equal", "seeded", "random"]

# How the next basis follows from the weights: without classes, with a kernel, with pairs, with
# classes; and what Q-α maximises.
BasisStep = Literal["ascent", "power", "ritz", "basic"]
KernelBasisStep = Literal["ascent", "power", "ritz"]
PairBasisStep = Literal["ascent", "power"]
ClassBasisStep = Literal["power", "basic"]
Criterion = Literal["energy", "gap"]

# Ways to represent a column without negative values ("as-is" if it has none); and all ways.
NonNegative = Literal["parts", "shift", "ranks", "as-is"]
Representation = Literal["parts", "shift", "ranks", "as-is", "centered"]

# How alike two features are; and by how much the Laplacian of a feature is shifted.
Kernel = Literal["linear", "poly", "rbf", "sectioned", "precomputed"]
Shift = Literal["degree", "definition"]

# The matrix whose sparse components are sought, and that of latent semantic indexing; the matrix
# whose subspace is to be stable; and how its intervals are computed.
PCAMatrix = Literal["covariance", "correlation"]
LSIMatrix = Literal["cosine", "inner"]
Similarity = Literal["cosine", "covariance", "correlation", "inner"]
IntervalMethod = Literal["bca", "percentile"]

# How random entries are distributed, those of any distribution and those that are bounded.
Distribution = Literal["gaussian", "uniform", "bernoulli"]
BoundedDistribution = Literal["uniform", "bernoulli"]

# The criterion of a set of features, by the eigenvalues λ of its pencil: the largest one, their
# sum, or Σ log(1 + λ). Kernels know a criterion by its place.
Worth = Literal["leading", "trace", "logdet"]
WORTHS: tuple[str, ...] = get_args(Worth)

# What the value of a set is by each of them.
MEANINGS: dict[Worth, str] = {
    "leading": "largest eigenvalue",
    "trace": "sum of the eigenvalues",
    "logdet": "sum of log(1 + eigenvalue)",
}

# Which way greedy selection goes, and which bounds prune the exact search.
Direction = Literal["both", "forward", "backward"]
Bounds = Literal["best", "interlacing"]

# Where the relevant features of a random problem are.
Places = Literal["even", "random"]

# What a feature keeps of its norm: nothing, the root, or all of it.
Scale = Literal["unit", "sqrt", "native"]


# The wording of messages: how to show values and names, and whose line of code to blame.


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
    """Return a text with escapes for control characters; names in files may contain any."""
    return re.sub(CONTROL, lambda found: found[0].encode("unicode_escape").decode(), str(text))


def brief(value: object) -> str:
    """Return a value in one line: its repr if that is short, else its type and shape.

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
    """Return the names of these features or, if the data have no names, their numbers."""
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
    """Write a count and what is counted, as "1 sample" or "2 samples"."""
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


# Checks of single arguments: a `ValueError` of one line names the argument, before any work.


# The largest whole number that compiled code takes, and the largest modulus of any other number.
LARGEST_INTEGER = 2**63 - 1
LARGEST_NUMBER = 1e100


def check_integer(
    name: str, value: object, low: int, high: int | None = None, what: str = ""
) -> int:
    """Return the value as an int, or refuse what is not a whole number from low to high.

    `what` says in the message where the upper limit comes from.
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
    """Return whether a value can be iterated over; texts and 0-dimensional arrays do not count."""
    return (
        isinstance(value, Iterable)
        and not isinstance(value, str)
        and getattr(value, "ndim", 1) > 0
    )


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite real number; a flag is not a number."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False


def check_number(name: str, value: Any, low: float = -np.inf) -> None:
    """Refuse anything but a finite number of at least `low`, whose square does not overflow."""
    if not (is_finite(value) and value >= low):
        allowed = "" if low == -np.inf else f" at least {low}"
        raise ValueError(f"{name} = {brief(value)}: must be a finite number{allowed}")
    if abs(float(value)) > LARGEST_NUMBER:  # float: 1e100 is infinite in float32
        raise ValueError(f"{name} = {brief(value)}: must be at most {LARGEST_NUMBER:g} in modulus")


def check_positive(name: str, value: Any, largest: float = LARGEST_NUMBER) -> None:
    """Refuse anything but a finite number above 0, from 1/`largest` to `largest`."""
    if not (is_finite(value) and value > 0):
        raise ValueError(f"{name} = {brief(value)}: must be a finite number above 0")
    if not 1 / largest <= float(value) <= largest:
        raise ValueError(f"{name} = {brief(value)}: must be from {1 / largest:g} to {largest:g}")


def check_choice(name: str, value: object, allowed: Any) -> None:
    """Refuse what is not one of the names of a `Literal` or of a tuple."""
    names = allowed if isinstance(allowed, tuple) else get_args(allowed)
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{name} = {brief(value)}: must be one of {', '.join(names)}")


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
    """Return the sorted numbers of the features that must be taken, and of those that must not."""
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
    """Return the sorted numbers of features stated by number or, if they have names, by name."""
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
    """Return the number of a feature that is stated by number or by name."""
    if not isinstance(feature, str):
        return feature
    count = names.count(feature)
    if count != 1:
        verb = "s are" if count else " is"
        raise ValueError(f"{name}: {count or 'no'} feature{verb} named {feature!r}")
    return names.index(feature)
