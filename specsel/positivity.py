"""Why the weights come out positive and sparse (Wolf and Shashua, JMLR 6, 2005, Sec. 4).

What the paper proves there, simulated. G is the symmetric matrix whose leading eigenvector is the
weights.

- `probability`, `leading_eigenvalue`: if the entries of a random symmetric matrix have a positive
  mean, its leading eigenvector is positive when the matrix is large enough (Theorem 10, Lemmas 15
  and 16, and the theorem of Füredi and Komlós).
- `triple_product`: the entries of G have a positive mean (Props. 7-9).
- `semicircle`, `wishart_moments`: the spectra on which the proofs rest (Wigner, Narayana).
- `hoeffding_tail`, `norm_tail`: the tail bounds on which they rest (Lemmas 11 and 12).
- `irrelevant_weight_bound`: irrelevant features weigh little (Lemma 13).

Trials run in parallel, each with its own stream of random numbers, so the outcome does not depend
on the number of threads.

Departures. The paper says that for mean .1 and standard deviation 1 the probability is above .99
from n = 500 on. It is 0 there, .25 at n = 1,000, and about 1 at n = 2,000. Lemma 12 is printed
with M² where Hoeffding's inequality gives M⁴: see `norm_tail`.
"""

from math import comb, sqrt

import numpy as np

from specsel import _data, _validate
from specsel._simulation import experiments, memory, streams
from specsel._simulation.tails import hoeffding_tail, norm_tail
from specsel._validate import DISTRIBUTIONS, ArrayLike, Bools, Distribution, Floats, Seed
from specsel.results import Weights
from specsel.results.estimates import (
    Estimate,
    LeadingPairs,
    Mean,
    SpectralHistogram,
    SpectralMoments,
    TripleProduct,
    WeightBound,
)

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

# The mean fourth power of a variable of mean 0 and variance 1.
FOURTH_POWERS = {"gaussian": 3.0, "uniform": 1.8, "bernoulli": 1.0}


