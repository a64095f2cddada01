"""Arrays that users pass in: viewed as what the solvers need, or refused.

An array is refused with a `ValueError` of one line that names the argument, before any work.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from specsel._input import frames, sparse
from specsel._input.annotations import ArrayLike, Integers, Names, NDArray, Sparse
from specsel._input.messages import TOO_EXTREME, printable

# Samples that are searched at a time for a value that is not finite.
ROWS = 4096


def as_matrix(
    X: ArrayLike, *, least_samples: int = 2, name: str = "X"
) -> tuple[NDArray[Any], Names]:
    """View X as a matrix of float32 or float64, and read the names of its columns if it has any.

    Examples
    --------
    >>> as_matrix([[1, 2], [3, 4]])
    (array([[1., 2.], [3., 4.]]), None)
    """
    X, names = frames.unpack(X, name)
    if hasattr(X, "tocsr"):
        raise ValueError(f"{name}: is a sparse matrix; dense samples x features are needed")
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


def check_unmasked(X: object, name: str = "X") -> None:
    """Refuse an array with masked values, for these would count like any other."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(f"{name}: holds masked values; remove or fill them first")


def check_intact(X: object, name: str = "X") -> None:
    """Refuse masked values, and sparse matrices whose arrays do not fit together."""
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
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if len(bad):
        feature = int(np.searchsorted(matrix.indptr, bad[0], side="right")) - 1
        raise ValueError(
            f"{name}: {len(bad)} value{'s are' if len(bad) > 1 else ' is'} NaN or infinite, "
            f"first at feature {feature}, sample {matrix.indices[bad[0]]}; "
            "finite numbers are needed"
        )
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


def describe_not_finite(array: NDArray[Any], names: Names, name: str = "X") -> str:
    """Say how many values are not finite and where the first one is, for an error.

    If all are finite, their sum or norm is not, and the values are called too extreme.
    """
    count, first = 0, None
    for start in range(0, len(array), ROWS):
        bad = ~np.isfinite(array[start : start + ROWS])
        count += int(bad.sum())
        if first is None and bad.any():
            sample, feature = np.argwhere(bad)[0]
            first = (start + sample, feature)
    if first is None:
        return f"{name}: {TOO_EXTREME}"
    label = f"feature {first[1]}" + (f" ({names[first[1]]!r})" if names else "")
    return (
        f"{name}: {count} value{'s are' if count > 1 else ' is'} NaN or infinite, "
        f"first at sample {first[0]}, {label}; finite numbers are needed"
    )


def as_classes(y: ArrayLike | None, n_samples: int) -> Integers:
    """Number the classes from 0 in the order of their labels, and return that of every sample.

    Refuses labels that look like measurements, a single class, and more classes than half the
    samples.
    """
    if y is None:
        raise ValueError(f"y: is None; labels of shape ({n_samples},) are needed")
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


def as_samples(
    name: str, pairs: tuple[ArrayLike, ArrayLike], n_features: int, names: Names
) -> tuple[NDArray[Any], NDArray[Any]]:
    """View pairs that are given as samples: two arrays of pairs × features, first and second."""
    found = [as_matrix(part, least_samples=0, name=name) for part in pairs]
    (first, _), (second, _) = found
    if first.shape != second.shape or first.shape[1] != n_features:
        raise ValueError(
            f"{name}: has samples of shapes {first.shape} and {second.shape}; two arrays of "
            f"equal shape, samples x {n_features} features, are needed"
        )
    for part, part_names in found:
        if part_names and names and part_names != names:
            raise ValueError(f"{name}: has other column names than X, or in another order")
        if not np.isfinite(part).all():
            raise ValueError(describe_not_finite(part, names, name))
    return first, second


@dataclass(frozen=True, eq=False)
class Frame:
    """Values with named columns: as much of a data frame as the solvers look at."""

    columns: list[str]
    values: NDArray[Any]
    ndim = 2

    def __len__(self) -> int:
        return len(self.values)

    def to_numpy(self) -> NDArray[Any]:
        """The values, as an array."""
        return self.values
