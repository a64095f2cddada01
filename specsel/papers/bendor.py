"""Wolf and Shashua (JMLR 2005), Sec. 6: the model of gene expression of Ben-Dor et al. (2001).

There are two classes, of a and b samples, and m features. A share e of the features is irrelevant:
N(0, s), where the second parameter is the standard deviation. Each of the others is N(μ, |μ| s),
with a mean μ for each class that is uniform between -1.5 d and 1.5 d. The base values were fitted
to leukemia data.

The paper does not say how the features are scaled. We run them both ways: centred and of unit
norm, as `qalpha` has them, and centred only. With the second, a relevant feature is also known by
its size, which is about d, beside noise of size s (or about d s, where s is large).
"""

from collections.abc import Mapping, Sequence

import numpy as np

from specsel import kernel, qalpha
from specsel.papers import facts, report

BASE = {"m": 600, "a": 25, "b": 47, "e": 0.72, "d": 555.0, "s": 0.75}
VARIED = {
    "m": (5, 20, 100, 300, 1200),
    "e": (0.9, 0.95, 0.98, 0.995),
    "d": (1.0, 10.0, 100.0, 1000.0),
    "s": (1.0, 2.0, 10.0, 1000.0),
}
QUICK = {
    "runs": 3,
    "varied": {"m": (5, 100), "e": (0.95, 0.995), "d": (10.0,), "s": (2.0, 1000.0)},
}


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
        label = "base" if value is None else f"{name} = {value:g}"
        known = facts.GENE_MODEL.get(name, facts.NONE)
        for scale, weigh in SCALES.items():
            found = [outcome(given, seed, k, weigh) for seed in range(runs)]
            ratios, chances, right = zip(*found, strict=True)
            what = f"{label}, {scale}"
            rows += [
                report.row(what, ratios, unit="mean weight, relevant over irrelevant"),
                report.row(what, chances, known if name == "s" else facts.NONE, LIKELIER),
                report.row(what, right, known if name != "s" else facts.NONE, RIGHT),
            ]
    return report.Report(
        title="A model of gene expression",
        rows=rows,
        notes=(
            "the top holds as many features as are relevant; times likelier: the share of the "
            "relevant features that are in the top over that share of the others",
            f"published beside it: {facts.MAX_SURPRISE}",
            "the claims of the paper hold for centred features that keep their scale: five "
            "features are enough, e = .995 and any s above 1 do no harm. Features of unit norm "
            "lose that: what remains is how they correlate, and at s = 1000 the classes differ "
            "in their variance alone",
            "m = 5: one feature is relevant, and no other goes along with it",
            "d = 1: noise is as large as signal, and scale tells less than correlation",
        ),
    )


def draw(found, figure):
    """Bars, the chances on a logarithmic scale."""
    report.draw(found, figure)
    figure.axes[1].set_xscale("log")


def outcome(given, seed, k, weigh):
    """Ratio of the mean weights; of the chances to be in the top; share right of the top five."""
    X, n_relevant = expression(**given, seed=seed)
    weights = weigh(X, k)
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


def of_unit_norm(X, k):
    """Q-α of centred features of unit norm."""
    return qalpha.solve(X, k, init="seeded", max_iter=2000)


def of_own_scale(X, k):
    """Q-α of features that are only centred: the kernel form takes their inner products."""
    centred = X - X.mean(axis=0)
    products = centred.T @ centred
    return kernel.solve(products / products.max(), k, kernel="precomputed", max_iter=2000)


LIKELIER = "times likelier to be in the top"
RIGHT = "share right of the top five"
SCALES = {"unit norm": of_unit_norm, "own scale": of_own_scale}
