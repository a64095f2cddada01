"""Arrays that are read block by block, and how they are cut.

The cut depends on the array alone, so that every budget gives the same bits. The budget only says
how many blocks are read ahead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, starmap
from typing import Any, Self

import numba
import numpy as np

from specsel import _containers, _runtime
from specsel._data.data import EVERY
from specsel._runtime import serial
from specsel._validate import Integers, NDArray

# A block has about so many bytes.
BLOCK = 2**25

# Where numbers of a sample lie together, a block of features is made of pieces of so many bytes
# at least, one of every sample; else blocks are of samples.
PIECE = 2**12

# The most blocks that are read ahead.
AHEAD = 4

# Samples in a block of a tall array in memory, and tasks that wait for each thread.
TALL_STEP = 2**14
WAITING = 2

# A function of a block and more arguments, of the same file as its caller.
Task = Callable[..., Any]


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """An array of samples × features, cut into blocks of features or of samples."""

    array: Any  # a memory map, an array of h5py or zarr, or a tall array in memory
    by_feature: bool  # whether a block has all samples of some features, or the reverse
    bounds: tuple[int, ...]  # where the blocks begin, and where the last one ends
    exponents: Integers | None = None  # of powers of two by which columns are divided
    in_memory: bool = False  # whether threads share out the blocks of an array in memory

    @classmethod
    def of(cls, array: Any) -> Source:
        """Cut an array along its chunks or, if it has none, by its layout."""
        if isinstance(array, Source):
            return array
        if _containers.is_dask(array):
            from specsel._data.distributed import DaskSource  # which imports this file

            return DaskSource.of_chunks(array)
        q, n = array.shape
        if not _containers.is_streamed(array):
            return cls(array, False, (*range(0, q, TALL_STEP), q), in_memory=True)
        itemsize = _containers.float_type(array.dtype).itemsize
        chunks = getattr(array, "chunks", None)
        rows, columns = chunks or (1, 1)
        narrow = columns if chunks or _is_fortran(array) else PIECE // itemsize
        by_feature = q * min(narrow, n) * itemsize <= BLOCK
        unit, length, size = (columns, q, n) if by_feature else (rows, n, q)
        step = max(1, BLOCK // (length * itemsize * unit)) * unit
        step = int(min(step, size))
        return cls(array, by_feature, (*range(0, size, step), int(size)))

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        q, n = self.array.shape
        return int(q), int(n)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the numbers as they are read: float32 or float64."""
        return _containers.float_type(self.array.dtype)

    @property
    def parts(self) -> list[slice]:
        """The blocks, as slices of features or of samples."""
        return [slice(first, last) for first, last in pairwise(self.bounds)]

    def read(self, samples: slice, features: slice) -> NDArray[Any]:
        """Return some samples of some features, in memory."""
        some = self.array[samples, features]
        # A slice of a memory map is not read yet; slices of files are copies already.
        is_mapped = isinstance(some, np.memmap)
        block = _containers.as_float(some, self.array.dtype, copy=is_mapped or None)
        if self.exponents is not None:
            block = np.ldexp(block, -self.exponents[features])
        block.flags.writeable = False
        return block

    def block(self, part: slice) -> NDArray[Any]:
        """Return one block."""
        return self.read(EVERY, part) if self.by_feature else self.read(part, EVERY)

    def divided(self, exponents: Integers) -> Self:
        """The same source, whose columns are divided by powers of two as they are read."""
        return replace(self, exponents=exponents)

    def keep(self, arguments: Iterable[Any]) -> Sequence[Any]:
        """Return arguments of all blocks in the form in which `run` takes them in every pass."""
        return list(arguments)

    def run(self, task: Task, arguments: Iterator[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield ``task(block, *arguments)`` of every block, in their order.

        Blocks of an array in memory are shared out among threads, and a task starts none. Of other
        arrays a thread reads the next blocks meanwhile, as many as the budget allows.
        """
        if self.in_memory:
            count = numba.get_num_threads()
            calls = ((task, *call) for call in zip(self.parts, arguments, strict=True))
            n_ahead = WAITING * count if count > 1 else 0
            yield from _ahead(self._run_serially, calls, count, n_ahead)
            return
        widest = max(part.stop - part.start for part in self.parts)
        size = widest * self.shape[0 if self.by_feature else 1] * self.dtype.itemsize
        self._check_budget(size)
        n_ahead = int(np.clip(_runtime.budget() // size - 2, 0, AHEAD))
        blocks = _ahead(self.block, ((part,) for part in self.parts), 1, n_ahead)
        for block, rest in zip(blocks, arguments, strict=True):
            yield task(block, *rest)

    def _run_serially(self, task: Task, part: slice, rest: tuple[Any, ...]) -> Any:
        with serial():
            return task(self.block(part), *rest)

    def _check_budget(self, size: int) -> None:
        """Refuse blocks that do not fit; smaller chunks help only where one alone is too large."""
        what, advice = "X: a block of it", f"raise it to {_in_mebibytes(size)} at least"
        if size > BLOCK and getattr(self.array, "chunks", None):
            what += ", one column of chunks" if self.by_feature else ", one row of chunks"
            advice = "store it in smaller chunks"
            if _runtime.budget() < BLOCK:
                advice += f", and raise it to {_in_mebibytes(BLOCK)} at least"
        _runtime.check_budget(what, size, advice)


def _ahead(
    function: Callable[..., Any], calls: Iterator[tuple[Any, ...]], threads: int, n_ahead: int
) -> Iterator[Any]:
    """Yield what the function returns for each call, in order; so many are made ahead."""
    if n_ahead == 0:
        yield from starmap(function, calls)
        return
    from concurrent import futures  # slow to import, and seldom used

    with futures.ThreadPoolExecutor(threads) as pool:
        tasks = (pool.submit(function, *call) for call in calls)
        waiting = deque(islice(tasks, n_ahead))
        while waiting:
            answer = waiting.popleft().result()
            waiting.extend(islice(tasks, 1))
            yield answer


def _in_mebibytes(size: int) -> str:
    """Return a budget that is enough, as `SPECSEL_MEMORY` takes it."""
    return f"{-(-size // 2**20)}MiB"


def _is_fortran(array: Any) -> bool:
    strides = getattr(array, "strides", (1, 0))
    return bool(strides[0] < strides[1])
