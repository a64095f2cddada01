"""What `alignment` finds: an `Aligned`, features in the order in which they were taken."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from specsel import _validate
from specsel._validate import Floats, Integers, Names
from specsel.results.table import frame


@dataclass(frozen=True, eq=False, repr=False)
class Aligned:
    """Features whose affinity is aligned with a target, in the order in which they were taken.

    Attributes
    ----------
    ranking : ndarray of int
        The features looked at, in the order taken: the first m are the choice of m features.
    scores : ndarray
        The alignment after each of them, ``Σ_S t_i / √(1_SᵀH 1_S)``.
    support : ndarray of int
        The features selected, sorted: as many as were asked for, or those up to the peak.
    target : str
        What they were aligned with: "neighbours", "classes", "weights" or "given".
    relevance : ndarray of shape (n_features,)
        The t_i: what every feature shares with the target on its own, less what irrelevant
        features do.
    n_passes : int
        Reads of X, single columns by their share.
    names : tuple of str or None
        Names of all features, if X had any.
    """

    ranking: Integers
    scores: Floats
    support: Integers
    target: str
    relevance: Floats
    n_passes: int
    names: Names = field(default=None)

    def __post_init__(self) -> None:
        for name in ("ranking", "scores", "support", "relevance"):
            getattr(self, name).flags.writeable = False

    @property
    def peak(self) -> int | None:
        """How many features have the largest score; None where the scores still rise at the end.

        The path has several maxima, so this is the largest of the whole path that was looked at.
        """
        count = int(np.argmax(self.scores)) + 1
        return None if count == len(self.scores) else count

    def __repr__(self) -> str:
        features = _validate.first_few(
            _validate.name_features(self.ranking[: len(self.support)], self.names)
        )
        return (
            f"Aligned({len(self.support)} of {len(self.relevance)} features: {features}, target "
            f"{self.target!r}, score {self.scores[len(self.support) - 1]:.6g}, {self.tell_peak()})"
        )

    def tell_peak(self) -> str:
        """Where the scores peak, in words."""
        if self.peak is None:
            return f"no peak within {len(self.scores)} features"
        return f"peak at {self.peak} feature{'s' * (self.peak > 1)}"

    def _repr_html_(self) -> str:
        from specsel.results import html

        return html.of_aligned(self)

    def to_frame(self) -> Any:
        """Table of the features, in the order taken: score, relevance, selected or not."""
        table = frame(
            {
                "feature": _validate.name_features(self.ranking, self.names),
                "index": self.ranking,
                "score": self.scores,
                "relevance": self.relevance[self.ranking],
                "selected": np.arange(len(self.ranking)) < len(self.support),
            }
        )
        return table.set_index(table.index + 1).rename_axis("rank")
