"""Clusters of samples in features of which the relevant ones are known."""

import math
import numbers
import operator

import numpy as np

from specsel.datasets.dataset import Dataset

NOISE_VARIANCE = 20.0
SOLUTION_DEVIATION = 0.1
# A seed whose three clusters are about equally far apart and show in each of the six signals.
EXAMPLE_SEED = 51


def weston_linear(n_samples=60, *, n_features=202, random_state=0):
    """
    Draw two classes that a linear rule on six features tells apart.

    A label y is -1 or +1 with equal chance. With probability .7 the sample has its signal,
    y N(i, 1) for i = 1, 2, 3, in features 0-2 and N(0, 1) in features 3-5, otherwise the other
    way round. All other features are N(0, 20), 20 being the variance.

    Parameters
    ----------
    n_samples : int, at least 2
    n_features : int, at least 6
    random_state : int, Generator or None
        Seed, as `numpy.random.default_rng` takes it.

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
    n_samples = _size("n_samples", n_samples, 2, "samples are")
    n_features = _size("n_features", n_features, 6, "features are")
    rng = np.random.default_rng(random_state)
    y = rng.choice([-1, 1], size=n_samples)
    signal_first = rng.random((n_samples, 1)) < 0.7
    signal = y[:, None] * rng.normal([1.0, 2.0, 3.0], size=(n_samples, 3))
    noise = rng.standard_normal((n_samples, 3))
    X = _large_noise(rng, n_samples, n_features)
    X[:, :3] = np.where(signal_first, signal, noise)
    X[:, 3:6] = np.where(signal_first, noise, signal)
    return Dataset(X, y, relevant=np.arange(6))


def weston_nonlinear(n_samples=60, *, n_features=52, random_state=0):
    """
    Draw two classes of two clusters each, which no linear rule tells apart.

    A label y is -1 or +1 with equal chance. Features 0-1 have unit covariance around
    (3/4, 3) or (-3/4, -3) if y is -1, around (3, -3) or (-3, 3) if y is +1, again with equal
    chance. All other features are N(0, 20), 20 being the variance.

    Parameters
    ----------
    n_samples : int, at least 2
    n_features : int, at least 2
    random_state : int, Generator or None
        Seed, as `numpy.random.default_rng` takes it.

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
    n_samples = _size("n_samples", n_samples, 2, "samples are")
    n_features = _size("n_features", n_features, 2, "features are")
    rng = np.random.default_rng(random_state)
    y = rng.choice([-1, 1], size=n_samples)
    side = rng.choice([-1.0, 1.0], size=(n_samples, 1))
    center = np.where(y[:, None] < 0, [0.75, 3.0], [3.0, -3.0])
    X = _large_noise(rng, n_samples, n_features)
    X[:, :2] = rng.normal(side * center)
    return Dataset(X, y, relevant=np.arange(2))


def growing_classes(n_classes=2, *, n_samples=60, n_relevant=5, n_irrelevant=120, random_state=0):
    """
    Draw tight clusters, equal in size, in a few relevant features.

    Every class gets ceil(n_samples / n_classes) samples, so the data have n_samples rows if
    n_classes divides n_samples, and otherwise up to n_classes - 1 more. Cluster centres are
    uniform in [-1, 1], variances uniform in [0, .02] per class and feature.

    Parameters
    ----------
    n_classes : int, at least 1
    n_samples : int, at least 2
        Rows asked for, before rounding up to equal classes.
    n_relevant, n_irrelevant : int, at least 1 and at least 0
        Number of features of each kind; the relevant ones come first.
    random_state : int, Generator or None
        Seed, as `numpy.random.default_rng` takes it.

    Returns
    -------
    Dataset
        Rows sorted by class, labels 0 to n_classes - 1.

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
    n_classes = _size("n_classes", n_classes, 1, "class is")
    n_samples = _size("n_samples", n_samples, 2, "samples are")
    n_relevant = _size("n_relevant", n_relevant, 1, "feature is")
    n_irrelevant = _size("n_irrelevant", n_irrelevant, 0, "features are")
    y = np.repeat(np.arange(n_classes), -(-n_samples // n_classes))
    n_features = n_relevant + n_irrelevant
    return _clusters(y, n_relevant, n_features, 1.0, (0.0, 0.02), random_state)


def two_gaussians(*, n_samples=100, n_relevant=3, n_features=203, spread=1.0, random_state=0):
    """
    Draw two broad clusters in a few relevant features.

    Means are uniform in [-.5, .5] times `spread`, variances uniform in [.5, 1.5], per class
    and feature. At the paper's spread of 1 the clusters overlap almost entirely.

    Parameters
    ----------
    n_samples : int, at least 2
        Rows, shared out evenly: the sizes of the classes differ by one at most.
    n_relevant : int, at least 1
        Number of relevant features, which come first.
    n_features : int, at least n_relevant
    spread : float, at least 0
        Factor on the means; the larger, the further apart the clusters.
    random_state : int, Generator or None
        Seed, as `numpy.random.default_rng` takes it.

    Returns
    -------
    Dataset
        Rows sorted by class, labels 0 and 1.

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


