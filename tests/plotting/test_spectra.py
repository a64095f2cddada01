"""Eigenvalues with their gap, and how the objective converges."""

import numpy as np
import pytest
from instances import weights_of
from matplotlib.colors import to_hex

from specsel import datasets, qalpha, sbs
from specsel.plotting import (
    ConvergenceDisplay,
    SpectrumDisplay,
)
from specsel.plotting.base import BLUE, GRAY
from specsel.results import Map

pytestmark = pytest.mark.usefixtures("pyplot")


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


def test_a_stable_subspace_needs_no_data(rng):
    X = rng.random((60, 8))
    stable = sbs.solve(X, retain=0.7, n_boot=100, random_state=0)
    with pytest.raises(ValueError, match=r"^X: is for weights"):
        SpectrumDisplay.from_result(stable, X=X)


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


def test_lines_on_the_same_axes_look_different(pyplot):
    ax = pyplot.subplots()[1]
    rounds = tuple(weights_of([1.0, 0.0], history=[1.0, i]) for i in range(5))
    for _ in range(3):
        ConvergenceDisplay.from_result(Map(rounds, np.zeros((2, 5, 2)), 3), ax=ax)
    looks = {(line.get_color(), line.get_marker()) for line in ax.lines}
    assert len(looks) == len(ax.lines) == 15


def test_convergence_may_be_drawn_on_a_logarithmic_scale(pyplot):
    ax = pyplot.subplots()[1]
    ax.set(xscale="log", yscale="log")
    ConvergenceDisplay.from_result(weights_of([1.0, 0.0], history=[1.0, 30.0, 500.0]), ax=ax)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
