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

from specsel._methods import ESTIMATORS, METHODS

__version__ = "0.2.0"

RESULTS = ("Aligned", "Intervals", "Path", "StableSubspace", "Subset", "Weights")

__all__ = [
    *RESULTS,
    *METHODS,
    "datasets",
    "evidence",
    "plotting",
    "positivity",
    # Without scikit-learn ``import *`` would fail for them.
    *(ESTIMATORS if find_spec("sklearn") else ()),
]

if TYPE_CHECKING:
    from specsel import datasets as datasets
    from specsel import evidence as evidence
    from specsel import plotting as plotting
    from specsel import positivity as positivity
    from specsel._methods import *  # noqa: F403
    from specsel.estimators import *  # noqa: F403
    from specsel.results import Aligned as Aligned
    from specsel.results import Intervals as Intervals
    from specsel.results import Path as Path
    from specsel.results import StableSubspace as StableSubspace
    from specsel.results import Subset as Subset
    from specsel.results import Weights as Weights
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
