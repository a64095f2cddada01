"""Experiments of Wolf and Shashua (JMLR 6, 2005), those on genes apart."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from specsel import (
    _validate,
    datasets,
    kernel,
    laplacian,
    positivity,
    qalpha,
    supervised,
    topography,
)
from specsel._validate import Floats
from specsel.papers import facts, report, selectors
from specsel.papers.sources import standardised
from specsel.results import Weights

# Wolf and Shashua (JMLR 2005), Fig. 3a: two classes among features of large noise.
#
# Every method chooses as many features as are relevant: six of 202 in the linear problem, two of
# 52 in the non-linear one. A support vector machine learns from these features; in the non-
# linear problem its kernel is a polynomial of the second degree. The features are standardised
# for all methods, because the Fisher score depends on units. Q-α without labels sees only the
# training samples. Two wrappers around the same machine stand beside it: recursive elimination,
# and gradient descent on the radius-margin bound, which is the wrapper of the paper.

SIZES = tuple(range(10, 101, 10))
QUICK_WESTON = {"sizes": (20, 50, 100), "runs": 5}

WRAPPER = "radius-margin bound"


class Problem(NamedTuple):
    """How data are drawn, how many features are relevant, the machine, and its kernel."""

    draw: Callable[..., datasets.Dataset]
    n_relevant: int
    machine: dict[str, Any]
    kernel: selectors.Kernel


PROBLEMS = {
    "linear": Problem(datasets.weston_linear, 6, {"kernel": "linear"}, selectors.linear),
    "non-linear": Problem(
        datasets.weston_nonlinear,
        2,
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
        selectors.quadratic,
    ),
}


def run_weston(
    sizes: Sequence[int] = SIZES,
    runs: int = 30,
    problems: Sequence[str] = tuple(PROBLEMS),
    tell: report.Tell = None,
) -> report.Report:
    """Test errors of every method for every size of the training set."""
    cases = [(name, size, seed) for name in problems for size in sizes for seed in range(runs)]
    found = {case: errors(*case) for case in report.each(cases, tell)}
    rows, lines = [], {}
    for name in problems:
        values = {
            method: np.array(
                [[found[name, size, seed][method] for seed in range(runs)] for size in sizes]
            )
            for method in METHODS_WESTON
        }
        for method, of_method in values.items():
            lines[f"{name}, {method}"] = report.line(sizes, of_method)
            rows += [
                report.row(f"{name}, {size} samples, {method}", of_size)
                for size, of_size in zip(sizes, of_method, strict=True)
            ]
        rows += compared_weston(name, sizes, values)
    return report.Report(
        title="Test error with the features selected, 500 test points",
        rows=rows,
        notes=(
            "published: a figure without numbers, and two sentences. The error with labels agrees "
            "closely with that of the wrapper; without labels it does not fall much behind. The "
            'rows with "less" are differences of errors',
            "linear, without labels: three features show the classes in seven of ten samples, the "
            "other three in the rest. One round finds only the first three, which leaves an error "
            "of .15; a second round, which avoids the first, mostly finds the others too, but "
            "does harm where there is only one structure",
        ),
        lines=lines,
        x_label="training samples",
        y_label="test error",
    )


def compared_weston(name, sizes, values):
    """Rows of the paper's two comparisons: mean differences of errors, run by run."""
    where = f"mean over {_validate.count_of(len(sizes), 'size')}"
    labels, blind, wrapper = (values[method].mean(axis=0) for method in COMPARED)
    return [
        report.row(
            f"{name}, with labels less {WRAPPER}, {where}",
            labels - wrapper,
            facts.WESTON["with labels"],
        ),
        report.row(
            f"{name}, without labels less with labels, {where}",
            blind - labels,
            facts.WESTON["without labels"],
        ),
    ]


def errors(problem, size, seed, test_size=500):
    """Test error of every method."""
    from sklearn.svm import SVC

    make, n_relevant, machine, kernel = PROBLEMS[problem]
    data = two_classes(make, size + test_size, size, seed)
    Z = standardised(data.X[:size], data.X)
    found = {}
    for method, take in METHODS_WESTON.items():
        columns = take(Z[:size], data.y[:size], n_relevant, kernel)
        model = SVC(**machine).fit(Z[:size, columns], data.y[:size])
        found[method] = float(np.mean(model.predict(Z[size:, columns]) != data.y[size:]))
    return found


