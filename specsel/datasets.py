"""The papers' synthetic data, of which it is known which features are relevant.

- `weston_linear`, `weston_nonlinear`: two classes that show in a few features among many of large
  noise, from Weston et al. (2001), Fig. 3(a) of Wolf and Shashua (2005).
- `growing_classes`: any number of tight clusters, Fig. 3(b) of Wolf and Shashua (2005).
- `two_gaussians`, `four_gaussians`: broad clusters, Figs. 1 and 2 of Wolf and Bileschi (2005).
- `two_solutions`: samples that can be grouped in two ways, Fig. 2 of Shashua and Wolf (2004).
- `wishart_pair`, `brownian_pair`: pairs of matrices for sparse linear discriminant analysis (LDA),
  the latter from Sec. 3.1 of Moghaddam et al. (2006).
- `lda_problem`: two classes of samples with correlated features.
- `example`: a small data set with named features, for a first try.

Where the samples form clusters, an irrelevant feature is drawn like a relevant one and then
permuted over the samples, independently of the others: it differs from a relevant one only in how
it goes along with others.

Moghaddam et al. draw covariances of "Brownian processes of various degrees of smoothness" and say
no more. Wolf and Bileschi do not say how the means and variances of four clusters are drawn. What
they leave open is chosen here.

`random_state` is a seed, a Generator to draw from, or None for fresh random numbers.

References
----------
J. Weston, S. Mukherjee, O. Chapelle, M. Pontil, T. Poggio and V. Vapnik, "Feature selection
for SVMs", NIPS 13, 2001.

R. B. Davies and D. S. Harte, "Tests for Hurst effect", Biometrika 74, 1987.

The other papers are those of the methods: ``specsel info --cite``.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from specsel import _validate
from specsel._validate import Floats, Integers, Names, Places, Seed

__all__ = [
    "Dataset",
    "brownian_pair",
    "example",
    "four_gaussians",
    "growing_classes",
    "lda_problem",
    "two_gaussians",
    "two_solutions",
    "weston_linear",
    "weston_nonlinear",
    "wishart_pair",
]

NOISE_DEVIATION = 20**0.5  # of the irrelevant features of Weston et al.

# With this seed the three clusters are about equally far apart and show in each of six signals.
EXAMPLE_SEED = 51

# Columns per feature behind a matrix of full rank: of a Wishart matrix, and Brownian paths.
FREEDOM, PATHS = 2, 4

ROUGHEST, SMOOTHEST = 0.1, 0.9  # the range of the Hurst exponents


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Samples, their labels, and which features are relevant.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int of shape (n_samples,)
        The label of every sample.
    relevant : ndarray of int
        The features that depend on the labels, or on which the labels depend; sorted.
    names : tuple of str or None
        Names of the features.
    """

    X: Floats
    y: Integers
    relevant: Integers
    names: Names = None

    def __repr__(self) -> str:
        n_samples, n_features = self.X.shape
        return (
            f"Dataset({n_samples} samples x {n_features} features, {self.relevant.size} relevant)"
        )


def weston_linear(
    n_samples: int = 60, *, n_features: int = 202, random_state: Seed = 0
) -> Dataset:
    """Draw two classes that a linear rule on six features tells apart.

    The label y of a sample is -1 or +1, with equal chance. The signal is three numbers, drawn
    from N(i, 1) for i = 1, 2, 3 and multiplied by y. With probability .7 it stands in features 0-2
    and features 3-5 are N(0, 1); otherwise the two groups of features change roles. All other
    features are noise of variance 20.

    Parameters
    ----------
    n_samples, n_features : int, at least 2 and at least 6
    random_state : int, Generator or None

    Returns
    -------
    Dataset
        Labels -1 and +1.

    Examples
    --------
    >>> from specsel import datasets
    >>> data = datasets.weston_linear(20)
    >>> data
    Dataset(20 samples x 202 features, 6 relevant)
    >>> data.relevant
    array([0, 1, 2, 3, 4, 5])
    """
    rng, y = _two_labels(n_samples, n_features, 6, random_state)
    signal_first = rng.random((len(y), 1)) < 0.7
    signal = y[:, None] * rng.normal([1.0, 2.0, 3.0], size=(len(y), 3))
    noise = rng.standard_normal((len(y), 3))
    X = rng.normal(scale=NOISE_DEVIATION, size=(len(y), n_features))
    X[:, :3] = np.where(signal_first, signal, noise)
    X[:, 3:6] = np.where(signal_first, noise, signal)
    return Dataset(X, y, relevant=np.arange(6))


