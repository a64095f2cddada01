"""Pictures of searches: for the best features of every size, and for a stable subspace."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from specsel import _validate
from specsel._validate import MEANINGS, ArrayLike, Worth
from specsel.plotting import base, labels
from specsel.plotting.base import BLUE, VERMILION, Display, check_type
from specsel.results import Path, StableSubspace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# If a bound is more than this number of times the largest value, the scale is logarithmic.
FAR = 10.0

# The axis ends at this share of the smallest threshold; smaller gaps are not shown.
LEAST = 1e-4


@dataclass(kw_only=True, eq=False, repr=False)
class PathDisplay(Display):
    """Values by the number of features: greedy, exact, and a band up to the bounds.

    No estimator has such a result, because an estimator selects one number of features.

    Parameters
    ----------
    sizes : ndarray of int
        Numbers of features.
    values, starts, bounds : ndarray
        For every size: the value found, the value of greedy selection, and the bound that no
        value exceeds.
    proved : ndarray of bool
        Whether the value is proved to be the best of its size.
    criterion : {"leading", "trace", "logdet"}
        What the values are.

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
    criterion: Worth = "leading"

    @classmethod
    def from_result(cls, result: Path, *, ax: "Axes | None" = None) -> Self:
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
            # Nothing was searched where there is no error; such a bound is far above all values.
            bounds=np.where(np.isfinite(result.errors), result.bounds, np.inf),
            proved=np.array(result.statuses) == "optimal",
            criterion=result.criterion,
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        n, bounded = len(self.sizes), np.isfinite(self.bounds)
        size = base.dot_size(9, n)
        around = {"linewidth": 2.5, "markersize": size, "markerfacecolor": "none"}
        ax.plot(self.sizes, self.starts, "s--", color=VERMILION, label="greedy", **around)
        if bounded.any() or (self.values != self.starts).any():
            ax.plot(self.sizes, self.values, color=BLUE, linewidth=1)
            dots = base.dot_size(5, n), self.proved, ("exact", "best found")
            _draw_dots(ax, self.sizes, self.values, *dots)
            self._draw_bounds(ax, bounded & ~self.proved, size)
            ax.set_title(f"{self.proved.sum()} of {n} sizes proved")
        else:
            ax.set_title("greedy selection")
        base.whole_numbers(ax)
        ax.set(xlabel="number of features", ylabel=f"value: {MEANINGS[self.criterion]}")
        ax.legend()

    def _draw_bounds(self, ax: Any, part: np.ndarray, size: float) -> None:
        if part.any():
            band = {"color": BLUE, "alpha": 0.2, "linewidth": 0}
            ax.fill_between(self.sizes, self.values, self.bounds, **band)
            marks = {"color": BLUE, "markersize": size, "label": "bound"}
            ax.plot(self.sizes[part], self.bounds[part], "_", **marks)
            if self.bounds[part].max() > FAR * self.values.max() and self.values.min() > 0:
                base.use_logarithm(ax)


