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
    with pytest.raises(MemoryError, match=r"^X: a block of it, of whole chunks: would take 800 B"):
        next(source.run(lambda block: block, (() for _ in range(10))))
