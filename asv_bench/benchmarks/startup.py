"""What a new process pays: imports, and the first solve with a cold and with a warm cache."""

import tempfile

from .common import in_new_process

SOLVE = """
import time
import numpy as np
from specsel import qalpha
X = np.random.default_rng(0).standard_normal((72, 2000))
start = time.perf_counter()
qalpha.solve(X, 3, tol=1e-2)
print(time.perf_counter() - start)
"""

IMPORT = """
import time
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""


class Import:
    def timeraw_import_specsel(self):
        return "import specsel"

    def timeraw_import_qalpha(self):
        return "import specsel.qalpha"

    def timeraw_import_numba(self):
        return "import numba"

    def track_over_numba(self):
        """Import of the algorithms over that of numba; the bar is 1.25."""
        seconds = {
            module: min(in_new_process(IMPORT.format(module=module)) for _ in range(5))
            for module in ("specsel.qalpha", "numba")
        }
        return seconds["specsel.qalpha"] / seconds["numba"]

    track_over_numba.unit = "times numba"


class FirstSolve:
    unit = "seconds"

    def setup_cache(self):
        folder = tempfile.mkdtemp()
        cold = in_new_process(SOLVE, NUMBA_CACHE_DIR=folder)
        warm = min(in_new_process(SOLVE, NUMBA_CACHE_DIR=folder) for _ in range(5))
        return cold, warm

    def track_cold(self, seconds):
        """The bar is 15."""
        return seconds[0]

    def track_warm(self, seconds):
        """The bar is 0.5."""
        return seconds[1]
