"""The interface of data to algorithms, wherever the numbers of X are stored.

``m_i`` is the i-th feature, represented and scaled to unit norm, with an entry for every sample;
``A_α = Σ α_i m_i m_iᵀ`` is the affinity of the samples at weights α. A basis is an array of
samples × k, and None in its place stands for the identity.

An algorithm calls one thing, a pass over X: `Data.sweep`. Four kinds of data have it, each in the
file of its compiled loops: `Dense` and `Sparse`, which are in memory, `ByFeature` and `BySample`,
which are read a block at a time.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import Any, NamedTuple, Self

import numpy as np

from specsel import _validate
from specsel._data import columns
from specsel._validate import Bools, Floats, Integers, Names, NDArray, Scale

# A basis, or the identity; weights, or those that a dual gives.
Basis = Floats | None

# All samples, or all columns.
EVERY = slice(None)

# Which power of its norm a feature keeps, by the name of the scale.
KEPT_POWER = {"unit": 0.0, "sqrt": 0.5, "native": 1.0}

# The least norm of a feature, as a share of the largest: its square does not underflow.
LEAST_SHARE = 1e-150

# From a basis of samples to another one.
Map = Callable[[Floats], Floats]


class Pairs(NamedTuple):
    """Pairs of samples with a value each, in the order in which the kernels take them.

    Pairs with the same first sample stand together, and idle pairs fill each such group up to a
    multiple of four, the number that a kernel takes at a time.
    """

    starts: Integers  # where the group of each first sample begins, and where the last one ends
    seconds: Integers  # the second sample of each pair
    positions: Integers  # where each pair that was passed now stands
    values: Floats
    sums: Floats  # of every sample: the values of the pairs that it is in

    @classmethod
    def sort(cls, pairs: Integers, n_samples: int) -> Pairs:
        """Arrange an array of pairs of sample numbers, one pair a row; their values are 0."""
        first, second = np.sort(pairs, axis=1).T
        counts = np.bincount(first, minlength=n_samples)
        starts = np.concatenate(([0], np.cumsum(-(-counts // 4) * 4)))
        order = np.argsort(first, kind="stable")
        positions = np.empty(len(pairs), dtype=np.intp)
        before = np.cumsum(counts) - counts
        positions[order] = np.arange(len(pairs)) + (starts[:-1] - before)[first[order]]
        seconds = np.zeros(starts[-1], dtype=np.intp)
        seconds[positions] = second
        return cls(starts, seconds, positions, np.zeros(len(seconds)), np.zeros(n_samples))

    def with_values(self, values: Floats) -> Pairs:
        """Return the pairs with these values, in the order in which pairs were passed."""
        filled = np.zeros(len(self.seconds))
        filled[self.positions] = values
        n_samples = len(self.starts) - 1
        sums = np.bincount(self.firsts, filled, n_samples).astype(float)
        sums += np.bincount(self.seconds, filled, n_samples)
        return self._replace(values=filled, sums=sums)

    @property
    def firsts(self) -> Integers:
        """The first sample of each pair."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


