"""Every method as a scikit-learn selector: `specsel.QAlpha` is `specsel.estimators.QAlpha`.

weighting  the methods that weigh features
alignment  features aligned with neighbours or classes
side       those with side data and with pairs of samples
subsets    sparse LDA and stable subspaces
stability  how often any selector selects a feature
base       what they share
"""

from importlib import import_module

# In which file an estimator is, and what else is public here.
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

__all__ = ["jaccard", "kuncheva", *ESTIMATORS]


def __getattr__(name):
    home = (ESTIMATORS | FUNCTIONS).get(name)
    if home:
        return getattr(import_module(f"specsel.estimators.{home}"), name)
    raise AttributeError(f"module 'specsel.estimators' has no attribute {name!r}")
