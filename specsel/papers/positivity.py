"""Wolf and Shashua (JMLR 2005), Fig. 2a: how likely a leading eigenvector is positive.

Random symmetric matrices with independent Gaussian entries of mean μ and deviation σ.
"""

from collections.abc import Sequence

import numpy as np

from specsel import positivity
from specsel.papers import facts, report

FIRST = (1 / 6, 2**0.5 / 6)
SECOND = (0.1, 1.0)
QUICK = {"trials": 200}


def run(
    first_sizes: Sequence[int] = (5, 10, 15, 20, 25, 30, 40, 50),
    second_sizes: Sequence[int] = (500, 700, 1000, 1500, 2000),
    trials: int = 1000,
    tell: report.Tell = None,
) -> report.Report:
    """Probabilities for both pairs of mean and deviation."""
    curves = [("μ = 1/6, σ = √2/6", FIRST, first_sizes), ("μ = .1, σ = 1", SECOND, second_sizes)]
    rows, lines = [], {}
    cases = [(label, n) for label, _, sizes in curves for n in sizes]
    parameters = {label: given for label, given, _ in curves}
    estimates = {
        (label, n): positivity.probability(n, *parameters[label], trials=trials, random_state=n)
        for label, n in report.each(cases, tell)
    }
    for label, _, sizes in curves:
        found = [estimates[label, n] for n in sizes]
        lines[label] = report.Line(*map(np.array, (sizes, *zip(*found, strict=True))))
        for n, (probability, low, high) in zip(sizes, found, strict=True):
            spread = (high - low) / 2
            known = published(label, n)
            what = f"{label}, n = {n}"
            rows.append(
                report.Row(what, known.value, probability, spread, trials, where=known.where)
            )
    return report.Report(
        title="Probability that the leading eigenvector is positive",
        rows=rows,
        notes=(
            "the deviation is half the width of a 95 % confidence interval; seeds are "
            "matrices here",
            "μ = .1, σ = 1: the paper says above .99 from n = 500 on. That is an error: n must be "
            "about four times as large",
        ),
        lines=lines,
        x_label="size of the matrix",
        y_label="probability",
    )


def draw(found, figure):
    """Draw both curves on a logarithmic scale, because their sizes lie far apart."""
    report.draw(found, figure)
    figure.axes[0].set_xscale("log")


def published(label, n):
    """The paper's claim: beyond n = 20 for the first curve, from n = 500 on for the second."""
    return facts.POSITIVITY[label] if n > 20 else facts.NONE
