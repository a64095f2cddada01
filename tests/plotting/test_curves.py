"""Paths, searches for stable subspaces, frequencies, eigenvalues, convergence, probabilities."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pictures
import pytest
from instances import weights_of
from matplotlib.colors import to_hex

from specsel import (
    QAlpha,
    StabilitySelection,
    StablePCA,
    datasets,
    eslda,
    gslda,
    positivity,
    qalpha,
    sbs,
)
from specsel.plotting import (
    ConvergenceDisplay,
    PathDisplay,
    PositivityDisplay,
    SpectrumDisplay,
    StabilityDisplay,
)
from specsel.plotting.base import BLUE, GRAY
from specsel.results import Map

pytestmark = pytest.mark.usefixtures("pyplot")

PAIR = datasets.wishart_pair(24, random_state=2)


def lines_of(ax):
    """Points of every line that has a label."""
    return dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))


def points(line):
    return line.get_xydata().tolist()


def test_greedy_paths_are_one_line():
    path = gslda.solve_pair(*PAIR, max_size=6)
    ax = PathDisplay.from_result(path).ax_
    drawn = lines_of(ax)
    assert list(drawn) == ["greedy"]
    np.testing.assert_array_equal(drawn["greedy"].get_xydata(), np.c_[path.sizes, path.values])
    assert len(ax.lines) == 1
    assert not ax.collections
    assert ax.get_title() == "greedy selection"
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "number of features",
        "value: largest eigenvalue",
    )


@pytest.mark.parametrize("criterion", ["leading", "trace", "logdet"])
def test_the_axis_says_what_the_values_are(criterion):
    factor = np.random.default_rng(0).standard_normal((5, 2))
    path = gslda.solve_pair(factor @ factor.T, np.eye(5), max_size=2, criterion=criterion)
    meaning = {"leading": "largest", "trace": "sum of the", "logdet": "log(1 + eigenvalue)"}
    assert meaning[criterion] in PathDisplay.from_result(path).ax_.get_ylabel()


def test_exact_values_are_drawn_beside_greedy_ones():
    path = eslda.solve_pair(*PAIR, [1, 2, 3])
    drawn = lines_of(PathDisplay.from_result(path).ax_)
    assert list(drawn) == ["greedy", "exact"]
    np.testing.assert_array_equal(drawn["greedy"].get_ydata(), path.starts)
    np.testing.assert_array_equal(drawn["exact"].get_ydata(), path.values)
    assert path.values[1] > 1.05 * path.starts[1]


def test_what_is_not_proved_is_hollow_below_a_band_up_to_its_bound():
    path = eslda.solve_pair(*PAIR, range(1, 9), node_limit=20)
    proved = np.array(path.statuses) == "optimal"
    assert 0 < proved.sum() < len(path)
    ax = PathDisplay.from_result(path).ax_
    drawn = lines_of(ax)
    assert list(drawn) == ["greedy", "exact", "best found", "bound"]
    for label, part, heights in (
        ("exact", proved, path.values),
        ("best found", ~proved, path.values),
        ("bound", ~proved, path.bounds),
    ):
        assert points(drawn[label]) == np.c_[path.sizes, heights][part].tolist()
    assert to_hex(drawn["exact"].get_markerfacecolor()).upper() == BLUE
    assert to_hex(drawn["best found"].get_markerfacecolor()) == "#ffffff"
    corners = ax.collections[0].get_paths()[0].vertices
    for size, value, bound in zip(path.sizes, path.values, path.bounds, strict=True):
        at_size = corners[corners[:, 0] == size, 1]
        np.testing.assert_allclose([at_size.min(), at_size.max()], [value, bound])
    assert ax.get_ylim()[1] > path.bounds.max()
    assert ax.get_yscale() == "linear"
    assert ax.get_title() == f"{proved.sum()} of 8 sizes proved"


def path_of(values, starts, bounds, proved):
    values, starts, bounds = np.array([values, starts, bounds], dtype=float)
    sizes, proved = np.arange(1, len(values) + 1), np.array(proved, bool)
    return PathDisplay(sizes=sizes, values=values, starts=starts, bounds=bounds, proved=proved)


def test_what_was_found_is_drawn_without_any_bound():
    ax = path_of([1, 2, 4], [1, 2, 3], [np.inf] * 3, [0, 0, 0]).plot().ax_
    drawn = lines_of(ax)
    assert list(drawn) == ["greedy", "best found"]
    assert points(drawn["best found"]) == [[1, 1], [2, 2], [3, 4]]
    assert ax.get_title() == "0 of 3 sizes proved"


def test_bounds_far_above_do_not_flatten_the_values():
    far = path_of([1, 2, 3], [1, 2, 3], [1, 2, 3000], [1, 1, 0]).plot().ax_
    heights = far.transAxes.inverted().transform(
        far.transData.transform([[1, 1.0], [3, 3.0], [3, 3000.0]])
    )[:, 1]
    assert heights[1] - heights[0] > 0.1
    assert heights[2] < 1
    below_zero = path_of([-1, 2, 3], [-1, 2, 3], [1, 2, 3000], [1, 1, 0]).plot().ax_
    assert below_zero.get_yscale() == "linear"


def test_sizes_without_a_bound_have_no_band():
    ax = path_of([1, 2, 3], [1, 2, 3], [np.inf, 3, 4], [0, 0, 0]).plot().ax_
    assert {x for x, _ in ax.collections[0].get_paths()[0].vertices} == {2, 3}
    assert points(lines_of(ax)["best found"]) == [[1, 1], [2, 2], [3, 3]]
    assert points(lines_of(ax)["bound"]) == [[2, 3], [3, 4]]


def test_searches_are_drawn_size_by_size(rng):
    X = rng.standard_normal((400, 10))
    X[:, :8] += rng.standard_normal((400, 1))
    X[:, 8:] /= rng.random((400, 1))  # two that are known badly
    stable = sbs.solve(X, matrix="covariance", retain=0.001, n_boot=200, random_state=0)
    ax = StabilityDisplay.from_result(stable).ax_
    drawn = lines_of(ax)
    assert points(drawn["its uncertainty, 4 ‖E‖"]) == [
        [step.size, step.error] for step in stable.trace
    ]
    known = [[step.size, step.gap] for step in stable.trace if step.stable is not None]
    assert points(drawn["largest gap"]) == known
    assert len(stable.removed) == 2
    assert set(drawn["stable"].get_xdata()) == {8}
    assert ax.get_title() == "stable with 8 of 10 features"
    less = StabilityDisplay.from_result(replace(stable, retain=0.9))
    share = f"{stable.share:.2g}"
    assert (
        less.ax_.get_title() == f"stable with 8 of 10 features\nbut {share} of the trace, not 0.9"
    )
    nearly = StabilityDisplay.from_result(replace(stable, retain=stable.share * (1 + 1e-4)))
    shares = nearly.ax_.get_title().split("but ")[1].split(" of the trace, not ")
    assert float(shares[0]) < float(shares[1])
    # On a linear scale the gap that is wide enough does not differ visibly from what it exceeds.
    last = ax.transData.transform([[8, stable.trace[-1].gap], [8, stable.trace[-1].error]])
    assert last[0, 1] > last[1, 1] + 1
    StabilityDisplay.from_result(stable, ax=ax)
    left, right = ax.get_xlim()
    assert left > right
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("features left", "gap between eigenvalues")


def search_of(gaps, errors, decomposed, chosen=None):
    gaps, errors = np.array([gaps, errors], dtype=float)
    sizes, decomposed = np.arange(len(gaps) + 1, 1, -1), np.array(decomposed, bool)
    display = StabilityDisplay(
        sizes=sizes, gaps=gaps, errors=errors, decomposed=decomposed, chosen=chosen
    )
    return display.plot().ax_


def test_bounds_on_gaps_are_hollow():
    ax = search_of([1, 2, 3], [2, 2, 2], [1, 0, 1], chosen=2)
    drawn = lines_of(ax)
    assert points(drawn["largest gap"]) == [[4, 1], [2, 3]]
    assert points(drawn["bound on the gap"]) == [[3, 2]]
    assert to_hex(drawn["largest gap"].get_markerfacecolor()).upper() == BLUE
    assert to_hex(drawn["bound on the gap"].get_markerfacecolor()) == "#ffffff"


@pytest.mark.filterwarnings("ignore:.* there is no stable subspace")
def test_searches_that_found_nothing_have_no_mark(rng):
    stable = sbs.solve(rng.standard_normal((12, 3)), retain=0.9, n_boot=100, random_state=0)
    assert stable.k == 0
    display = StabilityDisplay.from_result(stable)
    assert display.chosen is None
    assert "stable" not in lines_of(display.ax_)
    assert display.ax_.get_title() == "no subspace is stable"


@pytest.mark.parametrize(("gaps", "errors"), [([0, 0], [0, 0]), ([1e-17, 0], [2, 1])])
def test_gaps_of_nothing_are_drawn(gaps, errors):
    ax = search_of(gaps, errors, [1, 1])
    low, high = ax.get_ylim()
    assert low < max(errors) < high
    assert max(errors) == 0 or low >= 1e-5


@pytest.mark.filterwarnings("ignore:.* there is no stable subspace")
def test_one_feature_leaves_nothing_to_search(rng):
    stable = sbs.solve(rng.random((30, 1)), n_boot=100, random_state=0)
    drawn = lines_of(StabilityDisplay.from_result(stable).ax_)
    assert len(drawn["its uncertainty, 4 ‖E‖"].get_xdata()) == 0


@pytest.mark.parametrize("n", [5, 200])
def test_frequencies_are_ranked_and_cut_at_the_threshold(rng, n):
    frequencies = rng.random(n)
    names = [f"feature_{i}" for i in range(n)]
    display = StabilityDisplay.from_frequencies(frequencies, names=names, threshold=0.6, top=4)
    ax, count = display.ax_, int((frequencies >= 0.6).sum())
    order = np.argsort(-frequencies)
    np.testing.assert_array_equal(pictures.bars(ax)[1], frequencies[order])
    assert [text.get_text() for text in ax.texts] == [names[i] for i in order[:4]]
    assert ax.collections[0].get_segments()[0][0, 0] == count + 0.5
    assert ax.get_title() == f"{count} of {n} features ≥ 0.6"
    assert not pictures.overlapping(ax.texts)


@pytest.mark.parametrize("frequencies", [[], [0.5, np.nan], [1.1], [-0.1], np.ones((2, 3))])
def test_frequencies_are_shares(frequencies):
    message = "^frequencies: must be numbers from 0 to 1, one for each feature$"
    with pytest.raises(ValueError, match=message):
        StabilityDisplay.from_frequencies(frequencies)


def test_frequencies_of_an_estimator_have_its_names_and_threshold(clustered):
    frame = pd.DataFrame(clustered[:, :10]).add_prefix("x")
    selection = StabilitySelection(QAlpha(k=1, n_features_to_select=6), 8, threshold=0.7)
    display = StabilityDisplay.from_estimator(selection.fit(frame))
    np.testing.assert_array_equal(display.frequencies, np.sort(selection.scores_)[::-1])
    assert display.names == [f"x{i}" for i in np.argsort(-selection.scores_, kind="stable")]
    assert display.threshold == 0.7
    assert StabilityDisplay.from_estimator(selection, threshold=0.9).threshold == 0.9


def test_searches_of_estimators_are_drawn(rng):
    X = rng.standard_normal((200, 6)) + 3 * rng.standard_normal((200, 1))
    fitted = StablePCA(retain=0.5, n_boot=100).fit(X)
    display = StabilityDisplay.from_estimator(fitted)
    assert display.sizes.tolist() == [step.size for step in fitted.result_.trace]
    with pytest.raises(ValueError, match="has no result_; a fitted estimator"):
        StabilityDisplay.from_estimator(StablePCA())


def labels_of(ax):
    return ax.get_legend_handles_labels()[1]


def test_the_gap_of_weights_is_where_the_ratio_is_largest():
    weights = weights_of([1.0, 0.0], eigenvalues=[50.0, -30.0, 0.5, 0.4])
    display = SpectrumDisplay.from_result(weights)
    ax = display.ax_
    assert ax.lines[0].get_xydata().tolist() == [[1, 50], [2, -30], [3, 0.5], [4, 0.4]]
    assert display.k == 2
    assert ax.lines[1].get_xydata().tolist() == [[2.5, -30.0], [2.5, 0.5]]
    assert ax.get_title() == "gap of 29.5 after 2"
    assert ax.lines[1].get_solid_capstyle() == "butt"  # else the mark is longer than the gap
    assert ax.lines[1].get_zorder() < ax.lines[0].get_zorder() < ax.collections[0].get_zorder()
    colors = [to_hex(color).upper() for color in ax.collections[0].get_facecolors()]
    assert colors == [BLUE, BLUE, GRAY, GRAY]


def test_the_gap_is_that_by_which_k_is_chosen():
    X = datasets.example().X
    leading = qalpha.solve(X, k=6)
    # One of three clusters goes with the mean.
    assert SpectrumDisplay.from_result(leading).k == qalpha.solve(X, k="auto").basis.shape[1] - 1


def test_with_the_data_the_gap_after_k_is_drawn():
    X = datasets.example().X
    weights = qalpha.solve(X, k=2)
    display = SpectrumDisplay.from_result(weights, X=X)
    np.testing.assert_allclose(display.eigenvalues, weights.spectrum(X), rtol=1e-12)
    gap = display.eigenvalues[1] - display.eigenvalues[2]
    assert (display.k, display.ax_.get_title()) == (2, f"gap of {gap:.3g} after 2")
    assert len(display.ax_.lines[0].get_xdata()) == 12
    assert "there are more" in display.ax_.get_xlabel()


@pytest.mark.parametrize("n", [5, 13])
def test_where_all_eigenvalues_are_drawn_there_are_no_more(n, rng):
    X = rng.random((40, n))
    display = SpectrumDisplay.from_result(qalpha.solve(X, k=3), X=X)
    assert len(display.eigenvalues) == n
    assert display.ax_.get_xlabel() == "number of the eigenvalue"


@pytest.mark.parametrize(
    ("eigenvalues", "k"),
    [([0, 0], 0), ([2, 2, 2], 0), ([1, 1e-14, 1e-30], 1), ([9, 2, 1], 1), ([1], 0)],
)
def test_ratios_of_what_is_rounding_are_no_gap(eigenvalues, k):
    assert SpectrumDisplay.from_result(weights_of([1.0, 0.0], eigenvalues=eigenvalues)).k == k


@pytest.mark.parametrize("k", [0, 3])
def test_a_spectrum_may_have_no_gap(k):
    ax = SpectrumDisplay(eigenvalues=np.array([3.0, 2.0, 1.0]), k=k).plot().ax_
    assert len(ax.lines) == 1
    assert ax.get_title() == "there is no gap"


def test_the_spectrum_of_a_stable_subspace_has_its_gap(rng):
    X = rng.random((60, 8))
    stable = sbs.solve(X, retain=0.7, n_boot=100, random_state=0)
    display = SpectrumDisplay.from_result(stable)
    assert display.k == stable.k == 1
    np.testing.assert_array_equal(display.ax_.lines[0].get_ydata(), stable.eigenvalues)
    with pytest.raises(ValueError, match=r"^X: is for weights"):
        SpectrumDisplay.from_result(stable, X=X)


def test_convergence_is_drawn_by_iteration():
    ax = ConvergenceDisplay.from_result(weights_of([1.0, 0.0], history=[1.0, 3.0, 3.5])).ax_
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [5 / 7, 1 / 7, np.nan])
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 3]
    assert labels_of(ax) == ["converged at 3.5"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("iteration", "missing share of the objective")
    assert ax.get_yscale() == "log"


def test_a_single_iteration_misses_nothing():
    ax = ConvergenceDisplay.from_result(weights_of([1.0, 0.0], history=[0.0])).ax_
    assert labels_of(ax) == ["converged at 0"]
    assert ax.get_yscale() == "linear"


def test_convergence_of_a_map_is_drawn_by_round():
    rounds = [
        weights_of([1.0, 0.0], history=[1.0, 2.0]),
        weights_of([0.0, 1.0], history=[4.0], converged=False),
    ]
    ax = ConvergenceDisplay.from_result(Map(tuple(rounds), np.zeros((2, 2, 2)), 3)).ax_
    assert ax.lines[0].get_ydata()[0] == 0.5
    assert labels_of(ax) == ["round 1, converged at 2", "round 2, not converged at 4"]
    first, second = ax.lines
    assert first.get_color() != second.get_color()
    assert first.get_linestyle() != second.get_linestyle()


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


@pytest.mark.parametrize("result", [{}, {5: 0.5}, {5: (0.5, 0.4, 0.6)}])
def test_probabilities_are_estimates(result):
    message = "^result: must hold an Estimate for every size, and at least one$"
    with pytest.raises(ValueError, match=message):
        PositivityDisplay.from_result(result)
