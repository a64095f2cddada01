"""What is drawn of the scores of greedy selection."""

import numpy as np
import pandas as pd
import pytest

from specsel import AlignmentSelector, alignment
from specsel.plotting import AlignmentDisplay

pytestmark = pytest.mark.usefixtures("pyplot")


def test_the_scores_and_their_peak(clustered):
    found = alignment.solve(clustered)
    display = AlignmentDisplay.from_result(found)
    curve, peak = display.ax_.lines
    np.testing.assert_array_equal(curve.get_ydata(), found.scores)
    assert curve.get_xdata().tolist() == list(range(1, 31))
    assert (peak.get_xdata()[0], peak.get_ydata()[0]) == (found.peak, found.scores.max())
    assert display.ax_.get_title() == f"peak at {found.peak} features"


def test_where_there_is_no_peak(clustered):
    display = AlignmentDisplay.from_result(alignment.solve(clustered, n=2))
    assert len(display.ax_.lines) == 1
    assert display.ax_.get_title() == "no peak within 2 features"


def test_features_are_named(clustered):
    table = pd.DataFrame(clustered, columns=[f"gene {i}" for i in range(30)])
    found = alignment.solve(table)
    _, line = AlignmentDisplay.from_result(found, top=2).ax_.get_xlabel().split("\n")
    assert line == f"gene {found.ranking[0]}, gene {found.ranking[1]}, …"
    label = AlignmentDisplay.from_result(found, top=0).ax_.get_xlabel()
    assert label == "number of features"


def test_names_are_no_formulas(clustered):
    found = alignment.solve(pd.DataFrame(clustered, columns=[f"$x_{{{i}$" for i in range(30)]))
    display = AlignmentDisplay.from_result(found, top=1)
    display.figure_.draw_without_rendering()
    assert f"$x_{{{found.ranking[0]}$, …" in display.ax_.get_xlabel()


def test_names_take_no_more_than_a_line(clustered, pyplot):
    table = pd.DataFrame(clustered, columns=[f"a gene of a long name {i}" for i in range(30)])
    figure, ax = pyplot.subplots(figsize=(3.35, 2.4), layout="constrained")
    AlignmentDisplay.from_result(alignment.solve(table), ax=ax)
    figure.draw_without_rendering()
    assert ax.xaxis.label.get_window_extent().width <= ax.get_window_extent().width * 1.2
    assert ax.get_window_extent().width > 0.75 * figure.bbox.width


def test_from_an_estimator(clustered):
    display = AlignmentDisplay.from_estimator(AlignmentSelector().fit(clustered))
    assert display.selected == display.peak
    with pytest.raises(ValueError, match=r"^result: is of type list; Aligned is needed$"):
        AlignmentDisplay.from_result([])