def two_classes(make, n_samples, n_training, seed):
    """Data whose training samples hold at least two of either class."""
    rng = np.random.default_rng(seed)
    while True:
        data = make(n_samples, random_state=rng)
        if np.bincount(data.y[:n_training] > 0, minlength=2).min() > 1:
            return data


def with_labels(X, y, n, kernel):
    with report.no_warnings():  # the best iterate is good enough
        return supervised.solve(X, y).select(n)


def without_labels(X, y, n, kernel):
    with report.no_warnings():
        return qalpha.solve(X, 2).select(n)


def two_rounds(X, y, n, kernel):
    with report.no_warnings():
        return topography.solve(X, 2, tradeoff=1 / X.shape[1]).select(n)


def draw_weston(found, figure):
    """A panel for each problem."""
    for panel, problem in zip(figure.subplots(1, 2, sharey=True), PROBLEMS, strict=True):
        report.draw_lines(report.starting(found.lines, f"{problem}, "), panel)
        panel.set(title=problem, xlabel=found.x_label, ylabel=found.y_label)


def filtered(score):
    return lambda X, y, n, kernel: selectors.best(score(X, y), n)


METHODS_WESTON = {
    "Q-α with labels": with_labels,
    "Q-α without labels": without_labels,
    "Q-α without labels, two rounds": two_rounds,
    "all features": lambda X, y, n, kernel: np.arange(X.shape[1]),
    WRAPPER: selectors.bounded,
    "recursive elimination": selectors.eliminated,
    **{name: filtered(score) for name, score in selectors.RANKINGS.items()},
}

COMPARED = ("Q-α with labels", "Q-α without labels", WRAPPER)


# Wolf and Shashua (JMLR 2005), Fig. 3b: the sparsity gap as the number of classes grows.
#
# Sixty samples form tight clusters in five features; 120 more features are permuted. The gap is
# the mean weight of the five features over the mean weight of the others. The figure has three
# choices of k, and the text compares them; it also says that still smaller k does better in the
# mean.

CLASSES = tuple(range(2, 11))
QUICK_CLASSES = {"runs": 10}
MANY = 7  # classes; from here on the gap is no longer wide where k is their number

CHOICES = {
    "k = n": lambda n_classes: n_classes,
    "k = n + 2": lambda n_classes: n_classes + 2,
    "k = max(1, n - 2)": lambda n_classes: max(1, n_classes - 2),
    "k = max(1, n - 4)": lambda n_classes: max(1, n_classes - 4),
}