class Stack(NamedTuple):
    """What a pass multiplies the features with, each matrix once, and where each begins."""

    rows: NDArray[Any]
    dual: int
    basis: int
    target: int
    n_dual: int  # 0: the weights are passed

    @classmethod
    def of(
        cls,
        dual: Floats | None,
        basis: Floats | None,
        target: Floats,
        length: int,
        multiple: int,
        dtype: Any,
    ) -> Stack:
        """Stack columns as rows of a length; of each matrix a multiple, with zeros in the end."""
        begins: dict[int, int] = {}  # by id, for one array is often both basis and target
        matrices, height = [], 0
        for matrix in (dual, basis, target):
            if matrix is not None and id(matrix) not in begins:
                begins[id(matrix)] = height
                matrices.append(matrix)
                height += -(-matrix.shape[1] // multiple) * multiple
        rows = np.zeros((height, length), dtype)
        for matrix, begin in zip(matrices, begins.values(), strict=True):
            rows[begin : begin + matrix.shape[1], : len(matrix)] = matrix.T
        first, second, third = (begins.get(id(matrix), 0) for matrix in (dual, basis, target))
        return cls(rows, first, second, third, 0 if dual is None else dual.shape[1])


# Called whenever X is read, if it was measured inside `watched`.
watcher: ContextVar[Callable[[int], object] | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(report: Callable[[int], object]) -> Iterator[None]:
    """Call `report` whenever X is read, with how often that was; for X that is measured inside."""
    before = watcher.set(report)
    try:
        yield
    finally:
        watcher.reset(before)


@dataclass
class Counter:
    """How often an array has been read; shared by all data that read the same array."""

    passes: int = 0
    report: Callable[[int], object] | None = None

    def add(self, count: int = 1) -> None:
        """Count that the array is read so many times more."""
        self.passes += count
        if self.report is not None:
            self.report(self.passes)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Data(ABC):
    """Samples of features that can be multiplied, a pass over X at a time; see `represent`."""

    numbers: Any  # an array of columns × samples, `sparse.Stored`, or `sources.Source`
    middle: Floats  # what is subtracted from each column of these
    norms: Floats  # parts × columns: of what remains of each column, or of each of its two parts
    mean: Floats  # of each column of X; 0 where none is subtracted
    norm: Floats  # of what remains of it; 0 for a constant one
    names: Names = None
    loses_rank: bool = False  # whether centring costs the data one dimension
    mean_free: bool = False  # whether Σ_s m_is = 0, or was before tall data were reduced
    floor: float = 0.0  # the relative error that rounding leaves in a pass
    counter: Counter = field(default_factory=Counter)
    # The powers of two by which extreme columns were divided; `mean` and `norm` are from before.
    exponents: Integers | None = None
    lengths: Floats | None = None  # what `rescaled` has multiplied the features by
    scale: Scale = "unit"
    # Other samples of the same features, shifted and scaled alike, if the pairs are of those.
    others: Data | None = None

    def __post_init__(self) -> None:
        # One compiled version serves writable and read-only arrays.
        for array in (self.middle, self.norms, self.mean, self.norm):
            array.flags.writeable = False

    # How columns are measured, see `columns`; and how often that reads X.
    moments = staticmethod(columns.moments)
    middles = staticmethod(columns.middles)
    reads = 1

    @classmethod
    def wrap(cls, **parts: Any) -> Self:
        """Make data of their parts."""
        return cls(**parts)

    @property
    def offsets(self) -> Floats | float:
        """What the numbers of every column are less than those of X."""
        return 0.0

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Number of samples."""

    @abstractmethod
    def _values(self, samples: slice, part: slice | Integers) -> NDArray[Any]:
        """Return some samples of some columns as they are stored, dense."""

    @abstractmethod
    def _sweep(
        self, dual: Basis, basis: Basis, alpha: Basis, target: Floats, pairs: Pairs | None
    ) -> tuple[Floats, Floats, Floats]:
        """As `sweep`, where nothing is the identity."""

    @abstractmethod
    def _square(self, dual: Basis, alpha: Basis, with_image: bool) -> tuple[Floats, Floats]:
        """Return ``m_iᵀ dual m_i``, or alpha without a dual; and ``A_α`` itself if wanted."""

    def sweep(
        self, dual: Basis, basis: Basis, alpha: Basis, target: Basis, pairs: Pairs | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Pass over X: find weights, the image that they give, and entries of the affinity.

        Parameters
        ----------
        dual, basis : ndarray of shape (n_samples, k) or None
            With a dual, the weights are ``α_i = m_iᵀ dual basisᵀ m_i + Σ v_st m_is m_it``, the sum
            over the pairs with their values.
        alpha : ndarray or None
            The weights, where there is no dual.
        target : ndarray of shape (n_samples, l) or None
            What the image is of. Without columns there is none.
        pairs : Pairs or None

        Returns
        -------
        alpha : ndarray
            The weights.
        image : ndarray of shape (n_samples, l)
            ``A_α target``.
        entries : ndarray
            ``Σ α_i m_is m_it`` of every pair (s, t).
        """
        if pairs is not None and self.others is not None:
            if dual is not None:
                alpha = self.others.pair_weights(pairs) + self.forward(dual, basis)
            assert alpha is not None
            return alpha, self.adjoint(alpha, target), self.others.pair_entries(alpha, pairs)
        if pairs is not None and dual is not None and basis is None:
            basis = np.eye(self.n_samples)
        weighs_square = dual is not None and basis is None
        if target is not None and not weighs_square:
            return self._sweep(dual, basis, alpha, target, pairs)
        no_image = target is not None and target.shape[1] == 0
        if pairs is None and (target is None or no_image) and (weighs_square or dual is None):
            return *self._square(dual, alpha, not no_image), np.zeros(0)
        # The identity stands on one side alone: first the weights, then the image.
        alpha, _, entries = self.sweep(dual, basis, alpha, self._no_columns, pairs)
        return alpha, self.sweep(None, None, alpha, target)[1], entries

    def forward(self, dual: Floats, basis: Basis) -> Floats:
        """``α_i = m_iᵀ dual basisᵀ m_i``."""
        return self.sweep(dual, basis, None, self._no_columns)[0]

    def adjoint(self, alpha: Floats, basis: Basis) -> Floats:
        """``A_α basis``."""
        return self.sweep(None, None, alpha, basis)[1]

    def fused(
        self, dual: Floats, basis: Basis, target: Floats | EllipsisType | None = ...
    ) -> tuple[Floats, Floats]:
        """``α = forward(dual, basis)`` and ``A_α target``; the target defaults to the basis."""
        return self.sweep(dual, basis, None, basis if target is ... else target)[:2]

    def pair_weights(self, pairs: Pairs) -> Floats:
        """``Σ v_st m_is m_it`` over the pairs."""
        nothing = np.zeros((self.n_samples, 1))
        return self.sweep(nothing, nothing, None, self._no_columns, pairs)[0]

    def pair_entries(self, alpha: Floats, pairs: Pairs) -> Floats:
        """``Σ α_i m_is m_it`` of every pair."""
        return self.sweep(None, None, alpha, self._no_columns, pairs)[2]

    @property
    def _no_columns(self) -> Floats:
        return np.empty((self.n_samples, 0))

    @property
    def n_columns(self) -> int:
        """Number of columns of X."""
        return int(self.norms.shape[1])

    @property
    def n_features(self) -> int:
        """Number of features: twice the columns where each becomes two parts."""
        return self.norms.size

    @property
    def rank_bound(self) -> int:
        """The rank that the standardised features can have at most."""
        return min(self.n_features, self.n_samples - int(self.loses_rank))

    @property
    def varies(self) -> Bools:
        """Which features are not constant."""
        varies: Bools = self.norms.ravel() > 0
        return varies

    @property
    def squares(self) -> Floats:
        """``|m_i|²``: 1, or 0 for constant features, times the squares of `lengths`."""
        varies = self.varies.astype(float)
        return varies if self.lengths is None else varies * self.lengths**2

    @property
    def passes(self) -> int:
        """How often X has been read so far, by data that share it too."""
        return self.counter.passes

    def count_pass(self) -> None:
        """Count that X is read once more, by `rows` for instance."""
        self.counter.add()

    def feature(self, index: int) -> Floats:
        """``m_i``, one value a sample."""
        part, column = divmod(index, self.n_columns)
        some = slice(column, column + 1)
        return self._standardised(self._values(EVERY, some), some)[:, part]

    def block(self, part: slice | Integers) -> Floats:
        """Return some ``m_i`` as columns, in float64; not for features in two parts."""
        return self._standardised(self._values(EVERY, part), part)

    def rows(self, start: int, stop: int) -> Floats:
        """The samples from `start` to `stop`, as samples × features."""
        samples = slice(start, min(stop, self.n_samples))
        return self._standardised(self._values(samples, EVERY), EVERY)

    def _standardised(self, values: NDArray[Any], part: slice | Integers) -> Floats:
        """Standardise some samples of some columns; parts stand side by side."""
        shifted = values - self.middle[part]
        norms = np.where(self.norms > 0, self.norms, np.inf)[:, part]
        if len(norms) == 1:
            return shifted / norms[0]
        parts = np.maximum(shifted, 0.0) / norms[0], np.maximum(-shifted, 0.0) / norms[1]
        return np.hstack(parts)

    def spans(self) -> Iterator[tuple[slice, Floats]]:
        """Yield slices of the columns, each with ``min m_i``, ``max m_i`` and ``Σ_s m_is``."""
        self.count_pass()
        yield from columns.spans(self.numbers, self.middle, self.norms)

    def warn_if_negative(self, representation: str) -> None:
        """Warn if features as they are have negative values, for algorithms that need none."""
        if representation == "as-is" and any(out[0].min() < 0 for _, out in self.spans()):
            warnings.warn(
                "X has negative values, and two samples with large values of opposite sign count "
                'as alike; take representation="parts"',
                stacklevel=_validate.caller(),
            )

    def joined(self, alpha: Floats) -> Floats:
        """A weight for every column: those of its two parts become ``√(α₊² + α₋²)``, made unit.

        A negative weight of a part counts as 0.
        """
        if len(self.norms) == 1:
            return alpha
        first, second = np.maximum(alpha.reshape(2, -1), 0.0)
        together: Floats = np.hypot(first, second)
        return together / np.linalg.norm(together)

    def rescaled(self, factors: Floats) -> Self:
        """The same data with ``factors_i m_i`` in the place of ``m_i``; factors are above 0."""
        norms = self.norms / factors.reshape(self.norms.shape)
        lengths = factors.ravel() if self.lengths is None else self.lengths * factors.ravel()
        return replace(self, norms=norms, lengths=lengths)

    def scaled(self, scale: Scale) -> Self:
        """The same data, of which every feature keeps a power of its norm; the largest norm is 1.

        That is done last, and once.
        """
        if scale == "unit":
            return self
        norms = self.norms if self.exponents is None else np.ldexp(self.norms, self.exponents)
        factors = _shares(norms) ** KEPT_POWER[scale]
        return replace(self.rescaled(factors), scale=scale)

    @property
    def divisors(self) -> Floats:
        """What divides the centred columns of X: their norms, less the power that they keep."""
        return self.norm / _shares(self.norm) ** KEPT_POWER[self.scale]

    def centered(self) -> Self:
        """The same data with every column centred, even if every one turns out constant."""
        mean, norm = self.moments(self.numbers, True)
        self.counter.add(self.reads)
        moments: dict[str, Any] = {
            "middle": mean,
            "mean": mean,
            "norm": norm,
            "norms": norm[None, :],
        }
        unscaled = replace(self, **moments, loses_rank=True, mean_free=True, lengths=None)
        return unscaled.scaled(self.scale)

    def is_tall(self, times: int = 1) -> bool:
        """Return whether samples, or those of each of some classes, are better `reduced`."""
        return self.n_samples > times * self.n_features

    def reduced(self, members: Bools | None = None) -> tuple[Data, Map, Map]:
        """Replace tall data, or their marked samples, by data with no more samples than features.

        With ``M = U R``, algorithms that depend on inner products of features alone give the same
        weights on R. Returns R and the maps ``Q -> Uᵀ Q`` and ``Q -> U Q``, the latter made
        orthonormal.
        """
        from specsel._data.reduced import reduce  # which imports this file

        return reduce(self, members)


def _shares(norms: Floats) -> Floats:
    """Return norms as shares of the largest."""
    return np.maximum(norms / (norms.max() or 1.0), LEAST_SHARE)
