"""Full solves of every method: time, memory, and how often X is read."""

import re
import warnings

import numpy as np

import specsel

from .common import FULL, expression, run_python, some_pairs, two_classes

# asv discards older results where this changes: change it with what is measured.
version = "1"

GENES = (72, 1000), (72, 7129)
# Every call, and the shape of small and of large data, as samples × features.
CALLS = {
    "qalpha.solve(X, k=3)": GENES,
    "qalpha.solve(X, k=3, criterion='gap')": GENES,
    "qalpha.solve(X, k=2)": ((2000, 60), (20_000, 60)),
    "laplacian.solve(X, k=3)": GENES,
    "kernel.solve(X, k=3)": ((72, 300), (72, 1000)),
    "side_info.solve(X, other, k=3)": GENES,
    "pairwise.solve(X, k=3, apart=pairs)": GENES,
    "topography.solve(X, k=3)": GENES,
    "weighting.solve(X)": GENES,
    "weighting.solve(X, y)": GENES,
    "supervised.solve(X, y)": GENES,
    "alignment.solve(X, n=100)": GENES,
    "alignment.solve(X, y, n=100)": GENES,
    "gslda.solve(X, y, direction='forward', max_size=50)": GENES,
    "gslda.solve(X, y)": ((500, 100), (500, 300)),
    "eslda.solve(X, y, k=10)": ((500, 30), (500, 60)),
    "sbs.solve(X, matrix='correlation', random_state=0)": ((1000, 30), (4601, 57)),
    "evidence.solve(X, k=3, n=19, random_state=0)": GENES,
    "positivity.probability(X.shape[1], 0.167, 0.236, trials=20)": ((2, 200), (2, 500)),
    "QAlpha(k=3).fit(X)": ((569, 30), (72, 1000)),
}


def prepare(call, shape):
    """Return a function that makes the call, on data of this shape.

    A commit may lack a method; asv skips what is not implemented.
    """
    X = expression(*shape)
    names = {"X": X, "y": two_classes(X), "pairs": some_pairs(shape[0])}
    names["other"] = expression(30, shape[1], seed=5)
    module = re.match(r"\w+", call)[0]
    try:
        names[module] = getattr(specsel, module)
    except AttributeError:
        raise NotImplementedError(f"no {module} in this version") from None
    return eval(f"lambda: {call}", names)


class Solve:
    """A full solve with the defaults, of data in memory."""

    params = (list(CALLS), ["small", "large"])
    param_names = ("call", "data")
    timeout = 300

    def setup(self, call, size):
        self.solve = prepare(call, CALLS[call][size == "large"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.result = self.solve()
        warnings.simplefilter("ignore")

    def time_solve(self, call, size):
        self.solve()

    def track_passes(self, call, size):
        """Reads of X, where the result counts them."""
        return float(getattr(self.result, "n_passes", np.nan))

    track_passes.unit = "reads of X"


class Wide:
    """Normal random numbers, 100 × 100,000; at full size 100 × 1,000,000."""

    timeout = 600

    def setup(self):
        n_features = 10**6 if FULL else 10**5
        self.X = np.random.default_rng(0).standard_normal((n_features, 100)).T
        specsel.qalpha.solve(self.X[:, :2000], 3)

    def time_solve(self):
        specsel.qalpha.solve(self.X, 3)


EXTRA_MEMORY = """
import resource, warnings
import numpy as np
from specsel import laplacian, pairwise, qalpha, side_info, supervised, weighting
from benchmarks.common import some_pairs
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
y, pairs = np.arange(100) % 2, some_pairs(100)
def solve(X):
    return {call}
solve(np.asfortranarray(rng.standard_normal((100, 2000))))
X = rng.standard_normal(({n_features}, 100)).T
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
solve(X)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) * 1024 / X.nbytes)
"""


class ExtraMemory:
    """Peak memory beyond X as a share of X; the bar is 0.15."""

    params = (
        [
            "qalpha.solve(X, 6, max_iter=2)",
            "laplacian.solve(X, 2, max_iter=2)",
            "side_info.solve(X, X[:30], 2, max_iter=2)",
            "pairwise.solve(X, 2, apart=pairs, max_iter=2)",
            "supervised.solve(X, y, max_iter=2)",
            "weighting.solve(X, y)",
        ],
    )
    param_names = ("call",)
    unit = "share of X"
    timeout = 600

    def track_extra_memory(self, call):
        n_features = 10**6 if FULL else 2 * 10**5
        program = EXTRA_MEMORY.format(call=call, n_features=n_features)
        return float(run_python("-c", program)[1].split()[-1])
