"""Feature selection that the papers compare with: filters, wrappers, and gene shaving.

- Filters: a score a feature, from two or more classes.
- `eliminated`: recursive feature elimination (Guyon et al., Machine Learning 2002). A machine is
  trained, the features whose loss would change its margin least go, and so on.
- `bounded`: the radius-margin bound (Weston et al., NIPS 2001). Features are multiplied by scales,
  and gradient descent on the bound R² ‖w‖² finds the scales; the features of small scale go.
- `clusters`: gene shaving (Hastie et al., Genome Biology 2000), clusters of genes that vary
  together. The genes least correlated with the leading component of all are shaved off, a tenth at
  a time, until one is left. Of the nested clusters the one is taken whose variance lies furthest
  above that of clusters of shuffled genes. All genes are then made orthogonal to its mean, and so
  on.

Both wrappers halve the number of features until it is the one that is asked for. The errors of the
machine count as squares: ``K + ridge I`` is its kernel matrix, and it separates any samples.
"""

from collections.abc import Callable

import numpy as np

from specsel._validate import Floats, Integers

TINY = np.finfo(float).tiny


def pearson(X, y):
    """Return the modulus of the correlation with the label of two classes."""
    label = (y == y.max()) - np.mean(y == y.max())
    centred = X - X.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0) * (label**2).sum())
    return np.abs(label @ centred) / np.maximum(norms, TINY)


def fisher(X, y):
    """Return the distance of two means over the sum of variances, which depends on the units."""
    one, other = (X[y == c] for c in np.unique(y))
    variances = one.var(axis=0) + other.var(axis=0)
    return np.abs(one.mean(axis=0) - other.mean(axis=0)) / np.maximum(variances, TINY)


def variance_ratio(X, y):
    """Return Fisher's ratio of any number of classes: variance of the means over that within."""
    classes = [X[y == c] for c in np.unique(y)]
    sizes = np.array([len(part) for part in classes])[:, None] / len(X)
    means = np.array([part.mean(axis=0) for part in classes])
    within = (sizes * [part.var(axis=0) for part in classes]).sum(axis=0)
    between = (sizes * (means - X.mean(axis=0)) ** 2).sum(axis=0)
    return between / np.maximum(within, TINY)


def kolmogorov_smirnov(X, y):
    """Return the largest distance between the distributions of a class and of the rest."""
    best = np.zeros(X.shape[1])
    order = np.argsort(X, axis=0, kind="stable")
    last = np.diff(np.take_along_axis(X, order, 0), axis=0, append=np.inf) > 0
    for c in np.unique(y):
        own = (y == c)[order]
        distance = np.cumsum(own / own[:, :1].size / np.mean(y == c), axis=0) - np.cumsum(
            ~own / own[:, :1].size / np.mean(y != c), axis=0
        )
        best = np.maximum(best, np.abs(np.where(last, distance, 0.0)).max(axis=0))
    return best


def largest(score):
    """Return a score of any number of classes: the largest of a class against the rest."""
    return lambda X, y: np.max([score(X, y == c) for c in np.unique(y)], axis=0)


def best(score, n):
    """Return the n features of the largest scores, best first."""
    return np.argsort(-score, kind="stable")[:n]


RIDGE = 0.1  # share of the mean diagonal of K
STEPS = 10  # of gradient descent, before features go
STEP = 0.2  # length of a step, as a share of the scales
ROUNDS = 300  # of the search for the smallest ball


# A kernel of the machine: its values for n features from their inner products, and the derivative
# of the values by the inner products.
Kernel = Callable[[Floats, int], tuple[Floats, Floats]]


def linear(products: Floats, n: int) -> tuple[Floats, Floats]:
    """Return the kernel ``x·z``."""
    return products, np.ones_like(products)


def quadratic(products: Floats, n: int) -> tuple[Floats, Floats]:
    """Return the kernel ``(x·z / n + 1)²``."""
    return (products / n + 1) ** 2, 2 * (products / n + 1) / n


def eliminated(X: Floats, y: Integers, n: int, kernel: Kernel) -> Integers:
    """Select features by recursive elimination, in the order of the columns."""

    def losses(kept: Integers) -> Floats:
        Z = X[:, kept]
        values, slope = kernel(Z @ Z.T, len(kept))
        duals = _duals(values, y)
        return (Z * ((slope * np.outer(duals, duals)) @ Z)).sum(axis=0)

    return _halved(X.shape[1], n, losses)


