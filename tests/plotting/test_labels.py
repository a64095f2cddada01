"""Names that do not overlap, whatever the picture."""

import numpy as np
import pictures
import pytest

from specsel.plotting import labels

pytestmark = pytest.mark.usefixtures("pyplot")

SHAPES = {
    "equal": np.ones,
    "falling": lambda n: np.linspace(1, 0.01, n),
    "steep": lambda n: np.exp(-np.arange(n)),
}


def bars(pyplot, heights, names, top=10):
    ax = pyplot.subplots(layout="constrained")[1]
    places = np.arange(len(heights))
    ax.bar(places, heights)
    ax.set_ylim(0, 1.35 * heights[0])
    labels.over_bars(ax, places[:top], heights[:top], names[:top])
    return ax


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 5, 40, 200])
@pytest.mark.parametrize("name", ["x{}", "a rather long name of feature {}"])
def test_names_over_bars_do_not_overlap(pyplot, shape, n, name):
    heights = SHAPES[shape](n)
    ax = bars(pyplot, heights, [name.format(i) for i in range(n)])
    assert len(ax.texts) == min(n, 10)
    assert not pictures.overlapping(ax.texts)
    assert not pictures.outside(ax.texts, ax.figure)
    for i, text in enumerate(ax.texts):
        place, height = text.get_transform().transform(text.get_position())
        tops = ax.transData.transform(np.column_stack([np.arange(n), heights]))
        assert (tops[(np.arange(n) >= i) & (tops[:, 0] <= place), 1] < height).all()


def test_names_are_slanted_where_they_are_wider_than_bars(pyplot):
    assert {text.get_rotation() for text in bars(pyplot, np.ones(5), list("abcde")).texts} == {0}
    names = ["a long enough name"] * 5
    assert {text.get_rotation() for text in bars(pyplot, np.ones(5), names).texts} == {45}


def test_names_stay_over_bars_that_are_wide_enough(pyplot):
    ax = bars(pyplot, np.ones(40), list("abcdefghij"))
    assert {text.get_rotation() for text in ax.texts} == {0}
    assert {text.get_position()[0] for text in ax.texts} == {0}


def test_lines_lead_from_names_that_were_moved(pyplot):
    moved = bars(pyplot, SHAPES["falling"](200), list(map(str, range(200)))).texts
    assert [text.arrow_patch is not None for text in moved] == [False] + [True] * 9
    few = bars(pyplot, SHAPES["falling"](30), ["a rather long name"] * 30).texts
    shifts = [text.get_position()[0] for text in few if text.arrow_patch is None]
    assert 0 < max(shifts) < labels.SPACING / 2  # so near to its bar a line is but a stub
    for figure in {moved[0].figure, few[0].figure}:
        figure.draw_without_rendering()
    for text in [*moved, *few]:
        if text.arrow_patch is not None:
            line = text.arrow_patch.get_transform().transform_path(text.arrow_patch.get_path())
            length = np.ptp(line.vertices[:, 0]) * 72 / text.figure.dpi
            assert length >= text.get_position()[0]
    kept = bars(pyplot, np.ones(5), list("abcde")).texts
    assert not any(text.arrow_patch for text in kept)


def test_names_fit_in_small_axes(pyplot):
    grid = pyplot.subplots(2, 2, figsize=(5, 4), layout="constrained")[1]
    for ax, (n, top) in zip(grid.flat, [(5, 5), (40, 10), (200, 10), (40, 40)], strict=True):
        ax.bar(np.arange(n), np.linspace(1, 0.5, n))
        names = [f"expression_{i}" for i in range(top)]
        labels.over_bars(ax, np.arange(top), np.linspace(1, 0.5, n)[:top], names)
        assert [text.get_text() for text in ax.texts] == names[: len(ax.texts)]
        assert len(ax.texts) >= 5
        assert not pictures.overlapping(ax.texts)
        assert not pictures.beyond(ax.texts, ax)


def test_names_do_not_squeeze_their_axes(pyplot):
    width = bars(pyplot, np.linspace(1, 0.5, 200), [""] * 200).get_window_extent().width
    named = bars(pyplot, np.linspace(1, 0.5, 200), list(map(str, range(200))), top=100)
    assert 10 < len(named.texts) < 100
    named.figure.draw_without_rendering()
    assert named.get_window_extent().width == pytest.approx(width, rel=0.01)


ODD = ["a$b$c", r"$\frac{$", "under_score", "100%", "Größe α", "<b>"]


def test_names_are_written_as_they_stand(pyplot):
    ax = bars(pyplot, np.linspace(1, 0.5, 6), ODD)
    labels.at_points(ax, np.column_stack([np.arange(6), np.full(6, 0.2)]), ODD, 0.0)
    ax.figure.draw_without_rendering()
    assert sorted(text.get_text() for text in ax.texts) == sorted(2 * ODD)
    assert not any(text.get_parse_math() or text.get_usetex() for text in ax.texts)


def test_names_have_one_line(pyplot):
    assert bars(pyplot, np.ones(1), ["two\nlines \t here"]).texts[0].get_text() == "two lines here"


