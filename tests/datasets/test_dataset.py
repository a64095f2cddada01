"""What a generator returns."""

import dataclasses

import pytest

from specsel import datasets


def test_a_data_set_is_frozen_and_prints_one_line():
    data = datasets.weston_linear(20)
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.X = None
    assert repr(data) == "Dataset(20 samples x 202 features, 6 relevant)"


def test_names_are_kept_as_given():
    named = datasets.example()
    assert len(named.names) == named.X.shape[1]
    assert datasets.weston_linear(20).names is None
