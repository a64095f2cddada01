"""A map of features, in several rounds."""

from dataclasses import dataclass, replace

import numpy as np

from specsel.results.table import frame
from specsel.results.weights import Weights


@dataclass(frozen=True, eq=False, repr=False)
class Map:
    """Features by round: how relevant, and where.

    Attributes
    ----------
    weights : tuple of Weights
        What every round found.
    positions : ndarray of shape (n_features, n_rounds)
        Angles from -π/2 to π/2; features near each other are alike in that round.
    n_passes : int
        Reads of X in all rounds.
    relevances : ndarray of shape (n_features, n_rounds)
    combined : Weights
        The weights of all rounds together, to select and reweight by.
    """

    weights: tuple
    positions: np.ndarray
    n_passes: int

    def __post_init__(self):
        self.positions.flags.writeable = False

    def __repr__(self):
        count = len(self.weights)
        sizes = ", ".join(str(len(weights.select())) for weights in self.weights)
        return (
            f"Map({len(self.positions)} features, {count} round{'s' * (count > 1)}, "
            f"{sizes} above the gap)"
        )

    def _repr_html_(self):
        from specsel.results import html

        return html.of_map(self)

    @property
    def relevances(self) -> np.ndarray:
        """Weights of the features, a column a round."""
        return np.column_stack([weights.alpha for weights in self.weights])

    @property
    def combined(self) -> Weights:
        """The weights of all rounds, ``√(Σ α²)`` of unit norm, to select and reweight by.

        Objective, basis and eigenvalues are those of the first round.
        """
        return replace(
            self.weights[0],
            alpha=np.sqrt((self.relevances**2).mean(axis=1)),
            n_iter=sum(weights.n_iter for weights in self.weights),
            n_passes=self.n_passes,
            converged=all(weights.converged for weights in self.weights),
        )

    def select(self, n=None, *, threshold=None, diverse=None) -> np.ndarray:
        """Indices of the features selected over all rounds, best first.

        Parameters
        ----------
        n : int, optional
            How many; without it those above the gap.
        threshold : float, optional
            Take the weights of all rounds, ``√(Σ α²)`` of unit norm, that are at least this large.
        diverse : array of samples x features, optional
            The data: take the n features that best span the weighted rest.

        Examples
        --------
        >>> from specsel import datasets, topography
        >>> data = datasets.two_solutions(random_state=1)
        >>> chart = topography.solve(data.X, k=2, rounds=3)
        >>> len(chart.select(6, diverse=data.X))
        6
        """
        return self.combined.select(n, threshold=threshold, diverse=diverse)

    def to_frame(self):
        """Table of the features: relevance and position in every round."""
        names = self.weights[0].names or range(len(self.positions))
        columns = {"feature": list(names)}
        for i, weights in enumerate(self.weights):
            columns[f"relevance_{i + 1}"] = weights.alpha
            columns[f"position_{i + 1}"] = self.positions[:, i]
        return frame(columns)
