"""Spectral feature selection: which features carry the structure of the samples?"""

from importlib.metadata import version

from specsel import datasets, qalpha, weighting
from specsel.results import Weights

__version__ = version("specsel")
__all__ = ["Weights", "datasets", "qalpha", "weighting"]
