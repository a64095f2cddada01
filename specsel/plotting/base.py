"""What the displays of `plotting` share."""

import numpy as np

from specsel import _input
from specsel.plotting import labels

# Of Okabe and Ito, told apart by readers who are colour-blind; gray is what is not selected.
BLUE, VERMILION, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "#949494"

# Up to so many bars or points there is room between them.
SPARSE = 60


class Display:
    """A picture of a result: a subclass draws in `_draw` what it was given."""

    def plot(self, ax=None):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where, plain ones; by default in a figure of their own.

        Returns
        -------
        The display.
        """
        if ax is not None and getattr(ax, "name", None) != "rectilinear":
            raise ValueError(
                f"ax: is of type {type(ax).__name__}; plain matplotlib Axes are needed"
            )
        self.ax_ = _new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        return self

    @classmethod
    def from_estimator(cls, estimator, **options):
        """Draw what a fitted estimator has found.

        Parameters
        ----------
        estimator : estimator of this package
            Its `result_` is drawn, with the cut at the gap, whatever the estimator selects.
        **options
            As of `from_result`.

        Returns
        -------
        The display.
        """
        if not hasattr(estimator, "result_"):
            raise ValueError(
                f"estimator = {_input.brief(estimator)}: has no result_; a fitted estimator of "
                "this package is needed, of a pipeline its step"
            )
        return cls.from_result(estimator.result_, **options)


def _new_axes():
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plotting needs matplotlib: pip install 'specsel[plot]'") from None
    return pyplot.subplots(layout="constrained")[1]


def check_type(result, *types):
    """Refuse results that cannot be drawn in this way."""
    if not isinstance(result, types):
        needed = " or ".join(one.__name__ for one in types)
        raise ValueError(f"result: is of type {type(result).__name__}; {needed} is needed")


def names_of(names, features, known=None):
    """Names of all features, in this order: as given, as known, or else their numbers."""
    names = known if names is None else names
    if names is None:
        return [str(i) for i in features]
    names = list(names) if np.iterable(names) else [names]
    if len(names) != len(features):
        raise ValueError(
            f"names: has {len(names)} for {len(features)} features; one each is needed"
        )
    return [str(names[i]) for i in features]


def foreground(ax):
    """The colour of what is written beside axes, which their background lets stand out."""
    return ax.xaxis.label.get_color()


def dot_size(size, count):
    """The size of dots, smaller where they are many."""
    return size if count <= SPARSE else size / 3


def whole_numbers(ax):
    """Ticks at whole numbers only."""
    from matplotlib.ticker import AutoLocator

    if ax.get_xscale() == "linear":
        ax.xaxis.set_major_locator(AutoLocator())
        ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)


def use_logarithm(ax):
    """Make the upright axis logarithmic, with its numbers written out: 8.1, not 8.1 × 10⁰."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        def __call__(self, x, pos=None):
            return f"{x:g}" if super().__call__(x, pos) else ""

    ax.set_yscale("log")
    for set_formatter in (ax.yaxis.set_major_formatter, ax.yaxis.set_minor_formatter):
        set_formatter(Plain(minor_thresholds=(2, 1)))  # decades with some numbers, and with all


def draw_ranked(ax, values, names, count, top):
    """Draw bars, highest first, with a line after those selected; `top` of them are named."""
    n = len(values)
    for start, stop, color in ((0, count, BLUE), (count, n, GRAY)):
        if start < stop:
            _draw_bars(ax, np.arange(start, stop) + 1, values[start:stop], color, n <= SPARSE)
    if 0 < count < n:
        ax.vlines(count + 0.5, 0, values[count - 1], color=foreground(ax), linestyle="--")
    whole_numbers(ax)
    ax.set(xlabel="rank", xlim=(0.4, n + 0.6))
    ax.set_ylim(top=values[0] if values[0] > 0 else 1.0)
    labels.over_bars(ax, np.arange(1, n + 1)[:top], np.maximum(values[:top], 0.0), names[:top])


def _draw_bars(ax, places, values, color, apart):
    """Bars at neighbouring places; many, which touch, are one shape."""
    if apart:
        ax.bar(places, values, color=color)
    else:
        ax.stairs(values, np.append(places, places[-1] + 1) - 0.5, fill=True, color=color)


# Of the lines on the same axes, one after the other: no two of the first 15 are alike.
COLORS, MARKERS, DASHES = (BLUE, VERMILION, GREEN), "os^Dv", ("-", "--", "-.", ":")


def next_style(ax):
    """How the next line on the axes looks."""
    i = len(ax.lines)
    return {
        "color": COLORS[i % len(COLORS)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": DASHES[i % len(DASHES)],
    }


def tell_selected(ax, count, n):
    """Say above the axes how many features are selected."""
    ax.set_title(f"{count} of {n} features above the gap" if count < n else "there is no gap")
