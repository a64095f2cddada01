"""What the stability of subspaces is judged by, and what is found: `Intervals`, `StableSubspace`."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from specsel import checks
from specsel.results import check_features, frame, list_some, named


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
            name: named(part, self.names)
            for name, part in zip(("feature", "other"), pairs, strict=True)
        }
        for name in ("A", "lower", "upper"):
            columns[name] = getattr(self, name)[pairs]
        return frame(columns)
