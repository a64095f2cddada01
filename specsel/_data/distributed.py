"""Dask arrays: every block is a task of Dask, and only what a task returns comes here.

A pass sends what the features are multiplied with, q × k numbers for q samples and k columns, or
their part of it, with every task and gets as much back for every block, with the weights of its
features. What standardises the columns is sent once and stays on the workers. Of n features in B
blocks on w workers a pass reads 8 n q / w bytes a worker and moves about 16 q k B bytes over the
network, for blocks of samples 16 n k B. So the network binds if a block's other side is below
about 2 k samples, or features, times how much faster memory is than the network, 20 times or so.

If workers of a cluster have the blocks, because X was persisted, a pass over up to `TASKS` blocks
is a task for each thread of a worker, over all its blocks, see `Persisted`, and half of that is
sent. Blocks that every pass makes anew have tasks of their own, so that no task waits for several.

Tasks are pure functions of their blocks, and X is not scattered: a block that is lost with its
worker is made again from where it came from, and the bits are the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, islice
from typing import Any, Self

import numpy as np

from specsel._containers import (
    as_float,
    checked_block,
    checked_chunks,
    out_of_reach,
    within_reach,
)
from specsel._data.data import EVERY
from specsel._data.sources import BLOCK, Source, Task
from specsel._runtime import serial
from specsel._validate import Integers, NDArray

# A block of features, all samples of one chunk of columns, may be so many times a block.
LARGEST = 8

# Blocks whose results are waited for at a time; it bounds how many results are in memory.
TASKS = 64

# The blocks of one task have at most this many bytes in total. A worker that is short of memory
# keeps blocks on disk, and reads all those of a task before it begins.
TOGETHER = 16 * BLOCK

# A block, what the array declares of it, exponents of its columns, arguments of its task.
Call = tuple[Any, ...]


@dataclass(frozen=True, eq=False, repr=False)
class DaskSource(Source):
    """A Dask array, cut along its chunks."""

    @classmethod
    def of_chunks(cls, array: Any) -> Self:
        """Cut into blocks of features where a chunk of columns is small enough, else of samples.

        Chunks in the other direction are put together by the tasks.
        """
        rows, columns = array.chunks
        size = array.shape[0] * max(columns) * array.dtype.itemsize
        by_feature = len(rows) == 1 or (size <= LARGEST * BLOCK and len(columns) > 1)
        chunks = [chunk for chunk in (columns if by_feature else rows) if chunk]
        return cls(array, by_feature, tuple(accumulate(chunks, initial=0)))

    def read(self, samples: slice, features: slice) -> NDArray[Any]:
        """Some samples of some features, in memory; passes have checked the chunks of a part."""
        everything = samples == features == EVERY
        part = (checked_chunks(self.array) if everything else self.array)[samples, features]
        scheduler = None if self._persisted is None else self._persisted.client
        with within_reach():
            block = part.compute(scheduler=scheduler)
        exponents = None if self.exponents is None else self.exponents[features]
        return _prepared(block, (part.shape, part.dtype), self.dtype, exponents)

    def run(self, task: Task, arguments: Iterator[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield ``task(block, *arguments)`` of every block, in their order; Dask computes them."""
        blocks = self._delayed if self._persisted is None else self._persisted.blocks
        declared, exponents = map(self._declared, self.parts), map(self._exponents, self.parts)
        calls = zip(blocks, declared, exponents, arguments, strict=True)
        while some := [*islice(calls, TASKS)]:
            with within_reach():
                answers = self._run(some, task)
            yield from answers

    def _run(self, calls: Sequence[Call], task: Task) -> Sequence[Any]:
        if self._persisted is not None:
            return self._persisted.run(_run_all, calls, task=task, dtype=self.dtype)
        from dask.base import compute
        from dask.delayed import delayed

        run = delayed(_run, pure=False)
        answers: Sequence[Any] = compute(*(run(call, task, self.dtype) for call in calls))
        return answers

    def keep(self, arguments: Iterable[Any]) -> Sequence[Any]:
        """Send an argument of every block to the workers once; Dask keeps it there."""
        with within_reach():
            if self._persisted is not None:
                blocks, submit = self._persisted.blocks, self._persisted.client.submit
                pairs = zip(blocks, arguments, strict=True)  # a task runs where its block is
                return [submit(_last_of, *pair, pure=False) for pair in pairs]
            from dask.base import persist
            from dask.delayed import delayed

            kept: Sequence[Any] = persist(*map(delayed(_last_of, pure=False), arguments))
            return kept

    @cached_property
    def _persisted(self) -> Persisted | None:
        """The blocks, if workers of a cluster have them in memory."""
        return Persisted.of(self.array, self.by_feature)

    @cached_property
    def _delayed(self) -> list[Any]:
        """The blocks as delayed objects, which take Dask a millisecond each to make."""
        array = self.array
        if len(array.chunks[0 if self.by_feature else 1]) > 1:
            array = checked_chunks(array)  # before Dask puts them together
        blocks = (array[:, part] if self.by_feature else array[part] for part in self.parts)
        return [block.rechunk(block.shape).to_delayed().ravel()[0] for block in blocks]

    def _declared(self, part: slice) -> tuple[tuple[int, int], np.dtype[Any]]:
        """Shape and type of a block, as the array has them."""
        (q, n), length = self.shape, part.stop - part.start
        return (q, length) if self.by_feature else (length, n), self.array.dtype

    def _exponents(self, part: slice) -> Integers | None:
        if self.exponents is None or not self.by_feature:
            return self.exponents
        return self.exponents[part]


