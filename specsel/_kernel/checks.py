"""Whether a matrix that a user gives may serve as V: symmetric and positive semi-definite."""

import numpy as np

from specsel import _containers, _runtime
from specsel._validate import ArrayLike, Floats

# How far a matrix may be from symmetric, and its smallest eigenvalue below 0, relative to its
# largest entry and eigenvalue; a few roundings of its type are always allowed.
NEGLIGIBLE = 1e-8

# Squares of products of larger entries, or of smaller ones, are no numbers.
LARGEST = 1e60


def checked(matrix: ArrayLike, n: int) -> Floats:
    """Return a matrix as float64 if it can be the kernel of n features, and refuse it if not.

    float64 in C or Fortran order is not copied.
    """
    _runtime.check_not_forked()
    entries, _ = _containers.as_matrix(matrix, least_samples=1, name="kernel")
    if entries.shape != (n, n):
        raise ValueError(f"kernel: the matrix has shape {entries.shape}; ({n}, {n}) is needed")
    fault = _fault(entries)
    if fault:
        raise ValueError(f"kernel: the matrix {fault}")
    return np.ascontiguousarray(entries.T if entries.flags.f_contiguous else entries, np.float64)


def _fault(entries: np.ndarray) -> str:
    """Say what keeps a square matrix from being a kernel; "" if nothing does."""
    size = np.abs(entries).max()
    if not np.isfinite(size):
        return "holds NaN or infinity; finite numbers are needed"
    if size == 0:
        return "is 0; at least one feature must vary"
    if not 1 / LARGEST <= float(size) <= LARGEST:
        return (
            f"has a largest entry of {size:.1g}; from {1 / LARGEST:g} to {LARGEST:g} is possible"
        )
    share = max(NEGLIGIBLE, 16 * np.finfo(entries.dtype).eps)
    asymmetry = np.max(entries - entries.T)
    if asymmetry > share * size:
        return f"is not symmetric, mirrored entries differ by {asymmetry:.2g}"
    least = _negative_eigenvalue(entries, share)
    if least < 0:
        return f"is not positive semi-definite, its smallest eigenvalue is {least:.2g}"
    return ""


def _negative_eigenvalue(entries: np.ndarray, share: float) -> float:
    """Return the smallest eigenvalue if it is below -share of the largest, else 0."""
    from scipy.linalg import eigvalsh, lapack

    work = np.array(entries, dtype=np.float64, order="F")
    work[np.diag_indices_from(work)] += share * max(entries.diagonal().max(), 0.0)
    if lapack.dpotrf(work, overwrite_a=1, clean=0)[1] == 0:  # much faster, and enough for most
        return 0.0
    values = eigvalsh(entries)
    return values[0] if values[0] < -share * values[-1] else 0.0
