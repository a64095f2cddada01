"""Why the weights come out positive and sparse (Wolf and Shashua, JMLR 6, 2005, Sec. 4).

The weights α are the leading eigenvector of a symmetric matrix G. Its entries belong to pairs of
features, vectors m_i of unit norm over q samples: ``G_ij = Σ_l (m_iᵀm_j)(m_iᵀc_l)(m_jᵀc_l)`` for
an orthonormal basis Q of columns c_1, ..., c_k. The paper shows that such entries have a positive
mean, and that a random matrix whose entries have one has a positive leading vector. All of it is
simulated here.

Entries of G (`triple_product`):
- Prop. 7: ``(aᵀb)(aᵀc)(bᵀc) ≥ -1/8`` for unit vectors a, b, c.
- Props. 8 and 9: over random orthonormal c_1, ..., c_k the mean of ``(aᵀb) Σ_l (aᵀc_l)(bᵀc_l)`` is
  ``(k/q)(aᵀb)²``.

A random symmetric n × n matrix with independent entries of mean μ > 0 and standard deviation σ:
- Theorem 10: as n grows, its leading vector v is positive with a probability that tends to 1
  (`probability`).
- Lemma 15: ``μn - O(1) ≤ λ₁ ≤ μn + O(√n)``; on average ``λ₁ = μn + σ²/μ`` (Füredi and Komlós).
  Lemma 16: ``Σ v_i ≥ √n - O(1)``, v being of unit norm (`leading_eigenvalue`).
- Wigner: the other eigenvalues fill a semicircle of radius ``2σ√n`` (`semicircle`).
- Narayana: for a random n × q matrix M, ``tr((M Mᵀ/q)^h)/n`` tends to
  ``Σ_{j<h} (n/q)^j C(h, j) C(h-1, j) / (j+1)`` (`wishart_moments`).

Tails, for n independent variables:
- Lemma 11 (Hoeffding): if each lies in an interval of width w, their sum exceeds its mean by t
  with probability at most ``exp(-2t²/(n w²))`` (`hoeffding_tail`).
- Lemma 12 bounds the probability that the vector g of them has ``‖g‖² ≥ D n^(1/2 + ε)``, for
  constants D and ε above 0 (`norm_tail`).

Sparsity (`irrelevant_weight_bound`):
- Lemma 13: the irrelevant features, rows of M₂, weigh ``Σ α_i ≤ ‖M₂M₂ᵀ‖_F / √λ₁(G)`` together.

At a fixed point of Q-α no probability is needed. If α is the leading eigenvector of G(Q), the span
of Q is mapped into itself by ``A = Σ α_i m_i m_iᵀ``, and λ₁(G) is simple, then α has one sign. For
λ₁(G) is the largest ``Σ (m_iᵀ B Qᵀ m_i)²`` over q × k matrices B of unit Frobenius norm, because
``G = Φ Φᵀ`` with ``vec(m_i (Qᵀ m_i)ᵀ)`` as row i of Φ. ``A Q/‖A Q‖`` attains it, which is ``W
Q/‖W‖`` with ``W = Q Qᵀ A Q Qᵀ``. Let |W| have the eigenvectors of W and the moduli of its
eigenvalues. As ``m_iᵀ|W|m_i ≥ |m_iᵀ W m_i|``, ``|W| Q/‖W‖`` attains it too, and its weights are
not negative; as λ₁ is simple, they are α.

Departures. The paper says that for mean .1 and standard deviation 1 the probability is above .99
from n = 500 on. It is 0 there, .25 at n = 1,000, and about 1 at n = 2,000. Lemma 12 is printed
with M² where Hoeffding's inequality gives M⁴: see `norm_tail`.

Every trial has its own stream of random numbers, so the outcome does not depend on the number of
threads. The public functions come first, then the compiled loops: trials that run in parallel,
eigenvectors of random matrices, random numbers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from math import comb, exp, sqrt
from typing import Any

import numpy as np
from numba import get_num_threads, prange

from specsel import _data, _runtime, _validate
from specsel._runtime import jit
from specsel._validate import ArrayLike, Bools, BoundedDistribution, Distribution, Floats, Seed
from specsel.results import Weights
from specsel.results.estimates import (
    Estimate,
    LeadingPairs,
    Mean,
    SpectralHistogram,
    SpectralMoments,
    Tail,
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

# Numbers that stand for the distributions in compiled code.
GAUSSIAN, UNIFORM, TWO_VALUED = range(3)
KINDS = {"gaussian": GAUSSIAN, "uniform": UNIFORM, "bernoulli": TWO_VALUED}

# Of a variable of mean 0 and variance 1: the mean fourth power, and the largest modulus.
FOURTH_POWERS = {"gaussian": 3.0, "uniform": 1.8, "bernoulli": 1.0}
LARGEST = {"uniform": sqrt(3.0), "bernoulli": 1.0}

# The fourth power of M must be a number.
LARGEST_BOUND = 1e50


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
    *_, positive = _leading_pairs(random_state, kind, n, mu, sigma, trials, True)
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

    For positive mu and large n the mean leading eigenvalue is ``mu n + sigma² / mu``.

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
    values, sums, _ = _leading_pairs(random_state, kind, n, mu, sigma, trials, False)
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
    with (
        _streams(random_state, trials, f"n = {n}", 2 * n * (n + 1), at_once=1) as keys,
        _runtime.one_thread(),
    ):
        values, lower = np.empty((trials, n)), np.tri(n, dtype=bool)
        entries, matrix = np.empty(n * (n + 1) // 2), np.zeros((n, n))
        for trial, key in enumerate(keys):
            _fill(key, kind, 0, entries)
            matrix[lower] = mu + sigma * entries
            values[trial] = np.linalg.eigvalsh(matrix)  # reads the lower triangle alone
    x = edges / radius
    below_edge = 0.5 + (x * np.sqrt(1 - x**2) + np.arcsin(x)) / np.pi
    return SpectralHistogram(
        edges=edges,
        share=np.histogram(values, edges)[0] / values.size,
        expected=np.diff(below_edge),
        below=float((values < edges[0]).sum() / trials),
        above=float((values > edges[-1]).sum() / trials),
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
    found, powers, what = np.empty((trials, count)), np.arange(1, count + 1), f"n = {n}, q = {q}"
    numbers = n * (2 * n + q)
    with (
        _streams(random_state, trials, what, numbers, at_once=1) as keys,
        _runtime.one_thread(),
    ):
        M = np.empty((n, q))
        for trial, key in enumerate(keys):
            _fill(key, kind, 0, M.ravel())
            values = np.linalg.eigvalsh(M @ M.T / q)
            found[trial] = (values[:, None] ** powers).mean(axis=0)
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
    return SpectralMoments(found.mean(axis=0), error, expected[:count], np.array(limit))


def triple_product(
    q: int,
    k: int = 1,
    *,
    cosine: float | None = None,
    trials: int = 10_000,
    random_state: Seed = None,
) -> TripleProduct:
    """Find the least ``(aᵀb)(aᵀc)(bᵀc)``, and estimate the mean of such products (Props. 7-9).

    The least product is -1/8. The mean of ``(aᵀb) Σ (aᵀc_l)(bᵀc_l)`` over random orthonormal
    vectors c_1, ..., c_k is ``(k/q)(aᵀb)²``.

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
    random_state
        As in `probability`.

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
    fixed = np.nan if cosine is None else float(cosine)
    with _streams(random_state, trials, f"q = {q}, k = {k}", (k + 5) * q) as keys:
        _run_triple_products(keys, q, k, fixed, least, products)
    expected = k / q**2 if cosine is None else k / q * cosine**2
    return TripleProduct(float(least.min()), Mean.of(products, expected))


