"""What is drawn of weights, maps and simulations, and the pictures of the README."""

import inspect
import re
from dataclasses import fields
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pictures
import pytest
from figures import draw
from instances import weights_of
from matplotlib.colors import to_hex
from test_docstrings import documented

from specsel import QAlpha, datasets, plotting, positivity, qalpha, sbs
from specsel.plotting import (
    ConvergenceDisplay,
    PositivityDisplay,
    SpectrumDisplay,
    TopographyDisplay,
    WeightsDisplay,
)
from specsel.plotting.base import BLUE, GRAY
from specsel.results import Map

pytestmark = pytest.mark.usefixtures("pyplot")

FIGURES = Path(__file__).parents[1] / "figures"


def map_of(relevances, positions):
    weights = tuple(weights_of(alpha) for alpha in np.transpose(relevances))
    return Map(weights, np.array(positions, dtype=float), 3)


def labels_of(ax):
    return ax.get_legend_handles_labels()[1]


@pytest.mark.parametrize("name", plotting.__all__)
def test_docstrings_describe_every_parameter(name):
    display = getattr(plotting, name)
    assert documented(inspect.getdoc(display)) == [field.name for field in fields(display)]
    for method in (display.from_result, display.plot):
        taken = [one for one in inspect.signature(method).parameters if one != "self"]
        assert documented(inspect.getdoc(method)) == taken


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
    chart = map_of([[0.6, 0.0], [0.0, 0.8], [0.0, 0.1]], np.zeros((3, 2)))
    display = WeightsDisplay.from_result(chart)
    np.testing.assert_allclose(display.weights, np.sort(chart.combined.alpha)[::-1])
    assert display.names == ["1", "0", "2"]


def test_the_gap_of_weights_is_where_the_ratio_is_largest():
    weights = weights_of([1.0, 0.0], eigenvalues=[50.0, -30.0, 0.5, 0.4])
    display = SpectrumDisplay.from_result(weights)
    ax = display.ax_
    assert ax.lines[0].get_xydata().tolist() == [[1, 50], [2, -30], [3, 0.5], [4, 0.4]]
    assert display.k == 2
    assert ax.lines[1].get_xydata().tolist() == [[2.5, -30.0], [2.5, 0.5]]
    assert ax.get_title() == "gap of 29.5 after 2"
    assert ax.lines[1].get_zorder() < ax.lines[0].get_zorder() < ax.collections[0].get_zorder()
    colors = [to_hex(color).upper() for color in ax.collections[0].get_facecolors()]
    assert colors == [BLUE, BLUE, GRAY, GRAY]


def test_the_gap_is_that_by_which_k_is_chosen():
    X = datasets.example().X
    leading = qalpha.solve(X, k=6)
    # One of three clusters goes with the mean.
    assert SpectrumDisplay.from_result(leading).k == qalpha.solve(X, k="auto").basis.shape[1] - 1


@pytest.mark.parametrize(
    ("eigenvalues", "k"),
    [([0.0, 0.0], 0), ([2.0, 2.0, 2.0], 0), ([1.0, 1e-14, 1e-30], 1), ([9.0, 2.0, 1.0], 1)],
)
def test_ratios_of_what_is_rounding_are_no_gap(eigenvalues, k):
    assert SpectrumDisplay.from_result(weights_of([1.0, 0.0], eigenvalues=eigenvalues)).k == k


@pytest.mark.parametrize("k", [0, 3])
def test_a_spectrum_may_have_no_gap(k):
    ax = SpectrumDisplay(eigenvalues=np.array([3.0, 2.0, 1.0]), k=k).plot().ax_
    assert len(ax.lines) == 1
    assert ax.get_title() == "there is no gap"


def test_one_eigenvalue_has_no_gap():
    assert SpectrumDisplay.from_result(weights_of([1.0, 0.0])).k == 0


def test_the_spectrum_of_a_stable_subspace_has_its_gap(rng):
    stable = sbs.solve(rng.random((60, 8)), retain=0.7, n_boot=100, random_state=0)
    display = SpectrumDisplay.from_result(stable)
    assert display.k == stable.k == 1
    np.testing.assert_array_equal(display.ax_.lines[0].get_ydata(), stable.eigenvalues)


