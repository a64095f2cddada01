"""Lazy greedy selection of features whose affinity is aligned with a target."""

import numpy as np

from specsel import _data
from specsel._runtime import jit
from specsel._validate import Bools, Floats, Integers

# Features brought up to date at a time, or this share of those that there is room for.
BATCH = 64
BATCH_SHARE = 1 / 8

# Columns at hand hold at most so many numbers, or this share of those of X if that is more.
HELD_NUMBERS = 2**18
HELD_SHARE = 1 / 16


class Search:
    """Greedy selection, one feature at a time, with bounds for the features that lag behind.

    The score that S would have with feature i is ``(a + t_i) / √(b + 2 h_i + H_ii)``, where a
    and b are the sums over S and ``h_i = Σ_{j∈S} H_ij``. As h_i never falls, an old one bounds
    the score from above. So only the features whose bound reaches the best score known are
    brought up to date: their columns are held at hand, and from then on take part in every step.
    When there is no more room for columns, one pass brings all features up to date.

    Where ``a + t_i`` is negative it stands for the score itself: a larger root would make
    copies look better.

    Parameters
    ----------
    data : Dense
        The features m_i.
    relevance : ndarray of shape (n_features,)
        The t_i.
    square : ndarray of shape (n_features,)
        The ``|m_i|²``, 0 for constant features. They are taken after all others.
    allowed : ndarray of bool
        Features that may be taken.

    Attributes
    ----------
    columns_read : int
        Features read one by one, beside the passes that `data` counts.
    """

    def __init__(
        self, data: _data.Data, relevance: Floats, square: Floats, allowed: Bools
    ) -> None:
        self.data, self.relevance, self.allowed = data, relevance, allowed
        self.constant = square**2 == 0  # or next to constant beside others
        self.own = np.where(self.constant, 1.0, square**2)  # 1 spares a division by zero
        self.a = self.b = 0.0
        self.h, self.bounds = np.zeros((2, data.n_features))
        self.current = np.ones(data.n_features, dtype=bool)  # whose h is complete
        room = max(HELD_NUMBERS // data.n_samples, int(HELD_SHARE * data.n_features), 2 * BATCH)
        self.batch = max(BATCH, int(BATCH_SHARE * room))
        self.columns, self.since = np.empty((2, min(room, data.n_features), data.n_samples))
        self.n_since = 0  # columns taken since the last pass, which are in `since`
        self.held = np.empty(0, dtype=np.intp)  # whose columns these are
        self.columns_read = 0

    def run(self, count: int, always: Integers) -> tuple[Integers, Floats]:
        """Take some features, those of `always` before others: which, and the score after each."""
        wanted = np.zeros_like(self.allowed)
        wanted[always] = True
        ranking: list[int] = []
        scores: list[float] = []
        for group in (self.allowed & wanted, self.allowed & ~wanted):
            open_ = np.where(group & ~self.constant, 0.0, -np.inf)
            while len(ranking) < count and open_.max() == 0:
                i = self._best(open_)
                self._take(i)
                open_[i] = -np.inf
                ranking.append(i)
                scores.append(self.a / np.sqrt(self.b))
            rest = np.flatnonzero(group & self.constant)[: count - len(ranking)]
            ranking.extend(rest.tolist())
            scores.extend([self.a / np.sqrt(self.b) if self.b else 0.0] * len(rest))
        return np.array(ranking, dtype=np.intp), np.array(scores)

    def _best(self, open_: Floats) -> int:
        """The feature with the best score of those open; of equal ones the first."""
        own, bounds = self.own, self.bounds
        while True:
            top, known = _bound(
                self.relevance, own, self.h, self.a, self.b, open_, self.current, bounds
            )
            slack = self.data.floor * abs(top)
            tied = np.flatnonzero(bounds >= top - slack)
            if self.current[tied].all():
                return int(tied[0])
            behind = np.flatnonzero(bounds >= known - slack)
            behind = behind[~self.current[behind]]
            if len(behind) > self.batch:
                behind = behind[np.argpartition(-bounds[behind], self.batch)[: self.batch]]
            self._update(behind)

    def _update(self, behind: Integers) -> None:
        """Bring features up to date: these, or if there is no room for their columns all."""
        start, stop = len(self.held), len(self.held) + len(behind)
        if stop > len(self.columns):
            self._update_all()
            return
        self.columns[start:stop] = self.data.block(behind).T
        self.columns_read += len(behind)
        self.h[behind] += _squares(self.columns[start:stop], self.since[: self.n_since])
        self.held = np.append(self.held, behind)
        self.current[behind] = True

    def _update_all(self) -> None:
        """Bring all features up to date by one pass."""
        since = self.since[: self.n_since].T
        self.h[~self.current] += self.data.forward(since, since)[~self.current]
        self.current[:] = True
        self.held, self.n_since = self.held[:0], 0

    def _take(self, i: int) -> None:
        """Add a feature to S."""
        if self.n_since == len(self.since):
            self._update_all()
        self.since[self.n_since] = self.data.feature(i)
        column = self.since[self.n_since : self.n_since + 1]
        self.n_since += 1
        self.a += self.relevance[i]
        self.b += 2 * self.h[i] + self.own[i]
        self.h[self.held] += _squares(self.columns[: len(self.held)], column)
        self.current[:] = False
        self.current[self.held] = True


@jit
def _bound(relevance, own, h, a, b, open_, current, out):
    """Fill in the scores, or for features that lag behind numbers no smaller.

    Return the largest, and the largest of the features that do not lag behind. Closed features
    have a score of minus infinity.
    """
    top, known = -np.inf, np.finfo(np.float64).min
    for i in range(len(out)):
        value = relevance[i] + a
        below = own[i] + b + 2 * h[i]
        # A feature so small beside others that its square is 0 keeps a relevance of about 0.
        if value > 0 and below > 0:
            value /= np.sqrt(below)
        value += open_[i]
        out[i] = value
        top = max(top, value)
        if current[i]:
            known = max(known, value)
    return top, known


@jit
def _squares(columns, others):
    """``Σ_c (m_iᵀ v_c)²`` for every column m_i over the other columns v_c."""
    out = np.zeros(len(columns))
    for i in range(len(columns)):
        for c in range(len(others)):
            product = 0.0
            for s in range(columns.shape[1]):
                product += columns[i, s] * others[c, s]
            out[i] += product * product
    return out
