"""What resampling and simulation estimate.

`Evidence` is from shuffled data, `Intervals` and `StableSubspace` are from the bootstrap; all
others are from the simulations of `positivity`.
"""

from math import sqrt
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from specsel import _data, _validate
from specsel._validate import (
    ArrayLike,
    Bools,
    Floats,
    Integers,
    IntervalMethod,
    Names,
    Similarity,
    Sparse,
)
from specsel.results import records

# p values up to this one are called more than chance.
LEVEL = 0.05

# Largest error of a subspace by rounding.
CHECKED = 1e-8

# 95 % of a normal distribution lies within this many standard deviations of its mean.
DEVIATIONS = 1.959963984540054


class Evidence(records.Record):
    """An objective beside those of shuffled data.

    Attributes
    ----------
    p_value : float
        How often chance does as well, the data themselves counted among the shuffles:
        ``(1 + #{null >= objective}) / (1 + n)``.
    z : float
        How many standard deviations of `null` the objective is above its mean. It describes; it
        is no test, for `null` need not be normal.
    objective : float
        What was found in the data.
    null : ndarray of shape (n,)
        What was found in every shuffle.
    beyond_chance : ndarray of int
        Features whose part of the solver's objective, ``√objective · α``, exceeds the largest one
        of 95 % of the shuffles, the data counted among them; none if there are less than 19.
    method : str
        Whose objective it is.
    shuffled : {"columns", "labels"}
        What was shuffled.
    """

    p_value: float
    z: float
    objective: float
    null: Floats
    beyond_chance: Integers
    method: str
    shuffled: Literal["columns", "labels"]

    @property
    def verdict(self) -> str:
        """The conclusion from the p value, in words."""
        if self.p_value <= LEVEL:
            return "more in common than chance"
        if 1 / (1 + len(self.null)) > LEVEL:
            return f"too few shuffles to tell, {len(self.null)}"
        return "no more in common than chance"

    def __repr__(self) -> str:
        count = len(self.beyond_chance)
        spread = self.null.std(ddof=1) if len(self.null) > 1 else 0.0
        return (
            f"Evidence({self.verdict}: p = {self.p_value:.3g}, objective {self.objective:.3g} "
            f"beside {self.null.mean():.3g} ± {spread:.2g} in {len(self.null)} shuffles of the "
            f"{self.shuffled}, {_validate.count_of(count, 'feature')} beyond chance)"
        )


class Intervals(records.Record):
    """Similarities of all pairs of features, with bootstrap intervals.

    Attributes
    ----------
    A : ndarray of shape (n_features, n_features)
        The similarities. A feature that does not vary has zeros, here and in the intervals.
    lower, upper : ndarray of shape (n_features, n_features)
        Ends of the intervals.
    matrix : {"cosine", "covariance", "correlation", "inner"}
        The kind of similarity.
    method : {"bca", "percentile"}
        The kind of interval.
    confidence : float
        Nominal coverage of every interval.
    n_boot, n_samples : int
        Number of resamples, and of samples.
    constant : ndarray of int
        Features that do not vary or, for cosines and inner products, are zero.
    mean, norm : ndarray of shape (n_features,)
        What centres and scales a feature: its mean, which is 0 for cosines and inner products, and
        the norm of the rest, which is 0 if the feature does not vary.
    names : tuple of str or None
        Names of the features, if X had any.
    """

    A: Floats
    lower: Floats
    upper: Floats
    matrix: Similarity
    method: IntervalMethod
    confidence: float
    n_boot: int
    n_samples: int
    constant: Integers
    mean: Floats
    norm: Floats
    names: Names = None

    @property
    def E(self) -> Floats:
        """How far every similarity may be off: the distance to the farther end of its interval."""
        return np.maximum(np.abs(self.A - self.lower), np.abs(self.upper - self.A))

    def __repr__(self) -> str:
        return (
            f"Intervals({self.matrix} of {len(self.A)} features, {self.method}, confidence "
            f"{self.confidence:g}, {self.n_boot} resamples of {self.n_samples} samples)"
        )

    def to_frame(self) -> Any:
        """Return a pandas table of the pairs: both features, similarity, ends of the interval."""
        pairs = np.triu_indices(len(self.A))
        columns = {
            name: _validate.name_features(part, self.names)
            for name, part in zip(("feature", "other"), pairs, strict=True)
        }
        for name in ("A", "lower", "upper"):
            columns[name] = getattr(self, name)[pairs]
        return records.frame(columns)


