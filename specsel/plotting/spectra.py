"""Pictures of eigenvalues, and of how the objective converged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from specsel._validate import ArrayLike
from specsel.plotting import base
from specsel.plotting.base import BLUE, GRAY, VERMILION, Display, check_type, next_style
from specsel.results import Map, StableSubspace, Weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Eigenvalues below this share of the largest are rounding errors.
ROUNDING = 1e-12

# How many are drawn after the k leading ones.
BEYOND = 10


@dataclass(kw_only=True, eq=False, repr=False)
class SpectrumDisplay(Display):
    """Eigenvalues, with a mark at the gap between two of them.

    Parameters
    ----------
    eigenvalues : ndarray
        The eigenvalues, largest modulus first.
    k : int
        How many eigenvalues stand before the gap; 0 or all of them if there is no gap.
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

    eigenvalues: np.ndarray
    k: int
    complete: bool = True

    @classmethod
    def from_result(
        cls,
        result: Weights | StableSubspace,
        *,
        X: ArrayLike | None = None,
        ax: "Axes | None" = None,
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

        Returns
        -------
        SpectrumDisplay
        """
        check_type(result, Weights, StableSubspace)
        if isinstance(result, StableSubspace):
            if X is not None:
                raise ValueError("X: is for weights; a stable subspace has all its eigenvalues")
            return cls(eigenvalues=result.eigenvalues, k=result.k).plot(ax)
        if X is not None:
            shown = result.k_ + BEYOND
            values = result.spectrum(X, BEYOND + 1)
            complete = len(values) <= shown
            return cls(eigenvalues=values[:shown], k=result.k_, complete=complete).plot(ax)
        sizes = np.abs(result.eigenvalues)
        least = max(ROUNDING * sizes[0], np.finfo(float).tiny)
        ratios = sizes[:-1] / np.maximum(sizes[1:], least)
        k = int(ratios.argmax()) + 1 if (ratios > 1).any() else 0
        return cls(eigenvalues=result.eigenvalues, k=k, complete=False).plot(ax)

    def _draw(self, ax: Any) -> None:
        places, k = np.arange(1, len(self.eigenvalues) + 1), self.k
        ax.plot(places, self.eigenvalues, color=GRAY, linewidth=1, zorder=1)
        size = base.dot_size(6, len(places)) ** 2
        ax.scatter(places, self.eigenvalues, size, np.where(places <= k, BLUE, GRAY), zorder=2)
        if 0 < k < len(places):
            gap = abs(self.eigenvalues[k - 1]) - abs(self.eigenvalues[k])
            ends = self.eigenvalues[k - 1 : k + 1]
            form = {"color": VERMILION, "linewidth": 5, "zorder": 0, "solid_capstyle": "butt"}
            ax.plot([k + 0.5, k + 0.5], ends, **form)
            ax.set_title(f"gap of {gap:.3g} after {k}")
        else:
            ax.set_title("there is no gap")
        base.whole_numbers(ax)
        rest = "" if self.complete else "\n(there are more)"
        ax.set(xlabel=f"number of the eigenvalue{rest}", ylabel="eigenvalue")


@dataclass(kw_only=True, eq=False, repr=False)
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

    histories: Sequence[np.ndarray]
    converged: Sequence[bool]

    @classmethod
    def from_result(cls, result: Weights | Map, *, ax: "Axes | None" = None) -> Self:
        """Draw the objective.

        Parameters
        ----------
        result : Weights or Map
            Of a map, every round is drawn.
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

    def _draw(self, ax: Any) -> None:
        several = len(self.histories) > 1
        for i, (history, converged) in enumerate(zip(self.histories, self.converged, strict=True)):
            best = history.max()
            label = f"round {i + 1}, " * several + ("" if converged else "not ") + "converged"
            size = base.dot_size(4, len(history))
            steps = np.arange(1, len(history) + 1)
            missing = (best - history) / (abs(best) or 1.0)
            missing[missing <= 0] = np.nan
            form = {"markersize": size, "label": f"{label} at {best:.5g}"}
            ax.plot(steps, missing, **form, **next_style(ax))
            if np.isfinite(missing).any():
                base.use_logarithm(ax)
        base.whole_numbers(ax)
        ax.set(xlabel="iteration", ylabel="missing share of the objective")
        ax.legend()
