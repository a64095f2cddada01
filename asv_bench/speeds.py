"""Print the README's table of speeds: ``python speeds.py``, in the folder ``asv_bench``.

Times are the best of a few runs, after one in which the code is compiled: run it alone on the
machine. The calls are those of ``benchmarks/solve.py``, on its large data.
"""

import platform
import time
import warnings
from datetime import date
from importlib.metadata import version

import numba
import numpy as np
from benchmarks.solve import CALLS, prepare
from history import processor

import specsel

SHOWN = (
    "qalpha.solve(X, k=3)",
    "laplacian.solve(X, k=3)",
    "kernel.solve(X, k=3)",
    "weighting.solve(X)",
    "supervised.solve(X, y)",
    "alignment.solve(X, n=100)",
    "gslda.solve(X, y, direction='forward', max_size=50)",
    "eslda.solve(X, y, k=10)",
    "sbs.solve(X, matrix='correlation', random_state=0)",
)


def row(name, solve, shape, repeats=5):
    """Return a line of the table."""
    best, result = np.inf, solve()
    for _ in range(repeats):
        start = time.perf_counter()
        solve()
        best = min(best, time.perf_counter() - start)
    reads = getattr(result, "n_passes", "")
    return f"| `{name}` | {shape[0]:,} × {shape[1]:,} | {best:.2g} s | {reads} |"


def main():
    warnings.simplefilter("ignore")
    packages = ", ".join(f"{name} {version(name)}" for name in ("numba", "numpy", "scipy"))
    where = f"{processor()}, {numba.config.NUMBA_NUM_THREADS} threads"
    python = f"Python {platform.python_version()}"
    print(f"{date.today()}, {where}, {python}, specsel {specsel.__version__}, {packages}\n")
    print("| call | data | best time | reads of X |", "|---|---|---|---|", sep="\n")
    for call in SHOWN:
        shape = CALLS[call][1]
        print(row(call, prepare(call, shape), shape))
    wide = np.random.default_rng(0).standard_normal((10**6, 100)).T
    print(row(SHOWN[0], lambda: specsel.qalpha.solve(wide, 3), wide.shape, repeats=2))


if __name__ == "__main__":
    main()