def test_long_names_lose_their_middle():
    assert labels.shorten("short") == "short"
    assert labels.shorten("x" * labels.LENGTH) == "x" * labels.LENGTH
    short = labels.shorten("expression_of_gene_123")
    assert len(short) == labels.LENGTH
    assert short.startswith("expressio…")
    assert short.endswith("gene_123")


@pytest.mark.parametrize("n", [1, 5, 200])
def test_names_at_points_do_not_overlap_and_the_first_are_written(pyplot, rng, n):
    ax = pyplot.subplots()[1]
    points = rng.standard_normal((n, 2))
    ax.plot(*points.T, ".")
    labels.at_points(ax, points, [f"feature_{i}" for i in range(n)], 0.0)
    assert not pictures.overlapping(ax.texts)
    names = [text.get_text() for text in ax.texts]
    places = {f"feature_{i}": tuple(point) for i, point in enumerate(points)}
    assert names == [name for name in places if name in names]
    assert len(names) > 0.2 * n
    assert len(names) == n or n > 5
    dots, window = ax.transData.transform(points), ax.get_window_extent()
    for text, box in zip(ax.texts, pictures.boxes(ax.texts), strict=True):
        assert text.xy == pytest.approx(places[text.get_text()])
        assert not any(box.contains(*dot) for dot in dots)
        assert (box.min >= window.min - 0.5).all()
        assert (box.max <= window.max + 0.5).all()


@pytest.mark.parametrize("shape", [(0.05, 0.2), (0.2, 0.01), (0.0, 0.1), (0.0, 0.0)])
def test_names_are_beside_the_ellipse_around_their_point(pyplot, shape):
    ax, angles = pyplot.subplots()[1], np.linspace(0, 2 * np.pi, 500)
    center, names = np.full((8, 2), 0.5), [f"feature_{i}" for i in range(8)]
    labels.at_points(ax, center, names, np.full((8, 2), shape))
    assert len(ax.texts) >= 4
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    inside = np.concatenate([0.5 + r * circle * shape for r in np.linspace(0, 1, 9)])
    seen = ax.transData.transform(inside)
    for box in pictures.boxes(ax.texts):
        assert not ((box.min < seen) & (seen < box.max)).all(axis=1).any()


def test_names_are_beside_all_ellipses_where_there_is_space(pyplot):
    ax, angles = pyplot.subplots()[1], np.linspace(0, 2 * np.pi, 500)
    points, axes = np.array([[0.45, 0.5], [0.55, 0.45], [0.3, 0.45]]), [0.15, 0.05]
    labels.at_points(ax, points, ["one", "other"], np.tile(axes, (3, 1)))
    assert [text.get_text() for text in ax.texts] == ["one", "other"]
    circle = np.column_stack([np.cos(angles), np.sin(angles)]) * axes
    inside = np.concatenate([point + r * circle for point in points for r in (0.2, 0.6, 1)])
    seen = ax.transData.transform(inside)
    for box in pictures.boxes(ax.texts):
        assert not ((box.min < seen) & (seen < box.max)).all(axis=1).any()


def test_lines_lead_to_names_that_are_nearer_to_other_points(pyplot):
    def arrow(*others):
        ax = pyplot.subplots()[1]
        labels.at_points(ax, np.array([[0.5, 0.5], *others]), ["name"], 0.0)
        return ax.texts[0].arrow_patch

    assert arrow() is None
    assert arrow([0.2, 0.5]) is None
    around = [[0.5 + x, 0.5 + y] for x in (-0.07, 0, 0.07) for y in (-0.06, 0, 0.06) if x or y]
    assert arrow(*around) is not None


def test_names_at_points_stand_out_from_what_is_below(pyplot):
    with pyplot.style.context("dark_background"):
        ax = pyplot.subplots()[1]
        labels.at_points(ax, np.full((1, 2), 0.5), ["name"], 0.0)
        (text,) = ax.texts
        stroke = text.get_path_effects()[0]._gc
    assert stroke["linewidth"] > 0
    assert pictures.contrast(stroke["foreground"], text.get_color()) == 21


def test_names_without_space_are_left_out(pyplot):
    ax = pyplot.subplots()[1]
    names = [f"feature_{i}" for i in range(40)]
    labels.at_points(ax, np.full((40, 2), 0.5), names, 0.0)
    assert [text.get_text() for text in ax.texts] == names[: len(ax.texts)]
    assert 4 <= len(ax.texts) < 40
    assert {text.arrow_patch for text in ax.texts[:4]} == {None}


def test_lines_lead_to_names_further_off_and_cross_no_other(pyplot, rng):
    ax = pyplot.subplots()[1]
    labels.at_points(ax, rng.uniform(0.3, 0.6, (60, 2)), ["feature"] * 60, 0.0)
    boxes = pictures.boxes(ax.texts)
    lines = [text.arrow_patch for text in ax.texts]
    assert sum(line is not None for line in lines) > 5
    for i, line in enumerate(lines):
        if line is not None:
            path = line.get_transform().transform_path(line.get_path())
            assert not any(path.intersects_bbox(box) for box in boxes[:i] + boxes[i + 1 :])
