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

from importlib import import_module
from typing import TYPE_CHECKING

# The file of every record, and of what writes one back.
RECORDS = {
    "Aligned": "aligned",
    "Evidence": "evidence",
    "Intervals": "stable",
    "Map": "chart",
    "Path": "subsets",
    "StableSubspace": "stable",
    "Step": "stable",
    "Subset": "subsets",
    "Weights": "weights",
    "annotate": "annotated",
}

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

if TYPE_CHECKING:
    from specsel.results.aligned import Aligned
    from specsel.results.annotated import annotate
    from specsel.results.chart import Map
    from specsel.results.evidence import Evidence
    from specsel.results.stable import Intervals, StableSubspace, Step
    from specsel.results.subsets import Path, Subset
    from specsel.results.weights import Weights
else:
    # A solver imports the records that it returns, and no others.
    def __getattr__(name: str) -> object:
        if name in RECORDS:
            return getattr(import_module(f"specsel.results.{RECORDS[name]}"), name)
        raise AttributeError(f"module 'specsel.results' has no attribute {name!r}")
