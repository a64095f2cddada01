"""A picture of the probability that a leading eigenvector is positive."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from specsel.plotting import base
from specsel.plotting.base import Display, check_type, next_style
from specsel.results.estimates import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(kw_only=True, eq=False, repr=False)
class PositivityDisplay(Display):
    """The probability that the leading eigenvector is positive, by the size of the matrix.

    No estimator has such a result. To compare several kinds of matrices, draw them on the same
    axes.

    Parameters
    ----------
    sizes : ndarray of int
        Sizes of the matrices.
    probabilities, low, high : ndarray
        Estimated probabilities, and the ends of their confidence intervals.
    label : str
        The kind of matrices, for the legend.

    Examples
    --------
    >>> from specsel import plotting, positivity
    >>> found = {n: positivity.probability(n, 1 / 6, 0.2, random_state=n) for n in (5, 10, 20)}
    >>> display = plotting.PositivityDisplay.from_result(found, label="μ = 1/6, σ = 0.2")
    >>> display.ax_.get_xlabel()
    'size of the matrix'
    """

    sizes: np.ndarray
    probabilities: np.ndarray
    low: np.ndarray
    high: np.ndarray
    label: str = "estimate"

    @classmethod
    def from_result(
        cls,
        result: Mapping[int, Estimate],
        *,
        label: str = "estimate",
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw probabilities.

        Parameters
        ----------
        result : dict
            For every size of a matrix, the `Estimate` of `positivity.probability`.
        label : str
            The kind of matrices, for the legend.
        ax : matplotlib Axes, optional

        Returns
        -------
        PositivityDisplay
        """
        check_type(result, dict)
        if not result or not all(isinstance(found, Estimate) for found in result.values()):
            raise ValueError("result: must hold an Estimate for every size, and at least one")
        sizes = sorted(result)
        probabilities, low, high = np.transpose([result[n] for n in sizes])
        return cls(
            sizes=np.array(sizes), probabilities=probabilities, low=low, high=high, label=label
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        style = next_style(ax)
        ax.plot(self.sizes, self.probabilities, label=self.label, **style)
        ax.vlines(self.sizes, self.low, self.high, color=style["color"], linewidth=4, alpha=0.4)
        base.whole_numbers(ax)
        ax.set(xlabel="size of the matrix", ylabel="probability")
        ax.set_title("positive leading eigenvectors")
        if ax.get_yscale() == "linear":
            ax.set_ylim(-0.03, 1.03)
        ax.legend()
