"""How the data lie in memory, and the passes over them.

protocol         what an algorithm may ask of data
reading          the door: checks an array, measures its columns and wraps it
sparse_reading   the same for a sparse matrix
source_reading   and for what is read block by block
standardised     what data know of their features, wherever the numbers lie
dense            a dense array, its features shifted and scaled on the fly
passes           the compiled passes over it
registers        products of the small matrices in these
whole            those that need the whole affinity, in symmetric halves
products         what one pass keeps for the next
representations  what every feature is shifted and scaled by, compiled
sparse           a sparse matrix, its features shifted and scaled on the fly
stored           its numbers as they lie, by columns or by rows
lanes            eight numbers as one value, and inner loops over stored numbers
sparse_passes    the compiled passes where the numbers of a feature lie together
sparse_rows      the compiled passes where the numbers of a sample do
sparse_columns   what every sparse feature is shifted and scaled by, compiled
sparse_measures  the same for a whole matrix, a band of features at a time
sources          arrays that are read block by block, and how they are cut
held             tall arrays in memory, cut in the same way
distributed      those of Dask, whose blocks are tasks
workers          blocks that a cluster holds, several in one task
source_measures  what their columns are shifted and scaled by
parted           data read block by block; blocks of features
samples          blocks of samples
row_passes       the compiled passes over these
moments          mean and norm of every column
measured         the same, with how the columns are represented
scaling          samples shifted and scaled as weights say
reduced          tall data, replaced by as many samples as there are features
pairs            pairs of samples, as the passes take them
beside           the passes where the paired samples are not among the data
shuffles         the values of every column in another order
selection        the leading subspace of the weighted affinity; features that span the rest
"""

from specsel._data.beside import Beside, alike
from specsel._data.dense import Dense
from specsel._data.moments import far_from_zero, moments
from specsel._data.pairs import Pairs
from specsel._data.protocol import Basis, Data, Reduced, Target, Weighable
from specsel._data.reading import count_reduced, read, represent
from specsel._data.reduced import signed_qr, triangular_factor
from specsel._data.representations import CONSTANT
from specsel._data.scaling import scaled
from specsel._data.selection import affinity_subspace, pivoted
from specsel._data.shuffles import shuffled
from specsel._data.standardised import watched

__all__ = [
    "CONSTANT",
    "Basis",
    "Beside",
    "Data",
    "Dense",
    "Pairs",
    "Reduced",
    "Target",
    "Weighable",
    "affinity_subspace",
    "alike",
    "count_reduced",
    "far_from_zero",
    "moments",
    "pivoted",
    "read",
    "represent",
    "scaled",
    "shuffled",
    "signed_qr",
    "triangular_factor",
    "watched",
]
