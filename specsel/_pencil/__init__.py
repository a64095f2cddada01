"""The pair (A, B) of sparse LDA and sparse PCA. `gslda` and `eslda` own this room.

pencil   A and B, from data or as given, and the value of a support
tableau  a support, and what adding, removing or swapping one feature does to its value

Others may use what is listed here, and `tableau`.
"""

from specsel._pencil.pencil import Pencil, from_data, from_pair

__all__ = ["Pencil", "from_data", "from_pair"]
