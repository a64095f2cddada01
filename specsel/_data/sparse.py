"""A sparse matrix whose features are shifted and scaled on the fly, and the passes over it.

It is neither densified nor converted. Where the numbers of a feature lie together (CSC), a pass
reads X once; where those of a sample do (CSR), it reads X once for weights and once for an image.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

import numpy as np

from specsel._data import sparse_columns, sparse_passes, sparse_rows
from specsel._data.dense import Dense
from specsel._data.lanes import LANES, rows_of_lanes
from specsel._data.pairs import Pairs
from specsel._data.protocol import Basis, Reduced, Target
from specsel._data.reduced import reduce
from specsel._data.sparse_measures import blocks, measure, near_zero
from specsel._data.sparse_passes import Features, Frame, PairTerms, Sums
from specsel._data.standardised import Standardised
from specsel._data.stored import Stored, cuts
from specsel._validate import Bools, Floats, Integers

# Partial sums of a whole affinity, samples × samples, may take so many numbers.
WHOLE_NUMBERS = 2**24

# Tall data are reduced if that takes at most so many operations for every stored number, about as
# many as the passes of a solve.
REDUCING = 1000


class Columns(NamedTuple):
    """The stored numbers of X, and what standardises its columns."""

    stored: Stored
    middle: Floats  # what is subtracted from each column of these
    norms: Floats  # parts × columns: the norm of what remains, or of each of its two parts


@dataclass
class Room:
    """Memory for sums, used by every pass again: it takes longer to get than to fill."""

    rows: Floats = field(default_factory=rows_of_lanes)

    def zeros(self, *shape: int) -> Floats:
        """Zeros of a shape with LANES in the end, which the next call takes back."""
        size = int(np.prod(shape))
        if self.rows.size < size * LANES:
            self.rows = rows_of_lanes(size)
        part = self.rows.reshape(-1, LANES)[:size]
        part[...] = 0.0
        return part.reshape(*shape, LANES)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sparse(Standardised):
    """A sparse matrix, its features shifted and scaled on the fly; see `protocol.Data`.

    Made by `read` and `represent`. All sums are in float64, whatever the type of X.
    """

    columns: Columns
    room: Room = field(default_factory=Room)

    def __post_init__(self) -> None:
        for array in (self.columns.middle, self.columns.norms, self.mean, self.norm):
            array.flags.writeable = False

    @property
    def scaling(self) -> Columns:
        """What standardises the columns."""
        return self.columns

    @property
    def stored(self) -> Stored:
        """The stored numbers of X."""
        return self.columns.stored

    @property
    def middle(self) -> Floats:
        """What is subtracted from each column of X."""
        return self._unshifted(self.columns.middle)

    def _unshifted(self, middle: Floats) -> Floats:
        offsets = self.stored.offsets
        return middle if offsets is None else middle + offsets

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.stored.n_samples

    def is_tall(self, times: int = 1) -> bool:
        """Whether samples, or those of so many classes, are better replaced; see `reduced`."""
        few = is_reduced_soon(self.n_samples, self.n_features, self.stored.size)
        return few and self.n_samples > times * self.n_features

    def feature(self, index: int) -> Floats:
        """One standardised feature."""
        part, column = divmod(index, self.n_columns)
        shifted = self.stored.columns([column])[:, 0] - self.columns.middle[column]
        return self.part_of(shifted, part) / (self.norms[part, column] or np.inf)

    def block(self, part: slice | Integers) -> Floats:
        """The standardised features of some columns, as samples × features in float64."""
        return self.standardised(self.stored.columns(part), part)

    def rows(self, start: int, stop: int) -> Floats:
        """The standardised samples from `start` to `stop`, as samples × features."""
        return self.standardised(self.stored.rows(start, stop))

    def spans(self) -> Iterator[tuple[slice, Floats]]:
        """Yield slices of the columns, each with minimum, maximum and sum of its features."""
        self.count_pass()
        middle, norms = self.columns.middle, self.norms
        for part, band in self.stored.bands():
            out = np.empty((3, *norms[:, part].shape))
            sparse_columns.spans(
                band, self.n_samples, blocks(band), middle[part], norms[:, part].copy(), out
            )
            yield part, out

    def rescaled(self, factors: Floats) -> Self:
        """The same data with each standardised feature multiplied by a positive factor."""
        norms = self.norms / factors.reshape(self.norms.shape)
        lengths = factors.ravel() if self.lengths is None else self.lengths * factors.ravel()
        return replace(self, columns=self.columns._replace(norms=norms), lengths=lengths)

    def centered(self) -> Self:
        """The same data with each column centred, even if every one turns out constant."""
        middle, norm = measure(self.stored, center=True)
        self.count_pass()
        mean = self._unshifted(middle)
        stored, middle = near_zero(self.stored, middle, norm[None, :])
        return replace(
            self,
            columns=Columns(stored, middle, norm[None, :]),
            mean=mean,
            norm=norm,
            loses_rank=True,
            mean_free=True,
        )

    def reduced(self, members: Bools | None = None) -> Reduced:
        """Replace tall data, or their marked samples, by data with no more samples than features.

        A triangular factor is dense, so this is for few features; see `is_tall`.
        """
        factor, restrict, lift = reduce(self, members)
        return Reduced(Dense.of_factor(factor, self), restrict, lift)

    def forward(self, dual: Floats, basis: Basis) -> Floats:
        """``α_i = m_iᵀ dual basisᵀ m_i``."""
        if basis is None:
            return self._forms(dual)
        return self._sweep(dual, basis, None, None)[0]

    def adjoint(self, alpha: Floats, basis: Basis) -> Floats:
        """``A_α basis``, with ``A_α = Σ α_i m_i m_iᵀ``."""
        if basis is None:
            return self._affinity(alpha)
        return self._sweep(None, None, alpha, basis)[1]

    def fused(self, dual: Floats, basis: Basis, target: Target = ...) -> tuple[Floats, Floats]:
        """``α = forward(dual, basis)`` and ``A_α target``; the target defaults to the basis."""
        target = basis if target is ... else target
        if basis is None or target is None:
            alpha = self.forward(dual, basis)
            return alpha, self.adjoint(alpha, target)
        return self._sweep(dual, basis, None, target)[:2]

    def adjoint_pairs(self, alpha: Floats, basis: Basis, pairs: Pairs) -> tuple[Floats, Floats]:
        """``A_α basis``, and the entry ``Σ α_i m_is m_it`` of every pair (s, t) of samples."""
        return self._sweep(None, None, alpha, basis, pairs)[1:]

    def fused_pairs(
        self, dual: Floats, basis: Basis, pairs: Pairs, values: Floats, target: Target = ...
    ) -> tuple[Floats, Floats, Floats]:
        """``α_i = m_iᵀ dual basisᵀ m_i + Σ values_st m_is m_it``, then as `adjoint_pairs`."""
        target = basis if target is ... else target
        return self._sweep(dual, basis, None, target, pairs, values)

    def _sweep(
        self,
        dual: Floats | None,
        basis: Basis,
        alpha: Floats | None,
        target: Basis,
        pairs: Pairs | None = None,
        values: Floats | None = None,
    ) -> tuple[Floats, Floats, Floats]:
        """Find the weights if there is a dual, then the image of a target if there is one."""
        frame = _frame(dual, basis, target)
        n_image = 0 if target is None else target.shape[1]
        alpha = np.require(
            np.empty(self.n_features) if alpha is None else alpha, float, ["C", "W"]
        )
        if self.stored.by_feature or pairs is not None:
            image, entries = self._by_feature(frame, n_image, alpha, pairs, values)
        else:
            image, entries = self._by_sample(frame, n_image, alpha), np.empty(0)
        return alpha, image, entries

    def _by_feature(
        self,
        frame: Frame,
        n_image: int,
        alpha: Floats,
        pairs: Pairs | None,
        values: Floats | None,
    ) -> tuple[Floats, Floats]:
        """The pass where the numbers of a feature lie together, or are gathered."""
        self.count_pass()
        terms = None if pairs is None else _pair_terms(pairs, values, self.n_samples)
        n_pairs = 0 if pairs is None else len(pairs.seconds)
        n_groups = -(-n_image // LANES)
        partial = (n_groups * LANES + (terms is not None)) * self.n_samples + n_pairs
        shapes = (
            (n_groups, self.n_samples, LANES),
            (n_groups * LANES,),
            (n_pairs,),
            (0 if terms is None else self.n_samples + 1,),
        )
        total = [np.zeros(shape) for shape in shapes]
        weights = alpha.reshape(self.norms.shape)
        for features, cut in self._parts(partial):
            images = rows_of_lanes(len(cut) - 1, *shapes[0][:-1])
            sums = Sums(images, *(np.zeros((len(cut) - 1, *shape)) for shape in shapes[1:]))
            sparse_passes.sweep(features, frame, terms, cut, weights, sums)
            total = [old + new.sum(axis=0) for old, new in zip(total, sums, strict=True)]
        image = sparse_passes.joined_groups(total[0], n_image) + total[1][:n_image]
        if pairs is None:
            return image, total[2]
        firsts = np.repeat(np.arange(self.n_samples), np.diff(pairs.starts))
        entries = total[2] + total[3][firsts] + total[3][pairs.seconds] + total[3][-1]
        return image, entries[pairs.places]

    def _by_sample(self, frame: Frame, n_image: int, alpha: Floats) -> Floats:
        """The pass where the numbers of a sample lie together."""
        self.count_pass()
        stored, middle, norms = self.stored.whole, self.columns.middle, self.norms
        n_groups = -(-n_image // LANES)
        size, shape = self.stored.size, (len(frame.table), self.n_features, LANES)
        segments = self.stored.segments
        count = 1 if len(segments) > 2 else sparse_passes.n_blocks(size, int(np.prod(shape)))
        bounds = cuts(stored.starts, count)
        scored = self.room.zeros(len(bounds) - 1, *shape[:-1])
        sparse_rows.scores(stored, segments, middle, len(norms), frame.table, bounds, scored)
        tails = np.zeros((-(-self.n_features // sparse_rows.SPAN), n_groups * LANES))
        weights = alpha.reshape(norms.shape)
        sparse_rows.weigh(scored, middle, norms, frame, weights, tails)
        image = rows_of_lanes(n_groups, self.n_samples)
        if n_groups:
            self.count_pass()
            bounds = cuts(stored.starts, sparse_passes.n_blocks(size, 1))
            sparse_rows.combine(stored, middle, len(norms), scored[0], bounds, image)
        return sparse_passes.joined_groups(image, n_image) + tails.sum(axis=0)[:n_image]

    def _forms(self, square: Floats) -> Floats:
        """``m_iᵀ square m_i``."""
        self.count_pass()
        alpha = np.empty(self.norms.shape)
        for features, bounds in self._parts():
            sparse_passes.forms(features, square, bounds, alpha)
        return alpha.ravel()

    def _affinity(self, alpha: Floats) -> Floats:
        """``A_α`` itself, samples × samples."""
        self.count_pass()
        q = self.n_samples
        square, linear = np.zeros((q, q)), np.zeros(q + 1)
        weights = np.asarray(alpha, dtype=float).reshape(self.norms.shape)
        for features, bounds in self._parts():
            count = max(1, min(len(bounds) - 1, WHOLE_NUMBERS // q**2))
            bounds = cuts(features.starts, count)
            squares = np.zeros((len(bounds) - 1, q, q))
            lines = np.zeros((len(bounds) - 1, q + 1))
            sparse_passes.affinities(features, weights, bounds, squares, lines)
            square += squares.sum(axis=0)
            linear += lines.sum(axis=0)
        square += np.tril(square, -1).T
        square += linear[:q] + linear[:q, None] + linear[q]
        return square

    def _parts(self, partial: int = 1) -> Iterator[tuple[Features, Integers]]:
        """Yield bands of features, each with its blocks; `partial` as in `blocks`."""
        for part, band in self.stored.bands():
            features = Features(*band, part.start, self.columns.middle, self.columns.norms)
            yield features, blocks(band, partial)


def is_reduced_soon(n_samples: int, n_features: int, n_stored: int) -> bool:
    """Whether data with so many stored numbers are reduced in the time of a solve."""
    return n_samples * n_features**2 <= REDUCING * n_stored


def _frame(*matrices: Floats | None) -> Frame:
    """Stack dual, basis and target, each matrix once."""
    places: list[int] = []
    distinct: list[Floats] = []
    for matrix in matrices:
        same = [i for i, known in enumerate(distinct) if known is matrix]
        before = distinct[: same[0]] if same else distinct
        places.append(sum(known.shape[1] for known in before))
        if matrix is not None and not same:
            distinct.append(matrix)
    dual = matrices[0]
    table = sparse_passes.groups_of(np.hstack(distinct)) if distinct else np.zeros((0, 1, LANES))
    n_dual = 0 if dual is None else dual.shape[1]
    counts = (np.arange(-(-n_dual // LANES) * LANES) < n_dual).astype(float)
    return Frame(table, table.sum(axis=1).ravel(), places[0], places[1], places[2], counts)


def _pair_terms(pairs: Pairs, values: Floats | None, n_samples: int) -> PairTerms:
    """What the kernels need of pairs."""
    starts, seconds, filled = pairs.with_values(values)
    firsts = np.repeat(np.arange(n_samples), np.diff(starts))
    sums: Floats = np.bincount(firsts, filled, n_samples).astype(float)
    sums += np.bincount(seconds, filled, n_samples)
    return PairTerms(starts, seconds, filled, sums, float(filled.sum()))
