"""Pictures of results, by displays as scikit-learn has them.

``from_result`` and ``from_estimator`` draw at once and return the display. Its ``plot(ax=)`` draws
the same picture again on other axes. ``ax_`` and ``figure_`` are the axes and the figure of the
last drawing. matplotlib is imported when something is drawn.

features  `WeightsDisplay`, `TopographyDisplay` and `AlignmentDisplay`
curves    `PathDisplay`, `StabilityDisplay`, `SpectrumDisplay`, `ConvergenceDisplay` and
          `PositivityDisplay`
base      what the displays share: colours, axes, ranked bars
labels    names beside bars and points, where there is space
"""

from io import StringIO
from typing import Any

from specsel import results
from specsel.plotting import base
from specsel.plotting.base import Display
from specsel.plotting.curves import (
    ConvergenceDisplay,
    PathDisplay,
    PositivityDisplay,
    SpectrumDisplay,
    StabilityDisplay,
)
from specsel.plotting.features import AlignmentDisplay, TopographyDisplay, WeightsDisplay

__all__ = [
    "AlignmentDisplay",
    "ConvergenceDisplay",
    "PathDisplay",
    "PositivityDisplay",
    "SpectrumDisplay",
    "StabilityDisplay",
    "TopographyDisplay",
    "WeightsDisplay",
]


def svg(result: Any, display: type[Display] | None = None, **options: Any) -> str:
    """Return the SVG text of a result, to be put into a page.

    By default the display is the one that suits the result. Options go to its `from_result`.
    """
    text, pyplot = StringIO(), base.pyplot()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    display = _suitable(result) if display is None else display
    display.from_result(result, ax=figure.add_subplot(), **options)
    # Equal pictures have equal bytes; letters stay letters, which a reader can search.
    with pyplot.rc_context({"svg.hashsalt": "specsel", "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()[text.getvalue().index("<svg") :]


def _suitable(result: Any) -> type[Display]:
    """Return the display that shows the most of a result."""
    if isinstance(result, results.Map):
        return TopographyDisplay if len(result.weights) > 1 else WeightsDisplay
    displays: dict[type, type[Display]] = {
        results.Aligned: AlignmentDisplay,
        results.Path: PathDisplay,
        results.StableSubspace: StabilityDisplay,
        results.Weights: WeightsDisplay,
        dict: PositivityDisplay,
    }
    if type(result) not in displays:
        raise ValueError(f"result: is of type {type(result).__name__}; no display shows it")
    return displays[type(result)]
