"""The pair (A, B) of sparse LDA and sparse PCA. `gslda` and `eslda` own this room.

pencil     A and B, from data or as given, and the value of a support
criteria   what a support is worth, and what a change makes of it
tableau    a support, and what adding, removing or swapping one feature does to its value
selection  greedy selection of supports of every size

Others may use what is listed here.
"""

from specsel._pencil.pencil import Pencil, from_data, from_pair
from specsel._pencil.selection import Best, filled, search

__all__ = ["Best", "Pencil", "filled", "from_data", "from_pair", "search"]
