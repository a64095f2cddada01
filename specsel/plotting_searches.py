"""Pictures of what searches found: paths of sparse discriminants, and stable subspaces."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specsel.display import (
    BLUE,
    ORANGE,
    VERMILION,
    Display,
    check_type,
    draw_ranked,
    names_of,
    whole_numbers,
)
from specsel.results import Path
from specsel.stability import StableSubspace


@dataclass(kw_only=True, eq=False, repr=False)
class PathDisplay(Display):
    """Values against the number of features: greedy, exact, and a band up to the bounds.

    Parameters
    ----------
    sizes : ndarray of int
    values, starts, bounds : ndarray
        For every size the value found, that of greedy selection, and what none exceeds.
    proved : ndarray of bool
        Where nothing can be better than the value.

    Examples
    --------
    >>> from specsel import datasets, eslda, plotting
    >>> data = datasets.lda_problem(30, n_samples=300, n_relevant=4)
    >>> path = eslda.solve(data.X, data.y, k=[2, 3, 4, 5])
    >>> display = plotting.PathDisplay.from_result(path)
    >>> display.ax_.get_legend_handles_labels()[1]
    ['greedy', 'exact']
    """

    sizes: np.ndarray
    values: np.ndarray
    starts: np.ndarray
    bounds: np.ndarray
    proved: np.ndarray

    @classmethod
    def from_result(cls, result, *, ax=None):
        """Draw a path.

        Parameters
        ----------
        result : Path
        ax : matplotlib Axes, optional

        Returns
        -------
        PathDisplay
        """
        check_type(result, Path)
        return cls(
            sizes=result.sizes,
            values=result.values,
            starts=result.starts,
            bounds=result.bounds,
            proved=np.array(result.statuses) == "optimal",
        ).plot(ax)

    def _draw(self, ax):
        ax.plot(self.sizes, self.starts, "x--", color=VERMILION, label="greedy", zorder=3)
        bounded = np.isfinite(self.bounds)
        unproved = bounded & ~self.proved
        if bounded.any():
            ax.plot(self.sizes, self.values, "-", color=BLUE)
        parts = (self.proved, BLUE, "exact"), (unproved, "white", "best found")
        for part, inside, label in parts:
            if part.any():
                dots = {"markersize": 9, "markerfacecolor": inside, "label": label}
                ax.plot(self.sizes[part], self.values[part], "o", color=BLUE, **dots)
        if unproved.any():
            band = {"color": BLUE, "alpha": 0.2, "linewidth": 0}
            ax.fill_between(self.sizes, self.values, self.bounds, **band)
            x, y = self.sizes[unproved], self.bounds[unproved]
            ax.plot(x, y, "_", color=BLUE, markersize=9, label="bound")
        whole_numbers(ax)
        ax.set(xlabel="number of features", ylabel="value")
        ax.legend()


@dataclass(kw_only=True, eq=False, repr=False)
class StabilityDisplay(Display):
    """The search for a stable subspace, or how often features are selected.

    Parameters
    ----------
    sizes : ndarray of int
        Of a search: the features left.
    gaps, errors : ndarray
        The largest gap between eigenvalues, or a bound on it, and what it must exceed, ``4 ‖E‖``.
    decomposed : ndarray of bool
        Where the gap is known; elsewhere it is a bound.
    chosen : int, optional
        The size of the subspace that was found.
    frequencies : ndarray, optional
        In place of a search: how often features are selected, most often first.
    names : sequence of str
        Of these features.
    threshold : float
        How often those are selected that count.
    top : int
        How many are named.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import plotting, sbs
    >>> X = np.random.default_rng(0).random((200, 8))
    >>> stable = sbs.solve(X, retain=0.7, random_state=0)
    >>> plotting.StabilityDisplay.from_result(stable).chosen == len(stable.support)
    True
    """

    sizes: np.ndarray = ()
    gaps: np.ndarray = ()
    errors: np.ndarray = ()
    decomposed: np.ndarray = ()
    chosen: int | None = None
    frequencies: np.ndarray | None = None
    names: Sequence = ()
    threshold: float = 0.5
    top: int = 10

    @classmethod
    def from_result(cls, result, *, ax=None):
        """Draw a search.

        Parameters
        ----------
        result : StableSubspace
        ax : matplotlib Axes, optional

        Returns
        -------
        StabilityDisplay
        """
        check_type(result, StableSubspace)
        return cls(
            sizes=np.array([step.size for step in result.trace]),
            gaps=np.array([step.gap for step in result.trace]),
            errors=np.array([step.error for step in result.trace]),
            decomposed=np.array([step.stable is not None for step in result.trace], bool),
            chosen=len(result.support) if result.k else None,
        ).plot(ax)

    @classmethod
    def from_estimator(cls, estimator, **options):
        """Draw the search of a fitted estimator, or the frequencies of `StabilitySelection`.

        Parameters
        ----------
        estimator : estimator of this package
        **options
            As of `from_result` or `from_frequencies`; for frequencies, names and threshold are
            those of the estimator.

        Returns
        -------
        StabilityDisplay

        Examples
        --------
        >>> from specsel import QAlpha, StabilitySelection, datasets, plotting
        >>> selection = StabilitySelection(QAlpha(k=2, n_features_to_select=4), 5)
        >>> _ = selection.fit(datasets.example().X)
        >>> display = plotting.StabilityDisplay.from_estimator(selection)
        >>> display.threshold == selection.threshold
        True
        """
        if not isinstance(getattr(estimator, "result_", None), np.ndarray):
            return super().from_estimator(estimator, **options)
        names = getattr(estimator, "feature_names_in_", None)
        given = {"names": names, "threshold": estimator.threshold} | options
        return cls.from_frequencies(estimator.scores_, **given)

    @classmethod
    def from_frequencies(cls, frequencies, *, names=None, threshold=0.5, top=10, ax=None):
        """Draw how often features are selected.

        Parameters
        ----------
        frequencies : array of shape (n_features,)
            Shares of the resamples, from 0 to 1.
        names : sequence of str, optional
            Of the features, by default their numbers.
        threshold : float
            The least frequency of those that count.
        top : int
            How many features are named.
        ax : matplotlib Axes, optional

        Returns
        -------
        StabilityDisplay

        Examples
        --------
        >>> from specsel.plotting import StabilityDisplay
        >>> display = StabilityDisplay.from_frequencies([0.2, 1.0, 0.9], threshold=0.8)
        >>> display.ax_.get_title()
        '2 of 3 features at least 0.8 of the time'
        """
        frequencies = np.asarray(frequencies, dtype=float)
        ranking = np.argsort(-frequencies, kind="stable")
        return cls(
            frequencies=frequencies[ranking],
            names=names_of(names, ranking),
            threshold=threshold,
            top=top,
        ).plot(ax)

    def _draw(self, ax):
        if self.frequencies is None:
            self._draw_search(ax)
        else:
            self._draw_frequencies(ax)

    def _draw_search(self, ax):
        ax.plot(self.sizes, self.errors, "s--", color=VERMILION, markersize=3, label="4 ‖E‖")
        ax.plot(self.sizes, self.gaps, color=BLUE, linewidth=0.8)
        parts = (self.decomposed, BLUE, "largest gap"), (~self.decomposed, "white", "bound on it")
        for part, inside, label in parts:
            if part.any():
                dots = {"markersize": 5, "markerfacecolor": inside, "label": label}
                ax.plot(self.sizes[part], self.gaps[part], "o", color=BLUE, **dots)
        if self.chosen is not None:
            label = f"stable with {self.chosen}"
            ax.axvline(self.chosen, color=ORANGE, linewidth=4, alpha=0.5, label=label, zorder=1)
        ax.invert_xaxis()
        whole_numbers(ax)
        ax.set(xlabel="features left", ylabel="gap between eigenvalues")
        ax.legend()

    def _draw_frequencies(self, ax):
        n, count = len(self.frequencies), int((self.frequencies >= self.threshold).sum())
        draw_ranked(ax, self.frequencies, self.names, count, self.top)
        ax.set_title(f"{count} of {n} features at least {self.threshold:g} of the time")
        ax.set_ylabel("how often selected")
