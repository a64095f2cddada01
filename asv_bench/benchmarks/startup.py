"""What a new process costs: imports, and the first call, which compiles or loads compiled code."""

import tempfile

from .common import run_python

version = "1"

# Programs, as arguments of Python; the first call on data so small that it costs nothing else.
SOLVE = (
    "import numpy as np; from specsel import {0}; "
    "X, y = np.random.default_rng(0).random((30, 12)), np.arange(30); {0}.{1}"
)
CALLS = {
    "qalpha": ("qalpha", "solve(X, 2)"),
    "gslda": ("gslda", "solve(X, y % 3)"),
    "eslda of two classes": ("eslda", "solve(X, y % 2, 4)"),
    "eslda of three classes": ("eslda", "solve(X, y % 3, 4)"),
    "eslda of components": ("eslda", "solve(X, k=4)"),
    "eslda of all sizes": ("eslda", "solve(X, y % 2, 'all')"),
    "eslda of a pair": ("eslda", "solve_pair(X.T @ X, np.eye(12) + 0.1, 4)"),
}
FIRST = {name: ("-c", SOLVE.format(*call)) for name, call in CALLS.items()}
FIRST["specsel select"] = ("-m", "specsel", "select")


class Import:
    def timeraw_specsel(self):
        return "import specsel"

    def timeraw_qalpha(self):
        return "import specsel.qalpha"

    def timeraw_numba(self):
        return "import numba"

    def timeraw_estimators(self):
        return "import specsel; specsel.QAlpha"


class FirstCall:
    """Processor seconds of a process, imports included, with an empty cache and a full one.

    Processor seconds, for compiling takes several cores while it runs beside other work.
    """

    params = (list(FIRST),)
    param_names = ("call",)
    unit = "processor seconds"
    timeout = 600

    def setup_cache(self):
        found = {}
        for name, program in FIRST.items():
            with tempfile.TemporaryDirectory() as folder:
                seconds = [run_python(*program, NUMBA_CACHE_DIR=folder)[0] for _ in range(4)]
            found[name] = seconds[0], min(seconds[1:])
        return found

    setup_cache.timeout = 900

    def track_cold(self, found, call):
        return found[call][0]

    def track_warm(self, found, call):
        return found[call][1]
