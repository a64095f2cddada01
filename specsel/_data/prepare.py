"""X is measured, represented and wrapped for passes.

The columns are measured by the routines of their kind: `columns` for what is in memory or has
blocks of features, `chunked` for blocks of samples.
"""

from __future__ import annotations

import warnings
from dataclasses import fields
from typing import Any

import numpy as np

from specsel import _containers, _runtime, _validate
from specsel._data import columns
from specsel._data.data import Counter, Data, Pairs, pair_entries, pair_weights
from specsel._data.dense import Dense, is_feature_major
from specsel._runtime import jit
from specsel._validate import ArrayLike, Bools, Floats, Integers, Names, NDArray, Representation
from specsel.linalg import FLOAT32_FLOOR, RESIDUAL_FLOOR

# Norms from 2^-limit to 2^limit are moderate, in float32 (4 bytes) and in float64.
MODERATE = {4: 40, 8: 300}

# A part whose norm is at most this share of that of the column is no feature: squares of such
# shares are no numbers. By the bytes of a number.
NEGLIGIBLE_PART = {4: 2.0**-50, 8: 2.0**-300}


def read(X: ArrayLike, *, center: bool = True) -> Data:
    """Check an array of samples × features and wrap it for passes.

    X may be anything that numpy can view as a matrix of real numbers: arrays in any memory order,
    read-only or memory-mapped ones, nested lists, and data frames, whose column names are kept;
    or a sparse matrix of scipy. Dense float32 and float64 are used as they lie.

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
    small that squares of its norm are no numbers; see `extremes`.
    """
    _runtime.stated_budget()  # a wrong one is refused even where none is needed
    if representation == "ranks":
        array = _to_be_ranked(array)
    kind, numbers, dtype = _held(array, in_memory=representation == "ranks")
    mean, norm = _moments(kind, numbers, array, names, center=representation != "as-is")
    _check_variation(dtype, norm, names, representation)
    exponents = extremes(norm, dtype)
    middle, size = mean, norm
    if exponents is not None:
        numbers = _divided(numbers, exponents)
        middle, size = np.ldexp(mean, -exponents), np.ldexp(norm, -exponents)
    norms = size[None, :]
    is_shifted = representation in ("shift", "ranks", "parts")
    if is_shifted:
        numbers, middle, norms = _without_negative(kind, numbers, representation)
        norms[:, size == 0] = 0.0
        if representation == "parts":
            norms[norms <= NEGLIGIBLE_PART[dtype.itemsize] * size] = 0.0
    is_sparse = hasattr(array, "tocsr")
    centred = representation == "centered"
    return kind.wrap(
        numbers=numbers,
        middle=middle,
        norms=norms,
        mean=mean,
        norm=norm,
        names=names,
        loses_rank=centred,
        mean_free=centred,
        floor=RESIDUAL_FLOOR if is_sparse or dtype == np.float64 else FLOAT32_FLOOR,
        counter=Counter.after(kind.reads * (1 + is_shifted) + (representation == "ranks")),
        exponents=exponents,
    )


def moments(
    array: Any, names: Names = None, *, center: bool = True, name: str = "X"
) -> tuple[Floats, Floats]:
    """Find the mean of every column and the norm of what remains, in one pass.

    The array may be sparse. Without `center` nothing is subtracted, and the means are 0. Values
    that are not finite are refused; `names` (of the columns) and `name` (of the argument) are for
    that message.

    Examples
    --------
    >>> import numpy as np
    >>> mean, norm = moments(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> mean.tolist(), norm.round(3).tolist()
    ([2.0, 5.0], [1.414, 0.0])
    """
    kind, numbers, _ = _held(array)
    return _moments(kind, numbers, array, names, center=center, name=name)


def _moments(
    kind: type[Data], numbers: Any, array: Any, names: Names, *, center: bool, name: str = "X"
) -> tuple[Floats, Floats]:
    _runtime.check_not_forked()
    mean, norm = kind.moments(numbers, center)
    if not np.isfinite(mean).all() or not np.isfinite(norm).all():
        raise ValueError(_containers.describe_not_finite(array, names, name))
    return mean, norm


