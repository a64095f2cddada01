"""A map of features: what `topography` returns."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from specsel._validate import ArrayLike, Floats, Integers
from specsel.results.table import frame
from specsel.results.weights import Weights


@dataclass(frozen=True, eq=False, repr=False)
class Map:
    """How relevant every feature is in every round, and where it lies among the others.

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

    def __post_init__(self) -> None:
        self.coordinates.flags.writeable = False

    def __repr__(self) -> str:
        count = len(self.weights)
        sizes = ", ".join(str(len(weights.select())) for weights in self.weights)
        return (
            f"Map({len(self.coordinates)} features, {count} round{'s' * (count > 1)}, "
            f"{sizes} above the gap)"
        )

    def _repr_html_(self) -> str:
        from specsel.results import html

        return html.of_map(self)

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

        Parameters
        ----------
        n : int, optional
            How many features to select. Without `n` and `threshold`, the cut is at the gap of the
            combined weights, which cuts noise as well: see `Weights.gap`.
        threshold : float, optional
            Select the features whose combined weight is at least this large.
        diverse : array of shape (n_samples, n_features), optional
            The data, to select the features that best span the weighted rest.

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
        return frame(columns)
