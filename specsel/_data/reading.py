"""The door through which data come in: an array is checked, measured and wrapped."""

from typing import Any

import numpy as np

from specsel import _input
from specsel._data import passes, representations
from specsel._data.dense import Dense
from specsel._data.held import is_blockwise
from specsel._data.measured import Measured
from specsel._data.passes import Columns
from specsel._data.protocol import Data
from specsel._input.annotations import ArrayLike, Names, NDArray
from specsel._input.choices import Representation


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
    return represent(*_input.as_data(X), representation="centered" if center else "as-is")


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
    if representation == "ranks" and _input.is_streamed(array):
        array = _in_memory(array)
    # What most calls do not need is imported only here.
    if is_blockwise(array) and representation != "ranks":
        from specsel._data import source_reading

        return source_reading.wrap(array, names, representation)
    if isinstance(array, np.ndarray):
        return _wrap(array, names, representation)
    from specsel._data import sparse_reading

    return sparse_reading.wrap(array, names, representation)


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


def _in_memory(array: Any) -> NDArray[Any]:
    """All of X, for ranks, which are a copy of it anyway."""
    from specsel._data.sources import Source

    source = Source.of(array)
    size = 2 * source.dtype.itemsize * float(np.prod(source.shape, dtype=float))
    _input.check_budget(
        "representation = 'ranks': X in memory and its ranks", size, "take another representation"
    )
    return source.read(slice(None), slice(None))
