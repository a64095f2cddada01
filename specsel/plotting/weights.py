"""A picture of weights, largest first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from specsel import _validate
from specsel._validate import ArrayLike
from specsel.plotting import base
from specsel.plotting.base import Display, check_type, names_of, tell_selected
from specsel.results import Map, Weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(kw_only=True, eq=False, repr=False)
class WeightsDisplay(Display):
    """Weights as bars, largest first, with the cut at the gap and the names of the best.

    Parameters
    ----------
    weights : ndarray
        The weights, largest first.
    names : sequence of str
        Names of the features, in the same order.
    n_selected : int
        How many features are above the gap, or selected.
    top : int
        How many features get a name.
    chosen : ndarray of bool, optional
        Which of them an estimator selects; by default those above the gap.

    Examples
    --------
    >>> from specsel import datasets, plotting, qalpha
    >>> data = datasets.example()
    >>> weights = qalpha.solve(data.X, k=3)
    >>> display = plotting.WeightsDisplay.from_result(weights, names=data.names)
    >>> display.ax_.get_title()
    '6 of 40 features above the gap'
    """

    marks_selected = True

    weights: np.ndarray
    names: Sequence[str]
    n_selected: int
    top: int = 10
    chosen: np.ndarray | None = None

    @classmethod
    def from_result(
        cls,
        result: Weights | Map,
        *,
        names: Iterable[object] | None = None,
        top: int = 10,
        selected: ArrayLike | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw weights.

        Parameters
        ----------
        result : Weights or Map
            Of a map, the weights of all rounds together are drawn.
        names : sequence of str, optional
            Names of the features; by default those of the result, or else their numbers.
        top : int
            How many features get a name.
        selected : array of bool, optional
            Which features are selected, if not those above the gap.
        ax : matplotlib Axes, optional

        Returns
        -------
        WeightsDisplay
        """
        check_type(result, Weights, Map)
        weights = result.combined if isinstance(result, Map) else result
        ranking = weights.ranking
        chosen = None if selected is None else base.mask(selected, len(ranking))[ranking]
        return cls(
            weights=weights.alpha[ranking],
            names=names_of(names, ranking, weights.names),
            n_selected=len(weights.select()) if chosen is None else int(chosen.sum()),
            top=_validate.check_integer("top", top, 0),
            chosen=chosen,
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        chosen = self.chosen
        tell_selected(ax, self.n_selected, len(self.weights), chosen=chosen is not None)
        ax.set_ylabel("weight")
        base.draw_ranked(ax, self.weights, self.names, self.n_selected, self.top, chosen)
