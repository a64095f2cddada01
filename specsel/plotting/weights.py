"""A picture of weights, largest first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specsel import _input
from specsel.plotting import base
from specsel.plotting.base import Display, check_type, names_of, tell_selected
from specsel.results import Map, Weights


@dataclass(kw_only=True, eq=False, repr=False)
class WeightsDisplay(Display):
    """Weights, largest first, with the cut at the sparsity gap and the names of the best.

    Parameters
    ----------
    weights : ndarray
        Largest first.
    names : sequence of str
        In the same order.
    n_selected : int
        How many are above the gap.
    top : int
        How many are named.

    Examples
    --------
    >>> from specsel import datasets, plotting, qalpha
    >>> data = datasets.example()
    >>> weights = qalpha.solve(data.X, k=3)
    >>> display = plotting.WeightsDisplay.from_result(weights, names=data.names)
    >>> display.ax_.get_title()
    '6 of 40 features above the gap'
    """

    weights: np.ndarray
    names: Sequence
    n_selected: int
    top: int = 10

    @classmethod
    def from_result(cls, result, *, names=None, top=10, ax=None):
        """Draw weights.

        Parameters
        ----------
        result : Weights or Map
            Of a map the weights of all rounds.
        names : sequence of str, optional
            Of the features; by default those of the result, or else their numbers.
        top : int
            How many features are named.
        ax : matplotlib Axes, optional

        Returns
        -------
        WeightsDisplay
        """
        check_type(result, Weights, Map)
        weights = result.combined if isinstance(result, Map) else result
        ranking = weights.ranking
        return cls(
            weights=weights.alpha[ranking],
            names=names_of(names, ranking, weights.names),
            n_selected=len(weights.select()),
            top=_input.check_integer("top", top, 0),
        ).plot(ax)

    def _draw(self, ax):
        tell_selected(ax, self.n_selected, len(self.weights))
        ax.set_ylabel("weight")
        base.draw_ranked(ax, self.weights, self.names, self.n_selected, self.top)
