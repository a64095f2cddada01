"""Pairs of samples, and the passes where the paired samples are not among the data."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from specsel._input.annotations import Floats, Integers

if TYPE_CHECKING:
    from specsel._data.protocol import Data


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


class Beside:
    """Data, and beside them other samples of the same features, from which the pairs are.

    The features' inner products are those of the data; only the terms of the pairs come from the
    other samples, which are standardised as the data are. It has the two passes with pairs that
    data have, so an algorithm need not know where the paired samples lie.

    Parameters
    ----------
    data : Data
    others : ndarray of shape (n_others, n_columns)
        The other samples, as they lie.
    """

    def __init__(self, data: Data, others: Floats) -> None:
        self.data, self.others = data, data.alike(others)
        self.nothing = np.zeros((len(others), 1))

    def adjoint_pairs(self, alpha: Floats, basis: Floats, pairs: Pairs) -> tuple[Floats, Floats]:
        """``A_α basis`` of the data, and the entries of ``A_α`` for pairs of the others."""
        entries = self.others.adjoint_pairs(alpha, self.nothing[:, :0], pairs)[1]
        return self.data.adjoint(alpha, basis), entries

    def fused_pairs(
        self,
        dual: Floats,
        basis: Floats,
        pairs: Pairs,
        values: Floats,
        target: Floats | EllipsisType = ...,
    ) -> tuple[Floats, Floats, Floats]:
        """``α_i = m_iᵀ dual basisᵀ m_i + Σ values_st m_is m_it``, then `adjoint_pairs`."""
        alpha = self.others.fused_pairs(self.nothing, self.nothing, pairs, values)[0]
        alpha += self.data.forward(dual, basis)
        return alpha, *self.adjoint_pairs(alpha, basis if target is ... else target, pairs)
