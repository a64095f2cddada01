"""A few hundred of the random calls that ``tests/fuzz/run.py`` makes by the ten thousand."""

import pytest
from fuzz import cases


@pytest.mark.parametrize("block", range(20))
def test_any_call_returns_what_is_right_or_refuses_in_one_line(block):
    outcomes = [cases.attempt(seed) for seed in range(20 * block, 20 * block + 20)]
    assert set(outcomes) <= {"returned", "refused"}
