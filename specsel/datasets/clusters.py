"""Samples in clusters, with features of which it is known which are relevant."""

import numpy as np

from specsel import _validate
from specsel._validate import Floats, Integers, Seed
from specsel.datasets.dataset import Dataset

# Variance of the irrelevant features of Weston et al.
NOISE_VARIANCE = 20.0

# Standard deviation of the clusters in `two_solutions`.
SOLUTION_DEVIATION = 0.1

# With this seed the three clusters are about equally far apart and show in each of six signals.
EXAMPLE_SEED = 51


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
    n_samples : int, at least 2
    n_features : int, at least 6
    random_state : int, Generator or None
        Seed of the random numbers.

    Returns
    -------
    Dataset
        Labels -1 and +1.

    References
    ----------
    Weston et al. (2001), the linear problem; Wolf and Shashua (2005), Fig. 3(a).

    Examples
    --------
    >>> from specsel import datasets
    >>> data = datasets.weston_linear(20)
    >>> data
    Dataset(20 samples x 202 features, 6 relevant)
    >>> data.relevant
    array([0, 1, 2, 3, 4, 5])
    """
    n_samples = _validate.check_integer("n_samples", n_samples, 2)
    n_features = _validate.check_integer("n_features", n_features, 6)
    rng = _validate.as_generator(random_state)
    y = rng.choice([-1, 1], size=n_samples)
    signal_first = rng.random((n_samples, 1)) < 0.7
    signal = y[:, None] * rng.normal([1.0, 2.0, 3.0], size=(n_samples, 3))
    noise = rng.standard_normal((n_samples, 3))
    X = _large_noise(rng, n_samples, n_features)
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
    n_samples : int, at least 2
    n_features : int, at least 2
    random_state : int, Generator or None
        Seed of the random numbers.

    Returns
    -------
    Dataset
        Labels -1 and +1.

    References
    ----------
    Weston et al. (2001), the non-linear problem; Wolf and Shashua (2005), Fig. 3(a).

    Examples
    --------
    >>> from specsel import datasets
    >>> datasets.weston_nonlinear(20)
    Dataset(20 samples x 52 features, 2 relevant)
    """
    n_samples = _validate.check_integer("n_samples", n_samples, 2)
    n_features = _validate.check_integer("n_features", n_features, 2)
    rng = _validate.as_generator(random_state)
    y = rng.choice([-1, 1], size=n_samples)
    side = rng.choice([-1.0, 1.0], size=(n_samples, 1))
    center = np.where(y[:, None] < 0, [0.75, 3.0], [3.0, -3.0])
    X = _large_noise(rng, n_samples, n_features)
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
        Rows asked for, before rounding up to equal classes.
    n_relevant, n_irrelevant : int, at least 1 and at least 0
        Number of features of each kind; the relevant ones come first.
    random_state : int, Generator or None
        Seed of the random numbers.

    Returns
    -------
    Dataset
        Samples sorted by class, labels 0 to n_classes - 1.

    References
    ----------
    Wolf and Shashua (2005), Fig. 3(b).

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
    n_features = n_relevant + n_irrelevant
    return _clusters(y, n_relevant, n_features, 1.0, (0.0, 0.02), random_state)


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
        Number of samples. The sizes of the classes differ by one at most.
    n_relevant : int, at least 1
        Number of relevant features, which come first.
    n_features : int, at least n_relevant
    spread : float, at least 0
        Factor by which the means are multiplied: the larger, the further apart the clusters.
    random_state : int, Generator or None
        Seed of the random numbers.

    Returns
    -------
    Dataset
        Samples sorted by class, labels 0 and 1.

    References
    ----------
    Wolf and Bileschi (2005), Fig. 1.

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
    """Draw four broad clusters in a few relevant features.

    The paper does not say how means and variances are drawn; here it is as in `two_gaussians`.

    Parameters
    ----------
    n_samples : int, at least 4
        Number of samples. The sizes of the classes differ by one at most.
    n_relevant : int, at least 1
        Number of relevant features, which come first.
    n_features : int, at least n_relevant
    spread : float, at least 0
        Factor by which the means are multiplied: the larger, the further apart the clusters.
    random_state : int, Generator or None
        Seed of the random numbers.

    Returns
    -------
    Dataset
        Samples sorted by class, labels 0 to 3.

    References
    ----------
    Wolf and Bileschi (2005), Fig. 2.

    Examples
    --------
    >>> from specsel import datasets
    >>> datasets.four_gaussians(spread=4.0)
    Dataset(100 samples x 200 features, 3 relevant)
    """
    return _broad_clusters(4, n_samples, n_relevant, n_features, spread, random_state)


def example() -> Dataset:
    """Return a small example: three clusters that show in six of forty named features.

    The data are always the same. They were drawn as in `growing_classes`, and the features
    shuffled.

    Returns
    -------
    Dataset
        90 samples sorted by class, with labels 0 to 2. The names of the features say which are
        signals and which noise.

    References
    ----------
    Wolf and Shashua (2005), Fig. 3(b), with fewer features.

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
    the three clusters are -1, 0 and 1, each moved by up to .25 and multiplied by a random sign.
    The samples deviate from the centers with a standard deviation of .1.

    Parameters
    ----------
    random_state : int, Generator or None
        Seed of the random numbers.

    Returns
    -------
    Dataset
        The labels `y` are the first grouping.

    References
    ----------
    Shashua and Wolf (2004), Fig. 2.

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


def _along_a_line(rng: np.random.Generator, labels: Integers) -> Floats:
    """Draw three features in which the clusters lie in the same order, or in the opposite one."""
    levels = np.array([[-1.0], [0.0], [1.0]]) + rng.uniform(-0.25, 0.25, (3, 3))
    features: Floats = rng.normal((levels * rng.choice([-1, 1], 3))[labels], SOLUTION_DEVIATION)
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
    _validate.check_not_negative("spread", spread)
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


def _large_noise(rng: np.random.Generator, n_samples: int, n_features: int) -> Floats:
    return rng.normal(scale=np.sqrt(NOISE_VARIANCE), size=(n_samples, n_features))
