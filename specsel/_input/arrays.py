"""Arrays that users pass in: viewed as what the solvers need, or refused.

An array is refused with a `ValueError` of one line that names the argument, before any work.
"""

from typing import Any

import numpy as np

from specsel._input import frames, sparse, streams
from specsel._input.annotations import ArrayLike, Integers, Names, NDArray, Sparse
from specsel._input.memory import budget, readable
from specsel._input.messages import TOO_EXTREME, brief, printable
from specsel._input.wrappers import unwrapped

# Samples, and numbers, that are searched at a time for a value that is not finite.
ROWS = 4096
NUMBERS = 2**22


def as_matrix(
    X: ArrayLike, *, least_samples: int = 2, name: str = "X"
) -> tuple[NDArray[Any], Names]:
    """View X as a matrix of float32 or float64, and read the names of its columns if it has any.

    Examples
    --------
    >>> as_matrix([[1, 2], [3, 4]])
    (array([[1., 2.], [3., 4.]]), None)
    """
    X, names = unwrapped(X, name)
    if streams.is_streamed(X):
        names = tuple(map(str, X.columns)) if hasattr(X, "columns") else names
        X = streams.loaded(streams.checked(X, name), name)
    if names is None:
        X, names = frames.unpack(X, name)
    if hasattr(X, "tocsr"):
        raise ValueError(_needs_dense(X, name))
    check_unmasked(X, name)
    array = _real(X, name)
    if array.ndim != 2:
        raise ValueError(
            f"{name}: has {array.ndim} dimension{'s' * (array.ndim != 1)}; "
            "2 are needed, samples x features"
        )
    if array.size == 0:
        raise ValueError(f"{name}: has shape {array.shape}; it must not be empty")
    check_samples(array.shape[0], least_samples, name)
    return array, names


def _needs_dense(X: Any, name: str) -> str:
    """Say that a sparse matrix is refused, and what it would take to make it dense."""
    size = 8 * float(np.prod(X.shape, dtype=float))
    return (
        f"{name}: is a sparse matrix; dense samples x features are needed, and toarray() would "
        f"take {readable(size)} (the budget is {readable(budget())})"
    )


def as_data(X: Any, *, least_samples: int = 2, name: str = "X") -> tuple[Any, Names]:
    """View X as `as_matrix` does, but leave it sparse where it is.

    A sparse matrix stays compressed by columns or by rows, as it is; another format becomes
    compressed by rows. A data frame with sparse columns is compressed by columns. Only numbers
    that are neither float32 nor float64 are copied. An array that is read block by block, see
    `streams`, is checked but not read.

    Examples
    --------
    >>> from scipy.sparse import csc_array
    >>> as_data(csc_array([[0, 2], [3, 0]]))[0].format
    'csc'
    """
    X, names = unwrapped(X, name)
    if streams.is_streamed(X):
        if hasattr(X, "columns"):
            names = tuple(map(str, X.columns))
        X = streams.checked(X, name)
        check_samples(int(X.shape[0]), least_samples, name)
        return X, names
    if sparse.is_sparse_frame(X):
        names = frames.names_of(X)
        matrix = sparse.from_frame(X, name)
    elif hasattr(X, "tocsr"):
        matrix = sparse.compressed(X, name)
    else:
        array, own = as_matrix(X, least_samples=least_samples, name=name)
        return array, names or own
    if 0 in matrix.shape:
        raise ValueError(f"{name}: has shape {matrix.shape}; it must not be empty")
    check_samples(matrix.shape[0], least_samples, name)
    return matrix, names


def take_samples(array: Any, numbers: Integers) -> Any:
    """Some samples of an array, in memory; sparse ones stay sparse."""
    if not streams.is_streamed(array):
        return array[numbers]
    rows = [streams.in_memory(array[int(number)]) for number in numbers]
    return np.array(rows, dtype=np.float64).reshape(len(rows), array.shape[1])


def stack_samples(parts: list[Any]) -> Any:
    """Stack samples, some below the others; they are sparse where some of them are."""
    if not any(hasattr(part, "tocsr") for part in parts):
        return np.concatenate(parts)
    from scipy.sparse import (
        csr_array,
        vstack,
    )  # here, for it would make the package slow to import

    return vstack([csr_array(part) for part in parts], format="csr")


