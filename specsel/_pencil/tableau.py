"""A support of a pencil, and what adding, removing or swapping one feature does to its value.

With ``A = U Uᵀ`` of rank r, the eigenvalues over a support S are those of ``H = U_Sᵀ B_S⁻¹ U_S``,
an r x r matrix whatever the size of S. To add feature j adds ``g gᵀ/s`` to H, where g and s are
what the support does not explain of ``U_j`` and ``B_jj``. To remove feature i subtracts
``w wᵀ/p``, where w is its row of ``B_S⁻¹ U_S`` and p its diagonal entry of ``B_S⁻¹``. So every
candidate costs r operations, see `criteria`.
"""

from collections.abc import Callable

import numpy as np
from numba import prange

from specsel import linalg
from specsel._pencil.criteria import improved, value_of, worth
from specsel._pencil.pencil import Pencil
from specsel._runtime import jit
from specsel._validate import WORTHS, Bools, Floats, Integers

# From so many entries on, several threads update a matrix sooner than one does.
PARALLEL_SIZE = 10**5

# A change must raise the value by this share, or rounding would decide.
GAIN = 1e-11

# If a support leaves less than this share of a feature unexplained, what is left is rounding.
NOTHING_LEFT = 1e-13

# A support is built up anew when ``B_S⁻¹ U_S`` solves its equation with a larger relative error.
DRIFT = 1e-9


@jit
def best_addition(values, gains, rest, floor, allowed, criterion):
    """Return the feature that raises the value most, and that value.

    If none raises it, return the first that is allowed.
    """
    n_features, rank = gains.shape
    best, place = worth(values, criterion), -1
    nothing, raised = np.zeros((2, rank))
    for j in range(n_features):
        if not allowed[j]:
            continue
        if place < 0:
            place = j
        if rest[j] <= floor[j]:
            continue
        for r in range(rank):
            raised[r] = gains[j, r] / np.sqrt(rest[j])
        value = improved(best, best * (1 + GAIN), values, nothing, raised, criterion)
        if value > best:
            best, place = value, j
    return place, best


@jit
def best_deletion(values, weights, inverse, size, free, criterion):
    """Return which of the first `size` members lowers the value least, and the value then."""
    rank = weights.shape[1]
    best, place = -GAIN * abs(worth(values, criterion)), -1
    lowered, nothing = np.zeros((2, rank))
    for i in range(size):
        if not free[i]:
            continue
        for r in range(rank):
            lowered[r] = weights[i, r] / np.sqrt(inverse[i, i])
        target = best if place < 0 else best + GAIN * abs(best)
        value = improved(best, target, values, lowered, nothing, criterion)
        if place < 0 or value > best:
            best, place = max(value, best), i
    return place, best


@jit(parallel=True)
def best_swaps(
    values, weights, inverse, coefficients, gains, rest, floor, free, allowed, criterion, out
):
    """Find for every free member the best feature to take its place, and the value then.

    Row i of `out` gets both; the feature is -1 if none raises the value.
    """
    size, n_features = coefficients.shape
    for i in prange(size):
        out[i, 0], out[i, 1] = -1, worth(values, criterion)
        if free[i]:
            share = 1.0 / inverse[i, i]
            lowered = weights[i] * np.sqrt(share)
            raised = np.empty(len(lowered))
            for j in range(n_features):
                joint = coefficients[i, j]
                left = rest[j] + joint * joint * share
                if not allowed[j] or left <= floor[j]:
                    continue
                for r in range(len(raised)):
                    raised[r] = (gains[j, r] + joint * share * weights[i, r]) / np.sqrt(left)
                target = out[i, 1] * (1 + GAIN)
                value = improved(out[i, 1], target, values, lowered, raised, criterion)
                if value > target:
                    out[i, 0], out[i, 1] = j, value