def hoeffding_tail(
    n: int,
    t: float,
    *,
    distribution: BoundedDistribution = "uniform",
    width: float = 1.0,
    trials: int = 10_000,
    random_state: Seed = None,
) -> Tail:
    """Compare the tail of a sum of bounded variables with Hoeffding's bound (Lemma 11).

    The sum exceeds its mean by t or more with probability at most ``exp(-2t²/(n width²))``.

    Parameters
    ----------
    n : int
        Number of independent variables.
    t : float
        How far the sum exceeds its mean.
    distribution : {"uniform", "bernoulli"}
        Of the variables: uniform over an interval, or at one of its ends with equal chance.
    width : float
        Width of the interval.
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
    n = _validate.check_integer("n", n, 1)
    _validate.check_number("t", t, 0)
    _validate.check_positive("width", width)
    t, width = float(t), float(width)
    totals, _ = _sums(random_state, trials, distribution, n)
    scale = width / (2 * LARGEST[distribution])
    bound = exp(-2 * t**2 / (n * width**2))
    return Tail(Estimate.of(scale * totals >= t), bound, bound)


def norm_tail(
    n: int,
    largest: float,
    *,
    D: float = 1.0,
    epsilon: float = 1.0,
    distribution: BoundedDistribution = "uniform",
    trials: int = 10_000,
    random_state: Seed = None,
) -> Tail:
    """Compare the tail of the norm of a bounded vector with Lemma 12.

    The question is how likely ``‖g‖² ≥ D n^(1/2 + ε)`` is for a vector g of n independent entries
    whose modulus is at most M. Let ``γ = D n^(ε - 1/2)`` and m be the mean square of an entry.
    Then ``‖g‖²`` must exceed its mean by ``n (γ - m)``, for which Hoeffding's inequality, squares
    being between 0 and M², gives the bound ``exp(-2 n (γ - m)² / M⁴)``. The paper prints
    ``exp(-n (γ - m)² / M²)``, which is too small if M exceeds √2. Both bounds need γ > m, which
    holds for large n if ε > 1/2; otherwise they are 1.

    Parameters
    ----------
    n : int
        Length of g.
    largest : float
        M, the largest modulus of an entry.
    D, epsilon : float
        The numbers D and ε above.
    distribution : {"uniform", "bernoulli"}
        Of the entries: uniform between -M and M, or one of the two with equal chance.
    trials, random_state
        As in `hoeffding_tail`.

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
    n = _validate.check_integer("n", n, 1)
    _validate.check_positive("largest", largest, LARGEST_BOUND)
    _validate.check_positive("D", D)
    _validate.check_number("epsilon", epsilon)
    largest, D, epsilon = float(largest), float(D), float(epsilon)
    _, squares = _sums(random_state, trials, distribution, n)
    with np.errstate(over="ignore", under="ignore"):  # infinity is as good as a huge number here
        gamma = D * np.float64(n) ** (epsilon - 0.5)
        mean_square = (largest / LARGEST[distribution]) ** 2
        excess = max(gamma - mean_square, np.float64(0.0))
        return Tail(
            Estimate.of(mean_square * squares >= n * gamma),
            exp(-2 * n * excess**2 / largest**4),
            exp(-n * excess**2 / largest**2),
        )


