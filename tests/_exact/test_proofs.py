"""What searches of one size, and of larger sizes, prove together."""

import numpy as np

from specsel._exact import proofs
from specsel.results.subsets import Found


def test_what_two_passes_proved_is_joined():
    first = Found(3, np.arange(3), 1.0, 1.0, 1.5, "time", 10, 1.0, ())
    again = first._replace(value=1.2, bound=1.6, nodes=5, seconds=0.5)
    joined = proofs.joined(first, again._replace(start=1.1))
    assert joined.start == 1.0
    assert (joined.value, joined.bound, joined.nodes, joined.seconds) == (1.2, 1.5, 15, 1.5)


def test_a_size_is_bounded_by_the_larger_ones():
    rows = [Found(k, np.arange(k), 0.0, 0.0) for k in (2, 3, 4, 5)]
    rows[0] = rows[0]._replace(value=4.0, bound=9.0, status="time")
    rows[1] = rows[1]._replace(value=5.0, bound=9.0, status="time")
    rows[2] = rows[2]._replace(value=5.0, bound=6.0, status="optimal")
    rows[3] = rows[3]._replace(value=7.0, bound=8.0, status="time")
    closed = proofs.closed(rows)
    assert [row.bound for row in closed] == [5.0, 5.0, 5.0, 8.0]
    assert [row.status for row in closed] == ["time", "optimal", "optimal", "time"]


def test_what_is_proved_of_the_best_says_nothing_of_the_others():
    row = Found(3, np.arange(3), 2.0, 2.0, 2.0, "gap", others=(((0, 1, 4), 1.9),))
    assert proofs.closed([row])[0].status == "gap"
    assert proofs.closed([row._replace(others=())])[0].status == "optimal"
    assert proofs.closed([row._replace(others=())], several=True)[0].status == "gap"
