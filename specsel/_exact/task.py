"""What an exact search looks for: A, B and the features that every support holds.

The trees only decide about features that are not always chosen. So these come first, in their
order, and those that every support holds come last. A node is a set of such decisions, and its
matrix is taken from A and B in this order. Features are scaled so that the diagonal of B is 1,
which changes no value and makes the sizes of numbers comparable. Features that are exactly alike
are found here once: of those, the trees choose the earlier ones first, so that duplicates cost
nothing.

Values within rounding of each other are ties, and of ties the lexicographically smallest support
wins, so that the outcome does not depend on the order in which supports are found.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from specsel._runtime import jit
from specsel._validate import Bools, Floats, Integers, Worth
from specsel.linalg import eigen, last_eigenvalue, worth

# A support, in the numbering of A and B, ascending.
Support = tuple[int, ...]

# A node of a tree: the features it keeps, its free ones, and how many of these its supports hold.
Node = tuple[Integers, Integers, int]

# Values nearer than this share of the larger one are ties.
TIE = 1e-9

# Rounding of values, for every feature, as a share of the largest entry of A.
ROUNDING = 1e-15

# Eigenvalues of A below this share of the largest, for every feature, are rounding.
RANK = 1e-14

# Entries of A and B nearer than this share of their diagonal are equal.
EQUAL = 1e-14


class SearchTask:
    """A and B, with the features that every support holds put last.

    Attributes
    ----------
    features : ndarray of int
        The features in the order of `a` and `b`.
    n : int
        How many of them are free; masks of supports have this length.
    a, b : ndarray
        A and B in that order, scaled so that the diagonal of `b` is 1.
    groups : ndarray of int
        Free features that can change places without changing A and B have the same number here;
        all others have -1. Where several supports are wanted, -1 everywhere.
    """

    def __init__(
        self,
        A: Floats,
        B: Floats,
        criterion: Worth = "leading",
        always: Sequence[int] | Integers = (),
        *,
        several: bool = False,
    ) -> None:
        self.A, self.B, self.criterion = A, B, criterion
        last = np.sort(np.asarray(always, np.intp))
        free = np.setdiff1d(np.arange(len(A)), last)
        self.features, self.n = np.concatenate((free, last)), len(free)
        scale = 1.0 / np.sqrt(np.diag(B)[self.features])
        pair = np.ix_(self.features, self.features)
        self.a, self.b = (matrix[pair] * scale * scale[:, None] for matrix in (A, B))
        self.largest_entry = float(np.abs(self.a).max()) or 1.0
        self.groups = np.full(self.n, -1)
        if not several:
            _group_alike(self.a, self.b, EQUAL * self.largest_entry, self.groups)

    @cached_property
    def _spectrum_of_a(self) -> tuple[Floats, Floats]:
        return eigen(self.a)

    @cached_property
    def factor(self) -> Floats:
        """U with ``a = Uᵀ U``: a row for every eigenvalue of `a` that is more than rounding."""
        values, vectors = self._spectrum_of_a
        kept = values > RANK * len(values) * values[-1]
        return np.ascontiguousarray((vectors[:, kept] * np.sqrt(values[kept])).T)

    @property
    def adds_up(self) -> bool:
        """Whether the criterion is a sum over eigenvalues: also the largest if A has rank one."""
        if self.criterion != "leading":
            return True
        values = self._spectrum_of_a[0]
        rounding = RANK * len(values) * values[-1]
        return bool(values[-1] > 0 and np.abs(values[:-1]).max(initial=0.0) <= rounding)

    @cached_property
    def _eigenvalues(self) -> Floats:
        return eigh(self.a, self.b, eigvals_only=True)

    def highest(self, k: int) -> float:
        """Bound the values of all supports of up to k features by Eq. (8), and rounding.

        No eigenvalue of a support is larger than that of the same place among those of all.
        """
        value = worth(self._eigenvalues[-k:], self.criterion)
        return value + self.slack(value, TIE)

    def value(self, support: Support) -> float:
        """Solve for the value of a support."""
        pair = np.ix_(support, support)
        if self.criterion == "leading":
            return last_eigenvalue(self.A[pair], self.B[pair])
        return worth(eigh(self.A[pair], self.B[pair], eigvals_only=True), self.criterion)

    def support(self, mask: Bools) -> Support:
        """Return the support that a mask of free features stands for."""
        chosen = np.concatenate((self.features[: self.n][mask], self.features[self.n :]))
        return tuple(np.sort(chosen).tolist())

    def mask(self, support: Sequence[int] | Integers) -> Bools:
        """Return the mask of the free features of a support."""
        return np.isin(self.features[: self.n], support)

    def slack(self, value: float, share: float) -> float:
        """Return a share of a value, and what rounding can make of the value."""
        return slack(value, share, len(self.a), self.largest_entry)

    def matrix(self, threshold: float) -> Floats:
        """Return ``M = t B - A``: a support worth more than t has a negative eigenvalue in it."""
        return threshold * self.b - self.a

    def rounding(self) -> tuple[float, float]:
        """Return how exact values can be in float64: an error of all, and a share of the modulus.

        Rounding changes A and B by some ε of their norms. This moves the value v of a support by
        up to ``ε (‖A‖ + |v| ‖B‖) / λ_min(B)``, and a part of B is no worse than B itself. Here ε
        is n roundings, for n features. A sum over eigenvalues errs by the sum of their errors;
        that of ``log(1 + λ)`` is the error of λ over 1 + λ.
        """
        values = np.linalg.eigvalsh(self.b)
        epsilon = len(self.a) * np.finfo(float).eps / values[0]
        size = self.largest_entry  # squares of entries may be no numbers
        least = float(epsilon * size * np.linalg.norm(self.a / size))
        share = float(epsilon * values[-1])
        if self.criterion == "leading":
            return least, share
        rank = int(np.linalg.matrix_rank(self.a, hermitian=True))
        return (
            (rank * least, share) if self.criterion == "trace" else (rank * (least + share), 0.0)
        )


def slack(value: float, share: float, count: int, size: float) -> float:
    """Return a share of a value, and what rounding makes of it, of `count` features.

    `size` is the largest entry of A.
    """
    return share * abs(value) + ROUNDING * count * size


@jit
def _group_alike(a, b, tolerance, groups):
    """Number the groups of features that can change places, by their first feature."""
    for i in range(len(groups)):
        if groups[i] < 0:
            for j in range(i + 1, len(groups)):
                if _are_alike(a, b, i, j, tolerance):
                    groups[i] = groups[j] = i


@jit
def _are_alike(a, b, i, j, tolerance):
    """Return whether two features can change places without changing A and B."""
    if abs(a[i, i] - a[j, j]) > tolerance:
        return False
    for other in range(len(a)):
        if other in (i, j):
            continue
        if abs(a[i, other] - a[j, other]) > tolerance or abs(b[i, other] - b[j, other]) > EQUAL:
            return False
    return True


class Rules(NamedTuple):
    """What the nodes of the two depth-first trees are pruned by. M is ``t B - A``."""

    above: np.ndarray  # M with t just above the value of the incumbent, the support to beat
    below: np.ndarray  # M with t just below it, where ties still count as better
    incumbent: np.ndarray  # mask of the support to beat
    groups: np.ndarray  # group of each feature among those that are exactly alike, or -1
    version: int  # of the incumbent
    plain: bool  # whether only the number of negative eigenvalues prunes (Eq. 8)
    largest: float = np.inf  # Schur complements with larger entries prove nothing
    ties: bool = False  # whether only supports that precede the incumbent are of use


@jit
def precedes(mask, incumbent):
    """Return whether a support is lexicographically smaller than the incumbent."""
    for i in range(len(mask)):
        if mask[i] != incumbent[i]:
            return mask[i]
    return False