def irrelevant_weight_bound(weights: Weights, X: ArrayLike, relevant: ArrayLike) -> WeightBound:
    """Bound the total weight of the irrelevant features (Lemma 13).

    It is at most ``‖M₂M₂ᵀ‖_F / √λ``, where the rows of M₂, here, are the irrelevant features and λ
    is the leading eigenvalue of G.

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


def _mask(relevant: ArrayLike, n_features: int) -> Bools:
    """Return a mask of the relevant features, which may be numbers or a mask."""
    features = np.asarray(relevant)
    if features.ndim != 1 or (features.size and features.dtype.kind not in "biu"):
        raise ValueError(
            f"relevant = {_validate.brief(relevant)}: must be a list of feature numbers or a mask"
        )
    if features.dtype == bool:
        if len(features) != n_features:
            raise ValueError(f"relevant: a mask of {len(features)} for {n_features} features")
        return features
    outside = features[(features < 0) | (features >= n_features)]
    if outside.size:
        raise ValueError(f"relevant = {outside[0]}: must be from 0 to {n_features - 1}")
    return np.isin(np.arange(n_features), features)


def _check(
    n: object, mu: object, sigma: object, trials: object, distribution: Distribution
) -> tuple[int, int]:
    """Check the arguments; return n and the number of the distribution in the compiled code."""
    size = _validate.check_integer("n", n, 1)
    _validate.check_number("mu", mu)
    _validate.check_positive("sigma", sigma)
    _validate.check_integer("trials", trials, 1)
    _validate.check_choice("distribution", distribution, _validate.Distribution)
    return size, KINDS[distribution]


def _leading_pairs(
    random_state: Seed, kind: int, n: int, mu: float, sigma: float, trials: int, signs_only: bool
) -> tuple[Floats, Floats, Bools]:
    """Return leading eigenvalues, sums of the unit eigenvectors, and whether these have one sign.

    With `signs_only`, values and sums are only as exact as the signs need them.
    """
    values, sums, positive = np.empty(trials), np.empty(trials), np.empty(trials, bool)
    with _streams(random_state, trials, f"n = {n}", n * (n + 1) // 2) as keys:
        _run_leading_pairs(keys, kind, n, mu, sigma, signs_only, values, sums, positive)
    return values, sums, positive


def _sums(
    random_state: Seed, trials: int, distribution: BoundedDistribution, n: int
) -> tuple[Floats, Floats]:
    """Return the sum of n variables, and the sum of their squares, in every trial."""
    _validate.check_choice("distribution", distribution, _validate.BoundedDistribution)
    _validate.check_integer("trials", trials, 1)
    totals, squares = np.empty((2, trials))
    with _streams(random_state, trials, f"n = {n}", 2 * n) as keys:
        _run_sums(keys, KINDS[distribution], n, totals, squares)
    return totals, squares


@contextmanager
def _streams(
    random_state: Seed, trials: int, what: str, numbers: int, *, at_once: int | None = None
) -> Iterator[Any]:
    """Draw the key of the random stream of every trial; run the trials inside.

    Raise a `MemoryError` of one line where memory is short. A trial takes so many `numbers`, and
    as many trials run at once as there are threads, or as `at_once` says.
    """
    size = 8.0 * numbers * min(at_once or get_num_threads(), trials)
    _runtime.check_budget(what, size, "take smaller ones")
    _runtime.check_not_forked()
    keys = _validate.as_generator(random_state).integers(0, 2**64, trials, dtype=np.uint64)
    try:
        yield keys
    except (MemoryError, SystemError) as error:  # numba raises the second in a thread
        raise MemoryError(f"{what}: needs {_runtime.readable(size)}, more than is free") from error


# The trials. Every iteration of these loops is one, with the stream of random numbers of its key.
# `kind` is the number of a distribution in `KINDS`. The last arguments are what a loop fills, an
# entry or a row for every trial.

# Steps of the search for the least triple product. Each halves the error of a cosine.
SEARCH_STEPS = 60

# Share of a random vector in the start of an eigenvector iteration. Without it the start could be
# orthogonal to the eigenvector.
GENERIC = 1e-3


@jit(parallel=True)
def _run_leading_pairs(keys, kind, n, mu, sigma, signs_only, values, sums, positive):
    """Find the leading eigenvalue of a random matrix, and the sum of its unit eigenvector.

    `positive` says whether all entries have one sign. The search starts from the row sums of the
    matrix, which are near the eigenvector, and a little of a random vector.
    """
    for trial in prange(len(keys)):
        matrix, vector, generic = np.empty(n * (n + 1) // 2), np.empty(n), np.empty(n)
        _fill(keys[trial], kind, 0, matrix)
        for i in range(len(matrix)):
            matrix[i] = mu + sigma * matrix[i]
        _fill(keys[trial], GAUSSIAN, len(matrix), generic)
        ones = np.empty(n)
        ones[:] = 1.0
        _product(matrix, ones, vector)
        _add(GENERIC * (abs(mu) + sigma), generic, vector)
        value, error = _leading(matrix, vector, signs_only)
        values[trial] = value
        sums[trial] = abs(_dot(vector, ones))
        # A vector that has not converged is judged by its signs, not by a large error.
        positive[trial] = _positive(vector, min(error, ERROR_FLOOR))


@jit(parallel=True)
def _run_triple_products(keys, q, k, cosine, least, products):
    """Find the product ``(aᵀb) Σ (aᵀc_l)(bᵀc_l)`` of random unit vectors, and the least one.

    The vectors c_1, ..., c_k are orthonormal. `cosine` is ``aᵀb``, NaN if a and b are independent.
    The least product is of a, b and one c; a search that starts from a and c_1 finds it.
    """
    for trial in prange(len(keys)):
        vectors = np.empty((k + 2, q))
        for i in range(k + 2):
            _fill(keys[trial], GAUSSIAN, i * q, vectors[i])
        a, b = vectors[k], vectors[k + 1]
        a /= np.sqrt((a * a).sum())
        if not np.isnan(cosine):
            b -= (a * b).sum() * a
            b *= np.sqrt(max(1.0 - cosine**2, 0.0) / (b * b).sum())
            b += cosine * a
        else:
            b /= np.sqrt((b * b).sum())
        total = 0.0
        for i in range(k):
            for j in range(i):
                vectors[i] -= (vectors[i] * vectors[j]).sum() * vectors[j]
            vectors[i] /= np.sqrt((vectors[i] * vectors[i]).sum())
            total += (a * vectors[i]).sum() * (b * vectors[i]).sum()
        products[trial] = (a * b).sum() * total
        least[trial] = _least_product(a, vectors[0].copy(), np.empty(q))


@jit
def _least_product(a, b, c):
    """Search for unit vectors with the least product ``(aᵀb)(aᵀc)(bᵀc)``, from a and b on.

    In every step one vector moves to where the product is least given the other two, a and b: to
    a - b or, if their cosine is negative, to a + b, scaled to unit norm.
    """
    for _ in range(SEARCH_STEPS):
        sign = 1.0 if (a * b).sum() >= 0.0 else -1.0
        c[:] = a - sign * b
        c /= np.sqrt((c * c).sum())
        a, b, c = b, c, a
    return (a * b).sum() * (a * c).sum() * (b * c).sum()


@jit(parallel=True)
def _run_sums(keys, kind, n, totals, squares):
    """Sum n random variables of mean 0 and variance 1, and their squares."""
    for trial in prange(len(keys)):
        variables = np.empty(n)
        _fill(keys[trial], kind, 0, variables)
        totals[trial] = variables.sum()
        squares[trial] = (variables * variables).sum()


# Eigenvectors and eigenvalues of random matrices. The trials run in parallel, where the threads of
# a linear algebra library would be in the way. A matrix is packed: it is stored as the rows of its
# lower triangle, one after another, so that a product reads every entry once. Lanczos makes it a
# tridiagonal matrix, which is two vectors: `diagonal` and `off_diagonal`.

# Lanczos vectors before a restart from the best vector in their span; and restarts.
STEPS = 100
RESTARTS = 50

# The first step after which the eigenvector is computed, and the number of steps until the next.
FIRST_LOOK = 8
LOOK_EVERY = 3

# More steps cannot improve a vector whose error is below this.
ERROR_FLOOR = 1e-11

# The error of the vector is estimated from the gap between the first two eigenvalues. What Lanczos
# finds of the second is at most that eigenvalue, so the true gap may be narrower than the one
# found. The estimate assumes that it is this many times as narrow: cautious, but no proof.
SAFETY = 4.0

# Halvings of an interval that give an eigenvalue to full precision, and to a few digits.
HALVINGS = 60
FEW_HALVINGS = 12

# Where only this share of a vector is left by orthogonalisation, the rest is rounding.
BREAKDOWN = 1e-13

# Keeps divisors away from 0.
TINY = 1e-300


@jit(helper=True)
def _product(matrix, vector, out):
    """Multiply a packed matrix by a vector."""
    out[:] = 0.0
    start = 0
    for i in range(len(vector)):
        row = matrix[start : start + i]
        inner, own = 0.0, vector[i]
        for j in range(i):
            inner += row[j] * vector[j]
            out[j] += row[j] * own
        out[i] += inner + matrix[start + i] * own
        start += i + 1


@jit
def _leading(matrix, vector, signs_only):
    """Find the leading eigenpair by Lanczos; the unit vector replaces the start in `vector`.

    With `signs_only`, end as soon as the estimated error cannot change whether all signs are
    alike. Return the eigenvalue, and an estimate of the norm of the vector's error.
    """
    steps = min(STEPS, len(vector))
    basis = np.empty((steps + 1, len(vector)))
    diagonal, off_diagonal, weights = np.empty(steps), np.empty(steps), np.empty(steps)
    value, error = 0.0, np.inf
    for _ in range(RESTARTS):
        basis[0] = 0.0
        _add(1.0 / _norm(vector), vector, basis[0])
        for step in range(steps):
            more = _step(matrix, basis, step, diagonal, off_diagonal)
            last = step == steps - 1 or not more
            if not last and (step < FIRST_LOOK or (step - FIRST_LOOK) % LOOK_EVERY):
                continue
            value, second = _top_two(diagonal[: step + 1], off_diagonal[:step])
            _top_vector(diagonal[: step + 1], off_diagonal[:step], value, weights)
            vector[:] = 0.0
            for i in range(step + 1):
                _add(weights[i], basis[i], vector)
            left = off_diagonal[step] * abs(weights[step]) if more else 0.0
            error = SAFETY * left / max(value - second, TINY)
            if error <= ERROR_FLOOR or (signs_only and _certain(vector, error)):
                return value, error
            if last:
                break
    return value, error


@jit(helper=True)
def _step(matrix, basis, step, diagonal, off_diagonal):
    """Add a Lanczos vector, and entries of the tridiagonal matrix; return whether one was left."""
    following = basis[step + 1]
    _product(matrix, basis[step], following)
    size = _norm(following)
    diagonal[step] = _dot(following, basis[step])
    _orthogonalise(basis, step)
    off_diagonal[step] = _norm(following)
    more = off_diagonal[step] > BREAKDOWN * size
    if more:
        _divide(following, off_diagonal[step])
    return more


@jit(helper=True)
def _orthogonalise(basis, step):
    """Make the next vector orthogonal to those before; twice, for once leaves rounding."""
    following = basis[step + 1]
    for _ in range(2):
        for i in range(step, -1, -1):
            _add(-_dot(following, basis[i]), basis[i], following)


@jit(helper=True)
def _count_above(diagonal, off_diagonal, bound):
    """Count the eigenvalues of a tridiagonal matrix above a bound (Sylvester's law of inertia)."""
    count, pivot = 0, 1.0
    for i in range(len(diagonal)):
        square = off_diagonal[i - 1] ** 2 if i > 0 else 0.0
        pivot = bound - diagonal[i] - square / pivot
        if abs(pivot) < TINY:
            pivot = TINY
        count += pivot < 0.0
    return count


@jit(helper=True)
def _top_two(diagonal, off_diagonal):
    """Return the two largest eigenvalues of a tridiagonal matrix, the second to a few digits."""
    low, high = np.inf, -np.inf
    for i in range(len(diagonal)):
        radius = off_diagonal[i - 1] if i > 0 else 0.0
        radius += off_diagonal[i] if i < len(off_diagonal) else 0.0
        low, high = min(low, diagonal[i] - radius), max(high, diagonal[i] + radius)
    first = _bisect(diagonal, off_diagonal, low, high, 0, HALVINGS)
    if len(diagonal) == 1:
        return first, -np.inf
    return first, _bisect(diagonal, off_diagonal, low, first, 1, FEW_HALVINGS)


@jit(helper=True)
def _bisect(diagonal, off_diagonal, low, high, allowed, halvings):
    """Return the smallest number that has at most `allowed` eigenvalues above it."""
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        if _count_above(diagonal, off_diagonal, middle) > allowed:
            low = middle
        else:
            high = middle
    return high


@jit(helper=True)
def _top_vector(diagonal, off_diagonal, value, out):
    """Find the unit eigenvector of the largest eigenvalue by inverse iteration.

    A shift just above the eigenvalue makes the matrix definite, so that no pivoting is needed.
    """
    m = len(diagonal)
    shift = value + 1e-14 * (abs(value) + TINY)
    pivots = np.empty(m)
    out[:m] = 1.0
    for _ in range(3):
        for i in range(m):
            square = off_diagonal[i - 1] ** 2 / pivots[i - 1] if i > 0 else 0.0
            pivots[i] = max(shift - diagonal[i] - square, TINY)
            if i > 0:
                out[i] += off_diagonal[i - 1] / pivots[i - 1] * out[i - 1]
        out[m - 1] /= pivots[m - 1]
        for i in range(m - 2, -1, -1):
            out[i] = (out[i] + off_diagonal[i] * out[i + 1]) / pivots[i]
        _divide(out[:m], _norm(out[:m]))


@jit(helper=True)
def _positive(vector, error):
    """Return whether all entries have one sign, and none is within the error of 0."""
    low, high = _extremes(vector)
    return low > error or high < -error


@jit(helper=True)
def _certain(vector, error):
    """Return whether this error leaves no doubt that the signs are alike, or that they differ."""
    low, high = _extremes(vector)
    return low > error or high < -error or (low < -error and high > error)


@jit(helper=True)
def _extremes(vector):
    low = high = vector[0]
    for i in range(len(vector)):
        low, high = min(low, vector[i]), max(high, vector[i])
    return low, high


@jit(helper=True)
def _add(factor, vector, out):
    for i in range(len(out)):
        out[i] += factor * vector[i]


@jit(helper=True)
def _divide(vector, divisor):
    for i in range(len(vector)):
        vector[i] /= divisor


@jit(helper=True)
def _dot(left, right):
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@jit(helper=True)
def _norm(vector):
    return np.sqrt(_dot(vector, vector))


# Random numbers. The i-th word of a stream is ``mix(key + i γ)``, as in the generator splitmix64
# (Steele, Lea and Flood, 2014). There is no state: a trial draws the same numbers from its key
# whichever thread runs it.

# The constants of splitmix64; the last two shifts leave 53 bits and one bit of a word.
GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
SHIFTS = np.array([30, 27, 31, 11, 63], np.uint64)
UNIT = 2.0**-53

# No trial draws this many numbers, so that positions so far on are free for what rejections need.
FAR = 2**40

# The ziggurat: 128 layers of equal area that cover exp(-x²/2). The lowest contains the tail.
TAIL = 3.442619855899
AREA = 9.91256303526217e-3
LAYER_BITS = np.uint64(127)


def _edges() -> Floats:
    """Return the right ends of the layers from the lowest on, and 0 at the top.

    The end of the lowest layer is that of a rectangle with the area of layer and tail together.
    """
    edges = [AREA * np.exp(0.5 * TAIL**2), TAIL]
    while len(edges) < 128:
        edges.append(np.sqrt(-2.0 * np.log(AREA / edges[-1] + np.exp(-0.5 * edges[-1] ** 2))))
    return np.array([*edges, 0.0])


EDGES = _edges()


@jit
def _word(key, position):
    """Return the 64 random bits at a position of the stream with this key."""
    z = key + np.uint64(position) * GAMMA
    z = (z ^ (z >> SHIFTS[0])) * FIRST_FACTOR
    z = (z ^ (z >> SHIFTS[1])) * SECOND_FACTOR
    return z ^ (z >> SHIFTS[2])


@jit(helper=True)
def _unit(key, position):
    """Return a random number between 0 and 1, both excluded."""
    return (np.float64(_word(key, position) >> SHIFTS[3]) + 0.5) * UNIT


@jit
def _fill(key, kind, start, out):
    """Fill `out` with independent variables of mean 0 and variance 1, from position `start` on.

    They are Gaussian, uniform between -√3 and √3, or -1 and 1 with equal chance.
    """
    for i in range(len(out)):
        if kind == GAUSSIAN:
            out[i] = _gaussian(key, start + i)
        elif kind == UNIFORM:
            out[i] = np.sqrt(12.0) * (_unit(key, start + i) - 0.5)
        else:
            out[i] = 1.0 if _word(key, start + i) >> SHIFTS[4] else -1.0


@jit(helper=True)
def _gaussian(key, position):
    """Return a standard normal variable, by the ziggurat of Marsaglia and Tsang (2000).

    After a rejection, further numbers are drawn from positions that nothing else uses.
    """
    while True:
        bits = _word(key, position)
        layer = np.int64(bits & LAYER_BITS)
        share = 2.0 * (np.float64(bits >> SHIFTS[3]) + 0.5) * UNIT - 1.0
        value = share * EDGES[layer]
        if abs(value) < EDGES[layer + 1]:
            return value
        position += FAR
        if layer == 0:
            return np.copysign(_tail(key, position), share)
        low = np.exp(-0.5 * (EDGES[layer] ** 2 - value**2))
        high = np.exp(-0.5 * (EDGES[layer + 1] ** 2 - value**2))
        if high + _unit(key, position) * (low - high) < 1.0:
            return value
        position += FAR


@jit(helper=True)
def _tail(key, position):
    """Return a normal variable given that it exceeds TAIL."""
    while True:
        beyond = -np.log(_unit(key, position)) / TAIL
        if -2.0 * np.log(_unit(key, position + FAR)) > beyond**2:
            return TAIL + beyond
        position += 2 * FAR
