"""Sets of features: a `Subset` of one size, a `Path` of several.

A support is a set of features. Its value is computed from the eigenvalues λ of the pencil (A, B)
restricted to it: the largest, their sum, or Σ log(1 + λ). Its direction is the eigenvector of the
largest.
"""

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any, NamedTuple, Self

import numpy as np

from specsel import _validate
from specsel._validate import Floats, Integers, Names, Worth
from specsel.results import records

# Names of the values.
VALUES: dict[Worth, str] = {"leading": "value", "trace": "trace", "logdet": "log-det"}

# Supports and their values, best first.
Others = tuple[tuple[Integers, float], ...]

# The pair (A, B), which never changes: `_pencil.Pencil`, with the names of the features, the
# criterion, ``solve(support)`` for a value and its direction, and ``bounds(k)``, the two numbers
# that bound the values of all supports of k features.
Pencil = Any


class Subset(records.Record):
    """Some features, their value, and a bound on the value of any other support of that size.

    Attributes
    ----------
    support : ndarray of int
        The features, sorted.
    value : float
        What was maximised, see `criterion`.
    bound : float
        No other support of this size has a larger value. Where nothing was searched, this is the
        value of all features together: Eq. (8), with as many eigenvalues as the size.
    direction : ndarray of shape (n_features,)
        The eigenvector x, zero outside of the support, with ``xᵀ B x = 1``. With classes, and for
        correlations, it belongs to scaled features: to use it with X, divide it by the standard
        deviations of the features.
    status : str
        "optimal" where it is proved that nothing is better; "gap", "time", "nodes" or
        "interrupted" where the search ended earlier, and why; "features" where too many features
        were left to search; "greedy" where nothing was searched; "ill-conditioned" where the
        search came to its end, but `error` is more than a thousandth of the value, because
        features nearly repeat one another: take a larger shrinkage.
    nodes : int
        Nodes of the search trees.
    seconds : float
        How long the search took, without `seconds_compiling`.
    others : tuple of (support, value)
        The next best supports, if more than one was requested.
    names : tuple of str or None
        Names of all features, if X had any.
    shrinkage : float
        What was added to the diagonal of B.
    error : float
        Largest error of the value and the bound, from ties and rounding. "optimal" means that no
        other support of this size has a value above ``bound + error``. The error grows with the
        condition number of B. It is infinite where nothing was searched.
    criterion : {"leading", "trace", "logdet"}
        What the value is: the largest eigenvalue λ of the pencil over the support, the sum of all,
        or ``Σ log(1 + λ)``.
    lower : float
        No support of this size has a smaller value: Eq. (8) of Moghaddam et al. (2006). It is
        often 0.
    is_pca : bool
        Whether the problem was sparse PCA, without classes: B is the identity.
    seconds_compiling : float
        How long the call compiled, or loaded what was compiled; a first call in a new environment
        takes some seconds more for that. No time limit counts them.
    """

    support: Integers
    value: float
    bound: float
    direction: Floats
    status: str
    nodes: int
    seconds: float
    others: Others = ()
    names: Names = None
    shrinkage: float = 0.0
    error: float = np.inf
    criterion: Worth = "leading"
    lower: float = -np.inf
    is_pca: bool = False
    seconds_compiling: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.value) and np.isfinite(self.direction).all()):
            raise ValueError("X: the value of a support is no finite number; rescale X")
        super().__post_init__()

    @property
    def gap(self) -> float:
        """Largest possible loss of the value: ``(bound - value) / |value|``."""
        missing = self.bound - self.value
        if missing <= 0:
            return 0.0
        return float(missing / abs(self.value)) if self.value else np.inf

    def __repr__(self) -> str:
        features = _validate.first_few(_validate.name_features(self.support, self.names))
        return (
            f"Subset({'sparse PCA, ' * self.is_pca}{len(self.support)} features: {features}, "
            f"{VALUES[self.criterion]} {self.value:.6g}, "
            f"{self.status}, gap {self.gap:.2g}, {self.nodes} nodes, {self.seconds:.2g} s)"
        )

    def _repr_html_(self) -> str:
        entries = self.direction[self.support]
        order = np.argsort(-np.abs(entries), kind="stable")
        columns = {
            "feature": records.html_names(self.support[order], self.names),
            "direction": records.numbers(entries[order]),
            "": records.bars(np.abs(entries[order])),
        }
        title = (
            f"Subset of {len(order)} features: value {self.value:.6g}, {self.status}, "
            f"gap {self.gap:.2g}"
        )
        return records.html_table(title, columns)

    def to_frame(self) -> Any:
        """Return a pandas table of the features and their entries in the direction."""
        columns = {
            "feature": _validate.name_features(self.support, self.names),
            "index": self.support,
            "direction": self.direction[self.support],
        }
        return records.frame(columns)


class SizeRow(NamedTuple):
    """A row of a `Path`: what a search found for one size."""

    size: int
    support: Integers
    value: float
    start: float
    bound: float = np.inf
    status: str = "greedy"
    nodes: int = 0
    seconds: float = 0.0
    others: Others = ()
    error: float = np.inf


