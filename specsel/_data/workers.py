"""Blocks that the workers of a cluster hold in memory: one task for many of them.

A pass over a block takes a few milliseconds, and a task costs Dask more than one. So a task passes
over all blocks that lie on its worker; every thread of a worker gets one. Blocks stay where they
are, unless Dask moves a task to a worker that has nothing to do. Which blocks share a task changes
no bit: every block has an answer of its own, and answers are taken in the order of the blocks. A
block that is still being made, or was lost with its worker, has a task of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Self

import numpy as np

from specsel._containers import out_of_reach
from specsel._data.sources import BLOCK

# The blocks of one task have at most this many bytes in total. A worker that is short of memory
# keeps blocks on disk, and reads all those of a task before it begins.
TOGETHER = 16 * BLOCK

# A block, as a future, and what its task is given.
Call = tuple[Any, ...]


@dataclass
class Placed:
    """Blocks that workers hold.

    Attributes
    ----------
    blocks : list of distributed.Future
        The blocks.
    size : int
        Bytes of the largest one.
    last : list of distributed.Future
        The last tasks. Releasing a future sends a message, and what is sent next waits
        milliseconds behind it. So the last tasks are released only after the next ones are
        submitted.
    """

    blocks: list[Any]
    size: int
    last: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, array: Any, by_feature: bool) -> Self | None:
        """The blocks of a Dask array; None unless each is one chunk that a client persisted."""
        cluster = sys.modules.get("distributed")  # who has a future, has imported it
        along, across = array.chunks[::-1] if by_feature else array.chunks
        if cluster is None or len(across) > 1 or _is_task(cluster):
            return None
        from dask.core import flatten

        keys = flatten(array.__dask_keys__())
        blocks = [array.dask[key] for key, length in zip(keys, along, strict=True) if length]
        if not all(isinstance(block, cluster.Future) for block in blocks):
            return None
        client = blocks[0].client
        if client is None or any(block.client is not client for block in blocks):
            return None
        if client.asynchronous:
            raise ValueError(
                "X: its client is asynchronous and would wait for itself in this thread; call "
                "from another one, as asyncio.to_thread does"
            )
        if any(block.cancelled() for block in blocks):
            raise out_of_reach()
        return cls(blocks, max(along) * across[0] * array.dtype.itemsize)

    @property
    def client(self) -> Any:
        """The client that persisted the blocks; it need not be the current one."""
        return self.blocks[0].client

    def keep(self, values: Iterable[Any]) -> list[Any]:
        """A value for every block, sent once to the worker that holds it."""
        pairs = zip(self.blocks, values, strict=True)
        return [self.client.submit(_beside, block, value, pure=False) for block, value in pairs]

    def run(
        self, function: Callable[..., list[Any]], calls: Sequence[Call], **options: Any
    ) -> list[Any]:
        """What the function makes of the calls, of which its tasks are given some at a time."""
        groups = self.groups([block for block, *_ in calls])
        lists = [[calls[number] for number in group] for group in groups]
        tasks = self.client.map(function, lists, **options, pure=False)
        self.last = tasks
        try:
            found = self.client.gather(tasks)
        except BaseException:  # else the traceback would hold them, and workers would go on
            for task in tasks:
                task.release()
            raise
        answers = dict(zip(chain(*groups), chain(*found), strict=True))
        return [answers[number] for number in range(len(calls))]

    def groups(self, blocks: Sequence[Any]) -> list[list[int]]:
        """Numbers of these blocks, those that share a task together."""
        holders, threads = self.client.who_has(blocks), self.client.nthreads()
        held: dict[str, list[int]] = {worker: [] for worker in threads}
        found: list[list[int]] = []
        for number, block in enumerate(blocks):
            places = [held[worker] for worker in holders.get(block.key, ()) if worker in held]
            if places:
                min(places, key=len).append(number)
            else:
                found.append([number])
        for worker, numbers in held.items():
            count = max(1, threads[worker], -(-len(numbers) * self.size // TOGETHER))
            found += [group.tolist() for group in np.array_split(numbers, count) if len(group)]
        return found


def _is_task(cluster: Any) -> bool:
    """Whether a task of Dask calls. It would hold the thread that its own tasks wait for."""
    return getattr(cluster.worker.thread_state, "key", None) is not None


def _beside(_: Any, value: Any) -> Any:
    return value
