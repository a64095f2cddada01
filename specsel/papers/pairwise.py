"""Shashua and Wolf (ECCV 2004), Sec. 5: pairs of samples that are known to differ.

The paper defines the method and gives no experiment with numbers. The data here are those of its
map: 150 samples are grouped in two ways, each by three of 20 features. Pairs of samples from
different clusters of the first grouping say which one is meant. We report how much more the
features of this grouping weigh than those of the other, and the share of weight that is negative,
which the paper hopes to be small. Without pairs neither grouping is preferred.

With centred features a pair that differs strongly has a large product of negative sign, and its
square punishes the features that tell the samples apart. Non-negative features, here the positive
and the negative part of a column, have no such products.
"""

from collections.abc import Sequence

import numpy as np

from specsel import datasets, pairwise
from specsel.papers import facts, report

MEANT, OTHER = slice(0, 3), slice(3, 6)
N_PAIRS = 200
REPRESENTATIONS = ("parts", "centered")
QUICK = {"runs": 5}


def run(
    tradeoffs: Sequence[float] = (0.0, 0.5, 1.0, 3.0), runs: int = 20, tell: report.Tell = None
) -> report.Report:
    """Ratios of weights, and negative shares, for every trade-off and representation."""
    cases = [(kind, tradeoff) for kind in REPRESENTATIONS for tradeoff in tradeoffs]
    rows = []
    for kind, tradeoff in report.each(cases, tell):
        found = [outcome(kind, tradeoff, seed) for seed in range(runs)]
        ratios, negative = zip(*found, strict=True)
        what = f"{kind}, trade-off {tradeoff:g}"
        rows += [
            report.row(what, ratios, unit="share of the meant grouping"),
            report.row(what, negative, facts.PAIRS["negative"], "negative share"),
        ]
    return report.Report(
        title="Two groupings, of which pairs of samples name one",
        rows=rows,
        notes=(
            "share of the meant grouping: its three weights over those of both groupings; .5 is "
            "no preference, 1 the aim",
            f"{N_PAIRS} pairs of samples from different clusters of the meant grouping",
            "centered: where the pairs count much, the meant features lose, and half of the "
            "weight is negative",
        ),
    )


def outcome(kind, tradeoff, seed):
    """Share of the squared weights on the grouping that is meant, and negative share."""
    data = datasets.two_solutions(random_state=seed)
    weights = pairwise.solve(
        data.X,
        2,
        apart=differing(data, seed),
        tradeoff=tradeoff,
        representation=kind,
        max_iter=1000,
    )
    squares = weights.alpha**2
    meant, other = squares[MEANT].sum(), squares[OTHER].sum()
    return meant / max(meant + other, 1e-12), weights.negative_share


def differing(data, seed):
    """Pairs of samples from different clusters of the first grouping."""
    rng = np.random.default_rng(seed)
    labels = data.y
    pairs = rng.integers(0, len(labels), (20 * N_PAIRS, 2))
    return pairs[labels[pairs[:, 0]] != labels[pairs[:, 1]]][:N_PAIRS]
