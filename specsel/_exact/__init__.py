"""The branch and bound search over supports. `eslda` owns this room and uses what is listed here.

search      runs both trees side by side, keeps to limits, and bounds what is left open
problem     A, B and k in the order and scale in which the trees use them
incumbent   the best supports found so far, which every node has to beat
exclude     the tree that starts with all features and drops some
descent     its compiled part: what a node carries, why it is pruned, and its children
inverses    the inverses that these nodes carry, and what the signs of their entries rule out
include     the tree that starts with none and includes some
dominance   the bound that prunes its nodes
relaxation  bounds on the values of open nodes, for a search that ends early
"""

from specsel._exact.problem import Rounding, highest
from specsel._exact.search import Outcome, Report, best_supports

__all__ = ["Outcome", "Report", "Rounding", "best_supports", "highest"]
