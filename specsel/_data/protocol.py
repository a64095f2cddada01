"""What an algorithm may ask of data; it never asks how they lie.

``m_i`` is the i-th feature, represented and scaled to unit norm, with an entry for every sample;
``A_α = Σ α_i m_i m_iᵀ`` is the affinity of the samples at weights α. A basis is an array of
samples × k, and None in its place stands for the identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import EllipsisType
from typing import NamedTuple, Protocol

from specsel._data.pairs import Pairs
from specsel._validate import Bools, Floats, Integers, Names

Basis = Floats | None
Target = Floats | EllipsisType | None


class Weighable(Protocol):
    """What the loop and a result ask: how many features there are, of what rank and precision.

    The kernel matrix of the features has this much too, without being data.
    """

    @property
    def names(self) -> Names:
        """Names of the columns, if X has any."""

    @property
    def mean(self) -> Floats:
        """Mean of every column; 0 where none is subtracted."""

    @property
    def norm(self) -> Floats:
        """Norm of what remains of every column, 0 for a constant one."""

    @property
    def n_features(self) -> int:
        """Number of features: that of the columns, or twice as many where each becomes two."""

    @property
    def rank_bound(self) -> int:
        """The rank that the standardised features can have at most."""

    @property
    def mean_free(self) -> bool:
        """Whether ``Σ_s m_is = 0`` for every feature, or was before tall data were reduced."""

    @property
    def floor(self) -> float:
        """Relative error that rounding leaves in a pass."""

    @property
    def passes(self) -> int:
        """How often X has been read so far."""

    def joined(self, alpha: Floats) -> Floats:
        """A weight for every column: ``√(α₊² + α₋²)``, made unit, where a column became two."""


class Data(Weighable, Protocol):
    """Samples of features that can be multiplied, a pass over X at a time."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""

    @property
    def norms(self) -> Floats:
        """Norm of every feature before scaling, as an array of parts × columns."""

    def forward(self, dual: Floats, basis: Basis) -> Floats:
        """``α_i = m_iᵀ dual basisᵀ m_i``."""

    def adjoint(self, alpha: Floats, basis: Basis) -> Floats:
        """``A_α basis``."""

    def fused(self, dual: Floats, basis: Basis, target: Target = ...) -> tuple[Floats, Floats]:
        """``α = forward(dual, basis)`` and ``A_α target``; the target defaults to the basis."""

    def adjoint_pairs(self, alpha: Floats, basis: Basis, pairs: Pairs) -> tuple[Floats, Floats]:
        """``A_α basis``, and the entry ``Σ α_i m_is m_it`` of every pair (s, t) of samples."""

    def fused_pairs(
        self, dual: Floats, basis: Basis, pairs: Pairs, values: Floats, target: Target = ...
    ) -> tuple[Floats, Floats, Floats]:
        """``α_i = m_iᵀ dual basisᵀ m_i + Σ values_st m_is m_it``, then as `adjoint_pairs`."""

    @property
    def squares(self) -> Floats:
        """``|m_i|²``: 1, 0 for constant features, or what rescaling made of it."""

    def block(self, part: slice | Integers) -> Floats:
        """Some ``m_i`` as columns; not for features in two parts."""

    def feature(self, index: int) -> Floats:
        """``m_i``, one value a sample."""

    def rows(self, start: int, stop: int) -> Floats:
        """The samples from `start` to `stop`, as samples × features."""

    def spans(self) -> Iterator[tuple[slice, Floats]]:
        """Slices of the columns, each with ``min m_i``, ``max m_i`` and ``Σ_s m_is``."""

    def rescaled(self, factors: Floats) -> Data:
        """The same data with ``factors_i m_i`` in the place of ``m_i``."""

    def centered(self) -> Data:
        """The same data with every column centred."""

    def is_tall(self, times: int = 1) -> bool:
        """Whether samples, or those of each of some classes, are better `reduced`."""

    def reduced(self, members: Bools | None = None) -> Reduced:
        """Data R with ``M = U R`` and no more samples than features, for tall data M."""

    def count_pass(self) -> None:
        """Note that X has been read once more, by `rows` say."""

    def warn_if_negative(self, representation: str) -> None:
        """Warn where some ``m_is < 0`` though an algorithm needs features without."""


class Reduced(NamedTuple):
    """Tall data ``M = U R`` reduced to R, and the ways between their bases."""

    data: Data  # R
    restrict: Callable[[Floats], Floats]  # Q -> Uᵀ Q
    lift: Callable[[Floats], Floats]  # Q -> U Q, with orthonormal columns