class Path(records.Record):
    """Supports of several sizes: ``path[k]`` is the `Subset` of k features.

    The direction of a support is computed when ``path[k]`` is first used, and then kept. All
    directions would take a vector over all features for every size.

    Attributes
    ----------
    sizes : ndarray of int
        The sizes, ascending.
    supports : tuple of ndarray
        The features of every size, sorted.
    values, bounds : ndarray of float
        For every size, as in `Subset`.
    starts : ndarray of float
        The values that greedy selection with swaps found, or truncated power iteration where
        there are too many features for the former.
    statuses : tuple of str
        As in `Subset`.
    nodes : ndarray of int
        Nodes of the search trees.
    seconds : ndarray of float
        Duration of each search.
    others : tuple of tuples
        The next best supports and their values, as in `Subset`.
    errors : ndarray of float
        As in `Subset`.
    pencil : Pencil
        The pair (A, B), which gives the directions.
    names : tuple of str or None
        Names of all features, if X had any.
    shrinkage, criterion
        As in `Subset`.
    lowers : ndarray of float
        For every size, as `lower` in `Subset`.
    seconds_compiling : float
        As in `Subset`, for all sizes together.
    """

    sizes: Integers
    supports: tuple[Integers, ...]
    values: Floats
    starts: Floats
    bounds: Floats
    statuses: tuple[str, ...]
    nodes: Integers
    seconds: Floats
    others: tuple[Others, ...]
    errors: Floats
    pencil: Pencil
    seconds_compiling: float = 0.0
    _subsets: dict[int, Subset] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if not np.isfinite(self.values).all() or np.isnan(self.bounds).any():
            raise ValueError("X: the values of some supports are no finite numbers; rescale X")
        super().__post_init__()
        for support in self.supports:
            support.flags.writeable = False

    @classmethod
    def from_rows(
        cls, pencil: Pencil, rows: Iterable[SizeRow], seconds_compiling: float = 0.0
    ) -> Self:
        """Return the path of these rows, whose sizes ascend."""
        columns: Iterator[Any] = (
            column if name in ("support", "status", "others") else np.array(column)
            for name, column in zip(SizeRow._fields, zip(*rows, strict=True), strict=True)
        )
        return cls(*(*columns, pencil, seconds_compiling))

    @property
    def names(self) -> Names:
        """Names of all features, if X had any."""
        return self.pencil.names

    @property
    def shrinkage(self) -> float:
        """What was added to the diagonal of B."""
        return self.pencil.shrinkage

    @property
    def criterion(self) -> Worth:
        """What the values are, as in `Subset`."""
        return self.pencil.criterion

    @property
    def lowers(self) -> Floats:
        """For every size, a lower bound of the values of all supports."""
        return np.array([self.pencil.bounds(k)[0] for k in self])

    def __len__(self) -> int:
        return len(self.sizes)

    def __iter__(self) -> Iterator[int]:
        return iter(self.sizes.tolist())

    def __getitem__(self, k: int) -> Subset:
        if k not in self.sizes:
            raise KeyError(f"{k}: sizes are {_ranges(self.sizes)}")
        i = int(np.searchsorted(self.sizes, k))
        if i not in self._subsets:
            # Where several threads solve it at once, all get the first one.
            self._subsets.setdefault(i, self._subset(i))
        return self._subsets[i]

    def _subset(self, i: int) -> Subset:
        value, direction = self.pencil.solve(self.supports[i])
        return Subset(
            support=self.supports[i],
            value=value,
            bound=float(self.bounds[i]),
            direction=direction,
            status=self.statuses[i],
            nodes=int(self.nodes[i]),
            seconds=float(self.seconds[i]),
            others=self.others[i],
            names=self.names,
            shrinkage=self.shrinkage,
            error=float(self.errors[i]),
            criterion=self.criterion,
            lower=self.pencil.bounds(len(self.supports[i]))[0],
            is_pca=self.pencil.is_pca,
            seconds_compiling=self.seconds_compiling,
        )

    def __repr__(self) -> str:
        proved = sum(status == "optimal" for status in self.statuses)
        sizes = f"{_ranges(self.sizes)} of {self.pencil.n_features} features"
        values = f"{VALUES[self.criterion]}s {self.values[0]:.6g} to {self.values[-1]:.6g}"
        problem = "sparse PCA, " * self.pencil.is_pca
        return f"Path({problem}sizes {sizes}, {values}, {proved} proved)"

    def _repr_html_(self) -> str:
        columns = {
            "size": self.sizes.tolist(),
            "value": records.numbers(self.values),
            "": records.bars(self.values),
            "bound": records.numbers(self.bounds),
            "status": self.statuses,
            "features": [records.html_line(support, self.names) for support in self.supports],
        }
        return records.html_table(f"Path of {len(self)} sizes", columns)

    def to_frame(self) -> Any:
        """Return a pandas table of the sizes: value, bound, status and features."""
        columns = {
            "size": self.sizes,
            "value": self.values,
            "bound": self.bounds,
            "status": self.statuses,
            "nodes": self.nodes,
            "seconds": self.seconds,
            "features": [tuple(_validate.name_features(s, self.names)) for s in self.supports],
        }
        return records.frame(columns)


def _ranges(sizes: Integers) -> str:
    if len(sizes) > 1 and len(sizes) == sizes[-1] - sizes[0] + 1:
        return f"{sizes[0]} to {sizes[-1]}"
    return ", ".join(map(str, sizes))