@dataclass(kw_only=True, eq=False, repr=False)
class StabilityDisplay(Display):
    """The search for a stable subspace, or how often features are selected.

    Parameters
    ----------
    sizes : ndarray of int
        Of a search: how many features were left at every step.
    gaps, errors : ndarray
        The largest gap between eigenvalues, or a bound on it; and the threshold that a gap must
        exceed, ``4 ‖E‖``.
    decomposed : ndarray of bool
        Whether the gap is known; otherwise it is a bound.
    chosen : int, optional
        How many features the stable subspace has.
    share, retain : float
        The share of the trace that the subspace retains, and the share that was asked for.
    frequencies : ndarray, optional
        Instead of a search: how often features are selected, most often first.
    names : sequence of str
        Names of these features.
    threshold : float
        A feature counts as selected if it is selected at least so often.
    top : int
        How many features get a name.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import plotting, sbs
    >>> X = np.random.default_rng(0).random((200, 8))
    >>> stable = sbs.solve(X, retain=0.7, random_state=0)
    >>> plotting.StabilityDisplay.from_result(stable).chosen == len(stable.support)
    True
    """

    sizes: np.ndarray = field(default_factory=lambda: np.empty(0))
    gaps: np.ndarray = field(default_factory=lambda: np.empty(0))
    errors: np.ndarray = field(default_factory=lambda: np.empty(0))
    decomposed: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    chosen: int | None = None
    share: float = 1.0
    retain: float = 0.0
    frequencies: np.ndarray | None = None
    names: Sequence[str] = ()
    threshold: float = 0.5
    top: int = 10

    @classmethod
    def from_result(cls, result: StableSubspace, *, ax: "Axes | None" = None) -> Self:
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
            share=result.share,
            retain=result.retain,
        ).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw the search of a fitted estimator, or the frequencies of `StabilitySelection`.

        Parameters
        ----------
        estimator : estimator of this package
        **options
            As in `from_result` or `from_frequencies`; names and threshold of frequencies are by
            default those of the estimator.

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
    def from_frequencies(
        cls,
        frequencies: ArrayLike,
        *,
        names: Iterable[object] | None = None,
        threshold: float = 0.5,
        top: int = 10,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw how often features are selected.

        Parameters
        ----------
        frequencies : array of shape (n_features,)
            Share of the resamples in which a feature is selected, from 0 to 1.
        names : sequence of str, optional
            Names of the features; by default their numbers.
        threshold : float
            A feature counts as selected if it is selected at least so often.
        top : int
            How many features get a name.
        ax : matplotlib Axes, optional

        Returns
        -------
        StabilityDisplay

        Examples
        --------
        >>> from specsel.plotting import StabilityDisplay
        >>> display = StabilityDisplay.from_frequencies([0.2, 1.0, 0.9], threshold=0.8)
        >>> display.ax_.get_title()
        '2 of 3 features ≥ 0.8'
        """
        shares = np.asarray(frequencies, dtype=float)
        inside = (shares >= 0) & (shares <= 1)
        if shares.ndim != 1 or not shares.size or not inside.all():
            raise ValueError("frequencies: must be numbers from 0 to 1, one for each feature")
        _validate.check_number("threshold", threshold)
        ranking = np.argsort(-shares, kind="stable")
        return cls(
            frequencies=shares[ranking],
            names=base.names_of(names, ranking),
            threshold=threshold,
            top=_validate.check_integer("top", top, 0),
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        if self.frequencies is None:
            self._draw_search(ax)
        else:
            self._draw_frequencies(ax, self.frequencies)

    def _draw_search(self, ax: Any) -> None:
        n = len(self.sizes)
        form = {"markersize": base.dot_size(3, n), "label": "its uncertainty, 4 ‖E‖"}
        ax.plot(self.sizes, self.errors, "s--", color=VERMILION, **form)
        ax.plot(self.sizes, self.gaps, color=BLUE, linewidth=0.8)
        dots = base.dot_size(5, n), self.decomposed, ("largest gap", "bound on the gap")
        _draw_dots(ax, self.sizes, self.gaps, *dots)
        if self.chosen is not None:
            ax.axvline(self.chosen, color=base.foreground(ax), linestyle=":", label="stable")
            short = _short_of(self.share, self.retain) if self.share < self.retain else ""
            ax.set_title(f"stable with {self.chosen} of {self.sizes[0]} features{short}")
        else:
            ax.set_title("no subspace is stable")
        self._compare_by_ratio(ax)
        ax.xaxis.set_inverted(True)
        base.whole_numbers(ax)
        ax.set(xlabel="features left", ylabel="gap between eigenvalues")
        ax.legend(fontsize=labels.FORM["fontsize"])

    def _compare_by_ratio(self, ax: Any) -> None:
        """Use a logarithmic scale: it shows how near a gap comes to its threshold, at any size."""
        errors = self.errors[self.errors > 0]
        if errors.size:
            base.use_logarithm(ax)
            ax.set_ylim(bottom=max(ax.get_ylim()[0], LEAST * errors.min()))

    def _draw_frequencies(self, ax: Any, frequencies: np.ndarray) -> None:
        n, count = len(frequencies), int((frequencies >= self.threshold).sum())
        ax.set_title(f"{count} of {n} features ≥ {self.threshold:g}")
        ax.set_ylabel("how often selected")
        base.draw_ranked(ax, frequencies, self.names, count, self.top)
        if ax.get_yscale() == "linear":
            ax.set_yticks(np.linspace(0, 1, 6))


def _short_of(share: float, retain: float) -> str:
    """Say in a line that a share is less than was asked for, in as many digits as show it."""
    for digits in range(2, 18):
        less, asked = (f"{value:.{digits}g}" for value in (share, retain))
        if less != asked:
            break
    return f"\nbut {less} of the trace, not {asked}"


def _draw_dots(
    ax: Any,
    places: np.ndarray,
    heights: np.ndarray,
    size: float,
    known: np.ndarray,
    legend: tuple[str, str],
) -> None:
    """Draw dots: full if the height is known, hollow if it is not the last word."""
    fills = BLUE, ax.get_facecolor()
    for part, inside, label in zip((known, ~known), fills, legend, strict=True):
        if part.any():
            form = {"markersize": size, "markerfacecolor": inside, "label": label}
            ax.plot(places[part], heights[part], "o", color=BLUE, markeredgewidth=size / 5, **form)
