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

from specsel._methods import ESTIMATORS

# The file of every function that is public here.
FUNCTIONS = {"jaccard": "stability", "kuncheva": "stability"}

if TYPE_CHECKING:
    from specsel.estimators.alignment import *  # noqa: F403
    from specsel.estimators.side import *  # noqa: F403
    from specsel.estimators.stability import *  # noqa: F403
    from specsel.estimators.subsets import *  # noqa: F403
    from specsel.estimators.weighting import *  # noqa: F403
else:
    # Hidden from type checkers, for which it would be an empty list.
    __all__ = [*ESTIMATORS, *FUNCTIONS]

    # scikit-learn is imported when an estimator is first used.
    def __getattr__(name: str) -> object:
        home = (ESTIMATORS | FUNCTIONS).get(name)
        if home:
            return getattr(import_module(f"specsel.estimators.{home}"), name)
        raise AttributeError(f"module 'specsel.estimators' has no attribute {name!r}")
