"""What the benchmarks share: sizes, data, and ratios of interleaved rounds."""

import os
import subprocess
import sys
import time

import numpy as np

FULL = os.environ.get("SPECSEL_BENCH") == "full"


def expression(n_features, n_samples=72, seed=0):
    """Simulated gene expression: a few groups of samples, correlated genes, heavy scales."""
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((n_samples, 8)) * np.geomspace(3, 0.5, 8)
    factors[:, 0] += 4 * (rng.random(n_samples) < 0.35)
    loadings = rng.standard_normal((8, n_features)) * (rng.random((8, n_features)) < 0.3)
    X = factors @ loadings + 1.5 * rng.standard_normal((n_samples, n_features))
    return X * np.exp(rng.standard_normal(n_features)) + 100


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


def in_new_process(source, **environment):
    """Last number that a Python program prints."""
    run = subprocess.run(
        [sys.executable, "-c", source],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout.split()[-1])
