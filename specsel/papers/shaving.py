"""Gene shaving (Hastie et al., Genome Biology 2000): clusters of genes that vary together.

The genes least correlated with the leading component of all are shaved off, a tenth at a time,
until one is left. Of the nested clusters the one is taken whose variance lies furthest above that
of clusters of shuffled genes. All genes are then made orthogonal to its mean, and so on.
"""

from typing import NamedTuple

import numpy as np

from specsel._validate import Floats, Integers

SHAVED = 0.1  # share of the genes that go at a time
SHUFFLES = 2


class Cluster(NamedTuple):
    """Genes, and for each the sign with which it varies along."""

    genes: Integers
    signs: Floats


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
    """Nested clusters, from all genes to one."""
    kept, found = np.arange(Z.shape[1]), []
    while True:
        part = Z[:, kept]
        leading = np.linalg.eigh(part @ part.T)[1][:, -1]
        products = leading @ part
        found.append(Cluster(kept, np.where(products < 0, -1.0, 1.0)))
        if len(kept) == 1:
            return found
        left = max(1, int((1 - SHAVED) * len(kept)))
        kept = np.sort(kept[np.argsort(-np.abs(products), kind="stable")[:left]])


def explained(Z: Floats, cluster: Cluster) -> float:
    """Variance of the signed mean over samples, as a share of that of all signed genes."""
    total = np.mean(Z[:, cluster.genes] ** 2)
    return float(np.mean(signed_mean(Z, cluster) ** 2) / total) if total > 0 else 0.0


def signed_mean(Z: Floats, cluster: Cluster) -> Floats:
    """The mean of the genes, each with its sign."""
    return Z[:, cluster.genes] @ cluster.signs / len(cluster.genes)
