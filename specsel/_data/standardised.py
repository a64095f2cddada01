"""What data know of their features, wherever the numbers of X lie."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from specsel import _validate
from specsel._validate import Floats, Integers, Names

# All columns.
EVERY = slice(None)


# Who wants to know of every read of X.
_watcher: ContextVar[Callable[[int], object] | None] = ContextVar("_watcher", default=None)


@contextmanager
def watched(tell: Callable[[int], object]) -> Iterator[None]:
    """Call `tell` whenever X is read, with how often that was; for X that is measured inside.

    Examples
    --------
    >>> from specsel import qalpha
    >>> seen = []
    >>> with watched(seen.append):
    ...     weights = qalpha.solve([[1.0, 2.0], [2.0, 1.0], [4.0, 4.0]], 1)
    >>> seen[-1] == weights.n_passes
    True
    """
    before = _watcher.set(tell)
    try:
        yield
    finally:
        _watcher.reset(before)


@dataclass
class Counter:
    """How often an array has been read; shared by all data that read the same array."""

    passes: int = 0
    tell: Callable[[int], object] | None = None

    @classmethod
    def of_measured(cls, passes: int) -> Counter:
        """Count the reads of an array that has just been measured, and tell who watches."""
        return cls(passes, _watcher.get())

    def add(self, count: int = 1) -> None:
        """Note that the array is read so many times more."""
        self.passes += count
        if self.tell is not None:
            self.tell(self.passes)


class Scaling(Protocol):
    """What standardises the columns, beside where their numbers lie."""

    @property
    def middle(self) -> Floats:
        """What is subtracted from each column."""

    @property
    def norms(self) -> Floats:
        """Parts × columns: the norm of what remains of each column, or of each of its parts."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Standardised(ABC):
    """The part of `protocol.Data` that needs no number of X.

    Attributes
    ----------
    mean, norm : ndarray
        Of every column: its mean, and the norm of what remains, 0 for a constant one.
    names : tuple of str or None
        Column names, if X has any.
    loses_rank : bool
        Whether centring costs the data one dimension.
    mean_free : bool
        Whether every feature sums to zero over the samples, or did before data were reduced.
    floor : float
        Relative error that rounding leaves in a pass.
    counter : Counter
    exponents : ndarray of int or None
        The powers of two by which extreme columns were divided; `mean` and `norm` are from before.
    lengths : ndarray or None
        What `rescaled` has multiplied the features by.
    """

    mean: Floats
    norm: Floats
    names: Names
    loses_rank: bool
    mean_free: bool
    floor: float
    counter: Counter
    exponents: Integers | None = None
    lengths: Floats | None = None

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Number of samples."""

    @property
    @abstractmethod
    def scaling(self) -> Scaling:
        """What standardises the columns."""

    @abstractmethod
    def spans(self) -> Iterator[tuple[slice, Floats]]:
        """Slices of the columns, each with ``min m_i``, ``max m_i`` and ``Σ_s m_is``."""

    @property
    def middle(self) -> Floats:
        """What is subtracted from each column of X."""
        return self.scaling.middle

    @property
    def norms(self) -> Floats:
        """Norm of every feature before scaling, as an array of parts × columns."""
        return self.scaling.norms

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
    def squares(self) -> Floats:
        """``|m_i|²``: 1, 0 for constant features, or what rescaling made of it."""
        varies = (self.norms.ravel() > 0).astype(float)
        return varies if self.lengths is None else varies * self.lengths**2

    @property
    def passes(self) -> int:
        """How often X has been read so far, by data that share it too."""
        return self.counter.passes

    def count_pass(self) -> None:
        """Note that X has been read once more."""
        self.counter.add()

    def joined(self, alpha: Floats) -> Floats:
        """A weight for every column: those of its two parts become ``√(α₊² + α₋²)``, made unit.

        A negative weight of a part counts as 0.
        """
        if len(self.norms) == 1:
            return alpha
        first, second = np.maximum(alpha.reshape(2, -1), 0.0)
        together: Floats = np.hypot(first, second)
        return together / np.linalg.norm(together)

    def standardised(self, values: Floats, columns: slice | Integers = EVERY) -> Floats:
        """Standardise some samples of X, given for some columns; parts stand side by side."""
        shifted = values - self.scaling.middle[columns]
        norms = np.where(self.norms > 0, self.norms, np.inf)[:, columns]
        return np.hstack([self.part_of(shifted, i) / norm for i, norm in enumerate(norms)])

    def part_of(self, values: Floats, part: int) -> Floats:
        """The shifted values or, of two parts, what is above zero or minus what is below."""
        if len(self.norms) == 1:
            return values
        return np.maximum(-values if part else values, 0.0)

    def warn_if_negative(self, representation: str) -> None:
        """Warn where an algorithm needs features without negative values and some have them."""
        if representation == "as-is" and any(out[0].min() < 0 for _, out in self.spans()):
            warnings.warn(
                "X has negative values, and two samples with large values of opposite sign count "
                'as alike; take representation="parts"',
                stacklevel=_validate.caller(),
            )
