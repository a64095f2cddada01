"""What the stability of subspaces is judged by, `Intervals`, and what is found."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from specsel import _data, _input
from specsel.results.table import check_features, frame


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """Similarities of all pairs of features, and intervals for them.

    Attributes
    ----------
    A : ndarray of shape (n_features, n_features)
        The similarities. A feature without variation has zeros, here and below.
    lower, upper : ndarray of shape (n_features, n_features)
        Ends of the intervals.
    matrix, method : str
        As they were asked for.
    confidence : float
    n_boot, n_samples : int
    constant : ndarray of int
        Features that do not vary, or, for cosines, are zero.
    mean, norm : ndarray of shape (n_features,)
        What centres and scales a feature.
    names : tuple of str or None
        Names of the features, if X had any.
    """

    A: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    matrix: str
    method: str
    confidence: float
    n_boot: int
    n_samples: int
    constant: np.ndarray
    mean: np.ndarray
    norm: np.ndarray
    names: tuple | None = field(default=None)

    def __post_init__(self):
        for name in ("A", "lower", "upper", "constant", "mean", "norm"):
            getattr(self, name).flags.writeable = False

    @property
    def E(self) -> np.ndarray:
        """The larger of the distances from a similarity to the ends of its interval."""
        return np.maximum(np.abs(self.A - self.lower), np.abs(self.upper - self.A))

    def __repr__(self):
        return (
            f"Intervals({self.matrix} of {len(self.A)} features, {self.method}, confidence "
            f"{self.confidence:g}, {self.n_boot} resamples of {self.n_samples} samples)"
        )

    def to_frame(self):
        """Table of the pairs: features, similarity and the ends of its interval."""
        pairs = np.triu_indices(len(self.A))
        columns = {
            name: _input.name_features(part, self.names)
            for name, part in zip(("feature", "other"), pairs, strict=True)
        }
        for name in ("A", "lower", "upper"):
            columns[name] = getattr(self, name)[pairs]
        return frame(columns)


class Step(NamedTuple):
    """One size in the search for a stable subspace.

    Attributes
    ----------
    size : int
        Features left.
    removed : int or None
        The feature that was removed last.
    gap : float
        The largest distance between neighbouring eigenvalues of A; where `stable` is None, a bound
        on the gaps that matter.
    error : float
        What a gap must exceed, ``4 ‖E‖``; where no gap exceeds it, a bound on it from below, which
        most often has six digits.
    stable : dict or None
        Of every k whose subspace is stable, the share that it retains; None where it was known
        without a decomposition that none is stable, or none retains more than the best before.
    """

    size: int
    removed: int | None
    gap: float
    error: float
    stable: dict | None


@dataclass(frozen=True, eq=False, repr=False)
class StableSubspace:
    """A principal subspace that the sample determines, and how it was found.

    Attributes
    ----------
    support : ndarray of int
        The features kept, sorted.
    removed : ndarray of int
        Those removed, in this order. Features without variation are in neither.
    k : int
        Dimension of the subspace; 0 if no subspace is stable.
    share : float
        What it retains of the trace of A.
    stable : dict
        Of every dimension that is stable with these features, the share.
    converged : bool
        Whether the share is as large as was asked for; otherwise it is the largest found.
    retain : float
        The share that was asked for.
    eigenvalues : ndarray
        Of A, of the features kept, largest first: all of them.
    vectors : ndarray of shape (n_kept, k)
        The first k eigenvectors, of positive sum: an orthonormal basis of the subspace.
    bound : float
        By no more than an angle of this sine does a symmetric change of A within E turn it.
    trace : tuple of Step
        The search, size by size.
    intervals : Intervals
        The similarities and how far they are known, for all features.
    """

    support: np.ndarray
    removed: np.ndarray
    k: int
    share: float
    stable: dict
    converged: bool
    retain: float
    eigenvalues: np.ndarray
    vectors: np.ndarray
    bound: float
    trace: tuple
    intervals: Intervals

    def __post_init__(self):
        for name in ("support", "removed", "eigenvalues", "vectors"):
            getattr(self, name).flags.writeable = False

    @property
    def A(self) -> np.ndarray:
        """The similarities of all features."""
        return self.intervals.A

    @property
    def E(self) -> np.ndarray:
        """How far the similarities of all features may be off."""
        return self.intervals.E

    @property
    def n_decompositions(self) -> int:
        """Sizes at which the spectrum of A was computed."""
        return sum(step.stable is not None for step in self.trace)

    @property
    def n_skipped(self) -> int:
        """Sizes at which it was not needed."""
        return len(self.trace) - self.n_decompositions

    def __repr__(self):
        state = "converged" if self.converged else "not converged"
        features = _input.first_few(_input.name_features(self.support, self.intervals.names))
        return (
            f"StableSubspace(k = {self.k} of {len(self.support)} features: {features}, "
            f"share {self.share:.3g}, {len(self.removed)} removed, {self.n_decompositions} "
            f"decompositions, {self.n_skipped} skipped, {state})"
        )

    def _repr_html_(self):
        from specsel.results import html

        return html.of_stable(self)

    def transform(self, X) -> np.ndarray:
        """Project samples on the subspace, as many numbers a sample as it has dimensions.

        Features are centred and scaled as those were that it was found from: for cosines to unit
        norm, for covariances centred, for correlations also scaled to unit variance. A sparse X
        stays sparse.
        """
        found = self.intervals
        values, names = _read(X)
        check_features(values.shape[1], names, len(found.A), found.names, "intervals")
        mean, norm = found.mean[self.support], found.norm[self.support]
        scale = 1 / norm
        if found.matrix == "covariance":
            scale = np.ones_like(norm)
        elif found.matrix == "correlation":
            scale *= np.sqrt(found.n_samples - 1)
        kept, weights = values[:, self.support], self.vectors * scale[:, None]
        if not hasattr(X, "tocsr"):
            return (kept - mean) @ weights
        far = _data.far_from_zero(mean, norm, found.n_samples)
        centred, rest = kept[:, far].toarray() - mean[far], weights[~far]
        return centred @ weights[far] + kept[:, ~far] @ rest - mean[~far] @ rest

    def to_frame(self):
        """Table of the search, a row a size; `stable` as text, empty where none is."""
        names = self.intervals.names
        columns = {name: [getattr(step, name) for step in self.trace] for name in Step._fields}
        columns["removed"] = [
            None if i is None else names[i] if names else i for i in columns["removed"]
        ]
        columns["decomposed"] = [stable is not None for stable in columns["stable"]]
        columns["stable"] = [stable or {} for stable in columns["stable"]]
        return frame(columns)


def _read(X):
    """Values, dense or sparse, all of them finite, and names."""
    if hasattr(X, "tocsr"):
        return _input.as_sparse(X, least_samples=1), None
    values, names = _input.as_matrix(X, least_samples=1)
    if not np.isfinite(values).all():
        raise ValueError(_input.describe_not_finite(values, names))
    return values, names
