"""Wolf and Shashua (JMLR 2005), Sec. 4: positive weights, and the bound on irrelevant ones.

- Fig. 2a: how likely a leading eigenvector is positive, for random symmetric matrices with
  independent Gaussian entries of mean μ and deviation σ; and their mean leading eigenvalue, which
  Füredi and Komlós (1981) give as ``μ n + σ²/μ``.
- Sec. 4.1 treats G as random. At a fixed point of Q-α (α leads G(Q), Q is invariant under A_α,
  and the largest eigenvalue of G is simple) there is nothing random: all weights have one sign.
  We run Q-α on random data to its limit and count.
- Sec. 4.2: the bound of Lemma 13 on the weights of irrelevant features grows like
  ``√(n₂ (1 + n₂/q))`` as their number n₂ grows.
"""

from collections.abc import Sequence

import numpy as np

from specsel import datasets, positivity, qalpha
from specsel.papers import facts, report

FIRST = (1 / 6, 2**0.5 / 6)
SECOND = (0.1, 1.0)
QUICK = {"trials": 200, "limits": 20, "irrelevant": (25, 200)}
N_SAMPLES = 60


def run(
    first_sizes: Sequence[int] = (5, 10, 15, 20, 25, 30, 40, 50),
    second_sizes: Sequence[int] = (500, 700, 1000, 1500, 2000),
    trials: int = 1000,
    limits: int = 200,
    irrelevant: Sequence[int] = (25, 50, 100, 200, 400),
    tell: report.Tell = None,
) -> report.Report:
    """Probabilities and eigenvalues for both pairs of mean and deviation; signs; the bound."""
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
            known, spread = published(label, n), (high - low) / 2
            what = f"{label}, n = {n}: {LIKELY}"
            rows.append(
                report.Row(what, known.value, probability, spread, trials, LIKELY, known.where)
            )
        rows.append(eigenvalues(label, parameters[label], max(sizes), trials))
    return report.Report(
        title="Probability that the leading eigenvector is positive",
        rows=[*rows, *one_sign(limits), *growth(irrelevant)],
        notes=(
            f"{LIKELY}: the deviation is half the width of a 95 % confidence interval; seeds are "
            "matrices here",
            "μ = .1, σ = 1: the paper says above .99 from n = 500 on. That is an error: n must be "
            "about four times as large",
            "weights of one sign: limits of Q-α on random data, k = 1 to 5. The probabilities "
            "above speak of one random G; at a limit the sign is certain",
            "Lemma 13: the total weight of the irrelevant features, its bound, and what the paper "
            "expects of the bound's numerator, each over its value for the fewest features",
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


def eigenvalues(label, given, n, trials):
    """The mean leading eigenvalue less μn, which tends to σ²/μ."""
    mu, sigma = given
    found = positivity.leading_eigenvalue(n, mu, sigma, trials=min(trials, 200), random_state=n)
    expected = facts.Fact(f"{sigma**2 / mu:.3g}", facts.POSITIVITY["eigenvalue"].where)
    return report.row(f"{label}, n = {n}", found.eigenvalues - mu * n, expected, "λ₁ - μn")


def one_sign(limits):
    """The share of limits of Q-α whose weights all have one sign."""
    same = []
    for seed in range(limits):
        X = np.random.default_rng(seed).standard_normal((20, 30))
        alpha = qalpha.solve(X, 1 + seed % 5, tol=1e-12, max_iter=5000).alpha
        same.append(alpha.min() > -1e-6 * alpha.max())
    return [
        report.row("weights of one sign at limits of Q-α", same, facts.SPARSITY["sign"], SHARE)
    ]


def growth(irrelevant):
    """Weights of irrelevant features and their bound, relative to those of the fewest."""
    totals, bounds = [], []
    for n in irrelevant:
        data = datasets.growing_classes(3, n_samples=N_SAMPLES, n_irrelevant=n, random_state=0)
        found = positivity.irrelevant_weight_bound(
            qalpha.solve(data.X, 3, max_iter=1000), data.X, data.relevant
        )
        totals.append(found.weight)
        bounds.append(found.bound)
    sizes = np.array(irrelevant, dtype=float)
    expected = np.sqrt(sizes * (1 + sizes / N_SAMPLES))
    where = facts.POSITIVITY["growth"].where
    rows, unit = [], f"times that of {irrelevant[0]}"
    for i, n in enumerate(irrelevant):
        known = facts.Fact(f"{expected[i] / expected[0]:.3g}", where)
        rows += [
            report.row(f"{n} irrelevant features, bound", bounds[i] / bounds[0], known, unit),
            report.row(f"{n} irrelevant features, weight", totals[i] / totals[0], unit=unit),
        ]
    return rows


LIKELY = "probability"
SHARE = "share"
