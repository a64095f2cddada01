"""The pair (A, B) of sparse LDA and sparse PCA. `gslda` and `eslda` own this room.

pencil     A and B, the value of a support, and bounds on those of all of one size
within     a factor of B, dense or of sparse samples
build      pencils of data and of given matrices
plans      the options of a greedy selection, checked
criteria   what a support is worth, and what a change makes of it
tableau    a support, and what adding, removing or swapping one feature does to its value
selection  greedy selection of supports of every size

Others may use what is listed here.
"""

from specsel._pencil.build import Options, from_data, from_pair, from_reading, read, support_of
from specsel._pencil.pencil import Pencil
from specsel._pencil.plans import Plan, plan
from specsel._pencil.selection import Best, Limit, compile_search, filled, search

__all__ = [
    "Best",
    "Limit",
    "Options",
    "Pencil",
    "Plan",
    "compile_search",
    "filled",
    "from_data",
    "from_pair",
    "from_reading",
    "plan",
    "read",
    "search",
    "support_of",
]
