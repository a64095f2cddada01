"""Wolf and Shashua (JMLR 2005), Fig. 3b: the sparsity gap as the number of classes grows.

Sixty samples form tight clusters in five features; 120 more features are permuted. The gap is the
mean weight of the five features over the mean weight of the others.
"""

from collections.abc import Sequence

import numpy as np

from specsel import datasets, qalpha
from specsel.papers import report

CLASSES = tuple(range(2, 11))
QUICK = {"runs": 10}

CHOICES = {
    "k = n": lambda n_classes: n_classes,
    "k = n + 2": lambda n_classes: n_classes + 2,
    "k = max(1, n - 2)": lambda n_classes: max(1, n_classes - 2),
}


def run(
    classes: Sequence[int] = CLASSES, runs: int = 20, tell: report.Tell = None
) -> report.Report:
    """Gaps for every number of classes and three choices of k."""
    found: dict[str, list[list[float]]] = {choice: [] for choice in CHOICES}
    for n_classes in report.each(classes, tell):
        for choice, k_of in CHOICES.items():
            found[choice].append([gap(n_classes, k_of(n_classes), seed) for seed in range(runs)])
    rows = [
        report.row(f"{n} classes, {choice}", values, published(choice, n))
        for choice in CHOICES
        for n, values in zip(classes, found[choice], strict=True)
    ]
    return report.Report(
        title="Mean weight of relevant features over that of the rest",
        rows=rows,
        notes=(
            "seeds whose clusters lie far apart have large gaps and raise the means, as in the "
            "paper",
        ),
        lines={choice: report.line(classes, values) for choice, values in found.items()},
        x_label="number of classes",
        y_label="sparsity gap",
    )


def published(choice, n_classes):
    return "5-10" if choice == "k = n" and n_classes <= 6 else "above 1"


def gap(n_classes, k, seed):
    data = datasets.growing_classes(n_classes, random_state=seed)
    alpha = qalpha.solve(data.X, k, max_iter=1000).alpha
    irrelevant = np.delete(alpha, data.relevant)
    return alpha[data.relevant].mean() / irrelevant.mean()
