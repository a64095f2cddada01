"""Spectral feature selection: which features carry the structure of the samples?

A method is a module, and solves by its function ``solve``: `qalpha`, `weighting`, `laplacian`,
`supervised`, `kernel`, `side_info`, `topography` and `pairwise` weigh features; `alignment`,
`gslda`, `eslda` and `sbs` choose some. With scikit-learn every method is an estimator too, such as
`QAlpha`. `plotting` draws results, `datasets` makes data to try things on, and `positivity`
simulates the theory.
"""

from importlib import import_module
from importlib.util import find_spec

from specsel.estimators import ESTIMATORS

__version__ = "0.1.0"
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
]
RESULTS = ("Aligned", "Intervals", "Path", "StableSubspace", "Subset", "Weights")


def __getattr__(name):
    """Import a part when it is first asked for, so that importing the package costs nothing."""
    if name in RESULTS:
        return getattr(import_module("specsel.results"), name)
    if name in ESTIMATORS:
        return _estimator(name)
    if name in __all__:
        return import_module(f"specsel.{name}")
    raise AttributeError(f"module 'specsel' has no attribute {name!r}")


def _estimator(name):
    try:
        return getattr(import_module("specsel.estimators"), name)
    except ModuleNotFoundError as error:
        if error.name.split(".")[0] != "sklearn":
            raise
    raise ImportError(f"{name} needs scikit-learn: pip install 'specsel[sklearn]'")


def __dir__():
    return [*globals(), *__all__, *(ESTIMATORS if find_spec("sklearn") else ())]
