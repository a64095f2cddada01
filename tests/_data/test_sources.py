"""How arrays that are read block by block are cut."""

import numpy as np
import pytest

from specsel._data import sources
from specsel._data.sources import Source


class Chunked:
    """As much of an array of h5py or zarr as is cut."""

    def __init__(self, shape, chunks, dtype=float):
        self.shape, self.chunks, self.dtype = shape, chunks, np.dtype(dtype)


@pytest.mark.parametrize(
    ("array", "by_feature", "step"),
    [
        (np.empty((100, 10**5)), True, 2**25 // 800),
        (np.empty((10**5, 100), order="F"), True, 2**25 // 800_000),
        (np.empty((10**5, 100)), False, 2**25 // 800),
        (np.empty((10**4, 10)), True, 10),
        (Chunked((10**7, 100), (10**4, 100), np.float32), False, 80_000),
        (Chunked((1000, 10**6), (1000, 1000), np.float32), True, 8000),
        (Chunked((10**6, 10**4), (10**6, 1), np.float64), True, 4),
    ],
)
def test_blocks_follow_the_chunks_or_how_an_array_lies(array, by_feature, step):
    source = Source.of(array)
    assert (source.by_feature, source.bounds[1]) == (by_feature, step)
    size = array.shape[int(by_feature)]
    assert source.parts[0].start == 0
    assert source.parts[-1].stop == size


def test_blocks_are_read_ahead_as_far_as_the_budget_goes(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 800)
    monkeypatch.setattr(sources, "PIECE", 8)
    X = np.arange(1000.0).reshape(10, 100)
    for budget in ("1kB", "1GB"):
        monkeypatch.setenv("SPECSEL_MEMORY", budget)
        source = Source.of(X)
        found = [*source.run(lambda block, i: (i, block), ((i,) for i in range(10)))]
        assert [i for i, _ in found] == [*range(10)]
        np.testing.assert_array_equal(np.hstack([block for _, block in found]), X)
    monkeypatch.setenv("SPECSEL_MEMORY", "700")
    with pytest.raises(MemoryError, match=r"^X: a block of it: would take 800 B"):
        next(source.run(lambda block: block, (() for _ in range(10))))


@pytest.mark.parametrize(
    ("array", "budget", "message"),
    [
        (
            Chunked((1000, 10**6), (1000, 100)),
            "1MB",
            r"^X: a block of it: would take 31.3 MiB, and .* 977 KiB; raise it to 32MiB at least$",
        ),
        (
            np.broadcast_to(0.0, (10**7, 9)),
            "1MB",
            r"^X: a block of it: would take 32 MiB, and .*; raise it to 32MiB at least$",
        ),
        (
            Chunked((200, 10**4), None),
            "1MB",
            r"^X: a block of it: .*; raise it to 16MiB at least$",
        ),
        (
            Chunked((10**4, 10**6), (10**4, 1000)),
            "40MB",
            r"^X: a block of it, one row of chunks: .* 74.5 GiB, .*; store it in smaller chunks$",
        ),
        (
            Chunked((1000, 10**6), (1000, 1)),
            "9",
            r"^X: a block of it: .*; raise it to 32MiB at least$",
        ),
        (
            Chunked((10**6, 100), (10**5, 100)),
            "1MB",
            r"^X: a block of it, one row of chunks: would take 76.3 MiB, and .*; "
            "store it in smaller chunks, and raise it to 32MiB at least$",
        ),
    ],
)
def test_what_helps_where_a_block_is_too_large(array, budget, message, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", budget)
    with pytest.raises(MemoryError, match=message):
        next(Source.of(array).run(lambda block: block, iter([()])))


def test_the_advice_about_a_block_suffices(monkeypatch):
    X = np.arange(40_000.0).reshape(10, 4000)
    monkeypatch.setenv("SPECSEL_MEMORY", "100kB")
    with pytest.raises(MemoryError, match="raise it to 1MiB at least") as caught:
        next(Source.of(X).run(np.sum, iter([()])))
    monkeypatch.setenv("SPECSEL_MEMORY", str(caught.value).split()[-3])
    assert next(Source.of(X).run(np.sum, iter([()]))) == X.sum()
