"""Hundreds of solves in one process leave nothing behind; ``SPECSEL_SOLVES=10000`` runs more."""

import os

from faults import running

# What a solve may leave on average: objects of Python, and bytes of the process. All together may
# leave what caches and the allocator hold back, however many they are.
OBJECTS, OBJECTS_ONCE = 0.1, 1000
BYTES, BYTES_ONCE = 1000, 4e6

SCRIPT = """
import gc, sys
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
solve(count // 2)
blocks, bytes = sys.getallocatedblocks(), resident()
solve(count // 2)
print((sys.getallocatedblocks() - blocks) / (count // 2))
print((resident() - bytes) / (count // 2))
"""


def test_solves_leave_nothing_behind():
    count = int(os.environ.get("SPECSEL_SOLVES", "400"))
    objects, size = map(float, running.lines(SCRIPT, count))
    print(f"{count} solves: each left {objects:.3f} objects of Python and {size:.0f} bytes")
    assert objects < OBJECTS + OBJECTS_ONCE / count
    assert size < BYTES + BYTES_ONCE / count
