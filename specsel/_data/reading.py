"""The door through which data come in: an array is checked, measured and wrapped."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from specsel import _input
from specsel._data import passes, representations
from specsel._data.dense import Dense
from specsel._data.held import Held, is_tall
from specsel._data.moments import extremes, moments
from specsel._data.parted import Blocks, ByFeature
from specsel._data.passes import Columns
from specsel._data.protocol import Data
from specsel._data.samples import BySample
from specsel._data.source_measures import without_negative
from specsel._data.sources import Source
from specsel._data.sparse import Columns as SparseColumns
from specsel._data.sparse import Sparse
from specsel._data.sparse_measures import middles, part_norms, ranked
from specsel._data.standardised import Counter
from specsel._data.stored import Stored
from specsel._input.annotations import ArrayLike, Floats, Names, NDArray
from specsel._input.choices import Representation
from specsel.linalg import RESIDUAL_FLOOR

# What rounding in float32 leaves of a residual, relative to what it is a residual of.
FLOAT32_FLOOR = 1e-6

# A part whose norm is at most this share of that of the column is no feature: squares of such
# shares are no numbers. By the bytes of a number, as `moments.MODERATE`.
NEGLIGIBLE_PART = {4: 2.0**-50, 8: 2.0**-300}


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
    small that squares of its norm are no numbers; see `extremes`.
    """
    if _input.is_streamed(array):
        return _wrap_source(Source.of(array), names, representation)
    if is_tall(array) and representation != "ranks":
        return _wrap_source(Held.of_rows(array), names, representation)
    wrap = _wrap if isinstance(array, np.ndarray) else _wrap_sparse
    return wrap(array, names, representation)


def _wrap(array: NDArray[Any], names: Names, representation: Representation) -> Dense:
    mean, norm = moments(array, names, center=representation != "as-is")
    _check_variation(array.dtype, norm, names, representation)
    exponents = extremes(norm, array.dtype)
    middle, norms, view = mean, norm, array.view()
    if exponents is not None:
        middle, norms, view = (np.ldexp(part, -exponents) for part in (mean, norm, array))
    view.flags.writeable = False  # one compiled version for writable and read-only arrays
    n_passes = 1
    columns = Columns(view.T, middle, norms[None, :])
    if representation not in ("centered", "as-is"):
        n_passes += 2
        columns = _without_negative(view.T, norms, representation)
    return Dense(
        columns=columns,
        mean=mean,
        norm=norm,
        names=names,
        loses_rank=representation == "centered",
        mean_free=representation == "centered",
        floor=RESIDUAL_FLOOR if array.dtype == np.float64 else FLOAT32_FLOOR,
        counter=Counter(n_passes),
        exponents=exponents,
    )


def _wrap_sparse(matrix: Any, names: Names, representation: Representation) -> Sparse:
    stored = Stored.of(matrix)
    mean, norm = moments(stored.matrix, names, center=representation != "as-is")
    _check_variation(matrix.dtype, norm, names, representation)
    exponents = extremes(norm, matrix.dtype)
    middle, norms = mean, norm
    if exponents is not None:
        middle, norms = np.ldexp(mean, -exponents), np.ldexp(norm, -exponents)
        stored = stored.scaled(exponents)
    n_passes = 1
    columns = SparseColumns(stored, middle, norms[None, :])
    if representation not in ("centered", "as-is"):
        n_passes += 2
        columns = _sparse_without_negative(stored, norms, representation)
    return Sparse(
        columns=columns,
        mean=mean,
        norm=norm,
        names=names,
        loses_rank=representation == "centered",
        mean_free=representation == "centered",
        floor=RESIDUAL_FLOOR,
        counter=Counter(n_passes),
        exponents=exponents,
    )


