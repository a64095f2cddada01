"""What the solvers return: frozen records of what was found, without the data.

weights    `Weights`: a weight for every feature
chart      `Map`: weights and positions in several rounds
subsets    `Subset` and `Path`: supports of one size and of several
stable     `Intervals`, `Step` and `StableSubspace`
aligned    `Aligned`: features in the order in which greedy alignment takes them
annotated  a result written back to the variables of AnnData
evidence   `Evidence`: an objective beside those of shuffled data
clusters   clusters of samples, by k-means
estimates  what simulations estimate
table      tables of results; whether data have the features that a result is for
html       what a result shows of itself in a notebook
"""

from specsel.results.aligned import Aligned
from specsel.results.annotated import annotate
from specsel.results.chart import Map
from specsel.results.evidence import Evidence
from specsel.results.stable import Intervals, StableSubspace, Step
from specsel.results.subsets import Path, Subset
from specsel.results.weights import Weights

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
