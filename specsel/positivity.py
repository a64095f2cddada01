"""Why the weights come out positive and sparse (Wolf and Shashua, JMLR 6, 2005, Sec. 4).

Simulations of what is proved there: of random symmetric matrices with a positive mean, whose
leading eigenvector is positive (Theorem 10, Lemmas 15 and 16); of the products that the entries of
G consist of (Props. 7-9); of the tail bounds for bounded variables (Lemmas 11 and 12); of the
spectra on which the proofs rest (Wigner, Füredi and Komlós, Narayana); and the bound on the weight
of irrelevant features (Lemma 13). Trials run in parallel, each with a stream of random numbers of
its own: the outcome does not depend on the number of threads.

Departures. The paper says that with mean .1 and deviation 1 the probability is above .99 from
n = 500 on; it is 0 there, .25 at n = 1,000, and about 1 at 2,000. Lemma 12 as printed has M² where
Hoeffding's inequality for squares of at most M² gives M⁴: see `norm_tail`.
"""

from math import comb, exp, sqrt

import numpy as np

from specsel import _data, _input
from specsel._simulation import streams
from specsel._simulation import trials as loops
from specsel.results import estimates
from specsel.results.estimates import Bound, Estimate, Leading, Moments, Spectrum, Tail, Triple

__all__ = [
    "hoeffding_tail",
    "irrelevant_weight_bound",
    "leading_eigenvalue",
    "norm_tail",
    "probability",
    "semicircle",
    "triple_product",
    "wishart_moments",
]

# The largest deviation of a variable of variance 1, for the bounded distributions.
LARGEST = {"uniform": sqrt(3.0), "bernoulli": 1.0}

# Means of the fourth power of a variable of variance 1.
FOURTH_POWERS = {"gaussian": 3.0, "uniform": 1.8, "bernoulli": 1.0}


def probability(
    n, mu, sigma, trials=1000, distribution="gaussian", *, random_state=None
) -> Estimate:
    """Estimate how likely the leading eigenvector of a random matrix is positive (Theorem 10).

    Parameters
    ----------
    n : int
        Size of the symmetric matrix.
    mu, sigma : float
        Mean and standard deviation of its entries, independent up to symmetry.
    trials : int
    distribution : {"gaussian", "uniform", "bernoulli"}
        Of the entries; the last is ``mu - sigma`` or ``mu + sigma`` with equal chance.
    random_state : int, Generator or None

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from specsel import positivity
    >>> positivity.probability(25, 1 / 6, 2**0.5 / 6, random_state=0).probability > 0.98
    True
    """
    kind = _check(n, mu, sigma, trials, distribution)
    found = np.empty(trials, bool)
    loops.signs(streams.keys(random_state, trials), kind, n, mu, sigma, found)
    return estimates.share(found)


def leading_eigenvalue(
    n, mu, sigma, *, trials=1000, distribution="gaussian", random_state=None
) -> Leading:
    """Sample leading eigenpairs of random matrices, for Füredi and Komlós, Lemmas 15 and 16.

    The eigenvalue is expected at ``mu n + sigma² / mu`` where mu is positive and n large. It is
    at least ``mu n - O(1)`` and at most ``mu n + O(√n)``; the unit eigenvector sums to at least
    ``√n - O(1)``.

    Parameters
    ----------
    n, mu, sigma, trials, distribution, random_state
        As in `probability`.

    Returns
    -------
    Leading

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.leading_eigenvalue(100, 0.5, 1.0, trials=200, random_state=0)
    >>> found.eigenvalue.expected, abs(found.eigenvalue.mean - 52) < 0.5
    (52.0, True)
    """
    kind = _check(n, mu, sigma, trials, distribution)
    values, sums = np.empty((2, trials))
    loops.leading_pairs(streams.keys(random_state, trials), kind, n, mu, sigma, values, sums)
    expected = mu * n + sigma**2 / mu if mu > 0 else np.nan
    return Leading(estimates.mean(values, expected), values, sums)


def semicircle(
    n, mu, sigma, *, bins=20, trials=100, distribution="gaussian", random_state=None
) -> Spectrum:
    """Compare spectra of random matrices with Wigner's semicircle.

    Parameters
    ----------
    n, mu, sigma
        As in `probability`.
    bins : int
        Of the interval from ``-2 sigma √n`` to ``2 sigma √n``.
    trials, distribution, random_state
        As in `probability`.

    Returns
    -------
    Spectrum
        `below` and `above` are mean numbers of eigenvalues.

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.semicircle(200, 0.0, 1.0, bins=4, random_state=0)
    >>> found.expected.round(3).tolist()
    [0.196, 0.304, 0.304, 0.196]
    >>> bool(abs(found.share - found.expected).max() < 0.01)
    True
    """
    kind = _check(n, mu, sigma, trials, distribution)
    _input.check_integer("bins", bins, 1)
    radius = 2 * sigma * sqrt(n)
    edges = np.linspace(-radius, radius, bins + 1)
    counts = np.empty((trials, bins + 1))
    loops.counts_above(streams.keys(random_state, trials), kind, n, mu, sigma, edges, counts)
    above = counts.mean(axis=0)
    x = edges / radius
    below_edge = 0.5 + (x * np.sqrt(1 - x**2) + np.arcsin(x)) / np.pi
    return Spectrum(
        edges=edges,
        share=-np.diff(above) / n,
        expected=np.diff(below_edge),
        below=float(n - above[0]),
        above=float(above[-1]),
    )


