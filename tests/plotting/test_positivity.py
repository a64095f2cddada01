"""Probabilities of positive eigenvectors, with their intervals."""

import numpy as np
import pytest

from specsel import positivity
from specsel.plotting import (
    PositivityDisplay,
)

pytestmark = pytest.mark.usefixtures("pyplot")


def labels_of(ax):
    return ax.get_legend_handles_labels()[1]


def test_probabilities_are_drawn_with_their_intervals():
    found = {n: positivity.Estimate(n / 20, n / 20 - 0.1, n / 20 + 0.1) for n in (10, 2, 5)}
    ax = PositivityDisplay.from_result(found, label="one").ax_
    assert ax.lines[0].get_xydata().tolist() == [[2, 0.1], [5, 0.25], [10, 0.5]]
    for segment, n in zip(ax.collections[0].get_segments(), (2, 5, 10), strict=True):
        np.testing.assert_allclose(segment, [[n, n / 20 - 0.1], [n, n / 20 + 0.1]])
    PositivityDisplay.from_result(found, label="two", ax=ax)
    assert labels_of(ax) == ["one", "two"]
    assert ax.lines[0].get_color() != ax.lines[1].get_color()
    low, high = ax.get_ylim()
    assert low < 0
    assert high > 1


def test_the_interval_of_one_size_is_seen():
    ax = PositivityDisplay.from_result({5: positivity.Estimate(0.5, 0.4, 0.7)}).ax_
    assert np.ptp(ax.collections[0].get_segments()[0][:, 1]) == pytest.approx(0.3)


@pytest.mark.parametrize("result", [{}, {5: 0.5}, {5: (0.5, 0.4, 0.6)}])
def test_probabilities_are_estimates(result):
    message = "^result: must hold an Estimate for every size, and at least one$"
    with pytest.raises(ValueError, match=message):
        PositivityDisplay.from_result(result)
