"""Every method as a scikit-learn selector: `specsel.QAlpha` is `specsel.estimators.QAlpha`.

weighting  the methods that give every feature a weight
alignment  features aligned with neighbours or classes
side       those of them that take side data or pairs of samples
subsets    sparse LDA and stable subspaces
stability  how often any selector selects a feature
base       what all of them share
"""

from importlib import import_module
from typing import TYPE_CHECKING

# The file of every estimator, and of the functions that are public here.
ESTIMATORS = {
    "AlignmentSelector": "alignment",
    "ExactSparseLDA": "subsets",
    "FisherWeighting": "weighting",
    "GreedySparseLDA": "subsets",
    "KernelQAlpha": "weighting",
    "LaplacianQAlpha": "weighting",
    "PairwiseQAlpha": "side",
    "ParameterFreeWeighting": "weighting",
    "QAlpha": "weighting",
    "SideInfoQAlpha": "side",
    "StabilitySelection": "stability",
    "StableLSI": "subsets",
    "StablePCA": "subsets",
    "SupervisedQAlpha": "weighting",
}
FUNCTIONS = {"jaccard": "stability", "kuncheva": "stability"}

__all__ = [
    "AlignmentSelector",
    "ExactSparseLDA",
    "FisherWeighting",
    "GreedySparseLDA",
    "KernelQAlpha",
    "LaplacianQAlpha",
    "PairwiseQAlpha",
    "ParameterFreeWeighting",
    "QAlpha",
    "SideInfoQAlpha",
    "StabilitySelection",
    "StableLSI",
    "StablePCA",
    "SupervisedQAlpha",
    "jaccard",
    "kuncheva",
]

if TYPE_CHECKING:
    from specsel.estimators.alignment import AlignmentSelector
    from specsel.estimators.side import PairwiseQAlpha, SideInfoQAlpha
    from specsel.estimators.stability import StabilitySelection, jaccard, kuncheva
    from specsel.estimators.subsets import ExactSparseLDA, GreedySparseLDA, StableLSI, StablePCA
    from specsel.estimators.weighting import (
        FisherWeighting,
        KernelQAlpha,
        LaplacianQAlpha,
        ParameterFreeWeighting,
        QAlpha,
        SupervisedQAlpha,
    )
else:
    # scikit-learn is imported when an estimator is first used.
    def __getattr__(name: str) -> object:
        home = (ESTIMATORS | FUNCTIONS).get(name)
        if home:
            return getattr(import_module(f"specsel.estimators.{home}"), name)
        raise AttributeError(f"module 'specsel.estimators' has no attribute {name!r}")
