"""What a solver returns."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from specsel import blocks, checks, linalg
from specsel.checks import named, some


@dataclass(frozen=True, eq=False, repr=False)
class Weights:
    """Weights of features, and how they were found.

    Attributes
    ----------
    alpha : ndarray of shape (n_features,)
        The weights: unit norm, positive sum.
    objective : float
        What was maximised, at the weights returned; where there are `parts`, at those.
    history : ndarray
        The objective after every outer iteration.
    eigenvalues : ndarray
        Leading eigenvalues, by modulus, of the weighted affinity of the samples.
    basis : ndarray of shape (n_samples, k)
        Their eigenvectors: the cluster structure that the weights bring out.
    n_iter : int
        Outer iterations.
    n_passes : int
        Reads of X, those of the start included.
    converged : bool
        Whether the objective settled within the tolerance. Where it was higher before, see
        `history`, the weights are those of the highest.
    mean, norm : ndarray of shape (n_features,)
        What centres and scales a feature; a constant feature has norm 0.
    names : tuple of str or None
        Names of the features, if X had any.
    parts : ndarray of shape (2, n_features) or None
        Where a feature was weighed in two parts, what it has above its median and what it has
        below: the weights of both. Then ``alpha`` is ``√(α₊² + α₋²)``, scaled to unit norm.
    """

    alpha: np.ndarray
    objective: float
    history: np.ndarray
    eigenvalues: np.ndarray
    basis: np.ndarray
    n_iter: int
    n_passes: int
    converged: bool
    mean: np.ndarray
    norm: np.ndarray
    names: tuple | None = field(default=None)
    parts: np.ndarray | None = field(default=None)

    def __post_init__(self):
        arrays = ["alpha", "history", "eigenvalues", "basis", "mean", "norm"]
        for name in arrays + ["parts"] * (self.parts is not None):
            array = np.asarray(getattr(self, name), dtype=float).view()
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self):
        state = "converged" if self.converged else "not converged"
        return (
            f"Weights({len(self.alpha)} features, {_cut(self.alpha)} above a gap of "
            f"{self.gap:.3g}, objective {self.objective:.6g}, {self.n_iter} iterations, "
            f"{self.n_passes} passes, {state})"
        )

    def _repr_html_(self):
        from specsel import html

        return html.of_weights(self)

    @property
    def ranking(self) -> np.ndarray:
        """Indices of the features, largest weight first."""
        return np.argsort(-self.alpha, kind="stable")

    @property
    def negative_share(self) -> float:
        """Share of Σ|α| that lies on negative weights, of parts where features have parts."""
        found = self.alpha if self.parts is None else self.parts
        return float(np.maximum(-found, 0.0).sum() / np.abs(found).sum())

    @property
    def gap(self) -> float:
        """Mean weight of the features that `select()` takes, over the mean of the rest.

        Negative weights count as 0. It is 1 where all weights are alike and infinite where the
        rest weighs nothing. It says how clear the cut is, not that there is structure: noise has
        a gap too. For that compare `objective` with that of the same columns, each shuffled.
        """
        weights = np.sort(np.maximum(self.alpha, 0.0))[::-1]
        count = _cut(self.alpha)
        if count == len(weights):
            return 1.0
        rest = weights[count:].mean()
        return float(weights[:count].mean() / rest) if rest > 0 else np.inf

    @property
    def scale(self) -> np.ndarray:
        """What `reweight` multiplies a centred feature by: √α over its norm."""
        scale = np.divide(1.0, self.norm, out=np.zeros_like(self.norm), where=self.norm > 0)
        return scale * np.sqrt(np.maximum(self.alpha, 0.0))

    def select(self, n=None, *, threshold=None, diverse=None) -> np.ndarray:
        """Indices of the selected features, best first.

        Parameters
        ----------
        n : int, optional
            How many. Without it, and without a threshold, the cut is at the sparsity gap: of all
            ways to split the sorted weights in two groups, the one that leaves the least variance
            within the groups.
        threshold : float, optional
            Take the weights that are at least this large.
        diverse : array of samples x features, optional
            The data: instead of the n largest weights, which often say one thing n times, take
            the n features that best span the weighted rest.

        Examples
        --------
        >>> from specsel import datasets, qalpha
        >>> data = datasets.growing_classes(3, random_state=1)
        >>> weights = qalpha.solve(data.X, k=3)
        >>> sorted(weights.select().tolist())
        [0, 1, 2, 3, 4]
        """
        if n is not None and threshold is not None:
            raise ValueError(f"n = {n}, threshold = {threshold}: give one of them, not both")
        if threshold is not None:
            checks.check_number("threshold", threshold)
            n = int((self.alpha >= threshold).sum())
        elif n is None:
            n = _cut(self.alpha)
        else:
            n = checks.check_integer("n", n, 1, len(self.alpha), "the number of features")
        if diverse is None:
            return self.ranking[:n]
        data = blocks.read(diverse, center=bool(self.mean.any()))
        check_features(data.n_features, data.names, len(self.alpha), self.names, "weights")
        return linalg.pivoted(data, self.alpha, n)

    def reweight(self, X) -> np.ndarray:
        """Centre and scale X as the training data were, and multiply by √α, negative α as 0.

        Distances and principal components of the result use every feature by its weight. With
        `qalpha.solve(X, k, method="basic")` this is Algorithm 1 of Wolf and Bileschi (2005), with
        `weighting.solve` their Algorithm 2.

        Parameters
        ----------
        X : array of shape (any number of samples, n_features)

        Examples
        --------
        Three of 203 features tell two groups apart, which the first principal component overlooks:

        >>> import numpy as np
        >>> from specsel import datasets, qalpha
        >>> hidden = datasets.two_gaussians(spread=6.0)
        >>> def agreement(Z):
        ...     component = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)[0][:, 0]
        ...     return float(round(abs(np.corrcoef(component, hidden.y)[0, 1]), 1))
        >>> weights = qalpha.solve(hidden.X, k=2, method="basic")
        >>> agreement(hidden.X), agreement(weights.reweight(hidden.X))
        (0.1, 0.9)
        """
        array, names = checks.as_matrix(X, least_samples=1)
        check_features(array.shape[1], names, len(self.alpha), self.names, "weights")
        if not np.isfinite(array).all():
            raise ValueError(checks.describe_not_finite(array, names))
        weighted = array - self.mean
        weighted *= self.scale
        return weighted

    def to_frame(self):
        """Table of the features, best first: name or number, weight, rank, selected or not."""
        ranking = self.ranking
        table = frame(
            {
                "feature": named(ranking, self.names),
                "index": ranking,
                "weight": self.alpha[ranking],
                "selected": np.arange(len(ranking)) < _cut(self.alpha),
            }
        )
        return table.set_index(table.index + 1).rename_axis("rank")


def _cut(alpha):
    """Size of the upper of the two groups of weights with the least variance within."""
    weights = np.sort(np.maximum(alpha, 0.0))[::-1]
    if weights[0] - weights[-1] <= 1e-9 * weights[0]:
        return len(weights)
    upper = np.arange(1, len(weights))
    lower = len(weights) - upper
    sums = np.cumsum(weights)
    difference = sums[:-1] / upper - (sums[-1] - sums[:-1]) / lower
    return int(np.argmax(upper * lower * difference**2)) + 1


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
        features = some(named(self.support, self.names))
        return (
            f"Subset({len(self.support)} features: {features}, value {self.value:.6g}, "
            f"{self.status}, gap {self.gap:.2g}, {self.nodes} nodes, {self.seconds:.2g} s)"
        )

    def _repr_html_(self):
        from specsel import html

        return html.of_subset(self)

    def to_frame(self):
        """Table of the features and their entries in the direction."""
        columns = {"feature": named(self.support, self.names), "index": self.support}
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
        from specsel import html

        return html.of_path(self)

    def to_frame(self):
        """Table of the sizes: value, bound, status and features."""
        columns = {"size": self.sizes, "value": self.values, "bound": self.bounds}
        columns |= {"status": self.statuses, "nodes": self.nodes, "seconds": self.seconds}
        features = [tuple(named(support, self.names)) for support in self.supports]
        return frame(columns | {"features": features})


def check_features(n_features, names, expected, expected_names, what):
    """Refuse data of other features than a result is for."""
    if n_features != expected:
        raise ValueError(f"X: has {n_features} features; the {what} are for {expected}")
    if names and expected_names and names != expected_names:
        i = next(i for i in range(expected) if names[i] != expected_names[i])
        raise ValueError(
            f"X: column {i} is {names[i]!r}; the {what} have {expected_names[i]!r} there"
        )


def _ranges(sizes):
    if len(sizes) > 1 and len(sizes) == sizes[-1] - sizes[0] + 1:
        return f"{sizes[0]} to {sizes[-1]}"
    return ", ".join(map(str, sizes))


def frame(columns):
    """A pandas table, if pandas is there."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return pd.DataFrame(columns)
