"""Weights as ranked bars, the map of features, the scores of greedy alignment."""

import re

import numpy as np
import pandas as pd
import pictures
import pytest
from instances import weights_of
from matplotlib.colors import to_hex

from specsel import AlignmentSelector, QAlpha, alignment, datasets
from specsel.plotting import AlignmentDisplay, TopographyDisplay, WeightsDisplay
from specsel.plotting.base import BLUE, GRAY

pytestmark = pytest.mark.usefixtures("pyplot")


def test_weights_are_ranked_and_named():
    weights = weights_of([0.1, 0.7, 0.0, 0.6], names=("a", "b", "c", "d"))
    ax = WeightsDisplay.from_result(weights, top=3).ax_
    assert pictures.bars(ax)[1].tolist() == [0.7, 0.6, 0.1, 0.0]
    assert [to_hex(bar.get_facecolor()).upper() for bar in ax.patches] == [BLUE, BLUE, GRAY, GRAY]
    assert [text.get_text() for text in ax.texts] == ["b", "d", "a"]
    assert ax.get_title() == "2 of 4 features above the gap"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rank", "weight")


def test_names_are_those_that_an_estimator_was_fitted_with(clustered):
    fitted = QAlpha(k=1).fit(pd.DataFrame(clustered).add_prefix("x"))
    display = WeightsDisplay.from_estimator(fitted)
    np.testing.assert_array_equal(display.weights, np.sort(fitted.result_.alpha)[::-1])
    assert display.names[:3] == [f"x{i}" for i in fitted.result_.ranking[:3]]


def test_weights_that_are_alike_have_no_cut():
    ax = WeightsDisplay.from_result(weights_of(np.ones(4))).ax_
    assert ax.get_title() == "there is no gap"
    assert not ax.collections


def test_weights_of_a_map_are_those_of_all_rounds():
    chart = pictures.map_of([[0.6, 0.0], [0.0, 0.8], [0.0, 0.1]], np.zeros((3, 2)))
    display = WeightsDisplay.from_result(chart)
    np.testing.assert_allclose(display.weights, np.sort(chart.combined.alpha)[::-1])
    assert display.names == ["1", "0", "2"]


@pytest.mark.parametrize("options", [{"n_features_to_select": 3}, {"diverse": True}])
def test_an_estimator_is_drawn_as_it_selects(options):
    X = np.repeat(datasets.example().X[:, :12], 2, axis=1)
    fitted = QAlpha(k=2, **{"n_features_to_select": 5} | options).fit(X)
    display = WeightsDisplay.from_estimator(fitted)
    count = fitted.get_support().sum()
    assert display.ax_.get_title() == f"{count} of 24 features selected"
    ranking = fitted.result_.ranking
    assert display.chosen.tolist() == fitted.get_support()[ranking].tolist()


def test_what_is_selected_is_a_flag_for_each():
    with pytest.raises(ValueError, match=r"^selected: must be True or False for each of 2"):
        WeightsDisplay.from_result(weights_of([1.0, 0.0]), selected=[0, 1])


def test_many_ranks_are_on_a_logarithmic_axis():
    ax = WeightsDisplay.from_result(weights_of(np.linspace(1, 0, 7000))).ax_
    assert ax.get_xscale() == "log"
    few = WeightsDisplay.from_result(weights_of(np.linspace(1, 0, 99))).ax_
    assert few.get_xscale() == "linear"


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
