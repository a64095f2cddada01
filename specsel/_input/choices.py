"""What an argument may be where it is one of a few names.

Solvers, estimators and the command line share these. Nothing is imported here, so that
``specsel --help`` is quick.
"""

# Starts of the loop.
INITS = ("continuation", "equal", "seeded", "random")

# How the basis follows from the weights, in Q-α and with classes; and what Q-α maximises.
BASIS_STEPS = ("power", "ritz", "basic")
CLASS_BASIS_STEPS = ("power", "basic")
CRITERIA = ("energy", "gap")

# Ways to represent a feature without negative values, if it has none as it is; and all ways.
NON_NEGATIVE = ("parts", "shift", "ranks", "as-is")
REPRESENTATIONS = (*NON_NEGATIVE, "centered")

KERNELS = ("linear", "poly", "rbf", "sectioned", "precomputed")
SHIFTS = ("degree", "definition")

# What sparse PCA is of, and what stable subspaces are of.
PCA_MATRICES = ("covariance", "correlation")
SIMILARITIES = ("cosine", *PCA_MATRICES)
INTERVAL_METHODS = ("bca", "percentile")

DIRECTIONS = ("both", "forward", "backward")
BOUNDS = ("best", "interlacing")
