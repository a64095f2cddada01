"""A sparse matrix is measured and wrapped."""

from typing import Any

from specsel._data.measured import Measured
from specsel._data.sparse import Columns, Sparse
from specsel._data.sparse_measures import middles, near_zero, part_norms, ranked
from specsel._data.stored import Stored
from specsel._validate import Names, Representation
from specsel.linalg import RESIDUAL_FLOOR


def wrap(matrix: Any, names: Names, representation: Representation) -> Sparse:
    """Measure a sparse matrix and wrap it for passes."""
    stored = Stored.of(matrix)
    measured = Measured.of(stored.matrix, matrix.dtype, names, representation)
    if measured.exponents is not None:
        stored = stored.scaled(measured.exponents)
    if measured.is_shifted:
        columns = _without_negative(stored, measured)
    else:
        middle, norm = measured.moderate
        columns = Columns(stored, middle, norm[None, :])
    stored, middle = near_zero(*columns)
    columns = Columns(stored, middle, columns.norms)
    told = measured.told(matrix.dtype, n_passes=1) | {"floor": RESIDUAL_FLOOR}
    return Sparse(columns=columns, **told)


def _without_negative(stored: Stored, measured: Measured) -> Columns:
    """Find what makes the columns non-negative, and the norms of what that leaves."""
    itemsize = stored.matrix.dtype.itemsize
    if measured.representation == "ranks":
        stored, absent = ranked(stored)
        middle = -absent
    else:
        middle = middles(stored, measured.fraction)
    norms = part_norms(stored, middle, measured.parts)
    return Columns(stored, middle, measured.without_nothing(norms, itemsize))
