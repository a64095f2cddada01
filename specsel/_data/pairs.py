"""Pairs of samples, as the passes take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from specsel._validate import Floats, Integers


class PairValues(NamedTuple):
    """The pairs as the kernels take them, with a value for each."""

    starts: Integers
    seconds: Integers
    values: Floats


class Pairs(NamedTuple):
    """Pairs of samples, in the order in which the kernels take them.

    Pairs with the same first sample stand together, and idle pairs fill each such group up to a
    multiple of four, the number that a kernel takes at a time.
    """

    starts: Integers  # where the group of each first sample begins, and where the last one ends
    seconds: Integers  # the second sample of each pair
    places: Integers  # where each pair that was given now stands

    @classmethod
    def sort(cls, pairs: Integers, n_samples: int) -> Pairs:
        """Arrange an array of pairs of sample numbers, one pair a row."""
        first, second = np.sort(pairs, axis=1).T
        counts = np.bincount(first, minlength=n_samples)
        starts = np.concatenate(([0], np.cumsum(-(-counts // 4) * 4)))
        order = np.argsort(first, kind="stable")
        places = np.empty(len(pairs), dtype=np.intp)
        before = np.cumsum(counts) - counts
        places[order] = np.arange(len(pairs)) + (starts[:-1] - before)[first[order]]
        seconds = np.zeros(starts[-1], dtype=np.intp)
        seconds[places] = second
        return cls(starts, seconds, places)

    def with_values(self, values: Floats | None) -> PairValues:
        """Give each pair its value, in the order in which the pairs were given; None is 0."""
        filled = np.zeros(len(self.seconds))
        if values is not None:
            filled[self.places] = values
        return PairValues(self.starts, self.seconds, filled)
