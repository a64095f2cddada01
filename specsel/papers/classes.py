"""Wolf and Shashua (JMLR 2005), Fig. 3b: the sparsity gap as the number of classes grows.

Sixty samples form tight clusters in five features; 120 more features are permuted. The gap is the
mean weight of the five features over the mean weight of the others. The figure has three choices
of k, and the text compares them; it also says that still smaller k does better in the mean.
"""

from collections.abc import Sequence

import numpy as np

from specsel import datasets, qalpha
from specsel.papers import facts, report

CLASSES = tuple(range(2, 11))
QUICK = {"runs": 10}
MANY = 7  # classes; from here on the gap is no longer wide where k is their number

CHOICES = {
    "k = n": lambda n_classes: n_classes,
    "k = n + 2": lambda n_classes: n_classes + 2,
    "k = max(1, n - 2)": lambda n_classes: max(1, n_classes - 2),
    "k = max(1, n - 4)": lambda n_classes: max(1, n_classes - 4),
}


def run(
    classes: Sequence[int] = CLASSES, runs: int = 20, tell: report.Tell = None
) -> report.Report:
    """Gaps for every number of classes and four choices of k, and the comparisons of the text."""
    found: dict[str, list[list[float]]] = {choice: [] for choice in CHOICES}
    for n_classes in report.each(classes, tell):
        for choice, k_of in CHOICES.items():
            found[choice].append([gap(n_classes, k_of(n_classes), seed) for seed in range(runs)])
    rows = [
        report.row(f"{n} classes, {choice}", values, published(choice, n), "gap")
        for choice in CHOICES
        for n, values in zip(classes, found[choice], strict=True)
    ]
    return report.Report(
        title="Mean weight of relevant features over that of the rest",
        rows=rows + compared(np.array(classes), {c: np.array(v) for c, v in found.items()}),
        notes=(
            "seeds whose clusters lie far apart have large gaps and raise the means, as in the "
            "paper",
            f"many classes: {MANY} and more. Spread: distance of the quartiles, which the figure "
            "draws, over the mean",
        ),
        lines={choice: report.line(classes, values) for choice, values in found.items()},
        x_label="number of classes",
        y_label="sparsity gap",
    )


def published(choice, n_classes):
    """What the paper says of the gap where k is the number of classes."""
    if choice != "k = n":
        return facts.NONE
    return facts.CLASSES["few" if n_classes < MANY else "many"]


def compared(classes, gaps):
    """Rows for the comparisons of the text, as ratios to k = n."""
    rows = [
        report.row(
            "k = n + 2, all numbers of classes",
            relative_spread(gaps["k = n + 2"]) / relative_spread(gaps["k = n"]),
            facts.CLASSES["k = n + 2"],
            "spread over that of k = n",
        )
    ]
    many = classes >= MANY
    for choice in ("k = max(1, n - 2)", "k = max(1, n - 4)"):
        if many.any():
            rows.append(
                report.row(
                    f"{choice}, many classes",
                    gaps[choice][many].mean() / gaps["k = n"][many].mean(),
                    facts.CLASSES[choice],
                    "gap over that of k = n",
                )
            )
    return rows


def relative_spread(gaps):
    """Mean over the numbers of classes of the distance of the quartiles over the mean gap."""
    low, high = np.percentile(gaps, (25, 75), axis=1)
    return float(np.mean((high - low) / gaps.mean(axis=1)))


def gap(n_classes, k, seed):
    data = datasets.growing_classes(n_classes, random_state=seed)
    alpha = qalpha.solve(data.X, k, max_iter=1000).alpha
    irrelevant = np.delete(alpha, data.relevant)
    return alpha[data.relevant].mean() / irrelevant.mean()
