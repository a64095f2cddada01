"""The map of features in two rounds."""

import re

import numpy as np
import pandas as pd
import pictures
import pytest
from matplotlib.colors import to_hex

from specsel import QAlpha, datasets
from specsel.plotting import (
    TopographyDisplay,
    WeightsDisplay,
)
from specsel.plotting.base import BLUE, GRAY

pytestmark = pytest.mark.usefixtures("pyplot")


def test_maps_have_an_ellipse_for_every_feature():
    relevances = [[0.6, 0.2], [0.0, 0.01], [0.5, 0.7]]
    chart = pictures.map_of(relevances, [[0.1, -1.0], [0.0, 0.3], [1.2, 0.5]])
    positions = chart.positions.tolist()
    ax = TopographyDisplay.from_result(chart, names=list("abc")).ax_
    drawn = {}
    for ellipses in ax.collections:
        color = to_hex(ellipses.get_edgecolor()[0]).upper()
        sizes = np.column_stack([ellipses.get_widths(), ellipses.get_heights()])
        drawn |= {
            tuple(place): (size, color)
            for place, size in zip(ellipses.get_offsets().tolist(), sizes, strict=True)
        }
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
    for place, size, color in zip(positions, relevances, (BLUE, GRAY, BLUE), strict=True):
        np.testing.assert_allclose(drawn[tuple(place)][0], 0.6 * np.array(size))
        assert drawn[tuple(place)][1] == color
        assert (low < place - 0.3 * np.array(size)).all()
        assert (place + 0.3 * np.array(size) < high).all()
    assert sorted(text.get_text() for text in ax.texts) == ["a", "c"]
    assert ax.get_title() == "2 of 3 features above the gap"
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "position, round 1\n(width: relevance)",
        "position, round 2\n(height: relevance)",
    )


def test_the_map_of_an_estimator_of_several_rounds_is_drawn():
    X = datasets.two_solutions(random_state=1).X
    fitted = QAlpha(k=2, rounds=2).fit(pd.DataFrame(X).add_prefix("x"))
    display = TopographyDisplay.from_estimator(fitted)
    np.testing.assert_array_equal(display.positions, fitted.result_.positions)
    assert display.names[:2] == ["x0", "x1"]
    five = QAlpha(k=2, rounds=2, n_features_to_select=5).fit(X)
    chosen = TopographyDisplay.from_estimator(five)
    assert {*chosen.ranking[: chosen.n_selected].tolist()} == {*five.get_support(indices=True)}
    assert chosen.ax_.get_title() == "5 of 20 features selected"
    np.testing.assert_array_equal(
        WeightsDisplay.from_estimator(fitted).weights, np.sort(fitted.alpha_)[::-1]
    )
    with pytest.raises(ValueError, match=r"^result: is of type Weights; Map is needed$"):
        TopographyDisplay.from_estimator(QAlpha(k=2).fit(X))


def test_any_two_rounds_of_a_map_can_be_drawn(rng):
    chart = pictures.map_of(rng.random((6, 3)), rng.random((6, 3)))
    display = TopographyDisplay.from_result(chart, rounds=(3, 1))
    np.testing.assert_array_equal(display.positions, chart.positions[:, [2, 0]])
    np.testing.assert_array_equal(display.relevances, chart.relevances[:, [2, 0]])
    assert display.ax_.get_xlabel().startswith("position, round 3\n")
    for rounds in ((1, 4), (0, 1), (1, 2, 3), (1.5, 2), ((1, 2), 3), 2, "ab"):
        message = rf"^rounds = {re.escape(repr(rounds))}: must be two numbers from 1 to 3$"
        with pytest.raises(ValueError, match=message):
            TopographyDisplay.from_result(chart, rounds=rounds)


def test_a_map_of_one_round_has_no_picture():
    message = "^result: is a map of one round; at least two are needed$"
    with pytest.raises(ValueError, match=message):
        TopographyDisplay.from_result(pictures.map_of([[0.5], [0.1]], [[0.0], [1.0]]))


@pytest.mark.parametrize("n", [5, 200])
def test_names_on_a_map_do_not_overlap(rng, n):
    chart = pictures.map_of(rng.random((n, 2)), rng.uniform(-1.5, 1.5, (n, 2)))
    display = TopographyDisplay.from_result(chart)
    assert not pictures.overlapping(display.ax_.texts)
    assert len(display.ax_.texts) == min(20, display.n_selected)
