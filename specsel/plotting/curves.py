"""Pictures of curves: searches by size, eigenvalues, convergence, probabilities."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Self

import numpy as np

from specsel import _validate
from specsel._validate import MEANINGS, ArrayLike, Bools, Floats, Integers, Worth
from specsel.plotting import base, labels
from specsel.plotting.base import BLUE, GRAY, VERMILION, Axes, Display, check_type
from specsel.results import Map, Path, StableSubspace, Weights
from specsel.results.estimates import Estimate

# If a bound is more than this number of times the largest value, the scale is logarithmic.
FAR = 10.0

# The axis ends at this share of the smallest threshold; smaller gaps are not shown.
LEAST = 1e-4

# Eigenvalues below this share of the largest are rounding errors.
ROUNDING = 1e-12

# How many are drawn after the k leading ones.
BEYOND = 10


class PathDisplay(Display):
    """Values by the number of features: greedy, exact, and a band up to the bounds.

    No estimator has such a result, because an estimator selects one number of features.

    Parameters
    ----------
    sizes : ndarray of int
    values, starts, bounds : ndarray
        For every size: the best value, the value of greedy selection, and the bound that no value
        exceeds.
    proved : ndarray of bool
        Whether the value is proved to be the best of its size.
    criterion : {"leading", "trace", "logdet"}

    Examples
    --------
    >>> from specsel import datasets, eslda, plotting
    >>> data = datasets.lda_problem(30, n_samples=300, n_relevant=4)
    >>> path = eslda.solve(data.X, data.y, k=[2, 3, 4, 5])
    >>> display = plotting.PathDisplay.from_result(path)
    >>> display.ax_.get_legend_handles_labels()[1]
    ['greedy', 'exact']
    """

    sizes: Integers
    values: Floats
    starts: Floats
    bounds: Floats
    proved: Bools
    criterion: Worth = "leading"

    @classmethod
    def from_result(cls, result: Path, *, ax: Axes | None = None) -> Self:
        """Draw a path.

        Parameters
        ----------
        result : Path
        ax : matplotlib Axes, optional
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
        form = {"linewidth": 2.5, "markersize": size, "markerfacecolor": "none"}
        ax.plot(self.sizes, self.starts, "s--", color=VERMILION, label="greedy", **form)
        if bounded.any() or (self.values != self.starts).any():
            ax.plot(self.sizes, self.values, color=BLUE, linewidth=1)
            _draw_dots(ax, self.sizes, self.values, self.proved, ("exact", "best found"))
            part = bounded & ~self.proved
            if part.any():
                band = {"color": BLUE, "alpha": 0.2, "linewidth": 0}
                ax.fill_between(self.sizes, self.values, self.bounds, **band)
                marks = {"color": BLUE, "markersize": size, "label": "bound"}
                ax.plot(self.sizes[part], self.bounds[part], "_", **marks)
                if self.bounds[part].max() > FAR * self.values.max() and self.values.min() > 0:
                    base.use_logarithm(ax)
            ax.set_title(f"{self.proved.sum()} of {n} sizes proved")
        else:
            ax.set_title("greedy selection")
        base.whole_numbers(ax)
        ax.set(xlabel="number of features", ylabel=f"value: {MEANINGS[self.criterion]}")
        ax.legend()


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
        The share of the trace that the subspace retains, and the share requested.
    frequencies : ndarray, optional
        Instead of a search: how often features are selected, most often first.
    names, threshold, top
        Of frequencies, see `from_frequencies`.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import plotting, sbs
    >>> X = np.random.default_rng(0).random((200, 8))
    >>> stable = sbs.solve(X, retain=0.7, random_state=0)
    >>> plotting.StabilityDisplay.from_result(stable).chosen == len(stable.support)
    True
    """

    sizes: Integers = field(default_factory=lambda: np.empty(0, dtype=int))
    gaps: Floats = field(default_factory=lambda: np.empty(0))
    errors: Floats = field(default_factory=lambda: np.empty(0))
    decomposed: Bools = field(default_factory=lambda: np.empty(0, dtype=bool))
    chosen: int | None = None
    share: float = 1.0
    retain: float = 0.0
    frequencies: Floats | None = None
    names: Sequence[str] = ()
    threshold: float = 0.5
    top: int = 10

    @classmethod
    def from_result(cls, result: StableSubspace, *, ax: Axes | None = None) -> Self:
        """Draw a search.

        Parameters
        ----------
        result : StableSubspace
        ax : matplotlib Axes, optional
        """
        check_type(result, StableSubspace)
        steps = result.trace
        return cls(
            sizes=np.array([step.size for step in steps]),
            gaps=np.array([step.gap for step in steps]),
            errors=np.array([step.error for step in steps]),
            decomposed=np.array([step.stable is not None for step in steps], bool),
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
        options = {"names": names, "threshold": estimator.threshold} | options
        return cls.from_frequencies(estimator.scores_, **options)

    @classmethod
    def from_frequencies(
        cls,
        frequencies: ArrayLike,
        *,
        names: Iterable[object] | None = None,
        threshold: float = 0.5,
        top: int = 10,
        ax: Axes | None = None,
    ) -> Self:
        """Draw how often features are selected.

        Parameters
        ----------
        frequencies : array of shape (n_features,)
            Share of the resamples in which a feature is selected, from 0 to 1.
        names : sequence of str, optional
            Of the features; by default their numbers.
        threshold : float
            A feature counts as selected if it is selected at least so often.
        top : int
            How many features get a name.
        ax : matplotlib Axes, optional

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
            return
        n, count = len(self.frequencies), int((self.frequencies >= self.threshold).sum())
        ax.set_title(f"{count} of {n} features ≥ {self.threshold:g}")
        ax.set_ylabel("how often selected")
        base.draw_ranked(ax, self.frequencies, self.names, count, self.top)
        if ax.get_yscale() == "linear":
            ax.set_yticks(np.linspace(0, 1, 6))

    def _draw_search(self, ax: Any) -> None:
        size = base.dot_size(3, len(self.sizes))
        label = "its uncertainty, 4 ‖E‖"
        ax.plot(self.sizes, self.errors, "s--", color=VERMILION, markersize=size, label=label)
        ax.plot(self.sizes, self.gaps, color=BLUE, linewidth=0.8)
        both = "largest gap", "bound on the gap"
        _draw_dots(ax, self.sizes, self.gaps, self.decomposed, both)
        if self.chosen is None:
            ax.set_title("no subspace is stable")
        else:
            ax.axvline(self.chosen, color=base.foreground(ax), linestyle=":", label="stable")
            short = _short_of(self.share, self.retain) if self.share < self.retain else ""
            ax.set_title(f"stable with {self.chosen} of {self.sizes[0]} features{short}")
        errors = self.errors[self.errors > 0]
        if errors.size:
            # By ratios one sees how near a gap comes to its threshold, at any size.
            base.use_logarithm(ax)
            ax.set_ylim(bottom=max(ax.get_ylim()[0], LEAST * errors.min()))
        ax.xaxis.set_inverted(True)
        base.whole_numbers(ax)
        ax.set(xlabel="features left", ylabel="gap between eigenvalues")
        ax.legend(fontsize=labels.FORM["fontsize"])


