"""Arguments that take one of a few names: a type for signatures, and a tuple for the check.

Solvers, estimators and the command line share these. This file imports nothing but `typing`, so
that ``specsel --help`` is quick.
"""

from typing import Literal, get_args

# Where the loop starts.
Init = Literal["continuation", "equal", "seeded", "random"]
INITS: tuple[str, ...] = get_args(Init)

# How the next basis follows from the weights: without classes, with a kernel, with pairs, with
# classes; and what Q-α maximises.
BasisStep = Literal["ascent", "power", "ritz", "basic"]
KernelBasisStep = Literal["ascent", "power", "ritz"]
PairBasisStep = Literal["ascent", "power"]
ClassBasisStep = Literal["power", "basic"]
Criterion = Literal["energy", "gap"]
BASIS_STEPS: tuple[str, ...] = get_args(BasisStep)
KERNEL_BASIS_STEPS: tuple[str, ...] = get_args(KernelBasisStep)
PAIR_BASIS_STEPS: tuple[str, ...] = get_args(PairBasisStep)
CLASS_BASIS_STEPS: tuple[str, ...] = get_args(ClassBasisStep)
CRITERIA: tuple[str, ...] = get_args(Criterion)

# Ways to represent a column without negative values ("as-is" if it has none); and all ways.
NonNegative = Literal["parts", "shift", "ranks", "as-is"]
Representation = Literal["parts", "shift", "ranks", "as-is", "centered"]
NON_NEGATIVE: tuple[str, ...] = get_args(NonNegative)
REPRESENTATIONS: tuple[str, ...] = get_args(Representation)

# How alike two features are; and by how much the Laplacian of a feature is shifted.
Kernel = Literal["linear", "poly", "rbf", "sectioned", "precomputed"]
Shift = Literal["degree", "definition"]
KERNELS: tuple[str, ...] = get_args(Kernel)
SHIFTS: tuple[str, ...] = get_args(Shift)

# The matrix whose sparse components are sought, and that of latent semantic indexing; the matrix
# whose subspace is to be stable; and how its intervals are found.
PCAMatrix = Literal["covariance", "correlation"]
LSIMatrix = Literal["cosine", "inner"]
Similarity = Literal["cosine", "covariance", "correlation", "inner"]
IntervalMethod = Literal["bca", "percentile"]
PCA_MATRICES: tuple[str, ...] = get_args(PCAMatrix)
LSI_MATRICES: tuple[str, ...] = get_args(LSIMatrix)
SIMILARITIES: tuple[str, ...] = get_args(Similarity)
INTERVAL_METHODS: tuple[str, ...] = get_args(IntervalMethod)

# How random entries are distributed, those of any distribution and those that are bounded.
Distribution = Literal["gaussian", "uniform", "bernoulli"]
BoundedDistribution = Literal["uniform", "bernoulli"]
DISTRIBUTIONS: tuple[str, ...] = get_args(Distribution)
BOUNDED_DISTRIBUTIONS: tuple[str, ...] = get_args(BoundedDistribution)

# Methods whose objective can be compared with that of shuffled data.
Compared = Literal["qalpha", "weighting", "kernel", "supervised"]
COMPARED: tuple[str, ...] = get_args(Compared)

# What a set of features is worth, by the eigenvalues λ of its pencil: the largest one, their sum,
# or Σ log(1 + λ).
Worth = Literal["leading", "trace", "logdet"]
WORTHS: tuple[str, ...] = get_args(Worth)

# What the value of a set is by each of them.
MEANINGS: dict[Worth, str] = {
    "leading": "largest eigenvalue",
    "trace": "sum of the eigenvalues",
    "logdet": "sum of log(1 + eigenvalue)",
}

# Which way greedy selection goes, and which bounds prune the exact search.
Direction = Literal["both", "forward", "backward"]
Bounds = Literal["best", "interlacing"]
DIRECTIONS: tuple[str, ...] = get_args(Direction)
BOUNDS: tuple[str, ...] = get_args(Bounds)

# Where the relevant features of a random problem are.
Places = Literal["even", "random"]
PLACES: tuple[str, ...] = get_args(Places)

# In which units features are aligned: all of unit norm, or in their own.
Scale = Literal["unit", "native"]
SCALES: tuple[str, ...] = get_args(Scale)