def _held(array: Any, in_memory: bool = False) -> tuple[type[Data], Any, np.dtype[Any]]:
    """The kind of data that an array makes, its numbers, and their type; CSR is converted here."""
    # What most calls do not need is imported only here.
    from specsel._data import sources

    source = None if in_memory else sources.cut(array)
    if source is not None:
        from specsel._data import chunked

        kind = chunked.ByFeature if source.by_feature else chunked.BySample
        return kind, source, source.dtype
    if isinstance(array, np.ndarray):
        view = array.view()
        view.flags.writeable = False  # one compiled version serves writable and read-only arrays
        return Dense, view.T, array.dtype
    from specsel._data.sparse import Sparse, Stored

    return Sparse, Stored.of(array), array.dtype


def _divided(numbers: Any, exponents: Integers) -> Any:
    """A copy with columns divided by powers of two, or a source that divides as it reads."""
    if isinstance(numbers, np.ndarray):
        return np.ldexp(numbers.T, -exponents).T
    return numbers.divided(exponents)


def _without_negative(
    kind: type[Data], numbers: Any, representation: str
) -> tuple[Any, Floats, Floats]:
    """Find what makes the columns non-negative, and the norms of what that leaves."""
    if representation != "ranks":
        fraction, parts = (0.5, 2) if representation == "parts" else (0.0, 1)
        return numbers, *kind.middles(numbers, fraction, parts)
    if isinstance(numbers, np.ndarray):
        out = np.empty_like(numbers, order="C" if is_feature_major(numbers) else "F")
        absent = columns.ranks(numbers, out)
        out.flags.writeable = False
        numbers = out
    else:
        numbers, absent = numbers.ranked()
    return numbers, -absent, columns.norms_about(numbers, -absent)


def _to_be_ranked(array: Any) -> Any:
    """X in memory, if the budget has room for its ranks, which are a copy."""
    from specsel._data import sources

    is_streamed = _containers.is_streamed(array)
    if hasattr(array, "tocsr"):  # a rank and its sample for every number, in bands and joined
        size, what = 2.0 * (8 + array.indices.itemsize) * array.nnz, "the ranks of X"
    else:
        dtype = sources.float_type(array.dtype) if is_streamed else array.dtype
        size, what = dtype.itemsize * float(np.prod(array.shape, dtype=float)), "the ranks of X"
        if is_streamed:
            size, what = 2 * size, "X in memory and its ranks"
    _runtime.check_budget(f"representation = 'ranks': {what}", size, "take another representation")
    return sources.Source.of(array).read(slice(None), slice(None)) if is_streamed else array


def extremes(norm: Floats, dtype: np.dtype[Any]) -> Integers | None:
    """Find the powers of two that bring extreme norms near 1; None where no norm is extreme.

    Passes divide by squares of norms, which overflow or underflow for such features. A power of
    two changes no digit. The exponent is 0 for all other features, constant ones included.
    """
    limit = MODERATE[dtype.itemsize]
    exponents: Integers = np.frexp(norm)[1].astype(np.intc)
    exponents[(norm == 0) | (np.abs(exponents) <= limit)] = 0
    return exponents if exponents.any() else None


def _check_variation(
    dtype: np.dtype[Any], norm: Floats, names: Names, representation: Representation
) -> None:
    """Refuse data of which nothing varies or hardly anything, and warn of constant features."""
    constant = norm == 0
    smallest = 16 * np.finfo(dtype).tiny
    if (norm[~constant] < smallest).any():
        raise ValueError(f"X: {_validate.TOO_EXTREME}")
    count = int(constant.sum())
    kind = "zero" if representation == "as-is" else "constant"
    if count == len(norm):
        raise ValueError(f"X: all {count} features are {kind}; at least one must vary")
    if count:
        verbs = ("is", "gets") if count == 1 else ("are", "get")
        which = _validate.first_few(_validate.name_features(np.flatnonzero(constant), names))
        warnings.warn(
            f"{count} of {len(norm)} features {verbs[0]} {kind} and {verbs[1]} weight 0: {which}",
            stacklevel=_validate.caller(),
        )


