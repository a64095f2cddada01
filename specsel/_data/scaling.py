"""Samples shifted and scaled as weights say, dense or sparse."""

from typing import Any

import numpy as np

from specsel import _runtime
from specsel._validate import Floats


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
