"""Every method as a scikit-learn selector: `specsel.QAlpha` is `specsel.estimators.QAlpha`.

selectors  an estimator for every method
stability  how often any selector selects a feature
base       what all of them share
"""

from importlib import import_module
from typing import TYPE_CHECKING

from specsel._methods import ESTIMATORS

# The module of every function that is public here.
FUNCTIONS = {"jaccard": "stability", "kuncheva": "stability"}

if TYPE_CHECKING:
    from specsel.estimators.selectors import *  # noqa: F403
    from specsel.estimators.stability import *  # noqa: F403
else:
    # Hidden from type checkers, for which it would be an empty list.
    __all__ = [*ESTIMATORS, *FUNCTIONS]

    # scikit-learn is imported when an estimator is first used.
    def __getattr__(name: str) -> object:
        module = (ESTIMATORS | FUNCTIONS).get(name)
        if module:
            return getattr(import_module(f"specsel.estimators.{module}"), name)
        raise AttributeError(f"module 'specsel.estimators' has no attribute {name!r}")
