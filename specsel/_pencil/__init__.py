"""The pair (A, B) of sparse LDA and sparse PCA. `gslda` and `eslda` own it.

pencil   A and B, from data or as given, and the value of a support
tableau  a support, and what one feature more, less or exchanged does to its value
"""

from specsel._pencil.pencil import Pencil, from_data, from_pair

__all__ = ["Pencil", "from_data", "from_pair"]
