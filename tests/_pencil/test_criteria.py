"""What a support is worth after a change, against eigenvalues."""

import numpy as np
import pytest
from oracles import pencil as oracle

from specsel._pencil import criteria
from specsel._validate import WORTHS


def changes(rng):
    """Diagonals, some of them repeated or zero, and two vectors, some of them zero or tiny."""
    for _ in range(3000):
        rank = rng.integers(1, 6)
        values = np.sort(rng.random(rank) * (rng.random(rank) < 0.7))
        if rng.random() < 0.3:
            values[:] = values[-1]
        scales = rng.choice([0.0, 0.3, 1e-3], 2)
        yield values, *(scales[:, None] * rng.standard_normal((2, rank)))


def test_signs_tell_whether_a_change_takes_the_value_above_a_number(rng):
    for values, lowered, raised in changes(rng):
        matrix = np.diag(values) - np.outer(lowered, lowered) + np.outer(raised, raised)
        largest = np.linalg.eigvalsh(matrix)[-1]
        scale = max(abs(largest), 1e-3)
        for share in (-1e-2, -1e-9, -1e-11, 1e-11, 1e-9, 1e-2):
            target = largest + share * scale
            assert criteria.exceeds(target, values, lowered, raised) == (share < 0)
        if raised.any():
            low = largest - 1e-2 * scale
            assert criteria.largest(low, values, lowered, raised) == pytest.approx(
                largest, abs=1e-12 * max(scale, 1)
            )


@pytest.mark.parametrize("name", WORTHS)
def test_the_value_after_a_change_is_that_of_its_eigenvalues(name, rng):
    criterion, told = WORTHS.index(name), 0
    for values, lowered, raised in changes(rng):
        matrix = np.diag(values) - np.outer(lowered, lowered) + np.outer(raised, raised)
        after = np.linalg.eigvalsh(matrix)
        if after[0] < -1e-12:
            continue
        before = criteria.worth(values, criterion)
        assert before == pytest.approx(oracle.worth(values, name))
        expected = oracle.worth(after, name)
        found = criteria.improved(before, before, values, lowered, raised, criterion)
        if expected > before + 1e-9:
            assert found == pytest.approx(expected, rel=1e-9)
            told += 1
        elif expected < before - 1e-9:
            assert found == -np.inf
    assert told > 100
