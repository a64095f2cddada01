"""When a search has to stop, and how its time is divided."""

import pytest
from instances import Clock

from specsel._exact.limits import Limits


def test_one_size_gets_all_of_the_time_and_several_get_a_second_chance():
    limits = Limits(time_limit=60.0)
    assert limits.passes(1) == (1.0,)
    assert limits.passes(3) == (0.5, 1.0)
    assert Limits().passes(3) == (1.0,)


def test_what_is_left_is_shared_by_the_sizes_left():
    limits = Limits(time_limit=60.0, clock=Clock(0.0))
    assert limits.share(0.5, 3) == pytest.approx(10.0)
    assert limits.share(1.0, 3) == pytest.approx(20.0)
