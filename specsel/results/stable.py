"""What `sbs` returns: intervals for similarities, and a stable principal subspace."""

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from specsel import _containers, _data, _validate
from specsel._validate import (
    ArrayLike,
    Floats,
    Integers,
    IntervalMethod,
    Names,
    Similarity,
    Sparse,
)
from specsel.results.table import check_features, frame

# How far a subspace may be from what it says, by rounding.
CHECKED = 1e-8


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
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

    def __post_init__(self) -> None:
        _make_read_only(self)

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
        return frame(columns)


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


@dataclass(frozen=True, eq=False, repr=False)
class StableSubspace:
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
        Whether the share is as large as was asked for. If not, it is the largest one found.
    retain : float
        The share that was asked for.
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
        fault = self._fault()
        if fault:
            raise ValueError(f"X: the subspace found cannot be trusted, {fault}; rescale X")
        _make_read_only(self)

    def _fault(self) -> str:
        """Say what is wrong with the subspace; "" if nothing is."""
        if not all(
            np.isfinite(part).all() for part in (self.eigenvalues, self.vectors, self.share)
        ):
            return "it is not finite"
        inner = self.vectors.T @ self.vectors
        if self.k and np.abs(inner - np.eye(self.k)).max() > CHECKED:
            return "its basis is not orthonormal"
        total = self.A.trace()
        retained = self.eigenvalues[: self.k].sum()
        if abs(retained - self.share * total) > CHECKED * total:
            return f"it retains {retained / total:.6g} instead of {self.share:.6g}"
        return ""

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
        from specsel.results import html

        return html.of_stable(self)

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
        values, names = _read(X)
        check_features(values.shape[1], names, len(found.A), found.names, "intervals")
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
        # Subtracted after the product, a mean far from 0 would leave few digits.
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
        return frame(columns)


def _make_read_only(record: Intervals | StableSubspace) -> None:
    """Replace the arrays of a new record by views that cannot be written to."""
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, np.ndarray):
            view = value.view()
            view.flags.writeable = False
            object.__setattr__(record, field.name, view)


def _read(X: ArrayLike | Sparse) -> tuple[Any, Names]:
    """Return the values, dense or sparse, and the names; refuse what is not finite."""
    held, names = _containers.unwrapped(X)
    if isinstance(held, Sparse):
        return _containers.as_sparse(held, least_samples=1), names
    found: Any = held if names is None else _containers.Frame([*names], held)
    values, names = _containers.as_matrix(found, least_samples=1)
    if not np.isfinite(values).all():
        raise ValueError(_containers.describe_not_finite(values, names))
    return values, names
