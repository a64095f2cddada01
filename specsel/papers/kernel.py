"""Wolf and Shashua (JMLR 2005), Fig. 6b: clusters hidden by random signs, found by a kernel.

Three clusters of forty samples show in 12 of 60 features. In every session of eight samples, every
feature gets a random sign, so that the features are no longer correlated. The sectioned quadratic
kernel does not see the signs. A run succeeds if ten of the twelve largest weights are right.

The samples are in the order of their clusters, so that every session lies within one cluster. The
features are not centred, because that would mix the signs. According to the paper's text,
irrelevant features are permuted before they get their signs; we report the other order too.
"""

from collections.abc import Sequence

import numpy as np

from specsel import kernel, qalpha
from specsel.papers import facts, report

N_SAMPLES, N_FEATURES, N_RELEVANT, SESSION = 120, 60, 12, 8
QUICK = {"runs": 20}


def run(
    variances: Sequence[float] = (0.001, 0.005, 0.01, 0.02),
    runs: int = 80,
    tell: report.Tell = None,
) -> report.Report:
    """Share of runs that succeed, for every variance and method."""
    cases = [(variance, seed) for variance in variances for seed in range(runs)]
    found = {case: successes(*case) for case in report.each(cases, tell)}
    rows, lines = [], {}
    for label in found[cases[0]]:
        values = [[found[variance, seed][label] for seed in range(runs)] for variance in variances]
        shares = np.mean(values, axis=1)
        lines[label] = report.Line(np.array(variances), shares, shares, shares)
        known = facts.KERNEL["plain"] if label == "plain, signs last" else facts.NONE
        rows += [
            report.row(f"{label}, variance from {variance}", of_variance, known)
            for variance, of_variance in zip(variances, values, strict=True)
        ]
    return report.Report(
        title="Share of runs with ten of twelve features right",
        rows=rows,
        notes=(
            "published: a figure, for the kernel and for squared data; plain is always 0. The "
            "text of the paper puts signs last",
            "signs last: the mean success at the smallest variance is below the .8 of the paper: "
            "over 2,000 seeds it is .754, with a standard error of .010; eighty seeds may show "
            "more. The features that are missed have cluster means that happen to lie close: "
            "their standard deviation is .17, that of the others .22",
            "signs before permuting: plain succeeds too, which it never does in the paper",
            "part of the effect comes from the diagonal of the kernel matrix, which shows a "
            "feature with large clusters without comparing it to others",
        ),
        lines=lines,
        x_label="variance",
        y_label="success",
    )


def successes(variance, seed):
    """Whether ten of the twelve largest weights are those of relevant features."""
    found = {}
    for order, signs_last in ORDERS.items():
        X = signed_clusters(variance, seed, signs_last)
        for method, solve in METHODS.items():
            found[f"{method}, {order}"] = succeeds(solve, X)
    return found


def succeeds(solve, X):
    return int((solve(X).select(N_RELEVANT) < N_RELEVANT).sum() >= 10)


def signed_clusters(variance, seed, signs_last=True):
    """Samples in three clusters, features permuted from the 13th on, signs by session."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(3), N_SAMPLES // 3)
    centers = rng.random((3, N_FEATURES))
    deviations = np.sqrt(rng.uniform(variance, 2 * variance, (3, N_FEATURES)))
    X = rng.normal(centers[labels], deviations[labels])
    signs = rng.choice([-1.0, 1.0], (N_SAMPLES // SESSION, N_FEATURES))
    signs = np.repeat(signs, SESSION, axis=0)
    if not signs_last:
        X *= signs
    rng.permuted(X[:, N_RELEVANT:], axis=0, out=X[:, N_RELEVANT:])
    return X * signs if signs_last else X


ORDERS = {"signs last": True, "signs before permuting": False}
METHODS = {
    "kernel": lambda X: kernel.solve(
        X, 3, kernel="sectioned", sections=SESSION, center=False, max_iter=2000
    ),
    "squared data": lambda X: qalpha.solve(X**2, 3, max_iter=2000),
    "plain": lambda X: qalpha.solve(X, 3, max_iter=2000),
}
