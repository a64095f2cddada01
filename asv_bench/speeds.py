"""The README's table of speeds: ``python speeds.py --write``, in the folder ``asv_bench``.

Without ``--write`` the table is printed. Times are the best of a few runs, after one in which the
code is compiled; so run it alone on the machine.
"""

import argparse
import platform
import sys
import time
import warnings
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numba
import numpy as np
from benchmarks.common import expression, sides, some_pairs

import specsel
from specsel import datasets

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- speeds.py writes what follows -->\n", "<!-- speeds.py wrote this -->\n"
EXPLANATION = """\
`genes` are simulated gene expression with two classes, `noise` are normal random numbers, both as
samples × features, and `matrices` are two random covariance matrices. The first call of a method,
which compiles it, is left out."""


def genes(n_samples=72, n_features=7129):
    """Simulated gene expression with two classes, pairs of samples, and other samples."""
    X = expression(n_features, n_samples)
    other = expression(n_features, n_samples=30, seed=5)
    return {"X": X, "y": sides(X), "pairs": some_pairs(n_samples), "other": other}


def noise(n_samples, n_features):
    """Normal random numbers, feature after feature, with two classes."""
    X = np.random.default_rng(0).standard_normal((n_features, n_samples)).T
    return {"X": X, "y": np.arange(n_samples) % 2}


def matrices(n_features, _):
    """Two random covariance matrices."""
    A, B = datasets.wishart_pair(n_features, random_state=0)
    return {"A": A, "B": B}


# What is called, and on what: a function above and its arguments.
ROWS = (
    ("qalpha.solve(X, k=3)", genes, (72, 7129)),
    ("laplacian.solve(X, k=3)", genes, (72, 7129)),
    ("side_info.solve(X, other, k=3)", genes, (72, 7129)),
    ("pairwise.solve(X, k=3, apart=pairs)", genes, (72, 7129)),
    ("topography.solve(X, k=3)", genes, (72, 7129)),
    ("supervised.solve(X, y)", genes, (72, 7129)),
    ("weighting.solve(X)", genes, (72, 7129)),
    ("weighting.solve(X, y)", genes, (72, 7129)),
    ("alignment.solve(X, n=100)", genes, (72, 7129)),
    ("kernel.solve(X, k=3)", genes, (72, 1000)),
    ("gslda.solve(X, y, direction='forward', max_size=50)", genes, (72, 7129)),
    ("eslda.solve_pair(A, B, k=20)", matrices, (40, 40)),
    ("sbs.solve(X, matrix='correlation')", noise, (4601, 57)),
    ("qalpha.solve(X, k=3)", noise, (100, 10**6)),
)


def seconds(run, repeats):
    """Best time of so many runs, after one more, and what the last run returned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best, result = np.inf, run()
        for _ in range(repeats):
            start = time.perf_counter()
            result = run()
            best = min(best, time.perf_counter() - start)
    return best, result


def row(call, make, shape, repeats=5):
    """A line of the table."""
    names = {name: getattr(specsel, name) for name in specsel.__all__ if name.islower()}
    best, result = seconds(eval(f"lambda: {call}", names | make(*shape)), repeats)
    reads = getattr(result, "n_passes", "")
    size = " × ".join(f"{count:,}" for count in shape)
    return f"| `{call}` | {make.__name__} {size} | {best:.2g} s | {reads} |"


def table(rows, repeats=5):
    """The table, with machine, versions and date."""
    packages = [f"{name} {version(name)}" for name in ("numba", "numpy", "scipy")]
    versions = ", ".join([f"specsel {specsel.__version__}", *packages])
    threads = f"{numba.config.NUMBA_NUM_THREADS} threads"
    where = f"{processor()}, {threads}, Python {platform.python_version()}"
    return "\n".join(
        [
            EXPLANATION,
            f"Measured on {date.today()}: {where}, {versions}.",
            "",
            "| call | data | best time | reads of X |",
            "|---|---|---|---|",
            *(row(*one, repeats=repeats) for one in rows),
            "",
        ]
    )


def processor():
    """Name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # not Linux
        lines = []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def inserted(text, table, begin=BEGIN, end=END):
    """The text with another table between the markers."""
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"no lines {begin.strip()!r} and {end.strip()!r} to write between")
    return f"{before}{begin}\n{table}\n{end}{after}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the table to the README")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each call")
    args = parser.parse_args()
    found = table(ROWS, args.repeats)
    if args.write:
        README.write_text(inserted(README.read_text("utf-8"), found), "utf-8")
    else:
        sys.stdout.write(found)


if __name__ == "__main__":
    main()
