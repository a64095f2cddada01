"""Data that are read block by block: what all such data share, and blocks of features.

`ByFeature` is here: every block holds all samples of some features and is passed over as dense
data are, so that a pass reads X once. `BySample` is in `samples`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, cast

import numpy as np

from specsel import _runtime
from specsel._data import representations
from specsel._data.dense import Dense
from specsel._data.pairs import Pairs
from specsel._data.passes import Columns
from specsel._data.protocol import Basis, Data, Reduced, Target
from specsel._data.reduced import reduce
from specsel._data.source_measures import measure_source
from specsel._data.sources import Source
from specsel._data.standardised import Counter, Standardised
from specsel._validate import Bools, Floats, Integers, NDArray


class Blocks(NamedTuple):
    """The source of X, and what standardises its columns."""

    source: Source
    middle: Floats  # what is subtracted from each column
    norms: Floats  # parts × columns: the norm of what remains, or of each of its two parts


# What is subtracted from the columns of a block, and the norms of what remains.
Scaling = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Parted(Standardised):
    """Data read block by block; see `protocol.Data`. Made by `read` and `represent`."""

    blocks: Blocks

    @property
    def scaling(self) -> Blocks:
        """What standardises the columns."""
        return self.blocks

    @property
    def source(self) -> Source:
        """Where the blocks come from."""
        return self.blocks.source

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.source.shape[0]

    def is_tall(self, times: int = 1) -> bool:
        """Whether samples, or those of each of so many classes, outnumber the features."""
        return self.n_samples > times * self.n_features

    def feature(self, index: int) -> Floats:
        """One standardised feature."""
        part, column = divmod(index, self.n_columns)
        values = self.source.read(slice(None), slice(column, column + 1))[:, 0]
        shifted = values - self.blocks.middle[column]
        return self.part_of(shifted, part) / (self.norms[part, column] or np.inf)

    def block(self, part: slice | Integers) -> Floats:
        """The standardised features of some columns, as samples × features in float64."""
        if isinstance(part, slice):
            values = self.source.read(slice(None), slice(*part.indices(self.n_columns)))
            return np.asarray(self.standardised(values, part), dtype=np.float64)
        return np.column_stack([self.feature(int(index)) for index in part])

    def rows(self, start: int, stop: int) -> Floats:
        """The standardised samples from `start` to `stop`, as samples × features."""
        stop = min(stop, self.n_samples)
        return self.standardised(self.source.read(slice(start, stop), slice(None)))

    def rescaled(self, factors: Floats) -> Self:
        """The same data with each standardised feature multiplied by a positive factor."""
        norms = self.norms / factors.reshape(self.norms.shape)
        lengths = factors.ravel() if self.lengths is None else self.lengths * factors.ravel()
        return replace(self, blocks=self.blocks._replace(norms=norms), lengths=lengths)

    def reduced(self, members: Bools | None = None) -> Reduced:
        """Replace tall data, or their marked samples, by dense data of as many as features."""
        self.check_factor()
        data = cast(Data, self)  # which its two kinds are
        factor, restrict, lift = reduce(data, members)
        return Reduced(Dense.of_factor(factor, data), restrict, lift)

    def check_factor(self) -> None:
        """Refuse more features than there is room for a triangular factor of."""
        _runtime.check_budget(
            f"X: the inner products of {self.n_features} features",
            3 * 8 * self.n_features**2,
            "take fewer features",
        )

    def centered(self) -> Self:
        """The same data with each column centred, even if every one turns out constant."""
        mean, norm = measure_source(self.source, True)
        self.counter.add(1 if self.source.by_feature else 2)
        blocks = Blocks(self.source, mean, norm[None, :])
        return replace(self, blocks=blocks, mean=mean, norm=norm, loses_rank=True, mean_free=True)


class ByFeature(Parted):
    """Data whose blocks hold all samples of some features."""

    def spans(self) -> Iterator[tuple[slice, Floats]]:
        """Yield slices of the columns, each with minimum, maximum and sum of its features."""
        self.count_pass()
        answers = self.source.run(_spans, zip(self._scalings))
        yield from zip(self.source.parts, answers, strict=True)

    def forward(self, dual: Floats, basis: Basis) -> Floats:
        """``α_i = m_iᵀ dual basisᵀ m_i``."""
        return self._pass("forward", None, (dual, basis))[0]

    def adjoint(self, alpha: Floats, basis: Basis) -> Floats:
        """``A_α basis``, with ``A_α = Σ α_i m_i m_iᵀ``."""
        return self._pass("adjoint", alpha, (basis,))[1][0]

    def fused(self, dual: Floats, basis: Basis, target: Target = ...) -> tuple[Floats, Floats]:
        """``α = forward(dual, basis)`` and ``A_α target``; the target defaults to the basis."""
        alpha, sums = self._pass("fused", None, (dual, basis, target))
        return alpha, sums[0]

    def adjoint_pairs(self, alpha: Floats, basis: Basis, pairs: Pairs) -> tuple[Floats, Floats]:
        """``A_α basis``, and the entry ``Σ α_i m_is m_it`` of every pair (s, t) of samples."""
        image, entries = self._pass("adjoint_pairs", alpha, (basis, pairs))[1]
        return image, entries

    def fused_pairs(
        self, dual: Floats, basis: Basis, pairs: Pairs, values: Floats, target: Target = ...
    ) -> tuple[Floats, Floats, Floats]:
        """``α_i = m_iᵀ dual basisᵀ m_i + Σ values_st m_is m_it``, then as `adjoint_pairs`."""
        alpha, sums = self._pass("fused_pairs", None, (dual, basis, pairs, values, target))
        return alpha, sums[0], sums[1]

    def _pass(
        self, name: str, alpha: Floats | None, given: tuple[Any, ...]
    ) -> tuple[Floats, list[Floats]]:
        """Pass over all blocks: the weights of all features, and what the blocks add up to."""
        self.count_pass()
        found = np.empty(self.norms.shape)
        weights = None if alpha is None else np.asarray(alpha).reshape(self.norms.shape)
        sums: list[Floats] = []

        def arguments() -> Iterator[tuple[Any, ...]]:
            for part, scaling in zip(self.source.parts, self._scalings, strict=True):
                first = () if weights is None else (weights[:, part].ravel(),)
                yield scaling, name, (*first, *given)

        for part, answer in zip(
            self.source.parts, self.source.run(_ask, arguments()), strict=True
        ):
            if weights is None:
                found[:, part] = answer[0].reshape(len(found), -1)
                answer = answer[1:]
            if not sums:
                sums = [np.zeros_like(new) for new in answer]
            for old, new in zip(sums, answer, strict=True):
                old += new
        return found.ravel(), sums

    @cached_property
    def _scalings(self) -> Sequence[Scaling]:
        """What standardises the features of every block."""
        middle, norms = self.blocks.middle, self.norms
        return self.source.keep(
            (middle[part], norms[:, part].copy()) for part in self.source.parts
        )


def _dense(block: NDArray[Any], scaling: Scaling) -> Dense:
    """A block of features as data of its own."""
    middle, norms = scaling
    return Dense(
        columns=Columns(block.T, middle, norms),
        mean=middle,
        norm=norms[0],
        names=None,
        loses_rank=False,
        mean_free=False,
        floor=0.0,
        counter=Counter(),
        keeps=False,
    )


def _ask(
    block: NDArray[Any], scaling: Scaling, name: str, given: tuple[Any, ...]
) -> tuple[Any, ...]:
    """What a block answers to one of the questions that data answer."""
    answer = getattr(_dense(block, scaling), name)(*given)
    return answer if isinstance(answer, tuple) else (answer,)


def _spans(block: NDArray[Any], scaling: Scaling) -> Floats:
    middle, norms = scaling
    out = np.empty((3, *norms.shape))
    representations.spans_alone(block.T, middle, norms, out)
    return out
