"""The problem of an exact search: A, B and k, in the form in which the trees use them.

The trees only decide about features that are not always chosen. So these come first, in their
order, and those that every support holds come last. A node is a set of such decisions, and its
matrix is taken from A and B in this order. Features are scaled so that the diagonal of B is 1,
which changes no value and makes the sizes of numbers comparable. Features that are exactly alike
are found here once: of those, the trees choose the earlier ones first, so that duplicates cost
nothing.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import eigh

from specsel._runtime import jit
from specsel._validate import Bools, Floats, Integers, Worth
from specsel.linalg import eigen, last_eigenvalue, worth
from specsel.results.subsets import Found

# A support, in the numbering of A and B, ascending.
Support = tuple[int, ...]

# Features in any order.
Members = Sequence[int] | Integers

# Values nearer than this share of the larger one are ties.
TIE = 1e-9

# Rounding of values, for every feature, as a share of the largest entry of A.
ROUNDING = 1e-15

# Eigenvalues of A below this share of the largest, for every feature, are rounding.
RANK = 1e-14

# Entries of A and B nearer than this share of their diagonal are equal.
EQUAL = 1e-14


class Rounding(NamedTuple):
    """How exact the values of one pair (A, B) can be in float64.

    Rounding changes A and B by some ε of their norms. This moves the value v of a support by up to
    ``ε (‖A‖ + |v| ‖B‖) / λ_min(B)``, and a part of B is no worse than B itself. Here ε is n
    roundings, for n features.
    """

    least: float  # of every value
    share: float  # of the modulus of a value

    @classmethod
    def of_pair(cls, A: Floats, B: Floats, criterion: Worth = "leading") -> Self:
        """Measure A and B, with features scaled so that the diagonal of B is 1.

        A sum over eigenvalues errs by the sum of their errors. That of ``log(1 + λ)`` is the error
        of λ over 1 + λ.
        """
        scale = 1.0 / np.sqrt(np.diag(B))
        a, b = (matrix * scale * scale[:, None] for matrix in (A, B))
        values = np.linalg.eigvalsh(b)
        epsilon = len(A) * np.finfo(float).eps / values[0]
        size = np.abs(a).max() or 1.0  # squares of entries may be no numbers
        norm = size * np.linalg.norm(a / size)
        least, share = float(epsilon * norm), float(epsilon * values[-1])
        if criterion == "leading":
            return cls(least, share)
        rank = np.linalg.matrix_rank(a, hermitian=True)
        if criterion == "trace":
            return cls(rank * least, share)
        return cls(rank * (least + share), 0.0)

    def error(self, value: float, bound: float) -> float:
        """Bound the error of a value and of the bound on it, twice that of ties included."""
        return self.least + (self.share + 2 * TIE) * max(abs(value), abs(bound))

    def told(self, row: Found) -> Found:
        """The row of a path, with its error."""
        return row._replace(error=self.error(row.value, row.bound))


def highest(A: Floats, B: Floats, k: int, criterion: Worth = "leading") -> float:
    """Bound the values of all supports of up to k features by Eq. (8), and rounding.

    No eigenvalue of a support is larger than that of the same place among those of all features.
    """
    scale = 1.0 / np.sqrt(np.diag(B))
    scaled = A * scale * scale[:, None]
    values = eigh(scaled, B * scale * scale[:, None], eigvals_only=True)
    value = worth(values[-k:], criterion)
    return value + TIE * abs(value) + ROUNDING * len(A) * float(np.abs(scaled).max())


class Problem:
    """A, B and k, with the features that every support holds put last.

    Attributes
    ----------
    features : ndarray of int
        The features in the order of `a` and `b`.
    n : int
        How many of them are free; masks of supports have this length.
    choose : int
        How many of the free ones a support holds.
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
        k: int,
        always: Members = (),
        *,
        several: bool = False,
        criterion: Worth = "leading",
    ) -> None:
        self.A, self.B, self.k, self.criterion = A, B, k, criterion
        last = np.sort(np.asarray(always, np.intp))
        free = np.setdiff1d(np.arange(len(A)), last)
        self.features = np.concatenate((free, last))
        self.n = len(free)
        self.choose = k - len(last)
        scale = 1.0 / np.sqrt(np.diag(B)[self.features])
        pair = np.ix_(self.features, self.features)
        self.a, self.b = (matrix[pair] * scale * scale[:, None] for matrix in (A, B))
        self._size = float(np.abs(self.a).max()) or 1.0
        self.groups = np.full(self.n, -1) if several else self._alike()

    def _alike(self) -> Integers:
        """Number the groups of features that can change places, by their first feature."""
        groups = np.full(self.n, -1)
        for i in range(self.n):
            if groups[i] >= 0:
                continue
            for j in range(i + 1, self.n):
                if _are_alike(self.a, self.b, i, j, EQUAL * self._size):
                    groups[[i, j]] = i
        return groups

    @cached_property
    def factor(self) -> Floats:
        """U with ``a = Uᵀ U``: a row for every eigenvalue of `a` that is more than rounding."""
        values, vectors = eigen(self.a)
        kept = values > RANK * len(values) * values[-1]
        return np.ascontiguousarray((vectors[:, kept] * np.sqrt(values[kept])).T)

    @property
    def adds_up(self) -> bool:
        """Whether the criterion is a sum over eigenvalues: also the largest if A has rank one."""
        return self.criterion != "leading" or self._has_rank_one

    @cached_property
    def _has_rank_one(self) -> bool:
        values = eigen(self.a)[0]
        rounding = RANK * len(values) * values[-1]
        return bool(values[-1] > 0 and np.abs(values[:-1]).max(initial=0.0) <= rounding)

    def value(self, support: Support) -> float:
        """Solve for the value of a support."""
        pair = np.ix_(support, support)
        if self.criterion == "leading":
            return last_eigenvalue(self.A[pair], self.B[pair])
        return worth(eigh(self.A[pair], self.B[pair], eigvals_only=True), self.criterion)

    def support(self, mask: Bools) -> Support:
        """Return the support that a mask of free features stands for."""
        chosen = np.concatenate((self.features[: self.n][mask], self.features[self.n :]))
        return tuple(int(feature) for feature in np.sort(chosen))

    def mask(self, support: Members) -> Bools:
        """Return the mask of the free features of a support."""
        return np.isin(self.features[: self.n], support)

    def slack(self, value: float, share: float) -> float:
        """Return a share of a value, and what rounding can make of the value."""
        return share * abs(value) + ROUNDING * len(self.a) * self._size

    def matrix(self, threshold: float) -> Floats:
        """Return ``M = t B - A``: a support worth more than t has a negative eigenvalue in it."""
        return threshold * self.b - self.a


@jit
def _are_alike(a, b, i, j, tolerance):
    """Tell if two features can change places without changing A and B."""
    if abs(a[i, i] - a[j, j]) > tolerance:
        return False
    for other in range(len(a)):
        if other in (i, j):
            continue
        if abs(a[i, other] - a[j, other]) > tolerance or abs(b[i, other] - b[j, other]) > EQUAL:
            return False
    return True