def _last_of(*values: Any) -> Any:
    return values[-1]


def _run_all(calls: Sequence[Call], task: Task, dtype: np.dtype[Any]) -> list[Any]:
    """Compute on a worker, for the blocks that it has in memory."""
    return [_run(call, task, dtype) for call in calls]


def _run(call: Call, task: Task, dtype: np.dtype[Any]) -> Any:
    """Compute on a worker, for one block."""
    block, declared, exponents, arguments = call
    with serial():
        return task(_prepared(block, declared, dtype, exponents), *arguments)


def _prepared(
    block: Any,
    declared: tuple[tuple[int, ...], np.dtype[Any]],
    dtype: np.dtype[Any],
    exponents: Integers | None,
) -> NDArray[Any]:
    """Return a block as the kernels take it; a sparse one becomes dense while it is used."""
    block = checked_block(block, *declared)
    if hasattr(block, "toarray"):
        block = block.toarray()
    array = as_float(block, dtype).view()
    # Sums depend on the layout of a block, and that on whether it was sent.
    if not array.flags.forc or 1 in array.shape:
        array = np.array(array, order="C")
    if exponents is not None:
        array = np.ldexp(array, -exponents)
    array.flags.writeable = False
    return array


@dataclass
class Persisted:
    """Blocks that workers of a cluster have in memory."""

    blocks: list[Any]  # distributed.Future
    size: int  # bytes of the largest block
    # The last tasks. Releasing a future sends a message, and what is sent next waits milliseconds
    # behind it. So the last tasks are released only after the next ones are submitted.
    last: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, array: Any, by_feature: bool) -> Self | None:
        """Return the blocks of a Dask array; None unless a client persisted each as one chunk."""
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

    def run(
        self, function: Callable[..., list[Any]], calls: Sequence[Call], **options: Any
    ) -> list[Any]:
        """Apply the function to lists of calls, a task each; return its results in their order."""
        groups = self.groups([block for block, *_ in calls])
        lists = [[calls[number] for number in group] for group in groups]
        self.last = self.client.map(function, lists, **options, pure=False)
        try:
            answers = chain(*self.client.gather(self.last))
        except BaseException:  # else the traceback would keep them, and workers would go on
            for task in self.last:
                task.release()
            raise
        by_number = dict(zip(chain(*groups), answers, strict=True))
        return [by_number[number] for number in range(len(calls))]

    def groups(self, blocks: Sequence[Any]) -> list[list[int]]:
        """Return lists of numbers of these blocks; those of a list share a task."""
        holders, threads = self.client.who_has(blocks), self.client.nthreads()
        on_worker: dict[str, list[int]] = {worker: [] for worker in threads}
        groups: list[list[int]] = []
        for number, block in enumerate(blocks):
            workers = [worker for worker in holders.get(block.key, ()) if worker in on_worker]
            if workers:
                min((on_worker[worker] for worker in workers), key=len).append(number)
            else:
                groups.append([number])
        for worker, numbers in on_worker.items():
            count = max(1, threads[worker], -(-len(numbers) * self.size // TOGETHER))
            groups += [group.tolist() for group in np.array_split(numbers, count) if len(group)]
        return groups


def _is_task(cluster: Any) -> bool:
    """Return whether a task of Dask calls: its own tasks would wait for its thread."""
    return getattr(cluster.worker.thread_state, "key", None) is not None
