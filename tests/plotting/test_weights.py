"""Weights as ranked bars."""

import numpy as np
import pandas as pd
import pictures
import pytest
from instances import weights_of
from matplotlib.colors import to_hex

from specsel import QAlpha, datasets
from specsel.plotting import (
    WeightsDisplay,
)
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
