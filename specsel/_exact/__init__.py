"""The branch and bound search over supports. `eslda` owns this room and uses what is listed here.

limits       when to stop, and whom to tell
sizes        several sizes in turn, each over the same features
one_size     the best of one size, with coarser searches where the time may not suffice
search       runs the trees side by side, keeps to limits, and bounds what is left open
problem      A, B and k in the order and scale in which the trees use them
incumbent    the best supports found so far, which every node has to beat
exclude      the tree that starts with all features and drops some
descent      its compiled part: what a node carries, why it is pruned, and its children
inverses     what prunes the nodes of `exclude`: the signs in the inverses that they carry
include      the tree that starts with none and includes some
dominance    what prunes the nodes of `include`: a bound by dominant diagonals
best_first   the tree that decides about any feature, for criteria that add up
decisions    what bounds decide about the features of a node of `best_first`
perspective  what prunes the nodes of `best_first`: the perspective bound
definite     what both do with positive definite matrices
relaxation   prunes nothing: bounds what is left open when a search ends early
ladder       for sparse PCA, which features a good support can hold at all
rungs        sizes in turn, each over what the ladder leaves
starts       good supports of sparse PCA to start from
proofs       what several searches prove together
"""

from specsel._exact.limits import Limits
from specsel._exact.problem import Rounding
from specsel._exact.proofs import closed
from specsel._exact.rungs import climb
from specsel._exact.search import Outcome, Report
from specsel._exact.sizes import Problem, search_sizes

__all__ = ["Limits", "Outcome", "Problem", "Report", "Rounding", "climb", "closed", "search_sizes"]
