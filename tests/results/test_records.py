"""Tables for notebooks and pandas: what they hold, well formed, and safe with any name."""

import re
import sys
from xml.etree import ElementTree

import numpy as np
import pictures
import pytest
from instances import weights_of

from specsel import datasets, eslda, gslda, sbs, topography
from specsel.results import records


def parsed(result):
    """The rows of a table as texts, its widths of bars, and the rest as text."""
    root = ElementTree.fromstring(result._repr_html_())
    rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
    bars = [float(bar.get("style")[6:].split("em")[0]) for bar in root.findall(".//td/div")]
    return rows, bars, ["".join(part.itertext()) for part in root.iter("p")]


def cut_of(result):
    """The number of the row with a line below."""
    rows = list(ElementTree.fromstring(result._repr_html_()).iter("tr"))
    return [i for i, row in enumerate(rows) if "border-bottom" in row[0].get("style")]


def test_weights_are_ranked_with_bars_and_the_cut():
    weights = weights_of([0.1, 0.8, -0.2, 0.6], names=("a", "b", "c", "d"))
    rows, bars, texts = parsed(weights)
    assert rows[0] == ["rank", "feature", "weight", ""]
    assert rows[1:] == [
        ["1", "b", "0.8000", ""],
        ["2", "d", "0.6000", ""],
        ["3", "a", "0.1000", ""],
        ["4", "c", "-0.2000", ""],
    ]
    np.testing.assert_allclose(bars, records.LONGEST * np.array([1, 0.75, 0.125, 0]), atol=0.051)
    assert texts == ["Weights, k = 1 direction, converged: 2 of 4 above the gap"]
    assert cut_of(weights) == [2]


def test_weights_that_are_alike_have_no_cut():
    assert cut_of(weights_of(np.ones(3))) == []


def test_weights_that_are_zero_or_no_numbers_have_no_bars():
    assert parsed(weights_of(np.zeros(3)))[1] == [0, 0, 0]
    bars = parsed(weights_of([np.nan, 0.5, 0.25]))[1]
    assert bars == [records.LONGEST, records.LONGEST / 2, 0]


def test_long_tables_show_the_first_rows_and_those_at_the_cut():
    weights = weights_of(np.where(np.arange(200) < 60, 1.0, 0.01) - 1e-5 * np.arange(200))
    rows, _, texts = parsed(weights)
    shown = [row[0] for row in rows[1:]]
    assert shown == [*map(str, range(1, records.ROWS + 1)), "⋮", "60", "61"]
    assert texts[1:] == ["and 139 more"]
    assert cut_of(weights) == [22]


def test_a_cut_at_the_end_of_the_first_rows_needs_no_dots():
    weights = weights_of(np.where(np.arange(50) < records.ROWS, 1.0, 0.01))
    rows, _, texts = parsed(weights)
    assert [row[0] for row in rows[1:]] == [*map(str, range(1, records.ROWS + 2))]
    assert texts[1:] == [f"and {50 - records.ROWS - 1} more"]


NAMES = ("<script>alert(1)</script>", "a & b", '"quoted"', "Größe")


def test_names_are_escaped():
    weights = weights_of([4.0, 3.0, 2.0, 1.0], names=NAMES)
    assert "<script" not in weights._repr_html_()
    assert [row[1] for row in parsed(weights)[0][1:]] == list(NAMES)


@pytest.fixture
def frame(rng):
    import pandas as pd

    X = rng.standard_normal((60, 4))
    X[:30, :2] += 2
    return pd.DataFrame(X, columns=NAMES)


def test_names_are_escaped_in_all_results(frame):
    y = np.arange(60) < 30
    path = gslda.solve(frame, y)
    found = [
        path,
        path[4],
        topography.solve(frame, 1),
        sbs.solve(frame, retain=0.01, n_boot=100, random_state=0),
    ]
    for result in found:
        assert "<script" not in result._repr_html_()
        rows, _, texts = parsed(result)
        assert any(NAMES[0] in text for text in [*texts, *(cell for row in rows for cell in row)])


def test_maps_have_columns_for_every_round(frame):
    chart = topography.solve(frame, 1, rounds=2)
    rows, _, texts = parsed(chart)
    columns = ["relevance 1", "position 1", "relevance 2", "position 2"]
    assert rows[0] == ["rank", "feature", "weight", "", *columns]
    best = chart.combined.ranking[0]
    expected = np.c_[chart.relevances[best], chart.positions[best]].ravel()
    np.testing.assert_allclose([float(cell) for cell in rows[1][4:]], expected, rtol=1e-3)
    assert texts[0].startswith("Map of 2 rounds, converged: ")


