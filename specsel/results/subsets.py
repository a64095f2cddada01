"""What searches for supports find: a `Subset` of one size, a `Path` of several."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from specsel import _input
from specsel.results.table import frame


@dataclass(frozen=True, eq=False, repr=False)
class Subset:
    """Some features, how well they do, and how well any as many could do.

    Attributes
    ----------
    support : ndarray of int
        The features, sorted.
    value : float
        What was maximised: the largest eigenvalue of the pencil over the support.
    bound : float
        No other support of this size has a larger value; infinite where nothing was proved.
    direction : ndarray of shape (n_features,)
        The eigenvector, zero outside of the support: ``xᵀ B x`` is 1. Where the features of data
        are scaled, for classes and for correlations, it is for scaled features: to use it with X,
        divide it by their standard deviations.
    status : str
        "optimal" where it is proved that nothing is better; "gap", "time", "nodes" or
        "interrupted" where the search was ended before; "greedy" where there was none.
    nodes : int
        Of the search tree.
    seconds : float
    others : tuple of (support, value)
        The next best ones, if more than one was asked for.
    names : tuple of str or None
        Names of all features, if X had any.
    shrinkage : float
        What was added to the diagonal of B, by default or as asked.
    """

    support: np.ndarray
    value: float
    bound: float
    direction: np.ndarray
    status: str
    nodes: int
    seconds: float
    others: tuple = ()
    names: tuple | None = field(default=None)
    shrinkage: float = 0.0

    def __post_init__(self):
        self.support.flags.writeable = False
        self.direction.flags.writeable = False

    @property
    def gap(self) -> float:
        """What may be missing, as a share of the value: ``(bound - value) / |value|``."""
        missing = self.bound - self.value
        if missing <= 0:
            return 0.0
        return float(missing / abs(self.value)) if self.value else np.inf

    def __repr__(self):
        features = _input.first_few(_input.name_features(self.support, self.names))
        return (
            f"Subset({len(self.support)} features: {features}, value {self.value:.6g}, "
            f"{self.status}, gap {self.gap:.2g}, {self.nodes} nodes, {self.seconds:.2g} s)"
        )

    def _repr_html_(self):
        from specsel.results import html

        return html.of_subset(self)

    def to_frame(self):
        """Table of the features and their entries in the direction."""
        columns = {
            "feature": _input.name_features(self.support, self.names),
            "index": self.support,
        }
        return frame(columns | {"direction": self.direction[self.support]})


class Found(NamedTuple):
    """One row of a `Path`."""

    size: int
    support: np.ndarray
    value: float
    start: float
    bound: float = np.inf
    status: str = "greedy"
    nodes: int = 0
    seconds: float = 0.0
    others: tuple = ()


class Path:
    """Supports of several sizes: ``path[k]`` is the `Subset` of k features.

    Attributes
    ----------
    sizes : ndarray of int
    values, bounds : ndarray of float
        A number a size, as in `Subset`.
    starts : ndarray of float
        The values that greedy selection with swaps found.
    supports : tuple of ndarray
    statuses : tuple of str
    nodes : ndarray of int
    seconds : ndarray of float
    names : tuple of str or None
    shrinkage : float
        As in `Subset`.
    """

    def __init__(self, pencil, found):
        found = zip(*found, strict=True)
        sizes, supports, values, starts, bounds, statuses, nodes, seconds, others = found
        self._pencil, self.names, self.shrinkage = pencil, pencil.names, pencil.shrinkage
        self.sizes, self.supports, self.statuses = np.array(sizes), supports, statuses
        self.values, self.starts, self.bounds = map(np.array, (values, starts, bounds))
        self.nodes, self.seconds, self._others = np.array(nodes), np.array(seconds), others
        numbers = (self.sizes, self.values, self.starts, self.bounds, self.nodes, self.seconds)
        for array in (*supports, *numbers):
            array.flags.writeable = False

    def __len__(self):
        return len(self.sizes)

    def __iter__(self):
        return iter(self.sizes.tolist())

    def __getitem__(self, k) -> Subset:
        place = np.flatnonzero(self.sizes == k)
        if len(place) == 0:
            raise KeyError(f"{k}: sizes are {_ranges(self.sizes)}")
        i = int(place[0])
        value, direction = self._pencil.solve(self.supports[i])
        return Subset(
            support=self.supports[i],
            value=value,
            bound=float(self.bounds[i]),
            direction=direction,
            status=self.statuses[i],
            nodes=int(self.nodes[i]),
            seconds=float(self.seconds[i]),
            others=self._others[i],
            names=self.names,
            shrinkage=self.shrinkage,
        )

    def __repr__(self):
        proved = sum(status == "optimal" for status in self.statuses)
        return (
            f"Path(sizes {_ranges(self.sizes)} of {self._pencil.n_features} features, values "
            f"{self.values[0]:.6g} to {self.values[-1]:.6g}, {proved} proved)"
        )

    def _repr_html_(self):
        from specsel.results import html

        return html.of_path(self)

    def to_frame(self):
        """Table of the sizes: value, bound, status and features."""
        columns = {"size": self.sizes, "value": self.values, "bound": self.bounds}
        columns |= {"status": self.statuses, "nodes": self.nodes, "seconds": self.seconds}
        features = [tuple(_input.name_features(support, self.names)) for support in self.supports]
        return frame(columns | {"features": features})


def _ranges(sizes):
    if len(sizes) > 1 and len(sizes) == sizes[-1] - sizes[0] + 1:
        return f"{sizes[0]} to {sizes[-1]}"
    return ", ".join(map(str, sizes))
