"""One thread for BLAS where several cost time.

OpenBLAS, which the wheels of numpy and scipy bring, wakes its threads for matrices of thirty rows
already. They wait for each other by spinning, and beside the threads of numba or of another
program they wait for long: the eigenvalues of 200 rows then take ten to ninety times the processor
time that one thread takes. Other libraries are left as they are.
"""

import ctypes
import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import product

# From 26 rows on, LAPACK multiplies blocks of matrices, which wakes threads. Up to 512 rows one
# thread is enough.
LEAST, MOST = 26, 512

# Modules that are linked with BLAS: numpy and scipy may each have a library of their own.
LINKED = ("numpy.linalg._umath_linalg", "scipy.linalg.cython_lapack")

# What OpenBLAS calls the functions that tell and set the number of threads, by how it is built.
NAMES = [
    f"{begin}openblas_{{}}_num_threads{end}"
    for begin, end in product(("scipy_", ""), ("64_", "", "_64"))
]

Pool = tuple[Callable[[], int], Callable[[int], None]]


class _State:
    """How many callers want one thread at the moment, and how many threads there were before."""

    lock = threading.Lock()
    callers = 0
    before: tuple[int, ...] = ()


@contextmanager
def one_thread(size: int = MOST) -> Iterator[None]:
    """Let OpenBLAS use one thread inside, if matrices of this many rows would wake more in vain.

    The number of threads belongs to the process. The last caller who leaves restores it.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread(100):
    ...     values = np.linalg.eigvalsh(np.eye(100))
    """
    if not LEAST <= size <= MOST:
        yield
        return
    with _State.lock:
        if _State.callers == 0:
            _State.before = tuple(tell() for tell, _ in _pools())
            _set((1,) * len(_State.before))
        _State.callers += 1
    try:
        yield
    finally:
        with _State.lock:
            _State.callers -= 1
            if _State.callers == 0:
                _set(_State.before)


def _set(numbers: tuple[int, ...]) -> None:
    for (_, change), number in zip(_pools(), numbers, strict=True):
        change(number)


@cache
def _pools() -> list[Pool]:
    """The functions that tell and set the number of threads, of every library that has them."""
    found: list[Pool] = []
    for module in LINKED:
        with suppress(ImportError, OSError, TypeError):
            library = ctypes.CDLL(importlib.import_module(module).__file__)
            known = [name for name in NAMES if hasattr(library, name.format("set"))]
            for name in known[:1]:
                found.append((library[name.format("get")], library[name.format("set")]))
    return found
