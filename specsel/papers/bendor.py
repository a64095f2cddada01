"""Wolf and Shashua (JMLR 2005), Sec. 6: the model of gene expression of Ben-Dor et al. (2001).

There are two classes, of a and b samples, and m features. A share e of the features is irrelevant:
N(0, s), where the second parameter is the standard deviation. Each of the others is N(μ, |μ| s),
with a mean μ for each class that is uniform between -1.5 d and 1.5 d. The base values were fitted
to leukemia data.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from specsel import qalpha
from specsel.papers import report

BASE = {"m": 600, "a": 25, "b": 47, "e": 0.72, "d": 555.0, "s": 0.75}
VARIED = {
    "m": (20, 100, 300, 1200),
    "e": (0.9, 0.95, 0.98, 0.995),
    "d": (1.0, 10.0, 100.0, 1000.0),
    "s": (1.0, 2.0, 10.0, 1000.0),
}
PUBLISHED = {"m": "robust", "e": "1 up to .995", "d": "robust", "s": "robust"}
QUICK = {"runs": 3, "varied": {"m": (100,), "e": (0.95, 0.995), "d": (10.0,), "s": (2.0, 1000.0)}}


def run(
    varied: Mapping[str, Sequence[float]] = VARIED,
    runs: int = 20,
    k: int = 2,
    tell: report.Tell = None,
) -> report.Report:
    """Ratio of mean weights, and how many of the five largest are right."""
    settings = [("base", None)] + [(name, v) for name, values in varied.items() for v in values]
    rows = []
    for name, value in report.each(settings, tell):
        given = BASE if value is None else BASE | {name: value}
        found = [outcome(given, seed, k) for seed in range(runs)]
        ratios, chances, right = zip(*found, strict=True)
        label = "base" if value is None else f"{name} = {value:g}"
        likelier = "30 at least" if name == "s" else "-"
        rows += [
            report.row(label, ratios, unit="mean weight, relevant over irrelevant"),
            report.row(label, chances, likelier, unit="times likelier to be in the top"),
            report.row(label, right, PUBLISHED.get(name, "1"), unit="share right of the top five"),
        ]
    return report.Report(
        title="A model of gene expression",
        rows=rows,
        notes=(
            "the top holds as many features as are relevant; times likelier: the share of the "
            "relevant features that are in the top over that share of the others",
            "the solver starts from single features: at e = .995 few features are relevant, and "
            "the other starts often find none of them",
            "s = 10, 1000: the means are small beside the deviations; the classes then differ in "
            "variance, which features of unit norm hardly show",
        ),
    )


def draw(found, figure):
    """Bars, the chances on a logarithmic scale."""
    report.draw(found, figure)
    figure.axes[1].set_xscale("log")


def outcome(given, seed, k):
    """Ratio of the mean weights; of the chances to be in the top; share right of the top five."""
    X, n_relevant = expression(**given, seed=seed)
    weights = qalpha.solve(X, k, init="seeded", max_iter=2000)
    alpha = weights.alpha
    top = weights.select(n_relevant) < n_relevant
    missed = max((~top).sum(), 0.5) / (len(alpha) - n_relevant)
    return (
        alpha[:n_relevant].mean() / max(alpha[n_relevant:].mean(), 1e-12),
        top.mean() / missed,
        (weights.select(min(5, n_relevant)) < n_relevant).mean(),
    )


def expression(m, a, b, e, d, s, seed=0):
    """Samples x features, the relevant ones first, and their number."""
    rng = np.random.default_rng(seed)
    n_relevant = max(1, round((1 - e) * m))
    means = rng.uniform(-1.5 * d, 1.5 * d, (2, n_relevant))[np.repeat([0, 1], [a, b])]
    noise = rng.normal(0.0, s, (a + b, m - n_relevant))
    return np.hstack((rng.normal(means, np.abs(means) * s), noise)), n_relevant