def probability(
    n: int,
    mu: float,
    sigma: float,
    trials: int = 1000,
    distribution: Distribution = "gaussian",
    *,
    random_state: Seed = None,
) -> Estimate:
    """Estimate how likely the leading eigenvector of a random matrix is positive (Theorem 10).

    Positive means that all entries have one sign.

    Parameters
    ----------
    n : int
        Number of rows of the symmetric matrix.
    mu, sigma : float
        Mean and standard deviation of its entries, which are independent up to symmetry.
    trials : int
        Number of random matrices.
    distribution : {"gaussian", "uniform", "bernoulli"}
        Of the entries. The entries of the last kind are ``mu - sigma`` or ``mu + sigma``, with
        equal chance.
    random_state : int, Generator or None
        Seed of the matrices.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from specsel import positivity
    >>> positivity.probability(25, 1 / 6, 2**0.5 / 6, random_state=0).probability > 0.98
    True
    """
    n, kind = _check(n, mu, sigma, trials, distribution)
    positive = np.empty(trials, bool)
    with memory.reserved(f"n = {n}", n * (n + 1) // 2, trials):
        keys = streams.keys(random_state, trials)
        experiments.signs(keys, kind, n, mu, sigma, positive)
    return Estimate.of(positive)


def leading_eigenvalue(
    n: int,
    mu: float,
    sigma: float,
    *,
    trials: int = 1000,
    distribution: Distribution = "gaussian",
    random_state: Seed = None,
) -> LeadingPairs:
    """Compute leading eigenpairs of random matrices (Füredi and Komlós; Lemmas 15 and 16).

    For positive mu and large n the mean leading eigenvalue is ``mu n + sigma² / mu``. It is at
    least ``mu n - O(1)`` and at most ``mu n + O(√n)`` (Lemma 15), and its unit eigenvector sums to
    at least ``√n - O(1)`` (Lemma 16).

    Parameters
    ----------
    n, mu, sigma, trials, distribution, random_state
        As in `probability`.

    Returns
    -------
    LeadingPairs

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.leading_eigenvalue(100, 0.5, 1.0, trials=200, random_state=0)
    >>> found.eigenvalue.expected, abs(found.eigenvalue.mean - 52) < 0.5
    (52.0, True)
    """
    n, kind = _check(n, mu, sigma, trials, distribution)
    values, sums = np.empty((2, trials))
    with memory.reserved(f"n = {n}", n * (n + 1) // 2, trials):
        keys = streams.keys(random_state, trials)
        experiments.leading_pairs(keys, kind, n, mu, sigma, values, sums)
    expected = mu * n + sigma**2 / mu if mu > 0 else np.nan
    return LeadingPairs(Mean.of(values, expected), values, sums)


def semicircle(
    n: int,
    mu: float,
    sigma: float,
    *,
    bins: int = 20,
    trials: int = 100,
    distribution: Distribution = "gaussian",
    random_state: Seed = None,
) -> SpectralHistogram:
    """Compare the spectra of random matrices with Wigner's semicircle.

    For large n the eigenvalues are distributed like a semicircle of radius ``2 sigma √n``. If mu
    is positive and n large enough, the leading eigenvalue alone lies outside.

    Parameters
    ----------
    n, mu, sigma
        As in `probability`.
    bins : int
        Number of bins between ``-2 sigma √n`` and ``2 sigma √n``.
    trials, distribution, random_state
        As in `probability`.

    Returns
    -------
    SpectralHistogram

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.semicircle(200, 0.0, 1.0, bins=4, random_state=0)
    >>> found.expected.round(3).tolist()
    [0.196, 0.304, 0.304, 0.196]
    >>> bool(abs(found.share - found.expected).max() < 0.01)
    True
    """
    n, kind = _check(n, mu, sigma, trials, distribution)
    bins = _validate.check_integer("bins", bins, 1)
    radius = 2 * sigma * sqrt(n)
    edges = np.linspace(-radius, radius, bins + 1)
    counts = np.empty((trials, bins + 1))
    with memory.reserved(f"n = {n}", 2 * n * (n + 1), trials):  # and the Lanczos vectors
        keys = streams.keys(random_state, trials)
        experiments.counts_above(keys, kind, n, mu, sigma, edges, counts)
    above = counts.mean(axis=0)
    x = edges / radius
    below_edge = 0.5 + (x * np.sqrt(1 - x**2) + np.arcsin(x)) / np.pi
    return SpectralHistogram(
        edges=edges,
        share=-np.diff(above) / n,
        expected=np.diff(below_edge),
        below=float(n - above[0]),
        above=float(above[-1]),
    )


def wishart_moments(
    n: int,
    q: int,
    count: int = 4,
    *,
    trials: int = 100,
    distribution: Distribution = "gaussian",
    random_state: Seed = None,
) -> SpectralMoments:
    """Compare the moments ``tr(Wᵏ)/n`` of ``W = M Mᵀ/q`` with what theory expects (Sec. 4.2).

    M is a random n × q matrix. For large matrices the moments are the Narayana polynomials in n/q;
    the second is ``1 + n/q``. For matrices of any size the second is ``1 + (n - 2 + κ)/q``, where
    κ is the mean fourth power of an entry. For Gaussian entries, whose κ is 3, the third and the
    fourth moment are known as well.

    Parameters
    ----------
    n, q : int
        Features and samples: rows and columns of M. Its entries are independent, of mean 0 and
        variance 1.
    count : int
        Number of moments.
    trials, distribution, random_state
        As in `probability`.

    Returns
    -------
    SpectralMoments

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.wishart_moments(50, 100, count=3, trials=200, random_state=0)
    >>> found.expected.tolist(), found.limit.tolist()
    ([1.0, 1.51, 2.7954], [1.0, 1.5, 2.75])
    >>> bool((abs(found.mean - found.expected) < 4 * found.error).all())
    True
    """
    n, kind = _check(n, 0.0, 1.0, trials, distribution)
    q = _validate.check_integer("q", q, 1)
    count = _validate.check_integer("count", count, 1)
    found = np.empty((trials, count))
    with memory.reserved(f"n = {n}, q = {q}", n * (2 * n + q), trials):
        keys = streams.keys(random_state, trials)
        experiments.wishart_moments(keys, kind, n, q, found)
    error = found.std(axis=0, ddof=1) / sqrt(trials) if trials > 1 else np.full(count, np.nan)
    limit = [
        sum((n / q) ** j / (j + 1) * comb(k, j) * comb(k - 1, j) for j in range(k))
        for k in range(1, count + 1)
    ]
    expected = _expected_moments(n, q, count, distribution)
    return SpectralMoments(found.mean(axis=0), error, expected, np.array(limit))


def triple_product(
    q: int,
    k: int = 1,
    *,
    cosine: float | None = None,
    trials: int = 10_000,
    random_state: Seed = None,
) -> TripleProduct:
    """Find the least ``(aᵀb)(aᵀc)(bᵀc)``, and estimate the mean of such products (Props. 7-9).

    Entries of G are sums of such products, with unit vectors a and b for two features and c for a
    direction of the basis. The least product is -1/8 (Prop. 7). For random orthonormal vectors
    c_1, ..., c_k the mean of ``(aᵀb) Σ (aᵀc_l)(bᵀc_l)`` is ``(k/q) (aᵀb)²`` (Props. 8 and 9).

    Parameters
    ----------
    q : int
        Dimension of the vectors: the number of samples.
    k : int
        Number of vectors c_l in the mean.
    cosine : float, optional
        The product ``aᵀb``, from -1 to 1. Without it a and b are random as well, and the mean is
        ``k/q²``.
    trials : int
        Number of random sets of vectors. Each is also the start of a search for the least product.
    random_state : int, Generator or None
        Seed of the vectors.

    Returns
    -------
    TripleProduct

    Examples
    --------
    >>> from specsel import positivity
    >>> found = positivity.triple_product(3, trials=2000, random_state=0)
    >>> round(found.minimum, 3)
    -0.125
    >>> found.product.low < 1 / 9 < found.product.high
    True
    """
    q = _validate.check_integer("q", q, 2)
    k = _validate.check_integer("k", k, 1, q, "the dimension")
    _validate.check_integer("trials", trials, 1)
    if cosine is not None and not (_validate.is_finite(cosine) and abs(cosine) <= 1):
        raise ValueError(f"cosine = {_validate.brief(cosine)}: must be a number from -1 to 1")
    least, products = np.empty((2, trials))
    given = np.nan if cosine is None else float(cosine)
    with memory.reserved(f"q = {q}, k = {k}", (k + 5) * q, trials):
        keys = streams.keys(random_state, trials)
        experiments.triple_products(keys, q, k, given, least, products)
    expected = k / q**2 if cosine is None else k / q * cosine**2
    return TripleProduct(float(least.min()), Mean.of(products, expected))


def irrelevant_weight_bound(weights: Weights, X: ArrayLike, relevant: ArrayLike) -> WeightBound:
    """Bound the total weight of the irrelevant features (Lemma 13).

    It is at most ``‖M₂ M₂ᵀ‖ / √λ``, in the Frobenius norm, where the rows of M₂ are the irrelevant
    features and λ is the leading eigenvalue of G.

    Parameters
    ----------
    weights : Weights
        A converged result of `qalpha.solve`.
    X : array of shape (n_samples, n_features)
        The data from which the weights were found.
    relevant : sequence of int or of bool
        The relevant features by number, or a mask over all features. The others are irrelevant.

    Returns
    -------
    WeightBound

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
    irrelevant: Floats = np.where(_mask(relevant, data.n_features), 0.0, 1.0)
    affinity = data.adjoint(irrelevant, None)
    bound = np.linalg.norm(affinity) / sqrt(weights.objective)
    return WeightBound(float(irrelevant @ weights.alpha), float(bound))


def _expected_moments(n: int, q: int, count: int, distribution: Distribution) -> Floats:
    """Return the expected moments of matrices of this size, NaN where they are not known."""
    expected = np.full(max(count, 4), np.nan)
    expected[:2] = 1, 1 + (n - 2 + FOURTH_POWERS[distribution]) / q
    if distribution == "gaussian":
        expected[2] = (n**2 + 3 * n * q + q**2 + 3 * (n + q) + 4) / q**2
        cubic = n**3 + 6 * n**2 * q + 6 * n * q**2 + q**3
        expected[3] = (cubic + 6 * (n**2 + q**2) + 17 * n * q + 21 * (n + q) + 20) / q**3
    return expected[:count]


def _mask(relevant: ArrayLike, n_features: int) -> Bools:
    """Return a mask of the relevant features, given by their numbers or as a mask."""
    given = np.asarray(relevant)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "biu"):
        raise ValueError(
            f"relevant = {_validate.brief(relevant)}: must be a list of feature numbers or a mask"
        )
    if given.dtype == bool:
        if len(given) != n_features:
            raise ValueError(f"relevant: a mask of {len(given)} for {n_features} features")
        return given
    outside = given[(given < 0) | (given >= n_features)]
    if outside.size:
        raise ValueError(f"relevant = {outside[0]}: must be from 0 to {n_features - 1}")
    return np.isin(np.arange(n_features), given)


def _check(
    n: object, mu: object, sigma: object, trials: object, distribution: Distribution
) -> tuple[int, int]:
    """Check the arguments; return n and the number of the distribution in the compiled code."""
    size = _validate.check_integer("n", n, 1)
    _validate.check_number("mu", mu)
    _validate.check_positive("sigma", sigma)
    _validate.check_integer("trials", trials, 1)
    _validate.check_choice("distribution", distribution, DISTRIBUTIONS)
    return size, streams.KINDS[distribution]