class SpectrumDisplay(Display):
    """Eigenvalues, with a mark at the gap between two of them.

    Parameters
    ----------
    eigenvalues : ndarray
        Largest modulus first.
    k : int
        How many are before the gap; 0 or all of them if there is no gap.
    complete : bool
        Whether these are all eigenvalues; else the gap after the last of them is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import plotting, sbs
    >>> X = np.random.default_rng(0).random((200, 8))
    >>> stable = sbs.solve(X, retain=0.7, random_state=0)
    >>> plotting.SpectrumDisplay.from_result(stable).k == stable.k
    True
    """

    eigenvalues: Floats
    k: int
    complete: bool = True

    @classmethod
    def from_result(
        cls,
        result: Weights | StableSubspace,
        *,
        X: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw eigenvalues.

        Parameters
        ----------
        result : Weights or StableSubspace
            Of weights, the k leading eigenvalues are drawn, and the gap is where the ratio of one
            to the next is largest. Of a stable subspace, all eigenvalues are drawn, and the gap
            is the one after the subspace.
        X : array of shape (n_samples, n_features), optional
            The data for which weights were found, to draw the ten eigenvalues after the k leading
            ones, too, and the gap between both; see `Weights.spectrum`.
        ax : matplotlib Axes, optional
        """
        check_type(result, Weights, StableSubspace)
        values, complete = result.eigenvalues, True
        if isinstance(result, StableSubspace):
            k = result.k
            if X is not None:
                raise ValueError("X: is for weights; a stable subspace has all its eigenvalues")
        elif X is not None:
            k, shown = result.k_, result.k_ + BEYOND
            values = result.spectrum(X, BEYOND + 1)
            values, complete = values[:shown], len(values) <= shown
        else:
            sizes, complete = np.abs(values), False
            least = max(ROUNDING * sizes[0], np.finfo(float).tiny)
            ratios = sizes[:-1] / np.maximum(sizes[1:], least)
            k = int(ratios.argmax()) + 1 if (ratios > 1).any() else 0
        return cls(eigenvalues=values, k=k, complete=complete).plot(ax)

    def _draw(self, ax: Any) -> None:
        values, k = self.eigenvalues, self.k
        numbers = np.arange(1, len(values) + 1)
        ax.plot(numbers, values, color=GRAY, linewidth=1, zorder=1)
        size = base.dot_size(6, len(values)) ** 2
        ax.scatter(numbers, values, size, np.where(numbers <= k, BLUE, GRAY), zorder=2)
        if 0 < k < len(values):
            gap = abs(values[k - 1]) - abs(values[k])
            form = {"color": VERMILION, "linewidth": 5, "zorder": 0, "solid_capstyle": "butt"}
            ax.plot([k + 0.5, k + 0.5], values[k - 1 : k + 1], **form)
            ax.set_title(f"gap of {gap:.3g} after {k}")
        else:
            ax.set_title("there is no gap")
        base.whole_numbers(ax)
        rest = "" if self.complete else "\n(there are more)"
        ax.set(xlabel=f"number of the eigenvalue{rest}", ylabel="eigenvalue")


class ConvergenceDisplay(Display):
    """How far the objective is from its largest value, after every iteration of the outer loop.

    The scale is logarithmic and shows the share that is missing, so that a flat end means that
    nothing changes any more, however little changed before. The largest value itself, of which
    nothing is missing, is not drawn; the legend names it.

    Parameters
    ----------
    histories : sequence of ndarray
        The objective after every iteration; one array for every round.
    converged : sequence of bool
        Whether every round converged.

    Examples
    --------
    >>> from specsel import datasets, plotting, qalpha
    >>> weights = qalpha.solve(datasets.example().X, k=3)
    >>> display = plotting.ConvergenceDisplay.from_result(weights)
    >>> len(display.ax_.lines[0].get_xdata()) == weights.n_iter
    True
    """

    histories: Sequence[Floats]
    converged: Sequence[bool]

    @classmethod
    def from_result(cls, result: Weights | Map, *, ax: Axes | None = None) -> Self:
        """Draw the objective.

        Parameters
        ----------
        result : Weights or Map
            Of a map, every round is drawn.
        ax : matplotlib Axes, optional
        """
        check_type(result, Weights, Map)
        rounds = result.weights if isinstance(result, Map) else [result]
        return cls(
            histories=[weights.history for weights in rounds],
            converged=[weights.converged for weights in rounds],
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        several = len(self.histories) > 1
        for i, (history, converged) in enumerate(zip(self.histories, self.converged, strict=True)):
            best = history.max()
            label = f"round {i + 1}, " * several + ("" if converged else "not ") + "converged"
            missing = (best - history) / (abs(best) or 1.0)
            missing[missing <= 0] = np.nan
            form = {"markersize": base.dot_size(4, len(history)), **base.next_style(ax)}
            ax.plot(np.arange(len(history)) + 1, missing, label=f"{label} at {best:.5g}", **form)
            if np.isfinite(missing).any():
                base.use_logarithm(ax)
        base.whole_numbers(ax)
        ax.set(xlabel="iteration", ylabel="missing share of the objective")
        ax.legend()


class PositivityDisplay(Display):
    """The probability that the leading eigenvector is positive, by the size of the matrix.

    No estimator has such a result. To compare several kinds of matrices, draw them on the same
    axes.

    Parameters
    ----------
    sizes : ndarray of int
    probabilities, low, high : ndarray
        For every size, the estimate and the ends of its confidence interval.
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

    sizes: Integers
    probabilities: Floats
    low: Floats
    high: Floats
    label: str = "estimate"

    @classmethod
    def from_result(
        cls,
        result: Mapping[int, Estimate],
        *,
        label: str = "estimate",
        ax: Axes | None = None,
    ) -> Self:
        """Draw probabilities.

        Parameters
        ----------
        result : dict
            For every size of a matrix, the `Estimate` of `positivity.probability`.
        label : str
            The kind of matrices, for the legend.
        ax : matplotlib Axes, optional
        """
        check_type(result, dict)
        if not result or not all(isinstance(found, Estimate) for found in result.values()):
            raise ValueError("result: must hold an Estimate for every size, and at least one")
        sizes = sorted(result)
        probabilities, low, high = np.transpose([result[n] for n in sizes])
        ends = {"low": low, "high": high}
        return cls(sizes=np.array(sizes), probabilities=probabilities, label=label, **ends).plot(
            ax
        )

    def _draw(self, ax: Any) -> None:
        style = base.next_style(ax)
        ax.plot(self.sizes, self.probabilities, label=self.label, **style)
        ax.vlines(self.sizes, self.low, self.high, color=style["color"], linewidth=4, alpha=0.4)
        base.whole_numbers(ax)
        ax.set(xlabel="size of the matrix", ylabel="probability")
        ax.set_title("positive leading eigenvectors")
        if ax.get_yscale() == "linear":
            ax.set_ylim(-0.03, 1.03)
        ax.legend()


def _short_of(share: float, retain: float) -> str:
    """Return a line for a share below the one requested, in as many digits as show it."""
    for digits in range(2, 18):
        less, wanted = (f"{value:.{digits}g}" for value in (share, retain))
        if less != wanted:
            break
    return f"\nbut {less} of the trace, not {wanted}"


def _draw_dots(
    ax: Any, sizes: Integers, values: Floats, known: Bools, legend: tuple[str, str]
) -> None:
    """Draw dots: full where the value is known, hollow where it is not final."""
    size = base.dot_size(5, len(sizes))
    for part, fill, label in zip((known, ~known), (BLUE, ax.get_facecolor()), legend, strict=True):
        if part.any():
            form = {"markersize": size, "markerfacecolor": fill, "label": label}
            ax.plot(sizes[part], values[part], "o", color=BLUE, markeredgewidth=size / 5, **form)