def _wrap_source(source: Source, names: Names, representation: Representation) -> Data:
    if representation == "ranks":
        return _wrap(_in_memory(source), names, representation)
    mean, norm = moments(source, names, center=representation != "as-is")
    _check_variation(source.dtype, norm, names, representation)
    exponents = extremes(norm, source.dtype)
    middle, norms = mean, norm
    if exponents is not None:
        middle, norms = np.ldexp(mean, -exponents), np.ldexp(norm, -exponents)
        source = replace(source, exponents=exponents)
    blocks = Blocks(source, middle, norms[None, :])
    n_passes = 1 if source.by_feature else 2
    if representation not in ("centered", "as-is"):
        n_passes += 2
        parts = 2 if representation == "parts" else 1
        middle, found = without_negative(source, 0.5 if parts == 2 else 0.0, parts)
        blocks = Blocks(source, middle, _without_nothing(found, norms, source.dtype.itemsize))
    return (ByFeature if source.by_feature else BySample)(
        blocks=blocks,
        mean=mean,
        norm=norm,
        names=names,
        loses_rank=representation == "centered",
        mean_free=representation == "centered",
        floor=RESIDUAL_FLOOR if source.dtype == np.float64 else FLOAT32_FLOOR,
        counter=Counter(n_passes),
        exponents=exponents,
    )


def _in_memory(source: Source) -> NDArray[Any]:
    """All of X, for ranks, which are a copy of it anyway."""
    size = 2 * source.dtype.itemsize * float(np.prod(source.shape, dtype=float))
    _input.check_budget(
        "representation = 'ranks': X in memory and its ranks", size, "take another representation"
    )
    return source.read(slice(None), slice(None))


def _check_variation(
    dtype: np.dtype[Any], norm: Floats, names: Names, representation: Representation
) -> None:
    """Refuse data of which nothing varies or hardly anything, and warn of constant features."""
    constant = norm == 0
    smallest = 16 * np.finfo(dtype).tiny
    if (norm[~constant] < smallest).any():
        raise ValueError(f"X: {_input.TOO_EXTREME}")
    count = int(constant.sum())
    kind = "zero" if representation == "as-is" else "constant"
    if count == len(norm):
        raise ValueError(f"X: all {count} features are {kind}; at least one must vary")
    if count:
        verbs = ("is", "gets") if count == 1 else ("are", "get")
        which = _input.first_few(_input.name_features(np.flatnonzero(constant), names))
        warnings.warn(
            f"{count} of {len(norm)} features {verbs[0]} {kind} and {verbs[1]} weight 0: {which}",
            stacklevel=_input.caller(),
        )


def _without_negative(
    features: NDArray[Any], norm: Floats, representation: Representation
) -> Columns:
    """Find what makes the columns non-negative, and the norms of what that leaves."""
    n_columns = len(features)
    span = passes.block_span(n_columns)
    middle = np.zeros(n_columns)
    if representation == "ranks":
        ranked = np.empty_like(features, order="C" if passes.is_feature_major(features) else "F")
        representations.ranks(features, ranked, span)
        ranked.flags.writeable = False
        features = ranked
    else:
        fraction = 0.5 if representation == "parts" else 0.0
        representations.middles(features, fraction, middle, span)
    parts = 2 if representation == "parts" else 1
    norms = np.zeros((parts, n_columns))
    representations.part_norms(features, middle, parts, norms, span)
    return Columns(features, middle, _without_nothing(norms, norm, features.itemsize))


def _sparse_without_negative(
    stored: Stored, norm: Floats, representation: Representation
) -> SparseColumns:
    """As `_without_negative`, for sparse columns."""
    itemsize = stored.matrix.dtype.itemsize
    if representation == "ranks":
        stored, absent = ranked(stored)
        middle = -absent
    else:
        middle = middles(stored, 0.5 if representation == "parts" else 0.0)
    norms = part_norms(stored, middle, 2 if representation == "parts" else 1)
    return SparseColumns(stored, middle, _without_nothing(norms, norm, itemsize))


def _without_nothing(norms: Floats, norm: Floats, itemsize: int) -> Floats:
    """The norms of what is made of the columns, 0 for what is nothing."""
    norms[:, norm == 0] = 0.0
    if len(norms) == 2:
        norms[norms <= NEGLIGIBLE_PART[itemsize] * norm] = 0.0
    return norms
