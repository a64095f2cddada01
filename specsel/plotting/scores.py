"""Pictures of the scores of greedy selection."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from specsel import _validate
from specsel._validate import Floats
from specsel.plotting import base, labels
from specsel.plotting.base import BLUE, VERMILION, Display, check_type
from specsel.results import Aligned


@dataclass(kw_only=True, eq=False, repr=False)
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
        Of the features, in the order in which they were taken.
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
        names: Sequence[str] | None = None,
        top: int = 5,
        ax: Any = None,
    ) -> Self:
        """Draw the scores of a selection.

        Parameters
        ----------
        result : Aligned
        names : sequence of str, optional
            Of all features; by default those that the data had, or numbers.
        top : int
            How many features are named, those taken first.
        ax : matplotlib Axes, optional

        Returns
        -------
        AlignmentDisplay
        """
        check_type(result, Aligned)
        top = _validate.check_integer("top", top, 0)
        known = base.names_of(names, range(len(result.relevance)), result.names)
        return cls(
            scores=result.scores,
            peak=result.peak,
            selected=len(result.support),
            names=[known[i] for i in result.ranking],
            top=top,
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        places = np.arange(1, len(self.scores) + 1)
        size = base.dot_size(4, len(places))
        ax.plot(places, self.scores, "o-", color=BLUE, markersize=size, linewidth=1)
        if self.peak is not None:
            form = {"markersize": 9, "markeredgewidth": 2, "markerfacecolor": "none"}
            height = self.scores[self.peak - 1]
            ax.plot([self.peak], [height], "o", color=VERMILION, label="peak", **form)
            ax.legend()
        if self.selected != self.peak and self.selected < len(places):
            ax.axvline(self.selected + 0.5, color=base.foreground(ax), linestyle="--")
        base.whole_numbers(ax)
        ax.set(xlabel="number of features", ylabel="alignment with the target")
        ax.set_title(
            f"no peak within {len(places)} features"
            if self.peak is None
            else f"peak at {self.peak} feature{'s' * (self.peak > 1)}"
        )
        if self.top:
            first = labels.in_a_line(ax, self.names[: self.top])
            more = ", …" if len(self.names) > self.top and not first.endswith("…") else ""
            ax.set_xlabel(f"number of features, in this order:\n{first}{more}", **labels.LETTERS)
