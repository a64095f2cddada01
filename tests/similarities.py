"""Data whose features have similarities to estimate, and similarities with errors as given."""

import numpy as np

from specsel.results import Intervals


def skewed(seed=0, n_samples=60):
    """Correlated features of different scales, one far from zero."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(1, 1, (n_samples, 5)) @ rng.random((5, 5))
    return X * [1, 10, 100, 0.1, 1] + [0, 0, 300, 0, 0]


def counted(seed=0, n_samples=80):
    """Counts of words, most of them zero, as floats."""
    rng = np.random.default_rng(seed)
    return rng.poisson(1.0, (n_samples, 5)) * (rng.random((n_samples, 5)) < 0.3) * 1.0


def scales(found):
    """Scale of the similarity of every pair of features."""
    deviation = np.sqrt(found.A.diagonal())
    return np.outer(deviation, deviation)


def same(ours, other, atol=1e-11):
    """Check that two results have the same similarities and intervals."""
    for name in ("A", "lower", "upper"):
        np.testing.assert_allclose(
            getattr(ours, name) / scales(other), getattr(other, name) / scales(other), atol=atol
        )


def matrices(seed, n=14, rank=3, noise=0.5):
    """Similarities with a few strong components, and errors that are larger for some features."""
    rng = np.random.default_rng(seed)
    loadings = rng.standard_normal((n, rank)) * np.geomspace(3, 1, rank)
    A = np.corrcoef(loadings @ rng.standard_normal((rank, 200)) + rng.standard_normal((n, 200)))
    size = np.exp(noise * rng.standard_normal(n))
    E = np.outer(size, size) * rng.uniform(0.5, 1.5, (n, n)) * rng.choice([0.003, 0.02, 0.1, 1.0])
    return A, (E + E.T) / 2


def known(A, E, **others):
    """Intervals with given similarities A and errors E."""
    n = len(A)
    given = {
        "matrix": "correlation",
        "method": "bca",
        "confidence": 0.9,
        "n_boot": 1000,
        "n_samples": 200,
        "constant": np.empty(0, int),
        "mean": np.zeros(n),
        "norm": np.ones(n),
    }
    return Intervals(A=A.copy(), lower=A - E, upper=A + E, **given | others)


def factors(n_samples=400, seed=0):
    """Ten features that two factors explain, and four features with heavy tails."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, 14))
    X[:, :6] += 4 * rng.standard_normal((n_samples, 1))
    X[:, 6:10] += 3 * rng.standard_normal((n_samples, 1))
    X[:, 10:] = rng.standard_t(2, (n_samples, 4)) + rng.standard_t(2, (n_samples, 1))
    return X


def star(seed, n=14):
    """Similarities of which only those with one feature are uncertain."""
    rng = np.random.default_rng(seed)
    A, _ = matrices(seed, n)
    E = np.zeros((n, n))
    E[0] = rng.uniform(0.5, 1.5, n) * rng.choice([0.03, 0.1, 0.3])
    E[0, 0] = rng.choice([0.0, 1e-3])
    return A, np.maximum(E, E.T)


def in_blocks(seed, n=12):
    """Groups of features whose errors are orders of magnitude apart."""
    rng = np.random.default_rng(seed)
    A, E = np.zeros((2, n, n))
    for start in range(0, n, 4):
        block = np.ix_(*[range(start, start + 4)] * 2)
        A[block] = matrices(seed + 100 * start, 4, 1)[0]
        E[block] = rng.uniform(0.5, 1.0, (4, 4)) * 10.0 ** rng.uniform(-4, 0)
    return A, (E + E.T) / 2


def cases():
    """Yield 180 pairs of similarities and errors."""
    for seed in range(60):
        yield matrices(seed, n=12 + seed % 9, noise=0.2 + seed % 3)
        yield star(seed)
        yield in_blocks(seed)
