"""The matrix V of inner products that a kernel gives the features. Owner: `kernel`.

matrix      `Matrix`: V, the products with it, and what is known of the features behind it
evaluation  V of data, compiled
directions  `Directions`: directions among the mapped features, by coefficients and scores
factored    `Factored`: the same as vectors, where V has a null space
checks      whether a matrix that was given may serve as V
"""

from specsel._kernel.checks import checked
from specsel._kernel.directions import Directions
from specsel._kernel.evaluation import evaluate
from specsel._kernel.factored import Factored, factor
from specsel._kernel.matrix import Matrix

__all__ = ["Directions", "Factored", "Matrix", "checked", "evaluate", "factor"]