class Tableau:
    """A support, and all that adding, removing and swapping need to know of it, kept up to date.

    Attributes
    ----------
    members : list of int
        The support S.
    inverse : ndarray
        ``B_S⁻¹``.
    weights : ndarray
        ``B_S⁻¹ U_S``.
    coefficients : ndarray
        ``B_S⁻¹ B_S,all``: how the members explain all features.
    rest : ndarray
        The part of every diagonal entry of B that the members leave unexplained.
    gains : ndarray
        The part of U that they leave unexplained.
    inner : ndarray
        H, whose eigenvalues give the value.
    """

    def __init__(self, pencil: Pencil, always: Integers, allowed: Bools, size: int) -> None:
        """Start from no feature, with room for `size` of them.

        Members of `always` are not swapped; only `allowed` features are added.
        """
        self.pencil, self.always, self.allowed = pencil, always, allowed
        self.criterion = WORTHS.index(pencil.criterion)
        self._all_coefficients = np.empty((size + 1, pencil.n_features))
        self._all_inverse = np.empty((size + 1, size + 1))
        self._all_weights = np.empty((size + 1, pencil.factor.shape[1]))
        self.diagonal = pencil.diagonal
        self.floor = NOTHING_LEFT * self.diagonal
        self._clear()

    def _clear(self) -> None:
        """Start again from no feature."""
        self.members: list[int] = []
        self.rest, self.gains = self.diagonal.copy(), self.pencil.factor.copy()
        self.inner = np.zeros((self.gains.shape[1],) * 2)

    @property
    def value(self) -> float:
        """The value of the support, with the shift of the pencil."""
        return value_of(self.inner, self.criterion)

    @property
    def coefficients(self) -> Floats:
        """How the members explain all features."""
        return self._all_coefficients[: len(self.members)]

    @property
    def inverse(self) -> Floats:
        """The inverse of B over the members."""
        return self._all_inverse[: len(self.members), : len(self.members)]

    @property
    def weights(self) -> Floats:
        """That inverse times the rows of U."""
        return self._all_weights[: len(self.members)]

    @property
    def _open(self) -> Bools:
        """Mask of the features that may be added."""
        outside = self.allowed.copy()
        outside[self.members] = False
        return outside

    def best_addition(self) -> tuple[int, float]:
        """Return the feature whose addition raises the value most, and the value then."""
        values, axes = linalg.eigen(self.inner)
        gains = self.gains @ axes
        place, value = best_addition(
            values, gains, self.rest, self.floor, self._open, self.criterion
        )
        return place, value

    def add(self, j: int) -> None:
        """Add feature j."""
        size = len(self.members)
        row = self.pencil.row(j)
        row -= row[self.members] @ self.coefficients
        left = max(self.rest[j], self.floor[j])
        column, gain = self.coefficients[:, j].copy(), self.gains[j].copy()
        rank_one(self.coefficients, column / left, row)
        rank_one(self.inverse, column / left, -column)
        self.weights[:] -= np.outer(column / left, gain)
        self._all_inverse[size, :size] = self._all_inverse[:size, size] = -column / left
        self._all_inverse[size, size] = 1 / left
        self._all_coefficients[size], self._all_weights[size] = row / left, gain / left
        self.inner += np.outer(gain, gain / left)
        self.gains -= row[:, None] * (gain / left)
        self.rest -= row**2 / left
        self.members.append(j)

    def remove(self, j: int) -> None:
        """Remove feature j; the last member takes its place."""
        i, last = self.members.index(j), len(self.members) - 1
        row, column = self.coefficients[i].copy(), self.inverse[i].copy()
        weight, power = self.weights[i].copy(), self.inverse[i, i]
        self.inner -= np.outer(weight, weight / power)
        self.gains += row[:, None] * (weight / power)
        self.rest += row**2 / power
        rank_one(self.coefficients, column / power, row)
        rank_one(self.inverse, column / power, column)
        self.weights[:] -= np.outer(column / power, weight)
        for array in (self.coefficients, self.weights, self.inverse, self.inverse.T):
            array[i] = array[last]
        self.members[i] = self.members[last]
        self.members.pop()

    def move_to(self, support: Integers) -> None:
        """Go to another support by the fewest changes, and start again if rounding has grown."""
        wanted, known = {*support.tolist()}, {*self.members}
        if len(wanted ^ known) > len(wanted):
            self._clear()
            known = set()
        for j in sorted(known - wanted):
            self.remove(j)
        for j in sorted(wanted - known):
            self.add(j)
        if self._drift() > DRIFT:
            self._clear()
            for j in sorted(wanted):
                self.add(j)

    def _drift(self) -> float:
        """Measure the relative error of `weights` as the solution of ``B_S weights = U_S``."""
        factor = self.pencil.factor[self.members]
        error = self.pencil.times_b(self.members, self.weights) - factor
        return float(np.abs(error).max() / (np.abs(factor).max() or 1.0))

    def swap(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Swap one member for another feature, the best pair each time, as long as that helps."""
        while not stop():
            values, axes = linalg.eigen(self.inner)
            out = np.empty((len(self.members), 2))
            best_swaps(
                values,
                self.weights @ axes,
                self.inverse,
                self.coefficients,
                self.gains @ axes,
                self.rest,
                self.floor,
                ~np.isin(self.members, self.always),
                self._open,
                self.criterion,
                out,
            )
            i = np.argmax(out[:, 1])
            if out[i, 0] < 0:
                return
            member, other = self.members[i], int(out[i, 0])
            self.remove(member)
            self.add(other)
            if self.value <= worth(values, self.criterion) * (1 + GAIN / 2):  # only rounding
                self.remove(other)
                self.add(member)
                return


def rank_one(matrix: Floats, left: Floats, right: Floats) -> None:
    """Subtract ``left rightᵀ`` from a matrix, in place."""
    if matrix.size < PARALLEL_SIZE:
        matrix -= np.outer(left, right)
    else:
        _rank_one(matrix, left, right)


@jit(parallel=True)
def _rank_one(matrix, left, right):
    for i in prange(len(left)):
        for j in range(len(right)):
            matrix[i, j] -= left[i] * right[j]