class Step(NamedTuple):
    """What the search for a stable subspace found with one number of features.

    Attributes
    ----------
    size : int
        Number of features left.
    removed : int or None
        The feature removed last; None at the start.
    gap : float
        The largest gap between neighbouring eigenvalues of A. Where `stable` is None, a bound on
        the gaps of subspaces that retain more than the best one so far.
    error : float
        ``4 ‖E‖``, which a gap must exceed. Where no gap does, a bound from below, most often good
        to six digits.
    stable : dict or None
        The dimensions k of the subspaces that are stable, with the share that each retains. None
        if A was not decomposed, because nothing stable could retain more than the best so far.
    """

    size: int
    removed: int | None
    gap: float
    error: float
    stable: dict[int, float] | None


class StableSubspace(records.Record):
    """A principal subspace that the sample determines, and how it was found.

    Here k counts components, not features: it is the dimension of the subspace.

    Attributes
    ----------
    support : ndarray of int
        The features kept, sorted.
    removed : ndarray of int
        The features removed, in the order of their removal. Features that do not vary are neither
        kept nor removed.
    k : int
        Dimension of the subspace; 0 if no subspace is stable.
    share : float
        Share of the trace of A that the subspace retains.
    stable : dict
        All dimensions that are stable with these features, with the share that each retains.
    converged : bool
        Whether the share is as large as requested. If not, it is the largest one found.
    retain : float
        The share requested.
    eigenvalues : ndarray of shape (n_kept,)
        All eigenvalues of A for the features kept, largest first.
    vectors : ndarray of shape (n_kept, k)
        The first k eigenvectors, with positive sums: an orthonormal basis of the subspace.
    bound : float
        Bound on the sine of the angle by which any symmetric change of A within E turns the
        subspace.
    trace : tuple of Step
        The search, one step for every number of features.
    intervals : Intervals
        Similarities of all features, with their intervals.
    """

    support: Integers
    removed: Integers
    k: int
    share: float
    stable: dict[int, float]
    converged: bool
    retain: float
    eigenvalues: Floats
    vectors: Floats
    bound: float
    trace: tuple[Step, ...]
    intervals: Intervals

    def __post_init__(self) -> None:
        """Refuse a subspace that is not finite, not orthonormal, or retains another share."""
        with np.errstate(all="ignore"):
            inner = self.vectors.T @ self.vectors
            total, retained = self.A.trace(), self.eigenvalues[: self.k].sum()
        fault = ""
        if not all(
            np.isfinite(part).all() for part in (self.eigenvalues, self.vectors, self.share)
        ):
            fault = "it is not finite"
        elif self.k and np.abs(inner - np.eye(self.k)).max() > CHECKED:
            fault = "its basis is not orthonormal"
        elif abs(retained - self.share * total) > CHECKED * total:
            fault = f"it retains {retained / total:.6g} instead of {self.share:.6g}"
        if fault:
            raise ValueError(f"X: the subspace found cannot be trusted, {fault}; rescale X")
        super().__post_init__()

    @property
    def A(self) -> Floats:
        """The similarities of all features."""
        return self.intervals.A

    @property
    def E(self) -> Floats:
        """How far the similarities of all features may be off."""
        return self.intervals.E

    @property
    def n_decompositions(self) -> int:
        """Number of steps at which A was decomposed."""
        return sum(step.stable is not None for step in self.trace)

    @property
    def n_skipped(self) -> int:
        """Number of steps at which that was not needed."""
        return len(self.trace) - self.n_decompositions

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        features = _validate.first_few(_validate.name_features(self.support, self.intervals.names))
        return (
            f"StableSubspace(k = {_validate.count_of(self.k, 'component')} of {len(self.support)} "
            f"features: {features}, "
            f"share {self.share:.3g}, {len(self.removed)} removed, {self.n_decompositions} "
            f"decompositions, {self.n_skipped} skipped, {state})"
        )

    def _repr_html_(self) -> str:
        values, names = self.eigenvalues, self.intervals.names
        columns = {
            "eigenvalue": range(1, len(values) + 1),
            "value": records.numbers(values),
            "": records.bars(values),
            "share": records.numbers(np.cumsum(values) / np.trace(self.A)),
        }
        title = (
            f"StableSubspace, k = {_validate.count_of(self.k, 'component')} of {len(values)} "
            f"features: share {self.share:.3g}{'' if self.converged else ', not converged'}"
        )
        line = records.html_line(self.support, names)
        notes = [f"features: {line}" if self.k else "nothing is stable"]
        if self.k and len(self.removed):
            notes.append(f"removed: {records.html_line(self.removed, names)}")
        return records.html_table(title, columns, self.k, notes)

    def transform(self, X: ArrayLike | Sparse) -> Floats:
        """Project samples on the subspace.

        The features are centred and scaled by the numbers found with the subspace: for cosines
        scaled to unit norm, for covariances centred, for correlations centred and scaled to unit
        variance; for inner products they stay as they are.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            With all features, the removed ones included. A sparse X stays sparse.

        Returns
        -------
        ndarray of shape (n_samples, k)
        """
        found = self.intervals
        values = records.read_samples(X, len(found.A), found.names, "intervals")
        mean, norm = found.mean[self.support], found.norm[self.support]
        scale = 1 / norm
        if found.matrix in ("covariance", "inner"):
            scale = np.ones_like(norm)
        elif found.matrix == "correlation":
            scale *= np.sqrt(found.n_samples - 1)
        kept, weights = values[:, self.support], self.vectors * scale[:, None]
        scores: Floats
        if not isinstance(values, Sparse):
            scores = (kept - mean) @ weights
            return scores
        # A mean far from 0, subtracted after the product, would leave few digits.
        far = _data.far_from_zero(mean, norm, found.n_samples)
        centred, rest = kept[:, far].toarray() - mean[far], weights[~far]
        scores = centred @ weights[far] + kept[:, ~far] @ rest - mean[~far] @ rest
        return scores

    def to_frame(self) -> Any:
        """Return the search as a pandas table, one row a step.

        Where A was not decomposed, `decomposed` is False and `stable` an empty dictionary.
        """
        names = self.intervals.names
        columns = {name: [getattr(step, name) for step in self.trace] for name in Step._fields}
        columns["removed"] = [
            None if i is None else names[i] if names else i for i in columns["removed"]
        ]
        columns["decomposed"] = [stable is not None for stable in columns["stable"]]
        columns["stable"] = [stable or {} for stable in columns["stable"]]
        return records.frame(columns)


