"""Wolf and Shashua (JMLR 2005), Sec. 2.2 and Def. 5: Q-α of the Laplacian.

The paper defines it and gives no experiment. Here two clusters of 60 samples lie apart in 20 of 60
features, whose positive and negative parts around the median are the non-negative features that
the Laplacian needs. We report how well the basis shows the partition, and how many of the twenty
largest weights are right, for both shifts: the largest degree, and the largest diagonal entry that
Def. 5 prints. Plain Q-α stands beside them.

Def. 5 lacks a vector of ones, by which its shift is about as many times too small as there are
samples. The basis then spans the wrong end of the spectrum.
"""

from collections.abc import Callable

import numpy as np

from specsel import laplacian, qalpha
from specsel.papers import report
from specsel.results import Weights

N_SAMPLES, N_FEATURES, N_RELEVANT = 60, 60, 20
DISTANCE = 4.0  # between the clusters, in deviations
QUICK = {"runs": 5}


def run(runs: int = 20, tell: report.Tell = None) -> report.Report:
    """Share of the clusters in the basis, and of the best features that are right."""
    rows = []
    for name, solve in report.each(METHODS.items(), tell):
        found = [outcome(solve, seed) for seed in range(runs)]
        spanned, right = zip(*found, strict=True)
        rows += [
            report.row(name, spanned, unit=PROJECTED),
            report.row(name, right, unit=RIGHT),
        ]
    return report.Report(
        title="Clusters found through the Laplacian",
        rows=rows,
        notes=(f"{PROJECTED}: 1 if the basis shows it fully",),
    )


def outcome(solve, seed):
    """Length of the partition's projection on the basis, and share of features right."""
    X, partition = two_clusters(seed)
    weights = solve(X)
    right = weights.select(N_RELEVANT) < N_RELEVANT
    return np.linalg.norm(weights.basis.T @ partition), right.mean()


def two_clusters(seed):
    """Samples x features, the relevant ones first, and the partition as a unit vector."""
    rng = np.random.default_rng(seed)
    partition = np.repeat([-1.0, 1.0], N_SAMPLES // 2)
    X = rng.standard_normal((N_SAMPLES, N_FEATURES))
    signs = rng.choice([-1, 1], N_RELEVANT)
    X[:, :N_RELEVANT] += DISTANCE / 2 * partition[:, None] * signs
    return X, partition / np.linalg.norm(partition)


METHODS: dict[str, Callable[[np.ndarray], Weights]] = {
    "largest degree": lambda X: laplacian.solve(X, 2, max_iter=1000),
    "as Def. 5 prints": lambda X: laplacian.solve(X, 2, shift="definition", max_iter=1000),
    "without the Laplacian": lambda X: qalpha.solve(X, 2, max_iter=1000),
}

PROJECTED = "length of the partition's projection on the basis"
RIGHT = "share right of the top twenty"
