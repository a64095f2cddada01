"""A picture of a map of features."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from specsel import _validate
from specsel._validate import ArrayLike
from specsel.plotting import base, labels
from specsel.plotting.base import (
    BLUE,
    GRAY,
    Display,
    check_type,
    dot_size,
    names_of,
    tell_selected,
)
from specsel.results import Map

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The width of an ellipse at relevance 1. Positions reach from -π/2 to π/2.
ELLIPSE = 0.6


@dataclass(kw_only=True, eq=False, repr=False)
class TopographyDisplay(Display):
    """A map of features by their positions in two rounds.

    Every feature is an ellipse: as wide as it is relevant in the first of the two rounds, as high
    as in the second.

    `from_estimator` takes a `QAlpha` of several rounds.

    Parameters
    ----------
    positions, relevances : ndarray of shape (n_features, 2)
        Position and relevance of every feature in the two rounds.
    names : sequence of str
        Names of the features.
    ranking : ndarray of int
        The features, best over all rounds first.
    n_selected : int
        How many features are above the gap, or selected; these are the first of `ranking`.
    top : int
        How many of the selected features get a name, if there is room.
    rounds : tuple of int
        The two rounds, counted from 1.
    chosen : bool
        Whether an estimator has selected them, and not the gap.

    Examples
    --------
    >>> from specsel import datasets, plotting, topography
    >>> data = datasets.two_solutions(random_state=1)
    >>> chart = topography.solve(data.X, k=2)
    >>> display = plotting.TopographyDisplay.from_result(chart, names=data.names)
    >>> display.ax_.get_title(), len(display.ax_.texts)
    ('9 of 20 features above the gap', 9)
    """

    marks_selected = True

    positions: np.ndarray
    relevances: np.ndarray
    names: Sequence[str]
    ranking: np.ndarray
    n_selected: int
    top: int = 20
    rounds: tuple[int, ...] = (1, 2)
    chosen: bool = False

    @classmethod
    def from_result(
        cls,
        result: Map,
        *,
        names: Iterable[object] | None = None,
        top: int = 20,
        rounds: Sequence[int] = (1, 2),
        selected: ArrayLike | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a map.

        Parameters
        ----------
        result : Map
            A map of at least two rounds.
        names : sequence of str, optional
            Names of the features; by default those of the result, or else their numbers.
        top : int
            How many of the selected features get a name, if there is room.
        rounds : tuple of int
            The two rounds to draw, counted from 1.
        selected : array of bool, optional
            Which features are selected, if not those above the gap.
        ax : matplotlib Axes, optional

        Returns
        -------
        TopographyDisplay
        """
        check_type(result, Map)
        known, chosen = len(result.weights), np.array(rounds, dtype=object)
        if known < 2:
            raise ValueError("result: is a map of one round; at least two are needed")
        if chosen.shape != (2,) or not np.isin(chosen, np.arange(known) + 1).all():
            raise ValueError(f"rounds = {rounds!r}: must be two numbers from 1 to {known}")
        columns, combined = chosen.astype(int) - 1, result.combined
        ranking, count = combined.ranking, len(combined.select())
        if selected is not None:
            first = base.mask(selected, len(ranking))[ranking]
            ranking, count = np.concatenate((ranking[first], ranking[~first])), int(first.sum())
        return cls(
            positions=result.positions[:, columns],
            relevances=result.relevances[:, columns],
            names=names_of(names, range(len(combined.alpha)), combined.names),
            ranking=ranking,
            n_selected=count,
            top=_validate.check_integer("top", top, 0),
            rounds=tuple((columns + 1).tolist()),
            chosen=selected is not None,
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        best, rest = np.split(self.ranking, [self.n_selected])
        self._draw_ellipses(ax, rest, GRAY, zorder=1)
        self._draw_ellipses(ax, best, BLUE, zorder=2)
        tell_selected(ax, len(best), len(self.ranking), chosen=self.chosen)
        first, second = self.rounds
        ax.set_xlabel(f"position, round {first}\n(width: relevance)")
        ax.set_ylabel(f"position, round {second}\n(height: relevance)")
        ax.margins(0.1)
        names = [self.names[i] for i in best[: self.top]]
        labels.at_points(ax, self.positions[self.ranking], names, self._sizes(self.ranking) / 2)

    def _sizes(self, features: np.ndarray) -> Any:
        """Return widths and heights of the ellipses of these features."""
        return ELLIPSE * np.abs(self.relevances[features])

    def _draw_ellipses(self, ax: Any, features: np.ndarray, color: str, zorder: int) -> None:
        from matplotlib.collections import EllipseCollection

        places, sizes = self.positions[features], self._sizes(features)
        form: dict[str, Any] = {"facecolor": (color, 0.2), "edgecolor": color, "zorder": zorder}
        form |= {"units": "xy", "offsets": places, "offset_transform": ax.transData}
        widths, heights = sizes.T
        ax.add_collection(EllipseCollection(widths, heights, np.zeros(len(sizes)), **form))
        ax.update_datalim(np.concatenate((places - sizes / 2, places + sizes / 2)))
        dots = {"color": color, "markersize": dot_size(4, len(self.ranking)), "zorder": zorder}
        ax.plot(*places.T, ".", **dots)
