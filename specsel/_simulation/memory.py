"""Memory of trials that run in parallel: compiled code cannot say how much it failed to get."""

from collections.abc import Iterator
from contextlib import contextmanager

from numba import get_num_threads

from specsel import _validate


@contextmanager
def reserved(what: str, numbers: int, trials: int) -> Iterator[None]:
    """Refuse trials for which there is no memory, in one line that names what was needed.

    `numbers` is how many a trial holds; as many trials run at once as there are threads.
    """
    size = 8.0 * numbers * min(get_num_threads(), trials)
    _validate.check_memory(what, size)
    try:
        yield
    except SystemError as error:  # what numba raises where a thread gets no memory
        raise MemoryError(f"{what}: needs {size / 1e9:.3g} GB, more than is free") from error
