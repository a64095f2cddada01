"""Scores of features: `Weights`, a `Map` of several rounds, and `Aligned`.

`annotate` writes a result to the variables of an AnnData object.
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from specsel import _data, _validate, linalg
from specsel._validate import ArrayLike, Floats, Integers, Names
from specsel.results import records
from specsel.results.subsets import Path, Subset

# Weights that differ by no more than this share of the largest are alike: there is no gap.
ALIKE = 1e-9

# Eigenvalues of the same weights, from data read again, may differ by this share of the largest;
# two ways to compute the objective of a loop that has settled by this share of it.
EIGENVALUE_ERROR, OBJECTIVE_ERROR = 1e-3, 1e-2

# Starts of k-means, the best of which is kept; and most times that each moves its centres.
STARTS, MOVES = 10, 100


class Weights(records.Record):
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
        ascent it is then about as near to its limit. Other methods may be farther. That of
        `laplacian` and `supervised` may have been higher before (see `history`), with another
        shift or with bases that do not belong to the weights.
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
        largest error of a weight over the largest weight, estimated with random vectors. The
        estimate is too large where no weights stand out. Else None.
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
        for name in ("alpha", "history", "eigenvalues", "basis", "mean", "norm"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
        super().__post_init__()

    def __repr__(self) -> str:
        state = "" if self.converged else "not "
        error = (
            ""
            if self.error is None
            else f", approximate to {self.error:.2g} of the largest weight"
        )
        return (
            f"Weights({len(self.alpha)} features, {_cut(self.alpha)} above a gap of "
            f"{self.gap:.3g}, objective {self.objective:.6g}, k = "
            f"{_validate.count_of(self.k_, 'direction')}, X read {self.n_passes} times, "
            f"{state}converged{error})"
        )

    def _repr_html_(self) -> str:
        return _ranked_html(self, f"Weights, k = {_validate.count_of(self.k_, 'direction')}", {})

    @property
    def k_(self) -> int:
        """Number of directions, the k passed or found; not a number of features."""
        return self.basis.shape[1]

    @property
    def ranking(self) -> Integers:
        """Indices of the features, largest weight first."""
        return np.argsort(-self.alpha, kind="stable")

    @property
    def negative_share(self) -> float:
        """Share of Σ|α| from negative weights; from those of `parts`, where there are any.

        `reweight` and `gap` take negative weights as 0.
        """
        alpha = self.alpha if self.parts is None else self.parts
        return float(np.maximum(-alpha, 0.0).sum() / np.abs(alpha).sum())

    @property
    def gap(self) -> float:
        """Mean weight of the features that `select()` takes, over the mean weight of the rest.

        The gap is a cut, not a test: it shows how clear the cut is, not that there is structure.
        Noise has a gap too. To see whether there is structure at all, compare `objective` with
        that of shuffled columns.

        The gap is 1 where all weights are alike, and infinite where the rest have no weight.
        Negative weights count as 0.
        """
        ordered, count = _descending(self.alpha), _cut(self.alpha)
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
                "X: the affinity of these samples has other eigenvalues than the weights have; "
                "needed are the data that were solved, by a method that uses this affinity, such "
                "as qalpha"
            )
        return linalg.largest_modulus(wide.T @ image[:, self.k_ :], width)[0]

    def _read(self, X: ArrayLike) -> _data.Data:
        """Wrap data of these features, centred and scaled as those were that were solved."""
        data = _data.read(X, center=bool(self.mean.any()))
        records.check_features(data.n_features, data.names, len(self.alpha), self.names, "weights")
        factors = np.ones(len(self.norm))
        np.divide(data.norm, self.norm, out=factors, where=(self.norm > 0) & (data.norm > 0))
        return data if (factors == 1).all() else data.rescaled(factors)

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
        return _clusters(points, k)

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
        Three of 203 features separate two groups. The first principal component overlooks them,
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
        array = records.read_samples(X, len(self.alpha), self.names, "weights")
        return _data.scaled(array, self.mean, self.scale)

    def to_frame(self) -> Any:
        """Return a pandas table of the features, best first.

        Its index is the rank. The columns hold the name (or the number) of a feature, its number,
        its weight, and whether it is above the gap.
        """
        ranking = self.ranking
        columns = {"weight": self.alpha[ranking]}
        return records.ranked_frame(ranking, self.names, columns, _cut(self.alpha))


class Map(records.Record):
    """Relevance and position of every feature in every round.

    Attributes
    ----------
    weights : tuple of Weights
        What every round found, in order.
    coordinates : ndarray of shape (n_features, n_rounds, 2)
        Entries of every feature in the two leading eigenvectors of the G of that round.
    n_passes : int
        How many times X was read in all rounds.
    """

    weights: tuple[Weights, ...]
    coordinates: Floats
    n_passes: int

    def __repr__(self) -> str:
        rounds = _validate.count_of(len(self.weights), "round")
        sizes = ", ".join(str(len(weights.select())) for weights in self.weights)
        return f"Map({len(self.coordinates)} features, {rounds}, {sizes} above the gap)"

    def _repr_html_(self) -> str:
        columns, ranking = {}, self.combined.ranking
        for i, weights in enumerate(self.weights):
            columns[f"relevance {i + 1}"] = records.numbers(weights.alpha[ranking])
            columns[f"position {i + 1}"] = records.numbers(self.positions[ranking, i])
        return _ranked_html(self.combined, f"Map of {len(self.weights)} rounds", columns)

    @property
    def positions(self) -> Floats:
        """Directions of the coordinates, angles from -π/2 to π/2, one column for every round.

        Features whose angles are close are alike in that round.
        """
        one, two = self.coordinates[..., 0], self.coordinates[..., 1]
        return np.arctan2(np.where(one < 0, -two, two), np.abs(one))

    @property
    def relevances(self) -> Floats:
        """Weights of the features, one column for every round."""
        return np.column_stack([weights.alpha for weights in self.weights])

    @property
    def combined(self) -> Weights:
        """Weights over all rounds, ``√(Σ α²)`` scaled to unit norm, to select and reweight by.

        Its objective, basis and eigenvalues are those of the first round.
        """
        return replace(
            self.weights[0],
            alpha=np.sqrt((self.relevances**2).mean(axis=1)),
            n_iter=sum(weights.n_iter for weights in self.weights),
            n_passes=self.n_passes,
            converged=all(weights.converged for weights in self.weights),
        )

    def select(
        self,
        n: int | None = None,
        *,
        threshold: float | None = None,
        diverse: ArrayLike | None = None,
    ) -> Integers:
        """Select features by their `combined` weights; return their indices, best first.

        The parameters are those of `Weights.select`.

        Examples
        --------
        >>> from specsel import datasets, topography
        >>> data = datasets.two_solutions(random_state=1)
        >>> chart = topography.solve(data.X, k=2, rounds=3)
        >>> len(chart.select(6, diverse=data.X))
        6
        """
        return self.combined.select(n, threshold=threshold, diverse=diverse)

    def to_frame(self) -> Any:
        """Return a pandas table of the features: relevance and position in every round."""
        names = self.weights[0].names or range(len(self.positions))
        columns: dict[str, Any] = {"feature": list(names)}
        for i, weights in enumerate(self.weights):
            columns[f"relevance_{i + 1}"] = weights.alpha
            columns[f"position_{i + 1}"] = self.positions[:, i]
        return records.frame(columns)


class Aligned(records.Record):
    """Features whose affinity is aligned with a target, in the order in which they were taken.

    Attributes
    ----------
    ranking : ndarray of int
        The features examined, in the order taken: the first m are the choice of m features.
    scores : ndarray
        The alignment after each of them, ``Σ_S t_i / √(1_SᵀH 1_S)``.
    support : ndarray of int
        The features selected, sorted: as many as requested, or those up to the peak.
    target : str
        The target of the alignment: "neighbours", "classes", "weights" or "given".
    relevance : ndarray of shape (n_features,)
        The t_i: what every feature shares with the target on its own, less what irrelevant
        features do.
    n_passes : int
        Reads of X, single columns by their share.
    names : tuple of str or None
        Names of all features, if X had any.
    """

    ranking: Integers
    scores: Floats
    support: Integers
    target: str
    relevance: Floats
    n_passes: int
    names: Names = None

    @property
    def peak(self) -> int | None:
        """How many features have the largest score; None where the scores still rise at the end.

        The path has several maxima; this is the largest one of all features examined.
        """
        count = int(np.argmax(self.scores)) + 1
        return None if count == len(self.scores) else count

    def __repr__(self) -> str:
        features = _validate.first_few(
            _validate.name_features(self.ranking[: len(self.support)], self.names)
        )
        return (
            f"Aligned({len(self.support)} of {len(self.relevance)} features: {features}, target "
            f"{self.target!r}, score {self.scores[len(self.support) - 1]:.6g}, {self.tell_peak()})"
        )

    def tell_peak(self) -> str:
        """Return where the scores peak, in words."""
        if self.peak is None:
            return f"no peak within {len(self.scores)} features"
        return f"peak at {_validate.count_of(self.peak, 'feature')}"

    def _repr_html_(self) -> str:
        size = len(self.support)
        title = (
            f"Aligned, target {self.target}: {size} of {len(self.relevance)} features, "
            f"{self.tell_peak()}"
        )
        columns = records.ranked_columns(self.ranking, self.names, "score", self.scores)
        return records.html_table(title, columns, size)

    def to_frame(self) -> Any:
        """Return a pandas table of the features, in the order taken."""
        columns = {"score": self.scores, "relevance": self.relevance[self.ranking]}
        return records.ranked_frame(self.ranking, self.names, columns, len(self.support))


def annotate(
    adata: Any,
    found: Weights | Map | Aligned | Subset,
    n: int | None = None,
    *,
    key: str = "specsel",
) -> None:
    """Write scores, ranks and the selection to ``adata.var``, as scanpy's tools do.

    The solvers take AnnData as they take arrays: ``qalpha.solve(adata, k=3)`` reads ``adata.X``;
    for a layer pass ``adata.layers[...]``. Names of features must agree, in the same order. Of a
    `Path` pass ``path[k]``.

    Parameters
    ----------
    adata : AnnData
        Gets three columns in ``var``: ``<key>_score``, ``<key>_rank`` (from 1, the best; 0 for
        features without a rank) and ``<key>_selected``.
    found : Weights, Map, Aligned or Subset
        What a solver found in it.
    n : int, optional
        How many features to select, for results that rank them. By default as the result selects
        by itself.
    key : str
        What the names of the columns begin with.

    Examples
    --------
    >>> from types import SimpleNamespace  # stands for an AnnData object here
    >>> from specsel import datasets, qalpha
    >>> from specsel.results import annotate
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> adata = SimpleNamespace(X=data.X, var={}, n_vars=data.X.shape[1])
    >>> annotate(adata, qalpha.solve(adata.X, k=3))
    >>> adata.var["specsel_selected"].nonzero()[0].tolist()
    [0, 1, 2, 3, 4]
    """
    if not (hasattr(adata, "var") and hasattr(adata, "n_vars")):
        kind = type(adata).__name__
        raise ValueError(f"adata: is of type {kind}; an AnnData object is needed")
    scores, ranking, selected = _scored(found, n)
    if len(scores) != adata.n_vars:
        raise ValueError(
            f"adata: has {adata.n_vars} variables; the result is for {len(scores)} features"
        )
    known = (found.combined if isinstance(found, Map) else found).names
    for i, names in enumerate(zip(getattr(adata, "var_names", ()), known or (), strict=False)):
        if str(names[0]) != names[1]:
            raise ValueError(
                f"adata: variable {i} is {_validate.brief(str(names[0]))}; the result has "
                f"{_validate.brief(names[1])} there"
            )
    ranks = np.zeros(len(scores), dtype=np.intp)
    ranks[ranking] = np.arange(1, len(ranking) + 1)
    mask = np.zeros(len(scores), dtype=bool)
    mask[selected] = True
    for name, values in (("score", scores), ("rank", ranks), ("selected", mask)):
        adata.var[f"{key}_{name}"] = values


def _scored(found: Any, n: int | None) -> tuple[Floats, Integers, Integers]:
    """Return scores of all features, the ranked ones in order, and those selected."""
    if isinstance(found, Map):
        found = found.combined
    if isinstance(found, Weights):
        return found.alpha.copy(), found.ranking, found.select(n)
    if isinstance(found, Aligned):
        if n is None:
            return found.relevance.copy(), found.ranking, found.support
        _validate.check_integer("n", n, 1, len(found.ranking), "the features that were looked at")
        return found.relevance.copy(), found.ranking, found.ranking[:n]
    if isinstance(found, Subset):
        if n is not None:
            raise ValueError(f"n = {n}: the result is a set of {len(found.support)} features")
        scores = np.abs(found.direction)
        order = found.support[np.argsort(-scores[found.support], kind="stable")]
        return scores, order, found.support
    if isinstance(found, Path):
        sizes = found.sizes
        raise ValueError(f"found: is a path of sizes {sizes[0]} to {sizes[-1]}; pass path[k]")
    kind = type(found).__name__
    raise ValueError(f"found: is of type {kind}; Weights, Map, Aligned or Subset is needed")


def check(
    weights: Weights, floor: float, *, value: float | None = None, scale: float = 0.0
) -> Weights:
    """Return the weights, or raise an error where they are not what `Weights` documents.

    They must be finite and have unit norm up to the rounding of a pass, which leaves `floor`.
    `value` is the objective as other products than those of `objective` give it, where the
    algorithm knows it; `scale` is the size of the terms that add up to it.
    """
    parts = (weights.alpha, weights.objective, weights.history, weights.eigenvalues, weights.basis)
    fault = ""
    if not all(np.isfinite(part).all() for part in parts):
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


def _ranked_html(weights: Weights, title: str, columns: Mapping[str, Iterable[Any]]) -> str:
    """Return an HTML table of the features by weight; `columns` are more, in the same order."""
    ranking, count = weights.ranking, _cut(weights.alpha)
    first = records.ranked_columns(ranking, weights.names, "weight", weights.alpha[ranking])
    state = "converged" if weights.converged else "not converged"
    title = f"{title}, {state}: {count} of {len(ranking)} above the gap"
    return records.html_table(title, {**first, **columns}, count)


def _clusters(points: Floats, k: int) -> Integers:
    """Cluster points by k-means, the best of several starts; number clusters by first member."""
    from scipy.cluster.vq import kmeans2

    generator, best, labels = np.random.default_rng(0), np.inf, np.zeros(len(points))
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        # Of k clusters of fewer different points some are empty.
        warnings.simplefilter("ignore", UserWarning)
        for _ in range(STARTS):
            centres, now = kmeans2(points, k, iter=1, minit="++", seed=generator)
            for _ in range(MOVES):
                before = now
                centres, now = kmeans2(points, centres, iter=1, minit="matrix")
                if (now == before).all():
                    break
            cost = ((points - centres[now]) ** 2).sum()
            if cost < best:
                best, labels = cost, now
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.intp)
