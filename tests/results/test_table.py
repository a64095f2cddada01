"""Tables, and the check that data have the features of a result."""

import sys

import pytest

from specsel.results.table import check_features, frame


@pytest.mark.parametrize("names", [None, ("a", "b")])
@pytest.mark.parametrize("expected", [None, ("a", "b")])
def test_as_many_features_fit_where_one_side_has_no_names_or_both_agree(names, expected):
    check_features(2, names, 2, expected, "weights")


def test_another_number_of_features_is_refused():
    with pytest.raises(ValueError, match=r"^X: has 3 features; the weights are for 2$"):
        check_features(3, None, 2, None, "weights")


def test_the_first_name_that_differs_is_named():
    with pytest.raises(ValueError, match=r"^X: column 1 is 'c'; the intervals have 'b' there$"):
        check_features(3, ("a", "c", "b"), 3, ("a", "b", "c"), "intervals")


def test_a_table_has_the_columns_in_order():
    pandas = pytest.importorskip("pandas")
    table = frame({"second": [1, 2], "first": [3, 4]})
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == ["second", "first"]


def test_without_pandas_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"^to_frame needs pandas: pip install pandas$"):
        frame({"a": [1]})