def wishart_moments(
    n, q, count=4, *, trials=100, distribution="gaussian", random_state=None
) -> Moments:
    """Compare moments ``tr(Wᵏ)/n`` of ``W = M Mᵀ/q`` with what is expected (Sec. 4.2).

    For large matrices these are the Narayana polynomials: the second is ``1 + n/q``. For those of
    the given size it is ``1 + (n - 2 + κ)/q``, κ being the mean fourth power of an entry, so
    ``1 + (n + 1)/q`` for Gaussians, of which the third and fourth are known as well.

    Parameters
    ----------
    n, q : int
        Features and samples of M, which has independent entries of mean 0 and variance 1.
    count : int
        Moments wanted.
    trials, distribution, random_state
        As in `probability`.

    Returns
    -------
    Moments

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.wishart_moments(50, 100, count=3, trials=200, random_state=0)
    >>> found.expected.tolist(), found.limit.tolist()
    ([1.0, 1.51, 2.7954], [1.0, 1.5, 2.75])
    >>> bool((abs(found.mean - found.expected) < 4 * found.error).all())
    True
    """
    kind = _check(n, 0.0, 1.0, trials, distribution)
    _input.check_integer("q", q, 1)
    _input.check_integer("count", count, 1)
    found = np.empty((trials, count))
    loops.wishart_moments(streams.keys(random_state, trials), kind, n, q, found)
    error = found.std(axis=0, ddof=1) / sqrt(trials) if trials > 1 else np.full(count, np.nan)
    limit = [
        sum((n / q) ** j / (j + 1) * comb(k, j) * comb(k - 1, j) for j in range(k))
        for k in range(1, count + 1)
    ]
    expected = np.full(max(count, 4), np.nan)
    expected[:2] = 1, 1 + (n - 2 + FOURTH_POWERS[distribution]) / q
    if distribution == "gaussian":
        expected[2] = (n**2 + 3 * n * q + q**2 + 3 * (n + q) + 4) / q**2
        cubic = n**3 + 6 * n**2 * q + 6 * n * q**2 + q**3
        expected[3] = (cubic + 6 * (n**2 + q**2) + 17 * n * q + 21 * (n + q) + 20) / q**3
    return Moments(found.mean(axis=0), error, expected[:count], np.array(limit))


def triple_product(q, k=1, *, cosine=None, trials=10_000, random_state=None) -> Triple:
    """Look for the least ``(aᵀb) Σ (aᵀc_l)(bᵀc_l)``, and estimate its mean (Props. 7-9).

    Parameters
    ----------
    q : int
        Dimension of the unit vectors a, b and c.
    k : int
        Number of orthonormal vectors c_l, uniform over the sphere; the least product is of one.
    cosine : float, optional
        ``aᵀb``, so that the mean is ``(k/q) cosine²``; without it a and b are uniform as well, and
        the mean is ``k/q²``.
    trials : int
    random_state : int, Generator or None

    Returns
    -------
    Triple

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.triple_product(3, trials=2000, random_state=0)
    >>> round(found.minimum, 3)
    -0.125
    >>> found.product.low < 1 / 9 < found.product.high
    True
    """
    _input.check_integer("q", q, 2)
    _input.check_integer("k", k, 1, q, "the dimension")
    _input.check_integer("trials", trials, 1)
    if cosine is not None and not (_input.is_finite(cosine) and abs(cosine) <= 1):
        raise ValueError(f"cosine = {cosine!r}: must be a number from -1 to 1")
    least, products = np.empty((2, trials))
    given = np.nan if cosine is None else float(cosine)
    loops.triple_products(streams.keys(random_state, trials), q, k, given, least, products)
    expected = k / q**2 if cosine is None else k / q * cosine**2
    return Triple(float(least.min()), estimates.mean(products, expected))


def hoeffding_tail(
    n, t, *, distribution="uniform", width=1.0, trials=10_000, random_state=None
) -> Tail:
    """Compare the tail of a sum of bounded variables with Hoeffding's bound (Lemma 11).

    Parameters
    ----------
    n : int
        Number of variables, each in an interval of the given width.
    t : float
        How far the sum exceeds its mean.
    distribution : {"uniform", "bernoulli"}
    width : float
    trials, random_state
        As in `probability`.

    Returns
    -------
    Tail

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.hoeffding_tail(100, 10, random_state=0)
    >>> found.frequency.high < found.bound < 0.14
    True
    """
    kind = _check_bounded(n, distribution, trials)
    _input.check_not_negative("t", t)
    _check_positive("width", width)
    sums, _ = _sums(random_state, trials, kind, n)
    scale = width / (2 * LARGEST[distribution])
    bound = exp(-2 * t**2 / (n * width**2))
    return Tail(estimates.share(scale * sums >= t), bound, bound)


