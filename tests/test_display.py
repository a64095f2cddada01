"""What all displays have in common."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from instances import weights_of

from specsel import display, plotting

RESULT = weights_of([0.1, 0.9, 0.8])


def test_a_figure_is_made_where_no_axes_are_given(pyplot):
    shown = plotting.WeightsDisplay.from_result(RESULT)
    assert pyplot.get_fignums() == [shown.figure_.number]
    assert shown.ax_.figure is shown.figure_


def test_axes_that_are_given_are_drawn_on(pyplot):
    figure, (left, right) = pyplot.subplots(1, 2)
    shown = plotting.WeightsDisplay.from_result(RESULT, ax=left)
    assert shown.ax_ is left
    assert shown.figure_ is figure
    assert not right.patches
    assert shown.plot(ax=right) is shown
    assert shown.ax_ is right
    assert len(right.patches) == len(left.patches) == 3
    assert pyplot.get_fignums() == [figure.number]


def test_the_result_of_an_estimator_is_drawn(pyplot):
    fitted = SimpleNamespace(result_=RESULT)
    shown = plotting.WeightsDisplay.from_estimator(fitted, names=["a", "b", "c"], top=2)
    assert [text.get_text() for text in shown.ax_.texts] == ["b", "c"]


def test_estimators_must_be_fitted():
    with pytest.raises(
        ValueError, match=r"^estimator = 'raw': has no result_; it must be fitted$"
    ):
        plotting.WeightsDisplay.from_estimator("raw")


def test_results_of_other_kinds_are_refused():
    message = "^result: is of type ndarray; Weights or Map is needed$"
    with pytest.raises(ValueError, match=message):
        plotting.WeightsDisplay.from_result(np.ones(3))


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = r"^plotting needs matplotlib: pip install 'specsel\[plot\]'$"
    with pytest.raises(ImportError, match=message):
        plotting.WeightsDisplay.from_result(RESULT)


def test_names_are_those_given_or_known_or_numbers():
    assert display.names_of(["a", "b", "c"], [2, 0], ("x", "y", "z")) == ["c", "a"]
    assert display.names_of(None, [2, 0], ("x", "y", "z")) == ["z", "x"]
    assert display.names_of(None, np.array([2, 0])) == ["2", "0"]


@pytest.mark.parametrize("n", [5, 200])
def test_bars_are_ranked_with_a_line_at_the_cut(pyplot, n):
    ax = pyplot.subplots()[1]
    values = np.linspace(1, -0.2, n)
    display.draw_ranked(ax, values, list(map(str, range(n))), 3, top=4)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], values)
    centres = [bar.get_x() + bar.get_width() / 2 for bar in ax.patches]
    np.testing.assert_allclose(centres, np.arange(1, n + 1))
    colors = [bar.get_facecolor() for bar in ax.patches]
    assert len(set(colors[:3])) == len(set(colors[3:])) == 1
    assert colors[0] != colors[3]
    (cut,) = ax.collections[0].get_segments()
    np.testing.assert_allclose(cut, [[3.5, 0], [3.5, values[2]]])
    assert [text.get_text() for text in ax.texts] == list("0123")
    low, high = ax.get_ylim()
    assert low < -0.2
    assert high > 1
    assert ax.get_xlim() == (0.4, n + 0.6)


@pytest.mark.parametrize("count", [0, 4])
def test_there_is_no_line_where_all_or_none_are_selected(pyplot, count):
    ax = pyplot.subplots()[1]
    display.draw_ranked(ax, np.ones(4), list("abcd"), count, top=4)
    assert not ax.collections
