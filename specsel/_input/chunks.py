"""Chunks of Dask: whether they are what their array declares, and whether they can be had at all.

Dask looks at neither. It puts chunks of any shape together as they come, and where a cluster is
closed it lists the keys of what it lost.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from specsel._input.sparse import intact

# What clusters raise where blocks are gone.
GONE = ("CancelledError", "ClosedClientError")


def checked_chunks(X: Any, name: str = "X") -> Any:
    """A Dask array, of which every chunk is checked as it is made."""
    return X.map_blocks(_checked_chunk, name, dtype=X.dtype, meta=X._meta)


def _checked_chunk(chunk: Any, name: str, block_info: Any = None) -> Any:
    declared = block_info[None]
    return checked_block(chunk, declared["chunk-shape"], declared["dtype"], name)


def checked_block(block: Any, shape: tuple[int, ...], dtype: Any, name: str = "X") -> Any:
    """Return a block that is what its Dask array declares, or refuse it.

    Examples
    --------
    >>> checked_block(np.zeros((2, 3)), (4, 3), np.dtype(float))
    Traceback (most recent call last):
    ValueError: X: a block has shape (2, 3) and dtype float64, but its Dask array declares ...
    """
    from specsel._input.arrays import check_unmasked  # it builds on this file

    if hasattr(block, "tocsr"):
        check_unmasked(getattr(block, "data", None), name)
        block = intact(block, name)
    check_unmasked(block, name)
    array = block if hasattr(block, "shape") and hasattr(block, "dtype") else np.asarray(block)
    if array.shape != tuple(shape) or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{name}: a block has shape {array.shape} and dtype {array.dtype}, but its Dask array "
            f"declares {tuple(shape)} and {dtype}; what makes the blocks must return that"
        )
    return array


@contextmanager
def within_reach(name: str = "X") -> Iterator[None]:
    """Say in one line that a cluster is closed or blocks are gone."""
    try:
        yield
    except Exception as error:
        if not any(kind.__name__ in GONE for kind in type(error).__mro__):
            raise
        raise out_of_reach(name) from None


def out_of_reach(name: str = "X") -> ValueError:
    """Say that blocks cannot be had, and what to do."""
    return ValueError(
        f"{name}: its blocks are out of reach: they were cancelled, or their client or cluster is "
        f"closed or not the current one; make or persist {name} again with one that is open"
    )