def test_convergence_is_drawn_by_iteration():
    ax = ConvergenceDisplay.from_result(weights_of([1.0, 0.0], history=[1.0, 3.0, 3.5])).ax_
    assert ax.lines[0].get_xydata().tolist() == [[1, 1], [2, 3], [3, 3.5]]
    assert labels_of(ax) == ["converged"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("iteration", "objective")


def test_convergence_of_a_map_is_drawn_by_round():
    rounds = [
        weights_of([1.0, 0.0], history=[1.0, 2.0]),
        weights_of([0.0, 1.0], history=[4.0], converged=False),
    ]
    ax = ConvergenceDisplay.from_result(Map(tuple(rounds), np.zeros((2, 2)), 3)).ax_
    assert [line.get_ydata().tolist() for line in ax.lines] == [[1, 2], [4]]
    assert labels_of(ax) == ["round 1, converged", "round 2, not converged"]
    first, second = ax.lines
    assert first.get_color() != second.get_color()
    assert first.get_linestyle() != second.get_linestyle()


def test_lines_on_the_same_axes_look_different(pyplot):
    ax = pyplot.subplots()[1]
    rounds = tuple(weights_of([1.0, 0.0], history=[1.0, i]) for i in range(5))
    for _ in range(3):
        ConvergenceDisplay.from_result(Map(rounds, np.zeros((2, 5)), 3), ax=ax)
    looks = {(line.get_color(), line.get_marker()) for line in ax.lines}
    assert len(looks) == len(ax.lines) == 15


def test_convergence_may_be_drawn_on_a_logarithmic_scale(pyplot):
    ax = pyplot.subplots()[1]
    ax.set(xscale="log", yscale="log")
    ConvergenceDisplay.from_result(weights_of([1.0, 0.0], history=[1.0, 30.0, 500.0]), ax=ax)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_maps_have_an_ellipse_for_every_feature():
    relevances = [[0.6, 0.2], [0.0, 0.01], [0.5, 0.7]]
    positions = [[0.1, -1.0], [0.0, 0.3], [1.2, 0.5]]
    ax = TopographyDisplay.from_result(map_of(relevances, positions), names=list("abc")).ax_
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
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("position, round 1", "position, round 2")


def test_the_map_of_an_estimator_of_several_rounds_is_drawn():
    X = datasets.two_solutions(random_state=1).X
    fitted = QAlpha(k=2, rounds=2).fit(pd.DataFrame(X).add_prefix("x"))
    display = TopographyDisplay.from_estimator(fitted)
    np.testing.assert_array_equal(display.positions, fitted.result_.positions)
    assert display.names[:2] == ["x0", "x1"]
    np.testing.assert_array_equal(
        WeightsDisplay.from_estimator(fitted).weights, np.sort(fitted.alpha_)[::-1]
    )
    with pytest.raises(ValueError, match=r"^result: is of type Weights; Map is needed$"):
        TopographyDisplay.from_estimator(QAlpha(k=2).fit(X))


def test_any_two_rounds_of_a_map_can_be_drawn(rng):
    chart = map_of(rng.random((6, 3)), rng.random((6, 3)))
    display = TopographyDisplay.from_result(chart, rounds=(3, 1))
    np.testing.assert_array_equal(display.positions, chart.positions[:, [2, 0]])
    np.testing.assert_array_equal(display.relevances, chart.relevances[:, [2, 0]])
    assert display.ax_.get_xlabel() == "position, round 3"
    for rounds in ((1, 4), (0, 1), (1, 2, 3), (1.5, 2), ((1, 2), 3), 2, "ab"):
        message = rf"^rounds = {re.escape(repr(rounds))}: must be two numbers from 1 to 3$"
        with pytest.raises(ValueError, match=message):
            TopographyDisplay.from_result(chart, rounds=rounds)


def test_a_map_of_one_round_has_no_picture():
    message = "^result: is a map of one round; at least two are needed$"
    with pytest.raises(ValueError, match=message):
        TopographyDisplay.from_result(map_of([[0.5], [0.1]], [[0.0], [1.0]]))


@pytest.mark.parametrize("top", [-1, 1.5, None])
def test_a_number_of_names_is_a_whole_one(rng, top):
    chart = map_of(rng.random((6, 2)), rng.random((6, 2)))
    for display in (WeightsDisplay, TopographyDisplay):
        with pytest.raises(ValueError, match=f"^top = {top}: must be .*at least 0$"):
            display.from_result(chart, top=top)


def test_many_features_are_few_artists(rng):
    chart = map_of(rng.random((5000, 2)), rng.uniform(-1.5, 1.5, (5000, 2)))
    for display in (WeightsDisplay, TopographyDisplay):
        assert len(display.from_result(chart, top=0).ax_.get_children()) < 25


@pytest.mark.parametrize("n", [5, 200])
def test_names_on_a_map_do_not_overlap(rng, n):
    chart = map_of(rng.random((n, 2)), rng.uniform(-1.5, 1.5, (n, 2)))
    display = TopographyDisplay.from_result(chart)
    assert not pictures.overlapping(display.ax_.texts)
    assert len(display.ax_.texts) == min(20, display.n_selected)


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


def test_pictures_of_the_readme_are_as_they_are_drawn_now(tmp_path):
    folders = tmp_path / "one", tmp_path / "two"
    for folder in folders:
        folder.mkdir()
        draw.draw(folder)
    one, two = ({file.name: file.read_text() for file in x.iterdir()} for x in folders)
    assert one == two
    readme = (FIGURES.parents[1] / "README.md").read_text()
    assert sorted(re.findall(r"\]\(tests/figures/(.*?)\)", readme)) == sorted(one)
    for name, now in one.items():
        kept = (FIGURES / name).read_text()
        ElementTree.fromstring(kept)
        assert len(kept) < 60_000
        assert "<dc:date>" not in kept
        assert re.findall("<!-- (.*?) -->", kept) == re.findall("<!-- (.*?) -->", now)
