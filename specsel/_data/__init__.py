"""How the data lie in memory, and the passes over them.

protocol         what an algorithm may ask of data
reading          the door: checks an array, measures its columns and wraps it
dense            a dense array, its features shifted and scaled on the fly
passes           the compiled passes over it
whole            those that need the whole affinity, in symmetric halves
products         what one pass keeps for the next
representations  what every feature is shifted and scaled by, compiled
moments          mean and norm of every column
reduced          tall data, replaced by as many samples as there are features
pairs            pairs of samples, and the passes where these are not among the data
selection        the leading subspace of the weighted affinity; features that span the rest
"""

from specsel._data.dense import Dense
from specsel._data.moments import far_from_zero, moments
from specsel._data.pairs import Beside, Pairs
from specsel._data.protocol import Basis, Data, Reduced, Target, Weighable
from specsel._data.reading import read, represent
from specsel._data.reduced import triangular_factor
from specsel._data.selection import affinity_subspace, pivoted

__all__ = [
    "Basis",
    "Beside",
    "Data",
    "Dense",
    "Pairs",
    "Reduced",
    "Target",
    "Weighable",
    "affinity_subspace",
    "far_from_zero",
    "moments",
    "pivoted",
    "read",
    "represent",
    "triangular_factor",
]
