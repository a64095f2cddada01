"""What all displays have in common."""

import inspect
import re
import sys
from dataclasses import fields
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pictures
import pytest
from figures import draw
from instances import weights_of
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_docstrings import documented

from specsel import QAlpha, gslda, plotting, positivity
from specsel.plotting import (
    TopographyDisplay,
    WeightsDisplay,
    base,
)

RESULT = weights_of([0.1, 0.9, 0.8])


def test_a_figure_is_made_without_axes(pyplot):
    shown = plotting.WeightsDisplay.from_result(RESULT)
    assert pyplot.get_fignums() == [shown.figure_.number]
    assert shown.ax_.figure is shown.figure_


def test_existing_axes_are_drawn_on(pyplot):
    figure, (left, right) = pyplot.subplots(1, 2)
    shown = plotting.WeightsDisplay.from_result(RESULT, ax=left)
    assert shown.ax_ is left
    assert shown.figure_ is figure
    assert not right.patches
    assert shown.plot(ax=right) is shown
    assert shown.ax_ is right
    assert len(right.patches) == len(left.patches) == 3
    assert pyplot.get_fignums() == [figure.number]


def test_titles_and_labels_are_no_longer_than_the_axes(pyplot):
    _, ax = pyplot.subplots(figsize=(2.0, 1.2), layout="constrained")
    shown = plotting.WeightsDisplay.from_result(RESULT, ax=ax)
    for text, direction in ((ax.title, 0), (ax.xaxis.label, 0), (ax.yaxis.label, 1)):
        assert text.get_window_extent().size[direction] <= 1.05 * ax.bbox.size[direction]
    assert shown.ax_.title.get_fontsize() < 12


@pytest.mark.parametrize(
    ("estimator", "shown"),
    [("raw", "'raw'"), (make_pipeline(StandardScaler(), QAlpha(k=2)), "Pipeline")],
)
def test_estimators_must_be_fitted(estimator, shown):
    message = (
        f"^estimator = {shown}: has no result_; a fitted estimator of this package is needed, of "
        "a pipeline its step$"
    )
    with pytest.raises(ValueError, match=message):
        plotting.WeightsDisplay.from_estimator(estimator)


@pytest.mark.parametrize("kind", ["str", "ndarray", "PolarAxes", "Axes3D"])
def test_axes_must_be_plain_ones(pyplot, kind):
    figure = pyplot.figure()
    ax = {
        "str": "ax",
        "ndarray": np.array([figure.add_subplot()]),
        "PolarAxes": figure.add_subplot(projection="polar"),
        "Axes3D": figure.add_subplot(projection="3d"),
    }[kind]
    with pytest.raises(
        ValueError, match=f"^ax: is of type {kind}; plain matplotlib Axes are needed$"
    ):
        plotting.WeightsDisplay.from_result(RESULT, ax=ax)


def test_parts_of_figures_are_drawn_on(pyplot):
    _, right = pyplot.figure(layout="constrained").subfigures(1, 2)
    shown = plotting.WeightsDisplay.from_result(RESULT, ax=right.subplots())
    assert shown.figure_ is right
    assert [text.get_text() for text in shown.ax_.texts] == ["1", "2", "0"]


def test_results_of_other_kinds_are_refused():
    message = "^result: is of type ndarray; Weights or Map is needed$"
    with pytest.raises(ValueError, match=message):
        plotting.WeightsDisplay.from_result(np.ones(3))


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = r"^plotting needs matplotlib: pip install 'specsel\[plot\]'$"
    with pytest.raises(ImportError, match=message):
        plotting.WeightsDisplay.from_result(RESULT)


def test_names_are_those_passed_or_known_or_numbers(pyplot):
    """A series names features by position, not by label."""
    known = weights_of([0.1, 0.9, 0.8], names=("x", "y", "z"))
    series = pd.Series(["a", "b", "c"], index=[2, 1, 0])
    for result, names, shown in (
        (known, ["a", "b", "c"], "bca"),
        (known, series, "bca"),
        (known, None, "yzx"),
        (RESULT, None, "120"),
    ):
        assert WeightsDisplay.from_result(result, names=names).names == list(shown)


@pytest.mark.parametrize(
    ("names", "count"), [(["a", "b"], 2), (list("abcd"), 4), (5, 1), ("xy", 2)]
)
def test_every_feature_needs_a_name(names, count):
    message = f"^names: has {count} for 3 features; one each is needed$"
    with pytest.raises(ValueError, match=message):
        plotting.WeightsDisplay.from_result(RESULT, names=names)


@pytest.mark.parametrize("count", [1, 2, 7, 200, 5000])
def test_ticks_are_at_whole_numbers(pyplot, count):
    ax = pyplot.subplots()[1]
    ax.plot(np.arange(1, count + 1), np.ones(count))
    base.whole_numbers(ax)
    low, high = ax.get_xlim()
    ticks = np.array([tick for tick in ax.get_xticks() if low <= tick <= high])
    assert ticks.size
    assert (ticks == np.round(ticks)).all()
    if count == 5000:
        assert ticks.tolist() == [0, 1000, 2000, 3000, 4000, 5000]


