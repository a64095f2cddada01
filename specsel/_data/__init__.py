"""X in memory, in chunks or on a cluster, and the compiled passes over it.

data         what an algorithm may ask of data: a pass (`Data.sweep`), features, samples
prepare      X is measured, represented, and wrapped for passes
columns      what columns are shifted and scaled by, compiled
dense        dense arrays, and their passes
sparse       sparse matrices, converted to CSC, and their passes
chunked      data read block by block, and the passes over blocks of samples
sources      where blocks come from: memory maps, h5py, zarr, tall arrays
distributed  blocks of Dask, as tasks
reduced      tall data, replaced by as many samples as there are features
simd         inner loops written for LLVM by hand
"""

from specsel._data.columns import CONSTANT
from specsel._data.data import Data, Pairs, watched
from specsel._data.dense import Dense
from specsel._data.prepare import (
    PairedSamples,
    count_reduced,
    far_from_zero,
    moments,
    read,
    represent,
    scaled,
    shuffled,
)
from specsel._data.reduced import affinity_subspace, pivoted

__all__ = [
    "CONSTANT",
    "Data",
    "Dense",
    "PairedSamples",
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
]
