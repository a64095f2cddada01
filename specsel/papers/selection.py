"""Features selected without labels, judged by labels: `alignment` beside what it may replace.

This is no paper's experiment; Q-α of Wolf and Shashua (JMLR 2005) is one of the methods. Every
method selects features from 15 sets without seeing their labels. The labels then judge three
things: the clusters that k-means finds in these features, by accuracy and by mutual information,
and the nearest neighbour of every sample. The score is the mean of the three, in percent, over
several draws of four fifths of the samples.

Sets with planted features stand beside them: few features are relevant there and the rest is
noise. They show which share of the features that a method selects is relevant, in percent. Q-α
says how many features are selected.

Features are standardised before they are judged, so `alignment` takes them in unit scale. Columns
in different units are standardised before anything is selected; their variances are then equal,
and "variance" goes by the order of the columns."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from specsel import alignment, datasets, qalpha
from specsel._validate import Floats, Integers
from specsel.papers import genes, report, sources, wolf_bileschi
from specsel.papers.sources import standardised

SIZES = (20, 50, 100, 200)

# Where features are few, these shares of them as well.
FEW, SHARES = 100, (0.25, 0.5)

MOST_SAMPLES = 600  # of larger sets so many are drawn once
SHARE = 0.8  # of the samples that are drawn anew several times: one table may be chance
RUNS = 5  # of k-means, from one random start each

# Sets whose columns are in different units, which are standardised before anything.
UCI = ("dermatology", "ecoli", "glass", "segmentation", "spambase", "arrhythmia")
MIXED = ("breast_cancer", "wine", *UCI)

# Planted sets: the built-in example, and for each of these numbers of classes so many others.
CLASSES, SEEDS = (2, 3, 4, 5, 6), 5

QUICK_SELECTION = {"sets": ("wine", "sonar"), "resamples": 2, "draws": 2}


def run_selection(
    sets: Sequence[str] | None = None,
    resamples: int = 4,
    draws: int = 4,
    progress: report.Progress = None,
) -> report.Report:
    """Report scores of every method on every set; `draws` are the random selections a resample."""
    names = list(LOADERS) if sets is None else list(sets)
    scores = {
        name: scores_on(*load(name), resamples, draws) for name in report.each(names, progress)
    }
    methods = [*METHODS, "random", "all features"]
    rows = [report.row(f"{name}, {m}", scores[name][m]) for name in names for m in methods]
    mean = {m: np.array([np.mean(scores[name][m]) for name in names]) for m in methods}
    rows += [report.row(f"mean of {len(names)} sets, {m}", mean[m]) for m in methods]
    rows += [
        report.row(f"planted, {name}, {method}", values)
        for name, found in planted().items()
        for method, values in found.items()
    ]
    gains = {method: mean[method] - mean["random"] for method in METHODS}
    wins = ", ".join(
        f"{method} {(gain > 0).sum()}–{(gain < 0).sum()}, median gain {np.median(gain):.1f}"
        for method, gain in gains.items()
    )
    return report.make(
        "selection",
        "Accuracy and mutual information of k-means, and 1-NN: their mean, in percent",
        rows,
        notes=(f"against random: {wins}", "deviations are over the numbers of features"),
        y_label="percent",
    )


def scores_on(X: Floats, y: Integers, resamples: int, draws: int) -> dict[str, list[float]]:
    """Return the score of every method for every number of features, means over resamples."""
    found: dict[str, list[Any]] = {name: [] for name in (*METHODS, "random", "all features")}
    for seed in range(resamples):
        Z, labels = resampled(X, y, seed)
        for method, rank in METHODS.items():
            found[method].append(scores_of(Z, labels, rank(Z, labels)))
        orders = [
            np.random.default_rng([seed, draw]).permutation(Z.shape[1]) for draw in range(draws)
        ]
        found["random"].append(np.mean([scores_of(Z, labels, order) for order in orders], axis=0))
        found["all features"].append([score(standardised(Z), labels)])
    return {method: np.mean(values, axis=0).tolist() for method, values in found.items()}


def resampled(X: Floats, y: Integers, seed: int) -> tuple[Floats, Integers]:
    """Draw part of the samples, drop columns constant there, and number their classes."""
    order = np.random.default_rng(seed).permutation(len(X))
    part = np.sort(order[: int(SHARE * len(X))])
    X, y = X[part], y[part]
    return X[:, np.ptp(X, axis=0) > 0], np.unique(y, return_inverse=True)[1]


def planted() -> dict[str, dict[str, list[float]]]:
    """Percent of relevant features among those selected, on sets with planted features."""
    growing = [
        (datasets.growing_classes(count, random_state=seed), count)
        for count in CLASSES
        for seed in range(SEEDS)
    ]
    found: dict[str, dict[str, list[float]]] = {}
    for name, sets in {"example": [(datasets.example(), 3)], "growing_classes": growing}.items():
        found[name] = {method: [] for method in (*METHODS, "random")}
        for data, count in sets:
            size = len(qalpha.solve(data.X, count).select())
            y = np.arange(len(data.X)) % count  # says only how many classes there are
            for method, rank in METHODS.items():
                chosen = rank(data.X, y)[:size]
                found[name][method].append(100 * float(np.isin(chosen, data.relevant).mean()))
            found[name]["random"].append(100 * len(data.relevant) / data.X.shape[1])
    return found


def scores_of(X: Floats, y: Integers, ranking: Integers) -> list[float]:
    """Return the score of a ranking of the features, for every number of them."""
    Z = standardised(X)
    return [score(Z[:, ranking[:size]], y) for size in sizes_for(X.shape[1])]


def sizes_for(n_features: int) -> list[int]:
    """Return the numbers of features to select."""
    few = [int(share * n_features) for share in SHARES] if n_features <= FEW else []
    return sorted({*(size for size in SIZES if size < n_features), *(max(2, m) for m in few)})


def score(Z: Floats, y: Integers) -> float:
    """Return the mean of accuracy and mutual information of k-means, and of 1-NN, in percent."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score
    from sklearn.neighbors import NearestNeighbors

    found = [
        KMeans(y.max() + 1, n_init=1, random_state=seed).fit_predict(Z) for seed in range(RUNS)
    ]
    matched = np.mean([accuracy(y, clusters) for clusters in found])
    shared = np.mean([normalized_mutual_info_score(y, clusters) for clusters in found])
    nearest = y[NearestNeighbors(n_neighbors=1).fit(Z).kneighbors()[1][:, 0]]
    return float(100 * (matched + shared + np.mean(nearest == y)) / 3)