def weston_nonlinear(
    n_samples: int = 60, *, n_features: int = 52, random_state: Seed = 0
) -> Dataset:
    """Draw two classes of two clusters each, which no linear rule tells apart.

    The label y of a sample is -1 or +1, with equal chance. Features 0 and 1 are Gaussian with unit
    covariance. Their mean is (3/4, 3) or (-3/4, -3) if y is -1, and (3, -3) or (-3, 3) if y is +1,
    again with equal chance. All other features are noise of variance 20.

    Parameters
    ----------
    n_samples, n_features : int, at least 2
    random_state : int, Generator or None

    Returns
    -------
    Dataset
        Labels -1 and +1.

    Examples
    --------
    >>> from specsel import datasets
    >>> datasets.weston_nonlinear(20)
    Dataset(20 samples x 52 features, 2 relevant)
    """
    rng, y = _two_labels(n_samples, n_features, 2, random_state)
    side = rng.choice([-1.0, 1.0], size=(len(y), 1))
    center = np.where(y[:, None] < 0, [0.75, 3.0], [3.0, -3.0])
    X = rng.normal(scale=NOISE_DEVIATION, size=(len(y), n_features))
    X[:, :2] = rng.normal(side * center)
    return Dataset(X, y, relevant=np.arange(2))


def growing_classes(
    n_classes: int = 2,
    *,
    n_samples: int = 60,
    n_relevant: int = 5,
    n_irrelevant: int = 120,
    random_state: Seed = 0,
) -> Dataset:
    """Draw tight clusters, equal in size, in a few relevant features.

    Every class is one cluster of ``ceil(n_samples / n_classes)`` samples. In every feature its
    center is uniform in [-1, 1] and its variance uniform in [0, .02].

    Parameters
    ----------
    n_classes : int, at least 1
    n_samples : int, at least 2
        Before rounding up to equal classes.
    n_relevant, n_irrelevant : int, at least 1 and at least 0
        The relevant features come first.
    random_state : int, Generator or None

    Returns
    -------
    Dataset
        Samples sorted by class, labels 0 to n_classes - 1.

    Examples
    --------
    >>> from specsel import datasets
    >>> datasets.growing_classes(3)
    Dataset(60 samples x 125 features, 5 relevant)
    >>> datasets.growing_classes(7)
    Dataset(63 samples x 125 features, 5 relevant)
    """
    n_classes = _validate.check_integer("n_classes", n_classes, 1)
    n_samples = _validate.check_integer("n_samples", n_samples, 2)
    n_relevant = _validate.check_integer("n_relevant", n_relevant, 1)
    n_irrelevant = _validate.check_integer("n_irrelevant", n_irrelevant, 0)
    y = np.repeat(np.arange(n_classes), -(-n_samples // n_classes))
    return _clusters(y, n_relevant, n_relevant + n_irrelevant, 1.0, (0.0, 0.02), random_state)


def two_gaussians(
    *,
    n_samples: int = 100,
    n_relevant: int = 3,
    n_features: int = 203,
    spread: float = 1.0,
    random_state: Seed = 0,
) -> Dataset:
    """Draw two broad clusters in a few relevant features.

    For every class and feature the mean is uniform in [-.5, .5], times `spread`, and the variance
    uniform in [.5, 1.5]. The paper's spread is 1, where the clusters overlap almost entirely.

    Parameters
    ----------
    n_samples : int, at least 2
        The sizes of the classes differ by one at most.
    n_relevant, n_features : int, at least 1 and at least n_relevant
        The relevant features come first.
    spread : float, at least 0
    random_state : int, Generator or None

    Returns
    -------
    Dataset
        Samples sorted by class, labels 0 and 1.

    Examples
    --------
    >>> from specsel import datasets
    >>> datasets.two_gaussians(spread=4.0)
    Dataset(100 samples x 203 features, 3 relevant)
    """
    return _broad_clusters(2, n_samples, n_relevant, n_features, spread, random_state)


def four_gaussians(
    *,
    n_samples: int = 100,
    n_relevant: int = 3,
    n_features: int = 200,
    spread: float = 1.0,
    random_state: Seed = 0,
) -> Dataset:
    """Draw four broad clusters in a few relevant features, as `two_gaussians` draws two.

    Parameters
    ----------
    n_samples, n_relevant, n_features, spread, random_state
        As in `two_gaussians`; at least 4 samples.

    Returns
    -------
    Dataset
        Samples sorted by class, labels 0 to 3.

    Examples
    --------
    >>> from specsel import datasets
    >>> datasets.four_gaussians(spread=4.0)
    Dataset(100 samples x 200 features, 3 relevant)
    """
    return _broad_clusters(4, n_samples, n_relevant, n_features, spread, random_state)


def example() -> Dataset:
    """Return a small example: three clusters that show in six of forty named features.

    The data are always the same: those of `growing_classes` with features shuffled.

    Returns
    -------
    Dataset
        90 samples sorted by class, labels 0 to 2. Features are named "signal_..." or "noise_...".

    Examples
    --------
    >>> from specsel import datasets
    >>> data = datasets.example()
    >>> data
    Dataset(90 samples x 40 features, 6 relevant)
    >>> sorted(data.names[i] for i in data.relevant)[:2]
    ['signal_1', 'signal_2']
    """
    rng = np.random.default_rng(EXAMPLE_SEED)
    data = growing_classes(3, n_samples=90, n_relevant=6, n_irrelevant=34, random_state=rng)
    names = [f"signal_{i}" for i in range(1, 7)] + [f"noise_{i:02}" for i in range(1, 35)]
    order = rng.permutation(40)
    return Dataset(
        X=np.ascontiguousarray(data.X[:, order]),
        y=data.y,
        relevant=np.flatnonzero(order < 6),
        names=tuple(names[i] for i in order),
    )


def two_solutions(*, random_state: Seed = 0) -> Dataset:
    """Draw 150 samples that can be grouped in two ways, each into three clusters.

    There are 20 features. Features 0-2 show one grouping and features 3-5 the other, which is
    independent of it. Features 6-8 are sums of these and show both. Features 9-19 show neither:
    they are feature 0, permuted over the samples. In each of the first six features the centers of
    the three clusters are -1, 0 and 1, each moved by up to .25 and all multiplied by one random
    sign. The samples deviate from the centers with a standard deviation of .1.

    Parameters
    ----------
    random_state : int, Generator or None

    Returns
    -------
    Dataset
        The labels `y` are the first grouping.

    Examples
    --------
    >>> from specsel import datasets
    >>> datasets.two_solutions().names[:9]
    ('1', '2', '3', 'A', 'B', 'C', '1A', '2B', '3C')
    """
    rng = _validate.as_generator(random_state)
    groupings = [rng.permutation(np.repeat([0, 1, 2], 50)) for _ in range(2)]
    first, second = (_along_a_line(rng, labels) for labels in groupings)
    permuted = rng.permuted(np.repeat(first[:, :1], 11, axis=1), axis=0)
    names = ["1", "2", "3", "A", "B", "C", "1A", "2B", "3C"]
    return Dataset(
        X=np.hstack((first, second, first + second, permuted)),
        y=groupings[0],
        relevant=np.arange(9),
        names=(*names, *(f"permuted_{i:02}" for i in range(1, 12))),
    )


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

    Returns
    -------
    A, B : ndarray of shape (n_features, n_features)
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
    draw = np.random.Generator.standard_normal
    matrices = _covariances(draw, FREEDOM, n_features, rank, random_state)
    return next(matrices), np.eye(n_features) if identity else next(matrices)


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

    Returns
    -------
    A, B : ndarray of shape (n_features, n_features)
        Symmetric; A positive semi-definite, B positive definite.

    Examples
    --------
    >>> from specsel import datasets
    >>> A, B = datasets.brownian_pair()
    >>> A.shape, B.shape
    ((16, 16), (16, 16))
    >>> bool(B[0, 0] < B[15, 15])
    True
    """
    A, B = _covariances(_brownian_paths, PATHS, n_features, rank, random_state)
    return A, B


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
    n_features, n_samples : int, at least 1 and at least 2
    n_relevant : int from 1 to n_features
    correlation : float between -1 and 1, both excluded
        Correlation of neighbouring features.
    noise : float, at least 0
        Standard deviation of the noise that is added to the sum.
    places : {"even", "random"}
        Where the relevant features are: evenly spread, so that 10 of 100 are every tenth, from the
        first on; or anywhere. Neighbours among them make selection harder if features correlate.
    random_state : int, Generator or None

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
    _validate.check_number("noise", noise, 0)
    _validate.check_choice("places", places, _validate.Places)
    rng = _validate.as_generator(random_state)
    X = rng.standard_normal((n_samples, n_features))
    fresh = math.sqrt(1 - correlation**2)
    for j in range(1, n_features):
        X[:, j] = correlation * X[:, j - 1] + fresh * X[:, j]
    relevant = np.arange(n_relevant) * n_features // n_relevant
    if places == "random":
        relevant = np.sort(rng.choice(n_features, n_relevant, replace=False))
    score = X[:, relevant].sum(axis=1) + noise * rng.standard_normal(n_samples)
    return Dataset(X, (score > 0).astype(int), relevant)


def _two_labels(
    n_samples: int, n_features: int, least: int, random_state: Seed
) -> tuple[np.random.Generator, Integers]:
    """Check the sizes; return the generator, and a label of -1 or +1 for every sample."""
    n_samples = _validate.check_integer("n_samples", n_samples, 2)
    _validate.check_integer("n_features", n_features, least)
    rng = _validate.as_generator(random_state)
    return rng, rng.choice([-1, 1], size=n_samples)


def _along_a_line(rng: np.random.Generator, labels: Integers) -> Floats:
    """Draw three features in which the clusters lie in the same order, or in the opposite one."""
    levels = np.array([[-1.0], [0.0], [1.0]]) + rng.uniform(-0.25, 0.25, (3, 3))
    features: Floats = rng.normal((levels * rng.choice([-1, 1], 3))[labels], 0.1)
    return features


def _broad_clusters(
    n_classes: int,
    n_samples: int,
    n_relevant: int,
    n_features: int,
    spread: float,
    random_state: Seed,
) -> Dataset:
    n_samples = _validate.check_integer("n_samples", n_samples, n_classes)
    n_relevant = _validate.check_integer("n_relevant", n_relevant, 1)
    n_features = _validate.check_integer("n_features", n_features, n_relevant)
    _validate.check_number("spread", spread, 0)
    y = np.arange(n_samples) * n_classes // n_samples
    return _clusters(y, n_relevant, n_features, 0.5 * spread, (0.5, 1.5), random_state)


def _clusters(
    y: Integers,
    n_relevant: int,
    n_features: int,
    half_width: float,
    variance_range: tuple[float, float],
    random_state: Seed,
) -> Dataset:
    """Draw one Gaussian of diagonal covariance for every class; permute irrelevant features.

    Centers are uniform in [-half_width, half_width].
    """
    rng = _validate.as_generator(random_state)
    shape = (y[-1] + 1, n_features)
    centers = rng.uniform(-half_width, half_width, shape)
    deviations = np.sqrt(rng.uniform(*variance_range, shape))
    X = rng.normal(centers[y], deviations[y])
    irrelevant = X[:, n_relevant:]
    rng.permuted(irrelevant, axis=0, out=irrelevant)
    return Dataset(X, y, relevant=np.arange(n_relevant))


def _covariances(
    draw: Callable[[np.random.Generator, tuple[int, int]], Floats],
    per_feature: int,
    n_features: int,
    rank: int | None,
    random_state: Seed,
) -> Iterator[Floats]:
    """Yield two sample covariances, the first of this rank; `draw` returns samples as columns."""
    n_features = _validate.check_integer("n_features", n_features, 1)
    if rank is not None:
        rank = _validate.check_integer("rank", rank, 1, n_features, "n_features")
    rng, full = _validate.as_generator(random_state), per_feature * n_features
    for count in (rank or full, full):
        columns = draw(rng, (n_features, count))
        # Without BLAS, whose last bits depend on the number of threads.
        yield np.einsum("ik,jk->ij", columns, columns) / count


def _brownian_paths(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Draw paths as columns: sums of exact steps, by circulant embedding (Davies and Harte)."""
    n_features, n_paths = shape
    hurst = rng.uniform(ROUGHEST, SMOOTHEST)
    power = np.arange(n_features + 2.0) ** (2 * hurst)
    covariance = np.concatenate(([1.0], (power[2:] - 2 * power[1:-1] + power[:-2]) / 2))
    circle = np.concatenate((covariance, covariance[-2:0:-1]))
    amplitudes = np.sqrt(np.maximum(np.fft.rfft(circle).real, 0.0))
    white = np.fft.rfft(rng.standard_normal((n_paths, circle.size)))
    steps = np.fft.irfft(amplitudes * white, circle.size)[:, :n_features]
    paths: Floats = np.cumsum(steps, axis=1).T / n_features**hurst
    return paths
