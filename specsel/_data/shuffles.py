"""Data whose columns have nothing in common any more."""

from typing import Any

import numpy as np

from specsel._runtime import jit
from specsel._validate import NDArray


def shuffled(features: NDArray[Any], seed: int) -> NDArray[Any]:
    """Copy features × samples, every feature in an order of its own."""
    out = np.empty(features.shape, features.dtype)
    _shuffle(features, np.uint64(seed), out)
    return out


@jit
def _shuffle(features, state, out):
    """Shuffle every row by Fisher and Yates, with the numbers of SplitMix64."""
    for i in range(features.shape[0]):
        for s in range(features.shape[1]):
            out[i, s] = features[i, s]
        for s in range(features.shape[1] - 1, 0, -1):
            state += np.uint64(0x9E3779B97F4A7C15)
            mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(31)
            # The upper half of 64 bits, times s + 1, over 2^32: a number from 0 to s.
            other = np.int64(((mixed >> np.uint64(32)) * np.uint64(s + 1)) >> np.uint64(32))
            out[i, s], out[i, other] = out[i, other], out[i, s]
