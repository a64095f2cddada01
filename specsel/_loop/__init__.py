"""The one outer loop of the weighting algorithms, which own it.

protocol  what a variant must bring
loop      starts, iterations, convergence, the number of clusters, and the result
options   checks of the arguments that all of them share
"""

from specsel._loop.loop import State, count_clusters, orientation, pack, solve
from specsel._loop.options import (
    check_auto_start,
    check_k,
    check_options,
    check_weights_start,
)

__all__ = [
    "State",
    "check_auto_start",
    "check_k",
    "check_options",
    "check_weights_start",
    "count_clusters",
    "orientation",
    "pack",
    "solve",
]