class Estimate(NamedTuple):
    """A probability, the share of trials in which an event occurred, with its interval.

    `low` and `high` are the ends of a 95 % confidence interval (Wilson).
    """

    probability: float
    low: float
    high: float

    @classmethod
    def of(cls, occurred: Bools) -> Self:
        """Estimate the probability of an event from whether it occurred in each trial."""
        count, p = len(occurred), float(np.mean(occurred))
        z = DEVIATIONS**2 / count
        middle = (p + z / 2) / (1 + z)
        half = sqrt(z * (p * (1 - p) + z / 4)) / (1 + z)
        low = max(middle - half, 0.0) if p > 0 else 0.0
        return cls(p, low, min(middle + half, 1.0) if p < 1 else 1.0)


class Mean(NamedTuple):
    """A mean over trials, its 95 % confidence interval, and what theory expects, or NaN."""

    mean: float
    low: float
    high: float
    expected: float

    @classmethod
    def of(cls, values: Floats, expected: float) -> Self:
        """Estimate a mean from the value of each trial."""
        center = float(values.mean())
        half = DEVIATIONS * float(values.std()) / sqrt(len(values))
        return cls(center, center - half, center + half, float(expected))


class Tail(NamedTuple):
    """How often something is exceeded, a bound on that, and the bound as the paper prints it."""

    frequency: Estimate
    bound: float
    printed: float


class TripleProduct(NamedTuple):
    """Products ``(aᵀb)(aᵀc)(bᵀc)`` of unit vectors: the least found, the mean of random ones."""

    minimum: float
    product: Mean


class LeadingPairs(NamedTuple):
    """Leading eigenpairs of random matrices.

    `eigenvalue` is the mean leading eigenvalue, `eigenvalues` holds that of every trial, and
    `sums` the modulus of the sum of its unit eigenvector.
    """

    eigenvalue: Mean
    eigenvalues: Floats
    sums: Floats


class SpectralHistogram(NamedTuple):
    """A histogram of the eigenvalues of random matrices, and what theory expects.

    `share` is the share of the eigenvalues between two `edges`; `below` and `above` are mean
    numbers of eigenvalues of a matrix outside of all bins.
    """

    edges: Floats
    share: Floats
    expected: Floats
    below: float
    above: float


class SpectralMoments(NamedTuple):
    """Moments of the spectra of random matrices, from the first on, in arrays.

    Attributes
    ----------
    mean, error : ndarray of shape (n_moments,)
        Mean over the trials, and its standard error; NaN for a single trial.
    expected, limit : ndarray of shape (n_moments,)
        What is expected for matrices of this size, NaN where that is not known; and for large
        matrices with the same ratio of rows to columns.
    """

    mean: Floats
    error: Floats
    expected: Floats
    limit: Floats


class WeightBound(NamedTuple):
    """The total weight of the irrelevant features, and a bound on it."""

    weight: float
    bound: float