def norm_tail(
    n, largest, *, D=1.0, epsilon=1.0, distribution="uniform", trials=10_000, random_state=None
) -> Tail:
    """Compare the tail of the norm of a bounded vector with Lemma 12.

    How likely is ``‖g‖² ≥ D n^(1/2 + ε)``? With ``γ = D n^(ε - 1/2)``, m the mean of a square and
    ``c = 1 - m/γ``, Hoeffding's inequality gives ``exp(-2 c² n γ² / M⁴)`` for squares between 0
    and M². The paper prints ``exp(-c² n γ² / M²)``, which for M above √2 is too small. Both need
    γ > m, which for large n is ε > 1/2; else nothing is bounded.

    Parameters
    ----------
    n : int
        Length of g.
    largest : float
        M, the largest modulus of an entry.
    D, epsilon : float
    distribution, trials, random_state
        As in `hoeffding_tail`; entries are symmetric around 0.

    Returns
    -------
    Tail

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.norm_tail(100, 1.0, D=0.036, random_state=0)
    >>> found.frequency.high < found.bound < 0.9
    True
    """
    kind = _check_bounded(n, distribution, trials)
    _check_positive("largest", largest)
    _check_positive("D", D)
    _input.check_number("epsilon", epsilon)
    _, squares = _sums(random_state, trials, kind, n)
    gamma = D * n ** (epsilon - 0.5)
    excess = max(gamma - (largest / LARGEST[distribution]) ** 2, 0.0)
    return Tail(
        estimates.share((largest / LARGEST[distribution]) ** 2 * squares >= n * gamma),
        exp(-2 * n * excess**2 / largest**4),
        exp(-n * excess**2 / largest**2),
    )


def irrelevant_weight_bound(weights, X, relevant) -> Bound:
    """Bound the total weight of irrelevant features (Lemma 13).

    It is at most ``‖M₂ M₂ᵀ‖ / √λ``, in the Frobenius norm, where M₂ are the irrelevant features
    and λ is the leading eigenvalue of G.

    Parameters
    ----------
    weights : Weights
        Of `qalpha.solve`, converged.
    X : array of shape (n_samples, n_features)
        The data that they were found from.
    relevant : sequence of int or of bool
        Features by number, or a mask of them all; the others are irrelevant.

    Returns
    -------
    Bound

    Examples
    --------
    >>> from specsel import datasets, positivity, qalpha
    >>> data = datasets.example()
    >>> found = positivity.irrelevant_weight_bound(qalpha.solve(data.X, 3), data.X, data.relevant)
    >>> found.weight < found.bound
    True
    """
    data = _data.read(X, center=bool(np.any(weights.mean)))
    if data.n_features != len(weights.alpha):
        raise ValueError(
            f"X: has {data.n_features} features; the weights are for {len(weights.alpha)}"
        )
    irrelevant = 1.0 - _mask(relevant, data.n_features)
    affinity = data.adjoint(irrelevant, None)
    bound = np.linalg.norm(affinity) / sqrt(weights.objective)
    return Bound(float(irrelevant @ weights.alpha), float(bound))


def _mask(relevant, n_features):
    """Which features are relevant, from their numbers or a mask."""
    given = np.asarray(relevant)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "biu"):
        raise ValueError(
            f"relevant = {_input.brief(relevant)}: must be a list of feature numbers or a mask"
        )
    if given.dtype == bool:
        if len(given) != n_features:
            raise ValueError(f"relevant: a mask of {len(given)} for {n_features} features")
        return given
    outside = given[(given < 0) | (given >= n_features)]
    if outside.size:
        raise ValueError(f"relevant = {outside[0]}: must be from 0 to {n_features - 1}")
    return np.isin(np.arange(n_features), given)


def _sums(random_state, trials, kind, n):
    """Sums of n variables and of their squares, a trial each."""
    sums, squares = np.empty((2, trials))
    loops.sums(streams.keys(random_state, trials), kind, n, sums, squares)
    return sums, squares


def _check(n, mu, sigma, trials, distribution):
    """The kind of distribution, if all is as it must be."""
    _input.check_integer("n", n, 1)
    _input.check_number("mu", mu)
    _check_positive("sigma", sigma)
    _input.check_integer("trials", trials, 1)
    _input.check_choice("distribution", distribution, tuple(streams.KINDS))
    return streams.KINDS[distribution]


def _check_bounded(n, distribution, trials):
    _input.check_integer("n", n, 1)
    _input.check_choice("distribution", distribution, tuple(LARGEST))
    _input.check_integer("trials", trials, 1)
    return streams.KINDS[distribution]


def _check_positive(name, value):
    if not (_input.is_finite(value) and value > 0):
        raise ValueError(f"{name} = {value!r}: must be a finite number above 0")
