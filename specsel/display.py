"""What the displays of `plotting` share."""

import numpy as np

from specsel import labels

# Of Okabe and Ito, told apart by readers who are colour-blind; gray is what is not selected.
BLUE, ORANGE, VERMILION, GREEN, GRAY = "#0072B2", "#E69F00", "#D55E00", "#009E73", "#999999"

# Up to so many bars or points there is room between them.
SPARSE = 60

# Room above bars for their names, as a share of the highest.
HEADROOM = 0.35


class Display:
    """A picture of a result: a subclass draws in `_draw` what it was given."""

    def plot(self, ax=None):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; by default in a figure of its own.

        Returns
        -------
        The display.
        """
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
            Its `result_` is drawn.
        **options
            As of `from_result`.

        Returns
        -------
        The display.
        """
        if not hasattr(estimator, "result_"):
            raise ValueError(f"estimator = {estimator!r}: has no result_; it must be fitted")
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
    """Names of features: as given, as known, or else their numbers."""
    names = known if names is None else names
    return [str(i if names is None else names[i]) for i in features]


def whole_numbers(ax):
    """Ticks at whole numbers only."""
    ax.xaxis.get_major_locator().set_params(integer=True)


def draw_ranked(ax, values, names, count, top):
    """Draw bars, highest first, with a line after those selected; `top` of them are named."""
    places = np.arange(1, len(values) + 1)
    width = 0.8 if len(places) <= SPARSE else 1.0
    for part, color in ((slice(count), BLUE), (slice(count, None), GRAY)):
        ax.bar(places[part], values[part], width, color=color)
    if 0 < count < len(places):
        ax.vlines(count + 0.5, 0, values[count - 1], color="black", linestyle="--")
    whole_numbers(ax)
    ax.set(xlabel="rank", xlim=(0.4, len(places) + 0.6))
    ax.set_ylim(min(0.0, 1.1 * values[-1]), (1 + HEADROOM) * max(values[0], 1e-12))
    labels.over_bars(ax, places[:top], np.maximum(values[:top], 0.0), names[:top])
