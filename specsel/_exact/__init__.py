"""The branch and bound search of `eslda`.

search       the driver: several sizes in turn, the trees of one size, limits, and ties
bounds       what prunes the nodes of the trees: every bound, with its proof
exclude      the tree that starts with all features and drops some
include      the tree that starts with none and includes some
best_first   the tree that decides about any feature, for criteria that add up
elimination  for sparse PCA of many features, which of them a good support can hold at all
"""
