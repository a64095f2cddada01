"""The machinery of `alignment`.

targets     what features are aligned with, checked, and the relevance of every feature to it
graphs      the graph of the nearest neighbours of the samples
neighbours  which these are; of equally near ones, those that come next by number
search      lazy greedy selection
"""

from specsel._alignment.graphs import check_graph, nearest_neighbours, warn_of_units
from specsel._alignment.search import Search
from specsel._alignment.targets import TARGETS, check_target, relevance_to

__all__ = [
    "TARGETS",
    "Search",
    "check_graph",
    "check_target",
    "nearest_neighbours",
    "relevance_to",
    "warn_of_units",
]
