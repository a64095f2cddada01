"""Pictures of results, in scikit-learn's Display form.

``from_result`` and ``from_estimator`` draw at once and return the display; its ``plot(ax=)`` draws
the same again elsewhere. ``ax_`` and ``figure_`` are the axes and the figure that it was drawn on
last. matplotlib is imported when something is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specsel import labels
from specsel.display import (
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    SPARSE,
    VERMILION,
    Display,
    check_type,
    draw_ranked,
    names_of,
    whole_numbers,
)
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

# Of the lines of several rounds.
STYLES = ((BLUE, "o-"), (VERMILION, "s--"), (GREEN, "^-."), ("black", "D:"))

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
            top=top,
        ).plot(ax)

    def _draw(self, ax):
        draw_ranked(ax, self.weights, self.names, self.n_selected, self.top)
        n, count = len(self.weights), self.n_selected
        ax.set_title(f"{count} of {n} features above the gap" if count < n else "there is no gap")
        ax.set_ylabel("weight")


@dataclass(kw_only=True, eq=False, repr=False)
class SpectrumDisplay(Display):
    """Eigenvalues, and the gap between two of them.

    Parameters
    ----------
    eigenvalues : ndarray
        Largest modulus first.
    k : int
        How many there are before the gap; with 0 or all of them none is shown.

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
        k = int(ratios.argmax()) + 1 if ratios.size else 0
        return cls(eigenvalues=result.eigenvalues, k=k).plot(ax)

    def _draw(self, ax):
        places, k = np.arange(1, len(self.eigenvalues) + 1), self.k
        ax.plot(places, self.eigenvalues, color=GRAY, linewidth=1, zorder=1)
        colors = np.where(places <= k, BLUE, GRAY)
        size = 36 if len(places) <= SPARSE else 9
        ax.scatter(places, self.eigenvalues, size, colors, zorder=2)
        if 0 < k < len(places):
            gap = abs(self.eigenvalues[k - 1]) - abs(self.eigenvalues[k])
            ends, label = self.eigenvalues[k - 1 : k + 1], f"gap of {gap:.3g} after {k}"
            ax.plot([k + 0.5, k + 0.5], ends, color=ORANGE, linewidth=5, label=label)
            ax.legend(loc="upper right")
        whole_numbers(ax)
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
            color, style = STYLES[i % len(STYLES)]
            steps = np.arange(1, len(history) + 1)
            ax.plot(steps, history, style, color=color, markersize=4, label=label)
        whole_numbers(ax)
        ax.ticklabel_format(axis="y", useOffset=False)
        ax.set(xlabel="iteration", ylabel="objective")
        ax.legend()


@dataclass(kw_only=True, eq=False, repr=False)
class TopographyDisplay(Display):
    """Features where they lie in two rounds: ellipses as wide and as high as they are relevant.

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
    >>> len(display.ax_.patches), len(display.ax_.texts)
    (20, 9)
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
        chosen, known = list(rounds), range(1, len(result.weights) + 1)
        if len(chosen) != 2 or not set(chosen) <= set(known):
            raise ValueError(f"rounds = {rounds}: must be two numbers from 1 to {len(known)}")
        columns, combined = np.array(chosen) - 1, result.combined
        return cls(
            positions=result.positions[:, columns],
            relevances=result.relevances[:, columns],
            names=names_of(names, range(len(combined.alpha)), combined.names),
            ranking=combined.ranking,
            n_selected=len(combined.select()),
            top=top,
            rounds=tuple(chosen),
        ).plot(ax)

    def _draw(self, ax):
        best, rest = np.split(self.ranking, [self.n_selected])
        self._draw_ellipses(ax, rest, GRAY, "rest", zorder=1)
        self._draw_ellipses(ax, best, BLUE, "above the gap", zorder=2)
        for set_label, i in zip((ax.set_xlabel, ax.set_ylabel), self.rounds, strict=True):
            set_label(f"position, round {i}")
        ax.margins(0.1)
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
        named = best[: self.top]
        labels.at_points(ax, self.positions[named], [self.names[i] for i in named])

    def _draw_ellipses(self, ax, features, color, label, zorder):
        from matplotlib.patches import Ellipse

        places = self.positions[features]
        for place, size in zip(places, ELLIPSE * np.abs(self.relevances[features]), strict=True):
            ax.add_patch(
                Ellipse(place, *size, facecolor=(color, 0.2), edgecolor=color, zorder=zorder)
            )
        label = f"{label} ({len(features)})"
        ax.plot(*places.T, ".", color=color, markersize=4, label=label, zorder=zorder)


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
        sizes = sorted(result)
        probabilities, low, high = np.transpose([result[n] for n in sizes])
        sizes = np.array(sizes)
        return cls(sizes=sizes, probabilities=probabilities, low=low, high=high, label=label).plot(
            ax
        )

    def _draw(self, ax):
        color, style = STYLES[len(ax.lines) % len(STYLES)]
        ax.plot(self.sizes, self.probabilities, style, color=color, label=self.label)
        ax.fill_between(self.sizes, self.low, self.high, color=color, alpha=0.2, linewidth=0)
        whole_numbers(ax)
        ax.set(xlabel="size of the matrix", ylabel="probability of a positive eigenvector")
        ax.set_ylim(-0.03, 1.03)
        ax.legend()
