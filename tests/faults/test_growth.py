"""Hundreds of solves in one process leave nothing behind; ``SPECSEL_SOLVES=10000`` runs more."""

import os

from faults import running

# Bytes that a solve may leave, on average: caches that fill up once weigh little in many solves.
LEFT = 100

SCRIPT = """
import gc, sys, tracemalloc
import numpy as np
from specsel import eslda, gslda, kernel, laplacian, qalpha, sbs, side_info, supervised, weighting

X, y = np.random.default_rng(0).standard_normal((8, 6)), np.arange(8) % 2
SOLVES = (
    lambda: qalpha.solve(X, 1),
    lambda: weighting.solve(X, y),
    lambda: laplacian.solve(X, 1, max_iter=3),
    lambda: supervised.solve(X, y, max_iter=3),
    lambda: side_info.solve(X, X[:4] ** 2, 1),
    lambda: kernel.solve(X, 1),
    lambda: gslda.solve(X, y),
    lambda: eslda.solve(X, y, 2),
    lambda: sbs.solve(X, matrix="covariance", n_boot=100, random_state=0),
)

def solve(count):
    for number in range(count):
        SOLVES[number % len(SOLVES)]()
    gc.collect()

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

count = int(sys.argv[1])
solve(count // 4)
tracemalloc.start()
solve(count // 4)
before, there = tracemalloc.get_traced_memory()[0], resident()
solve(count // 2)
print((tracemalloc.get_traced_memory()[0] - before) / (count // 2))
print((resident() - there) / (count // 2))
"""


def test_solves_leave_nothing_behind():
    count = int(os.environ.get("SPECSEL_SOLVES", "400"))
    python, process = map(float, running.lines(SCRIPT, count))
    print(f"{count} solves: {python:.0f} bytes of Python each, {process:.0f} of the process")
    assert python < LEFT
    assert process < 10 * LEFT + 4e6 / count  # pages come in lots