def count_reduced(array: Any) -> int:
    """How many samples of X are left, at least, once tall data are reduced; X is not read."""
    q, n = map(int, array.shape)
    if hasattr(array, "tocsr"):
        from specsel._data.sparse import is_reduced_soon

        return min(q, n) if is_reduced_soon(q, n, array.nnz) else q
    return min(q, n)


def far_from_zero(mean: Floats, norm: Floats, n_samples: int) -> Bools:
    """Find the features whose mean is larger than their standard deviation.

    More than half of the values of such a feature are not zero: if only a share p of them are,
    ``mean² <= p Σ x² / n_samples``, and that exceeds the variance only if ``p > 1/2``.
    """
    far: Bools = np.abs(mean) * np.sqrt(n_samples) > norm
    return far


class PairedSamples:
    """Data, and pairs of other samples of the same features.

    The features' inner products are those of the data; only the terms of the pairs come from the
    other samples, which are shifted and scaled as the data are. Either may be sparse. An algorithm
    need not know where the paired samples are from.
    """

    def __init__(self, data: Data, others: Any) -> None:
        kind, numbers, _ = _held(others, in_memory=True)
        if data.exponents is not None:
            numbers = _divided(numbers, data.exponents)
        if kind is Dense and isinstance(data, Dense):
            numbers = numbers.astype(data.features.dtype, copy=False)
        parts = {field.name: getattr(data, field.name) for field in fields(data)}
        parts |= {"numbers": numbers, "middle": data.in_units_of_X(data.middle)}
        self.data, self.others = data, kind.wrap(**parts | {"counter": Counter()})

    def sweep(
        self,
        dual: Floats | None,
        basis: Floats | None,
        alpha: Floats | None,
        target: Floats,
        pairs: Pairs,
    ) -> tuple[Floats, Floats, Floats]:
        """As `Data.sweep`, with pairs of the other samples."""
        if dual is not None:
            alpha = pair_weights(self.others, pairs) + self.data.forward(dual, basis)
        assert alpha is not None
        return alpha, self.data.adjoint(alpha, target), pair_entries(self.others, alpha, pairs)


def scaled(samples: Any, mean: Floats, scale: Floats) -> Any:
    """Subtract a mean from every column and multiply it.

    Sparse samples stay sparse where no mean is subtracted, and become dense where one is, if the
    budget allows it.

    Examples
    --------
    >>> import numpy as np
    >>> scaled(np.array([[1.0, 2.0]]), np.array([1.0, 0.0]), np.array([3.0, 5.0])).tolist()
    [[0.0, 10.0]]
    """
    if hasattr(samples, "tocsr"):
        if not mean[scale != 0].any():
            columns = samples.indices
            if samples.format == "csc":
                columns = np.repeat(np.arange(len(scale)), np.diff(samples.indptr))
            parts = samples.data * scale[columns], samples.indices, samples.indptr
            return type(samples)(parts, shape=samples.shape)
        _runtime.check_budget(
            f"X: {samples.shape[0]} x {samples.shape[1]} centred samples, which are dense",
            8 * float(np.prod(samples.shape, dtype=float)),
            "take some of the samples at a time, or the selected features",
        )
        samples = samples.toarray()
    shifted = samples - mean
    shifted *= scale
    return shifted


def shuffled(features: NDArray[Any], seed: int) -> NDArray[Any]:
    """Copy features × samples, every feature in an order of its own."""
    out = np.empty(features.shape, features.dtype)
    _shuffle(features, np.uint64(seed), out)
    return out


@jit
def _shuffle(features, state, out):
    """Shuffle every row by Fisher and Yates, with the numbers of SplitMix64."""
    for i in range(features.shape[0]):
        for s in range(features.shape[1]):
            out[i, s] = features[i, s]
        for s in range(features.shape[1] - 1, 0, -1):
            state += np.uint64(0x9E3779B97F4A7C15)
            mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(31)
            # The upper half of 64 bits, times s + 1, over 2^32: a number from 0 to s.
            other = np.int64(((mixed >> np.uint64(32)) * np.uint64(s + 1)) >> np.uint64(32))
            out[i, s], out[i, other] = out[i, other], out[i, s]
