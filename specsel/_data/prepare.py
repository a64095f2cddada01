"""Measure the columns of X, represent them, and wrap X for passes."""

from __future__ import annotations

import warnings
from dataclasses import fields, replace
from typing import Any

import numpy as np

from specsel import _containers, _runtime, _validate
from specsel._data import columns
from specsel._data.data import EVERY, Counter, Data, watcher
from specsel._data.dense import Dense, is_feature_major
from specsel._runtime import jit
from specsel._validate import ArrayLike, Bools, Floats, Integers, Names, NDArray, Representation
from specsel.linalg import FLOAT32_FLOOR, RESIDUAL_FLOOR

# Arrays in memory with so many samples at least, and with so many features at most, are tall: a
# pass over few features has no blocks of features to share out, so they are cut into samples.
TALL_SAMPLES = 2**17
TALL_FEATURES = 2**9

# Norms from 2^-limit to 2^limit are moderate, in float32 (4 bytes) and in float64.
MODERATE = {4: 40, 8: 300}

# A part whose norm is at most this share of that of the column is no feature: squares of such
# shares are no numbers. By the bytes of a number.
NEGLIGIBLE_PART = {4: 2.0**-50, 8: 2.0**-300}


def read(X: ArrayLike, *, center: bool = True) -> Data:
    """Check X of any kind, and wrap it for passes."""
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
    _runtime.stated_budget()  # which is refused where it is wrong, even if nothing needs it
    is_ranked, is_centred = representation == "ranks", representation == "centered"
    if is_ranked:
        array = _to_be_ranked(array)
    dtype = _containers.float_type(array.dtype)
    kind, numbers = _kind_of(array, in_memory=is_ranked)
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
    is_exact = hasattr(array, "tocsr") or dtype == np.float64
    return kind.wrap(
        numbers=numbers,
        middle=middle,
        norms=norms,
        mean=mean,
        norm=norm,
        names=names,
        loses_rank=is_centred,
        mean_free=is_centred,
        floor=RESIDUAL_FLOOR if is_exact else FLOAT32_FLOOR,
        counter=Counter(kind.reads * (1 + is_shifted) + is_ranked, watcher.get()),
        exponents=exponents,
    )


def moments(
    array: Any, names: Names = None, *, center: bool = True, name: str = "X"
) -> tuple[Floats, Floats]:
    """Return the mean of every column and the norm of what remains, in one pass.

    The array may be sparse. Without `center` nothing is subtracted, and the means are 0. Values
    that are not finite are refused; `names` (of the columns) and `name` (of the argument) are for
    that message.
    """
    return _moments(*_kind_of(array), array, names, center=center, name=name)


def _moments(
    kind: type[Data], numbers: Any, array: Any, names: Names, *, center: bool, name: str = "X"
) -> tuple[Floats, Floats]:
    _runtime.check_not_forked()
    mean, norm = kind.moments(numbers, center)
    if not (np.isfinite(mean).all() and np.isfinite(norm).all()):
        raise ValueError(_containers.describe_not_finite(array, names, name))
    return mean, norm


def _kind_of(array: Any, in_memory: bool = False) -> tuple[type[Data], Any]:
    """Return the kind of data that an array makes, and its numbers; CSR is converted here."""
    # What most calls do not need is imported only here.
    if hasattr(array, "tocsr"):
        from specsel._data.sparse import Sparse, Stored

        return Sparse, Stored.of(array)
    is_tall = array.shape[0] >= TALL_SAMPLES and array.shape[1] <= TALL_FEATURES
    in_blocks = not in_memory and (is_tall or _containers.is_mapped(array))
    if isinstance(array, np.ndarray) and not in_blocks:
        view = _containers.as_float(array, array.dtype).view()
        view.flags.writeable = False  # one compiled version serves writable and read-only arrays
        return Dense, view.T
    from specsel._data import chunked, sources

    source = sources.Source.of(array)
    return chunked.ByFeature if source.by_feature else chunked.BySample, source


def _divided(numbers: Any, exponents: Integers) -> Any:
    """A copy with columns divided by powers of two, or a source that divides as it reads."""
    if isinstance(numbers, np.ndarray):
        return np.ldexp(numbers.T, -exponents).T
    return numbers.divided(exponents)


def _without_negative(
    kind: type[Data], numbers: Any, representation: str
) -> tuple[Any, Floats, Floats]:
    """Return the numbers, what makes them non-negative if subtracted, and the norms about it."""
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
    """Return X in memory, if the budget allows its ranks, which are a copy."""
    is_streamed, what = _containers.is_streamed(array), "the ranks of X"
    size = _containers.float_type(array.dtype).itemsize * float(np.prod(array.shape, dtype=float))
    if hasattr(array, "tocsr"):  # a rank and its sample for every number, in bands and joined
        size = 2.0 * (8 + array.indices.itemsize) * array.nnz
    elif is_streamed:
        size, what = 2 * size, "X in memory and its ranks"
    _runtime.check_budget(f"representation = 'ranks': {what}", size, "take another representation")
    if not is_streamed:
        return array
    from specsel._data.sources import Source

    return Source.of(array).read(EVERY, EVERY)


def extremes(norm: Floats, dtype: np.dtype[Any]) -> Integers | None:
    """Return the powers of two that bring extreme norms near 1; None where no norm is extreme.

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
    """Return how many samples of X are left, at least, once tall data are reduced."""
    q, n = map(int, array.shape)
    if hasattr(array, "tocsr"):
        from specsel._data.sparse import is_reduced_soon

        return min(q, n) if is_reduced_soon(q, n, array.nnz) else q
    return min(q, n)


def far_from_zero(mean: Floats, norm: Floats, n_samples: int) -> Bools:
    """Return which features have a larger mean than standard deviation.

    More than half of the values of such a feature are not zero: if only a share p of them are,
    ``mean² <= p Σ x² / n_samples``, and that exceeds the variance only if ``p > 1/2``.
    """
    far: Bools = np.abs(mean) * np.sqrt(n_samples) > norm
    return far


def with_others(data: Data, others: Any) -> Data:
    """Return data whose pairs are pairs of other samples, shifted and scaled as the data are.

    Either may be sparse. Inner products of features are still those of the data.
    """
    kind, numbers = _kind_of(others, in_memory=True)
    if data.exponents is not None:
        numbers = _divided(numbers, data.exponents)
    if kind is Dense and isinstance(data, Dense):
        numbers = numbers.astype(data.numbers.dtype, copy=False)
    parts = {field.name: getattr(data, field.name) for field in fields(data)}
    parts |= {"numbers": numbers, "middle": data.middle + data.offsets, "counter": Counter()}
    return replace(data, others=kind.wrap(**parts))


def scaled(samples: Any, mean: Floats, scale: Floats) -> Any:
    """Subtract a mean from every column and multiply it.

    Sparse samples stay sparse where no mean is subtracted, and become dense where one is, if the
    budget allows it.
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
