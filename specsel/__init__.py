"""Spectral feature selection: which features carry the structure of the samples?"""

from importlib import import_module

__version__ = "0.1.0"
__all__ = [
    "Intervals",
    "Path",
    "StableSubspace",
    "Subset",
    "Weights",
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


def __getattr__(name):
    """Import a part when it is first asked for, so that importing the package costs nothing."""
    if name in ("Path", "Subset", "Weights"):
        return getattr(import_module("specsel.results"), name)
    if name in ("Intervals", "StableSubspace"):
        return getattr(import_module("specsel.stability"), name)
    if name in __all__:
        return import_module(f"specsel.{name}")
    raise AttributeError(f"module 'specsel' has no attribute {name!r}")


def __dir__():
    return [*globals(), *__all__]
