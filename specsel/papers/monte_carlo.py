"""Moghaddam et al. (ICML 2006), Fig. 1: how near greedy search comes to the optimum.

Pairs of covariance matrices of fractional Brownian motions, 16 features, every number k of them:
the value that greedy search and simple thresholding reach, over that of the proved optimum. The
paper has 50,000 pairs; greedy is with additions and deletions alone, and also with swaps.
"""

import time

import numpy as np

from specsel import datasets, eslda, gslda
from specsel.papers import report

QUICK = {"pairs": 200}
PUBLISHED = {"greedy": "0.9 or more"}


def run(pairs=50_000, n_features=16, tell=None):
    """Ratios to the optimum for every method and size."""
    start = time.perf_counter()
    found = [ratios(n_features, seed) for seed in report.each(range(pairs), tell)]
    each_pair = (time.perf_counter() - start) / pairs
    sizes = np.arange(1, n_features + 1)
    rows, lines = [], {}
    for method in found[0]:
        values = np.array([one[method] for one in found]).T
        lines[method] = report.line(sizes, values)
        rows += [
            report.row(f"{method}, {k} features", of_size, PUBLISHED.get(method, "-"))
            for k, of_size in zip(sizes, values, strict=True)
        ]
    return report.Report(
        title="Value over the optimum",
        rows=rows,
        notes=(f"50,000 pairs as in the paper: {50_000 * each_pair / 60:.0f} minutes",),
        lines=lines,
        x_label="features",
        y_label="share of the optimum",
    )


def ratios(n_features, seed):
    """Share of the optimum at every size, by method."""
    A, B = datasets.brownian_pair(n_features, random_state=seed)
    best = eslda.solve_pair(A, B, "all").values
    thresholded = [gslda.simple_threshold(A, B, k).value for k in range(1, n_features + 1)]
    return {
        "greedy": gslda.solve_pair(A, B, refine=False).values / best,
        "greedy with swaps": gslda.solve_pair(A, B).values / best,
        "thresholding": np.array(thresholded) / best,
    }
