"""Several sizes in turn: all proved where there is time, and how the time is divided."""

import numpy as np
import pytest
from instances import Clock, enumerate_all, wishart

from specsel import _exact, _pencil


def problem_of(n=9, seed=0):
    rng = np.random.default_rng(seed)
    A, B = wishart(rng, n), wishart(rng, n)
    sizes = [2, 4, 6]
    starts = {k: (0.0, np.arange(k)) for k in sizes}
    problem = _exact.Problem(A, B, np.arange(n), np.empty(0, dtype=np.intp))
    return _pencil.from_pair(A, B), sizes, starts, problem


def test_every_size_is_proved():
    pencil, sizes, starts, problem = problem_of()
    for row in _exact.search_sizes(pencil, sizes, starts, problem, _exact.Limits()):
        supports, values = enumerate_all(problem.A, problem.B, row.size)
        assert row.status == "optimal"
        assert tuple(row.support.tolist()) == supports[int(np.argmax(values))]
        assert row.bound + row.error >= values.max()


def test_without_time_the_starts_come_back_with_a_bound():
    pencil, sizes, starts, problem = problem_of()
    limits = _exact.Limits(time_limit=0.0, clock=Clock(1.0))
    for row in _exact.search_sizes(pencil, sizes, starts, problem, limits):
        _, values = enumerate_all(problem.A, problem.B, row.size)
        assert row.status == "time"
        assert row.support.tolist() == list(range(row.size))
        assert row.bound >= values.max()


@pytest.mark.parametrize(("part", "share"), [(0.5, 1.0), (1.0, 2.25)])
def test_half_of_the_time_is_divided_first_and_then_the_rest(part, share):
    limits = _exact.Limits(time_limit=10.0, clock=lambda: 1.0)
    assert limits.share(part, 4) == share
