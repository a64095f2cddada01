"""What the benchmarks share: sizes, data, literal definitions, ratios, and new processes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy.sparse.linalg import eigsh

FULL = os.environ.get("SPECSEL_BENCH") == "full"

# The sizes of the variants of Q-α: samples of `expression`, and directions.
N_SAMPLES = 72
K = 2


def expression(n_features, n_samples=N_SAMPLES, seed=0):
    """Simulated gene expression: a few groups of samples, correlated genes, heavy scales."""
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((n_samples, 8)) * np.geomspace(3, 0.5, 8)
    factors[:, 0] += 4 * (rng.random(n_samples) < 0.35)
    loadings = rng.standard_normal((8, n_features)) * (rng.random((8, n_features)) < 0.3)
    X = factors @ loadings + 1.5 * rng.standard_normal((n_samples, n_features))
    return X * np.exp(rng.standard_normal(n_features)) + 100


def sides(X):
    """Two classes that the data show: the sides of the first principal component."""
    first = np.linalg.svd(standardise(X), full_matrices=False)[2][0]
    return (first > np.median(first)).astype(int)


def some_pairs(n_samples=N_SAMPLES, count=1000):
    """Pairs of different samples."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, n_samples, count)
    return np.column_stack((first, (first + rng.integers(1, n_samples, count)) % n_samples))


def standardise(X, center=True):
    """Features × samples, of unit norm."""
    M = (X - X.mean(axis=0) if center else X).T
    norm = np.linalg.norm(M, axis=1, keepdims=True)
    return M / np.where(norm > 0, norm, 1)


def parts(X):
    """Every feature as two: what it has above its median, and what it has below."""
    deviation = X - np.median(X, axis=0)
    return standardise(np.hstack((np.maximum(deviation, 0), np.maximum(-deviation, 0))), False)


def leading_right(M, k=K):
    """The basis of equal weights: where literal and fast methods both start."""
    return np.ascontiguousarray(np.linalg.svd(M, full_matrices=False)[2][:k].T)


def leader(n):
    """Return a function that finds the leading eigenvector of a matrix from the last one it found.

    Its sum is positive.
    """
    start = [np.ones(n)]

    def lead(G):
        vector = eigsh(G, k=1, which="LA", v0=start[0])[1][:, 0]
        start[0] = vector * np.sign(vector.sum())
        return start[0]

    return lead


def literal_solve(step, bases, tol=1e-10):
    """Repeat a literal step, which gives the next bases and the objective, until that settles."""
    best, previous = -np.inf, 0.0
    while True:
        bases, objective = step(bases)
        best = max(best, objective)
        if abs(objective - previous) <= tol * abs(objective):
            return best
        previous = objective


def best_of_interleaved(calls, rounds):
    """Best seconds of every call, in rounds that run each once, after one to warm up."""
    for call in calls:
        call()
    best = [np.inf] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def times_faster(ours, theirs):
    """Time of theirs over the median of ours; one run of theirs lasts long enough."""
    ours()
    median = float(np.median([best_of_interleaved([ours], 1)[0] for _ in range(8)]))
    return best_of_interleaved([theirs], 1)[0] / median


def in_new_process(source, **environment):
    """Last number that a Python program prints, which may import `benchmarks`."""
    paths = [str(Path(__file__).parents[1]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    path = os.pathsep.join(filter(None, paths))
    run = subprocess.run(
        [sys.executable, "-c", source],
        env=os.environ | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout.split()[-1])


EXTRA_MEMORY = """
import resource, warnings
import numpy as np
from specsel import {module}
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
y = np.arange(100) % 2
first = rng.integers(0, 100, 1000)
pairs = np.column_stack((first, (first + rng.integers(1, 100, 1000)) % 100))
def solve(X, side):
    return {module}.solve(X, {arguments})
solve(np.asfortranarray(rng.standard_normal((100, 2000))), rng.random(2000))
X = rng.standard_normal(({n_features}, 100)).T
side = rng.random({n_features})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
solve(X, side)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) * 1024 / X.nbytes)
"""


def extra_memory(module, arguments):
    """Peak memory of ``solve(X, arguments)`` beyond X, as a share of X.

    The arguments may name ``y``, ``pairs``, and ``side``, a number a feature.
    """
    n_features = 10**6 if FULL else 2 * 10**5
    return in_new_process(
        EXTRA_MEMORY.format(module=module, arguments=arguments, n_features=n_features)
    )
