"""Pairs of samples, in the order in which the kernels take them."""

from typing import NamedTuple

import numpy as np


class Pairs(NamedTuple):
    """Pairs of samples in the order in which the kernels take them.

    Those of one first sample are together, filled up to a multiple of four.
    """

    starts: np.ndarray  # of the pairs of every first sample, and the end of all
    seconds: np.ndarray
    places: np.ndarray  # where a pair that was given stands

    @classmethod
    def sort(cls, pairs, n_samples):
        """From an array of pairs of samples, a row a pair."""
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

    def with_values(self, values):
        """What the kernels take: starts, seconds, and a value for every place."""
        filled = np.zeros(len(self.seconds))
        if values is not None:
            filled[self.places] = values
        return self.starts, self.seconds, filled
