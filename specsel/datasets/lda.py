"""Random problems for sparse LDA: pairs of matrices, and two classes of samples.

Moghaddam et al. (2006), Sec. 3.1, draw covariances of "Brownian processes of various degrees of
smoothness" and say no more. The exponents and the number of paths are chosen here.
"""

import math

import numpy as np

from specsel import _validate
from specsel._validate import Floats, Places, Seed
from specsel.datasets.dataset import Dataset

# Degrees of freedom per feature of a full-rank Wishart matrix.
FREEDOM = 2

# Paths per feature behind a covariance of full rank.
PATHS = 4

# The range of the Hurst exponents.
ROUGHEST, SMOOTHEST = 0.1, 0.9


def wishart_pair(
    n_features: int = 40,
    *,
    rank: int | None = None,
    identity: bool = False,
    random_state: Seed = 0,
) -> tuple[Floats, Floats]:
    """Draw two independent Wishart matrices, the first of any rank.

    ``A = G Gᵀ / m``, where G has n_features x m standard normal entries. The number of columns m
    is the rank, or 2 n_features if no rank is given. B is drawn in the same way, of full rank. For
    many features its eigenvalues lie between .08 and 2.92, a condition number of 34.

    Parameters
    ----------
    n_features : int, at least 1
    rank : int from 1 to n_features, or None
        Rank of A. Two classes give rank 1; None is full rank.
    identity : bool
        Take the identity for B: a problem of sparse PCA.
    random_state : int, Generator or None
        Seed, as `numpy.random.default_rng` takes it.

    Returns
    -------
    A, B : ndarray of float64, n_features x n_features
        Symmetric; A positive semi-definite, B positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import datasets
    >>> A, B = datasets.wishart_pair(40, rank=2)
    >>> A.shape, B.shape
    ((40, 40), (40, 40))
    >>> int(np.linalg.matrix_rank(A))
    2
    """
    n_features, rank = _check_sizes(n_features, rank)
    rng = np.random.default_rng(random_state)
    degrees = FREEDOM * n_features
    A = _covariance(rng.standard_normal((n_features, rank or degrees)))
    if identity:
        return A, np.eye(n_features)
    return A, _covariance(rng.standard_normal((n_features, degrees)))


def brownian_pair(
    n_features: int = 16, *, rank: int | None = None, random_state: Seed = 0
) -> tuple[Floats, Floats]:
    """Draw the sample covariances of two fractional Brownian motions.

    Paths start at 0; the features are their values at the times 1/n, 2/n, ..., 1, where
    n = n_features. Each matrix has a Hurst exponent H of its own, uniform in [.1, .9]. Below 1/2
    paths are rough and their steps correlate negatively (sub-Gaussian); above it paths are smooth
    and their steps correlate positively (super-Gaussian). The smoother the paths, the more alike
    are neighbouring features. The mean is known to be 0 and is not subtracted.

    B comes from 4n paths and is positive definite. Its condition number grows with H and n: among
    300 draws the largest is 4e4 for 16 features, 2e6 for 60 and 7e6 for 100.

    Parameters
    ----------
    n_features : int, at least 1
    rank : int from 1 to n_features, or None
        Rank of A, which is the number of paths behind it; None takes 4 n_features paths.
    random_state : int, Generator or None
        Seed, as `numpy.random.default_rng` takes it.

    Returns
    -------
    A, B : ndarray of float64, n_features x n_features
        Symmetric; A positive semi-definite, B positive definite.

    References
    ----------
    Moghaddam et al. (2006), Sec. 3.1 and Fig. 1.

    R. B. Davies and D. S. Harte, "Tests for Hurst effect", Biometrika 74, 1987: how exact paths
    are drawn.

    Examples
    --------
    >>> from specsel import datasets
    >>> A, B = datasets.brownian_pair()
    >>> A.shape, B.shape
    ((16, 16), (16, 16))
    >>> bool(B[0, 0] < B[15, 15])
    True
    """
    n_features, rank = _check_sizes(n_features, rank)
    rng = np.random.default_rng(random_state)
    n_paths = PATHS * n_features
    A = _covariance(_brownian_paths(rng, n_features, rank or n_paths))
    return A, _covariance(_brownian_paths(rng, n_features, n_paths))


