"""Pictures of results, in scikit-learn's Display form.

``from_result`` and ``from_estimator`` draw at once and return the display; its ``plot(ax=)`` draws
the same again elsewhere. ``ax_`` and ``figure_`` are the axes and the figure that it was drawn on
last. matplotlib is imported when something is drawn.

weights     `WeightsDisplay`
spectra     `SpectrumDisplay` and `ConvergenceDisplay`
scores      `AlignmentDisplay`
charts      `TopographyDisplay`
searches    `PathDisplay` and `StabilityDisplay`
positivity  `PositivityDisplay`
base        what the displays share
labels      names beside bars and points, where there is room
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
