"""What a solver returns."""

from dataclasses import dataclass, field

import numpy as np

from specsel import _data, _input
from specsel.results.table import check_features, frame


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
        from specsel.results import html

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
            _input.check_number("threshold", threshold)
            n = int((self.alpha >= threshold).sum())
        elif n is None:
            n = _cut(self.alpha)
        else:
            n = _input.check_integer("n", n, 1, len(self.alpha), "the number of features")
        if diverse is None:
            return self.ranking[:n]
        data = _data.read(diverse, center=bool(self.mean.any()))
        check_features(data.n_features, data.names, len(self.alpha), self.names, "weights")
        return _data.pivoted(data, self.alpha, n)

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
        array, names = _input.as_matrix(X, least_samples=1)
        check_features(array.shape[1], names, len(self.alpha), self.names, "weights")
        if not np.isfinite(array).all():
            raise ValueError(_input.describe_not_finite(array, names))
        weighted = array - self.mean
        weighted *= self.scale
        return weighted

    def to_frame(self):
        """Table of the features, best first: name or number, weight, rank, selected or not."""
        ranking = self.ranking
        table = frame(
            {
                "feature": _input.name_features(ranking, self.names),
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
