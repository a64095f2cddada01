"""Spectral feature selection: which features carry the structure of the samples?

Every method is a module with a function ``solve(X, ...)``, X being samples × features.

Methods that weigh every feature; k is a number of directions, about that of clusters:

    qalpha      features that make the samples form clusters
    laplacian   the same by the Laplacian of the samples' graph
    kernel      the same by a kernel, for clusters that are not linear
    side_info   clusters that other samples do not have
    pairwise    clusters that respect pairs of samples
    topography  several groupings of the samples, and a map of the features
    weighting   features that have most in common with all others; without k
    supervised  features that tell classes apart; without k

Methods that choose a set of features:

    alignment   features that show which samples are near each other; n is their number
    gslda       sparse LDA or, without classes, sparse PCA: greedy, several sizes
    eslda       the same with a proof; k is a number of features
    sbs         features of a stable principal subspace; the k it finds is a number of components

`evidence` tells whether there is anything to find. With scikit-learn, every method is an estimator
too, such as `QAlpha`. `plotting` draws results, `datasets` makes data to try the methods on, and
`positivity` simulates the theory.

Importing the package loads nothing else: a part is imported when it is first used.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from specsel.estimators import ESTIMATORS

__version__ = "0.2.0"

__all__ = [
    "Aligned",
    "Intervals",
    "Path",
    "StableSubspace",
    "Subset",
    "Weights",
    "alignment",
    "datasets",
    "eslda",
    "evidence",
    "gslda",
    "kernel",
    "laplacian",
    "pairwise",
    "plotting",
    "positivity",
    "qalpha",
    "sbs",
    "side_info",
    "supervised",
    "topography",
    "weighting",
    # Without scikit-learn ``import *`` would fail for them.
    *(ESTIMATORS if find_spec("sklearn") else ()),
]

RESULTS = ("Aligned", "Intervals", "Path", "StableSubspace", "Subset", "Weights")

if TYPE_CHECKING:
    from specsel import (
        alignment,
        datasets,
        eslda,
        evidence,
        gslda,
        kernel,
        laplacian,
        pairwise,
        plotting,
        positivity,
        qalpha,
        sbs,
        side_info,
        supervised,
        topography,
        weighting,
    )
    from specsel.estimators import AlignmentSelector as AlignmentSelector
    from specsel.estimators import ExactSparseLDA as ExactSparseLDA
    from specsel.estimators import FisherWeighting as FisherWeighting
    from specsel.estimators import GreedySparseLDA as GreedySparseLDA
    from specsel.estimators import KernelQAlpha as KernelQAlpha
    from specsel.estimators import LaplacianQAlpha as LaplacianQAlpha
    from specsel.estimators import PairwiseQAlpha as PairwiseQAlpha
    from specsel.estimators import ParameterFreeWeighting as ParameterFreeWeighting
    from specsel.estimators import QAlpha as QAlpha
    from specsel.estimators import SideInfoQAlpha as SideInfoQAlpha
    from specsel.estimators import StabilitySelection as StabilitySelection
    from specsel.estimators import StableLSI as StableLSI
    from specsel.estimators import StablePCA as StablePCA
    from specsel.estimators import SupervisedQAlpha as SupervisedQAlpha
    from specsel.results import Aligned, Intervals, Path, StableSubspace, Subset, Weights
else:
    # Hidden from type checkers, which would take every attribute to exist.
    def __getattr__(name: str) -> object:
        """Import a public part when it is first used."""
        if name in RESULTS:
            return getattr(import_module("specsel.results"), name)
        if name in ESTIMATORS:
            return _estimator(name)
        if name in __all__:
            return import_module(f"specsel.{name}")
        raise AttributeError(f"module 'specsel' has no attribute {name!r}")


def _estimator(name: str) -> object:
    try:
        return getattr(import_module("specsel.estimators"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "sklearn":
            raise
    raise ImportError(f"{name} needs scikit-learn: pip install 'specsel[sklearn]'")


def __dir__() -> list[str]:
    special = [name for name in globals() if name.startswith("__")]
    return [*special, *__all__, "estimators"]
