"""The door through which data come in: an array is checked, measured and wrapped."""

from typing import Any

import numpy as np

from specsel import _containers, _runtime
from specsel._data import passes, representations
from specsel._data.dense import Dense
from specsel._data.held import is_blockwise
from specsel._data.measured import Measured
from specsel._data.passes import Columns
from specsel._data.protocol import Data
from specsel._validate import ArrayLike, Names, NDArray, Representation


def read(X: ArrayLike, *, center: bool = True) -> Data:
    """Check an array of samples × features and wrap it for passes.

    X may be anything that numpy can view as a matrix of real numbers: arrays in any memory order,
    read-only or memory-mapped ones, nested lists, and data frames, whose column names are kept;
    or a sparse matrix of scipy. float32 and float64 are used as they lie; other types are
    converted.

    Examples
    --------
    >>> import numpy as np
    >>> data = read(np.array([[1.0, 5.0], [3.0, 7.0], [8.0, 0.0]]))
    >>> data.n_samples, data.n_features, data.passes
    (3, 2, 1)
    """
    return represent(*_containers.as_data(X), representation="centered" if center else "as-is")


def represent(
    array: Any, names: Names = None, *, representation: Representation = "centered"
) -> Data:
    """Wrap a checked array, its columns represented in one of several ways and of unit norm.

    ========== ====================================================================
    centered   the column less its mean
    shift      the column less its minimum
    ranks      the ranks of the samples in the column; this alone copies X
    as-is      the column
    parts      two features: how far a value is above the median, and how far below
    ========== ====================================================================

    All first parts come before all second parts. X is copied where a feature is so large or so
    small that squares of its norm are no numbers; see `moments.extremes`.
    """
    _runtime.check_stated_budget()
    if representation == "ranks":
        array = _to_be_ranked(array)
    # What most calls do not need is imported only here.
    if is_blockwise(array) and representation != "ranks":
        from specsel._data import source_reading

        return source_reading.wrap(array, names, representation)
    if isinstance(array, np.ndarray):
        return _wrap(array, names, representation)
    from specsel._data import sparse_reading

    return sparse_reading.wrap(array, names, representation)


def count_reduced(array: Any) -> int:
    """How many samples of X are left, at least, once tall data are reduced; X is not read."""
    q, n = map(int, array.shape)
    if hasattr(array, "tocsr"):
        from specsel._data.sparse import is_reduced_soon

        return min(q, n) if is_reduced_soon(q, n, array.nnz) else q
    return min(q, n)


def _wrap(array: NDArray[Any], names: Names, representation: Representation) -> Dense:
    measured = Measured.of(array, array.dtype, names, representation)
    exponents = measured.exponents
    view = array.view() if exponents is None else np.ldexp(array, -exponents)
    view.flags.writeable = False  # one compiled version for writable and read-only arrays
    if measured.is_shifted:
        columns = _without_negative(view.T, measured)
    else:
        middle, norm = measured.moderate
        columns = Columns(view.T, middle, norm[None, :])
    return Dense(columns=columns, **measured.told(array.dtype, n_passes=1))


def _without_negative(features: NDArray[Any], measured: Measured) -> Columns:
    """Find what makes the columns non-negative, and the norms of what that leaves."""
    n_columns = len(features)
    span = passes.block_span(n_columns)
    middle = np.zeros(n_columns)
    if measured.representation == "ranks":
        ranked = np.empty_like(features, order="C" if passes.is_feature_major(features) else "F")
        representations.ranks(features, ranked, span)
        ranked.flags.writeable = False
        features = ranked
    else:
        representations.middles(features, measured.fraction, middle, span)
    norms = np.zeros((measured.parts, n_columns))
    representations.part_norms(features, middle, measured.parts, norms, span)
    return Columns(features, middle, measured.without_nothing(norms, features.itemsize))


def _to_be_ranked(array: Any) -> Any:
    """X in memory, if the budget has room for its ranks, which are a copy."""
    size, what = _size_of_ranks(array)
    _runtime.check_budget(f"representation = 'ranks': {what}", size, "take another representation")
    if not _containers.is_streamed(array):
        return array
    from specsel._data.sources import Source

    return Source.of(array).read(slice(None), slice(None))


def _size_of_ranks(array: Any) -> tuple[float, str]:
    """Bytes that ranks take, with what is held beside them; and what that is."""
    if hasattr(array, "tocsr"):  # a rank and its sample for every number, in bands and joined
        return 2.0 * (8 + array.indices.itemsize) * array.nnz, "the ranks of X"
    size = float(np.prod(array.shape, dtype=float))
    if not _containers.is_streamed(array):
        return array.dtype.itemsize * size, "the ranks of X"
    from specsel._data.sources import Source

    return 2 * Source.of(array).dtype.itemsize * size, "X in memory and its ranks"
