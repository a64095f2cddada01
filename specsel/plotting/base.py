"""What the displays share: colours, axes, names and ranked bars."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, dataclass_transform

import numpy as np

from specsel import _validate
from specsel._validate import Bools, Floats
from specsel.plotting import labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any  # matplotlib is imported when something is drawn

# Colours of Okabe and Ito, which colour-blind readers can distinguish. Gray: not selected.
BLUE, VERMILION, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "#949494"

# Up to this number of bars or points, there is space between them.
SPARSE = 60

# With more ranks than these, the axis of ranks is logarithmic, or the first would not be seen.
RANKS = 300

# Styles of the lines on the same axes, in turn: no two of the first 15 lines are alike.
COLORS, MARKERS, DASHES = (BLUE, VERMILION, GREEN), "os^Dv", ("-", "--", "-.", ":")


@dataclass_transform(kw_only_default=True, eq_default=False)
class Display(ABC):
    """A picture of a result. A subclass is a dataclass and draws its fields in `_draw`."""

    marks_selected = False  # whether `from_result` takes the features that an estimator selects

    def __init_subclass__(cls) -> None:
        dataclass(kw_only=True, eq=False, repr=False)(cls)

    ax_: Any
    figure_: Any

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the picture and return the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Plain axes to draw on; by default those of a new figure.
        """
        if ax is not None and getattr(ax, "name", None) != "rectilinear":
            raise ValueError(
                f"ax: is of type {type(ax).__name__}; plain matplotlib Axes are needed"
            )
        self.ax_ = pyplot().subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        _fit_texts(self.ax_)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None: ...

    @classmethod
    @abstractmethod
    def from_result(cls, result: Any, *, ax: Axes | None = None) -> Self: ...

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw the result of a fitted estimator, and which features it selects.

        Parameters
        ----------
        estimator : estimator of this package
        **options
            As in `from_result`.
        """
        if not hasattr(estimator, "result_"):
            raise ValueError(
                f"estimator = {_validate.brief(estimator)}: has no result_; a fitted estimator of "
                "this package is needed, of a pipeline its step"
            )
        if cls.marks_selected and hasattr(estimator, "get_support"):
            options = {"selected": estimator.get_support()} | options
        return cls.from_result(estimator.result_, **options)


def pyplot() -> Any:
    """Import pyplot, or raise an error with the command that installs it."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plotting needs matplotlib: pip install 'specsel[plot]'") from None
    return pyplot


def _fit_texts(ax: Any) -> None:
    """Make the font of title and labels smaller where these are longer than the axes."""
    ax.figure.figure.draw_without_rendering()
    width, height = ax.get_window_extent().size
    for text, space in ((ax.title, width), (ax.xaxis.label, width), (ax.yaxis.label, height)):
        taken = max(text.get_window_extent().size) if text.get_text() else 0.0
        if taken > space > 0:
            text.set_fontsize(text.get_fontsize() * space / taken)


def check_type(result: object, *types: type) -> None:
    """Refuse a result of another type than the display can draw."""
    if not isinstance(result, types):
        needed = " or ".join(one.__name__ for one in types)
        raise ValueError(f"result: is of type {type(result).__name__}; {needed} is needed")


def names_of(
    names: Iterable[object] | None, features: Any, known: Iterable[object] | None = None
) -> list[str]:
    """Return the names of all features, in the order of `features`.

    `names` come from the user, `known` from the result; without both, numbers are the names.
    """
    names = known if names is None else names
    if names is None:
        return [str(i) for i in features]
    listed = list(names) if np.iterable(names) else [names]
    if len(listed) != len(features):
        raise ValueError(
            f"names: has {len(listed)} for {len(features)} features; one each is needed"
        )
    return [str(listed[i]) for i in features]


def foreground(ax: Any) -> Any:
    """Return the colour of the text beside the axes, which stands out from the background."""
    return ax.xaxis.label.get_color()


def dot_size(size: float, count: int) -> float:
    """Return the size of a dot, smaller if there are many dots."""
    return size if count <= SPARSE else size / 3


def whole_numbers(ax: Any) -> None:
    """Put the ticks of the horizontal axis at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    if ax.get_xscale() == "linear":
        steps = [1, 2, 2.5, 5, 10]
        ax.xaxis.set_major_locator(MaxNLocator("auto", steps=steps, integer=True, min_n_ticks=1))


def use_logarithm(ax: Any) -> None:
    """Make the vertical axis logarithmic and write its numbers out: 8.1, not 8.1 × 10⁰."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return f"{x:g}" if super().__call__(x, pos) else ""

    ax.set_yscale("log")
    for set_formatter in (ax.yaxis.set_major_formatter, ax.yaxis.set_minor_formatter):
        set_formatter(Plain(minor_thresholds=(2, 1)))  # decades with some numbers, and with all


def draw_ranked(
    ax: Any,
    values: Floats,
    names: Sequence[str],
    count: int,
    top: int,
    chosen: Bools | None = None,
) -> None:
    """Draw bars, highest first, those of `count` selected features in blue; name the first `top`.

    The selected features are those of the highest bars, with a line after them, unless `chosen`
    has a flag for every bar.
    """
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    n = len(values)
    is_first = np.arange(n) < count
    chosen = is_first if chosen is None else chosen
    if n <= SPARSE:
        ax.bar(np.arange(1, n + 1), values, color=np.where(chosen, BLUE, GRAY))
    else:  # one shape, which is fast
        edges = np.arange(n + 1) + 0.5
        ax.stairs(values, edges, fill=True, color=GRAY)
        ax.stairs(np.where(chosen, values, 0.0), edges, fill=True, color=BLUE)
    if 0 < count < n and (chosen == is_first).all():
        ax.vlines(count + 0.5, 0, values[count - 1], color=foreground(ax), linestyle="--")
    ax.set(xlabel="rank", xlim=(0.4, n + 0.6))
    if n > RANKS:
        ax.set_xscale("log")
        ax.set_xlim(left=0.6)
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))  # 1000, not 10³
        ax.xaxis.set_minor_formatter(NullFormatter())
    whole_numbers(ax)
    ax.set_ylim(top=values[0] if values[0] > 0 else 1.0)
    labels.over_bars(ax, np.arange(1, n + 1)[:top], np.maximum(values[:top], 0.0), names[:top])


def next_style(ax: Any) -> dict[str, Any]:
    """Return the style of the next line on the axes."""
    i = len(ax.lines)
    return {
        "color": COLORS[i % len(COLORS)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": DASHES[i % len(DASHES)],
    }


def title_selected(ax: Any, count: int, n: int, *, chosen: bool) -> None:
    """Write in the title how many of n features are selected: at the gap, or by an estimator."""
    if chosen:
        ax.set_title(f"{count} of {n} features selected")
    else:
        ax.set_title(f"{count} of {n} features above the gap" if count < n else "there is no gap")


def mask(selected: Any, n: int) -> Bools:
    """Return which of n features are selected; refuse anything but a flag for each."""
    flags = np.asarray(selected)
    if flags.shape != (n,) or flags.dtype != bool:
        raise ValueError(f"selected: must be True or False for each of {n} features")
    return flags
