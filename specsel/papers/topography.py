"""Shashua and Wolf (ECCV 2004), Fig. 2: a map of two groupings of the same samples.

There are 150 samples and 20 features. Three features show one grouping of the samples in three
clusters, three show another one, three are sums of both (hybrids), and eleven are permuted. Two
rounds give every feature two positions and two relevances.
"""

import numpy as np

from specsel import datasets, topography
from specsel.papers import facts, report
from specsel.plotting import TopographyDisplay

TRIPLES = (slice(0, 3), slice(3, 6))
HYBRID, PERMUTED = slice(6, 9), slice(9, 20)
QUICK = {"runs": 20}


def run(runs: int = 100, tell: report.Tell = None) -> report.Report:
    """How many random versions of the data have their groupings told apart."""
    separated, contrasts, shares = [], [], []
    for seed in report.each(range(runs), tell):
        chart = mapped(seed)
        order = rounds_of_triples(chart)
        separated.append(separates(chart, order))
        own = [chart.relevances[TRIPLES[i], order[i]].mean() for i in (0, 1)]
        other = [chart.relevances[TRIPLES[i], order[1 - i]].mean() for i in (0, 1)]
        hybrid = chart.relevances[HYBRID].mean()
        contrasts.append(np.mean(own) / np.mean(other))
        shares.append(hybrid / chart.relevances[PERMUTED].mean())
    return report.Report(
        title="Two groupings of the same samples",
        rows=[
            report.row("groupings told apart", separated, facts.TOPOGRAPHY),
            report.row("relevance of a triple in its round over the other", contrasts),
            report.row("relevance of hybrid over permuted features", shares),
        ],
        notes=(
            "the paper does not give its data: each seed is a random version. Its groupings are "
            "told apart if in each round one triple and the hybrids are more relevant than all "
            "other features",
        ),
    )


def mapped(seed):
    return topography.solve(datasets.two_solutions(random_state=seed).X, 2, max_iter=2000)


def rounds_of_triples(chart):
    """Round of the first and of the second triple."""
    first, second = (chart.relevances[triple].mean(axis=0) for triple in TRIPLES)
    return (0, 1) if first[0] + second[1] >= first[1] + second[0] else (1, 0)


def separates(chart, order):
    """Whether each round has its triple above the other, and above twice all that is permuted."""
    good = True
    for i, round_of_triple in enumerate(order):
        relevance = chart.relevances[:, round_of_triple]
        noise = 2 * relevance[PERMUTED].max()
        good &= relevance[TRIPLES[i]].min() > max(relevance[TRIPLES[1 - i]].max(), noise)
        good &= relevance[HYBRID].min() > noise
    return bool(good)


def draw(report, figure, seed=1):
    """The map of one version."""
    names = datasets.two_solutions(random_state=seed).names
    TopographyDisplay.from_result(mapped(seed), names=names, ax=figure.add_subplot())
    figure.suptitle(report.title)