def lda_problem(
    n_features: int = 100,
    *,
    n_samples: int = 500,
    n_relevant: int = 10,
    correlation: float = 0.0,
    noise: float = 2.0,
    places: Places = "even",
    random_state: Seed = 0,
) -> Dataset:
    """Draw two classes that differ in the noisy sum of a few among correlated Gaussian features.

    A sample has label 1 if the sum of its relevant features plus `noise` times a standard normal
    variable is positive, and label 0 otherwise. Features have mean 0 and variance 1; two features
    d columns apart have the correlation ``correlation ** d``.

    Parameters
    ----------
    n_features : int, at least 1
    n_samples : int, at least 2
    n_relevant : int from 1 to n_features
    correlation : float between -1 and 1, both excluded
        Correlation of neighbouring features.
    noise : float, at least 0
        Standard deviation of the noise that is added to the sum.
    places : {"even", "random"}
        Where the relevant features are: evenly spread, so that 10 of 100 are every tenth, from the
        first on; or anywhere. Neighbours among them make selection harder if features correlate.
    random_state : int, Generator or None
        Seed, as `numpy.random.default_rng` takes it.

    Returns
    -------
    Dataset
        Labels 0 and 1.

    Examples
    --------
    >>> from specsel import datasets
    >>> data = datasets.lda_problem(correlation=0.9)
    >>> data
    Dataset(500 samples x 100 features, 10 relevant)
    >>> data.relevant
    array([ 0, 10, 20, 30, 40, 50, 60, 70, 80, 90])
    """
    n_features = _validate.check_integer("n_features", n_features, 1)
    n_samples = _validate.check_integer("n_samples", n_samples, 2)
    n_relevant = _validate.check_integer("n_relevant", n_relevant, 1, n_features, "n_features")
    _validate.check_number("correlation", correlation)
    if not abs(correlation) < 1:
        raise ValueError(f"correlation = {correlation!r}: must be between -1 and 1, both excluded")
    _validate.check_not_negative("noise", noise)
    _validate.check_choice("places", places, _validate.PLACES)
    rng = np.random.default_rng(random_state)
    X = rng.standard_normal((n_samples, n_features))
    fresh = math.sqrt(1 - correlation**2)
    for j in range(1, n_features):
        X[:, j] = correlation * X[:, j - 1] + fresh * X[:, j]
    relevant = np.arange(n_relevant) * n_features // n_relevant
    if places == "random":
        relevant = np.sort(rng.choice(n_features, n_relevant, replace=False))
    score = X[:, relevant].sum(axis=1) + noise * rng.standard_normal(n_samples)
    return Dataset(X, (score > 0).astype(int), relevant)


def _brownian_paths(rng: np.random.Generator, n_features: int, n_paths: int) -> Floats:
    """Draw paths as columns: sums of exact steps, by circulant embedding (Davies and Harte)."""
    hurst = rng.uniform(ROUGHEST, SMOOTHEST)
    power = np.arange(n_features + 2.0) ** (2 * hurst)
    covariance = np.concatenate(([1.0], (power[2:] - 2 * power[1:-1] + power[:-2]) / 2))
    circle = np.concatenate((covariance, covariance[-2:0:-1]))
    amplitudes = np.sqrt(np.maximum(np.fft.rfft(circle).real, 0.0))
    white = np.fft.rfft(rng.standard_normal((n_paths, circle.size)))
    steps = np.fft.irfft(amplitudes * white, circle.size)[:, :n_features]
    paths: Floats = np.cumsum(steps, axis=1).T / n_features**hurst
    return paths


def _covariance(columns: Floats) -> Floats:
    """Average the outer products of the columns.

    This does without BLAS, whose last bits depend on the number of threads.
    """
    products: Floats = np.einsum("ik,jk->ij", columns, columns) / columns.shape[1]
    return products


def _check_sizes(n_features: int, rank: int | None) -> tuple[int, int | None]:
    """Check the number of features and the rank."""
    n_features = _validate.check_integer("n_features", n_features, 1)
    if rank is not None:
        rank = _validate.check_integer("rank", rank, 1, n_features, "n_features")
    return n_features, rank