def check_unmasked(X: object, name: str = "X") -> None:
    """Refuse an array with masked values, for these would count like any other."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(f"{name}: holds masked values; remove or fill them first")


def check_intact(X: object, name: str = "X") -> None:
    """Refuse what cannot be read, masked values, and damaged sparse matrices."""
    streams.check_readable(X, name)
    check_unmasked(X, name)
    if hasattr(X, "tocsr"):
        sparse.intact(X, name)


def as_sparse(X: Sparse, *, least_samples: int = 2, name: str = "X") -> Any:
    """Copy a sparse matrix of samples × features, compressed by columns, float64, no stored 0."""
    checked = sparse.intact(X, name)
    if 0 in checked.shape:
        raise ValueError(f"{name}: has shape {checked.shape}; it must not be empty")
    check_samples(checked.shape[0], least_samples, name)
    matrix = checked.astype(np.float64, copy=False).tocsc(copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if not np.isfinite(matrix.data).all():
        raise ValueError(describe_not_finite(matrix, None, name))
    return matrix


def check_samples(count: int, least: int, name: str = "X") -> None:
    """Refuse too few samples."""
    if count < least:
        raise ValueError(
            f"{name}: has {count} sample{'s' * (count > 1)}; at least {least} are needed"
        )


def _real(X: ArrayLike, name: str) -> NDArray[Any]:
    """View X as an array of float32 or float64, or convert it."""
    try:
        array = np.asarray(X)
    except ValueError:
        raise ValueError(f"{name}: rows differ in length; a matrix is needed") from None
    strings = array.dtype == object and any(isinstance(v, str) for v in array.flat)
    if array.dtype.kind not in "biufO" or strings:
        raise ValueError(f"{name}: has dtype {array.dtype}; real numbers are needed")
    if array.dtype not in (np.float32, np.float64) or not array.dtype.isnative:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name}: has dtype {array.dtype}; real numbers are needed") from None
    return array


def describe_not_finite(array: Any, names: Names, name: str = "X") -> str:
    """Say how many values are not finite and where the first one is, for an error.

    If all are finite, their sum or norm is not, and the values are called too extreme.
    """
    find = sparse.find_not_finite if hasattr(array, "tocsr") else _find_not_finite
    count, first = find(array)
    if first is None:
        return f"{name}: {TOO_EXTREME}"
    label = f"feature {first[1]}" + (f" ({names[first[1]]!r})" if names else "")
    return (
        f"{name}: {count} value{'s are' if count > 1 else ' is'} NaN or infinite, "
        f"first at sample {first[0]}, {label}; finite numbers are needed"
    )


def _find_not_finite(array: NDArray[Any]) -> tuple[int, tuple[int, int] | None]:
    """How many values are not finite, and the sample and the feature of the first one."""
    count, first = 0, None
    step = max(1, min(ROWS, NUMBERS // int(array.shape[1])))
    for start in range(0, int(array.shape[0]), step):
        bad = ~np.isfinite(streams.in_memory(array[start : start + step]))
        count += int(bad.sum())
        if first is None and bad.any():
            sample, feature = np.argwhere(bad)[0]
            first = (int(start + sample), int(feature))
    return count, first


def as_classes(y: ArrayLike | None, n_samples: int) -> Integers:
    """Number the classes from 0 in the order of their labels, and return that of every sample.

    Refuses labels that look like measurements, a single class, and more classes than half the
    samples.
    """
    if y is None:
        raise ValueError(f"y: is None; labels of shape ({n_samples},) are needed")
    if isinstance(y, str):
        raise ValueError(
            f"y: is the text {brief(y)}; labels of shape ({n_samples},) are needed, such as "
            f"adata.obs[{brief(y)}]"
        )
    labels = as_labels(y)
    if labels.shape != (n_samples,):
        raise ValueError(f"y: has shape {labels.shape}; labels of shape ({n_samples},) are needed")
    fractions = labels[labels != np.rint(labels)] if labels.dtype.kind == "f" else labels[:0]
    if len(fractions):
        raise ValueError(f"y: holds {fractions[0]:.6g}, a measurement; classes are needed")
    try:
        names, classes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ValueError("y: mixes labels that cannot be compared; use one type") from None
    if len(names) == 1:
        raise ValueError(f"y: has one class, {printable(names[0])}; at least 2 are needed")
    if len(names) > n_samples // 2:
        raise ValueError(
            f"y: has {len(names)} classes among {n_samples} samples; at most half as many "
            "classes as samples are allowed"
        )
    return classes


def as_labels(y: ArrayLike) -> NDArray[Any]:
    """View labels as an array; refuse missing ones."""
    check_unmasked(y, "y")
    if hasattr(y, "tocsr"):
        raise ValueError("y: is a sparse matrix; an array of labels is needed")
    try:
        labels = np.asarray(y)
    except ValueError:
        raise ValueError("y: rows differ in length; one label for each sample is needed") from None
    missing = [i for i, label in enumerate(labels.ravel().tolist()) if frames.is_missing(label)]
    if missing:
        raise ValueError(
            f"y: {len(missing)} label{'s are' if len(missing) > 1 else ' is'} missing, first of "
            f"sample {missing[0]}; every sample needs one"
        )
    return labels


def as_pairs(name: str, pairs: ArrayLike | None, n_samples: int) -> Integers:
    """View pairs of sample numbers as an array of two columns; None means no pairs."""
    try:
        array = np.empty((0, 2), np.intp) if pairs is None else np.asarray(pairs)
    except ValueError:
        raise ValueError(f"{name}: rows differ in length; two samples a pair are needed") from None
    if array.size == 0:
        return np.empty((0, 2), np.intp)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name}: has shape {array.shape} and dtype {array.dtype}; give rows of "
            "two sample numbers, or two arrays of samples"
        )
    outside = array[(array < 0) | (array >= n_samples)]
    if outside.size:
        raise ValueError(f"{name}: holds sample {outside[0]}; must be from 0 to {n_samples - 1}")
    same = array[array[:, 0] == array[:, 1]]
    if len(same):
        raise ValueError(f"{name}: pairs sample {same[0, 0]} with itself; two samples are needed")
    return array.astype(np.intp)


def as_table(name: str, table: ArrayLike, n_classes: int) -> Integers:
    """View a whole number above 0 for every pair of classes as a symmetric array."""
    shape = (n_classes, n_classes)
    needed = f"{shape} is needed, a row and a column for each class"
    try:
        array = np.asarray(table)
    except ValueError:
        raise ValueError(f"{name}: rows differ in length; shape {needed}") from None
    if array.shape != shape:
        raise ValueError(f"{name}: has shape {array.shape}; {needed}")
    if array.dtype.kind not in "iu" or array.min() < 1:
        raise ValueError(f"{name}: {_not_positive(table)}; whole numbers at least 1 are needed")
    unequal = np.argwhere(array != array.T)
    if len(unequal):
        i, j = unequal[0]
        raise ValueError(
            f"{name}: holds {array[i, j]} in row {i}, column {j}, and {array[j, i]} in row {j}, "
            f"column {i}; must be symmetric"
        )
    return array


def _not_positive(table: ArrayLike) -> str:
    """Name the first entry that is no whole number above 0, and its place."""
    entries = np.asarray(table, dtype=object)
    for (i, j), entry in np.ndenumerate(entries):
        whole = isinstance(entry, int | np.integer) and not isinstance(entry, bool)
        if not whole or entry < 1:
            return f"holds {entry!r} in row {i}, column {j}"
    return f"holds {np.asarray(table).dtype}"


def as_samples(
    name: str, pairs: tuple[ArrayLike, ArrayLike], n_features: int, names: Names
) -> tuple[Any, Any]:
    """View pairs that are given as samples: two arrays of pairs × features, first and second."""
    found = []
    for part in pairs:
        values, part_names = unwrapped(part, name)
        array, own = as_data(streams.in_memory(values), least_samples=0, name=name)
        found.append((array, part_names or own))
    (first, _), (second, _) = found
    if first.shape != second.shape or first.shape[1] != n_features:
        raise ValueError(
            f"{name}: has samples of shapes {first.shape} and {second.shape}; two arrays of "
            f"equal shape, samples x {n_features} features, are needed"
        )
    for part, part_names in found:
        if part_names and names and part_names != names:
            raise ValueError(f"{name}: has other column names than X, or in another order")
        if not np.isfinite(part.data if hasattr(part, "tocsr") else part).all():
            raise ValueError(describe_not_finite(part, names, name))
    return first, second
