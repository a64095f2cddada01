"""A picture of how likely weights come out positive."""

from dataclasses import dataclass

import numpy as np

from specsel.plotting import base
from specsel.plotting.base import Display, check_type, next_style
from specsel.results.estimates import Estimate


@dataclass(kw_only=True, eq=False, repr=False)
class PositivityDisplay(Display):
    """How likely leading eigenvectors are positive, by the size of the matrix.

    No estimator has such a result; draw several kinds of matrices on the same axes.

    Parameters
    ----------
    sizes : ndarray of int
    probabilities, low, high : ndarray
        Estimates and the ends of their confidence intervals.
    label : str
        What the matrices are.

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
    def from_result(cls, result, *, label="estimate", ax=None):
        """Draw probabilities.

        Parameters
        ----------
        result : dict
            Of sizes, and an `Estimate` of `positivity.probability` for each.
        label : str
            What the matrices are.
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
        sizes = np.array(sizes)
        return cls(sizes=sizes, probabilities=probabilities, low=low, high=high, label=label).plot(
            ax
        )

    def _draw(self, ax):
        style = next_style(ax)
        ax.plot(self.sizes, self.probabilities, label=self.label, **style)
        ax.vlines(self.sizes, self.low, self.high, color=style["color"], linewidth=4, alpha=0.4)
        base.whole_numbers(ax)
        ax.set(xlabel="size of the matrix", ylabel="probability")
        ax.set_title("positive leading eigenvectors")
        if ax.get_yscale() == "linear":
            ax.set_ylim(-0.03, 1.03)
        ax.legend()