def bounded(X: Floats, y: Integers, n: int, kernel: Kernel) -> Integers:
    """Select features by their scales under the radius-margin bound, in the order of columns."""
    scales = np.ones(X.shape[1])

    def importance(kept: Integers) -> Floats:
        for _ in range(STEPS):
            _, gradient = bound(X[:, kept] * scales[kept], y, kernel)
            size = np.abs(gradient).max()
            if size == 0:
                break
            scales[kept] *= 1 - STEP * gradient / size
        scales[kept] /= np.sqrt(np.mean(scales[kept] ** 2))
        return scales[kept]

    return _halved(X.shape[1], n, importance)


def bound(Z: Floats, y: Integers, kernel: Kernel) -> tuple[float, Floats]:
    """Return R² ‖w‖² for scaled features, and its derivative by the logarithm of every scale."""
    values, slope = kernel(Z @ Z.T, Z.shape[1])
    duals = _duals(values, y)
    signed = np.outer(duals, duals)
    squared_weight = float(2 * np.abs(duals).sum() - (signed * _ridged(values)).sum())
    shares = _center(values)
    squared_radius = float(shares @ np.diag(values) - shares @ values @ shares)

    def derivative(weights: Floats) -> Floats:
        return 2 * (Z * ((weights * slope) @ Z)).sum(axis=0)

    ridge = RIDGE / len(values) * np.trace(signed) * np.eye(len(values))  # it grows with K
    margin = -derivative(signed + ridge)
    radius = derivative(np.diag(shares) - np.outer(shares, shares))
    gradient = squared_weight * radius + squared_radius * margin
    return squared_radius * squared_weight, gradient


def _halved(n_features: int, n: int, importance: Callable[[Integers], Floats]) -> Integers:
    """Drop the less important half of the features, again and again, until n are left."""
    kept = np.arange(n_features)
    while len(kept) > n:
        order = np.argsort(-importance(kept), kind="stable")
        kept = np.sort(kept[order[: max(n, len(kept) // 2)]])
    return kept


def _ridged(values: Floats) -> Floats:
    """Return the kernel matrix of a machine whose errors count as squares."""
    return values + RIDGE * np.trace(values) / len(values) * np.eye(len(values))


def _duals(values: Floats, y: Integers) -> Floats:
    """Return the signed dual variables of the machine."""
    from sklearn.svm import SVC

    model = SVC(kernel="precomputed", C=1e6, tol=1e-8).fit(_ridged(values), y)
    duals = np.zeros(len(y))
    duals[model.support_] = model.dual_coef_[0]
    return duals


def _center(values: Floats) -> Floats:
    """Return shares of the samples whose mean centres the smallest ball (Frank and Wolfe)."""
    shares = np.full(len(values), 1 / len(values))
    diagonal = np.diag(values)
    for i in range(ROUNDS):
        farthest = np.argmax(diagonal - 2 * values @ shares)
        shares *= 1 - 2 / (i + 3)
        shares[farthest] += 2 / (i + 3)
    return shares


SHAVED = 0.1  # share of the genes that go at a time
SHUFFLES = 2


# Genes, and for each the sign with which it varies along.
Cluster = tuple[Integers, Floats]


def clusters(Z: Floats, n: int) -> list[Cluster]:
    """Find n clusters among standardised genes."""
    rng = np.random.default_rng(0)
    residual, found = Z.copy(), []
    for _ in range(n):
        nested = shave(residual)
        gaps = np.array([explained(residual, cluster) for cluster in nested])
        for _ in range(SHUFFLES):
            shuffled = rng.permuted(residual, axis=0)
            gaps -= [explained(shuffled, cluster) / SHUFFLES for cluster in shave(shuffled)]
        found.append(nested[int(gaps.argmax())])
        mean = signed_mean(residual, found[-1])
        residual -= np.outer(mean, mean @ residual) / (mean @ mean)
    return found


def shave(Z: Floats) -> list[Cluster]:
    """Return nested clusters, from all genes to one."""
    left, found = Z.shape[1], []
    genes = np.arange(left)
    while True:
        part = Z[:, genes]
        products = np.linalg.eigh(part @ part.T)[1][:, -1] @ part
        found.append((genes, np.where(products < 0, -1.0, 1.0)))
        if left == 1:
            return found
        left = max(1, int((1 - SHAVED) * left))
        genes = np.sort(genes[best(np.abs(products), left)])


def explained(Z: Floats, cluster: Cluster) -> float:
    """Return the variance of the signed mean over samples, as a share of that of all genes."""
    total = np.mean(Z[:, cluster[0]] ** 2)
    return float(np.mean(signed_mean(Z, cluster) ** 2) / total) if total > 0 else 0.0


def signed_mean(Z: Floats, cluster: Cluster) -> Floats:
    """Return the mean of the genes, each with its sign."""
    genes, signs = cluster
    return Z[:, genes] @ signs / len(genes)
