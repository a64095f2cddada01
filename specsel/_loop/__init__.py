"""The one outer loop of the weighting algorithms, which own it.

protocol   what an algorithm must bring, `Problem`, and what it exchanges with the loop
options    the arguments with which the loop runs, checked
ascent     one quasi-Newton ascent in the place of the alternation
tangents   its directions as rows of numbers
inverse    what it takes for the inverse of the curvature at first
curvature  what earlier steps tell of the curvature
spaces     where the ascent takes place, and what a pass finds there
loop       starts, iterations, convergence, the number of clusters, and the result
"""

from specsel._loop.loop import (
    Run,
    ascend,
    count_clusters,
    from_each_start,
    orientation,
    pack,
    solve,
    starts,
)
from specsel._loop.options import Options, check_k, check_tol
from specsel._loop.protocol import Iterate, Problem, Step
from specsel._loop.spaces import Samples, Space, rooted

__all__ = [
    "Iterate",
    "Options",
    "Problem",
    "Run",
    "Samples",
    "Space",
    "Step",
    "ascend",
    "check_k",
    "check_tol",
    "count_clusters",
    "from_each_start",
    "orientation",
    "pack",
    "rooted",
    "solve",
    "starts",
]
