"""A pencil stays as it is, and its bounds hold for every support."""

import dataclasses
import itertools

import numpy as np
import pytest
import scipy.linalg

from specsel import _pencil, datasets


def test_a_pencil_never_changes(rng):
    X, y = rng.standard_normal((20, 4)), np.arange(20) % 2
    for pencil in (
        _pencil.from_data(X, y),
        _pencil.from_data(X),
        _pencil.from_pair(np.eye(4), np.eye(4)),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            pencil.shift = 1.0
        for array in (pencil.factor, pencil.within.array, pencil.ridge, *(pencil.given or ())):
            assert not array.flags.writeable
        pencil.block([0, 1])[0][0, 0] = 7.0  # a copy
        assert pencil.matrices[0][0, 0] != 7.0


def test_matrices_of_the_user_stay_writeable():
    A, B = np.eye(3), np.eye(3)
    _pencil.from_pair(A, B)
    A[0, 0] = B[0, 0] = 2.0


@pytest.mark.parametrize("criterion", ["leading", "trace", "logdet"])
@pytest.mark.parametrize("shape", [(40, 6), (12, 9), (6, 9)])
def test_bounds_hold_for_every_support(criterion, shape, rng):
    X, y = rng.standard_normal(shape), np.arange(shape[0]) % 3
    pencil = _pencil.from_data(X, y, criterion=criterion)
    n = shape[1]
    for k in range(1, n + 1):
        values = [pencil.solve(list(S))[0] for S in itertools.combinations(range(n), k)]
        lower, upper = pencil.bounds(k)
        assert lower <= min(values) * (1 + 1e-9)
        assert max(values) <= upper * (1 + 1e-9)
    assert upper == pytest.approx(values[0], rel=1e-6)
    assert lower == pytest.approx(values[0] if n > 2 else 0, rel=1e-6)


def test_bounds_where_a_has_negative_eigenvalues(rng):
    A = rng.standard_normal((6, 6))
    A, B = A + A.T, datasets.wishart_pair(6)[1]
    pencil, values = _pencil.from_pair(A, B), scipy.linalg.eigh(A, B, eigvals_only=True)
    for k in range(1, 7):
        lower, upper = pencil.bounds(k)
        assert (lower, upper) == pytest.approx((values[k - 1], values[-1]))
    with pytest.raises(ValueError, match=r"A: has an eigenvalue of -.*criterion = 'trace'"):
        _pencil.from_pair(A, B, "trace")
