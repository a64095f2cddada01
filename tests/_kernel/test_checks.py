"""Which matrices may serve as V, and what is said of the others."""

import numpy as np
import pytest

from specsel import _kernel, kernel


def sample(shape):
    return np.random.default_rng(0).standard_normal(shape)


INDEFINITE = {
    "is not positive semi-definite, its smallest eigenvalue is -0.31": np.diag([1.0, 2, -0.3125]),
    "is not positive semi-definite, its smallest eigenvalue is -1": np.diag([-1.0, -1.0, -1.0]),
    "is not positive semi-definite, its smallest eigenvalue is -1e-07": np.diag([1.0, 1, -1e-7]),
    "is not symmetric, mirrored entries differ by 0.5": np.eye(3) + np.eye(3, k=1) / 2,
    "holds NaN or infinity; finite numbers are needed": np.full((3, 3), np.nan),
    "is 0; at least one feature must vary": np.zeros((3, 3)),
    "has shape (2, 3); (3, 3) is needed": np.ones((2, 3)),
}


@pytest.mark.parametrize("fault", INDEFINITE)
def test_a_matrix_that_is_no_kernel_is_refused(fault):
    for X, kind in (
        (INDEFINITE[fault], "precomputed"),
        (sample((5, 3)), lambda M: INDEFINITE[fault]),
    ):
        with pytest.raises(ValueError) as caught:
            kernel.solve(X, 1, kernel=kind)
        assert str(caught.value) == f"kernel: the matrix {fault}"


def test_what_rounding_leaves_of_a_kernel_is_accepted():
    V = np.ones((3, 3))
    V[0, 1] += 1e-9
    V[2, 2] -= 1e-9
    assert np.isfinite(kernel.solve(V, 1, kernel="precomputed").alpha).all()


def test_float64_is_not_copied_in_either_order():
    V = sample((6, 4))
    V = V.T @ V
    for order in ("C", "F"):
        given = np.array(V, order=order)
        given.flags.writeable = False
        assert np.shares_memory(_kernel.checked(given, 4), given)


def test_float32_may_be_off_by_its_own_roundings():
    M = sample((20, 30)).astype(np.float32)
    V = _kernel.checked(M.T @ M, 30)  # rank 20
    assert V.dtype == np.float64
