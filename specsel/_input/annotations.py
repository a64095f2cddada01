"""Types that signatures share.

`ArrayLike` is what numpy can make an array of, `NDArray[...]` an array of one type of number.
"""

from collections.abc import Callable
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


__all__ = [
    "ArrayLike",
    "Bools",
    "Directions",
    "Floats",
    "Integers",
    "LoopCallback",
    "NDArray",
    "Names",
    "Seed",
    "Sparse",
]
