"""Moghaddam et al. (ICML 2006), Fig. 3: features of radar returns for discriminants.

As `sonar`, with 33 features of the 34, for one is constant.
"""

from specsel.papers import sonar

SIZES = (1, 2, 4, 8, 12, 16, 20, 24, 28, 33)
QUICK = {"sizes": (4, 16, 33), "trials": 5}


def run(sizes=SIZES, trials=100, tell=None):
    """Test errors for every method and size."""
    published = {f"{method}, 16 features": "11" for method in ("greedy", "thresholding")}
    return sonar.errors("ionosphere", sonar.METHODS, sizes, trials, published, tell)