def accuracy(y: Integers, clusters: Integers) -> float:
    """Return the share of samples in the right cluster, clusters matched to classes."""
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import confusion_matrix

    counts = confusion_matrix(y, clusters)
    return float(counts[linear_sum_assignment(-counts)].sum() / len(y))


def aligned(X: Floats, y: Integers) -> Integers:
    """Rank features in the order in which alignment takes them, without the labels."""
    return alignment.solve(X, n=min(X.shape[1], SIZES[-1])).ranking


def weighted(X: Floats, y: Integers) -> Integers:
    """Rank features by the weights of Q-α, with as many directions as classes."""
    return qalpha.solve(X, min(int(y.max()) + 1, *X.shape)).ranking


def varying(X: Floats, y: Integers) -> Integers:
    """Rank features by their variance."""
    return np.argsort(-X.var(axis=0), kind="stable")


METHODS: dict[str, Callable[[Floats, Integers], Integers]] = {
    "alignment": aligned,
    "qalpha": weighted,
    "variance": varying,
}


def load(name: str) -> tuple[Floats, Integers]:
    """Return samples x features without constant ones, and class numbers from 0."""
    X, labels = LOADERS[name]()
    X = standardised(X) if name in MIXED else X
    if len(X) > MOST_SAMPLES:
        some = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_SAMPLES])
        X, labels = X[some], labels[some]
    X = X[:, np.ptp(X, axis=0) > 0]
    return X, np.unique(labels, return_inverse=True)[1]


def of_sklearn(name: str) -> Any:
    """Load a set that comes with scikit-learn."""
    from sklearn import datasets

    return getattr(datasets, f"load_{name}")(return_X_y=True)


def orl() -> tuple[Floats, Integers]:
    """Load faces of forty persons."""
    images = wolf_bileschi.faces()
    persons = np.arange(wolf_bileschi.PERSONS).repeat(wolf_bileschi.IMAGES)
    return images.reshape(len(images), -1), persons


def medulloblastoma() -> tuple[Floats, Any]:
    """Load expressions, and kinds of tumours."""
    names = "Medulloblastoma_data.txt", "Medulloblastomas_samples.txt"
    X, samples = sources.expressions("Medulloblastoma", *names)
    return X, np.array([line.split()[1] for line in samples if line.strip()])


LOADERS: dict[str, Callable[[], Any]] = {
    **{name: partial(of_sklearn, name) for name in ("breast_cancer", "wine", "iris", "digits")},
    **{name: partial(sources.uci, name) for name in (*UCI, "ionosphere", "sonar")},
    "ORL": orl,
    "leukemia": genes.leukemia,
    "medulloblastoma": medulloblastoma,
}
