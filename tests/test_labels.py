"""Names that do not overlap, whatever the picture."""

import numpy as np
import pictures
import pytest

from specsel import labels

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


def test_lines_lead_from_names_that_were_moved(pyplot):
    moved = bars(pyplot, SHAPES["falling"](200), list(map(str, range(200)))).texts
    assert [text.arrow_patch is not None for text in moved] == [False] + [True] * 9
    kept = bars(pyplot, np.ones(5), list("abcde")).texts
    assert not any(text.arrow_patch for text in kept)


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
    labels.at_points(ax, points, [f"feature_{i}" for i in range(n)])
    assert not pictures.overlapping(ax.texts)
    names = [text.get_text() for text in ax.texts]
    places = {f"feature_{i}": tuple(point) for i, point in enumerate(points)}
    assert names == [name for name in places if name in names]
    assert len(names) > 0.2 * n
    assert len(names) == n or n > 5
    dots, room = ax.transData.transform(points), ax.get_window_extent()
    for text, box in zip(ax.texts, pictures.boxes(ax.texts), strict=True):
        assert text.xy == pytest.approx(places[text.get_text()])
        assert not any(box.contains(*dot) for dot in dots)
        assert (box.min >= room.min - 0.5).all()
        assert (box.max <= room.max + 0.5).all()


def test_names_without_room_are_left_out(pyplot):
    ax = pyplot.subplots()[1]
    names = [f"feature_{i}" for i in range(40)]
    labels.at_points(ax, np.full((40, 2), 0.5), names)
    assert [text.get_text() for text in ax.texts] == names[: len(ax.texts)]
    assert 8 <= len(ax.texts) < 40
    assert not pictures.overlapping(ax.texts)
    assert {text.arrow_patch is None for text in ax.texts[:4]} == {True}
    assert {text.arrow_patch is None for text in ax.texts[8:]} == {False}
