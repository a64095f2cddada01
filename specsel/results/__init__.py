"""What the solvers return: frozen records of what was found, without the data.

weights    `Weights`, a weight for every feature; `Map`, weights and positions in several rounds;
           `Aligned`, features in the order in which greedy alignment takes them; and `annotate`,
           which writes them to the variables of AnnData
subsets    `Subset` and `Path`: supports of one size and of several
estimates  `Evidence`, `Intervals`, `StableSubspace` and its `Step`; what simulations estimate
records    what these share: read-only arrays, a check of features, tables
"""

from specsel.results.estimates import Evidence, Intervals, StableSubspace, Step
from specsel.results.subsets import Path, Subset
from specsel.results.weights import Aligned, Map, Weights, annotate

__all__ = [
    "Aligned",
    "Evidence",
    "Intervals",
    "Map",
    "Path",
    "StableSubspace",
    "Step",
    "Subset",
    "Weights",
    "annotate",
]
