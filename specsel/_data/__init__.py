"""How the data lie in memory, and the passes over them.

protocol         what an algorithm may ask of data
dense            a dense array, its features shifted and scaled on the fly; `read` wraps one
passes           the compiled passes over it
representations  what every feature is shifted and scaled by, compiled
moments          mean and norm of every column
pairs            pairs of samples, and the passes where these are not among the data
selection        the leading subspace of the weighted affinity; features that span the rest
"""

from specsel._data.dense import Dense, read
from specsel._data.moments import far_from_zero, moments
from specsel._data.pairs import Pairs
from specsel._data.selection import affinity_subspace, pivoted

__all__ = [
    "Dense",
    "Pairs",
    "affinity_subspace",
    "far_from_zero",
    "moments",
    "pivoted",
    "read",
]
