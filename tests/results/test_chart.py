"""A map of several rounds: its rounds, what they say together, and its table."""

import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from instances import weights_of

from specsel.results import Map


def unit(*alpha):
    return np.array(alpha) / np.linalg.norm(alpha)


def chart_of(*rounds, **changes):
    weights = tuple(weights_of(alpha, **changes) for alpha in rounds)
    return Map(weights, np.zeros((len(rounds[0]), len(rounds), 2)), 9)


def test_relevances_hold_one_column_for_every_round():
    rounds = unit(1, 2, 0), unit(0, 1, 1)
    np.testing.assert_array_equal(chart_of(*rounds).relevances, np.column_stack(rounds))


def test_combined_weights_have_unit_norm_and_the_counts_of_all_rounds():
    chart = chart_of(unit(1, 0, 0, 0), unit(0, 1, 0, 0), n_iter=4)
    combined = chart.combined
    np.testing.assert_allclose(combined.alpha, unit(1, 1, 0, 0))
    assert (combined.n_iter, combined.n_passes, combined.converged) == (8, 9, True)


def test_combined_weights_converged_if_all_rounds_did():
    found = weights_of(unit(1, 0)), weights_of(unit(0, 1), converged=False)
    assert not Map(found, np.zeros((2, 2, 2)), 3).combined.converged


def test_selection_is_by_the_combined_weights():
    chart = chart_of(unit(4, 1, 0, 0), unit(0, 1, 4, 0))
    assert sorted(chart.select().tolist()) == [0, 2]
    assert chart.select(3).tolist() == [0, 2, 1]
    assert chart.select(threshold=0.1).tolist() == [0, 2, 1]


def test_repr_counts_features_and_rounds():
    text = "Map(3 features, 1 round, 1 above the gap)"
    assert repr(chart_of(unit(1, 0, 0))) == text
    text = "Map(3 features, 2 rounds, 1, 2 above the gap)"
    assert repr(chart_of(unit(1, 0, 0), unit(0, 1, 1))) == text


def test_a_map_cannot_be_changed():
    chart = chart_of(unit(1, 2))
    with pytest.raises(FrozenInstanceError):
        chart.n_passes = 1
    with pytest.raises(ValueError, match="read-only"):
        chart.coordinates[0] = 1


@pytest.mark.parametrize(("names", "expected"), [(None, [0, 1]), (("a", "b"), ["a", "b"])])
def test_table_names_the_features(names, expected):
    pytest.importorskip("pandas")
    table = chart_of(unit(1, 0), unit(0, 1), names=names).to_frame()
    assert table["feature"].tolist() == expected
    assert table["relevance_2"].tolist() == [0, 1]
    assert table["position_1"].tolist() == [0, 0]


def test_table_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"^to_frame needs pandas: pip install pandas$"):
        chart_of(unit(1, 0)).to_frame()
