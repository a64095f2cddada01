"""Mean and norm of every column."""

from typing import Any

import numpy as np

from specsel import _containers, _runtime
from specsel._data import passes, representations
from specsel._data.held import blockwise, is_blockwise
from specsel._validate import Bools, Floats, Integers, Names, NDArray

# Norms from 2^-limit to 2^limit are moderate, in float32 (4 bytes) and in float64.
MODERATE = {4: 40, 8: 300}


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
    _runtime.check_not_forked()
    if is_blockwise(array):
        from specsel._data.source_measures import measure_source

        mean, norm = measure_source(blockwise(array), center)
    elif isinstance(array, np.ndarray):
        mean, norm = _measure(array, center)
    else:
        from specsel._data.sparse_measures import measure
        from specsel._data.stored import Stored

        mean, norm = measure(Stored.of(array), center=center)
    if not np.isfinite(mean).all() or not np.isfinite(norm).all():
        raise ValueError(_containers.describe_not_finite(array, names, name))
    return mean, norm


def _measure(array: NDArray[Any], center: bool) -> tuple[Floats, Floats]:
    features = array.view().T
    features.flags.writeable = False
    mean, norm = np.zeros((2, len(features)))
    representations.standardise(features, center, mean, norm, passes.block_span(len(features)))
    return mean, norm


def extremes(norm: Floats, dtype: np.dtype[Any]) -> Integers | None:
    """Find the powers of two that bring extreme norms near 1; None where no norm is extreme.

    Passes divide by squares of norms, which overflow or underflow for such features. A power of
    two changes no digit. The exponent is 0 for all other features, constant ones included.
    """
    limit = MODERATE[dtype.itemsize]
    exponents: Integers = np.frexp(norm)[1].astype(np.intc)
    exponents[(norm == 0) | (np.abs(exponents) <= limit)] = 0
    return exponents if exponents.any() else None


def far_from_zero(mean: Floats, norm: Floats, n_samples: int) -> Bools:
    """Find the features whose mean is larger than their standard deviation.

    More than half of the values of such a feature are not zero: if only a share p of them are,
    ``mean² <= p Σ x² / n_samples``, and that exceeds the variance only if ``p > 1/2``.
    """
    far: Bools = np.abs(mean) * np.sqrt(n_samples) > norm
    return far
