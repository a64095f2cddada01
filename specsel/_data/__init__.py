"""X in memory, in chunks or on a cluster, and the compiled passes over it.

data         the interface of data: a pass (`Data.sweep`), features, samples
prepare      measure X, represent it, wrap it for passes
columns      what columns are shifted and scaled by
dense        dense arrays, and their passes
sparse       sparse matrices, converted to CSC, and their passes
chunked      data read block by block, and the passes over blocks of samples
sources      where blocks come from: memory maps, h5py, zarr, tall arrays
distributed  blocks of Dask, as tasks
reduced      tall data replaced by as many samples as features; subspaces
simd         inner loops written for LLVM by hand
"""

from specsel._data.columns import CONSTANT
from specsel._data.data import Data, Pairs, watched
from specsel._data.dense import Dense
from specsel._data.prepare import (
    count_reduced,
    far_from_zero,
    moments,
    read,
    represent,
    scaled,
    shuffled,
    with_others,
)
from specsel._data.reduced import affinity_subspace, pivoted

__all__ = [
    "CONSTANT",
    "Data",
    "Dense",
    "Pairs",
    "affinity_subspace",
    "count_reduced",
    "far_from_zero",
    "moments",
    "pivoted",
    "read",
    "represent",
    "scaled",
    "shuffled",
    "watched",
    "with_others",
]
