"""Pictures of scores of features: weights, a map, and greedy alignment."""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np

from specsel import _validate
from specsel._validate import ArrayLike, Bools, Floats, Integers
from specsel.plotting import base, labels
from specsel.plotting.base import BLUE, GRAY, VERMILION, Axes, Display, check_type
from specsel.results import Aligned, Map, Weights

# The width of an ellipse at relevance 1. Positions reach from -π/2 to π/2.
ELLIPSE = 0.6


class WeightsDisplay(Display):
    """Weights as bars, largest first, with the cut at the gap and the names of the best.

    Parameters
    ----------
    weights : ndarray
        Largest first.
    names : sequence of str
        Of the features, in the same order.
    n_selected : int
        How many features are above the gap, or selected.
    top : int
        How many features get a name.
    chosen : ndarray of bool, optional
        Which features are selected, if not those above the gap.

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

    weights: Floats
    names: Sequence[str]
    n_selected: int
    top: int = 10
    chosen: Bools | None = None

    @classmethod
    def from_result(
        cls,
        result: Weights | Map,
        *,
        names: Iterable[object] | None = None,
        top: int = 10,
        selected: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw weights.

        Parameters
        ----------
        result : Weights or Map
            Of a map, the weights of all rounds together are drawn.
        names : sequence of str, optional
            Of all features; by default those of the result, or else their numbers.
        top : int
            How many features get a name.
        selected : array of bool, optional
            Which features are selected, if not those above the gap.
        ax : matplotlib Axes, optional
        """
        check_type(result, Weights, Map)
        weights = result.combined if isinstance(result, Map) else result
        ranking = weights.ranking
        chosen = None if selected is None else base.mask(selected, len(ranking))[ranking]
        return cls(
            weights=weights.alpha[ranking],
            names=base.names_of(names, ranking, weights.names),
            n_selected=len(weights.select()) if chosen is None else int(chosen.sum()),
            top=_validate.check_integer("top", top, 0),
            chosen=chosen,
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        count, chosen = self.n_selected, self.chosen
        base.title_selected(ax, count, len(self.weights), chosen=chosen is not None)
        ax.set_ylabel("weight")
        base.draw_ranked(ax, self.weights, self.names, count, self.top, chosen)


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
        Of the features.
    ranking : ndarray of int
        The features, best over all rounds first.
    n_selected : int
        How many of the first are above the gap, or selected.
    top : int
        How many of these get a name, if there is space.
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

    positions: Floats
    relevances: Floats
    names: Sequence[str]
    ranking: Integers
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
        ax: Axes | None = None,
    ) -> Self:
        """Draw a map.

        Parameters
        ----------
        result : Map
            A map of at least two rounds.
        names, top, rounds, selected
            As in `WeightsDisplay.from_result`; `rounds` are the two to draw, counted from 1.
        ax : matplotlib Axes, optional
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
            names=base.names_of(names, range(len(combined.alpha)), combined.names),
            ranking=ranking,
            n_selected=count,
            top=_validate.check_integer("top", top, 0),
            rounds=tuple((columns + 1).tolist()),
            chosen=selected is not None,
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        from matplotlib.collections import EllipseCollection

        sizes, n = ELLIPSE * np.abs(self.relevances), len(self.ranking)
        best, rest = np.split(self.ranking, [self.n_selected])
        for order, (features, color) in enumerate(((rest, GRAY), (best, BLUE)), start=1):
            points, half = self.positions[features], sizes[features] / 2
            ellipses = EllipseCollection(
                2 * half[:, 0],
                2 * half[:, 1],
                np.zeros(len(points)),
                units="xy",
                offsets=points,
                offset_transform=ax.transData,
                facecolor=(color, 0.2),
                edgecolor=color,
                zorder=order,
            )
            ax.add_collection(ellipses)
            ax.update_datalim(np.concatenate((points - half, points + half)))
            size = base.dot_size(4, n)
            ax.plot(*points.T, ".", color=color, markersize=size, zorder=order)
        base.title_selected(ax, len(best), n, chosen=self.chosen)
        for write, name, i in ((ax.set_xlabel, "width", 0), (ax.set_ylabel, "height", 1)):
            write(f"position, round {self.rounds[i]}\n({name}: relevance)")
        ax.margins(0.1)
        names = [self.names[i] for i in best[: self.top]]
        labels.at_points(ax, self.positions[self.ranking], names, sizes[self.ranking] / 2)


class AlignmentDisplay(Display):
    """Scores against the number of features, with their peak.

    Parameters
    ----------
    scores : ndarray
        After each feature.
    peak : int or None
        How many features have the largest score, if it falls again after them.
    selected : int
        How many features are selected.
    names : sequence of str
        Of the features, in the order taken.
    top : int
        How many of them are named.

    Examples
    --------
    >>> from specsel import alignment, datasets, plotting
    >>> found = alignment.solve(datasets.example().X)
    >>> display = plotting.AlignmentDisplay.from_result(found)
    >>> display.peak == found.peak
    True
    """

    scores: Floats
    peak: int | None
    selected: int
    names: Sequence[str] = ()
    top: int = 5

    @classmethod
    def from_result(
        cls,
        result: Aligned,
        *,
        names: Iterable[object] | None = None,
        top: int = 5,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the scores of a selection.

        Parameters
        ----------
        result : Aligned
        names, top
            As in `WeightsDisplay.from_result`; the features taken first are named.
        ax : matplotlib Axes, optional
        """
        check_type(result, Aligned)
        known = base.names_of(names, range(len(result.relevance)), result.names)
        return cls(
            scores=result.scores,
            peak=result.peak,
            selected=len(result.support),
            names=[known[i] for i in result.ranking],
            top=_validate.check_integer("top", top, 0),
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        counts = np.arange(1, len(self.scores) + 1)
        size = base.dot_size(4, len(counts))
        ax.plot(counts, self.scores, "o-", color=BLUE, markersize=size, linewidth=1)
        if self.peak is not None:
            form = {"markersize": 9, "markeredgewidth": 2, "markerfacecolor": "none"}
            height = self.scores[self.peak - 1]
            ax.plot([self.peak], [height], "o", color=VERMILION, label="peak", **form)
            ax.legend()
            ax.set_title(f"peak at {_validate.count_of(self.peak, 'feature')}")
        else:
            ax.set_title(f"no peak within {len(counts)} features")
        if self.selected != self.peak and self.selected < len(counts):
            ax.axvline(self.selected + 0.5, color=base.foreground(ax), linestyle="--")
        base.whole_numbers(ax)
        ax.set(xlabel="number of features", ylabel="alignment with the target")
        if self.top:
            first = labels.in_a_line(ax, self.names[: self.top])
            more = ", …" if len(self.names) > self.top and not first.endswith("…") else ""
            ax.set_xlabel(f"number of features, in this order:\n{first}{more}", **labels.LETTERS)