def test_subsets_are_sorted_by_their_entries():
    d = np.array([1.0, -3.0, 2.0, 0.0])
    best = eslda.solve_pair(np.outer(d, d), np.eye(4), 3)
    rows, bars, texts = parsed(best)
    entries = best.direction[[1, 2, 0]]
    assert entries.min() < 0 < entries.max()
    assert [row[:2] for row in rows[1:]] == [
        [name, f"{entry:#.4g}"] for name, entry in zip("120", entries, strict=True)
    ]
    np.testing.assert_allclose(bars, records.LONGEST * np.array([1, 2 / 3, 1 / 3]), atol=0.051)
    assert texts == [f"Subset of 3 features: value {best.value:.6g}, optimal, gap 0"]


def test_paths_have_a_row_for_every_size():
    path = eslda.solve_pair(*datasets.wishart_pair(12, random_state=1), [2, 3, 5])
    rows, bars, texts = parsed(path)
    assert rows[0] == ["size", "value", "", "bound", "status", "features"]
    assert [row[0] for row in rows[1:]] == ["2", "3", "5"]
    for row, value, bound, support in zip(
        rows[1:], path.values, path.bounds, path.supports, strict=True
    ):
        assert float(row[1]) == pytest.approx(value, rel=1e-3)
        assert float(row[3]) == pytest.approx(bound, rel=1e-3)
        assert row[4] == "optimal"
        assert row[5] == ", ".join(map(str, support))
    np.testing.assert_allclose(bars, records.LONGEST * path.values / path.values[-1], atol=0.051)
    assert texts == ["Path of 3 sizes"]


def test_stable_subspaces_show_eigenvalues_cut_after_k(rng):
    X = rng.random((80, 30))
    stable = sbs.solve(X, retain=0.7, n_boot=100, random_state=0)
    assert stable.k == 1
    rows, _, texts = parsed(stable)
    assert float(rows[1][1]) == pytest.approx(stable.eigenvalues[0], rel=1e-3)
    assert float(rows[1][3]) == pytest.approx(stable.share, rel=1e-3)
    assert cut_of(stable) == [1]
    size = len(stable.support)
    assert texts[0].startswith(f"StableSubspace, k = 1 component of {size} features: share ")
    assert texts[1] == f"and {len(stable.support) - records.ROWS} more"
    kept = ", ".join(map(str, stable.support[: records.FEATURES]))
    assert texts[2].startswith(f"features: {kept} and ")


def test_shares_are_of_all_features(rng):
    X = rng.standard_normal((400, 10))
    X[:, :8] += rng.standard_normal((400, 1))
    X[:, 8:] /= rng.random((400, 1))  # two that are known badly
    stable = sbs.solve(X, matrix="covariance", retain=0.001, n_boot=200, random_state=0)
    rows, _, texts = parsed(stable)
    assert float(rows[1][3]) == pytest.approx(stable.share, rel=1e-3)
    assert len(stable.removed) == 2
    assert texts[-1] == f"removed: {stable.removed[0]}, {stable.removed[1]}"


@pytest.mark.filterwarnings("ignore:retain = 0.5. there is no stable subspace")
def test_where_nothing_is_stable_no_feature_is_kept(rng):
    found = sbs.solve(rng.standard_normal((5, 8)), matrix="covariance", random_state=0)
    assert len(found.support)
    assert parsed(found)[2][1:] == ["nothing is stable"]


def test_there_is_no_script_and_no_colour_but_that_of_bars():
    text = weights_of([0.9, 0.1])._repr_html_()
    assert set(re.findall(r"<(\w+)", text)) == {"div", "p", "table", "tr", "th", "td"}
    styles = ";".join(re.findall('style="(.*?)"', text)).split(";")
    passed = dict(style.split(":") for style in styles)
    assert set(re.findall(r"(?<![-\w])color:(\w+)", text)) == {"inherit"}
    assert passed["border-bottom"].endswith("currentColor")


@pytest.mark.parametrize("page", [255, 17])
def test_bars_stand_out_in_light_and_dark(page):
    *color, opacity = map(float, re.search(r"rgba\((.*?)\)", records.BAR)[1].split(","))
    seen = (opacity * np.array(color) + (1 - opacity) * page) / 255
    assert pictures.contrast(seen, [page / 255] * 3) >= 3  # what WCAG wants of graphics


def test_tables_without_pandas_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"^to_frame needs pandas: pip install pandas$"):
        weights_of([0.1, 0.2]).to_frame()
