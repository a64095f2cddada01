"""Wolf and Shashua (JMLR 2005), Fig. 2b and Sec. 4.3: weights positive and sparse by themselves.

The data are the linear problem of Fig. 3a, with six relevant features of 202, and random numbers.
The trace of the affinity is Σα. We report it too, as a share of what equal weights would give.
"""

import numpy as np

from specsel import datasets, qalpha
from specsel._validate import Floats
from specsel.papers import facts, report

QUICK = {"runs": 5}
N_FEATURES = 202


def run(
    n_samples: int = 60, k: int = 3, runs: int = 30, tell: report.Tell = None
) -> report.Report:
    """Weights on both kinds of data, and how positive and sparse they are."""
    sorted_weights: dict[str, list[Floats]] = {name: [] for name in DATA}
    negative: dict[str, list[float]] = {name: [] for name in DATA}
    for seed in report.each(range(runs), tell):
        for name, draw in DATA.items():
            weights = qalpha.solve(draw(n_samples, seed), k, max_iter=2000)
            sorted_weights[name].append(np.sort(weights.alpha)[::-1])
            negative[name].append(weights.negative_share)
    rows = []
    for name, found in sorted_weights.items():
        alphas = np.array(found)
        rows += [
            report.row(
                f"{name}: share of Σ|α| that is negative",
                negative[name],
                facts.SPARSITY["negative"],
            ),
            report.row(f"{name}: share of Σα² in six features", (alphas[:, :6] ** 2).sum(axis=1)),
            report.row(
                f"{name}: trace over that of equal weights", alphas.sum(axis=1) / N_FEATURES**0.5
            ),
        ]
    return report.Report(
        title=f"Sorted weights, {n_samples} samples, k = {k}",
        rows=rows,
        notes=(
            "published: a figure, in which the weights are positive and sparse, even for random "
            "numbers",
        ),
        lines={
            name: report.line(np.arange(1, N_FEATURES + 1), np.transpose(alphas))
            for name, alphas in sorted_weights.items()
        },
        x_label="rank of the feature",
        y_label="weight",
    )


DATA = {
    "linear problem": lambda n_samples, seed: (
        datasets.weston_linear(n_samples, n_features=N_FEATURES, random_state=seed).X
    ),
    "random numbers": lambda n_samples, seed: np.random.default_rng(seed).standard_normal(
        (n_samples, N_FEATURES)
    ),
}
