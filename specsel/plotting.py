"""Pictures of results, in scikit-learn's Display form.

``from_result`` and ``from_estimator`` draw at once and return the display; its ``plot(ax=)`` draws
the same again elsewhere. ``ax_`` and ``figure_`` are the axes and the figure that it was drawn on
last. matplotlib is imported when something is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specsel import checks, display, labels
from specsel.display import BLUE, GRAY, GREEN, VERMILION, Display, check_type, names_of
from specsel.estimates import Estimate
from specsel.plotting_searches import PathDisplay, StabilityDisplay
from specsel.results import Weights
from specsel.stability import StableSubspace
from specsel.topography import Map

__all__ = [
    "ConvergenceDisplay",
    "PathDisplay",
    "PositivityDisplay",
    "SpectrumDisplay",
    "StabilityDisplay",
    "TopographyDisplay",
    "WeightsDisplay",
]

# Of the lines on the same axes, one after the other: no two of the first 15 are alike.
COLORS, MARKERS, DASHES = (BLUE, VERMILION, GREEN), "os^Dv", ("-", "--", "-.", ":")

# How wide an ellipse is at relevance 1; positions reach from -π/2 to π/2.
ELLIPSE = 0.6

# Eigenvalues below this share of the largest are rounding.
ROUNDING = 1e-12


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
            top=checks.check_integer("top", top, 0),
        ).plot(ax)

    def _draw(self, ax):
        _tell_selected(ax, self.n_selected, len(self.weights))
        ax.set_ylabel("weight")
        display.draw_ranked(ax, self.weights, self.names, self.n_selected, self.top)


@dataclass(kw_only=True, eq=False, repr=False)
class SpectrumDisplay(Display):
    """Eigenvalues, and the gap between two of them.

    Parameters
    ----------
    eigenvalues : ndarray
        Largest modulus first.
    k : int
        How many there are before the gap; with 0 or all of them there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import plotting, sbs
    >>> X = np.random.default_rng(0).random((200, 8))
    >>> stable = sbs.solve(X, retain=0.7, random_state=0)
    >>> plotting.SpectrumDisplay.from_result(stable).k == stable.k
    True
    """

    eigenvalues: np.ndarray
    k: int

    @classmethod
    def from_result(cls, result, *, ax=None):
        """Draw eigenvalues.

        Parameters
        ----------
        result : Weights or StableSubspace
            Of weights the leading eigenvalues, as many as were asked for, and the gap where the
            ratio of one to the next is largest; of a subspace all, and the gap after it.
        ax : matplotlib Axes, optional

        Returns
        -------
        SpectrumDisplay
        """
        check_type(result, Weights, StableSubspace)
        if isinstance(result, StableSubspace):
            return cls(eigenvalues=result.eigenvalues, k=result.k).plot(ax)
        sizes = np.abs(result.eigenvalues)
        least = max(ROUNDING * sizes[0], np.finfo(float).tiny)
        ratios = sizes[:-1] / np.maximum(sizes[1:], least)
        k = int(ratios.argmax()) + 1 if (ratios > 1).any() else 0
        return cls(eigenvalues=result.eigenvalues, k=k).plot(ax)

    def _draw(self, ax):
        places, k = np.arange(1, len(self.eigenvalues) + 1), self.k
        ax.plot(places, self.eigenvalues, color=GRAY, linewidth=1, zorder=1)
        size = display.dot_size(6, len(places)) ** 2
        ax.scatter(places, self.eigenvalues, size, np.where(places <= k, BLUE, GRAY), zorder=2)
        if 0 < k < len(places):
            gap = abs(self.eigenvalues[k - 1]) - abs(self.eigenvalues[k])
            ends = self.eigenvalues[k - 1 : k + 1]
            ax.plot([k + 0.5, k + 0.5], ends, color=VERMILION, linewidth=5, zorder=0)
            ax.set_title(f"gap of {gap:.3g} after {k}")
        else:
            ax.set_title("there is no gap")
        display.whole_numbers(ax)
        ax.set(xlabel="number of the eigenvalue", ylabel="eigenvalue")


@dataclass(kw_only=True, eq=False, repr=False)
class ConvergenceDisplay(Display):
    """The objective after every outer iteration.

    Parameters
    ----------
    histories : sequence of ndarray
        The objectives, of every round.
    converged : sequence of bool
        Whether they settled.

    Examples
    --------
    >>> from specsel import datasets, plotting, qalpha
    >>> weights = qalpha.solve(datasets.example().X, k=3)
    >>> display = plotting.ConvergenceDisplay.from_result(weights)
    >>> len(display.ax_.lines[0].get_xdata()) == weights.n_iter
    True
    """

    histories: Sequence
    converged: Sequence

    @classmethod
    def from_result(cls, result, *, ax=None):
        """Draw the objective.

        Parameters
        ----------
        result : Weights or Map
            Of a map all rounds.
        ax : matplotlib Axes, optional

        Returns
        -------
        ConvergenceDisplay
        """
        check_type(result, Weights, Map)
        rounds = result.weights if isinstance(result, Map) else [result]
        return cls(
            histories=[weights.history for weights in rounds],
            converged=[weights.converged for weights in rounds],
        ).plot(ax)

    def _draw(self, ax):
        several = len(self.histories) > 1
        for i, (history, converged) in enumerate(zip(self.histories, self.converged, strict=True)):
            label = f"round {i + 1}, " * several + ("" if converged else "not ") + "converged"
            size = display.dot_size(4, len(history))
            steps = np.arange(1, len(history) + 1)
            ax.plot(steps, history, markersize=size, label=label, **_next_style(ax))
        display.whole_numbers(ax)
        if ax.get_yscale() == "linear":
            ax.ticklabel_format(axis="y", useOffset=False)
        ax.set(xlabel="iteration", ylabel="objective")
        ax.legend()


@dataclass(kw_only=True, eq=False, repr=False)
class TopographyDisplay(Display):
    """Features where they lie in two rounds: ellipses as wide and as high as they are relevant.

    `from_estimator` takes a `QAlpha` of several rounds.

    Parameters
    ----------
    positions, relevances : ndarray of shape (n_features, 2)
        In the two rounds.
    names : sequence of str
    ranking : ndarray of int
        The features, best over all rounds first.
    n_selected : int
        How many of them are above the gap.
    top : int
        How many of those are named, where there is room.
    rounds : tuple of int
        The numbers of the two rounds, from 1.

    Examples
    --------
    >>> from specsel import datasets, plotting, topography
    >>> data = datasets.two_solutions(random_state=1)
    >>> chart = topography.solve(data.X, k=2)
    >>> display = plotting.TopographyDisplay.from_result(chart, names=data.names)
    >>> display.ax_.get_title(), len(display.ax_.texts)
    ('9 of 20 features above the gap', 9)
    """

    positions: np.ndarray
    relevances: np.ndarray
    names: Sequence
    ranking: np.ndarray
    n_selected: int
    top: int = 20
    rounds: tuple = (1, 2)

    @classmethod
    def from_result(cls, result, *, names=None, top=20, rounds=(1, 2), ax=None):
        """Draw a map.

        Parameters
        ----------
        result : Map
            Of two rounds or more.
        names : sequence of str, optional
            Of the features; by default those of the result, or else their numbers.
        top : int
            How many of the selected features are named, where there is room.
        rounds : tuple of int
            The two rounds to draw, counted from 1.
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
        return cls(
            positions=result.positions[:, columns],
            relevances=result.relevances[:, columns],
            names=names_of(names, range(len(combined.alpha)), combined.names),
            ranking=combined.ranking,
            n_selected=len(combined.select()),
            top=checks.check_integer("top", top, 0),
            rounds=tuple((columns + 1).tolist()),
        ).plot(ax)

    def _draw(self, ax):
        best, rest = np.split(self.ranking, [self.n_selected])
        self._draw_ellipses(ax, rest, GRAY, zorder=1)
        self._draw_ellipses(ax, best, BLUE, zorder=2)
        _tell_selected(ax, len(best), len(self.ranking))
        for set_label, i in zip((ax.set_xlabel, ax.set_ylabel), self.rounds, strict=True):
            set_label(f"position, round {i}")
        ax.margins(0.1)
        names = [self.names[i] for i in best[: self.top]]
        labels.at_points(ax, self.positions[self.ranking], names, self._sizes(self.ranking) / 2)

    def _sizes(self, features):
        return ELLIPSE * np.abs(self.relevances[features])

    def _draw_ellipses(self, ax, features, color, zorder):
        from matplotlib.collections import EllipseCollection

        places, sizes = self.positions[features], self._sizes(features)
        form = {"facecolor": (color, 0.2), "edgecolor": color, "zorder": zorder}
        form |= {"units": "xy", "offsets": places, "offset_transform": ax.transData}
        ax.add_collection(EllipseCollection(*sizes.T, np.zeros(len(sizes)), **form))
        ax.update_datalim(np.concatenate((places - sizes / 2, places + sizes / 2)))
        ax.plot(*places.T, ".", color=color, markersize=4, zorder=zorder)


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
        style = _next_style(ax)
        ax.plot(self.sizes, self.probabilities, label=self.label, **style)
        ax.vlines(self.sizes, self.low, self.high, color=style["color"], linewidth=4, alpha=0.4)
        display.whole_numbers(ax)
        ax.set(xlabel="size of the matrix", ylabel="probability")
        ax.set_title("positive leading eigenvectors")
        if ax.get_yscale() == "linear":
            ax.set_ylim(-0.03, 1.03)
        ax.legend()


def _tell_selected(ax, count, n):
    """Say above the axes how many features are selected."""
    ax.set_title(f"{count} of {n} features above the gap" if count < n else "there is no gap")


def _next_style(ax):
    """How the next line on the axes looks."""
    i = len(ax.lines)
    return {
        "color": COLORS[i % len(COLORS)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": DASHES[i % len(DASHES)],
    }
