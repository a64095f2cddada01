"""Pictures of results, by displays as scikit-learn has them.

``from_result`` and ``from_estimator`` draw at once and return the display. Its ``plot(ax=)`` draws
the same picture again on other axes. ``ax_`` and ``figure_`` are the axes and the figure of the
last drawing. matplotlib is imported when something is drawn.

weights     `WeightsDisplay`
spectra     `SpectrumDisplay` and `ConvergenceDisplay`
scores      `AlignmentDisplay`
charts      `TopographyDisplay`
searches    `PathDisplay` and `StabilityDisplay`
positivity  `PositivityDisplay`
base        what the displays share: colours, axes, ranked bars
labels      writes names beside bars and points, where there is room
"""

from specsel.plotting.charts import TopographyDisplay
from specsel.plotting.positivity import PositivityDisplay
from specsel.plotting.scores import AlignmentDisplay
from specsel.plotting.searches import PathDisplay, StabilityDisplay
from specsel.plotting.spectra import ConvergenceDisplay, SpectrumDisplay
from specsel.plotting.weights import WeightsDisplay

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
