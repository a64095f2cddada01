"""Types that signatures share."""

from collections.abc import Callable
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Bools = NDArray[np.bool_]

# Names of the features, if the data had any.
Names = tuple[str, ...] | None

# A number of directions, and a seed.
Directions = int | Literal["auto"]
Seed = int | np.random.Generator | None

# What the loop tells after an iteration, its number and the objective; true stops it.
LoopCallback = Callable[[int, float], object] | None


class Sparse(Protocol):
    """A sparse matrix or array of scipy."""

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
