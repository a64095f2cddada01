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

# Classes of fewer samples are left out: every fold should hold some.
LEAST_SAMPLES = 8

# Recursive elimination drops this share of the features a round.
DROPPED = 0.3

# Of the sets of `selection`, those with more than ten features.
SETS = tuple(name for name in selection.LOADERS if name not in ("iris", "ecoli", "glass", "ORL"))

QUICK_CLASSIFICATION = {"sets": ("wine", "sonar"), "seeds": 1}

# Standardised features and classes, and how many features: which.
Select = Callable[[Floats, Integers, int], Integers]


def run_classification(
    sets: Sequence[str] = SETS, seeds: int = 2, tell: Callable[..., object] | None = None
) -> report.Report:
    """Accuracies of every method on every set; the samples are cut into folds `seeds` times."""
    scores = {
        name: accuracies_on(*selection.load(name), seeds) for name in report.each(sets, tell)
    }
    rows = [
        report.row(f"{name}, {m} features, {method}", values)
        for name, found in scores.items()
        for (m, method), values in found.items()
    ]
    for m in SIZES:
        known = [found for found in scores.values() if (m, "alignment") in found]
        rows += [
            report.row(
                f"mean of {len(known)} sets, {m} features, {method}", means(known, m, method)
            )
            for method in (*METHODS, "random")
            if known
        ]
    return report.Report(
        title="Samples that a linear SVM classifies correctly, in percent",
        rows=rows,
        notes=tuple(compared(list(scores.values()), method) for method in others()),
        y_label="percent",
    )


def means(known: list[dict[tuple[int, str], list[float]]], m: int, method: str) -> list[float]:
    """Mean accuracy of a method with m features on every set."""
    return [float(np.mean(found[m, method])) for found in known]


def others() -> list[str]:
    """What alignment is compared with."""
    return [*(method for method in METHODS if method != "alignment"), "random"]


def compared(scores: list[dict[tuple[int, str], list[float]]], method: str) -> str:
    """On how many sets alignment classifies better, and how much better on average."""
    gains = []
    for m in SIZES:
        known = [found for found in scores if (m, method) in found]
        gains += np.subtract(means(known, m, "alignment"), means(known, m, method)).tolist()
    won, lost = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    return f"alignment against {method}: {won}–{lost}, {np.mean(gains):+.1f} points on average"


def accuracies_on(X: Floats, y: Integers, seeds: int) -> dict[tuple[int, str], list[float]]:
    """Percent of samples classified correctly, for every number of features and method."""
    X, y = of_large_classes(X, y)
    found: dict[tuple[int, str], list[float]] = {}
    for m in SIZES:
        for method, select in {**METHODS, "random": at_random}.items():
            if m < X.shape[1]:
                found[m, method] = [accuracy(X, y, select, m, seed) for seed in range(seeds)]
    return found


def of_large_classes(X: Floats, y: Integers) -> tuple[Floats, Integers]:
    """The samples of classes that are large enough, numbered anew."""
    large = np.bincount(y)[y] >= LEAST_SAMPLES
    return X[large], np.unique(y[large], return_inverse=True)[1]


def accuracy(X: Floats, y: Integers, select: Select, m: int, seed: int) -> float:
    """Percent of samples that are classified correctly with m features."""
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
    """Features by alignment with the classes."""
    return alignment.solve(Z, y, n=m).support


def weighted(Z: Floats, y: Integers, m: int) -> Integers:
    """Features by the weights of Q-α with classes."""
    return supervised.solve(Z, y, tol=1e-3).ranking[:m]


def tested(Z: Floats, y: Integers, m: int) -> Integers:
    """Features by scikit-learn's F test."""
    from sklearn.feature_selection import f_classif

    return np.argsort(-f_classif(Z, y)[0], kind="stable")[:m]


def eliminated(Z: Floats, y: Integers, m: int) -> Integers:
    """Features that scikit-learn's recursive elimination by a linear SVM leaves."""
    from sklearn.feature_selection import RFE
    from sklearn.svm import SVC

    found = RFE(SVC(kernel="linear"), n_features_to_select=m, step=DROPPED).fit(Z, y)
    return np.flatnonzero(found.support_)


def at_random(Z: Floats, y: Integers, m: int) -> Integers:
    """Features drawn at random."""
    return np.random.default_rng(0).permutation(Z.shape[1])[:m]


METHODS: dict[str, Select] = {
    "alignment": aligned,
    "F test": tested,
    "RFE": eliminated,
    "supervised": weighted,
}
