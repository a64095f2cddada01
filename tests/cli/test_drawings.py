"""Pictures of a report are sound SVG and show every number, at any size."""

from xml.etree import ElementTree

import numpy as np
import pytest

from specsel.cli import drawings

EVIL = "<script>alert(1)</script>&"


def parts(svg, tag, kind=None):
    root = ElementTree.fromstring(svg)
    found = root.findall(tag)
    assert '"nan' not in svg
    assert '"inf' not in svg
    return [part for part in found if kind is None or part.get("class") == kind]


@pytest.mark.parametrize("n", [1, 5, 30, 200, 7000])
def test_ranked_values_and_their_cut(n):
    values = np.sort(np.random.default_rng(0).random(n))[::-1]
    count = max(1, n // 5)
    svg = drawings.ranked(values, count, "weight")
    assert len(parts(svg, "line", "cut")) == (count < n)
    if n <= drawings.APART:
        heights = [float(bar.get("height")) for bar in parts(svg, "rect")]
        assert heights == sorted(heights, reverse=True)
        assert len(parts(svg, "rect", "on")) == count
    else:
        assert len(parts(svg, "polygon")) == 2
    assert len(svg) < 300_000


def test_zeros_and_negative_values():
    parts(drawings.ranked(np.zeros(4), 4, "weight"), "rect")
    parts(drawings.ranked(np.array([0.5, -0.2]), 1, "weight"), "rect")


def test_eigenvalues():
    svg = drawings.spectrum(np.array([3.0, 2.0, 0.1]), 2)
    assert [len(parts(svg, "circle", kind)) for kind in ("on", "off")] == [2, 1]
    assert len(parts(svg, "line", "cut")) == 1
    assert not parts(drawings.spectrum(np.array([3.0, 2.0]), 2), "line", "cut")


def test_shuffles():
    svg = drawings.null(2.0, [1.0, 1.1, 0.9])
    assert [len(parts(svg, "circle", kind)) for kind in ("on", "off")] == [1, 3]
    parts(drawings.null(1.0, [1.0, 1.0]), "circle")


def test_names_in_a_map_lie_inside():
    points, names = np.array([[0.0, 0.0], [1.0, 1.0]]), ["g" * 99, "on the right"]
    svg = drawings.scatter(points, np.ones(2), names, ["one", "two"])
    written = {part.text: part for part in parts(svg, "text")}
    long = next(name for name in written if name.startswith("ggg"))
    assert len(long) == drawings.LONGEST
    for name, anchor in ((long, "start"), ("on the right", "end")):
        assert written[name].attrib["text-anchor"] == anchor


def test_names_in_a_map_are_harmless():
    points = np.random.default_rng(0).normal(size=(9, 2))
    svg = drawings.scatter(points, np.ones(9), [EVIL, "b"], ["one", "two"])
    assert EVIL in [part.text for part in parts(svg, "text")]
    assert "<script" not in svg


def test_lines_leave_out_what_is_not_known():
    svg = drawings.lines([1, 2, 3], {"a": [1, 2, 3], "b": [1, np.nan, 2]}, ["size", "value"])
    assert len(parts(svg, "polyline")) == 2
    assert len(parts(svg, "circle")) == 5 + 2  # and those of the legend


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.99, 1.01), (-3, 8), (0, 7000), (0, 1e-9)])
def test_ticks_are_few_round_numbers(low, high):
    svg = drawings.ranked(np.array([high, low]), 1, "x")
    assert 3 <= len(parts(svg, "line", "grid")) <= 8
