"""Features selected with labels, judged by a linear SVM: `alignment` beside what it may replace.

This is no paper's experiment; Q-α with classes of Wolf and Shashua (JMLR 2005) is one of the
methods. Cross-validation is nested: features are standardised and selected on four fifths of the
samples, and the classifier is trained there; the rest of the samples are classified."""

from collections.abc import Callable, Sequence

import numpy as np

from specsel import alignment, supervised
from specsel._validate import Floats, Integers
from specsel.papers import report, selection
from specsel.papers.sources import standardised

SIZES = (10, 100)
FOLDS = 5
LEAST_SAMPLES = 8  # of a class that is not left out: every fold should hold some

# Of the sets of `selection`, those with more than ten features.
SETS = tuple(name for name in selection.LOADERS if name not in ("iris", "ecoli", "glass", "ORL"))

QUICK_CLASSIFICATION = {"sets": ("wine", "sonar"), "seeds": 1}

# Standardised features and classes, and how many features: which.
Select = Callable[[Floats, Integers, int], Integers]


def run_classification(
    sets: Sequence[str] = SETS, seeds: int = 2, progress: report.Progress = None
) -> report.Report:
    """Report accuracies of every method on every set; samples are cut into folds `seeds` times."""
    scores = {
        name: accuracies_on(*selection.load(name), seeds) for name in report.each(sets, progress)
    }
    rows = [
        report.row(f"{name}, {m} features, {method}", values)
        for name, found in scores.items()
        for (m, method), values in found.items()
    ]
    gains: dict[str, list[float]] = {method: [] for method in METHODS if method != "alignment"}
    for m in SIZES:
        known = [found for found in scores.values() if (m, "alignment") in found]
        means = {method: np.array([np.mean(of[m, method]) for of in known]) for method in METHODS}
        if known:
            label = f"mean of {len(known)} sets, {m} features"
            rows += [report.row(f"{label}, {method}", means[method]) for method in METHODS]
        for method, gained in gains.items():
            gained += (means["alignment"] - means[method]).tolist()
    return report.make(
        "classification",
        "Samples that a linear SVM classifies correctly, in percent",
        rows,
        notes=tuple(
            f"alignment against {method}: {sum(gain > 0 for gain in gained)}–"
            f"{sum(gain < 0 for gain in gained)}, {np.mean(gained):+.1f} points on average"
            for method, gained in gains.items()
        ),
        y_label="percent",
    )


def accuracies_on(X: Floats, y: Integers, seeds: int) -> dict[tuple[int, str], list[float]]:
    """Return accuracies in percent for every number of features and method."""
    X, y = of_large_classes(X, y)
    return {
        (m, method): [accuracy(X, y, select, m, seed) for seed in range(seeds)]
        for m in SIZES
        if m < X.shape[1]
        for method, select in METHODS.items()
    }


def of_large_classes(X: Floats, y: Integers) -> tuple[Floats, Integers]:
    """Return the samples of classes that are large enough, numbered anew."""
    large = np.bincount(y)[y] >= LEAST_SAMPLES
    return X[large], np.unique(y[large], return_inverse=True)[1]


def accuracy(X: Floats, y: Integers, select: Select, m: int, seed: int) -> float:
    """Return the percentage of samples that are classified correctly with m features."""
    from sklearn.model_selection import StratifiedKFold
    from sklearn.svm import SVC

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    right = 0
    for train, rest in folds.split(X, y):
        varying = np.ptp(X[train], axis=0) > 0
        Z, others = (standardised(X[train], X[part])[:, varying] for part in (train, rest))
        chosen = select(Z, y[train], min(m, Z.shape[1]))
        machine = SVC(kernel="linear").fit(Z[:, chosen], y[train])
        right += int((machine.predict(others[:, chosen]) == y[rest]).sum())
    return 100 * right / len(y)


def aligned(Z: Floats, y: Integers, m: int) -> Integers:
    """Select features by alignment with the classes."""
    return alignment.solve(Z, y, n=m).support


def weighted(Z: Floats, y: Integers, m: int) -> Integers:
    """Select features by the weights of Q-α with classes."""
    return supervised.solve(Z, y, tol=1e-3).ranking[:m]


def tested(Z: Floats, y: Integers, m: int) -> Integers:
    """Select features by scikit-learn's F test."""
    from sklearn.feature_selection import f_classif

    return np.argsort(-f_classif(Z, y)[0], kind="stable")[:m]


def eliminated(Z: Floats, y: Integers, m: int) -> Integers:
    """Select features by recursive elimination, three in ten at a time, with scikit-learn."""
    from sklearn.feature_selection import RFE
    from sklearn.svm import SVC

    return RFE(SVC(kernel="linear"), n_features_to_select=m, step=0.3).fit(Z, y).get_support(True)


def at_random(Z: Floats, y: Integers, m: int) -> Integers:
    """Select features drawn at random."""
    return np.random.default_rng(0).permutation(Z.shape[1])[:m]


METHODS: dict[str, Select] = {
    "alignment": aligned,
    "F test": tested,
    "RFE": eliminated,
    "supervised": weighted,
    "random": at_random,
}