@pytest.mark.parametrize("page", ["white", "black", "#0d1117"])
def test_colours_stand_out_on_light_and_dark(page):
    colors = base.BLUE, base.VERMILION, base.GREEN, base.GRAY
    assert all(pictures.contrast(color, page) >= 3 for color in colors)  # as WCAG has it


def test_lines_are_seen_on_dark_pages(pyplot):
    with pyplot.style.context("dark_background"):
        ax = plotting.WeightsDisplay.from_result(RESULT).ax_
        (cut,) = ax.collections[0].get_edgecolors()
    assert pictures.contrast(cut[:3], "black") == 21


@pytest.mark.parametrize("n", [5, 200])
def test_bars_are_ranked_with_a_line_at_the_cut(pyplot, n):
    ax = pyplot.subplots()[1]
    values = np.linspace(1, -0.2, n)
    base.draw_ranked(ax, values, list(map(str, range(n))), 3, top=4)
    places, heights = pictures.bars(ax)
    np.testing.assert_allclose(heights, values)
    np.testing.assert_allclose(places, np.arange(1, n + 1))
    colors = [bar.get_facecolor() for bar in ax.patches]
    upper = 3 if n == 5 else 1  # many bars are one shape
    assert len(set(colors[:upper])) == len(set(colors[upper:])) == 1
    assert colors[0] != colors[upper]
    assert len(ax.patches) == (5 if n == 5 else 2)
    (cut,) = ax.collections[0].get_segments()
    np.testing.assert_allclose(cut, [[3.5, 0], [3.5, values[2]]])
    assert [text.get_text() for text in ax.texts] == list("0123")
    assert not pictures.beyond(ax.texts, ax)
    low, high = ax.get_ylim()
    assert low < -0.2
    assert high > 1
    assert ax.get_xlim() == (0.4, n + 0.6)


@pytest.mark.parametrize("count", [0, 4])
def test_there_is_no_line_where_all_or_none_are_selected(pyplot, count):
    ax = pyplot.subplots()[1]
    base.draw_ranked(ax, np.ones(4), list("abcd"), count, top=4)
    assert not ax.collections


@pytest.mark.parametrize(
    ("low", "high", "some"), [(7.6, 8.1, "7.8"), (0.02, 30, "0.1"), (3e12, 4e15, "1e+14")]
)
def test_numbers_on_logarithmic_axes_are_written_out(pyplot, low, high, some):
    figure, ax = pyplot.subplots()
    ax.plot([1, 2], [low, high])
    base.use_logarithm(ax)
    figure.canvas.draw()
    shown = [label.get_text() for label in ax.get_yticklabels(which="both")]
    assert some in shown
    assert all(text == f"{float(text):g}" for text in shown if text)
    assert 2 <= sum(map(bool, shown)) < 15


@pytest.mark.parametrize("name", plotting.__all__)
def test_docstrings_describe_every_parameter(name):
    display = getattr(plotting, name)
    assert documented(inspect.getdoc(display)) == [field.name for field in fields(display)]
    for method in (display.from_result, display.plot):
        taken = [one for one in inspect.signature(method).parameters if one != "self"]
        assert documented(inspect.getdoc(method)) == taken


@pytest.mark.parametrize("top", [-1, 1.5, None])
def test_a_number_of_names_is_a_whole_one(rng, top):
    chart = pictures.map_of(rng.random((6, 2)), rng.random((6, 2)))
    for display in (WeightsDisplay, TopographyDisplay):
        with pytest.raises(ValueError, match=f"^top = {top}: must be .*at least 0$"):
            display.from_result(chart, top=top)


def test_many_features_are_few_artists(rng):
    chart = pictures.map_of(rng.random((5000, 2)), rng.uniform(-1.5, 1.5, (5000, 2)))
    for display in (WeightsDisplay, TopographyDisplay):
        assert len(display.from_result(chart, top=0).ax_.get_children()) < 25


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (RESULT, "2 of 3 features above the gap"),
        (pictures.map_of([[0.5, 0.1]] * 3, [[0.0, 1.0]] * 3), "position, round 2"),
        (pictures.map_of([[0.5], [0.1]], [[0.0], [1.0]]), "1 of 2 features above the gap"),
        (gslda.solve_pair(np.eye(3), np.eye(3)), "greedy selection"),
        ({5: positivity.Estimate(0.5, 0.4, 0.7)}, "positive leading eigenvectors"),
    ],
)
def test_the_display_that_suits_a_result_is_text_for_a_page(pyplot, result, shown):
    before = pyplot.get_fignums()
    text = plotting.svg(result)
    root = ElementTree.fromstring(text)
    assert shown in " ".join("".join(part.itertext()) for part in root.iter())
    assert text == plotting.svg(result)
    assert pyplot.get_fignums() == before


def test_what_no_display_shows_is_refused():
    with pytest.raises(ValueError, match=r"^result: is of type list; no display shows it$"):
        plotting.svg([1])


def test_pictures_of_the_readme_can_be_drawn(tmp_path):
    draw.draw(tmp_path)
    drawn = {f"tests/figures/{file.name}" for file in tmp_path.iterdir()}
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    assert set(re.findall(r"\]\((tests/figures/.*?)\)", readme)) <= drawn
