"""How time grows: ``python scaling.py``, in the folder ``asv_bench``, alone on the machine.

One of the number of features n, of samples q, of directions k and of threads varies, the others
stay. Time is the best of a few runs, of one read of the data where a method repeats reads. Theory
says by which power of the size it should grow, the cost in the README's table; the fit, through
the larger half of the sizes, says by which it does. Fixed costs make the fit smaller. What reads
memory and hardly computes does not gain from more directions or threads as theory has it.

Sizes end where the data would take more than a third of the memory that is free, or where the runs
of one size take longer than ``--longest``.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np

from specsel import (
    alignment,
    gslda,
    kernel,
    laplacian,
    pairwise,
    qalpha,
    sbs,
    side_info,
    supervised,
    weighting,
)


class Case(NamedTuple):
    """Sizes of a problem."""

    n: int = 10**5
    q: int = 72
    k: int = 3
    threads: int = numba.config.NUMBA_NUM_THREADS


class Study(NamedTuple):
    """A method, of which one size varies."""

    method: str
    axis: str
    theory: float
    sizes: tuple[int, ...]
    fixed: Case = Case()


def decades(first, last):
    """Powers of ten and what is half-way between, both included."""
    return tuple(round(10 ** (i / 2)) for i in range(2 * first, 2 * last + 1))


FEATURES = decades(3, 7)
SAMPLES = (25, 50, 100, 200, 400)
DIRECTIONS = (2, 4, 8, 16, 32)
THREADS = tuple(2**i for i in range(numba.config.NUMBA_NUM_THREADS.bit_length()))

STUDIES = (
    Study("qalpha", "n", 1, FEATURES),
    Study("qalpha", "q", 1, SAMPLES),
    Study("qalpha", "k", 1, DIRECTIONS),
    Study("qalpha", "threads", -1, THREADS, Case(10**6, k=6)),
    Study("laplacian", "n", 1, FEATURES),
    Study("supervised", "n", 1, FEATURES),
    Study("side_info", "n", 1, FEATURES),
    Study("pairwise", "n", 1, FEATURES),
    Study("weighting", "n", 1, FEATURES),
    Study("weighting", "q", 2, SAMPLES),
    Study("alignment", "n", 1, decades(3, 6)),
    Study("kernel", "n", 2, (500, 1000, 2000, 4000, 8000)),
    Study("gslda forward", "n", 1, FEATURES),
    Study("gslda backward", "n", 3, (250, 500, 1000, 2000)),
    Study("sbs", "n", 2, (50, 100, 200, 400), Case(q=500)),
    Study("sbs", "q", 1, (500, 1000, 2000, 4000), Case(n=50)),
)


def labels(case):
    """Two classes."""
    return np.arange(case.q) % 2


def basis(case):
    """Orthonormal directions to start from, which cost no read."""
    return np.linalg.qr(np.random.default_rng(1).standard_normal((case.q, case.k)))[0]


def pairs(case):
    """Pairs of different samples."""
    return np.column_stack((np.arange(case.q - 1), np.arange(1, case.q)))


# A short run of every method; each returns how many times it did what theory has the cost of.
RUNS: dict[str, Callable[[np.ndarray, Case], int]] = {
    "qalpha": lambda X, case: (
        qalpha.solve(X, case.k, init=basis(case), tol=0.5, max_iter=1).n_passes
    ),
    "laplacian": lambda X, case: laplacian.solve(X, case.k, tol=0.5, max_iter=1).n_passes,
    "supervised": lambda X, case: supervised.solve(X, labels(case), tol=0.5, max_iter=1).n_passes,
    "side_info": lambda X, case: (
        side_info.solve(X, np.ones(case.n), case.k, tol=0.5, max_iter=1).n_passes
    ),
    "pairwise": lambda X, case: (
        pairwise.solve(X, case.k, apart=pairs(case), tol=0.5, max_iter=1).n_passes
    ),
    "weighting": lambda X, case: weighting.solve(X).n_passes,
    "alignment": lambda X, case: len(alignment.solve(X, n=20).support),
    "kernel": lambda X, case: kernel.solve(X, case.k, max_iter=1).n_iter,
    "gslda forward": lambda X, case: len(
        gslda.solve(X, labels(case), direction="forward", refine=False, max_size=20).sizes
    ),
    "gslda backward": lambda X, case: bool(
        gslda.solve(X, labels(case), direction="backward", refine=False)
    ),
    "sbs": lambda X, case: bool(sbs.intervals(X, matrix="correlation", n_boot=100)),
}


def seconds(method, case, longest, repeats=3):
    """Best time of a run on random data, over what it did; no new run begins after `longest`."""
    X = np.random.default_rng(0).standard_normal((case.n, case.q)).T
    threads = numba.get_num_threads()
    numba.set_num_threads(case.threads)
    began, times = time.perf_counter(), []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            while len(times) <= repeats and time.perf_counter() - began <= longest:
                start = time.perf_counter()
                count = RUNS[method](X, case)
                times.append((time.perf_counter() - start) / count)
    finally:
        numba.set_num_threads(threads)
    return min(times)


def exponent(sizes, times):
    """Slope of the line through the logarithms, of the larger half and of two points at least."""
    most = max(2, (len(sizes) + 1) // 2)
    return float(np.polyfit(np.log(sizes[-most:]), np.log(times[-most:]), 1)[0])


def measure(study, *, memory, longest, say=print):
    """Measure one size after the other; return the sizes and the times."""
    sizes, times = [], []
    for size in study.sizes:
        case = study.fixed._replace(**{study.axis: size})
        if 8 * case.n * case.q > memory:
            say(f"  {study.axis} = {size}: left out, X would take {8e-9 * case.n * case.q:.1f} GB")
            break
        start = time.perf_counter()
        sizes.append(size)
        times.append(seconds(study.method, case, longest))
        say(f"  {study.axis} = {size}: {times[-1]:.3g} s")
        if time.perf_counter() - start > longest:
            break
    return sizes, times


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="all by default")
    parser.add_argument("--largest", type=int, default=10**7, help="size, of any kind")
    parser.add_argument("--longest", type=float, default=60, help="seconds for a size")
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 3
    parser.add_argument("--memory", type=float, default=free / 1e9, help="GB that X may take")
    args = parser.parse_args(arguments)
    known = {study.method for study in STUDIES}
    if not known.issuperset(args.methods):
        parser.error(f"METHOD: one of {', '.join(sorted(known))}")
    lines = ["| method | varies | from | to | fitted | theory |", "|---|---|---|---|---|---|"]
    for study in STUDIES:
        if args.methods and study.method not in args.methods:
            continue
        print(f"{study.method}, {study.axis} varies")
        within = tuple(size for size in study.sizes if size <= args.largest)
        fixed = study.fixed._replace(n=min(study.fixed.n, args.largest))
        limits = {"memory": args.memory * 1e9, "longest": args.longest}
        sizes, times = measure(study._replace(sizes=within, fixed=fixed), **limits)
        if len(sizes) > 1:
            fitted = f"{exponent(sizes, times):.2f}"
            lines.append(
                f"| {study.method} | {study.axis} | {sizes[0]} | {sizes[-1]} | {fitted} | "
                f"{study.theory} |"
            )
    print("", *lines, sep="\n")


if __name__ == "__main__":
    main()
