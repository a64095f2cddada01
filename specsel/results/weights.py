"""Weights of features: what the weighting algorithms return."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from specsel import _containers, _data, _validate, linalg
from specsel._validate import ArrayLike, Floats, Integers, Names
from specsel.results.clusters import kmeans
from specsel.results.table import check_features, frame

# Weights that differ by no more than this share of the largest are alike: there is no gap.
ALIKE = 1e-9

# Eigenvalues of the same weights, from data read again, may differ by this share of the largest.
EIGENVALUE_ERROR = 1e-3

# Two ways to compute the objective of a loop that has settled may differ by this share of it.
OBJECTIVE_ERROR = 1e-2


@dataclass(frozen=True, eq=False, repr=False)
class Weights:
    """One weight for every feature, and how the weights were found.

    Attributes
    ----------
    alpha : ndarray of shape (n_features,)
        The weights. They have unit norm and a positive sum.
    objective : float
        What was maximised, at the weights returned; where there are `parts`, at their weights.
    history : ndarray
        The objective after every iteration.
    eigenvalues : ndarray of shape (k,)
        The k leading eigenvalues, by modulus, of the weighted affinity of the samples; `spectrum`
        gives more of them.
    basis : ndarray of shape (n_samples, k)
        Their eigenvectors: k directions of the samples, which carry the structure that the
        weights bring out. k is a number of directions, about the number of clusters.
    n_iter : int
        Number of iterations. Of tall data they read a small factor of X, and not X.
    n_passes : int
        How many times X was read, for the start too. With `kernel` it counts its matrix too.
    converged : bool
        Whether the objective settled within `tol`: it rose by no more than this share of it over
        the last five iterations of an ascent, or in the last one of another method. After an
        ascent it is then about as near to its limit. Other methods may be farther, and their
        objective may have been higher before (see `history`); the weights are those of the
        highest objective.
    mean, norm : ndarray of shape (n_features,)
        Mean of every feature, and its norm after the mean is subtracted. The norm of a constant
        feature is 0.
    names : tuple of str or None
        Names of the features, if X had any.
    parts : ndarray of shape (2, n_features) or None
        Some solvers split every feature in two, what it has above its median and what it has
        below, and weigh both. Then this holds ``α₊``, the weights of the first parts, and
        ``α₋``, those of the second; `alpha` is ``√(α₊² + α₋²)``, scaled to unit norm.
    error : float or None
        Where the weights are an approximation, which only `weighting.solve` with `rank` gives: the
        largest error of a weight over the largest weight, as random vectors tell. Chance makes it
        look larger where no weights stand out. Else None.
    """

    alpha: Floats
    objective: float
    history: Floats
    eigenvalues: Floats
    basis: Floats
    n_iter: int
    n_passes: int
    converged: bool
    mean: Floats
    norm: Floats
    names: Names = None
    parts: Floats | None = None
    error: float | None = None

    def __post_init__(self) -> None:
        arrays = ["alpha", "history", "eigenvalues", "basis", "mean", "norm"]
        for name in arrays + ["parts"] * (self.parts is not None):
            array = np.asarray(getattr(self, name), dtype=float).view()
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        if self.error is not None:
            state += f", approximate to {self.error:.2g} of the largest weight"
        return (
            f"Weights({len(self.alpha)} features, {_cut(self.alpha)} above a gap of "
            f"{self.gap:.3g}, objective {self.objective:.6g}, k = "
            f"{_validate.count_of(self.k_, 'direction')}, X read {self.n_passes} times, {state})"
        )

    def _repr_html_(self) -> str:
        from specsel.results import html

        return html.of_weights(self)

    @property
    def k_(self) -> int:
        """Number of directions, given as k or found; not a number of features."""
        return self.basis.shape[1]

    @property
    def ranking(self) -> Integers:
        """Indices of the features, largest weight first."""
        return np.argsort(-self.alpha, kind="stable")

    @property
    def negative_share(self) -> float:
        """Share of Σ|α| that lies on negative weights; on those of `parts`, where there are any.

        `reweight` and `gap` take negative weights as 0.
        """
        alpha = self.alpha if self.parts is None else self.parts
        return float(np.maximum(-alpha, 0.0).sum() / np.abs(alpha).sum())

    @property
    def gap(self) -> float:
        """Mean weight of the features that `select()` takes, over the mean weight of the rest.

        The gap is a cut, not a test: it says how clear the cut is, not that there is structure.
        Noise has a gap too. To see whether there is structure at all, compare `objective` with
        that of shuffled columns.

        The gap is 1 where all weights are alike, and infinite where the rest have no weight.
        Negative weights count as 0.
        """
        ordered = _descending(self.alpha)
        count = _cut(self.alpha)
        if count == len(ordered):
            return 1.0
        rest = ordered[count:].mean()
        return float(ordered[:count].mean() / rest) if rest > 0 else np.inf

    @property
    def scale(self) -> Floats:
        """Factors by which `reweight` multiplies centred features: √α over the norm."""
        scale: Floats = np.divide(
            1.0, self.norm, out=np.zeros_like(self.norm), where=self.norm > 0
        )
        return scale * np.sqrt(np.maximum(self.alpha, 0.0))

    def select(
        self,
        n: int | None = None,
        *,
        threshold: float | None = None,
        diverse: ArrayLike | None = None,
    ) -> Integers:
        """Select features; return their indices, best first.

        Parameters
        ----------
        n : int, optional
            How many features to select. Without `n` and `threshold`, the cut is at the sparsity
            gap: the sorted weights are split in two groups such that the variance within the
            groups is least, and the upper group is selected. This cuts noise as well; see `gap`.
        threshold : float, optional
            Select the features whose weight is at least this large.
        diverse : array of shape (n_samples, n_features), optional
            The data, to select features that differ. The features with the largest weights often
            say one thing n times; with `diverse`, those are selected that best span the weighted
            rest.

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
            _validate.check_number("threshold", threshold)
            n = int((self.alpha >= threshold).sum())
        elif n is None:
            n = _cut(self.alpha)
        else:
            n = _validate.check_integer("n", n, 1, len(self.alpha), "the number of features")
        if diverse is None:
            return self.ranking[:n]
        return _data.pivoted(self._read(diverse), self.alpha, n)

    def spectrum(self, X: ArrayLike, beyond: int = 10) -> Floats:
        """Compute the eigenvalues of the weighted affinity, those after the k leading ones too.

        The gap after the k-th shows how clearly k directions stand out. A solve does without the
        eigenvalues after it, since they would make it a fifth slower. Here they take up to three
        passes over X; six where both samples and features are more than 2,000, and those after
        the k-th may then come out a little too small.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data for which the weights were found.
        beyond : int
            How many eigenvalues there should be after the k leading ones; less where X has less.

        Returns
        -------
        ndarray of float
            The eigenvalues, largest modulus first.

        Examples
        --------
        >>> from specsel import datasets, qalpha
        >>> data = datasets.growing_classes(3, random_state=1)
        >>> weights = qalpha.solve(data.X, k=2)  # of three clusters, two directions
        >>> len(weights.eigenvalues), len(weights.spectrum(data.X))
        (2, 12)
        """
        _validate.check_integer("beyond", beyond, 0)
        data, basis = self._read(X), self.basis
        if data.n_samples != len(basis):
            raise ValueError(f"X: has {data.n_samples} samples; the weights are for {len(basis)}")
        if data.is_tall():
            data, restrict, _ = data.reduced()
            basis = restrict(basis)
        width = max(self.k_, min(self.k_ + beyond, data.rank_bound))
        others = np.random.default_rng(0).standard_normal((len(basis), width - self.k_))
        wide = _data.affinity_subspace(data, self.alpha, width, np.hstack((basis, others)))
        image = data.adjoint(self.alpha, np.hstack((basis, wide)))
        kept = linalg.largest_modulus(basis.T @ image[:, : self.k_], self.k_)[0]
        if not np.allclose(kept, self.eigenvalues, 0.0, EIGENVALUE_ERROR * np.abs(kept).max()):
            raise ValueError(
                "X: the affinity of these samples has other eigenvalues than the weights tell; "
                "needed are the data that were solved, by a method that uses this affinity, such "
                "as qalpha"
            )
        return linalg.largest_modulus(wide.T @ image[:, self.k_ :], width)[0]

    def _read(self, X: ArrayLike) -> _data.Data:
        """Wrap data of these features, centred if those were that the weights were found for."""
        data = _data.read(X, center=bool(self.mean.any()))
        check_features(data.n_features, data.names, len(self.alpha), self.names, "weights")
        return data

    def labels(self, X: ArrayLike | None = None, k: int | None = None) -> Integers:
        """Cluster the samples by what the weights bring out.

        k-means on the rows of `basis`, as the first paper clusters samples; or, with X, on the
        k leading principal components of the reweighted samples.

        Parameters
        ----------
        X : array of shape (any number of samples, n_features), optional
            Other samples of the same features, or the same ones.
        k : int, optional
            Number of clusters. By default as many as there are directions.

        Returns
        -------
        ndarray of int
            A label for every sample, from 0, in the order in which clusters first appear.

        Examples
        --------
        >>> from specsel import datasets, qalpha
        >>> data = datasets.growing_classes(3, random_state=1)
        >>> labels = qalpha.solve(data.X, k=3).labels()
        >>> len({*zip(labels.tolist(), data.y.tolist())})  # every cluster is one class
        3
        """
        points = self.basis if X is None else self.reweight(X)
        k = self.basis.shape[1] if k is None else k
        _validate.check_integer("k", k, 1, len(points), "the number of samples")
        if X is not None:
            left, lengths, _ = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
            points = left[:, :k] * lengths[:k]
        return kmeans(points, k)

    def reweight(self, X: ArrayLike) -> Any:
        """Centre and scale X as the training data were, and multiply every feature by √α.

        Distances and principal components of the result then use every feature by its weight.
        Negative weights count as 0. After `qalpha.solve(X, k, method="basic")` this is Algorithm 1
        of Wolf and Bileschi (2005); after `weighting.solve` it is their Algorithm 2.

        Parameters
        ----------
        X : array of shape (any number of samples, n_features)
            The training data, or other samples of the same features. Sparse samples stay sparse
            where features were not centred, and become dense where they were.

        Examples
        --------
        Three of 203 features tell two groups apart. The first principal component overlooks them,
        until the features are weighted:

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
        array, names = _containers.as_data(X, least_samples=1)
        array = _containers.loaded(array)
        check_features(array.shape[1], names, len(self.alpha), self.names, "weights")
        if not np.isfinite(array.data if hasattr(array, "tocsr") else array).all():
            raise ValueError(_containers.describe_not_finite(array, names))
        return _data.scaled(array, self.mean, self.scale)

    def to_frame(self) -> Any:
        """Return a pandas table of the features, best first.

        Its index is the rank. The columns hold the name (or the number) of a feature, its number,
        its weight, and whether it lies above the gap.
        """
        ranking = self.ranking
        table = frame(
            {
                "feature": _validate.name_features(ranking, self.names),
                "index": ranking,
                "weight": self.alpha[ranking],
                "selected": np.arange(len(ranking)) < _cut(self.alpha),
            }
        )
        return table.set_index(table.index + 1).rename_axis("rank")


def check(
    weights: Weights, floor: float, *, value: float | None = None, scale: float = 0.0
) -> Weights:
    """Return weights that are what `Weights` says, and refuse others: better no result than a lie.

    They must be finite and have unit norm up to the rounding of a pass, which leaves `floor`.
    `value` is the objective as other products than those of `objective` give it, where the
    algorithm knows it; `scale` is the size of the terms that add up to it.
    """
    numbers = (weights.objective, weights.history, weights.eigenvalues, weights.basis)
    fault = ""
    if not all(np.isfinite(part).all() for part in (weights.alpha, *numbers)):
        fault = "they are not finite"
    elif not linalg.is_unit(weights.alpha, floor):
        fault = f"their norm is {np.linalg.norm(weights.alpha):.9g} instead of 1"
    elif value is not None:
        size = max(abs(weights.objective), abs(value), scale)
        if not abs(weights.objective - value) <= OBJECTIVE_ERROR * size:
            fault = f"their objective is {weights.objective:.6g}, by other products {value:.6g}"
    if fault:
        raise ValueError(
            f"X: the weights found cannot be trusted, {fault}; take other options, or leave out "
            "features of extreme scale"
        )
    return weights


def _descending(alpha: Floats) -> Floats:
    """Sort weights, largest first; negative ones count as 0."""
    return np.sort(np.maximum(alpha, 0.0))[::-1]


def _cut(alpha: Floats) -> int:
    """Split the weights in two groups with the least variance within; count the upper group."""
    ordered = _descending(alpha)
    if ordered[0] - ordered[-1] <= ALIKE * ordered[0]:
        return len(ordered)
    upper = np.arange(1, len(ordered))
    lower = len(ordered) - upper
    sums = np.cumsum(ordered)
    difference = sums[:-1] / upper - (sums[-1] - sums[:-1]) / lower
    return int(np.argmax(upper * lower * difference**2)) + 1
