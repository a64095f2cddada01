"""Tall arrays in memory, cut into blocks of samples, so that all threads have work.

A pass over few features has no blocks of features to share out. Blocks of samples there are many
of, and each is a task of its own that wakes no threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

import numba
import numpy as np

from specsel import _containers
from specsel._data.sources import Source, Task
from specsel._runtime import serial
from specsel._validate import NDArray

if TYPE_CHECKING:
    from concurrent.futures import Future

# Arrays with so many samples at least, and with so many features at most, are tall.
SAMPLES = 2**17
FEATURES = 2**9

# Samples in a block.
STEP = 2**14

# Tasks that wait for a thread, for every thread.
WAITING = 2


@dataclass(frozen=True, eq=False, repr=False)
class Held(Source):
    """An array in memory, whose blocks are views."""

    @classmethod
    def of_rows(cls, array: NDArray[Any]) -> Self:
        """Cut into blocks of samples."""
        size = len(array)
        return cls(array, False, (*range(0, size, STEP), size))

    def read(self, samples: slice, features: slice) -> NDArray[Any]:
        """Some samples of some features."""
        block = self.array[samples, features].view()
        if self.exponents is not None:
            block = np.ldexp(block, -self.exponents[features])
        block.flags.writeable = False
        return block

    def run(self, task: Task, arguments: Iterator[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield ``task(block, *arguments)`` of every block, in their order; all threads work."""
        from concurrent import futures  # slow to import, and seldom used

        count = numba.get_num_threads()
        if count == 1:
            yield from (
                self._task(task, *each) for each in zip(self.parts, arguments, strict=True)
            )
            return
        with futures.ThreadPoolExecutor(count) as threads:
            tasks = (
                threads.submit(self._task, task, part, given)
                for part, given in zip(self.parts, arguments, strict=True)
            )
            waiting: deque[Future[Any]] = deque(islice(tasks, WAITING * count))
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(islice(tasks, 1))

    def _task(self, task: Task, part: slice, given: tuple[Any, ...]) -> Any:
        with serial():
            return task(self.block(part), *given)


def is_blockwise(array: Any) -> bool:
    """Whether X is read block by block: a streamed array, or a tall one in memory."""
    tall = isinstance(array, np.ndarray) and len(array) >= SAMPLES and array.shape[1] <= FEATURES
    return tall or _containers.is_streamed(array)


def blockwise(array: Any) -> Source:
    """Cut what is read block by block: a streamed array, or a tall one in memory."""
    return Source.of(array) if _containers.is_streamed(array) else Held.of_rows(array)
