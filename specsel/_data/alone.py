"""Passes by one thread alone, for tasks that run beside others in threads of a scheduler.

Parallel kernels must not be called from several threads at once: one of numba's threading layers
ends the process then. A task says so once, and everything below it stays on its thread, calls of
BLAS too. The blocks are those that threads would share. Whoever works alone does so always,
whatever the number of threads or workers, so their bits are the same; beside passes that wake
threads, whose code is compiled on its own, they may differ by rounding.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from specsel._runtime import one_thread

_state = threading.local()


@contextmanager
def alone() -> Iterator[None]:
    """Wake no threads for whatever this thread does inside.

    Examples
    --------
    >>> with alone():
    ...     is_alone()
    True
    >>> is_alone()
    False
    """
    before = is_alone()
    _state.alone = True
    try:
        with one_thread():
            yield
    finally:
        _state.alone = before


def is_alone() -> bool:
    """Whether this thread must wake no others."""
    return bool(getattr(_state, "alone", False))
