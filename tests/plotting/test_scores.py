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
    text = AlignmentDisplay.from_result(found, top=2).ax_.texts[0].get_text()
    assert text == f"gene {found.ranking[0]}, gene {found.ranking[1]}, …"
    assert not AlignmentDisplay.from_result(found, top=0).ax_.texts


def test_from_an_estimator(clustered):
    display = AlignmentDisplay.from_estimator(AlignmentSelector().fit(clustered))
    assert display.selected == display.peak
    with pytest.raises(ValueError, match=r"^result: is of type list; Aligned is needed$"):
        AlignmentDisplay.from_result([])
