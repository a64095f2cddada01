"""Inverses and factors of positive definite matrices, and what is told of others."""

import numpy as np
from instances import wishart

from specsel._exact import definite


def test_inverses_and_factors(rng):
    for n in (1, 2, 7):
        B = wishart(rng, n) + 0.1 * np.eye(n)
        inverse = B.copy()
        assert definite.invert_definite(inverse)
        np.testing.assert_allclose(inverse @ B, np.eye(n), atol=1e-9)
        factor = B.copy()
        assert definite.lower_factor(factor)
        np.testing.assert_allclose(factor @ factor.T, B)
        np.testing.assert_allclose(definite.lower_inverse(factor) @ factor, np.eye(n), atol=1e-9)
        for kernel in (
            definite.invert_definite,
            definite.lower_factor,
            definite.is_definite,
        ):
            assert not kernel(B - 2 * np.linalg.eigvalsh(B)[-1] * np.eye(n))
            assert not kernel(np.zeros((n, n)))
            assert not kernel(np.full((n, n), np.nan))


def test_rows_and_updates_of_the_lower_part(rng):
    B, row = wishart(rng, 5), np.empty(5)
    lower = np.tril(B)
    definite.gather(lower, 2, row)
    np.testing.assert_array_equal(row, B[2])
    definite.subtract(lower, row, 0.5)
    np.testing.assert_allclose(lower, np.tril(B - 0.5 * np.outer(B[2], B[2])))
