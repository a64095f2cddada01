"""What an argument may be where it is one of a few names, as a type and as a tuple of the names.

Solvers, estimators and the command line share these. No package is imported here, so that
``specsel --help`` is quick.
"""

from typing import Literal, get_args

# Where the loop starts.
Init = Literal["continuation", "equal", "seeded", "random"]
INITS: tuple[str, ...] = get_args(Init)

# How the basis follows from the weights, in Q-α and with classes; and what Q-α maximises.
BasisStep = Literal["power", "ritz", "basic"]
ClassBasisStep = Literal["power", "basic"]
Criterion = Literal["energy", "gap"]
BASIS_STEPS: tuple[str, ...] = get_args(BasisStep)
CLASS_BASIS_STEPS: tuple[str, ...] = get_args(ClassBasisStep)
CRITERIA: tuple[str, ...] = get_args(Criterion)

# Ways to represent a feature without negative values, if it has none as it is; and all ways.
NonNegative = Literal["parts", "shift", "ranks", "as-is"]
Representation = Literal["parts", "shift", "ranks", "as-is", "centered"]
NON_NEGATIVE: tuple[str, ...] = get_args(NonNegative)
REPRESENTATIONS: tuple[str, ...] = get_args(Representation)

Kernel = Literal["linear", "poly", "rbf", "sectioned", "precomputed"]
Shift = Literal["degree", "definition"]
KERNELS: tuple[str, ...] = get_args(Kernel)
SHIFTS: tuple[str, ...] = get_args(Shift)

# What sparse PCA is of, and what stable subspaces are of.
PCAMatrix = Literal["covariance", "correlation"]
Similarity = Literal["cosine", "covariance", "correlation"]
IntervalMethod = Literal["bca", "percentile"]
PCA_MATRICES: tuple[str, ...] = get_args(PCAMatrix)
SIMILARITIES: tuple[str, ...] = get_args(Similarity)
INTERVAL_METHODS: tuple[str, ...] = get_args(IntervalMethod)

# Which way greedy selection goes, and which bounds prune the exact search.
Direction = Literal["both", "forward", "backward"]
Bounds = Literal["best", "interlacing"]
DIRECTIONS: tuple[str, ...] = get_args(Direction)
BOUNDS: tuple[str, ...] = get_args(Bounds)

# In which units features are aligned: all of unit norm, or in their own.
Scale = Literal["unit", "native"]
SCALES: tuple[str, ...] = get_args(Scale)