def run_classes(
    classes: Sequence[int] = CLASSES, runs: int = 20, tell: report.Tell = None
) -> report.Report:
    """Gaps for every number of classes and four choices of k, and the comparisons of the text."""
    found: dict[str, list[list[float]]] = {choice: [] for choice in CHOICES}
    for n_classes in report.each(classes, tell):
        for choice, k_of in CHOICES.items():
            found[choice].append([gap(n_classes, k_of(n_classes), seed) for seed in range(runs)])
    rows = [
        report.row(f"{n} classes, {choice}", values, published_classes(choice, n), "gap")
        for choice in CHOICES
        for n, values in zip(classes, found[choice], strict=True)
    ]
    return report.Report(
        title="Mean weight of relevant features over that of the rest",
        rows=rows
        + compared_classes(np.array(classes), {c: np.array(v) for c, v in found.items()}),
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


def published_classes(choice, n_classes):
    """What the paper says of the gap where k is the number of classes."""
    if choice != "k = n":
        return facts.NONE
    return facts.CLASSES["few" if n_classes < MANY else "many"]


def compared_classes(classes, gaps):
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


# Wolf and Shashua (JMLR 2005), Sec. 4: positive weights, and the bound on irrelevant ones.
#
# - Fig. 2a: how likely a leading eigenvector is positive, for random symmetric matrices with
#   independent Gaussian entries of mean μ and deviation σ; and their mean leading eigenvalue,
#   which Füredi and Komlós (1981) give as ``μ n + σ²/μ``.
# - Sec. 4.1 treats G as random. At a fixed point of Q-α (α leads G(Q), Q is invariant under A_α,
#   and the largest eigenvalue of G is simple) there is nothing random: all weights have one
#   sign. We run Q-α on random data to its limit and count.
# - Sec. 4.2: the bound of Lemma 13 on the weights of irrelevant features grows like ``√(n₂ (1 +
#   n₂/q))`` as their number n₂ grows.

FIRST = (1 / 6, 2**0.5 / 6)
SECOND = (0.1, 1.0)
QUICK_POSITIVITY = {"trials": 200, "limits": 20, "irrelevant": (25, 200)}
N_SAMPLES_POSITIVITY = 60


def run_positivity(
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
            known, spread = published_positivity(label, n), (high - low) / 2
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


def draw_positivity(found, figure):
    """Draw both curves on a logarithmic scale, because their sizes lie far apart."""
    report.draw(found, figure)
    figure.axes[0].set_xscale("log")


def published_positivity(label, n):
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
        data = datasets.growing_classes(
            3, n_samples=N_SAMPLES_POSITIVITY, n_irrelevant=n, random_state=0
        )
        found = positivity.irrelevant_weight_bound(
            qalpha.solve(data.X, 3, max_iter=1000), data.X, data.relevant
        )
        totals.append(found.weight)
        bounds.append(found.bound)
    sizes = np.array(irrelevant, dtype=float)
    expected = np.sqrt(sizes * (1 + sizes / N_SAMPLES_POSITIVITY))
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


# Wolf and Shashua (JMLR 2005), Fig. 2b and Sec. 4.3: weights positive and sparse by themselves.
#
# The data are the linear problem of Fig. 3a, with six relevant features of 202, and random
# numbers. The trace of the affinity is Σα. We report it too, as a share of what equal weights
# would give.

QUICK_SPARSITY = {"runs": 5}
N_FEATURES_SPARSITY = 202


def run_sparsity(
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
                f"{name}: trace over that of equal weights",
                alphas.sum(axis=1) / N_FEATURES_SPARSITY**0.5,
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
            name: report.line(np.arange(1, N_FEATURES_SPARSITY + 1), np.transpose(alphas))
            for name, alphas in sorted_weights.items()
        },
        x_label="rank of the feature",
        y_label="weight",
    )


DATA = {
    "linear problem": lambda n_samples, seed: (
        datasets.weston_linear(n_samples, n_features=N_FEATURES_SPARSITY, random_state=seed).X
    ),
    "random numbers": lambda n_samples, seed: np.random.default_rng(seed).standard_normal(
        (n_samples, N_FEATURES_SPARSITY)
    ),
}


# Wolf and Shashua (JMLR 2005), Fig. 6b: clusters hidden by random signs, found by a kernel.
#
# Three clusters of forty samples show in 12 of 60 features. In every session of eight samples,
# every feature gets a random sign, so that the features are no longer correlated. The sectioned
# quadratic kernel does not see the signs. A run succeeds if ten of the twelve largest weights
# are right.
#
# The samples are in the order of their clusters, so that every session lies within one cluster.
# The features are not centred, because that would mix the signs. According to the paper's text,
# irrelevant features are permuted before they get their signs; we report the other order too.

N_SAMPLES_KERNEL, N_FEATURES_KERNEL, N_RELEVANT_KERNEL, SESSION = 120, 60, 12, 8
QUICK_KERNEL = {"runs": 20}


def run_kernel(
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
        for method, solve in METHODS_KERNEL.items():
            found[f"{method}, {order}"] = succeeds(solve, X)
    return found


def succeeds(solve, X):
    return int((solve(X).select(N_RELEVANT_KERNEL) < N_RELEVANT_KERNEL).sum() >= 10)


def signed_clusters(variance, seed, signs_last=True):
    """Samples in three clusters, features permuted from the 13th on, signs by session."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(3), N_SAMPLES_KERNEL // 3)
    centers = rng.random((3, N_FEATURES_KERNEL))
    deviations = np.sqrt(rng.uniform(variance, 2 * variance, (3, N_FEATURES_KERNEL)))
    X = rng.normal(centers[labels], deviations[labels])
    signs = rng.choice([-1.0, 1.0], (N_SAMPLES_KERNEL // SESSION, N_FEATURES_KERNEL))
    signs = np.repeat(signs, SESSION, axis=0)
    if not signs_last:
        X *= signs
    rng.permuted(X[:, N_RELEVANT_KERNEL:], axis=0, out=X[:, N_RELEVANT_KERNEL:])
    return X * signs if signs_last else X


ORDERS = {"signs last": True, "signs before permuting": False}
METHODS_KERNEL = {
    "kernel": lambda X: kernel.solve(
        X, 3, kernel="sectioned", sections=SESSION, center=False, max_iter=2000
    ),
    "squared data": lambda X: qalpha.solve(X**2, 3, max_iter=2000),
    "plain": lambda X: qalpha.solve(X, 3, max_iter=2000),
}


# Wolf and Shashua (JMLR 2005), Sec. 2.2 and Def. 5: Q-α of the Laplacian.
#
# The paper defines it and gives no experiment. Here two clusters of 60 samples lie apart in 20
# of 60 features, whose positive and negative parts around the median are the non-negative
# features that the Laplacian needs. We report how well the basis shows the partition, and how
# many of the twenty largest weights are right, for both shifts: the largest degree, and the
# largest diagonal entry that Def. 5 prints. Plain Q-α stands beside them.
#
# Def. 5 lacks a vector of ones, by which its shift is about as many times too small as there are
# samples. The basis then spans the wrong end of the spectrum.

N_SAMPLES_LAPLACIAN, N_FEATURES_LAPLACIAN, N_RELEVANT_LAPLACIAN = 60, 60, 20
DISTANCE = 4.0  # between the clusters, in deviations
QUICK_LAPLACIAN = {"runs": 5}


def run_laplacian(runs: int = 20, tell: report.Tell = None) -> report.Report:
    """Share of the clusters in the basis, and of the best features that are right."""
    rows = []
    for name, solve in report.each(METHODS_LAPLACIAN.items(), tell):
        found = [outcome(solve, seed) for seed in range(runs)]
        spanned, right = zip(*found, strict=True)
        rows += [
            report.row(name, spanned, unit=PROJECTED),
            report.row(name, right, unit=RIGHT),
        ]
    return report.Report(
        title="Clusters found through the Laplacian",
        rows=rows,
        notes=(f"{PROJECTED}: 1 if the basis shows it fully",),
    )


def outcome(solve, seed):
    """Length of the partition's projection on the basis, and share of features right."""
    X, partition = two_clusters(seed)
    weights = solve(X)
    right = weights.select(N_RELEVANT_LAPLACIAN) < N_RELEVANT_LAPLACIAN
    return np.linalg.norm(weights.basis.T @ partition), right.mean()


def two_clusters(seed):
    """Samples x features, the relevant ones first, and the partition as a unit vector."""
    rng = np.random.default_rng(seed)
    partition = np.repeat([-1.0, 1.0], N_SAMPLES_LAPLACIAN // 2)
    X = rng.standard_normal((N_SAMPLES_LAPLACIAN, N_FEATURES_LAPLACIAN))
    signs = rng.choice([-1, 1], N_RELEVANT_LAPLACIAN)
    X[:, :N_RELEVANT_LAPLACIAN] += DISTANCE / 2 * partition[:, None] * signs
    return X, partition / np.linalg.norm(partition)


METHODS_LAPLACIAN: dict[str, Callable[[np.ndarray], Weights]] = {
    "largest degree": lambda X: laplacian.solve(X, 2, max_iter=1000),
    "as Def. 5 prints": lambda X: laplacian.solve(X, 2, shift="definition", max_iter=1000),
    "without the Laplacian": lambda X: qalpha.solve(X, 2, max_iter=1000),
}

PROJECTED = "length of the partition's projection on the basis"
RIGHT = "share right of the top twenty"
