"""The branch and bound search over supports. `eslda` owns it and calls `search` alone.

search      runs the two trees side by side, and bounds what they leave open
exclude     the tree that starts with all features and drops some
include     the tree that starts with none and includes some
inertia     inverses of the nodes of `exclude`, and what the signs of their entries rule out
relaxation  bounds on the values of open nodes, for a search that ends early
"""
