"""The wording of messages."""

import warnings

import numpy as np
import pandas as pd
import pytest

from specsel import _validate, qalpha


def test_a_long_value_is_not_printed(clustered):
    with pytest.raises(ValueError) as caught:
        qalpha.solve(clustered, pd.Series(np.arange(40)))
    assert str(caught.value).startswith("k = Series of shape (40,): must be a whole number from 1")


@pytest.mark.parametrize(
    "name", ["tol", "method", "random_state", "callback", "init", "k", "center"]
)
def test_errors_are_of_one_line_whatever_was_given(name, clustered):
    value = [[0.5] * 30] * 40 if name == "k" else clustered if name != "init" else [[0.5]] * 40
    with pytest.raises(ValueError, match=rf"^{name}\b.*$") as caught:
        qalpha.solve(clustered, **({"k": 2} | {name: value}))
    assert len(str(caught.value).splitlines()) == 1


def test_short_values_are_shown_and_long_ones_described():
    assert _validate.brief("power") == "'power'"
    assert _validate.brief(np.ones((30, 2))) == "ndarray of shape (30, 2)"
    assert _validate.brief(list(range(99))) == "list"


def test_features_go_by_name_or_by_number():
    features = np.array([2, 0])
    assert _validate.name_features(features, ("a", "b", "c")) == ["c", "a"]
    assert _validate.name_features(features, None) == [2, 0]


def test_the_first_few_are_listed():
    assert _validate.first_few([]) == ""
    assert _validate.first_few([3, 1]) == "3, 1"
    assert _validate.first_few(list("abcdefghij")) == "a, b, c, d, e, f, g, h and 2 more"


def test_warnings_blame_the_line_of_the_caller(clustered):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        qalpha.solve(clustered, 2, max_iter=1)
    assert [warning.filename for warning in caught] == [__file__]


def test_close_names_are_suggested():
    assert _validate.suggest("tagret", ["target", "drop"]) == "; did you mean 'target'?"
    assert _validate.suggest("Gene 1", ["gene 1"]) == "; did you mean 'gene 1'?"
    assert _validate.suggest("xyz", ["target", "drop"]) == ""
