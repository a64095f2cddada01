"""What several benchmarks share: sizes, data, ratios, and new processes."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

FULL = os.environ.get("SPECSEL_BENCH") == "full"


def expression(n_samples, n_features, seed=0):
    """Return simulated gene expression: two groups of samples, correlated genes, heavy scales."""
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((n_samples, 8)) * np.geomspace(3, 0.5, 8)
    factors[:, 0] += 4 * (rng.random(n_samples) < 0.35)
    loadings = rng.standard_normal((8, n_features)) * (rng.random((8, n_features)) < 0.3)
    X = factors @ loadings + 1.5 * rng.standard_normal((n_samples, n_features))
    return X * np.exp(rng.standard_normal(n_features)) + 100


def two_classes(X):
    """Return two classes that the data show: the sides of the first principal component."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    first = np.linalg.svd(Z, full_matrices=False)[0][:, 0]
    return (first > np.median(first)).astype(int)


def some_pairs(n_samples, count=1000):
    """Return pairs of different samples."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, n_samples, count)
    return np.column_stack((first, (first + rng.integers(1, n_samples, count)) % n_samples))


def best_of_interleaved(calls, rounds):
    """Return the best seconds of every call, in rounds of one call each, after one to warm up."""
    for call in calls:
        call()
    best = [np.inf] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def run_python(*arguments, **environment):
    """Run Python in a new process; return the processor seconds it took and what it printed."""
    paths = [str(Path(__file__).parents[1]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode not in (0, 1):  # the command ends with 1 where nothing is proved
        raise RuntimeError(run.stderr)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds, run.stdout