def four_gaussians(*, n_samples=100, n_relevant=3, n_features=200, spread=1.0, random_state=0):
    """
    Draw four broad clusters in a few relevant features.

    The paper states no means and variances here; those of `two_gaussians` are used.

    Parameters
    ----------
    n_samples : int, at least 4
        Rows, shared out evenly: the sizes of the classes differ by one at most.
    n_relevant : int, at least 1
        Number of relevant features, which come first.
    n_features : int, at least n_relevant
    spread : float, at least 0
        Factor on the means; the larger, the further apart the clusters.
    random_state : int, Generator or None
        Seed, as `numpy.random.default_rng` takes it.

    Returns
    -------
    Dataset
        Rows sorted by class, labels 0 to 3.

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


def example():
    """
    Return the small example: three clusters, six signals among forty named features.

    Always the same data, drawn by the rules of `growing_classes`, columns shuffled.

    Returns
    -------
    Dataset
        90 rows sorted by class, labels 0 to 2; `names` says which columns are signals.

    References
    ----------
    Wolf and Shashua (2005), Fig. 3(b), in small.

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


def two_solutions(*, random_state=0):
    """
    Draw 150 samples with two groupings in three clusters each, among 20 features.

    Features 0-2 show one grouping, 3-5 another that is independent of it, 6-8 are their sums and
    show both, and 9-19 are random permutations of feature 0. In every feature the centers of the
    three clusters lie at -1, 0 and 1, each moved by up to .25, with a random sign, and the samples
    around them with a standard deviation of .1.

    Parameters
    ----------
    random_state : int, Generator or None
        Seed, as `numpy.random.default_rng` takes it.

    Returns
    -------
    Dataset
        With the first grouping as `y`.

    Examples
    --------
    >>> from specsel import datasets
    >>> datasets.two_solutions().names[:9]
    ('1', '2', '3', 'A', 'B', 'C', '1A', '2B', '3C')
    """
    rng = np.random.default_rng(random_state)
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


def _along_a_line(rng, labels):
    """Three features that show three clusters in the same order, some with the opposite sign."""
    levels = np.array([[-1.0], [0.0], [1.0]]) + rng.uniform(-0.25, 0.25, (3, 3))
    return rng.normal((levels * rng.choice([-1, 1], 3))[labels], SOLUTION_DEVIATION)


def _broad_clusters(n_classes, n_samples, n_relevant, n_features, spread, random_state):
    n_samples = _size("n_samples", n_samples, n_classes, "samples are")
    n_relevant = _size("n_relevant", n_relevant, 1, "feature is")
    n_features = _size("n_features", n_features, n_relevant, "features (n_relevant) are")
    if not (isinstance(spread, numbers.Real) and 0 <= spread < math.inf):
        raise ValueError(f"spread = {spread!r}: a finite number, 0 or more, is needed")
    y = np.arange(n_samples) * n_classes // n_samples
    return _clusters(y, n_relevant, n_features, 0.5 * spread, (0.5, 1.5), random_state)


def _clusters(y, n_relevant, n_features, half_width, variance_range, random_state):
    """Gaussians of diagonal covariance, one a class; irrelevant features permuted."""
    rng = np.random.default_rng(random_state)
    shape = (y[-1] + 1, n_features)
    centers = rng.uniform(-half_width, half_width, shape)
    deviations = np.sqrt(rng.uniform(*variance_range, shape))
    X = rng.normal(centers[y], deviations[y])
    irrelevant = X[:, n_relevant:]
    rng.permuted(irrelevant, axis=0, out=irrelevant)
    return Dataset(X, y, relevant=np.arange(n_relevant))


def _large_noise(rng, n_samples, n_features):
    return rng.normal(scale=np.sqrt(NOISE_VARIANCE), size=(n_samples, n_features))


def _size(name, value, least, unit):
    """Return `value` as an int, or say what is wrong with it."""
    try:
        size = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} = {value!r}: an integer is needed") from None
    if size < least:
        raise ValueError(f"{name} = {size}: at least {least} {unit} needed")
    return size
